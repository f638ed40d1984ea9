package codedsgd

import (
	"math"
	"slices"

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

// lossFrame says what each arithmetic does to the training.
func lossFrame(studies []*precisionStudy) result.Frame {
	f := kit.NewSheet("loss", "model:model arithmetic:arithmetic blocks images step accuracy/%.2 loss/.4 "+
		"gap± distance/% saturated/% moves seen:seen coarser on_ten")
	for _, s := range studies {
		for i, a := range s.Kinds {
			row := []any{s.Plan.Net.Model, a.Key, nil, nil, nil, 100 * meanOf(s.of(i, func(l learnt) float64 { return l.Accuracy })),
				meanOf(s.of(i, lossOf)), kit.Estimate{}, nil, nil, false, nil, a.coarser(), a.Range == paperRange}
			if !a.Float {
				blocks := a.blocksOf(s.Plan.Nodes)
				row[2], row[3], row[4] = blocks, float64(s.Plan.Net.batch(s.Plan.Nodes))/float64(blocks), a.Range/codedsgd.Top
				row[7], row[8], row[9], row[10], row[11] = s.lossGap(i), 100*s.distance(i), 100*s.saturated(i), s.moves(i), s.seen(i)
			}
			f.Add(row...)
		}
	}
	return f.Frame
}

// bitsFrame holds the distance by step, for the figures.
func bitsFrame(studies []*precisionStudy) result.Frame {
	f := kit.NewSheet("bits", "model:model line:line bits/.0 distance/%")
	for _, s := range studies {
		model, paper, last := s.Plan.Net.Model, s.Kinds[inPaper].bitsOf(), 0.0
		for i, a := range s.Kinds {
			if a.coarser() {
				last = a.bitsOf()
				f.Add(model, "unclipped", last, 100*s.distance(i))
			}
		}
		f.Add(model, "order", last, 100*s.order())
		f.Add(model, "order", paper, 100*s.order())
		f.Add(model, "paper", paper, 100*s.distance(inPaper))
	}
	return f.Frame
}

// networksFrame holds how each network is trained, and what is found of it; unseen are
// the smallest and the largest difference in loss that the seeds would show, over the
// coarser steps.
func networksFrame(studies []*precisionStudy) result.Frame {
	f := kit.NewSheet("networks", "model:model key data:data width nodes batch updates rate cause:cause order/% unseen_least unseen_most "+
		"images largest first_clipped outside_micro/% outside_one/%")
	for _, s := range studies {
		least, most := math.Inf(1), 0.0
		for i, a := range s.Kinds {
			if a.coarser() {
				half := s.lossGap(i).Half()
				least, most = min(least, half), max(most, half)
			}
		}
		first := any(nil)
		if i := slices.IndexFunc(s.Largest, func(x float64) bool { return x > paperRange }); i >= 0 {
			first = s.Plan.Sums[i]
		}
		p, last := s.Plan, len(s.Largest)-1
		f.Add(p.Net.Model, p.Net.Key, s.Data.Name, p.Width, p.Nodes, p.Net.batch(p.Nodes), p.Updates, p.Rate, s.cause(), 100*s.order(), least, most,
			p.Sums[last], s.Largest[last], first, 100*s.Clipped[0][1], 100*s.Clipped[len(s.Clipped)-1][1])
	}
	return f.Frame
}

// saturationFrame holds the elements that int32 cannot hold, by block and range, and
// sumsFrame the largest element of a block's gradient.
func saturationFrame(studies []*precisionStudy) result.Frame {
	f := kit.NewSheet("saturation", "model:model blocks images/.1 outside_10/%.4 outside_1/%.4 outside_0.1/%.4")
	for _, s := range studies {
		for i, cut := range s.Cuts {
			c := s.Clipped[i]
			f.Add(s.Plan.Net.Model, cut, float64(s.Plan.Net.batch(s.Plan.Nodes))/float64(cut), 100*c[0], 100*c[1], 100*c[2])
		}
	}
	return f.Frame
}

func sumsFrame(studies []*precisionStudy) result.Frame {
	f := kit.NewSheet("sums", "model:model images largest/.2 clipped")
	for _, s := range studies {
		for i, images := range s.Plan.Sums {
			f.Add(s.Plan.Net.Model, images, s.Largest[i], s.Largest[i] > paperRange)
		}
	}
	return f.Frame
}

// lossFacts say how the arithmetics are compared.
func lossFacts(studies []*precisionStudy, profile string) []result.Fact {
	s := studies[0]
	return kit.Facts("fine.bits", fineBits, "fine.range", s.Kinds[inFine].Range, "fine.coarser", 1<<(32-fineBits), "counts/%", 100*leastLoss,
		"paper.step", paperRange/float64(codedsgd.Top), "cut", profile == "quick", "updates.whole", wholeUpdates,
		"one-seed", len(s.Learnt[inFloat]) < 2, "short", s.Plan.Short)
}
