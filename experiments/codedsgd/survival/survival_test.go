package survival

import (
	"math"
	"slices"
	"testing"
	"time"

	"gradsync/experiments/kit"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/portable"
)

// TestLosses: of n nodes with exponential lives the k-th loss comes after Σ_{i<k} n/(n−i) times the mean time between
// losses of a whole cluster; longer times stretch the same schedule; another attempt has another one.
func TestLosses(t *testing.T) {
	p := planOf("quick")
	const seeds = 4000
	sums := make([]float64, p.Nodes)
	for seed := range uint64(seeds) {
		all := p.crashes(seed, 0, time.Second)
		for k, x := range all {
			sums[k] += x.At.Seconds()
		}
		if !slices.IsSortedFunc(all, func(a, b crash) int { return int(a.At - b.At) }) {
			t.Fatalf("seed %d: %v", seed, all)
		}
	}
	want := 0.0
	for k, sum := range sums {
		want += float64(p.Nodes) / float64(p.Nodes-k)
		if got := sum / seeds; math.Abs(got/want-1) > 0.05 {
			t.Errorf("loss %d comes after %.3g s on average, want %.3g", k+1, got, want)
		}
	}
	one, ten, again := p.crashes(7, 0, time.Second), p.crashes(7, 0, 10*time.Second), p.crashes(7, 1, time.Second)
	for k := range one {
		if one[k].Rank != ten[k].Rank || (10*one[k].At-ten[k].At).Abs() > 20 {
			t.Errorf("loss %d: %v and %v", k, one[k], ten[k])
		}
	}
	if slices.Equal(one, again) {
		t.Error("a second attempt loses the same nodes at the same times")
	}
}

// TestDaly: with w = 2 and m = 100 by hand √400·(1 + 0.1/3 + 0.01/9) − 2 = 18.6889; Young's is 20; from w = 2m on, m.
func TestDaly(t *testing.T) {
	if got := daly(2, 100); math.Abs(got-(20*(1+0.1/3+0.01/9)-2)) > 1e-12 {
		t.Errorf("Daly's interval is %g", got)
	}
	if daly(10, 5) != 5 || daly(11, 5) != 5 {
		t.Error("a checkpoint of twice the time between losses")
	}
	if k := every(2, 100, 4, 1000); k != 5 { // 18.69/4
		t.Errorf("%d updates", k)
	}
	if every(1000, 100, 400, 50) != 1 || every(1, 1e9, 1, 50) != 50 {
		t.Error("an interval is at least one update, and at most all")
	}
}

// hand returns a job of ten updates of a second each on two nodes, whose checkpoints are free, with losses when told.
func hand(t *testing.T, between time.Duration) job {
	t.Helper()
	p, whole, one := plan{Nodes: 2, Updates: 10, Cap: 100}, run{Bytes: 20 * 2}, run{Bytes: 10}
	for u := range 10 {
		whole.Ends = append(whole.Ends, time.Duration(u+1)*time.Second)
		one.Ends = append(one.Ends, time.Duration(2*u+2)*time.Second)
	}
	return job{plan: p, setting: setting{Restart: 0.1, Link: 1}, seed: 3, between: between, calm: calm{Ring: whole, Fewer: []run{whole, one}}}
}

// TestRewind walks the loop of checkpoints beside one written by seconds: what was saved is not made again.
func TestRewind(t *testing.T) {
	for _, between := range []time.Duration{2 * time.Second, 4 * time.Second, 9 * time.Second, time.Hour} {
		j := hand(t, between)
		for _, k := range []int{1, 3, 10} {
			want, saved, restarts, made := time.Duration(0), 0, 0, 0
			for attempt := 0; ; attempt++ {
				from := time.Duration(0)
				if attempt > 0 {
					from = time.Second
				}
				lost := j.crashes(3, attempt, between)[0].At
				full := int(max(lost-from, 0) / time.Second)
				if left := 10 - saved; full >= left && lost >= from {
					want, made = want+from+time.Duration(left)*time.Second, made+left
					break
				}
				made += full
				saved += full / k * k // saved is a multiple of k
				want, restarts = want+lost, restarts+1
				if want > 1000*time.Second {
					break
				}
			}
			got := j.rewind(k)
			if want > 1000*time.Second {
				if !got.Beyond || got.Took != 1000*time.Second {
					t.Errorf("between %v, every %d: %+v, want the cap", between, k, got)
				}
				continue
			}
			if got.Took != want || got.Restarts != restarts || got.Losses != restarts || math.Abs(got.Computed-float64(made)/10) > 1e-9 {
				t.Errorf("between %v, every %d: %+v, want %v after %d restarts and %d updates", between, k, got, want, restarts, made)
			}
		}
	}
	j := hand(t, time.Hour)
	j.Disk = 1
	if e := j.rewind(3); e.Took != 10*time.Second+3*j.write(j.bytes()) || e.Written != 3*j.bytes() || !e.Kept || !e.First {
		t.Errorf("three checkpoints: %+v", e)
	}
}

