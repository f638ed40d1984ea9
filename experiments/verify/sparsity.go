package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gradsync/experiments/eval"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// chooseRule compares Choose with eval for all sparsities of eight elements.
func chooseRule(context.Context) (t tally, err error) {
	for tie, kind := range []ringsparse.Kind{ringsparse.Weights, ringsparse.Gradients} {
		for w := int64(0); w <= 8; w++ {
			for g := int64(0); g <= 8; g++ {
				want, err := eval.Exact("ringsparse.choose", eval.Args{"sw": big.NewRat(w, 8), "sg": big.NewRat(g, 8), "tie": whole(int64(tie))})
				if err != nil {
					return t, err
				}
				got, byTie := ringsparse.Choose(float64(w)/8, float64(g)/8, kind)
				t.add((got == ringsparse.Weights) == (want.Sign() == 0) && byTie == (w == g), "Sw=%d/8, Sg=%d/8, tie to %v: %v, by the tie %v", w, g, kind, got, byTie)
			}
		}
	}
	return t, nil
}

// dearer asks eval's rule whether to compress one block, and returns by how many seconds
// its answer costs more than the other way.
func dearer(v eval.Args) (compress bool, loss *big.Rat, err error) {
	answer, err := eval.Exact("ringsparse.compress", v)
	if err != nil {
		return false, nil, err
	}
	layer := v["size"]
	v["size"] = whole(0) // the true cost: sending takes a block's time, however it is estimated
	ta, err := eval.Exact("ringsparse.Ta", v)
	if err != nil {
		return false, nil, err
	}
	v["size"] = layer
	tb, err := eval.Exact("ringsparse.Tb", v)
	if err != nil {
		return false, nil, err
	}
	if answer.Sign() > 0 {
		return true, sub(tb, ta), nil
	}
	return false, sub(ta, tb), nil
}

// compressRule tries both rules on every small block, smallest first: D bytes
// compressed to C, Tc + Td in halves of a second, B = 1 byte/s. The rule of
// papers/ringsparse must answer as eval's.
func compressRule(context.Context) (t tally, err error) {
	for d := int64(1); d <= 8; d++ {
		for c := int64(0); c <= d; c++ {
			for h := int64(0); h <= 8; h++ {
				for rule := int64(0); rule <= 1; rule++ {
					v := eval.Args{"d": whole(d), "n": one, "bandwidth": one, "compressed": whole(c), "tc": big.NewRat(h, 2), "td": new(big.Rat), "rule": whole(rule),
						"size": whole(0)}
					compress, loss, err := dearer(v)
					if err != nil {
						return t, err
					}
					ta, tb := ringsparse.CostDirect(float64(d), 1), ringsparse.CostCompressed(float64(h)/2, float64(c), 1, 0)
					t.add(ringsparse.Compress(ta, tb, rule == 1) == compress, "D=%d, C=%d, Tc+Td=%d/2 s, rule %d: papers/ringsparse and eval disagree", d, c, h, rule)
					if rule == 0 {
						t.add(loss.Sign() <= 0, "D=%d, C=%d, Tc+Td=%d/2 s: %s s dearer", d, c, h, loss.RatString())
						continue
					}
					t.asPrinted(loss.Sign() <= 0, "a block of %d B, compressed to %d B in %g s, at 1 B/s: Ta = %g s, Tb = %g s, and it takes the %s way", d, c,
						float64(h)/2, ta, tb,
						map[bool]string{true: "compressed", false: "direct"}[compress])
				}
			}
		}
	}
	return t, nil
}

// layerSize tries both readings of D on every small layer of up to four blocks,
// by the corrected rule.
func layerSize(context.Context) (t tally, err error) {
	for n := int64(2); n <= 4; n++ {
		for block := int64(1); block <= 6; block++ {
			for c := int64(0); c <= block; c++ {
				for h := int64(0); h <= 12; h++ {
					for size := int64(0); size <= 1; size++ {
						v := eval.Args{"d": whole(n * block), "n": whole(n), "bandwidth": one, "compressed": whole(c), "tc": big.NewRat(h, 2), "td": new(big.Rat),
							"rule": whole(0), "size": whole(size)}
						_, loss, err := dearer(v)
						if err != nil {
							return t, err
						}
						if size == 0 {
							t.add(loss.Sign() <= 0, "N=%d, block of %d bytes, C=%d, Tc+Td=%d/2 s: %s s dearer", n, block, c, h, loss.RatString())
							continue
						}
						t.asPrinted(loss.Sign() <= 0, "N = %d, blocks of %d B, compressed to %d B in %g s, at 1 B/s: it compresses, %s s dearer than direct", n, block, c,
							float64(h)/2, loss.RatString())
					}
				}
			}
		}
	}
	return t, nil
}

