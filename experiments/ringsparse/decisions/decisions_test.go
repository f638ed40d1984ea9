package decisions

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/internal/oktest"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// The ci profile is complete, judges its claims, and is the same bytes again; interrupted,
// it goes on from what it kept.
func TestDecisions(t *testing.T) {
	oktest.Slow(t)
	memo := kittest.Memo{}
	env := exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: kittest.Engine(), Memo: memo}
	res := kittest.RunWhole(t, Experiment(), env)
	if len(res.Claims) != 2 || len(res.Data) == 0 { // one set embedded, two on a disk that has both
		t.Fatalf("%d claims, data %v", len(res.Claims), res.Data)
	}
	for _, c := range res.Claims {
		if c.Verdict != claims.Equal {
			t.Errorf("%s: %s, %v", c.ID, c.Verdict, c.Reasons)
		}
	}
	first := kittest.Encode(t, res)
	if !bytes.Equal(first, kittest.Encode(t, kittest.RunWhole(t, Experiment(), exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: kittest.Engine()}))) ||
		!bytes.Equal(first, kittest.Encode(t, kittest.RunWhole(t, Experiment(), env))) {
		t.Error("a second run, without memo or with it, has other bytes")
	}
	env.Seeds = []uint64{0, 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is in the memo needs no time
	if r, err := Experiment().Run(ctx, env); err == nil || r.Status != result.Incomplete || len(r.Seeds) != 1 || len(r.Frames) == 0 {
		t.Errorf("interrupted: %v, %s with seeds %v", err, r.Status, r.Seeds)
	}
}

// decide1 runs a case of plan for one seed with both tie rules on the first number of ranks.
func decide1(t *testing.T, plan decisionPlan, key string, seed uint64) (out []decided) {
	t.Helper()
	env := exp.Env{Profile: "ci", Engine: kittest.Engine()}
	for _, tie := range plan.Ties {
		src := oktest.Must(plan.find(key).open(env, seed))(t)
		d := oktest.Must(decide(t.Context(), env, plan, src, point{Case: key, Ranks: plan.Ranks[0], Tie: tie}, seed))(t)
		out = append(out, d)
	}
	return out
}

// What the four kinds of model are there for shows in real training: gradients of the embedding are row-sparse, the
// dense control's are dense, and weights are the sparser kind where a mask is on the weights alone, and nowhere else.
func TestDecisionsShowTheirCases(t *testing.T) {
	oktest.Slow(t)
	plan := planDecisions("ci")
	for _, c := range plan.Cases {
		d := decide1(t, plan, c.Key, 1)[0]
		s := d.sum(0, everything)
		first := d.sum(0, func(_, hop int) bool { return hop == 0 })
		if s.Bytes != d.Totals.Sent.Bytes || s.DenseBytes != d.Totals.Sent.DenseBytes {
			t.Errorf("%s: choices make %d of %d bytes, the messages %d of %d", c.Key, s.Bytes, s.DenseBytes, d.Totals.Sent.Bytes, d.Totals.Sent.DenseBytes)
		}
		if d.Replay != 0 || d.Broken != 0 {
			t.Errorf("%s: %d choices cannot be made again, %d break the rule", c.Key, d.Replay, d.Broken)
		}
		if pruned := c.Key == "pruned"; d.Seen.WeightsAlone > 0 != pruned || s.sparserWeights() > 0 != pruned {
			t.Errorf("%s: %d zeros of W′ alone, weights sparser in %d choices", c.Key, d.Seen.WeightsAlone, s.sparserWeights())
		}
		switch x := first.gradientDensity(); {
		case c.Key == "embedding" && x > 10, c.Key == "resnet18" && x < 90:
			t.Errorf("%s: density %g %%", c.Key, x)
		}
	}
}

