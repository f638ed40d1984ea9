package codedsgd

import (
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// of collects a number of each seed's training.
func (s *precisionStudy) of(kind int, f func(l learnt) float64) kit.Sample {
	return kit.Each(s.Learnt[kind], f)
}

func lossOf(l learnt) float64 { return l.Loss }

// lossGap is how much more loss an arithmetic ends with than float32.
func (s *precisionStudy) lossGap(kind int) kit.Estimate {
	return s.of(kind, lossOf).Minus(s.of(inFloat, lossOf))
}

func (s *precisionStudy) distance(kind int) float64 {
	return meanOf(s.of(kind, func(l learnt) float64 { return l.Distance }))
}

// order is the largest distance of the three fine arithmetics: what the order of
// summation does.
func (s *precisionStudy) order() float64 {
	return max(s.distance(inFine), s.distance(inFineNodes), s.distance(inFineOne))
}

// saturated is the share of elements that were clipped.
func (s *precisionStudy) saturated(kind int) float64 {
	return meanOf(s.of(kind, func(l learnt) float64 { return float64(l.Saturated) / float64(max(l.Elements, 1)) }))
}

// moves tells whether an arithmetic leads elsewhere: more than twice as far from
// float32's parameters as the order of summation does.
func (s *precisionStudy) moves(kind int) bool { return s.distance(kind) > 2*s.order() }

// leastLoss is the share of the loss from which a difference counts.
const leastLoss = 0.01

// changes tells whether it changes the loss: by at least a hundredth, with a 95 %
// interval over seeds that leaves out 0. Of one seed that cannot be said.
func (s *precisionStudy) changes(kind int) bool { return s.seen(kind) == "other" }

// seen says what the seeds show of an arithmetic's loss beside float32's: "other" than it,
// a "small" difference, below what counts as one, "none", or "alone", of one seed.
func (s *precisionStudy) seen(kind int) string {
	e := s.lossGap(kind)
	switch size := math.Abs(e.Value); {
	case e.CI == nil:
		return "alone"
	case !(size > e.Half()):
		return "none"
	case size >= leastLoss*meanOf(s.of(inFloat, lossOf)):
		return "other"
	}
	return "small"
}

// cause says what moved the parameters away from float32's, if anything that can be told
// from the order of summation: the "range" or the "steps"; "clipped" and "nothing" if not.
func (s *precisionStudy) cause() string {
	clips := s.saturated(inPaper) > 0
	switch {
	case !s.moves(inPaper) && clips:
		return "clipped"
	case !s.moves(inPaper):
		return "nothing"
	case clips:
		return "range"
	}
	return "steps"
}

// trainedWith is an arithmetic of a study.
type trainedWith struct {
	*precisionStudy
	kind int
}

func (t trainedWith) arithmetic() arithmetic { return t.Kinds[t.kind] }

// unless is of where the arithmetic is another than float32, else no number.
func unless(of func(t trainedWith) float64) func(t trainedWith) float64 {
	return func(t trainedWith) float64 {
		if t.arithmetic().Float {
			return math.NaN()
		}
		return of(t)
	}
}

// lossFrame says what each arithmetic does to the training.
func lossFrame(studies []*precisionStudy) result.Frame {
	var rows []trainedWith
	for _, s := range studies {
		for i := range s.Kinds {
			rows = append(rows, trainedWith{s, i})
		}
	}
	blocks := func(t trainedWith) float64 { return float64(t.arithmetic().blocksOf(t.Plan.Nodes)) }
	return kit.Frame("loss", rows, kit.Word("model", "model", func(t trainedWith) string { return t.Plan.Net.Model }),
		kit.Word("arithmetic", "arithmetic", func(t trainedWith) string { return t.arithmetic().Key }),
		kit.Num("blocks", "", 0, unless(blocks)), kit.Flag("on_ten", func(t trainedWith) bool { return t.arithmetic().Range == paperRange }),
		kit.Num("images", "", kit.AsIs, unless(func(t trainedWith) float64 { return float64(t.Plan.Net.batch(t.Plan.Nodes)) / blocks(t) })),
		kit.Num("step", "", kit.AsIs, unless(func(t trainedWith) float64 { return t.arithmetic().Range / codedsgd.Top })),
		kit.Num("accuracy", "%", 2, func(t trainedWith) float64 {
			return 100 * meanOf(t.of(t.kind, func(l learnt) float64 { return l.Accuracy }))
		}),
		kit.Num("loss", "", 4, func(t trainedWith) float64 { return meanOf(t.of(t.kind, lossOf)) }),
		kit.Half("gap", "", kit.AsIs, func(t trainedWith) (e kit.Estimate) {
			if t.kind == inFloat {
				return e
			}
			return t.lossGap(t.kind)
		}),
		kit.Num("distance", "%", kit.AsIs, unless(func(t trainedWith) float64 { return 100 * t.distance(t.kind) })),
		kit.Num("saturated", "%", kit.AsIs, unless(func(t trainedWith) float64 { return 100 * t.saturated(t.kind) })),
		kit.Flag("moves", func(t trainedWith) bool { return t.kind != inFloat && t.moves(t.kind) }),
		kit.Word("seen", "seen", func(t trainedWith) string {
			if t.kind == inFloat {
				return ""
			}
			return t.seen(t.kind)
		}),
		kit.Flag("coarser", func(t trainedWith) bool { return t.arithmetic().coarser() }))
}

// bitsFrame holds the distance by step, for the figures.
func bitsFrame(studies []*precisionStudy) result.Frame {
	type row struct {
		s              *precisionStudy
		line           string
		bits, distance float64
	}
	var rows []row
	for _, s := range studies {
		last := row{}
		for i, a := range s.Kinds {
			if a.coarser() {
				last = row{s, "unclipped", a.bitsOf(), s.distance(i)}
				rows = append(rows, last)
			}
		}
		paper := s.Kinds[inPaper].bitsOf()
		rows = append(rows, row{s, "order", last.bits, s.order()}, row{s, "order", paper, s.order()}, row{s, "paper", paper, s.distance(inPaper)})
	}
	return kit.Frame("bits", rows, kit.Word("model", "model", func(r row) string { return r.s.Plan.Net.Model }),
		kit.Word("line", "line", func(r row) string { return r.line }),
		kit.Num("bits", "", 0, func(r row) float64 { return r.bits }), kit.Num("distance", "%", kit.AsIs, func(r row) float64 { return 100 * r.distance }))
}

// networksFrame holds how each network is trained, and what is found of it.
func networksFrame(studies []*precisionStudy) result.Frame {
	plan := func(key string, of func(p precisionPlan) int) kit.Col[*precisionStudy] {
		return kit.Count(key, "", func(s *precisionStudy) int { return of(s.Plan) })
	}
	percent := func(key string, digits int, of func(s *precisionStudy) float64) kit.Col[*precisionStudy] {
		return kit.Num(key, "%", digits, func(s *precisionStudy) float64 { return 100 * of(s) })
	}
	// The smallest and the largest difference in loss that the seeds would show, over the
	// coarser steps.
	unseen := func(s *precisionStudy) (least, most float64) {
		least = math.Inf(1)
		for i, a := range s.Kinds {
			if a.coarser() {
				half := s.lossGap(i).Half()
				least, most = min(least, half), max(most, half)
			}
		}
		return least, most
	}
	last := func(s *precisionStudy) int { return len(s.Largest) - 1 }
	return kit.Frame("networks", studies, kit.Word("model", "model", func(s *precisionStudy) string { return s.Plan.Net.Model }),
		kit.Word("key", "", func(s *precisionStudy) string { return s.Plan.Net.Key }),
		kit.Word("data", "data", func(s *precisionStudy) string { return s.Data.Name }),
		kit.Num("width", "", kit.AsIs, func(s *precisionStudy) float64 { return s.Plan.Width }), plan("nodes", func(p precisionPlan) int { return p.Nodes }),
		plan("batch", func(p precisionPlan) int { return p.Net.batch(p.Nodes) }), plan("updates", func(p precisionPlan) int { return int(p.Updates) }),
		kit.Num("rate", "", kit.AsIs, func(s *precisionStudy) float64 { return s.Plan.Rate }),
		kit.Word("cause", "cause", (*precisionStudy).cause), percent("order", kit.AsIs, (*precisionStudy).order),
		kit.Num("unseen_least", "", kit.AsIs, func(s *precisionStudy) float64 { x, _ := unseen(s); return x }),
		kit.Num("unseen_most", "", kit.AsIs, func(s *precisionStudy) float64 { _, x := unseen(s); return x }),
		kit.Count("images", "", func(s *precisionStudy) int { return s.Plan.Sums[last(s)] }),
		kit.Num("largest", "", kit.AsIs, func(s *precisionStudy) float64 { return s.Largest[last(s)] }),
		kit.Any("first_clipped", "", func(s *precisionStudy) any {
			for i, x := range s.Largest {
				if x > paperRange {
					return s.Plan.Sums[i]
				}
			}
			return nil
		}),
		percent("outside_micro", kit.AsIs, func(s *precisionStudy) float64 { return s.Clipped[0][1] }),
		percent("outside_one", kit.AsIs, func(s *precisionStudy) float64 { return s.Clipped[len(s.Clipped)-1][1] }))
}

// saturationFrame holds the elements that int32 cannot hold, by block and range.
func saturationFrame(studies []*precisionStudy) result.Frame {
	type row struct {
		s   *precisionStudy
		cut int // place in Cuts
	}
	var rows []row
	for _, s := range studies {
		for i := range s.Cuts {
			rows = append(rows, row{s, i})
		}
	}
	cols := []kit.Col[row]{kit.Word("model", "model", func(r row) string { return r.s.Plan.Net.Model }),
		kit.Count("blocks", "", func(r row) int { return r.s.Cuts[r.cut] }),
		kit.Num("images", "", 1, func(r row) float64 { return float64(r.s.Plan.Net.batch(r.s.Plan.Nodes)) / float64(r.s.Cuts[r.cut]) })}
	for i, key := range []string{"outside_10", "outside_1", "outside_0.1"} {
		cols = append(cols, kit.Num(key, "%", 4, func(r row) float64 { return 100 * r.s.Clipped[r.cut][i] }))
	}
	return kit.Frame("saturation", rows, cols...)
}

// sumsFrame holds the largest element of a block's gradient.
func sumsFrame(studies []*precisionStudy) result.Frame {
	type row struct {
		s *precisionStudy
		i int
	}
	var rows []row
	for _, s := range studies {
		for i := range s.Plan.Sums {
			rows = append(rows, row{s, i})
		}
	}
	return kit.Frame("sums", rows, kit.Word("model", "model", func(r row) string { return r.s.Plan.Net.Model }),
		kit.Count("images", "", func(r row) int { return r.s.Plan.Sums[r.i] }),
		kit.Num("largest", "", 2, func(r row) float64 { return r.s.Largest[r.i] }), kit.Flag("clipped", func(r row) bool { return r.s.Largest[r.i] > paperRange }))
}

// lossFacts say how the arithmetics are compared.
func lossFacts(studies []*precisionStudy, profile string) []result.Fact {
	s := studies[0]
	return []result.Fact{kit.Counted("fine.bits", "", fineBits), kit.Number("fine.range", "", kit.AsIs, s.Kinds[inFine].Range),
		kit.Counted("fine.coarser", "", 1<<(32-fineBits)),
		kit.Number("counts", "%", kit.AsIs, 100*leastLoss), kit.Number("paper.step", "", kit.AsIs, paperRange/float64(codedsgd.Top)),
		kit.Whether("cut", profile == "quick"), kit.Counted("updates.whole", "", wholeUpdates), kit.Whether("one-seed", len(s.Learnt[inFloat]) < 2),
		kit.Counted("short", "", s.Plan.Short)}
}