// cheapestCodec compares CheapestCoder with the least of the exact costs for every number
// of non-zeros, on links and at rates at which each form wins somewhere.
func cheapestCodec(context.Context) (t tally, err error) {
	const n = 96
	won := map[string]int{}
	for _, bandwidth := range []int64{1, 3, 100} {
		for _, rate := range []int64{2, 8, 1000} {
			coders := []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: float64(rate), Decode: float64(2 * rate)},
				{Codec: codec.COO{}, Encode: float64(rate), Decode: float64(rate)}}
			for nonzero := int64(0); nonzero <= n; nonzero++ {
				density := big.NewRat(nonzero, n)
				got := ringsparse.CheapestCoder(coders, n, n, float64(bandwidth), false, func(c codec.Codec) float64 { return c.SizeAt(n, float64(nonzero)/n) })
				best, least := "dense", big.NewRat(4*n, bandwidth)
				for _, form := range []struct {
					name   string
					tc, td int64
				}{{"bitmap", rate, 2 * rate}, {"coo", rate, rate}} {
					size, err := eval.Exact("ringsparse."+form.name, eval.Args{"elements": whole(n), "density": density})
					if err != nil {
						return t, err
					}
					tb, err := eval.Exact("ringsparse.Tb",
						eval.Args{"compressed": size, "bandwidth": whole(bandwidth), "tc": big.NewRat(4*n, form.tc), "td": big.NewRat(4*n, form.td)})
					if err != nil {
						return t, err
					}
					if tb.Cmp(least) < 0 {
						best, least = form.name, tb
					}
				}
				won[best]++
				t.add(got.Codec.Name() == best, "%d of %d non-zero, B=%d, rate %d: %s, the least cost is that of %s", nonzero, n, bandwidth, rate, got.Codec.Name(), best)
			}
		}
	}
	t.add(won["dense"] > 0 && won["bitmap"] > 0 && won["coo"] > 0, "one form never wins: %v", won)
	return t, nil
}

// zerosContained takes local steps on seeded vectors, a share of whose weights is zero, and
// one step with W0 = η·g.
func zerosContained(context.Context) (t tally, err error) {
	const length = 2000
	for _, pruned := range []float64{0, 0.5} {
		for _, density := range []float64{0.01, 0.5, 1} {
			r := cluster.Stream(3, 0, "", fmt.Sprint("verify zeros ", pruned, density))
			w0, g, w := make([]float32, length), make([]float32, length), make([]float32, length)
			for i := range g {
				if r.Float64() >= pruned {
					w0[i] = float32(r.NormFloat64())
				}
				if r.Float64() < density {
					g[i] = float32(r.NormFloat64())
				}
			}
			ringsparse.LocalStep(w, w0, g, sparseEta, ringsparse.Descent)
			for i := range w {
				t.add(math.Float32bits(w[i]) != 0 || math.Float32bits(g[i]) == 0, "W0 = %g, g = %g: W′ = +0", w0[i], g[i])
			}
			sw, sg := ringsparse.Sparsity(w, 0), ringsparse.Sparsity(g, 0)
			kind, _ := ringsparse.Choose(sw, sg, ringsparse.Gradients)
			t.add(sw <= sg && kind == ringsparse.Gradients, "pruned %g, density %g: Sw = %g, Sg = %g", pruned, density, sw, sg)
		}
	}
	w := []float32{9}
	ringsparse.LocalStep(w, []float32{0.375}, []float32{3}, sparseEta, ringsparse.Descent)
	t.add(math.Float32bits(w[0]) == 0, "W0 = 0.375 = η·3: W′ = %g", w[0])
	return t, nil
}

// fillInPatterns counts, of all q^(k+1) equally likely patterns of k+1 blocks, the
// share in which at least one block's element is not zero.
func fillInPatterns(context.Context) (t tally, err error) {
	for q := int64(1); q <= 6; q++ {
		for a := int64(0); a <= q; a++ {
			all := int64(1)
			for k := int64(0); k <= 4; k++ {
				all *= q
				hits := int64(0)
				for pattern := range all {
					for rest, i := pattern, int64(0); i <= k; i++ {
						if rest%q < a {
							hits++
							break
						}
						rest /= q
					}
				}
				want, err := eval.Exact("ringsparse.fillin", eval.Args{"density": big.NewRat(a, q), "k": whole(k)})
				if err != nil {
					return t, err
				}
				t.add(want.Cmp(big.NewRat(hits, all)) == 0, "d=%d/%d, k=%d: %d of %d patterns, the formula gives %s", a, q, k, hits, all, want.RatString())
			}
		}
	}
	return t, nil
}

