package dev

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

// TestLastLinesCountVerdicts: the three last lines of a reproduction, of two results by hand; another profile's
// and another document's are not counted.
func TestLastLinesCountVerdicts(t *testing.T) {
	dir := t.TempDir()
	for id, found := range map[string][]string{
		"dasp/table4": {claims.Within, claims.Differs, claims.SameSign}, "dasp/table5": {claims.Holds, claims.Undecided, claims.Undecided, claims.Input},
		"ring/cost": {claims.Equal},
	} {
		r := &result.Result{ID: id, Profile: "quick", Kind: result.Stated, Status: "complete"}
		for i, v := range found {
			r.Claims = append(r.Claims, result.Claim{ID: fmt.Sprint("D", 13+i), Verdict: v})
		}
		oktest.Must(result.Write(dir+"/results", r, &result.Run{}))(t)
	}
	for profile, want := range map[string]string{
		"quick": "held:    holds 2, holds in direction 1\ndid not: does not hold 1, cannot tell 2, input 1\nlook at: out/html/dasp.html\n",
		"ci":    "held:    no claim\ndid not: no claim\nlook at: out/html/dasp.html\n",
	} {
		var out bytes.Buffer
		if err := summed("out", dir, profile, []string{"dasp"}).own("", &out); err != nil || out.String() != want {
			t.Errorf("%v: %q, want %q", err, out.String(), want)
		}
	}
	for _, w := range claims.Words {
		if inWords[w] == "" && w != claims.WordOwn {
			t.Errorf("no words for %q", w)
		}
	}
	var out bytes.Buffer
	if err := summed("out", dir, "quick", []string{"dasp", "ring"}).own("", &out); err != nil || !strings.Contains(out.String(), "held:    holds 3,") ||
		!strings.HasSuffix(out.String(), "look at: out/html/index.html\n") {
		t.Errorf("%v: %q", err, out.String())
	}
}

// TestStretches: what a run is told of its place is read as it was written, and nothing else is.
func TestStretches(t *testing.T) {
	s := program("x").within(Stretch{1, 2.5, 3})
	if !slices.Equal(s.env, []string{"GRADSYNC_STRETCH=1,2.5,3"}) || s.Command != "x" {
		t.Errorf("%+v", s)
	}
	if at, ok := ParseStretch("1,2.5,3"); !ok || at != (Stretch{1, 2.5, 3}) {
		t.Errorf("%v, %v", at, ok)
	}
	for _, bad := range []string{"", "1", "1,0,2", "-1,2,3", "a,b,c", "NaN,1,1"} {
		if _, ok := ParseStretch(bad); ok {
			t.Errorf("%q is read", bad)
		}
	}
}
