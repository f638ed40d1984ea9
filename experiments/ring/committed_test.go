package ring

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

const committed = "../results"

// ciRun is all experiments in profile ci, once for all tests.
var ciRun = sync.OnceValues(func() (out []*result.Result, err error) {
	for _, e := range Experiments() {
		r, err := e.Old(context.Background(), exp.Env{Profile: "ci", Seeds: []uint64{3}})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		out = append(out, r)
	}
	return out, nil
})

// Every number and sentence of the blog has exactly one verdict: in a run of
// profile ci, and in every profile whose results are committed.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	t.Run("run of ci", func(t *testing.T) {
		results, err := ciRun()
		if err != nil {
			t.Fatal(err)
		}
		judgedOnce(t, results)
	})
	for _, profile := range exp.Profiles {
		var results []*result.Result
		for _, e := range Experiments() {
			path := result.Path(committed, e.ID, profile)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			r, err := result.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			if r.ID != e.ID || r.Title != e.Title {
				t.Errorf("%s: committed as %q %q", e.ID, r.ID, r.Title)
			}
			results = append(results, r)
		}
		if len(results) > 0 {
			t.Run("committed "+profile, func(t *testing.T) { judgedOnce(t, results) })
		}
	}
}

func judgedOnce(t *testing.T, results []*result.Result) {
	if len(results) != len(Experiments()) {
		t.Errorf("%d results of %d experiments", len(results), len(Experiments()))
	}
	where := map[string][]string{}
	for _, r := range results {
		if r.Status != complete {
			t.Errorf("%s is %s", r.ID, r.Status)
		}
		if len(r.Notes) == 0 || len(r.Tables) == 0 || len(r.Figures) == 0 {
			t.Errorf("%s: %d notes, %d tables, %d figures", r.ID, len(r.Notes), len(r.Tables), len(r.Figures))
		}
		ids := map[string]bool{} // of tables and figures: anchors of one page
		for _, x := range r.Tables {
			ids[x.ID] = true
			for i, row := range x.Rows {
				if len(row) != len(x.Columns) {
					t.Errorf("%s: row %d of %s has %d cells, want %d", r.ID, i, x.ID, len(row), len(x.Columns))
				}
			}
		}
		for _, f := range r.Figures {
			ids[f.ID] = true
		}
		if len(ids) != len(r.Tables)+len(r.Figures) {
			t.Errorf("%s: a table and a figure share an id", r.ID)
		}
		for _, c := range r.Claims {
			where[c.ID] = append(where[c.ID], r.ID)
		}
	}
	rows := 0
	for _, c := range claims.All() {
		if !strings.HasPrefix(c.ID, "B") {
			continue
		}
		rows++
		if n := len(where[c.ID]); n != 1 {
			t.Errorf("%s is judged %d times: %v", c.ID, n, where[c.ID])
		}
		delete(where, c.ID)
	}
	for id, in := range where {
		t.Errorf("%s, in %v, is no claim of the blog", id, in)
	}
	if rows != 22 {
		t.Errorf("%d rows, want B01–B22", rows)
	}
}

// Same inputs, same bytes, also of what really ran on sockets.
func TestResultsAreDeterministic(t *testing.T) {
	first, err := ciRun()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range Experiments() {
		again, err := e.Old(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{3}})
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		a, errA := result.Encode(first[i])
		b, errB := result.Encode(again)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s: two runs differ: %v %v", e.ID, errA, errB)
		}
	}
}

// An interrupted experiment says so and returns the context's error.
func TestInterruptedExperiments(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range Experiments() {
		r, err := e.Old(ctx, exp.Env{Profile: "ci", Seeds: []uint64{0}})
		if err != context.Canceled || r == nil || r.Status != unfinished || len(r.Notes) == 0 || !strings.HasPrefix(r.Notes[0], "Interrupted") {
			t.Errorf("%s: %v, %+v", e.ID, err, r)
		}
	}
}

// The plan of every profile has a length.
func TestSecondsAreEstimated(t *testing.T) {
	for _, e := range Experiments() {
		if !slices.Equal(e.Profiles, exp.Profiles) {
			t.Errorf("%s has profiles %v", e.ID, e.Profiles)
		}
		for _, p := range e.Profiles {
			if s := e.Seconds(p, 3); !(s > 0) {
				t.Errorf("%s: %g s in %s", e.ID, s, p)
			}
		}
	}
}