// TestTakeOver: the iteration of a loss is made again, on half as many nodes in twice the time.
func TestTakeOver(t *testing.T) {
	j := hand(t, 10*time.Second)
	all := j.crashes(3, 0, j.between)
	if all[0].At > 9*time.Second || all[1].At < all[0].At+20*time.Second {
		j.seed = 0
		for ; ; j.seed++ {
			if all = j.crashes(j.seed, 0, j.between); all[0].At < 9*time.Second && all[1].At > all[0].At+20*time.Second {
				break
			}
		}
	}
	made := all[0].At / time.Second
	want := all[0].At + (10-made)*2*time.Second
	if e := j.takeOver(); e.Took != want || e.Losses != 1 || e.Restarts != 0 || e.Kept || math.Abs(e.Computed-1.1) > 1e-9 {
		t.Errorf("%+v, want %v", e, want)
	}
}

// TestFirst: with updates as long whatever is lost, of two nodes in twice the mean time between losses one lives with
// 1/e each, so that none is lost with e^−2 and at most one with 2/e·(1 − 1/e) more. One update of 2 that is made again in
// time 4 by the one that is left: e^−2 + (1 − e^−2)·e^−2.
func TestFirst(t *testing.T) {
	q := 1 / math.E
	const updates = 100_000
	for fatal, want := range map[int]float64{1: q * q, 2: q*q + 2*q*(1-q), 3: 1} {
		if got := first(2, updates, slices.Repeat([]float64{2. / updates}, fatal)); math.Abs(got-want) > 1e-4 {
			t.Errorf("fewer than %d: %g, want %g", fatal, got, want)
		}
	}
	if got, want := first(2, 1, []float64{2, 4}), q*q+(1-q*q)*q*q; math.Abs(got-want) > 1e-12 {
		t.Errorf("one update: %g, want %g", got, want)
	}
}

// TestBreakEven: twice the work, a free disk: at one loss per training a restart may take the whole of it.
func TestBreakEven(t *testing.T) {
	if breakEven(2, 0, 1, 0.1) != 0.9 || breakEven(2, 0.02, 4, 0) != 4*(1-0.1) || breakEven(1, 1, 1, 0) != 0 {
		t.Error(breakEven(2, 0, 1, 0.1), breakEven(2, 0.02, 4, 0), breakEven(1, 1, 1, 0))
	}
}

// TestAnswers: one r that is sooner is a yes, all later a no.
func TestAnswers(t *testing.T) {
	for want, sides := range map[string][]string{"yes": {"above", "below", "undecided"}, "no": {"above", "above", "above"},
		"cannot": {"above", "undecided", "above"}, "alone": {"alone", "alone", "alone"}} {
		if got := answer(sides); got != want {
			t.Errorf("%v: %s, want %s", sides, got, want)
		}
	}
	for want, change := range map[string]kit.Estimate{"equal": {CI: &[2]float64{-0.9, 0.9}}, "other": {CI: &[2]float64{-3, -1.1}},
		"undecided": {CI: &[2]float64{-1.1, 0.5}}, "alone": {}} {
		if got := pathOf(change, 1); got != want {
			t.Errorf("%v: %s, want %s", change, got, want)
		}
	}
}

// TestSurvive: coded SGD at r = 2 in the virtual cluster goes on after one loss, begins anew after two, and is as long as
// the sum of its attempts.
func TestSurvive(t *testing.T) {
	oktest.Slow(t)
	p := planOf("ci")
	s, seen := p.Settings[0], map[bool]bool{}
	for seed := uint64(0); len(seen) < 2 && seed < 20; seed++ {
		c := oktest.Must(p.calm(t.Context(), s, seed))(t)
		j := job{plan: p, setting: s, seed: seed, calm: c, runs: &runs{}}
		j.between = j.share(1)
		e := oktest.Must(j.survive(t.Context(), 2))(t)
		all := j.crashes(seed, 0, j.between)
		undisturbed := c.Lacks[2][0].whole()
		if sent := j.within(all, 0)[:2]; sent[1].At <= j.soonest(2) { // survive does not run it
			if out, err := p.run(t.Context(), s, 2, p.Nodes, seed, sent); err == nil {
				t.Errorf("seed %d: without %v it ends at %v", seed, sent, out.whole())
			}
		}
		switch {
		case all[1].At < undisturbed && !e.Beyond: // two are lost before any run can end
			seen[false] = true
			if e.Restarts < 1 || e.First || e.Took < all[1].At+j.share(p.Notice+s.Restart)+undisturbed {
				t.Errorf("seed %d: %+v with losses %v", seed, e, all)
			}
		case all[0].At < undisturbed && all[1].At > 2*undisturbed:
			seen[true] = true
			if e.Restarts != 0 || e.Losses != 1 || e.Kept || !e.First || e.Took <= undisturbed {
				t.Errorf("seed %d: %+v with losses %v", seed, e, all)
			}
		}
	}
	if len(seen) < 2 {
		t.Errorf("seen %v", seen)
	}
}

// TestPlans: every profile has the base setting first, and grids that ascend.
func TestPlans(t *testing.T) {
	for _, profile := range profiles {
		p := planOf(profile)
		if p.Settings[0].Key != "base" || !slices.IsSorted(p.Between) || !slices.IsSorted(p.Every) || p.Bits.Batch%60 != 0 || len(ownSeeds(profile)) == 0 {
			t.Errorf("%s: %+v", profile, p)
		}
	}
}