// A tie goes where it is told to, and both trainings stay together: they differ by rounding alone.
func TestTiesChangeKindsAndRoundingAlone(t *testing.T) {
	runs := decide1(t, planDecisions("ci"), "embedding", 0)
	w, g := runs[0].sum(0, everything), runs[1].sum(0, everything)
	if w.Ties == 0 || w.TieWeights != w.Ties || g.TieWeights != 0 || g.Weights != 0 {
		t.Errorf("ties to weights: %d of %d; to gradients: %d", w.TieWeights, w.Ties, g.TieWeights)
	}
	if math.Abs(w.ratio()-g.ratio()) > 1e-3 {
		t.Errorf("bytes over dense %g and %g", w.ratio(), g.ratio())
	}
}

// found returns what frames are made of, of runs on two ranks by tie rule.
func found(runs map[string]decided) chosen {
	return chosen{plan: decisionPlan{Cases: []modelCase{{Key: "k"}}, Ranks: []int{2}, Ties: []string{"weights", "gradients"}}, most: 2,
		at: func(r point) []decided { return []decided{runs[r.Tie]} }}
}

// By hand: of 100 bytes 25 were weights; the rules turn 2 blocks each on 2 ranks and
// 1 step, all of them and half of them to gradients.
func TestWeightBytesAndConversions(t *testing.T) {
	turned := func(toWeights, toGradients int64) decided {
		d := decided{Ranks: 2, Steps: 1}
		d.Totals.Kinds[ringsparse.Weights].Bytes, d.Totals.Sent.Bytes = 25, 100
		d.Totals.ToWeights, d.Totals.ToGradients = toWeights, toGradients
		return d
	}
	f := found(map[string]decided{"weights": turned(0, 4), "gradients": turned(2, 2)})
	if got := f.carried(point{Tie: "weights"}); got != 25 {
		t.Errorf("%g %% of the bytes", got)
	}
	alike := func() []any {
		r := result.Result{Frames: []result.Frame{f.rules()}, Facts: f.facts()}
		rules := r.Frame("rules")
		return []any{rules.Rows[0][rules.At("converted_alike")], r.Fact("made_gradients.weights").Value, r.Fact("made_gradients.gradients").Value}
	}
	if got := fmt.Sprint(alike()); got != "[true 100 50]" {
		t.Error(got)
	}
	f = found(map[string]decided{"weights": turned(0, 4), "gradients": turned(4, 2)})
	if got := fmt.Sprint(alike()...); !strings.HasPrefix(got, "false") {
		t.Error(got)
	}
}

func TestBrokenRules(t *testing.T) {
	c := func(w, g float64, k ringsparse.Kind, tie bool) ringsparse.Choice {
		return ringsparse.Choice{WeightDensity: w, GradientDensity: g, Kind: k, Tie: tie, Layer: 3}
	}
	good := []ringsparse.Choice{c(1, 0.5, ringsparse.Gradients, false), c(0.1, 0.5, ringsparse.Weights, false), c(1, 1, ringsparse.Weights, true)}
	if n, first := brokenRules(good, "weights"); n != 0 || first != nil {
		t.Errorf("%d of three right choices are broken: %v", n, first)
	}
	for _, bad := range []ringsparse.Choice{c(1, 0.5, ringsparse.Weights, false), c(0.1, 0.5, ringsparse.Gradients, false),
		c(1, 1, ringsparse.Gradients, true), c(1, 1, ringsparse.Weights, false), c(1, 0.5, ringsparse.Gradients, true)} {
		if n, first := brokenRules(append(good, bad), "weights"); n != 1 || first == nil || *first != bad {
			t.Errorf("%+v: %d broken, %v", bad, n, first)
		}
	}
	if n, _ := brokenRules([]ringsparse.Choice{c(1, 1, ringsparse.Gradients, true)}, "gradients"); n != 0 {
		t.Error("a tie to gradients counts as broken")
	}
}

