package cli

import (
	"testing"
	"time"

	"gradsync/experiments/exp"
)

// TestPaceSaysTheTimeLeft: by hand, of a plan of two experiments of 10 and 30 seconds that go at half the speed, as
// the second of three runs.
func TestPaceSaysTheTimeLeft(t *testing.T) {
	runs := []plannedRun{{Experiment: exp.Experiment{ID: "a"}, seconds: 10}, {Experiment: exp.Experiment{ID: "b"}, seconds: 30}}
	p := newPace(runs, "20,40,60")
	began := p.began
	at := func(seconds float64) { p.now = func() time.Time { return began.Add(time.Duration(seconds * 1e9)) } }
	at(0)
	if got, left := p.share(0), p.left(0); got != 20./120 || left != 100*time.Second {
		t.Errorf("at the start %g, %v", got, left)
	}
	at(4) // too early to believe a pace
	if left := p.left(2); left != 98*time.Second {
		t.Errorf("after 4 s: %v", left)
	}
	at(20)
	p.finish(10)
	if got, left := p.share(0), p.left(0); got != 30./120 || left != 180*time.Second { // 90 s at half the speed
		t.Errorf("after the first %g, %v", got, left)
	}
	at(50)
	if got, left, says := p.share(15), p.left(15), p.says(15); got != 45./120 || left != 150*time.Second || says != "about 2m30s left" {
		t.Errorf("in the second %g, %v, %s", got, left, says)
	}
	alone := newPace(runs, "")
	if got := alone.share(10); got != 0.25 {
		t.Errorf("alone %g", got)
	}
	scaled := newPace(runs, "0,20,0") // its parts are half there already
	scaled.finish(10)
	if got := scaled.share(0); got != 0.25 {
		t.Errorf("scaled %g", got)
	}
}

// TestChooseKeepsTheOrderOfItsArguments: a reproduction runs what is soon there first.
func TestChooseKeepsTheOrderOfItsArguments(t *testing.T) {
	chosen, err := choose(Experiments(), []string{"dasp/table4", "ring", "dasp"})
	if err != nil || chosen[0].ID != "dasp/table4" || chosen[1].ID != "ring/steps" {
		t.Fatalf("%v", err)
	}
	seen := map[string]bool{}
	for _, e := range chosen {
		if seen[e.ID] {
			t.Errorf("%s is chosen twice", e.ID)
		}
		seen[e.ID] = true
	}
	if !seen["dasp/table5"] {
		t.Error("dasp/table5 is not chosen")
	}
	soon, all := estimate([]string{"dasp/table4"}, nil, "quick", ""), estimate([]string{"dasp"}, nil, "quick", "")
	if soon < 1 || all < 5*soon || estimate([]string{"dasp"}, []string{"dasp/dynamic"}, "quick", "") >= all || estimate([]string{"none"}, nil, "quick", "") != 0 {
		t.Errorf("table4 takes %g s of %g s", soon, all)
	}
}
