package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gradsync/papers/codedsgd"
)

// codedByName are the checks of codedsgd.
func codedByName(all []checked) map[string]checked {
	out := map[string]checked{}
	for _, c := range all {
		if name, ok := strings.CutPrefix(c.ID, "codedsgd."); ok {
			out[name] = c
		}
	}
	return out
}

// Every step of the proof is a check of its own, and what is printed wrong is first
// wrong where a pencil finds it: two nodes have no block of one node in common; two
// copies of a segment are none on two nodes.
func TestVerifyCodedSmallestCounterExamples(t *testing.T) {
	all, err := verified()
	if err != nil {
		t.Fatal(err)
	}
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
		"like-for-like": 66, "bound": 2 * 62 * 63 / 2, "rstar": 11 * 2 * 320 * 2, "formula": 29219} {
		if got[id].Cases != cases {
			t.Errorf("%s has %d cases, want %d", id, got[id].Cases, cases)
		}
	}
	if e := got["alg3"].Equation; !strings.Contains(e, "not enumerated, with more than 10000000 combinations per node: n = 9: r = 5, 6; n = 10: r = 5, 6, 7, 8;") {
		t.Errorf("alg3 says %q", e)
	}
}

// Loads by hand from the equations; r* and the model's least r as in the design.
func TestCodedFormulas(t *testing.T) {
	for _, test := range []struct {
		args  string
		value float64
		exact string
	}{
		{"codedsgd.blocks --n 8 --r 3", 56, "56/1"},
		{"codedsgd.have --n 8 --r 3", 21, "21/1"},                                   // C(7,2)
		{"codedsgd.left --n 8 --r 3", 35, "35/1"},                                   // C(7,3)
		{"codedsgd.groups --n 8 --r 3", 70, "70/1"},                                 // C(8,4)
		{"codedsgd.packets --n 8 --r 3", 280, "280/1"},                              // 70·4
		{"codedsgd.combinations --n 8 --r 3", 1330, "1330/1"},                       // C(21,3)
		{"codedsgd.literal-packets --n 8 --r 3", 8680, "8680/1"},                    // C27
		{"codedsgd.literal-packets --n 6 --r 3", 600, "600/1"},                      // C27
		{"codedsgd.literal-repeats --n 8 --r 3", 15, "15/1"},                        // C(C(6,1),2)
		{"codedsgd.load --n 9 --r 4", 157.5, "315/2"},                               // 126·5/4
		{"codedsgd.load --n 9 --r 4 --accounting coded-unicast", 630, "630/1"},      // 126·5
		{"codedsgd.load --n 9 --r 3 --accounting replicated", 3, "3/1"},             // 9/3
		{"codedsgd.load --n 9 --r 4 --accounting ring", 16, "16/1"},                 // 2·8
		{"codedsgd.uncoded --n 9 --r 4", 630, "630/1"},                              // 5·126
		{"codedsgd.normal --n 9 --r 4", 1008, "1008/1"},                             // 8·126
		{"codedsgd.ratio --n 9 --r 4", 5. / 32, "5/32"},                             // 5/(8·4)
		{"codedsgd.like-for-like --n 9 --r 4", 1.25, "5/4"},                         // 5/4
		{"codedsgd.bound --n 10 --r 5", 0.1, "1/10"},                                // (1/5)(1/2)
		{"codedsgd.compressed --n 6 --r 3 --t 1", 4, "4/1"},                         // 6−3+1
		{"codedsgd.compressed --n 6 --r 3 --t 3", 13. / 3, "13/3"},                  // 15·4/3/6 + 1
		{"codedsgd.time --n 8 --r 3 --tcalc 2 --tcomm 21", 11, "11/1"},              // 6 + 5/21·21
		{"codedsgd.time --n 8 --r 3 --tcalc 2 --tcomm 21 --form short", 13, "13/1"}, // 6 + 7
		{"codedsgd.rstar --n 9 --tcomm 16 --tcalc 2", 3, ""},                        // √(9/8·8)
		{"codedsgd.rstar --n 9 --tcomm 18 --tcalc 2 --form short", 3, ""},           // √9
		{"codedsgd.best --n 8 --tcomm 8 --tcalc 1", 3, "3/1"},                       // the DNN
		{"codedsgd.best --n 8 --tcomm 3 --tcalc 1", 2, "2/1"},                       // the CNN
		{"codedsgd.rho --n 8 --r 3", 5.25, "21/4"},                                  // C25
		{"codedsgd.rho --n 8 --r 3 --end high", 10.5, "21/2"},                       // C25
		{"codedsgd.rho --n 8 --r 2 --form short --end high", 6, "6/1"},              // C26
		{"codedsgd.load --n 1000 --r 2", 249250500, "249250500/1"},                  // 499500·998/2
	} {
		value, exact, _ := evaluate(t, test.args)
		if value != test.value || exact != test.exact {
			t.Errorf("eval %s = %v (%s), want %v (%s)", test.args, value, exact, test.value, test.exact)
		}
	}
	for args, want := range map[string]string{
		"codedsgd.rstar --n 8 --tcomm 8 --tcalc 1":     "its square is 64/7; the best whole r is 3",
		"codedsgd.literal-packets --n 8 --r 3":         "280 of them useful, of 10640 combinations",
		"codedsgd.compressed --n 6 --r 5":              "t = 5",
		"codedsgd.load --n 4 --r 2 --accounting ssgd":  "SSGD, multicast: n",
		"codedsgd.load --n 4 --r 2":                    "CSSGD, multicast: C(n,r)(n−r)/r, (28)",
		"codedsgd.load --n 4 --r 4 --accounting coded": "CSSGD, multicast: C(n,r)(n−r)/r, (28)",
	} {
		if _, _, text := evaluate(t, args); text != want {
			t.Errorf("eval %s says %q, want %q", args, text, want)
		}
	}
}

