package ringsparse

import (
	"fmt"
	"slices"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// candidateNames are the codecs that S42 chooses from, beside direct sending.
var candidateNames = []string{"bitmap", "coo"}

// coders are the candidates with the platform's rates.
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

// again is S42's decision about a logged block on a link of b bytes per second: the
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

// share is the sum of some choices.
type share struct {
	Choices, Weights, Ties, TieWeights int
	Codecs                             map[uint8]int
	Entries                            int64
	weightDense, gradientDense         float64 // entries that are not zero
	// Bytes on the wire: a choice of the reduce-scatter is sent once, the owner's is
	// sent N−1 times.
	Bytes, DenseBytes int64
}

func (s *share) add(c ringsparse.Choice, id uint8, bytes, ranks int) {
	if s.Codecs == nil {
		s.Codecs = map[uint8]int{}
	}
	s.Choices++
	s.Codecs[id]++
	if c.Kind == ringsparse.Weights {
		s.Weights++
	}
	if c.Tie {
		s.Ties++
		if c.Kind == ringsparse.Weights {
			s.TieWeights++
		}
	}
	n := c.DenseBytes / 4
	s.Entries += int64(n)
	s.weightDense += float64(float64(n) * c.WeightDensity)
	s.gradientDense += float64(float64(n) * c.GradientDensity)
	times := 1
	if c.Gather {
		times = ranks - 1
	}
	s.Bytes += int64(times * bytes)
	s.DenseBytes += int64(times * c.DenseBytes)
}

func (s share) of(n int) float64         { return 100 * float64(n) / float64(max(s.Choices, 1)) }
func (s share) sparserWeights() int      { return s.Weights - s.TieWeights }
func (s share) gradients() int           { return s.Choices - s.Weights }
func (s share) compressed() int          { return s.Choices - s.Codecs[0] }
func (s share) weightDensity() float64   { return 100 * s.weightDense / float64(max(s.Entries, 1)) }
func (s share) gradientDensity() float64 { return 100 * s.gradientDense / float64(max(s.Entries, 1)) }
func (s share) ratio() float64           { return float64(s.Bytes) / float64(max(s.DenseBytes, 1)) }
func (s share) codecs() string {
	var ids []uint8
	for id := range s.Codecs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	text := ""
	for _, id := range ids {
		c, err := codec.ByID(id)
		if err != nil {
			panic(err) // it was sent
		}
		name := c.Name()
		if id == 0 {
			name = "direct"
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %.0f %%", name, s.of(s.Codecs[id]))
	}
	return text
}

// tally adds one rank's choices. The first link is the run's own, so that what again
// says there must be what was sent.
func (d *decided) tally(choices []ringsparse.Choice, links [2]float64) {
	candidates := coders(referencePlatform())
	if d.Shares == nil {
		d.Shares = make([][][2]share, len(d.Layers))
		for l := range d.Shares {
			d.Shares[l] = make([][2]share, d.Ranks)
		}
	}
	for _, c := range choices {
		for i, b := range links {
			id, bytes := again(c, candidates, b)
			if i == 0 && (id != c.Codec || bytes != c.Bytes) {
				d.Replay++
			}
			d.Shares[c.Layer][c.Hop][i].add(c, id, bytes, d.Ranks)
		}
	}
	if d.Kinds != "" {
		return // one kind: nothing was chosen
	}
	broken, first := brokenRules(choices, d.Tie)
	if d.Broken == 0 {
		d.First = first
	}
	d.Broken += broken
}

// merge adds o to s.
func (s *share) merge(o share) {
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
	s.weightDense += o.weightDense
	s.gradientDense += o.gradientDense
	s.Bytes += o.Bytes
	s.DenseBytes += o.DenseBytes
}

// sum merges the shares that keep takes.
func (d *decided) sum(link int, keep func(layer, hop int) bool) (s share) {
	for l, hops := range d.Shares {
		for h := range hops {
			if keep(l, h) {
				s.merge(hops[h][link])
			}
		}
	}
	return s
}
