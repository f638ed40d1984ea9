package accuracy

import (
	"bytes"
	"context"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/ringsparse"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// The ci profile is complete; ties to gradients give the dense ring's bits in real
// training; and a second run takes every training from the memo and says the same.
func TestAccuracy(t *testing.T) {
	oktest.Slow(t)
	memo := kittest.Memo{}
	env := exp.Env{Profile: "ci", Seeds: []uint64{0}, Engine: kittest.Engine(), Memo: memo}
	res := kittest.RunWhole(t, Experiment(), env)
	kittest.WantVerdict(t, res.Claims[0], claims.Undecided, "P10")
	if len(res.Claims) != 1 || res.Claims[0].ID != "P10" || len(res.Data) != 1 {
		t.Fatalf("claims %v, data %v", res.Claims, res.Data)
	}
	for i, row := range res.Frame("final").Rows {
		if row[1] == "gradients" && kittest.Cell(t, res, "final", i, "same") != 1 {
			t.Errorf("ties to gradients: %v", row)
		}
	}
	first, parts := kittest.Encode(t, res), len(memo)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is in the memo needs no time
	again, err := Experiment().Run(ctx, env)
	oktest.Nil(t, err)
	if !bytes.Equal(first, kittest.Encode(t, again)) || len(memo) != parts || parts != 3 {
		t.Errorf("the memo has %d parts, then %d", parts, len(memo))
	}
	env.Memo = nil
	if res, err = Experiment().Run(ctx, env); err == nil || res.Status != result.Incomplete || len(res.Frames) != 0 {
		t.Errorf("interrupted: %v, status %s", err, res.Status)
	}
}

// The pruned forms go on from one pruned start: what the mask drops stays zero, the
// dense one sends gradients, the patent's sends weights first.
func TestPrunedTrainings(t *testing.T) {
	if testing.Short() {
		t.Skip("trains the MLP")
	}
	plan := planTraining("quick")
	net := plan.Nets[1]
	net.Updates, plan.Batch, plan.EvalImages = 4, 2, 10
	dense := plan.config(net, plan.Forms[0], 0)
	dense.Engine = kittest.Engine()
	into := oktest.Must(plan.pruned(t.Context(), net, dense))(t)
	d, p := into["pruned-dense"], into["pruned-patent"]
	if d.SHA256 == "" || p.SHA256 == "" || d.Totals.Kinds[ringsparse.Weights].Blocks != 0 {
		t.Errorf("dense %+v", d.Totals)
	}
	if p.Totals.Kinds[ringsparse.Weights].Blocks == 0 || p.Bytes >= d.Bytes {
		t.Errorf("pruned, patent: %d blocks of weights, %d of %d bytes", p.Totals.Kinds[ringsparse.Weights].Blocks, p.Bytes, d.Bytes)
	}
}

// graded returns trainings of one network with the given final accuracies and hashes.
func graded(dense, patent, gradients []training) trainings {
	of := map[string][]training{denseForm: dense, patentForm: patent, "gradients": gradients}
	return trainings{plan: planTraining("ci"), seeds: make([]uint64, len(dense)), at: func(t point) []training { return of[t.Form] }}
}

func exams(sha string, accuracies ...float64) (out []training) {
	for _, a := range accuracies {
		out = append(out, training{Accuracy: a, SHA256: sha, Curve: []train.Point{{Updates: 10, Accuracy: a / 2}, {Updates: 20, Accuracy: a}}})
	}
	return out
}

func TestJudgeAccuracy(t *testing.T) {
	base, same, late := exams("a", 0.80, 0.81, 0.82), exams("a", 0.80, 0.81, 0.82), exams("b", 0.80, 0.81, 0.82)
	for i := range late {
		late[i].Curve[1].Updates = 30
	}
	mixed := exams("b", 0.80, 0.81, 0.82) // the mean is inside the limit, and the interval reaches over it
	mixed[0].Curve[1].Updates, mixed[1].Curve[1].Updates = 22, 18
	never := exams("b", 0.80, 0.81, 0.82)
	never[2].Curve = never[2].Curve[:1]
	hard := exams("a", 0.80, 0.81, 0.82) // a base that reaches nothing on the way
	for i := range hard {
		hard[i].Curve = hard[i].Curve[:1]
	}
	kittest.WantVerdict(t, graded(hard, hard, hard).judge(), claims.Holds, "P10-target")
	weights := exams("b", 0.80, 0.81, 0.82)
	for i := range weights {
		weights[i].Totals.Kinds[ringsparse.Weights].Blocks = 1
	}
	for name, c := range map[string]struct {
		patent, gradients []training
		verdict, why      string
	}{
		"the same":         {same, same, claims.Holds, "P10-own-hold"},
		"a little apart":   {exams("b", 0.801, 0.811, 0.819), same, claims.Holds, "P10-own-hold"},
		"lower":            {exams("b", 0.78, 0.79, 0.80), same, claims.Differs, "P10-lower"},
		"higher":           {exams("b", 0.82, 0.83, 0.84), same, claims.Differs, "P10-outside"},
		"cannot be told":   {exams("b", 0.81, 0.80, 0.82), same, claims.Undecided, "P10-open"},
		"perhaps late":     {mixed, same, claims.Undecided, "P10-updates-open"},
		"late":             {late, same, claims.Differs, "P10-updates"},
		"never":            {never, same, claims.Undecided, "P10-alone"},
		"bits lost":        {same, exams("b", 0.80, 0.81, 0.82), claims.Differs, "P10-bits"},
		"none is promised": {same, weights, claims.Holds, "P10-own-hold"},
	} {
		got := graded(base, c.patent, c.gradients).judge()
		kittest.WantVerdict(t, got, c.verdict, c.why)
		want := c.verdict
		if name == "bits lost" { // by another form
			want = claims.Holds
		}
		if found := claims.OfParts(got.Parts, 3, nil).Finding; len(got.Parts) < 2 || found != want {
			t.Errorf("%s: parts %v", name, got.Parts)
		}
	}
}

// What P10 misses is told apart: one seed, the dense control beside it, the two
// conditions of tolerances.csv, and a target that the dense ring misses itself.
func TestWhyAccuracyDiffers(t *testing.T) {
	last := func(patent []training, order []training) result.Reason {
		base := exams("a", 0.80, 0.81, 0.82)[:len(patent)]
		m := graded(base, patent, base)
		if order != nil {
			m.plan.Forms = append(m.plan.Forms, exchangeForms()[1])
			at := m.at
			m.at = func(t point) []training {
				if t.Form == orderForm {
					return order
				}
				return at(t)
			}
		}
		reasons := m.judge().Reasons
		return reasons[len(reasons)-1]
	}
	wide, lost := exams("b", 0.81, 0.80, 0.82), exams("a", 0.80, 0.81, 0.82)
	for name, c := range map[string]struct {
		why           result.Reason
		code, control any
	}{
		"no control":      {last(wide, nil), "P10-open", ""},
		"control as wide": {last(wide, exams("c", 0.79, 0.82, 0.82)), "P10-open", "open"},
		"control narrow":  {last(wide, lost), "P10-open", "within"},
		"one seed":        {last(exams("b", 0.81), nil), "P10-one", ""},
		"own missed":      {last(exams("b", 0.78, 0.79, 0.80), nil), "P10-outside", ""},
		"holds":           {last(lost, lost), "P10-own-hold", nil},
	} {
		if c.why.Code != c.code || c.why.Args["control"] != c.control {
			t.Errorf("%s: %v", name, c.why)
		}
	}
}

// One seed has no interval: its difference alone counts.
func TestMargin(t *testing.T) {
	for want, all := range map[string][]kit.Sample{
		"within": {{0.004}, {0, 0, 0}, {0.001, -0.001, 0}}, "alone": {{0.006}, {0.1}},
		"outside": {{-0.006, -0.006}, {0.02, 0.021, 0.02}, {-0.02, -0.021, -0.02}},
		"open":    {{0.003, -0.003, 0}, {0.02, -0.02, 0.02}},
	} {
		for _, diff := range all {
			if got := (compared{Diff: diff}).margin(); got != want {
				t.Errorf("%v: %s, want %s", diff, got, want)
			}
		}
	}
}

// By hand: of 10 choices 4 of weights, 3 by the tie; of 200 bytes 10 sent as weights.
func TestShares(t *testing.T) {
	x := training{}
	x.Totals.Choices, x.Totals.Ties, x.Totals.Chosen[ringsparse.Weights] = 5, 0, 1
	x.Totals.Sent.Bytes, x.Totals.Kinds[ringsparse.Weights].Bytes = 100, 10
	y := training{}
	y.Totals.Choices, y.Totals.Ties, y.Totals.Chosen[ringsparse.Weights], y.Totals.Sent.Bytes = 5, 3, 3, 100
	if w, ties, carried := shares([]training{x, y}); w != 40 || ties != 30 || carried != 5 {
		t.Errorf("%g, %g, %g", w, ties, carried)
	}
}