// countedRun returns a run of 3 ranks, 2 steps and 1 layer with the right numbers of messages.
func countedRun() decided {
	d := decided{Ranks: 3, Steps: 2, Layers: make([]cluster.Layer, 1), Shares: [][][2]choiceSum{{{choiceSum{Choices: 4, Ties: 1}}}}}
	d.Totals.Hops = []ringsparse.Tally{{Blocks: 6}, {Blocks: 6}}
	d.Totals.Gather.Blocks, d.Totals.Sent.Blocks = 12, 24
	return d
}

func TestWrongCounts(t *testing.T) {
	if phase, _, _ := countedRun().wrongCounts(); phase != "" {
		t.Error(phase)
	}
	for name, spoil := range map[string]func(d *decided){
		"exchanges":      func(d *decided) { d.Totals.Hops = append(d.Totals.Hops, ringsparse.Tally{Blocks: 6}) },
		"reduce-scatter": func(d *decided) { d.Totals.Hops[0].Blocks++ },
		"all-gather":     func(d *decided) { d.Totals.Gather.Blocks-- },
		"all":            func(d *decided) { d.Totals.Sent.Blocks++ },
	} {
		d := countedRun()
		spoil(&d)
		if phase, _, _ := d.wrongCounts(); phase != name {
			t.Errorf("%s: %q is wrong", name, phase)
		}
		if c := found(map[string]decided{"weights": d, "gradients": d}).count(); c.Verdict != claims.Differs {
			t.Errorf("%s: P08 %s", name, c.Verdict)
		}
	}
}

func TestJudgeDecisions(t *testing.T) {
	good := countedRun()
	f := found(map[string]decided{"weights": good, "gradients": good})
	if r, c := f.rule(), f.count(); r.Verdict != claims.Equal || c.Verdict != claims.Equal {
		t.Errorf("P05 %s, P08 %s", r.Verdict, c.Verdict)
	}
	broken := countedRun()
	broken.Broken, broken.First = 1, &ringsparse.Choice{Layer: 3}
	r := found(map[string]decided{"weights": good, "gradients": broken}).rule()
	if last := r.Reasons[len(r.Reasons)-1]; r.Verdict != claims.Differs || last.Code != "P05-first" || last.Args["layer"] != 3 {
		t.Errorf("P05 with a broken choice: %s, %v", r.Verdict, r.Reasons)
	}
	never := countedRun()
	never.Shares[0][0][0].Ties = 0
	if r := found(map[string]decided{"weights": never, "gradients": never}).rule(); r.Verdict != claims.Differs {
		t.Errorf("P05 without any tie: %s", r.Verdict)
	}
}

// By hand, N = 3: a block of 10 entries, half of them zero, sent once as a bitmap of
// 2 + 20 bytes, and the owner's sent twice as it is.
func TestShare(t *testing.T) {
	var s choiceSum
	s.add(ringsparse.Choice{Kind: ringsparse.Gradients, WeightDensity: 1, GradientDensity: 0.5, DenseBytes: 40}, 1, 22, 3)
	s.add(ringsparse.Choice{Kind: ringsparse.Weights, Tie: true, WeightDensity: 1, GradientDensity: 1, DenseBytes: 40, Gather: true}, 0, 40, 3)
	if s.Bytes != 22+80 || s.DenseBytes != 40+80 || s.TieWeights != 1 || s.sparserWeights() != 0 || s.gradients() != 1 || s.compressed() != 1 {
		t.Errorf("%+v", s)
	}
	if s.gradientDensity() != 75 || s.of(s.Codecs[0]) != 50 || s.of(s.Codecs[1]) != 50 {
		t.Errorf("density %g, %v", s.gradientDensity(), s.Codecs)
	}
}

