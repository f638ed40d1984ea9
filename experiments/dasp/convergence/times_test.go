package convergence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// curve returns a run whose accuracy is at[i] after 30·(i+1) gradients of a number of seconds each.
func curve(each float64, at ...float64) (c setup.Summary) {
	c.Iteration.PerWorker = 6 * each
	for i, a := range at {
		n := 30 * (i + 1)
		c.Curve = append(c.Curve, train.Point{Pushes: int64(n), Seconds: each * float64(n), Accuracy: a})
	}
	return c
}

// viewOf holds runs of ResNet-18 in profile quick, whose targets are 54, 58, 62, 66 and 70 %.
func viewOf(dasp, rival []setup.Summary) (*view, point) {
	p := point{setup.Heterogeneous, "resnet18", "dasp"}
	var seeds []uint64
	for i := range dasp {
		seeds = append(seeds, uint64(i))
	}
	return kit.NewView(&result.Result{Profile: "quick", Seeds: seeds}, map[point][]setup.Summary{p: dasp, p.as("ssp"): rival}), p
}

// By hand: from 46 % after 30 gradients to 70 % after 60 the five targets are a third, a half, two
// thirds, five sixths and all of the way.
func TestTimesByHand(t *testing.T) {
	v, p := viewOf([]setup.Summary{curve(2, 0.46, 0.7, 0.5)}, []setup.Summary{curve(3, 0.55, 0.6, 0.65)})
	want := math.Pow(80*90*100*110*120, 0.2)
	for name, got := range map[string]float64{
		"seconds": primary(v, p)[0].At, "gradients": 2 * over(v, p, pushes)[0].At,
		"product": 6 * over(v, p, product)[0].At / 6, "iterations": 12 * over(v, p, iterations)[0].At,
	} {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	if x := once(v, p)[0]; x.Beyond || math.Abs(x.At-120) > 1e-9 {
		t.Errorf("70 %% alone: %+v, want 120", x)
	}
	// SSP has 54 % at its first evaluation (90 s), 58 % at 144 s, 62 % at 216 s, and never 66 and 70 % within 270 s.
	ssp := p.as("ssp")
	bound := math.Pow(90*144*216*270*270, 0.2)
	if x := primary(v, ssp)[0]; !x.Beyond || math.Abs(x.At-bound) > 1e-9 || missed(v, ssp) != 1 || first(v, ssp) != 1 || first(v, p) != 0 {
		t.Errorf("bounded: %+v, want beyond %g; %d missed, %d at the first evaluation", x, bound, missed(v, ssp), first(v, ssp))
	}
	if secondsTo(v, ssp) != nil || daspBeside(v, ssp, primary) != "undecided" {
		t.Errorf("a bound passed for a time, or one pair decided: %s", daspBeside(v, ssp, primary))
	}
}

// A run that misses a target makes the sign test the judge: six pairs of one order decide, whatever
// their size, and the claim says what was missed.
func TestMissesAreJudgedBySign(t *testing.T) {
	for _, c := range []struct {
		seeds      int
		late       bool // DASP is the one that misses
		want, sign string
	}{{5, false, "undecided", "undecided"}, {6, false, "sooner", "above"}, {6, true, "later", "below"}} {
		var quickly, never []setup.Summary
		for i := range c.seeds {
			quickly = append(quickly, curve(1+0.01*float64(i), 0.5, 0.72))
			never = append(never, curve(1.1, 0.5, 0.52, 0.6))
		}
		v, p := viewOf(quickly, never)
		if c.late {
			v, p = viewOf(never, quickly)
		}
		f := censored(v, primary(v, p), primary(v, p.as("ssp")), "ssp")
		if got := daspBeside(v, p.as("ssp"), primary); got != c.want || f.Signs[0] != c.sign || f.CI95[0] != nil || f.Seeds != c.seeds {
			t.Errorf("%d seeds, DASP misses %v: %s, sign %s, interval %v; want %s, %s", c.seeds, c.late, got, f.Signs, f.CI95[0], c.want, c.sign)
		}
		args := f.Notes[0].Args
		misses := [2]any{args["missed"], args["rival"]}
		if want := map[bool][2]any{false: {0, c.seeds}, true: {c.seeds, 0}}[c.late]; f.Notes[0].Code != "bounded-pairs" || misses != want {
			t.Errorf("misses %v, want %v", misses, want)
		}
	}
}

// Every verdict's numbers stand in the result seed by seed.
func TestSeedsFrame(t *testing.T) {
	v, p := viewOf([]setup.Summary{curve(2, 0.46, 0.7)}, []setup.Summary{curve(3, 0.55, 0.6)})
	f := seedsFrame(v, []point{p, p.as("ssp")}, "method")
	if len(f.Rows) != 2 || f.Rows[0][f.At("bounded")] != false || f.Rows[1][f.At("bounded")] != true || fmt.Sprint(f.Rows[0][f.At("once")]) != "120" {
		t.Errorf("rows %v", f.Rows)
	}
}

// The estimator recovers a known effect, its interval holds it about 95 times in 100, and it is
// narrower than that of one crossing: in 1,500 simulated comparisons of ten pairs. Curves rise as
// 85·(1 − e^(−g/τ)) % over gradients g, with τ of a seed's own and noise at every evaluation; DASP takes
// 0.8 of the rival's time for a gradient and 1.15 times as many, which is a ratio of 0.92 at every target.
func TestEstimatorRecoversAKnownEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 4))
	const rounds, pairs, truth = 1500, 10, 0.8 * 1.15
	run := func(each, tau float64) setup.Summary {
		var at []float64
		for g := 30.0; g <= 360; g += 30 {
			at = append(at, 0.85*(1-math.Exp(-g/tau))+0.02*rng.NormFloat64())
		}
		return curve(each, at...)
	}
	held, bounded := 0, 0
	var logs, once1, widths, widths1 []float64
	for range rounds {
		var dasp, rival []setup.Summary
		for range pairs {
			own := math.Exp(0.1 * rng.NormFloat64()) // the seed's initial parameters and data
			dasp = append(dasp, run(0.8*math.Exp(0.03*rng.NormFloat64()), 115*own*math.Exp(0.05*rng.NormFloat64())))
			rival = append(rival, run(1, 100*own*math.Exp(0.05*rng.NormFloat64())))
		}
		v, p := viewOf(dasp, rival)
		e, one := primary(v, p).Over(primary(v, p.as("ssp"))), once(v, p).Over(once(v, p.as("ssp")))
		if e.CI == nil || one.CI == nil {
			bounded++
			continue
		}
		if e.CI[0] <= truth && truth <= e.CI[1] {
			held++
		}
		logs, widths = append(logs, math.Log(e.Value/truth)), append(widths, math.Log(e.CI[1]/e.CI[0]))
		once1, widths1 = append(once1, math.Log(one.Value/truth)), append(widths1, math.Log(one.CI[1]/one.CI[0]))
	}
	n := float64(len(logs))
	mean := func(x []float64) float64 { return kit.Sample(x).Mean().Value }
	coverage := float64(held) / n
	t.Logf("of %d comparisons %d bounded; bias %.4f (one crossing %.4f), coverage %.3f, width %.3f (one crossing %.3f)",
		rounds, bounded, mean(logs), mean(once1), coverage, mean(widths), mean(widths1))
	if math.Abs(mean(logs)) > 0.01 || coverage < 0.935 || coverage > 0.965 || mean(widths) > mean(widths1) || bounded > rounds/50 {
		t.Errorf("bias %.4f, coverage %.3f, width %.3f of %.3f, %d bounded", mean(logs), coverage, mean(widths), mean(widths1), bounded)
	}
}
