package eval

import (
	"math"
	"math/big"
	"testing"

	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/codec"
)

func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

// exact computes a formula of whole numbers, fractions and words by their place.
func exact(t *testing.T, name string, v Args) *big.Rat {
	t.Helper()
	got, err := Exact(name, v)
	if err != nil {
		t.Fatalf("%s of %v: %v", name, v, err)
	}
	return got
}

// TestChooseIsTheRings: the rule of papers/ringsparse and eval's, for all sparsities of eight elements.
func TestChooseIsTheRings(t *testing.T) {
	for tie, kind := range []ringsparse.Kind{ringsparse.Weights, ringsparse.Gradients} {
		for w := int64(0); w <= 8; w++ {
			for g := int64(0); g <= 8; g++ {
				want := exact(t, "ringsparse.choose", Args{"sw": ratio(w, 8), "sg": ratio(g, 8), "tie": ratio(int64(tie), 1)})
				got, byTie := ringsparse.Choose(float64(w)/8, float64(g)/8, kind)
				if (got == ringsparse.Weights) != (want.Sign() == 0) || byTie != (w == g) {
					t.Errorf("Sw=%d/8, Sg=%d/8, tie to %v: %v, by the tie %v, eval %s", w, g, kind, got, byTie, want)
				}
			}
		}
	}
}

// TestCompressNeverTakesTheDearerWay: of a layer of n blocks by the corrected rule with D of the block, which is that of
// papers/ringsparse too; by the printed rule and with D of the layer it does, first where a pencil finds it: a block of
// one byte that compresses to nothing for nothing is sent as it is, and one that takes 1.5 s is compressed.
func TestCompressNeverTakesTheDearerWay(t *testing.T) {
	first := map[string][5]int64{} // rule and size: n, block, compressed, Tc in halves, seconds lost in halves
	for n := int64(1); n <= 4; n++ {
		for block := int64(1); block <= 6; block++ {
			for c := int64(0); c <= block; c++ {
				for h := int64(0); h <= 12; h++ {
					for rule, words := range []string{"corrected", "printed"} {
						for size, of := range []string{"block", "layer"} {
							v := Args{"d": ratio(n*block, 1), "n": ratio(n, 1), "bandwidth": ratio(1, 1), "compressed": ratio(c, 1), "tc": ratio(h, 2),
								"td": new(big.Rat), "rule": ratio(int64(rule), 1), "size": ratio(int64(size), 1)}
							compress := exact(t, "ringsparse.compress", v).Sign() > 0
							estimated := block
							if size == 1 {
								estimated = n * block
							}
							ta := ringsparse.CostDirect(float64(estimated), 1)
							tb := ringsparse.CostCompressed(float64(h)/2, float64(c), 1, 0)
							if ringsparse.Compress(ta, tb, rule == 1) != compress {
								t.Errorf("%s, %s, %v: papers/ringsparse and eval disagree", words, of, v)
							}
							lost := h + 2*c - 2*block // sending takes a block's time, whatever is estimated
							if !compress {
								lost = -lost
							}
							if _, seen := first[words+" "+of]; lost > 0 && !seen {
								first[words+" "+of] = [5]int64{n, block, c, h, lost}
							}
						}
					}
				}
			}
		}
	}
	want := map[string][5]int64{"printed block": {1, 1, 0, 0, 2}, "printed layer": {1, 1, 0, 0, 2}, "corrected layer": {2, 1, 0, 3, 1}}
	if len(first) != len(want) {
		t.Errorf("rules that take the dearer way: %v, want %v", first, want)
	}
	for rule, smallest := range want {
		if first[rule] != smallest {
			t.Errorf("%s: first dearer in %v, want %v", rule, first[rule], smallest)
		}
	}
}

// TestCheapestCoderIsOfTheLeastTb: on links and at rates at which each form wins somewhere.
func TestCheapestCoderIsOfTheLeastTb(t *testing.T) {
	const n = 96
	won := map[string]int{}
	for _, bandwidth := range []int64{1, 3, 100} {
		for _, rate := range []int64{2, 8, 1000} {
			coders := []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: float64(rate), Decode: float64(2 * rate)},
				{Codec: codec.COO{}, Encode: float64(rate), Decode: float64(rate)}}
			for nonzero := int64(0); nonzero <= n; nonzero++ {
				got := ringsparse.CheapestCoder(coders, n, n, float64(bandwidth), false,
					func(c codec.Codec) float64 { return c.SizeAt(n, float64(nonzero)/n) })
				best, least := "dense", ratio(4*n, bandwidth)
				for i, td := range []int64{2 * rate, rate} {
					form := coders[i].Codec.Name()
					size := exact(t, "ringsparse."+form, Args{"elements": ratio(n, 1), "density": ratio(nonzero, n)})
					tb := exact(t, "ringsparse.Tb", Args{"compressed": size, "bandwidth": ratio(bandwidth, 1), "tc": ratio(4*n, rate), "td": ratio(4*n, td)})
					if tb.Cmp(least) < 0 {
						best, least = form, tb
					}
				}
				won[best]++
				if got.Codec.Name() != best {
					t.Errorf("%d of %d non-zero, B=%d, rate %d: %s, the least cost is that of %s", nonzero, n, bandwidth, rate, got.Codec.Name(), best)
				}
			}
		}
	}
	if won["dense"] == 0 || won["bitmap"] == 0 || won["coo"] == 0 {
		t.Errorf("one form never wins: %v", won)
	}
}

