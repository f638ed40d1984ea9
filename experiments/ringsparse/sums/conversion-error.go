package sums

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// lossPlan holds what a profile converts.
type lossPlan struct {
	Elements int         `json:"elements"`
	Nodes    []int       `json:"nodes"`
	Points   []lossPoint `json:"cells"`
	Weights  float64     `json:"weights_deviation"`
	Zeros    float64     `json:"zero_share"` // of the entries, the same on all ranks
	Rational rationalSet `json:"rational"`
}

// lossPoint is a learning rate and the size of a gradient's entry.
type lossPoint struct {
	Rate     float64 `json:"rate"`
	Gradient float64 `json:"gradient"`
}

func planLoss(profile string) lossPlan {
	p := lossPlan{Elements: 200_000, Nodes: []int{2, 3, 4, 5, 6, 7, 8, 12, 16}, Weights: 0.05, Zeros: 0.5,
		Points:   []lossPoint{{0.1, 1e-2}, {0.1, 1e-4}, {1e-3, 1e-4}},
		Rational: rationalSet{Least: 2, Most: 16, Cases: 200}}
	switch profile {
	case "ci":
		p.Elements = 20_000
	case "standard", "paper":
		p.Elements = 2_000_000
	}
	return p
}

// lossWays are ways of carrying a block's sum round the ring and having the sum of
// gradients at its end, fixed before the first run. The first is the patent's with dense
// blocks, where the tie rule takes weights at every hop.
var lossWays = []string{
	"weights",     // sums of W′ in float32, turned into gradients once, at the end
	"wire",        // every rank keeps the sum of gradients; it is turned into weights to be sent and back when received
	"float64",     // W′ is rounded to float32, sums are not
	"float64-all", // the local step is in float64 too
	"gradients",   // sums of g in float32: no conversion
}

// loss is one measurement.
type loss struct {
	Error float64 // ‖Pg − Σg‖ / ‖Σg‖
	False float64 // share of the entries whose gradient is +0 on all ranks that come out as something else
}

// ConversionError measures what turning sums of weights back into gradients costs.
func ConversionError() exp.Experiment {
	return kit.Study[lossPoint, [][]loss]{ID: "ringsparse/conversion-error", Source: "the patent, S51", Kind: result.Counted, Profiles: exp.Profiles,
		Points: func(profile string) []lossPoint { return planLoss(profile).Points },
		Cost: func(profile string, _ lossPoint) (string, float64) {
			return "ringsparse/conversion-error", 0.03 + float64(planLoss(profile).Elements*16)*70e-9
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planLoss(profile), "ways": lossWays}
		},
		Measure: func(ctx context.Context, env exp.Env, c lossPoint, seed uint64) ([][]loss, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return carry(planLoss(env.Profile), c, seed), nil
		},
		Show: showLosses,
	}.Experiment()
}

// lossBlock has one worker's vectors. Zeros are where every rank has them.
type lossBlock struct {
	w0, g []float32
	zero  []bool
}

func newLossBlock(plan lossPlan, seed uint64) *lossBlock {
	b := &lossBlock{w0: make([]float32, plan.Elements), g: make([]float32, plan.Elements), zero: make([]bool, plan.Elements)}
	r := cluster.Stream(seed, 0, "", "conversion weights")
	for i := range b.w0 {
		b.w0[i] = float32(r.NormFloat64() * plan.Weights)
		b.zero[i] = r.Float64() < plan.Zeros
	}
	return b
}

// draw makes rank's gradient.
func (b *lossBlock) draw(seed uint64, rank int, size float64) {
	r := cluster.Stream(seed, rank, "", "conversion gradients")
	for i, zero := range b.zero {
		b.g[i] = 0
		if !zero {
			b.g[i] = float32(r.NormFloat64() * size)
		}
	}
}

// lossSums holds the block's sums as every way has them.
type lossSums struct {
	local, weights, wire, gradients, back []float32
	mixed, wide, exact                    []float64
}

func newLossSums(n int) *lossSums {
	x, y := func() []float32 { return make([]float32, n) }, func() []float64 { return make([]float64, n) }
	return &lossSums{x(), x(), x(), x(), x(), y(), y(), y()}
}

// add takes in the gradient of the m-th rank, as a hop of each way does.
func (s *lossSums) add(b *lossBlock, rate float64, m int) {
	ringsparse.LocalStep(s.local, b.w0, b.g, rate, ringsparse.Descent)
	if m > 1 { // the sum arrives as weights
		ringsparse.ToWeights(s.back, b.w0, s.wire, rate, m-1, ringsparse.Descent)
		ringsparse.ToGradients(s.wire, b.w0, s.back, rate, m-1, ringsparse.Descent)
	}
	vec.AddTo(s.weights, s.local)
	vec.AddTo(s.wire, b.g)
	vec.AddTo(s.gradients, b.g)
	for i, g := range b.g {
		s.mixed[i] += float64(s.local[i])
		s.wide[i] += formula.Pw(float64(b.w0[i]), rate, float64(g), 1, int(ringsparse.Descent))
		s.exact[i] += float64(g)
	}
}

// end returns way's sum of m ranks' gradients.
func (s *lossSums) end(way string, b *lossBlock, rate float64, m int) []float32 {
	sums := s.mixed
	switch way {
	case "weights":
		ringsparse.ToGradients(s.back, b.w0, s.weights, rate, m, ringsparse.Descent)
		return s.back
	case "wire":
		return s.wire
	case "gradients":
		return s.gradients
	case "float64-all":
		sums = s.wide
	}
	for i, w := range b.w0 { // as ToGradients: 0 over a positive rate is +0
		s.back[i] = float32((float64(float64(m)*float64(w)) - sums[i]) / rate)
	}
	return s.back
}

