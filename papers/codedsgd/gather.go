package codedsgd

import (
	"fmt"
	"math"

	"gradsync/shared/cluster"
)

// pieces holds the gradients of all of a batch's pieces, for a rule that wants every one.
// They are means over their samples, in float32, and travel as they are: a coded packet adds
// words of 32 bits modulo 2³² and what is subtracted leaves the words exactly, whatever
// number they spell. So nothing is clipped to a range, adversarial numbers least of all.
type pieces struct {
	rule  Rule
	grads [][]float32 // [block·m + micro-block]; nil in a timing-only run
	mean  []float32   // the rule's outcome
}

// newPieces returns room for all pieces, nil without a rule; a piece without samples has no mean.
func newPieces(x *node) (*pieces, error) {
	if x.o.Rule.Name == "" {
		return nil, nil
	}
	for i := range x.o.MicroBlocks {
		if x.bounds[i] == x.bounds[i+1] {
			return nil, fmt.Errorf("codedsgd: piece %d of %d of a batch of %d has no sample, so rule %s has no gradient of it",
				i, x.o.MicroBlocks, x.job.Batch, x.o.Rule.Name)
		}
	}
	p := &pieces{rule: x.o.Rule}
	if x.job.Task != nil {
		p.mean = make([]float32, x.params)
		for range x.o.MicroBlocks {
			p.grads = append(p.grads, make([]float32, x.params))
		}
	}
	return p, nil
}

// words writes the bits of the mean of src over samples to dst and returns how many are NaN
// or infinite.
func words(dst []int32, src []float32, samples int) (notFinite int) {
	for i, v := range src {
		v /= float32(samples)
		if notFiniteNumber(v) {
			notFinite++
		}
		dst[i] = int32(math.Float32bits(v))
	}
	return notFinite
}

func notFiniteNumber(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }

// keep writes a decoded segment, the front of src, to its place in a piece's layer.
func (p *pieces) keep(piece int, l cluster.Layer, cut Cut, src []int32, position int) {
	layer := p.grads[piece][l.Offset : l.Offset+l.Length]
	cut.ranges(position, func(at, lo, hi int) {
		for i := lo; i < hi; i++ {
			layer[i] = math.Float32frombits(uint32(src[at+i-lo]))
		}
	})
}

// keepOwn writes a layer of one of the node's own pieces, the words that it sends of it.
func (p *pieces) keepOwn(piece int, l cluster.Layer, src []int32) {
	layer := p.grads[piece][l.Offset : l.Offset+l.Length]
	for i, word := range src {
		layer[i] = math.Float32frombits(uint32(word))
	}
}

// descend aggregates all pieces and takes the step, on every node the same bits. An outcome
// that is not finite is an error: there are more such pieces than the rule tolerates.
func (p *pieces) descend(x *node) error {
	work := p.rule.Work(x.o.MicroBlocks, x.params)
	work.FLOP += 4 * float64(x.params)
	work.Bytes += 12 * float64(x.params) // the outcome, and the parameter that is read and written
	if x.store == nil {
		return cluster.Compute(x.p, work, nil)
	}
	return cluster.Compute(x.p, work, func() error {
		if err := p.rule.Aggregate(p.mean, p.grads); err != nil {
			return err
		}
		if err := p.finite(x); err != nil {
			return err
		}
		Descend(x.weights, p.mean, x.job.Rate, x.job.WeightDecay)
		return nil
	})
}

// finite returns an error if the rule's outcome has a NaN or an infinity.
func (p *pieces) finite(x *node) error {
	err := &NotFiniteError{Rank: x.rank, Step: x.step, Rule: p.rule.Name}
	for l, layer := range x.job.Layers {
		for _, v := range p.mean[layer.Offset : layer.Offset+layer.Length] {
			if notFiniteNumber(v) {
				err.Numbers, err.Layer, err.Name = err.Numbers+1, l, layer.Name
			}
		}
	}
	if err.Numbers == 0 {
		return nil
	}
	return err
}

// earliest returns the holder of each block that computes it first, of equal ones the lowest:
// turned by one node the choice is turned too, so that all send about as much.
func (a *Assignment) earliest() []int {
	from, place := make([]int, a.Blocks()), make([]int, a.Blocks())
	for v := range a.n {
		for k, q := range a.sequence(v) {
			if place[q] == 0 || k+1 < place[q] {
				from[q], place[q] = v, k+1
			}
		}
	}
	return from
}

// inRound gives a round's micro-blocks of a store by their number in the round.
type inRound struct {
	*store
	first int
}

// Layer returns the round's micro-block j of a block's gradient of one layer.
func (r inRound) Layer(block, j, layer int) ([]int32, error) {
	return r.store.Layer(block, r.first+j, layer)
}

// known returns the own gradients of a round.
func (x *node) known(round int) Known {
	if round == 0 {
		return x.store
	}
	return inRound{x.store, round * x.each}
}