// fillInCounted sums seeded vectors of positive entries, which cannot cancel.
func fillInCounted(context.Context) (t tally, err error) {
	t.within = true
	const length = 20000
	for _, d := range []int64{1, 8, 30} { // per cent
		sum, x := make([]float32, length), make([]float32, length)
		for k := range int64(16) {
			r := cluster.Stream(7, int(k), "", fmt.Sprint("verify fill-in ", d))
			for i := range x {
				x[i] = 0
				if r.Float64() < float64(d)/100 {
					x[i] = 1 + r.Float32()
				}
			}
			vec.AddTo(sum, x)
			want, err := eval.Float("ringsparse.fillin", eval.Args{"density": big.NewRat(d, 100), "k": whole(k)})
			if err != nil {
				return t, err
			}
			got, sigma := ringsparse.Density(sum, 0), math.Sqrt(want*(1-want)/length)
			t.add(math.Abs(got-want) <= 4*sigma, "d=%d %%, k=%d: density %g, the formula gives %g ± %g", d, k, got, want, sigma)
		}
	}
	return t, nil
}

// encodedSizes compares the bytes of encoded vectors, and the sizes that codecs announce,
// with eval.
func encodedSizes(context.Context) (t tally, err error) {
	r := cluster.Stream(9, 0, "", "verify sizes")
	for _, c := range []codec.Codec{codec.Bitmap{}, codec.COO{}} {
		for n := 0; n <= 130; n++ {
			order := r.Perm(n)
			x := make([]float32, n)
			for nonzero := 0; nonzero <= n; nonzero++ {
				if nonzero > 0 {
					x[order[nonzero-1]] = -1
				}
				density := new(big.Rat)
				if n > 0 {
					density.SetFrac64(int64(nonzero), int64(n))
				}
				want, err := eval.Exact("ringsparse."+c.Name(), eval.Args{"elements": whole(int64(n)), "density": density})
				if err != nil {
					return t, err
				}
				wire := c.Append(nil, x)
				f, _ := density.Float64()
				t.add(want.Cmp(whole(int64(len(wire)))) == 0 && c.Size(x) == len(wire) && math.Abs(c.SizeAt(n, f)-float64(len(wire))) < 1e-9,
					"%s, %d of %d non-zero: %d bytes, Size %d, SizeAt %g, the formula gives %s", c.Name(), nonzero, n, len(wire), c.Size(x), c.SizeAt(n, f), want.RatString())
			}
		}
	}
	return t, nil
}

// breakEvenSeparates compares Tb with Ta, exactly, at every density of blocks of
// 64 elements, on both sides of the break-even and on it.
func breakEvenSeparates(context.Context) (t tally, err error) {
	const n, d = 64, 256
	sides := map[bool]int{}
	for form, name := range []string{"bitmap", "coo"} {
		for _, bandwidth := range []int64{1, 4, 32} {
			for quarter := int64(0); quarter <= 40; quarter += 4 {
				v := eval.Args{"d": whole(d), "n": one, "bandwidth": whole(bandwidth), "tc": big.NewRat(quarter, 4), "td": whole(quarter / 2),
					"codec": whole(int64(form)), "elements": whole(n), "size": whole(0)}
				even, err := eval.Exact("ringsparse.break-even", v)
				if err != nil {
					return t, err
				}
				ta, err := eval.Exact("ringsparse.Ta", v)
				if err != nil {
					return t, err
				}
				for nonzero := int64(0); nonzero <= n; nonzero++ {
					v["density"] = big.NewRat(nonzero, n)
					if v["compressed"], err = eval.Exact("ringsparse."+name, v); err != nil {
						return t, err
					}
					tb, err := eval.Exact("ringsparse.Tb", v)
					if err != nil {
						return t, err
					}
					pays := tb.Cmp(ta) < 0
					sides[pays]++
					t.add(pays == (v["density"].Cmp(even) < 0), "%s, B=%d, Tc+Td=%d/4 s, %d of %d non-zero: Tb %s, Ta %s, break-even %s", name, bandwidth, 3*quarter,
						nonzero, n,
						tb.RatString(), ta.RatString(), even.RatString())
				}
			}
		}
	}
	t.add(sides[true] > 0 && sides[false] > 0, "all cases are on one side: %v", sides)
	return t, nil
}
