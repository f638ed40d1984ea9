package where

import (
	"math"

	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
)

// layer is a layer as the formulas see it: its elements, and the densities of one worker's weights
// and gradients.
type layer struct{ elements, weights, gradients float64 }

// Here, products are rounded before they are added, so that every CPU has the same digits.

// link holds what time is made of: bytes per second, the seconds of an empty message, and the
// rates of coding.
type link struct {
	bandwidth, empty float64
	rates            []cluster.CodecRate
}

// linkOf returns the link of a platform whose hosts are alike: a message passes two NICs.
func linkOf(p *cluster.Platform, rates []cluster.CodecRate) link {
	h := p.Workers[0]
	return link{h.Bandwidth, float64(2*(h.Latency+h.Overhead).Seconds()) + cluster.HeaderBytes/h.Bandwidth, rates}
}

// message returns the seconds of a message from one NIC to the next: Ta beside what an empty one takes.
func (l link) message(bytes float64) float64 { return l.empty + formula.Ta(bytes, l.bandwidth) }

// pass returns the seconds that counting or turning n elements takes.
func (l link) pass(what string, n float64) float64 { return 4 * n / setup.RateOf(l.rates, what).Encode }

// form holds the bytes of a block as S42 sends it, and the seconds of packing and unpacking it.
type form struct{ bytes, pack, unpack float64 }

// coded returns the cheapest form of n elements of a density, by S42: the least Tb if it is below Ta.
func (l link) coded(n, density float64) form {
	best, least := form{bytes: 4 * n}, formula.Ta(4*n, l.bandwidth)
	for _, c := range []struct {
		name  string
		bytes float64
	}{{"bitmap", formula.BitmapBytes(n, density)}, {"coo", formula.COOBytes(n, density)}} {
		r := setup.RateOf(l.rates, c.name)
		f := form{c.bytes, 4 * n / r.Encode, 4 * n / r.Decode}
		if tb := formula.Tb(f.pack, f.bytes, l.bandwidth, f.unpack); tb < least {
			best, least = f, tb
		}
	}
	return best
}

// path returns the density of a block by the ranks in its sum, from 1 to n, of the kind that travels:
// weights, gradients or, by S41, the sparser of both. Gradients fill in where weights are not zero.
// Where weights are zero on all ranks, sums of weights stay zero, and so do gradients made of them (S51);
// gradients that travel as such fill in there too, and with them the weights made of them.
func path(n int, x layer, kinds string) []float64 {
	out := make([]float64, n)
	masked, filled := 0.0, x.gradients // where weights are zero: densities of both kinds
	for m := 1; m <= n; m++ {
		w := x.weights + float64((1-x.weights)*masked)
		g := float64(x.weights*formula.FillIn(x.gradients, m-1)) + float64((1-x.weights)*filled)
		if asWeights := kinds == "weights" || kinds == "both" && 1-w >= 1-g; asWeights {
			out[m-1], filled = w, masked
			continue
		}
		out[m-1] = g
		filled = 1 - float64((1-filled)*(1-x.gradients))
		masked = filled
	}
	return out
}

// exchange returns the seconds of one layer on a ring of n ranks that all do the same at once: N − 1 hops of
// the reduce-scatter, each packed, sent, unpacked, turned and counted, and N − 1 of the all-gather, which is
// packed once and unpacked while it travels on.
func (l link) exchange(n int, x layer, way string) (s float64) {
	block, hops := x.elements/float64(n), float64(n-1)
	var counts, turns float64 // per element: of its densities and of S51
	kinds := map[string]string{"ringsparse": "both", "gradients": "gradients", "weights": "weights"}[way]
	switch way {
	case "dense":
		return 2 * hops * l.message(4*block)
	case "all-gather":
		f := l.coded(x.elements, x.gradients)
		return l.pass("count", x.elements) + f.pack + float64(hops*l.message(f.bytes)) + float64(float64(n)*f.unpack)
	case "ringsparse":
		counts, turns = float64(2*l.pass("count", 1)), l.pass("convert", 1)
	default:
		counts = l.pass("count", 1)
	}
	s = float64(x.elements * counts)
	if way != "gradients" { // the local step beside W0
		s += l.pass("convert", x.elements)
	}
	d := path(n, x, kinds)
	for _, density := range d[:n-1] {
		f := l.coded(block, density)
		s += f.pack + l.message(f.bytes) + f.unpack + float64(block*(turns+counts))
	}
	f := l.coded(block, d[n-1])
	return s + f.pack + float64(hops*math.Max(l.message(f.bytes), f.unpack)) + f.unpack
}

// perLayer returns the least that a layer takes of the kinds that can be fixed beforehand.
func (l link) perLayer(n int, x layer) float64 {
	return min(l.exchange(n, x, "dense"), l.exchange(n, x, "gradients"), l.exchange(n, x, "weights"))
}

// iteration returns the seconds of every way over layers that take no time to compute: one after the other, and
// the update of all parameters.
func (l link) iteration(p *cluster.Platform, n int, layers []layer) times {
	t, params := times{}, 0.0
	for _, x := range layers {
		for _, way := range ways {
			t[way] += l.exchange(n, x, way)
		}
		t[perKind] += l.perLayer(n, x)
		params += x.elements
	}
	update := p.Workers[0].Seconds(cluster.Work{FLOP: 2 * params, Bytes: 12 * params})
	for way := range t {
		t[way] += update
	}
	return t
}

// layers returns the two layers of a point.
func (p plan) layers(c point) []layer {
	return []layer{{float64(p.Elements), 1, c.Gradients}, {float64(p.Elements), c.Weights, 1}}
}

// formulas returns the times of a point by the formulas alone.
func (p plan) formulas(c point) times {
	on := setup.WithLink(setup.Platform(), c.Gbps)
	return linkOf(on, ratesOf(c.Rates)).iteration(on, c.Nodes, p.layers(c))
}
