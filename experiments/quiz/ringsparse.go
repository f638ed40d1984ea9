package quiz

import (
	"slices"

	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/tensor/codec"
)

var sparseMakers = []maker{{"ringsparse.sparsity", sparseSparsity}, {"ringsparse.kind", sparseKind},
	{"ringsparse.densities", sparseDensities}, {"ringsparse.form", sparseForm},
	{"ringsparse.cheapest", sparseCheapest}, {"ringsparse.bytes", sparseBytes}, {"ringsparse.to-gradients", sparseToGradients},
	{"ringsparse.to-weights", sparseToWeights},
	{"ringsparse.average", sparseAverage}, {"ringsparse.fill-in", sparseFillIn}, {"ringsparse.time", sparseTime}}

// The kinds of a block, in the order of ringsparse.Kind.
var kinds = []Text{{"weights", "权重"}, {"gradients", "梯度"}}

func sparseSparsity(d draw) (expected, facts) {
	n := pick(d, 8, 16)
	x := d.sparse(n, d.from(0, n))
	f := ringsparse.Sparsity(x, 0)
	return exactly(of(float32(f)), share), facts{"x": x, "zeros": int(f * float64(n)), "share": f}
}

func sparseKind(d draw) (expected, facts) {
	const n = 8
	w, g := d.sparse(n, d.from(2, n)), d.sparse(n, d.from(2, n))
	return chosen(facts{"W": w, "G": g}, ringsparse.Sparsity(w, 0), ringsparse.Sparsity(g, 0))
}

// chosen asks which kind is sent at two sparsities.
func chosen(says facts, sw, sg float64) (expected, facts) {
	kind, tie := ringsparse.Choose(sw, sg, ringsparse.Weights)
	says["Sw"], says["Sg"], says["tie"], says["kind"] = sw, sg, tie, kinds[kind-1]
	return oneOf(int(kind)-1, kinds...), says
}

func sparseDensities(d draw) (expected, facts) {
	dw, dg := float64(d.from(1, 8))/8, float64(d.from(1, 8))/8
	return chosen(facts{"dw": dw, "dg": dg}, 1-dw, 1-dg)
}

// conversion draws m nodes' weights and gradients of a block of n numbers: W0, η, and
// both sums. η is a power of two and all numbers are small, so nothing is rounded.
func conversion(d draw, n int) (w0, sumG, sumW []float32, eta float64, m int) {
	w0, sumG, sumW = d.small(n), d.small(n), make([]float32, n)
	eta, m = pick(d, 0.5, 0.25), d.from(2, 5)
	ringsparse.ToWeights(sumW, w0, sumG, eta, m, ringsparse.Descent)
	return w0, sumG, sumW, eta, m
}

func sparseToGradients(d draw) (expected, facts) {
	w0, _, pw, eta, m := conversion(d, 3)
	pg := make([]float32, len(w0))
	ringsparse.ToGradients(pg, w0, pw, eta, m, ringsparse.Descent)
	return sequence(pg...), facts{"W0": w0, "rate": eta, "m": m, "Pw": pw, "Pg": pg}
}

func sparseToWeights(d draw) (expected, facts) {
	w0, pg, pw, eta, m := conversion(d, 3)
	return sequence(pw...), facts{"W0": w0, "rate": eta, "m": m, "Pg": pg, "Pw": pw}
}

func sparseAverage(d draw) (expected, facts) {
	w0, sum := d.small(3), d.small(3)
	n, eta := pick(d, 2, 4), pick(d, 1, 0.5)
	w, weights := slices.Clone(w0), d.coin()
	if weights {
		ringsparse.AverageWeights(w, sum, n)
	} else {
		ringsparse.ApplyGradients(w, sum, eta, n, ringsparse.Descent)
	}
	return sequence(w...), facts{"weights": weights, "W0": w0, "rate": eta, "N": n, "S": sum, "new": w}
}

// bracketed writes a number behind an operator.
func bracketed(x float32) string {
	if x < 0 {
		return "(" + decimal(of(x)) + ")"
	}
	return decimal(of(x))
}

func sparseFillIn(d draw) (expected, facts) {
	density, k := pick(d, 0.5, 0.25, 0.1, 0.2), d.from(1, 3)
	f := ringsparse.FillIn(density, k)
	return about(f, share), facts{"d": density, "k": k, "zeros": 1 - density, "density": f}
}

func sparseTime(d draw) (expected, facts) {
	n := d.from(2, 8)
	size, b := n*d.from(1, 50)*1_000_000, float64(d.from(1, 10))*1e8
	t := formula.T(n, float64(size), b)
	return about(t, seconds), facts{"N": n, "D": size, "B": b, "exchanges": 2 * (n - 1), "once": float64(size) / b, "time": t}
}

// ways are how a block travels.
var ways = []Text{{"direct", "直接"}, {"compressed", "压缩"}}

func sparseForm(d draw) (expected, facts) {
	size := d.from(2, 20) * 1000
	b := float64(d.from(1, 5)) * 1000
	short := size * d.from(2, 9) / 10
	tc, td := float64(d.from(1, 30))/10, float64(d.from(1, 30))/10
	ta, tb := ringsparse.CostDirect(float64(size), b), ringsparse.CostCompressed(tc, float64(short), b, td)
	way, than := 0, "≥"
	if ringsparse.Compress(ta, tb, false) {
		way, than = 1, "<"
	}
	return oneOf(way, ways...), facts{"D": size, "C": short, "B": b, "Tc": tc, "Td": td, "Ta": ta, "Tb": tb, "than": than, "way": ways[way]}
}

// forms lists the codecs that a block may travel by.
var forms = []codec.Codec{codec.Dense{}, codec.Bitmap{}, codec.COO{}}

func formNames() (names []Text) {
	for _, c := range forms {
		names = append(names, same(c.Name()))
	}
	return names
}

func sparseCheapest(d draw) (expected, facts) {
	n := 96
	nonzero := pick(d, 1, 2, 24, 48, 72, 90)
	b, rate := float64(pick(d, 1, 2, 4, 8)), float64(pick(d, 8, 16, 96))
	coders := []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: rate, Decode: rate}, {Codec: codec.COO{}, Encode: rate, Decode: rate}}
	size := func(c codec.Codec) float64 { return c.SizeAt(n, float64(nonzero)/float64(n)) }
	best := ringsparse.CheapestCoder(coders, n, n, b, false, size)
	costs := []float64{ringsparse.CostDirect(float64(4*n), b)}
	right := 0
	for i, c := range coders {
		tc, td := c.Costs(float64(4 * n))
		costs = append(costs, tc+td, size(c.Codec), ringsparse.CostCompressed(tc, size(c.Codec), b, td))
		if c.Codec.ID() == best.Codec.ID() {
			right = i + 1
		}
	}
	return oneOf(right, formNames()...), facts{"n": n, "z": nonzero, "R": rate, "B": b, "costs": costs, "best": best.Codec.Name()}
}

func sparseBytes(d draw) (expected, facts) {
	n := d.from(9, 20)
	x := d.sparse(n, d.from(1, 6))
	c := forms[d.from(1, len(forms)-1)]
	values := 4 * int(float64(n)*ringsparse.Density(x, 0)+0.5)
	size := c.Size(x)
	return whole(int64(size), bytes), facts{"x": x, "form": c.Name(), "nonzero": values / 4, "values": values, "flags": size - values, "size": size}
}
