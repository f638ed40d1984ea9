package ringsparse

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
)

// shelf is a memo in memory.
type shelf map[string][]byte

func (s shelf) Load(key string, v any) bool { return s[key] != nil && json.Unmarshal(s[key], v) == nil }
func (s shelf) State(string) string         { return "" }
func (s shelf) Save(key string, v any) error {
	raw, err := json.Marshal(v)
	s[key] = raw
	return err
}

// The ci profile is complete; ties to gradients give the dense ring's bits in real
// training; and a second run takes every training from the memo and says the same.
func TestAccuracy(t *testing.T) {
	memo := shelf{}
	env := exp.Env{Profile: "ci", Seeds: []uint64{0}, Memo: memo}
	res, err := accuracy().Old(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Claims[0]; c.Verdict != claims.SameSign {
		t.Errorf("P10 %s: %s", c.Verdict, c.Why)
	}
	if res.Status != complete || len(res.Claims) != 1 || res.Claims[0].ID != "P10" || res.Data == nil {
		t.Fatalf("status %s, claims %v, data %v", res.Status, res.Claims, res.Data)
	}
	same := false
	for _, row := range res.Tables[0].Rows {
		same = same || row[1] == "RingSparse, ties to gradients" && row[10] == "1 of 1"
	}
	if !same {
		t.Errorf("ties to gradients: %v", res.Tables[0].Rows)
	}
	first, _ := json.Marshal(res)
	parts := len(memo)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is in the memo needs no time
	res, err = accuracy().Old(ctx, env)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := json.Marshal(res); string(first) != string(second) || len(memo) != parts || parts != 3 {
		t.Errorf("the memo has %d parts, then %d; the same result: %v", parts, len(memo), string(first) == string(second))
	}
	env.Memo = nil
	if res, err = accuracy().Old(ctx, env); err == nil || res.Status != unfinished || len(res.Tables) != 0 || !strings.Contains(res.Notes[0], "Interrupted") {
		t.Errorf("interrupted: %v, status %s", err, res.Status)
	}
}

// The pruned forms go on from one pruned start: what the mask drops stays zero, the
// dense one sends gradients, the patent's sends weights first.
func TestPrunedTrainings(t *testing.T) {
	if testing.Short() {
		t.Skip("trains the MLP")
	}
	plan := planAccuracy("quick")
	net := plan.Nets[1]
	net.Updates, plan.Batch = 4, 2
	s := &school{ctx: t.Context(), plan: plan}
	into := map[string]mark{}
	if err := s.pruned(net, plan.config(net, plan.Forms[0], 0), into); err != nil {
		t.Fatal(err)
	}
	d, p := into["pruned-dense"], into["pruned-patent"]
	if d.SHA256 == "" || p.SHA256 == "" || d.Totals.Kinds[ringsparse.Weights].Blocks != 0 {
		t.Errorf("dense %+v", d.Totals)
	}
	if p.Totals.Kinds[ringsparse.Weights].Blocks == 0 || p.Bytes >= d.Bytes {
		t.Errorf("pruned, patent: %d blocks of weights, %d of %d bytes", p.Totals.Kinds[ringsparse.Weights].Blocks, p.Bytes, d.Bytes)
	}
}

// graded is marks of one network with the given final accuracies and hashes.
func graded(dense, patent, gradients []mark) marks {
	plan := planAccuracy("ci")
	m := marks{plan: plan, of: map[string]map[string][]mark{"lenet5": {denseForm: dense, patentForm: patent, "gradients": gradients}}}
	for i := range dense {
		m.Seeds = append(m.Seeds, uint64(i))
	}
	return m
}

func exams(sha string, accuracies ...float64) (out []mark) {
	for _, a := range accuracies {
		out = append(out, mark{Accuracy: a, SHA256: sha, Curve: []train.Point{{Updates: 10, Accuracy: a / 2}, {Updates: 20, Accuracy: a}}})
	}
	return out
}

func TestJudgeAccuracy(t *testing.T) {
	base := exams("a", 0.80, 0.81, 0.82)
	same := exams("a", 0.80, 0.81, 0.82)
	late := exams("b", 0.80, 0.81, 0.82)
	for i := range late {
		late[i].Curve[1].Updates = 30
	}
	never := exams("b", 0.80, 0.81, 0.82)
	never[2].Curve = never[2].Curve[:1]
	hard := exams("a", 0.80, 0.81, 0.82) // a base that reaches nothing on the way
	for i := range hard {
		hard[i].Curve = hard[i].Curve[:1]
	}
	if got := graded(hard, hard, hard).judge(); got.Verdict != claims.SameSign || !strings.Contains(got.Why, "misses the target on 3 seeds") {
		t.Errorf("the target is out of everybody's reach: %s, %s", got.Verdict, got.Why)
	}
	weights := exams("b", 0.80, 0.81, 0.82)
	for i := range weights {
		weights[i].Totals.Kinds[ringsparse.Weights].Blocks = 1
	}
	for name, c := range map[string]struct {
		patent, gradients []mark
		verdict, why      string
	}{
		"the same":         {same, same, claims.SameSign, "holds"},
		"a little apart":   {exams("b", 0.801, 0.811, 0.819), same, claims.SameSign, "holds"},
		"lower":            {exams("b", 0.78, 0.79, 0.80), same, claims.Differs, "2.00 points lower"},
		"higher":           {exams("b", 0.82, 0.83, 0.84), same, claims.Differs, "lies outside ±0.5: refuted"},
		"cannot be told":   {exams("b", 0.81, 0.80, 0.82), same, claims.Differs, "not shown rather than refuted: 3 seeds are too few"},
		"late":             {late, same, claims.Differs, "times the updates"},
		"never":            {never, same, claims.Differs, "alone reaches the target on 1 of 3"},
		"bits lost":        {same, exams("b", 0.80, 0.81, 0.82), claims.Differs, "other bits than the dense ring on 3 of 3"},
		"none is promised": {same, weights, claims.SameSign, "holds"},
	} {
		got := graded(base, c.patent, c.gradients).judge()
		if got.Verdict != c.verdict || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %s, %s", name, got.Verdict, got.Why)
		}
	}
}

