package ringsparse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/portable"
)

// The ci profile is complete, judges its claims, and is the same bytes again.
func TestDecisions(t *testing.T) {
	run := func() (*result.Result, []byte) {
		res := runProfile(t, decisions(), "ci", 0)
		raw, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		return res, raw
	}
	res, raw := run()
	if res.Status != complete || len(res.Claims) != 2 || res.Data == nil {
		t.Fatalf("status %s, %d claims, data %v", res.Status, len(res.Claims), res.Data)
	}
	for _, c := range res.Claims {
		if c.Verdict != claims.Equal {
			t.Errorf("%s: %s, %s", c.ID, c.Verdict, c.Why)
		}
	}
	if _, again := run(); !bytes.Equal(raw, again) {
		t.Error("a second run has other bytes")
	}
}

// What the four kinds of model are there for shows in real training: gradients of the
// embedding are row-sparse, the dense control's are dense, and weights are the sparser
// kind where a mask is on the weights alone, and nowhere else.
func TestDecisionsShowTheirCases(t *testing.T) {
	plan := planDecisions("ci")
	sparser := map[string]int{}
	for _, c := range plan.Cases {
		env := exp.Env{Profile: "ci"}
		runs, err := decideCase(t.Context(), env, plan, c, 1, &result.Result{}, &exp.Bar{Env: env})
		if err != nil {
			t.Fatal(err)
		}
		d := runs[0]
		s := d.sum(0, everything)
		sparser[c.Key] = s.sparserWeights()
		first := d.sum(0, func(_, hop int) bool { return hop == 0 })
		if s.Bytes != d.Totals.Sent.Bytes || s.DenseBytes != d.Totals.Sent.DenseBytes {
			t.Errorf("%s: choices make %d of %d bytes, the messages %d of %d", c.Key, s.Bytes, s.DenseBytes, d.Totals.Sent.Bytes, d.Totals.Sent.DenseBytes)
		}
		if d.Replay != 0 || d.Broken != 0 {
			t.Errorf("%s: %d choices cannot be made again, %d break the rule", c.Key, d.Replay, d.Broken)
		}
		if alone := d.Seen.WeightsAlone > 0; alone != (c.Key == "pruned") {
			t.Errorf("%s: %d zeros of W′ alone", c.Key, d.Seen.WeightsAlone)
		}
		switch c.Key {
		case "embedding":
			if x := first.gradientDensity(); x > 10 {
				t.Errorf("embedding: density %g %%", x)
			}
		case "resnet18":
			if x := first.gradientDensity(); x < 90 {
				t.Errorf("resnet18: density %g %%", x)
			}
		}
	}
	for key, n := range sparser {
		if (n > 0) != (key == "pruned") {
			t.Errorf("%s: weights are sparser in %d choices", key, n)
		}
	}
}

