package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// verified runs all checks once, for the tests that read what they found.
var verified = sync.OnceValues(func() (all []Outcome, err error) {
	for _, c := range Checks() {
		o, err := c.Run(context.Background())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		all = append(all, o)
	}
	return all, nil
})

// All formulas hold, and no check is empty.
func TestVerify(t *testing.T) {
	oktest.Slow(t)
	got, err := verified()
	if err != nil || len(got) != len(Checks()) {
		t.Fatalf("%d of %d checks, %v", len(got), len(Checks()), err)
	}
	for _, c := range got {
		if c.Cases == 0 || c.Verdict != claims.Equal && c.Verdict != claims.Within {
			t.Errorf("%s: %s after %d cases: %s", c.ID, c.Verdict, c.Cases, c.Why)
		}
	}
}

func TestVerdictOfACheck(t *testing.T) {
	var empty, good, near, bad tally
	good.add(true, "")
	near.add(true, "")
	near.within = true
	bad.add(true, "")
	bad.add(false, "case %d", 7)
	bad.add(false, "case %d", 8)
	for _, c := range []struct {
		tally
		want string
	}{{empty, claims.Differs}, {good, claims.Equal}, {near, claims.Within}, {bad, claims.Differs}} {
		if got := c.verdict(); got != c.want {
			t.Errorf("%+v is judged %q, want %q", c.tally, got, c.want)
		}
	}
	if bad.cases != 3 || bad.failed != 2 || bad.first != "case 7" {
		t.Errorf("tally %+v, want 3 cases, 2 failed, first case 7", bad)
	}
}

// The groups are the documents', in the order of Checks, and each ID is used once.
func TestGroups(t *testing.T) {
	if got, want := strings.Join(Groups(), " "), "ring ringsparse dasp codedsgd claims"; got != want {
		t.Errorf("groups %s, want %s", got, want)
	}
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] || c.Equation == "" {
			t.Errorf("%s stands twice, or has no equation", c.ID)
		}
		seen[c.ID] = true
	}
}

// codedByName indexes the checks of codedsgd by name.
func codedByName(all []Outcome) map[string]Outcome {
	out := map[string]Outcome{}
	for _, c := range all {
		if name, ok := strings.CutPrefix(c.ID, "codedsgd."); ok {
			out[name] = c
		}
	}
	return out
}

// Every step of the proof is a check of its own, and what is printed wrong is first wrong where a pencil finds it: two
// nodes have no block of one node in common; two copies of a segment are none on two nodes.
func TestVerifyCodedSmallestCounterExamples(t *testing.T) {
	oktest.Slow(t)
	all := oktest.Must(verified())(t)
	got := codedByName(all)
	for _, s := range codedsgd.Proof() {
		if c, ok := got[codedIDs[s.Number]]; !ok || !strings.HasPrefix(c.Equation, s.Number+" ") || c.Cases < 10 {
			t.Errorf("%s is checked by %+v", s.Number, c)
		}
	}
	want := map[string]string{
		"one-nth":    "n = 3, r = 2, coded over per-block load: counted 1/4, as printed 1/3",
		"alg3":       "n = 5, r = 3, packets: counted 20, as printed 80",
		"alg3-alone": "n = 3, r = 1, packets: counted 6, as printed 3",
		"eq16":       "n = 2, r = 1, segments that a node gets of a block that it lacks: counted 1, as printed 2",
		"eq24":       "n = 2, r = 1, blocks that r+1 nodes have in common: counted 0, as printed 2",
		"eq25":       "n = 2, r = 1, blocks that a group exchanges: counted 2, as printed 0",
		"eq26":       "n = 3, r = 2, blocks in a member's packet: counted 2, as printed 1",
		"one-group":  "n = 3, r = 1, groups with all holders of a block: counted 2, as printed 1",
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		c := got[id]
		if w, printed := want[id]; printed != (c.Printed != nil) || printed && c.Printed.Smallest != w {
			t.Errorf("%s: %+v, want %q", id, c.Printed, w)
		}
	}
	// All sizes are there: 78 exchanges of up to 12 nodes, 5 ways, 4 numbers of each; sums at
	// every depth, of up to 8 and 9 nodes.
	for id, cases := range map[string]int{"exchange": 78 * 5 * 4, "compressed": 120, "sums": 165 * 2, "literal": 27 * 3, "repeats": 48 + 21*2,
		"like-for-like": 66, "over-the-line": 780,
		"line": 819 * 15, "bound": 2 * 62 * 63 / 2, "rstar": 11 * 2 * 320 * 2, "formula": 29219} {
		if got[id].Cases != cases {
			t.Errorf("%s has %d cases, want %d", id, got[id].Cases, cases)
		}
	}
	if e := got["alg3"].Equation; !strings.Contains(e, "not enumerated, with more than 10000000 combinations per node: n = 9: r = 5, 6; n = 10: r = 5, 6, 7, 8;") {
		t.Errorf("alg3 says %q", e)
	}
}

// A check of a form that is printed wrong holds if the corrected form does and the printed one fails somewhere.
func TestPrintedFormsMustFail(t *testing.T) {
	var fails, never, broken tally
	fails.add(true, "")
	fails.asPrinted(true, "case %d", 1)
	fails.asPrinted(false, "case %d", 2)
	fails.asPrinted(false, "case %d", 3)
	never.add(true, "")
	never.asPrinted(true, "")
	broken.add(false, "the corrected form")
	broken.asPrinted(false, "")
	for _, c := range []struct {
		tally
		want string
	}{{fails, claims.Equal}, {never, claims.Differs}, {broken, claims.Differs}} {
		if got := c.verdict(); got != c.want {
			t.Errorf("%+v is judged %q, want %q", c.tally, got, c.want)
		}
	}
	if p := *fails.printed; p != (PrintedForm{"as printed", 3, 2, "case 2"}) {
		t.Errorf("counted %+v", p)
	}
}

// Found by hand: a gradient of 1 goes the wrong way.
func TestSmallestCounterExamples(t *testing.T) {
	oktest.Slow(t)
	got := oktest.Must(verified())(t)
	want := map[string][2]string{
		"ringsparse.pw": {"as printed", "k = 1, W0 = 0, η = 1, Pg′ = 1, Pg″ = 0: Pw = 1, the weights sum to -1"},
		"ringsparse.pg": {"with the printed sign", "k = 1, W0 = 0, η = 1, Pw′ = -1, Pw″ = 0: Pg = -1, the gradients sum to 1"},
	}
	for _, c := range got {
		w, expected := want[c.ID]
		if !strings.HasPrefix(c.ID, "ringsparse.") {
			continue
		}
		if expected != (c.Printed != nil) || expected && (c.Printed.Form != w[0] || c.Printed.Smallest != w[1] || c.Printed.Wrong >= c.Printed.Cases) {
			t.Errorf("%s: %+v, want %q", c.ID, c.Printed, w)
		}
		delete(want, c.ID)
	}
	if len(want) > 0 {
		t.Errorf("no checks %v", want)
	}
}
