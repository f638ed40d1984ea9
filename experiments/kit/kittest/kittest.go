// Package kittest holds the tests that every package of experiments makes of its list: each claim
// has one verdict, same inputs give same bytes, an interruption says so, and the committed results
// are the list's.
package kittest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/shared/tensor"
)

// Paper holds what the tests are told of a package.
type Paper struct {
	List    func() []exp.Experiment
	Letters string // with which its claims' ids begin
	Rows    int    // how many it has
	Gaps    bool   // a claim may be judged as not run
	Results string // folder of the committed results
	Engine  string // "": portable
}

// Memo keeps finished parts as JSON, as the command line's memo does.
type Memo map[string][]byte

// Load fills v with the part of key.
func (m Memo) Load(key string, v any) bool {
	raw, ok := m[key]
	return ok && json.Unmarshal(raw, v) == nil
}

// Save keeps the part of key.
func (m Memo) Save(key string, v any) (err error) {
	m[key], err = json.Marshal(v)
	return err
}

// State names no file.
func (m Memo) State(string) string { return "" }

// Run runs the experiments in profile ci on one seed.
func (p Paper) Run(t *testing.T) (out []*result.Result) {
	t.Helper()
	t.Setenv("GRADSYNC_DATA", "") // the embedded images
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	memo := Memo{}
	for _, e := range p.List() {
		r, err := e.Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{3}, Engine: p.Engine, Memo: memo})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// Made returns the results of profile ci on seed 0: with GRADSYNC_LONG of a run of all
// experiments, here and now, else the committed ones. Then the tests of each room run its
// experiments, and ci-check compares all byte by byte.
func (p Paper) Made(t *testing.T) (out []*result.Result) {
	t.Helper()
	for _, e := range p.List() {
		if os.Getenv("GRADSYNC_LONG") != "" {
			out = append(out, Ran(t, e, "ci", 0))
			continue
		}
		r, err := result.Read(result.Path(p.Results, e.ID, "ci"))
		if err != nil {
			t.Fatalf("%s: %v (make ci-results)", e.ID, err)
		}
		out = append(out, r)
	}
	return out
}

// Judged tests that every claim has one verdict: in made, results of profile ci, and in the
// committed results.
func (p Paper) Judged(t *testing.T, made []*result.Result) {
	t.Run("made in ci", func(t *testing.T) { p.judged(t, made) })
	p.Committed(t, "ci", "quick", "standard")
}

// Committed tests that every experiment has a committed result of each profile that it can
// run, and that every claim has one verdict among them.
func (p Paper) Committed(t *testing.T, profiles ...string) {
	for _, profile := range profiles {
		var list []*result.Result
		for _, e := range p.List() {
			if !slices.Contains(e.Profiles, profile) {
				continue
			}
			r, err := result.Read(result.Path(p.Results, e.ID, profile))
			switch {
			case err != nil:
				t.Errorf("%s %s: %v (make publish)", e.ID, profile, err)
			case r.ID != e.ID || r.Source != e.Source || r.Profile != profile:
				t.Errorf("%s %s: committed as %q %q %q", e.ID, profile, r.ID, r.Source, r.Profile)
			default:
				list = append(list, r)
			}
		}
		t.Run("committed "+profile, func(t *testing.T) { p.judged(t, list) })
	}
}

func (p Paper) judged(t *testing.T, list []*result.Result) {
	where := map[string][]string{}
	for _, r := range list {
		if r.Status != result.Complete || len(r.Frames) == 0 {
			t.Errorf("%s is %s and has %d frames", r.ID, r.Status, len(r.Frames))
		}
		for _, c := range r.Claims {
			where[c.ID] = append(where[c.ID], r.ID)
			if !p.Gaps && (c.Verdict == claims.NotRun || c.Verdict == claims.NotStated) {
				t.Errorf("%s: %s is %s: %v", r.ID, c.ID, c.Verdict, c.Reasons)
			}
		}
	}
	rows := 0
	for _, c := range claims.All() {
		if !strings.Contains(p.Letters, c.ID[:1]) {
			continue
		}
		rows++
		if n := len(where[c.ID]); n != 1 {
			t.Errorf("%s is judged %d times: %v", c.ID, n, where[c.ID])
		}
		delete(where, c.ID)
	}
	for id, in := range where {
		t.Errorf("%s, in %v, is no claim of the document", id, in)
	}
	if rows != p.Rows {
		t.Errorf("%d claims begin with %s, want %d", rows, p.Letters, p.Rows)
	}
}

// Deterministic tests that a second run has the bytes of made, the first.
func (p Paper) Deterministic(t *testing.T, made []*result.Result) {
	for i, again := range p.Run(t) {
		a, errA := result.Encode(made[i])
		b, errB := result.Encode(again)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two runs differ: %v %v", again.ID, errA, errB)
		}
	}
}

// Interrupted tests that an experiment whose context has ended returns what it has, marked
// incomplete and fit for a file, and the context's error.
func (p Paper) Interrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range p.List() {
		r, err := e.Run(ctx, exp.Env{Profile: "ci", Seeds: []uint64{0}})
		if !errors.Is(err, context.Canceled) || r == nil || r.Status != result.Incomplete {
			t.Errorf("%s: %v, %+v", e.ID, err, r)
			continue
		}
		if _, err := result.Encode(r); err != nil {
			t.Error(err)
		}
	}
}

// Planned tests that every profile of an experiment has a length.
func (p Paper) Planned(t *testing.T) {
	for _, e := range p.List() {
		for _, profile := range e.Profiles {
			if s := e.Seconds(profile, 3); !(s > 0) || !slices.Contains(exp.Profiles, profile) {
				t.Errorf("%s: %g s in %s", e.ID, s, profile)
			}
		}
	}
}

// RunWhole runs e and returns its result, which must be complete and hold no sentence.
func RunWhole(t *testing.T, e exp.Experiment, env exp.Env) *result.Result {
	t.Helper()
	r, err := e.Run(t.Context(), env)
	if err != nil || r.Status != result.Complete {
		t.Fatalf("%s: %v", e.ID, err)
	}
	if err := result.Check(r); err != nil {
		t.Error(err)
	}
	return r
}

// RunCI runs e in profile ci for seed 0.
func RunCI(t *testing.T, e exp.Experiment) *result.Result {
	return RunWhole(t, e, exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: Engine()})
}

// Engine returns asm where the test links it and the CPU has it, else portable: what trains
// and asks for no bits takes a fifth of the time.
func Engine() string {
	if _, err := tensor.Lookup("asm"); err == nil {
		return "asm"
	}
	return "portable"
}

// Encode returns the bytes of r's file.
func Encode(t *testing.T, r *result.Result) []byte {
	t.Helper()
	raw, err := result.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Cell returns the value of a column in a row of a frame of r.
func Cell(t *testing.T, r *result.Result, frame string, row int, column string) any {
	t.Helper()
	f := r.Frame(frame)
	if f == nil || f.At(column) < 0 || row >= len(f.Rows) {
		t.Fatalf("%s: no %s in row %d of %s", r.ID, column, row, frame)
	}
	return f.Rows[row][f.At(column)]
}

// WantVerdict fails the test unless c has the verdict and, if code is not empty, a reason with that code.
func WantVerdict(t *testing.T, c result.Claim, verdict, code string) {
	t.Helper()
	found := code == "" || slices.ContainsFunc(c.Reasons, func(r result.Reason) bool { return r.Code == code })
	if c.Verdict != verdict || !found {
		t.Errorf("%s is %q because %v, want %q because of %q", c.ID, c.Verdict, c.Reasons, verdict, code)
	}
}
