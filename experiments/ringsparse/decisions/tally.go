package decisions

import (
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// candidateNames are the codecs that S42 chooses from, beside direct sending.
var candidateNames = []string{"bitmap", "coo"}

// coders returns the candidates with the platform's rates.
func coders(p *cluster.Platform) (out []ringsparse.Coder) {
	for _, name := range candidateNames {
		c, err := codec.Lookup(name)
		if err != nil {
			panic(err) // both are linked always
		}
		x := ringsparse.Coder{Codec: c}
		for _, r := range p.Codecs {
			if r.Name == name {
				x.Encode, x.Decode = r.Encode, r.Decode
			}
		}
		out = append(out, x)
	}
	return out
}

// again makes S42's decision about a logged block on a link of b bytes per second: the
// codec and the bytes, from the logged density, which gives the exact size of the
// candidates' forms.
func again(c ringsparse.Choice, candidates []ringsparse.Coder, b float64) (id uint8, bytes int) {
	n, density := c.DenseBytes/4, c.WeightDensity
	if c.Kind == ringsparse.Gradients {
		density = c.GradientDensity
	}
	size := func(c codec.Codec) float64 { return c.SizeAt(n, density) }
	x := ringsparse.CheapestCoder(candidates, n, n, b, false, size)
	return x.Codec.ID(), int(size(x.Codec) + 0.5)
}

// choiceSum adds up some choices.
type choiceSum struct {
	Choices, Weights, Ties, TieWeights int
	Codecs                             map[uint8]int
	Entries                            int64
	WeightDense, GradientDense         float64 // entries that are not zero
	// Bytes on the wire: a choice of the reduce-scatter is sent once, the owner's is
	// sent N−1 times.
	Bytes, DenseBytes int64
}

func (s *choiceSum) add(c ringsparse.Choice, id uint8, bytes, ranks int) {
	n := c.DenseBytes / 4
	times := 1
	if c.Gather {
		times = ranks - 1
	}
	one := choiceSum{Choices: 1, Codecs: map[uint8]int{id: 1}, Entries: int64(n), Bytes: int64(times * bytes), DenseBytes: int64(times * c.DenseBytes),
		WeightDense: float64(float64(n) * c.WeightDensity), GradientDense: float64(float64(n) * c.GradientDensity)}
	if c.Kind == ringsparse.Weights {
		one.Weights = 1
	}
	if c.Tie {
		one.Ties, one.TieWeights = 1, one.Weights
	}
	s.merge(one)
}

// merge adds o to s.
func (s *choiceSum) merge(o choiceSum) {
	if s.Codecs == nil {
		s.Codecs = map[uint8]int{}
	}
	for id, n := range o.Codecs {
		s.Codecs[id] += n
	}
	s.Choices += o.Choices
	s.Weights += o.Weights
	s.Ties += o.Ties
	s.TieWeights += o.TieWeights
	s.Entries += o.Entries
	s.WeightDense += o.WeightDense
	s.GradientDense += o.GradientDense
	s.Bytes += o.Bytes
	s.DenseBytes += o.DenseBytes
}

// of returns n in per cent of the choices.
func (s choiceSum) of(n int) float64       { return 100 * float64(n) / float64(max(s.Choices, 1)) }
func (s choiceSum) sparserWeights() int    { return s.Weights - s.TieWeights }
func (s choiceSum) gradients() int         { return s.Choices - s.Weights }
func (s choiceSum) compressed() int        { return s.Choices - s.Codecs[0] }
func (s choiceSum) weightDensity() float64 { return 100 * s.WeightDense / float64(max(s.Entries, 1)) }
func (s choiceSum) gradientDensity() float64 {
	return 100 * s.GradientDense / float64(max(s.Entries, 1))
}
func (s choiceSum) ratio() float64 { return float64(s.Bytes) / float64(max(s.DenseBytes, 1)) }

// tally adds one rank's choices. The first link is the run's own, so that what again
// says there must be what was sent.
func (d *decided) tally(choices []ringsparse.Choice, o walkOptions) {
	candidates := coders(setup.Platform())
	if d.Shares == nil {
		d.Shares = make([][][2]choiceSum, len(d.Layers))
		for l := range d.Shares {
			d.Shares[l] = make([][2]choiceSum, d.Ranks)
		}
	}
	for _, c := range choices {
		for i, b := range o.links {
			id, bytes := again(c, candidates, b)
			if i == 0 && (id != c.Codec || bytes != c.Bytes) {
				d.Replay++
			}
			d.Shares[c.Layer][c.Hop][i].add(c, id, bytes, d.Ranks)
		}
	}
	if o.options.Kinds != "" {
		return // one kind: nothing was chosen
	}
	broken, first := brokenRules(choices, o.options.Tie)
	if d.Broken == 0 {
		d.First = first
	}
	d.Broken += broken
}

// sum merges the shares that keep takes.
func (d *decided) sum(link int, keep func(layer, hop int) bool) (s choiceSum) {
	for l, hops := range d.Shares {
		for h := range hops {
			if keep(l, h) {
				s.merge(hops[h][link])
			}
		}
	}
	return s
}

func everything(int, int) bool { return true }

// ruleOf applies S41, apart from package ringsparse: it returns the kind that follows from two
// densities.
func ruleOf(weights, gradients float64, tie string) (kind ringsparse.Kind, byTie bool) {
	switch {
	case weights < gradients:
		return ringsparse.Weights, false
	case weights > gradients:
		return ringsparse.Gradients, false
	case tie == "gradients":
		return ringsparse.Gradients, true
	}
	return ringsparse.Weights, true
}

// brokenRules counts logged choices that do not follow S41, and returns the first.
func brokenRules(choices []ringsparse.Choice, tie string) (broken int, first *ringsparse.Choice) {
	for i, c := range choices {
		if kind, byTie := ruleOf(c.WeightDensity, c.GradientDensity, tie); kind == c.Kind && byTie == c.Tie {
			continue
		}
		if broken++; broken == 1 {
			first = &choices[i]
		}
	}
	return broken, first
}

// wrongCounts checks that a run's exchanges are N−1 and N−1 per layer and step of every rank. It
// returns the first phase that has another number of messages, that number and the right one;
// phase is "" if none has.
func (d decided) wrongCounts() (phase string, got, want int64) {
	each := int64(d.Ranks) * d.Steps * int64(len(d.Layers)) // one exchange of all ranks and layers
	t := d.Totals
	if len(t.Hops) != d.Ranks-1 {
		return "exchanges", int64(len(t.Hops)), int64(d.Ranks - 1)
	}
	for _, h := range t.Hops {
		if h.Blocks != each {
			return "reduce-scatter", h.Blocks, each
		}
	}
	if want = each * int64(d.Ranks-1); t.Gather.Blocks != want {
		return "all-gather", t.Gather.Blocks, want
	}
	if want = 2 * each * int64(d.Ranks-1); t.Sent.Blocks != want {
		return "all", t.Sent.Blocks, want
	}
	return "", 0, 0
}