// What P10 misses is told apart: one seed, the dense control beside it, the two
// conditions of tolerances.csv, and a target that the dense ring misses itself.
func TestWhyAccuracyDiffers(t *testing.T) {
	why := func(patent []mark, order []mark) string {
		base := exams("a", 0.80, 0.81, 0.82)[:len(patent)]
		m := graded(base, patent, base)
		if order != nil {
			m.plan.Forms = append(m.plan.Forms, accuracyForms()[1])
			m.of["lenet5"][orderForm] = order
		}
		return m.judge().Why
	}
	wide := exams("b", 0.81, 0.80, 0.82)
	lost := exams("a", 0.80, 0.81, 0.82)
	for name, c := range map[string]struct{ why, has, not string }{
		"no control":      {why(wide, nil), "those two hold", "control"},
		"control as wide": {why(wide, exams("c", 0.79, 0.82, 0.82)), "does not show it either", "refuted: refuted"},
		"control narrow":  {why(wide, lost), "another order of sums shows it", "either"},
		"one seed":        {why(exams("b", 0.81), nil), "the one seed's difference, +1.00 points, is not within", "too few"},
		"own missed":      {why(exams("b", 0.78, 0.79, 0.80), nil), "of those two, missed: LeNet-5: final accuracy 2.00 points lower", "those two hold"},
		"holds":           {why(lost, lost), "a qualitative claim that holds", "missed"},
	} {
		if !strings.Contains(c.why, c.has) || strings.Contains(c.why, c.not) {
			t.Errorf("%s: %s", name, c.why)
		}
	}
}

// One seed has no interval: its difference is what counts.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		diff []float64
		want bool
	}{{[]float64{0.004}, true}, {[]float64{0.006}, false}, {[]float64{0, 0, 0}, true}, {[]float64{0.001, -0.001, 0}, true},
		{[]float64{0.003, -0.003, 0}, false}, {[]float64{-0.006, -0.006}, false}} {
		if got := within(c.diff, 0.005); got != c.want {
			t.Errorf("%v: %v", c.diff, got)
		}
	}
	for _, c := range []struct {
		diff []float64
		want bool
	}{{[]float64{0.1}, false}, {[]float64{0.02, 0.021, 0.02}, true}, {[]float64{-0.02, -0.021, -0.02}, true}, {[]float64{0.02, -0.02, 0.02}, false}, {[]float64{0, 0, 0}, false}} {
		if got := beyond(c.diff, 0.005); got != c.want {
			t.Errorf("beyond, %v: %v", c.diff, got)
		}
	}
}

// By hand: of 10 choices 4 of weights, 3 by the tie; of 200 bytes 10 sent as weights.
func TestShares(t *testing.T) {
	x := mark{}
	x.Totals.Choices, x.Totals.Ties, x.Totals.Chosen[ringsparse.Weights] = 5, 0, 1
	x.Totals.Sent.Bytes, x.Totals.Kinds[ringsparse.Weights].Bytes = 100, 10
	y := mark{}
	y.Totals.Choices, y.Totals.Ties, y.Totals.Chosen[ringsparse.Weights], y.Totals.Sent.Bytes = 5, 3, 3, 100
	if w, ties, carried := shares([]mark{x, y}); w != 40 || ties != 30 || carried != 5 {
		t.Errorf("%g, %g, %g", w, ties, carried)
	}
}

// By hand: 0.5 lies half-way between 0.4 at 10 updates and 0.6 at 20.
func TestUpdatesTo(t *testing.T) {
	curve := []train.Point{{Updates: 10, Accuracy: 0.4}, {Updates: 20, Accuracy: 0.6}, {Updates: 30, Accuracy: 0.55}}
	if u, ok := updatesTo(curve, 0.5); !ok || math.Abs(u-15) > 1e-9 {
		t.Errorf("0.5 at %g, %v", u, ok)
	}
	if u, ok := updatesTo(curve, 0.3); !ok || u != 10 {
		t.Errorf("0.3 at %g, %v", u, ok)
	}
	if _, ok := updatesTo(curve, 0.61); ok {
		t.Error("0.61 is reached")
	}
}

// Two trainings share a part only if everything that decides their numbers agrees.
func TestKeyOfAPart(t *testing.T) {
	plan := planAccuracy("quick")
	s := &school{plan: plan}
	seen := map[string]string{}
	put := func(name string, cfg train.Config, form string) {
		key, err := s.key(cfg, form)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s share a part", name, other)
		}
		seen[key] = name
	}
	for _, net := range plan.Nets {
		for _, f := range plan.on(net) {
			put(net.Model+" "+f.Key, plan.config(net, f, 0), f.Key)
		}
	}
	put("another seed", plan.config(plan.Nets[0], plan.Forms[0], 1), denseForm)
	s.plan.Keep = 0.2
	put("another share kept", plan.config(plan.Nets[1], plan.Forms[0], 0), "pruned")
}