// What cannot be computed is one line that says why.
func TestCodedFormulasRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"codedsgd.load --n 1 --r 1":                                "--n is 1, want a whole number from 2",
		"codedsgd.load --n 1001 --r 1":                             "--n is 1001, want at most 1000",
		"codedsgd.load --n 3 --r 4":                                "--r is 4, want at most --n 3",
		"codedsgd.load --n 3 --r 2 --accounting moon":              `--accounting "moon", want coded, coded-unicast`,
		"codedsgd.load --n 5 --r 2 --accounting replicated":        "not defined for n = 5, r = 2",
		"codedsgd.like-for-like --n 5 --r 5":                       "not defined for n = 5, r = 5",
		"codedsgd.compressed --n 5 --r 2 --t 3":                    "--t is 3, want at most --r 2",
		"codedsgd.literal-packets --n 9 --r 5":                     "not enumerated: 12103014 combinations on each of 9 nodes, want at most 10000000",
		"codedsgd.literal-packets --n 100 --r 1":                   "--n is 100, want at most 62",
		"codedsgd.combinations --n 62 --r 31":                      "combinations are more than a float64 holds",
		"codedsgd.combinations --n 63 --r 1":                       "--n is 63, want at most 62",
		"codedsgd.literal-repeats --n 4 --r 4":                     "for r = n = 4 nothing is sent",
		"codedsgd.time --n 8 --r 3 --tcalc -1 --tcomm 1":           "--tcalc is -1",
		"codedsgd.rstar --n 8 --tcalc 0 --tcomm 1":                 "--tcalc is 0, want more than 0",
		"codedsgd.rho --n 8 --r 8 --end high":                      "there is no high end",
		"codedsgd.best --n 8 --tcalc 1 --tcomm 1 --form quadratic": `--form "quadratic", want exact, short`,
	} {
		rc, out, msg := gradsync(strings.Fields("eval " + args)...)
		if rc != exitUsage || out != "" || !strings.Contains(msg, want) || strings.Count(msg, "\n") != 1 {
			t.Errorf("eval %s: exit code %d, %q; want %d and one line with %q", args, rc, msg, exitUsage, want)
		}
	}
}
