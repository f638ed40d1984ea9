package ringsparse

import (
	"math"

	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// lossWay is one way of carrying a block's sum round the ring and having the sum of
// gradients at its end.
type lossWay struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Why   string `json:"why"`
}

// lossWays were fixed before the first run; the first is the patent's with dense
// blocks, where the tie rule takes weights at every hop.
var lossWays = []lossWay{
	{"weights", "weights at every hop", "sums of W′ in float32, turned into gradients once, at the end: dense blocks by the patent's tie rule"},
	{"wire", "gradients kept, weights on the wire", "every rank keeps the sum of gradients; it is turned into weights to be sent and back when received"},
	{"float64", "weights, summed in float64", "W′ is rounded to float32, sums are not; twice the bytes on the wire"},
	{"float64-all", "weights in float64 throughout", "the local step too; twice the bytes on the wire"},
	{"gradients", "gradients at every hop", "sums of g in float32: no conversion"},
}

// loss is one measurement.
type loss struct {
	Error float64 // ‖Pg − Σg‖ / ‖Σg‖
	False float64 // share of the entries whose gradient is +0 on all ranks that come out as something else
}

// losses are all of a plan's, by cell, number of nodes, way and seed.
type losses struct {
	plan lossPlan
	all  [][][][]loss
}

func newLosses(plan lossPlan) *losses {
	l := &losses{plan: plan, all: make([][][][]loss, len(plan.Cells))}
	for c := range l.all {
		l.all[c] = make([][][]loss, len(plan.Nodes))
		for n := range l.all[c] {
			l.all[c][n] = make([][]loss, len(lossWays))
		}
	}
	return l
}

// means returns the mean error and share of false non-zeros over seeds.
func (l *losses) means(cell, node, way int) (err, wrong float64) {
	list := l.all[cell][node][way]
	for _, x := range list {
		err, wrong = err+x.Error, wrong+x.False
	}
	return err / float64(len(list)), wrong / float64(len(list))
}

// block is one worker's vectors. Zeros are where every rank has them.
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

// sums are the block's sums as every way has them.
type lossSums struct {
	local, weights, wire, gradients, back []float32
	mixed, wide, exact                    []float64
}

func newLossSums(n int) *lossSums {
	s := &lossSums{}
	for _, p := range []*[]float32{&s.local, &s.weights, &s.wire, &s.gradients, &s.back} {
		*p = make([]float32, n)
	}
	for _, p := range []*[]float64{&s.mixed, &s.wide, &s.exact} {
		*p = make([]float64, n)
	}
	return s
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

// carry takes a block through the most nodes of the plan, and measures every way
// where the plan has a ring of so many.
func carry(plan lossPlan, cell int, seed uint64, into *losses) {
	b, s, c := newLossBlock(plan, seed), newLossSums(plan.Elements), plan.Cells[cell]
	next := 0
	for m := 1; next < len(plan.Nodes); m++ {
		b.draw(seed, m-1, c.Gradient)
		s.add(b, c.Rate, m)
		if m != plan.Nodes[next] {
			continue
		}
		for w, way := range lossWays {
			at := &into.all[cell][next][w]
			*at = append(*at, measureLoss(s.end(way.Key, b, c.Rate, m), s.exact, b.zero))
		}
		next++
	}
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