// TestSizesAreTheBytesEncoded: for every count of zeros of up to 130 elements.
func TestSizesAreTheBytesEncoded(t *testing.T) {
	for _, c := range []codec.Codec{codec.Bitmap{}, codec.COO{}} {
		for n := int64(0); n <= 130; n++ {
			x := make([]float32, n)
			for nonzero := int64(0); nonzero <= n; nonzero++ {
				if nonzero > 0 {
					x[(nonzero*37)%n] = -1 // some are filled twice: counted below
				}
				filled := int64(0)
				for _, v := range x {
					filled += int64(math.Abs(float64(v)))
				}
				want := exact(t, "ringsparse."+c.Name(), Args{"elements": ratio(n, 1), "density": ratio(filled, max(n, 1))})
				wire := c.Append(nil, x)
				if f := float64(filled) / float64(max(n, 1)); want.Cmp(ratio(int64(len(wire)), 1)) != 0 || c.Size(x) != len(wire) ||
					math.Abs(c.SizeAt(int(n), f)-float64(len(wire))) > 1e-9 {
					t.Fatalf("%s, %d of %d non-zero: %d bytes, Size %d, SizeAt %g, the formula gives %s",
						c.Name(), filled, n, len(wire), c.Size(x), c.SizeAt(int(n), f), want.RatString())
				}
			}
		}
	}
}

// TestBreakEvenSeparates: below it Tb < Ta, above it and on it not, at every density of blocks of 64 elements.
func TestBreakEvenSeparates(t *testing.T) {
	const n, d = 64, 256
	sides := map[bool]int{}
	for form, name := range []string{"bitmap", "coo"} {
		for _, bandwidth := range []int64{1, 4, 32} {
			for quarter := int64(0); quarter <= 40; quarter += 4 {
				v := Args{"d": ratio(d, 1), "n": ratio(1, 1), "bandwidth": ratio(bandwidth, 1), "tc": ratio(quarter, 4), "td": ratio(quarter/2, 1),
					"codec": ratio(int64(form), 1), "elements": ratio(n, 1), "size": new(big.Rat)}
				even, ta := exact(t, "ringsparse.break-even", v), exact(t, "ringsparse.Ta", v)
				for nonzero := int64(0); nonzero <= n; nonzero++ {
					v["density"] = ratio(nonzero, n)
					v["compressed"] = exact(t, "ringsparse."+name, v)
					pays := exact(t, "ringsparse.Tb", v).Cmp(ta) < 0
					if sides[pays]++; pays != (v["density"].Cmp(even) < 0) {
						t.Errorf("%s, B=%d, Tc+Td=%d/4 s, %d of %d non-zero: pays %v, break-even %s", name, bandwidth, 3*quarter, nonzero, n, pays,
							even.RatString())
					}
				}
			}
		}
	}
	if sides[true] == 0 || sides[false] == 0 {
		t.Errorf("all cases are on one side: %v", sides)
	}
}

// TestFillInCountsPatterns: 1 − (1−d)^(k+1) is the share of all patterns of k+1 digits below q, d = a/q, in which one is
// below a.
func TestFillInCountsPatterns(t *testing.T) {
	for q := int64(1); q <= 6; q++ {
		for a := int64(0); a <= q; a++ {
			for k := int64(0); k <= 4; k++ {
				all, hits := int64(1), int64(0)
				for range k + 1 {
					all *= q
				}
				for pattern := range all {
					for rest, i := pattern, int64(0); i <= k; i++ {
						if rest%q < a {
							hits++
							break
						}
						rest /= q
					}
				}
				if want := exact(t, "ringsparse.fillin", Args{"density": ratio(a, q), "k": ratio(k, 1)}); want.Cmp(ratio(hits, all)) != 0 {
					t.Errorf("d=%d/%d, k=%d: %d of %d patterns, the formula gives %s", a, q, k, hits, all, want.RatString())
				}
			}
		}
	}
}

// TestBothKindsEndAlike: ΣW/N = W0 − ηΣG/N, and with the printed signs the conversions are right where g is the direction
// of descent, W′ = W0 + ηg.
func TestBothKindsEndAlike(t *testing.T) {
	for m := int64(2); m <= 16; m++ {
		for _, w0 := range []*big.Rat{new(big.Rat), ratio(1, 1), ratio(-7, 3)} {
			for _, eta := range []*big.Rat{ratio(1, 1), ratio(1, 10), ratio(1, 1000)} {
				g, down, up := new(big.Rat), new(big.Rat), new(big.Rat)
				for i := range m {
					own := ratio(i*i-3, i+2)
					step := new(big.Rat).Mul(eta, own)
					g.Add(g, own)
					down.Add(down, new(big.Rat).Sub(w0, step))
					up.Add(up, new(big.Rat).Add(w0, step))
				}
				weights := exact(t, "ringsparse.final", Args{"n": ratio(m, 1), "sum": down, "kind": ratio(0, 1), "eta": eta, "w0": w0})
				gradients := exact(t, "ringsparse.final", Args{"n": ratio(m, 1), "sum": g, "kind": ratio(1, 1), "eta": eta, "w0": w0})
				v := Args{"k": ratio(m-1, 1), "eta": eta, "w0": w0, "own": new(big.Rat), "received": g, "sign": ratio(1, 1)}
				pw := exact(t, "ringsparse.pw", v)
				v["received"] = up
				if pg := exact(t, "ringsparse.pg", v); weights.Cmp(gradients) != 0 || pw.Cmp(up) != 0 || pg.Cmp(g) != 0 {
					t.Errorf("%d nodes, W0 = %s, η = %s: %s from weights, %s from gradients; Pw = %s of %s, Pg = %s of %s", m, w0, eta,
						weights, gradients, pw, up, pg, g)
				}
			}
		}
	}
}
