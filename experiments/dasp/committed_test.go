package dasp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
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
		raw, err := os.ReadFile(result.Path(committed, e.ID, profile))
		if err != nil {
			t.Fatalf("%s has no committed result: %v (make publish)", e.ID, err)
		}
		var r struct { // of either version of the format
			ID, Status string
			Claims     []struct{ ID string }
		}
		if err := json.Unmarshal(raw, &r); err != nil || r.Status != result.Complete || r.ID != e.ID {
			t.Errorf("%s: committed as %q, status %s, %v", e.ID, r.ID, r.Status, err)
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
