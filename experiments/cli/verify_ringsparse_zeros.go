package cli

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// zerosContained takes local steps on seeded vectors, of weights of which a share
// is zero, and on one in which W0 = η·g.
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
				want, err := exactRat("ringsparse.fillin", values{"density": big.NewRat(a, q), "k": whole(k)})
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
			want, err := exactly("ringsparse.fillin", values{"density": big.NewRat(d, 100), "k": whole(k)})
			if err != nil {
				return t, err
			}
			got, sigma := ringsparse.Density(sum, 0), math.Sqrt(want*(1-want)/length)
			t.add(math.Abs(got-want) <= 4*sigma, "d=%d %%, k=%d: density %g, the formula gives %g ± %g", d, k, got, want, sigma)
		}
	}
	return t, nil
}

// encodedSizes compares the bytes of encoded vectors, and what codecs announce,
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
				want, err := exactRat("ringsparse."+c.Name(), values{"elements": whole(int64(n)), "density": density})
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
				v := values{"d": whole(d), "n": one, "bandwidth": whole(bandwidth), "tc": big.NewRat(quarter, 4), "td": whole(quarter / 2), "codec": whole(int64(form)), "elements": whole(n), "size": whole(0)}
				even, err := exactRat("ringsparse.break-even", v)
				if err != nil {
					return t, err
				}
				ta, err := exactRat("ringsparse.Ta", v)
				if err != nil {
					return t, err
				}
				for nonzero := int64(0); nonzero <= n; nonzero++ {
					v["density"] = big.NewRat(nonzero, n)
					if v["compressed"], err = exactRat("ringsparse."+name, v); err != nil {
						return t, err
					}
					tb, err := exactRat("ringsparse.Tb", v)
					if err != nil {
						return t, err
					}
					pays := tb.Cmp(ta) < 0
					sides[pays]++
					t.add(pays == (v["density"].Cmp(even) < 0), "%s, B=%d, Tc+Td=%d/4 s, %d of %d non-zero: Tb %s, Ta %s, break-even %s", name, bandwidth, 3*quarter, nonzero, n,
						tb.RatString(), ta.RatString(), even.RatString())
				}
			}
		}
	}
	t.add(sides[true] > 0 && sides[false] > 0, "all cases are on one side: %v", sides)
	return t, nil
}
