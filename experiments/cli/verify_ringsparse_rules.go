package cli

import (
	"context"
	"math/big"

	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/codec"
)

// chooseRule compares Choose with eval for all sparsities of eight elements.
func chooseRule(context.Context) (t tally, err error) {
	for tie, kind := range []ringsparse.Kind{ringsparse.Weights, ringsparse.Gradients} {
		for w := int64(0); w <= 8; w++ {
			for g := int64(0); g <= 8; g++ {
				want, err := exactRat("ringsparse.choose", values{"sw": big.NewRat(w, 8), "sg": big.NewRat(g, 8), "tie": whole(int64(tie))})
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

// dearer asks eval's rule about one block, and by how many seconds its answer is
// dearer than the other way; the block is alone, so its size is the layer's.
func dearer(v values) (compress bool, loss *big.Rat, err error) {
	answer, err := exactRat("ringsparse.compress", v)
	if err != nil {
		return false, nil, err
	}
	layer := v["size"]
	v["size"] = whole(0) // what sending costs does not hang on how it is estimated
	ta, err := exactRat("ringsparse.Ta", v)
	if err != nil {
		return false, nil, err
	}
	v["size"] = layer
	tb, err := exactRat("ringsparse.Tb", v)
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
					v := values{"d": whole(d), "n": one, "bandwidth": one, "compressed": whole(c), "tc": big.NewRat(h, 2), "td": new(big.Rat), "rule": whole(rule), "size": whole(0)}
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
					t.asPrinted(loss.Sign() <= 0, "a block of %d B, compressed to %d B in %g s, at 1 B/s: Ta = %g s, Tb = %g s, and it takes the %s way", d, c, float64(h)/2, ta, tb,
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
						v := values{"d": whole(n * block), "n": whole(n), "bandwidth": one, "compressed": whole(c), "tc": big.NewRat(h, 2), "td": new(big.Rat), "rule": whole(0), "size": whole(size)}
						_, loss, err := dearer(v)
						if err != nil {
							return t, err
						}
						if size == 0 {
							t.add(loss.Sign() <= 0, "N=%d, block of %d bytes, C=%d, Tc+Td=%d/2 s: %s s dearer", n, block, c, h, loss.RatString())
							continue
						}
						t.asPrinted(loss.Sign() <= 0, "N = %d, blocks of %d B, compressed to %d B in %g s, at 1 B/s: it compresses, %s s dearer than direct", n, block, c, float64(h)/2, loss.RatString())
					}
				}
			}
		}
	}
	return t, nil
}

// cheapestCodec compares CheapestCoder with the least of the exact costs, for
// every number of non-zeros, on links and at rates that make each form win
// somewhere.
func cheapestCodec(context.Context) (t tally, err error) {
	const n = 96
	won := map[string]int{}
	for _, bandwidth := range []int64{1, 3, 100} {
		for _, rate := range []int64{2, 8, 1000} {
			coders := []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: float64(rate), Decode: float64(2 * rate)}, {Codec: codec.COO{}, Encode: float64(rate), Decode: float64(rate)}}
			for nonzero := int64(0); nonzero <= n; nonzero++ {
				density := big.NewRat(nonzero, n)
				got := ringsparse.CheapestCoder(coders, n, n, float64(bandwidth), false, func(c codec.Codec) float64 { return c.SizeAt(n, float64(nonzero)/n) })
				best, least := "dense", big.NewRat(4*n, bandwidth)
				for _, form := range []struct {
					name   string
					tc, td int64
				}{{"bitmap", rate, 2 * rate}, {"coo", rate, rate}} {
					size, err := exactRat("ringsparse."+form.name, values{"elements": whole(n), "density": density})
					if err != nil {
						return t, err
					}
					tb, err := exactRat("ringsparse.Tb", values{"compressed": size, "bandwidth": whole(bandwidth), "tc": big.NewRat(4*n, form.tc), "td": big.NewRat(4*n, form.td)})
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