// A tie goes where it is told to, and both trainings stay together: they differ by
// rounding alone.
func TestTiesChangeKindsAndRoundingAlone(t *testing.T) {
	plan := planDecisions("ci")
	env := exp.Env{Profile: "ci"}
	runs, err := decideCase(t.Context(), env, plan, plan.Cases[2], 0, &result.Result{}, &exp.Bar{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	w, g := runs[0].sum(0, everything), runs[1].sum(0, everything)
	if w.Ties == 0 || w.TieWeights != w.Ties || g.TieWeights != 0 || g.Weights != 0 {
		t.Errorf("ties to weights: %d of %d; to gradients: %d", w.TieWeights, w.Ties, g.TieWeights)
	}
	if math.Abs(w.ratio()-g.ratio()) > 1e-3 {
		t.Errorf("bytes over dense %g and %g", w.ratio(), g.ratio())
	}
}

// Rows of both tie rules become one where they agree in all else, and only there.
func TestAppendTie(t *testing.T) {
	var rows [][]any
	for _, row := range [][]any{{"a", "weights", 1.5, "x"}, {"a", "gradients", 1.5, "x"}, {"b", "weights", 1.5, "x"}, {"b", "gradients", 1.6, "x"}, {"c", "gradients", 1.6, "x"}} {
		rows = appendTie(rows, 1, row)
	}
	if got, want := fmt.Sprint(rows), "[[a either 1.5 x] [b weights 1.5 x] [b gradients 1.6 x] [c gradients 1.6 x]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// By hand: of 100 bytes 25 were weights; the rules turn 2 blocks each on 2 ranks and
// 1 step, all of them and half of them to gradients.
func TestWeightBytesAndConversions(t *testing.T) {
	run := func(tie string, toWeights, toGradients int64) decided {
		d := decided{Case: decisionCase{Key: "k", Title: "K"}, Ranks: 2, Steps: 1, Tie: tie}
		d.Totals.Kinds[ringsparse.Weights].Bytes, d.Totals.Sent.Bytes = 25, 100
		d.Totals.ToWeights, d.Totals.ToGradients = toWeights, toGradients
		return d
	}
	f := findings{plan: decisionPlan{Cases: []decisionCase{{Key: "k", Title: "K"}}, Ranks: []int{2}, Ties: []string{"weights", "gradients"}},
		runs: []decided{run("weights", 0, 4), run("gradients", 2, 2)}}
	if got := f.weightBytes("k", 2, "weights"); got != 25 {
		t.Errorf("%g %% of the bytes", got)
	}
	if text := f.tieConversions(); !strings.Contains(text, "as many blocks") || !strings.Contains(text, "100 % and 50 %") {
		t.Error(text)
	}
	f.runs[1].Totals.ToWeights = 4
	if text := f.tieConversions(); !strings.Contains(text, "K, N = 2, 2.0 and 3.0") || strings.Contains(text, "as many") {
		t.Error(text)
	}
}

func TestBrokenRules(t *testing.T) {
	c := func(w, g float64, k ringsparse.Kind, tie bool) ringsparse.Choice {
		return ringsparse.Choice{WeightDensity: w, GradientDensity: g, Kind: k, Tie: tie, Layer: 3}
	}
	good := []ringsparse.Choice{c(1, 0.5, ringsparse.Gradients, false), c(0.1, 0.5, ringsparse.Weights, false), c(1, 1, ringsparse.Weights, true)}
	if n, first := brokenRules(good, "weights"); n != 0 || first != "" {
		t.Errorf("%d of three right choices are broken: %s", n, first)
	}
	for _, bad := range []ringsparse.Choice{c(1, 0.5, ringsparse.Weights, false), c(0.1, 0.5, ringsparse.Gradients, false),
		c(1, 1, ringsparse.Gradients, true), c(1, 1, ringsparse.Weights, false), c(1, 0.5, ringsparse.Gradients, true)} {
		n, first := brokenRules(append(good, bad), "weights")
		if n != 1 || !strings.Contains(first, "layer 3") {
			t.Errorf("%+v: %d broken, %q", bad, n, first)
		}
	}
	if n, _ := brokenRules([]ringsparse.Choice{c(1, 1, ringsparse.Gradients, true)}, "gradients"); n != 0 {
		t.Error("a tie to gradients counts as broken")
	}
}

// runOf is a run of 3 ranks, 2 steps and 1 layer with the right numbers of messages.
func runOf() decided {
	d := decided{Ranks: 3, Steps: 2, Layers: make([]cluster.Layer, 1), Shares: [][][2]share{{{share{Choices: 4, Ties: 1}}}}}
	d.Totals.Hops = []ringsparse.Tally{{Blocks: 6}, {Blocks: 6}}
	d.Totals.Gather.Blocks, d.Totals.Sent.Blocks = 12, 24
	return d
}

func TestWrongCounts(t *testing.T) {
	if wrong := wrongCounts(runOf()); wrong != "" {
		t.Error(wrong)
	}
	for name, spoil := range map[string]func(d *decided){
		"one exchange more": func(d *decided) { d.Totals.Hops = append(d.Totals.Hops, ringsparse.Tally{Blocks: 6}) },
		"a block resent":    func(d *decided) { d.Totals.Hops[0].Blocks++ },
		"gather short":      func(d *decided) { d.Totals.Gather.Blocks-- },
		"sent":              func(d *decided) { d.Totals.Sent.Blocks++ },
	} {
		d := runOf()
		spoil(&d)
		if wrongCounts(d) == "" {
			t.Errorf("%s: nothing is wrong", name)
		}
		f := findings{runs: []decided{d}}
		if c := f.judgeCount(); c.Verdict != claims.Differs {
			t.Errorf("%s: P08 %s", name, c.Verdict)
		}
	}
}

func TestJudgeDecisions(t *testing.T) {
	f := findings{runs: []decided{runOf()}}
	if r, c := f.judgeRule(), f.judgeCount(); r.Verdict != claims.Equal || c.Verdict != claims.Equal {
		t.Errorf("P05 %s, P08 %s", r.Verdict, c.Verdict)
	}
	broken := runOf()
	broken.Broken, broken.First = 1, "here"
	f.runs = append(f.runs, broken)
	if r := f.judgeRule(); r.Verdict != claims.Differs || !strings.Contains(r.Why, "here") {
		t.Errorf("P05 with a broken choice: %s, %s", r.Verdict, r.Why)
	}
	never := runOf()
	never.Shares[0][0][0].Ties = 0
	if r := (findings{runs: []decided{never}}).judgeRule(); r.Verdict != claims.Differs {
		t.Errorf("P05 without any tie: %s", r.Verdict)
	}
}

// By hand, N = 3: a block of 10 entries, half of them zero, sent once as a bitmap of
// 2 + 20 bytes, and the owner's sent twice as it is.
func TestShare(t *testing.T) {
	var s share
	s.add(ringsparse.Choice{Kind: ringsparse.Gradients, WeightDensity: 1, GradientDensity: 0.5, DenseBytes: 40}, 1, 22, 3)
	s.add(ringsparse.Choice{Kind: ringsparse.Weights, Tie: true, WeightDensity: 1, GradientDensity: 1, DenseBytes: 40, Gather: true}, 0, 40, 3)
	if s.Bytes != 22+80 || s.DenseBytes != 40+80 || s.TieWeights != 1 || s.sparserWeights() != 0 || s.gradients() != 1 || s.compressed() != 1 {
		t.Errorf("%+v", s)
	}
	if s.gradientDensity() != 75 || s.codecs() != "direct 50 %, bitmap 50 %" {
		t.Errorf("density %g, %s", s.gradientDensity(), s.codecs())
	}
}

// Packing at 2 GB/s each way is worth it at 1 Gb/s and half the zeros, not at 10 Gb/s;
// below one in 32 the list of positions is shorter, though slower.
func TestAgain(t *testing.T) {
	c := coders(referencePlatform())
	half := ringsparse.Choice{Kind: ringsparse.Gradients, WeightDensity: 1, GradientDensity: 0.5, DenseBytes: 4000}
	if id, bytes := again(half, c, gigabit); id != 1 || bytes != 125+2000 {
		t.Errorf("half at 1 Gb/s: codec %d, %d bytes", id, bytes)
	}
	if id, bytes := again(half, c, 10*gigabit); id != 0 || bytes != 4000 {
		t.Errorf("half at 10 Gb/s: codec %d, %d bytes", id, bytes)
	}
	few := half
	few.GradientDensity = 0.001
	if id, bytes := again(few, c, gigabit/100); id != 2 || bytes != 8 {
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
	plan := planDecisions("quick")
	plan.Steps, plan.Ranks = 1, []int{8}
	env := exp.Env{}
	runs, err := decideCase(t.Context(), env, plan, plan.Cases[1], 0, &result.Result{}, &exp.Bar{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	at := func(d decided, hop int) share { return d.sum(0, func(_, h int) bool { return h == hop }) }
	if a, b := at(runs[0], 0), at(runs[1], 0); a.Ties != b.Ties || a.gradientDensity() != b.gradientDensity() {
		t.Fatalf("the local gradients differ: %d and %d ties", a.Ties, b.Ties)
	}
	a, b := at(runs[0], 7), at(runs[1], 7)
	if a.Ties >= b.Ties || a.gradientDensity() >= b.gradientDensity() {
		t.Errorf("%d and %d ties, density %g and %g", a.Ties, b.Ties, a.gradientDensity(), b.gradientDensity())
	}
	f := findings{plan: plan, runs: runs}
	if text := f.lostTies(); !strings.Contains(text, "MLP, normalised pixels") {
		t.Errorf("lostTies: %q", text)
	}
	f.runs[0].Shares = f.runs[1].Shares
	if text := f.lostTies(); text != "" {
		t.Errorf("lostTies of equal runs: %q", text)
	}
}
