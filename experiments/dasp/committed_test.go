package dasp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

const committed = "../results"

// Every number and sentence of the paper, and of DSSP's that its set-up is
// anchored to, has exactly one verdict among the committed results: none is
// passed over, none is judged where it looks best.
func TestEveryClaimIsJudgedOnce(t *testing.T) {
	for _, profile := range []string{"quick", "standard"} {
		t.Run(profile, func(t *testing.T) { judgedOnce(t, profile) })
	}
}

func judgedOnce(t *testing.T, profile string) {
	where := map[string][]string{}
	for _, e := range Experiments() {
		if !slices.Contains(e.Profiles, profile) {
			continue
		}
		r, err := result.Read(result.Path(committed, e.ID, profile))
		if err != nil {
			t.Fatalf("%s has no committed result: %v (make publish)", e.ID, err)
		}
		if r.Status != complete || r.ID != e.ID || r.Title != e.Title {
			t.Errorf("%s: committed as %q %q, status %s", e.ID, r.ID, r.Title, r.Status)
		}
		for _, c := range r.Claims {
			where[c.ID] = append(where[c.ID], e.ID)
		}
	}
	ids := map[string]int{}
	for _, c := range claims.All() {
		if !strings.HasPrefix(c.ID, "D") && !strings.HasPrefix(c.ID, "X") {
			continue
		}
		ids[c.ID[:1]]++
		if n := len(where[c.ID]); n != 1 {
			t.Errorf("%s is judged %d times: %v", c.ID, n, where[c.ID])
		}
		delete(where, c.ID)
	}
	for id, in := range where {
		t.Errorf("%s, in %v, is no claim of these papers", id, in)
	}
	if ids["D"] != 59 || ids["X"] != 13 {
		t.Errorf("%v rows, want D01–D59 and X01–X13", ids)
	}
}

// On the real data training reaches its floors.
func TestFloorsAreReached(t *testing.T) {
	r, err := result.Read(result.Path(committed, "dasp/accuracy", "standard"))
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Tables[0].Rows
	if len(rows) != len(floors) {
		t.Errorf("%d rows, want %d networks", len(rows), len(floors))
	}
	for _, row := range rows {
		if floor, got := row[3].(float64), row[4].(float64); floor < 70 || got < floor {
			t.Errorf("%s reaches %g %%, its floor is %g %%", row[0], got, floor)
		}
	}
	if got := r.Sets(); len(got) != 2 || got[0].Name != "mnist" || got[0].Train != 60000 || got[1].Name != "cifar-10" || got[1].Train != 50000 {
		t.Errorf("trained on %+v, want the whole of MNIST and CIFAR-10", got)
	}
}

// Every experiment has a committed result of profile ci, which the CI script
// compares byte by byte, unless it has no such profile.
func TestCIResultsAreCommitted(t *testing.T) {
	for _, e := range Experiments() {
		has := false
		for _, p := range e.Profiles {
			has = has || p == "ci"
		}
		path := result.Path(committed, e.ID, "ci")
		files, err := filepath.Glob(path)
		if err != nil {
			t.Fatal(err)
		}
		if has != (len(files) == 1) {
			t.Errorf("%s: profile ci %t, committed %s", e.ID, has, fmt.Sprint(files))
		}
	}
}
