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

// TestLastLines: the end of a reproduction, of two results by hand; another profile's and another document's are
// not counted, and a committed result has the published bits.
func TestLastLines(t *testing.T) {
	dir := t.TempDir()
	for id, found := range map[string][]string{
		"dasp/table4": {claims.Within, claims.Differs, claims.SameSign, "depends"}, "dasp/table5": {claims.Holds, claims.Undecided, claims.Undecided, claims.Input},
		"ring/cost": {claims.Equal},
	} {
		r := &result.Result{ID: id, Profile: "quick", Kind: result.Stated, Status: "complete", Seeds: []uint64{7}}
		for i, v := range found {
			r.Claims = append(r.Claims, result.Claim{ID: fmt.Sprint("D", 13+i), Verdict: v})
		}
		oktest.Must(result.Write(dir+"/results", r, &result.Run{}))(t)
	}
	committed, err := result.Read("../../results/dasp/table1.json")
	if err == nil {
		_, err = result.Write(dir+"/results", committed, &result.Run{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for profile, want := range map[string][]string{
		"quick": {"bits:         1 of 3 results have the published bits", "              dasp/table4: other seeds (7; published: ",
			"held:         2 hold, 1 holds in direction", "did not hold: 1 does not hold", "depends:      1 depends on what the document leaves open",
			"cannot tell:  2 cannot be told with these seeds", "no finding:   2 inputs", "look at:      out/html/dasp.html"},
		"ci": {"bits:         0 of 0 results have the published bits", "look at:      out/html/dasp.html"},
	} {
		var out bytes.Buffer
		err := summed("out", dir, profile, []string{"dasp"}).own("", &out)
		at, text := 0, out.String()
		for _, line := range want {
			i := strings.Index(text, line)
			if err != nil || i < at {
				t.Errorf("%v: %q stands at %d, after %d, in\n%s", err, line, i, at, text)
			}
			at = i
		}
		if profile == "ci" && strings.Count(text, "\n") != 2 {
			t.Errorf("of no result:\n%s", text)
		}
	}
	words := map[string]int{}
	for _, l := range lastLines {
		for _, w := range l.words {
			words[w]++
		}
	}
	for _, w := range claims.Words {
		if words[w] != 1 && w != claims.WordOwn {
			t.Errorf("%q stands in %d lines", w, words[w])
		}
	}
	var out bytes.Buffer
	if err := summed("out", dir, "quick", []string{"dasp", "ring"}).own("", &out); err != nil || !strings.Contains(out.String(), "held:         3 hold,") ||
		!strings.HasSuffix(out.String(), "look at:      out/html/index.html\n") {
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