// carry takes a block through the most nodes of the plan, and measures every way where
// the plan has a ring of that many: [node][way].
func carry(plan lossPlan, c lossPoint, seed uint64) (out [][]loss) {
	b, s := newLossBlock(plan, seed), newLossSums(plan.Elements)
	for m := 1; len(out) < len(plan.Nodes); m++ {
		b.draw(seed, m-1, c.Gradient)
		s.add(b, c.Rate, m)
		if m != plan.Nodes[len(out)] {
			continue
		}
		var these []loss
		for _, way := range lossWays {
			these = append(these, measureLoss(s.end(way, b, c.Rate, m), s.exact, b.zero))
		}
		out = append(out, these)
	}
	return out
}

func measureLoss(got []float32, exact []float64, zero []bool) loss {
	var off, norm float64
	falseOnes, zeros := 0, 0
	for i, g := range got {
		d := float64(g) - exact[i]
		off, norm = off+float64(d*d), norm+float64(exact[i]*exact[i])
		if zero[i] {
			zeros++
			if math.Float32bits(g) != 0 {
				falseOnes++
			}
		}
	}
	return loss{Error: math.Sqrt(off / norm), False: float64(falseOnes) / float64(zeros)}
}

// losses holds all measurements of a plan.
type losses struct {
	plan lossPlan
	at   func(lossPoint) [][][]loss // [seed][node][way]
}

// means returns the mean error and share of false non-zeros over seeds.
func (l losses) means(c lossPoint, node, way int) (err, wrong float64) {
	seeds := l.at(c)
	for _, x := range seeds {
		err, wrong = err+x[node][way].Error, wrong+x[node][way].False
	}
	return err / float64(len(seeds)), wrong / float64(len(seeds))
}

// firstFalse returns the smallest ring with false non-zeros of a way, 0 if there is none.
func (l losses) firstFalse(way int) int {
	for n, nodes := range l.plan.Nodes {
		for _, c := range l.plan.Points {
			if _, f := l.means(c, n, way); f > 0 {
				return nodes
			}
		}
	}
	return 0
}

func showLosses(v *kit.View[lossPoint, [][]loss]) {
	l := losses{planLoss(v.Profile), v.At}
	signs := signErrors(l.plan, v.Seeds[0])
	exact := identities(l.plan.Rational, v.Seeds)
	v.Facts = l.facts(exact)
	v.Frames = []result.Frame{l.frame(), l.remedies(), signFrame(signs), rationalFrame(exact)}
	v.Figures = []result.Figure{
		{ID: "error", Form: "line", Frame: "errors", Where: map[string]any{"drawn": true}, X: "n", Y: []string{"error"},
			By: []string{"way", "rate", "gradient"}, Log: "y"},
		{ID: "false-non-zeros", Form: "bar", Frame: "errors", X: "n", Y: []string{"false"},
			Where: map[string]any{"way": lossWays[0], "rate": l.plan.Points[0].Rate, "gradient": l.plan.Points[0].Gradient}}}
	v.Claims = judgeConversion(l.plan.Rational, exact, signs)
}

// frame returns the frame of every way, point and size of the ring.
func (l losses) frame() result.Frame {
	out := kit.NewSheet("errors", "way:carried rate gradient n drawn:bool error false/%.1")
	for w, way := range lossWays {
		for i, c := range l.plan.Points {
			for n, nodes := range l.plan.Nodes {
				e, f := l.means(c, n, w)
				out.Add(way, c.Rate, c.Gradient, nodes, w == 0 || w == len(lossWays)-1 && i == 0, e, 100*f)
			}
		}
	}
	return out.Frame
}

// remedies sets the ways side by side: the most false non-zeros on the largest ring, and
// the smallest ring that has any.
func (l losses) remedies() result.Frame {
	return kit.Rows("remedies", "way:carried false/%.1 from clean:bool remedy:bool", lossWays, func(way string) []any {
		w, most, from := slices.Index(lossWays, way), 0.0, any(nil)
		for _, c := range l.plan.Points {
			_, f := l.means(c, len(l.plan.Nodes)-1, w)
			most = math.Max(most, f)
		}
		if first := l.firstFalse(w); first > 0 {
			from = first
		}
		return []any{way, 100 * most, from, from == nil, w > 0}
	})
}

func (l losses) facts(exact identityCount) []result.Fact {
	least, most := math.Inf(1), 0.0
	for _, c := range l.plan.Points {
		for n := range l.plan.Nodes {
			e, _ := l.means(c, n, 0)
			least, most = math.Min(least, e), math.Max(most, e)
		}
	}
	worst := l.plan.Points[len(l.plan.Points)-1]
	return kit.Facts("elements", l.plan.Elements, "n", slices.Max(l.plan.Nodes), "weights", l.plan.Weights, "zeros/%.0", 100*l.plan.Zeros,
		"error.least", least, "error.most", most, "worst.rate", worst.Rate, "worst.gradient", worst.Gradient, "sign.ranks", signRanks,
		"cases", exact.Cases, "cases.least", l.plan.Rational.Least, "cases.most", l.plan.Rational.Most)
}