// Packing at 2 GB/s each way is worth it at 1 Gb/s and half the zeros, not at 10 Gb/s;
// below one in 32 the list of positions is shorter, though slower.
func TestAgain(t *testing.T) {
	c := coders(setup.Platform())
	half := ringsparse.Choice{Kind: ringsparse.Gradients, WeightDensity: 1, GradientDensity: 0.5, DenseBytes: 4000}
	if id, bytes := again(half, c, setup.Gigabit); id != 1 || bytes != 125+2000 {
		t.Errorf("half at 1 Gb/s: codec %d, %d bytes", id, bytes)
	}
	if id, bytes := again(half, c, 10*setup.Gigabit); id != 0 || bytes != 4000 {
		t.Errorf("half at 10 Gb/s: codec %d, %d bytes", id, bytes)
	}
	few := half
	few.GradientDensity = 0.001
	if id, bytes := again(few, c, setup.Gigabit/100); id != 2 || bytes != 8 {
		t.Errorf("one in a thousand at 10 Mb/s: codec %d, %d bytes", id, bytes)
	}
}

// By hand: −0 and denormals are no zeros.
func TestCountZeros(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	got := countZeros([]float32{0, 0, 1, minus, 0}, []float32{0, 2, 0, 0, 1e-45})
	if want := (zeros{Entries: 5, Weights: 3, Gradients: 3, WeightsAlone: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A gradient smaller than its weight's last bit is lost where ties go to weights: one
// step from the same start has fewer ties there, though the gradients are the same.
func TestTiesToWeightsLoseGradients(t *testing.T) {
	oktest.Slow(t)
	plan := planDecisions("quick")
	plan.Steps, plan.Ranks = 1, []int{8}
	runs := decide1(t, plan, "mlp-normalised", 0)
	at := func(d decided, hop int) choiceSum { return d.sum(0, func(_, h int) bool { return h == hop }) }
	if a, b := at(runs[0], 0), at(runs[1], 0); a.Ties != b.Ties || a.gradientDensity() != b.gradientDensity() {
		t.Fatalf("the local gradients differ: %d and %d ties", a.Ties, b.Ties)
	}
	if a, b := at(runs[0], 7), at(runs[1], 7); a.Ties >= b.Ties || a.gradientDensity() >= b.gradientDensity() {
		t.Errorf("%d and %d ties, density %g and %g", a.Ties, b.Ties, a.gradientDensity(), b.gradientDensity())
	}
	fewer := func(w, g decided) any {
		rules := found(map[string]decided{"weights": w, "gradients": g}).rules()
		return rules.Rows[0][rules.At("fewer_ties")]
	}
	if fewer(runs[0], runs[1]) != true || fewer(runs[1], runs[1]) != false {
		t.Error("fewer ties are not told from as many")
	}
}

// Elsewhere is every case but AloneOf: by hand, 60 bytes by the patent's rules against 80 of gradients
// alone save a quarter; where the run that gives ties to gradients chose weights, nothing is known.
func TestElsewhere(t *testing.T) {
	run := func(bytes int64, weights, ties int) decided {
		return decided{Ranks: 2, Steps: 1, Shares: [][][2]choiceSum{{{choiceSum{Choices: 9, Weights: weights, TieWeights: ties, Bytes: bytes, DenseBytes: 100}}}}}
	}
	of := func(gradients decided, aloneOf string) (int, float64) {
		f := found(map[string]decided{"weights": run(60, 5, 3), "gradients": gradients})
		f.plan.AloneOf = aloneOf
		return f.elsewhere()
	}
	if sparser, saved := of(run(80, 0, 0), "other"); sparser != 2 || math.Abs(saved-25) > 1e-9 {
		t.Errorf("%d choices, %g %% saved, want 2 and 25", sparser, saved)
	}
	if sparser, saved := of(run(80, 1, 0), "other"); sparser != 3 || !math.IsNaN(saved) {
		t.Errorf("weights among ties to gradients: %d choices, %g %%, want 3 and nothing known", sparser, saved)
	}
	if sparser, _ := of(run(80, 0, 0), "k"); sparser != 0 {
		t.Errorf("the case itself counts: %d", sparser)
	}
}
