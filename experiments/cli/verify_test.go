package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/verify"
	"gradsync/internal/oktest"
)

// checkAs replaces the checks of verify for one test.
func checkAs(t *testing.T, outcomes ...verify.Outcome) {
	t.Helper()
	old := checks
	checks = func() (all []verify.Check) {
		for _, o := range outcomes {
			all = append(all, verify.Check{ID: o.ID, Equation: o.Equation, Run: func(context.Context) (verify.Outcome, error) { return o, nil }})
		}
		return all
	}
	t.Cleanup(func() { checks = old })
}

// One check that differs makes the exit code 3; a form that is printed wrong has a line of its own and is none.
func TestVerifyPrints(t *testing.T) {
	good := verify.Outcome{ID: "ring.good", Equation: "1 = 1", Cases: 12, Verdict: claims.Equal,
		Printed: &verify.PrintedForm{Form: "as printed", Cases: 3, Wrong: 2, Smallest: "n = 1"}}
	bad := verify.Outcome{ID: "dasp.bad", Equation: "1 = 2", Cases: 7, Verdict: claims.Differs, Why: "7 cases, first: 1"}
	checkAs(t, good, bad)
	const goodLines = "equal    ring.good                     12 cases  1 = 1\n         as printed it is wrong in 2 of 3 cases; the smallest: n = 1\n"
	const badLine = "differs  dasp.bad                       7 cases  1 = 2  7 cases, first: 1\n"
	for args, want := range map[string]struct {
		rc  int
		out string
	}{"": {exitDiffer, goodLines + badLine + "2 formulas, 19 cases, 1 differ\n"}, " ring": {exitOK, goodLines + "1 formula, 12 cases, 0 differ\n"},
		" dasp": {exitDiffer, badLine + "1 formula, 7 cases, 1 differ\n"}} {
		rc, out, msg := gradsync(fields("verify" + args)...)
		if rc != want.rc || out != want.out || msg != "" {
			t.Errorf("verify%s: exit code %d, %q%s; want %d, %q", args, rc, msg, out, want.rc, want.out)
		}
		rc, out, _ = gradsync(fields("verify --json" + args)...)
		var got struct{ Checks []verify.Outcome }
		if err := json.Unmarshal([]byte(out), &got); err != nil || rc != want.rc || len(got.Checks) == 0 {
			t.Errorf("verify --json%s: exit code %d, %v, %s", args, rc, err, out)
		}
	}
}

// One size is counted by itself.
func TestVerifyCountsOneSize(t *testing.T) {
	rc, out, msg := gradsync(fields("verify codedsgd --n 5 --r 3 --steps")...)
	for _, want := range []string{"equal    codedsgd.alg3 ", "as printed it is wrong in 1 of 1 cases; the smallest: n = 5, r = 3, packets: counted 20, as " +
		"printed 80",
		"left out codedsgd.alg3-alone      says nothing here", "equal    codedsgd.over-the-line "} {
		if rc != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s%s; want %q", rc, out, msg, want)
		}
	}
	rc, out, _ = gradsync(fields("verify codedsgd --n 9 --r 8 --json")...)
	var got struct {
		verify.Pair
		Counts []struct {
			Counted float64
			Verdict string
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK || got.N != 9 || len(got.Checks) == 0 || len(got.LeftOut) == 0 ||
		len(got.Counts) < 10 || got.Counts[0].Verdict != claims.Equal {
		t.Errorf("exit code %d, %v, %s", rc, err, out)
	}
}

// The table has a number counted beside each formula, and says what a multicast, a unicast link and a
// network of several layers make of it.
func TestVerifyShowsCountsBesideFormulas(t *testing.T) {
	oktest.Slow(t)
	for args, wants := range map[string][]string{
		"codedsgd --n 9 --r 4": {"packets 630 630 C(n,r+1)·(r+1)", "unicast: messages 2,520 2,520",
			"mlp, an iteration: packets 1,890 1,890 3 layers", "prints 1,890 packets, on any links: 3 layers of 630", "23 of 23 steps of the proof hold"},
		"ring --n 8 --k 1e6":                {"bytes of the busiest rank 1,750,000 1,750,000 2(N−1)K/N"},
		"ring --n 7 --k 1e6":                {"left out bytes of the busiest rank: N does not divide K/4", "1,714,285.7"},
		"ringsparse --n 4 --density 0.5":    {"density of a sum of 4", "0.9375", "dense: bytes of all ranks 480,000 480,000"},
		"ringsparse --n 2 --density 0":      {"pairs: bytes of all ranks 0 0"},
		"codedsgd --n 3 --r 3 --model cnn":  {"Every node has all blocks: nothing is sent."},
		"codedsgd --n 5 --r 1":              {"bytes of a packet"},
		"ringsparse --n 32 --density 1e-05": {"density of a sum of 32"},
	} {
		rc, out, msg := gradsync(fields("verify " + args)...)
		flat := strings.Join(fields(out), " ")
		for _, want := range wants {
			if rc != exitOK || !strings.Contains(flat, want) {
				t.Errorf("verify %s: exit code %d, %s%s; want %q", args, rc, out, msg, want)
			}
		}
	}
}

// A whole number that no float64 holds is printed as it is.
func TestEvalIsExact(t *testing.T) {
	if rc, out, _ := gradsync(fields("eval codedsgd.packets --n 60 --r 30")...); rc != exitOK || !strings.HasPrefix(out,
		"codedsgd.packets = 3547937446945842720 packets ") {
		t.Errorf("exit code %d, %s", rc, out) // C(60,31)·31, by hand 114449595062769120·31
	}
	if rc, out, _ := gradsync(fields("eval codedsgd.blocks --n 8 --r 3")...); rc != exitOK || !strings.HasPrefix(out, "codedsgd.blocks = 56 blocks ") {
		t.Errorf("exit code %d, %s", rc, out)
	}
}

// A fraction too long to read is left out; its value is not.
func TestLongFractionsAreLeftOut(t *testing.T) {
	for args, want := range map[string]bool{"--density 0.001 --k 4096": false, "--density 0.5 --k 2": true} {
		rc, out, msg := gradsync(fields("eval ringsparse.fillin --json " + args)...)
		var got evaluated
		if err := json.Unmarshal([]byte(out), &got); err != nil || rc != exitOK {
			t.Fatalf("exit code %d, %v, %s", rc, err, msg)
		}
		if (got.Exact != nil) != want || got.Value < 0.8 || got.Value > 0.99 { // 1 − 0.999^4097 = 1 − e^(−4.099); 7/8
			t.Errorf("fill-in %s: %+v", args, got)
		}
	}
}

// The training that the counts name has as many packets as they say, with more nodes than the default platform's too.
func TestVerifyNamesATraining(t *testing.T) {
	_, out, _ := gradsync(fields("verify codedsgd --n 9 --r 4")...)
	_, out, _ = strings.Cut(strings.Join(fields(out), " "), "`gradsync ")
	command, _, ok := strings.Cut(out, "` prints 1,890 packets")
	if rc, got, msg := gradsync(fields(command)...); !ok || rc != exitOK || !strings.Contains(got, "packets         1890, ") {
		t.Errorf("%s: %d %s %s", command, rc, got, msg)
	}
}
