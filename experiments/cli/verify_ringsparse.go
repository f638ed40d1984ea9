package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

func sparseChecks() []check {
	return []check{
		{"ringsparse.T", "2(N−1)/N · D/B: bytes counted in a real exchange of dense blocks, and its virtual time less 2(N−1)α, N ≤ 16", sparseTime},
		{"ringsparse.steps", "N−1 exchanges of reduce-scatter, N−1 of all-gather, for every layer, N ≤ 16", sparseSteps},
		{"ringsparse.gradients", "gradients at every hop = the dense gradient ring, bit for bit, after three iterations, N ≤ 8", gradientBits},
		{"ringsparse.weights", "weights at every hop = a dense ring over W′, bit for bit, after three iterations, N ≤ 8", weightBits},
		{"ringsparse.replicas", "all ranks hold the same bits after every iteration, whatever is chosen, N ≤ 8", replicaBits},
		{"ringsparse.choose", "weights if Sw ≥ Sg, else gradients; the tie rule alone decides at Sw = Sg", chooseRule},
		{"ringsparse.compress", "compress iff Tb < Ta: never the dearer way; as printed, P04", compressRule},
		{"ringsparse.layer-size", "D in Ta is the block: never the dearer way; as printed, the layer", layerSize},
		{"ringsparse.cheapest", "the codec of least Tb, or direct, of every density of blocks of 96 elements", cheapestCodec},
		{"ringsparse.pw", "(k+1)W0 − η(Pg′+Pg″) = the sum of m = k+1 nodes' weights, exact, m ≤ 16; as printed, with +, P06", weightsOfGradients},
		{"ringsparse.pg", "((k+1)W0 − (Pw′+Pw″))/η = the sum of their gradients, exact, m ≤ 16; with the printed sign", gradientsOfWeights},
		{"ringsparse.k", "k counts the exchange just received, m = k+1; counted from 0, one W0 is missing", exchangesCounted},
		{"ringsparse.direction", "the printed sign is right where g is the direction of descent, W′ = W0 + ηg, exact, m ≤ 16", printedDirection},
		{"ringsparse.final", "ΣW/N = W0 − ηΣG/N, exact, N ≤ 16", bothEnds},
		{"ringsparse.float32", "weights and back in float32 are within the stated bound of the exact sum, m ≤ 16, seeded", conversionBound},
		{"ringsparse.zeros", "with W′ = W0 − ηg no weight is zero where the gradient is not, on seeded vectors; if W0 = ηg it is", zerosContained},
		{"ringsparse.fillin", "1 − (1−d)^(k+1) = the share of all patterns, enumerated, d = a/q, q ≤ 6, k ≤ 4", fillInPatterns},
		{"ringsparse.fillin-counted", "the same, counted in sums of seeded vectors of 20,000, within four standard deviations", fillInCounted},
		{"ringsparse.sizes", "⌈n/8⌉ + 4dn and 8dn = bytes encoded, for every count of zeros, n ≤ 130", encodedSizes},
		{"ringsparse.break-even", "below the break-even density Tb < Ta, above it not, exact", breakEvenSeparates},
		{"ringsparse.formula", "papers/ringsparse/formula = eval's exact rationals", sparseFormulaFloats},
	}
}

const sparseEta = 0.125 // exact in binary, so that eval and float32 mean the same

// vectors is a task of seeded weights, the same on every rank, and of gradients
// of a density of its own rank.
type vectors struct {
	rank          int
	density       float64
	layers        []cluster.Layer
	params, grads []float32
}

func newVectors(rank int, density float64, lengths ...int) *vectors {
	v := &vectors{rank: rank, density: density}
	n := 0
	for _, l := range lengths {
		v.layers = append(v.layers, cluster.Layer{Name: fmt.Sprint("layer", len(v.layers)), Offset: n, Length: l})
		n += l
	}
	v.params, v.grads = make([]float32, n), make([]float32, n)
	r := cluster.Stream(1, 0, "", "verify weights")
	for i := range v.params {
		v.params[i] = float32(0.05 * r.NormFloat64())
	}
	return v
}

func (v *vectors) Layers() []cluster.Layer { return v.layers }
func (v *vectors) Params() []float32       { return v.params }
func (v *vectors) Grads() []float32        { return v.grads }

func (v *vectors) Grad(step int64, done func(int)) (float64, error) {
	r := cluster.Stream(uint64(step), v.rank, "", "verify gradients")
	for i := range v.grads {
		g := float32(r.NormFloat64())
		if v.grads[i] = 0; r.Float64() < v.density {
			v.grads[i] = g
		}
	}
	for l := len(v.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return 0, nil
}

// sparseTime counts the bytes of real exchanges and times those of a long layer,
// less what one rank alone takes for its update.
func sparseTime(ctx context.Context) (t tally, err error) {
	var alone time.Duration
	dense := ringsparse.Options{Kinds: "gradients", Codec: "dense"}
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n, n + 1, 5*n + 3, 5040} {
			out, err := onRing(ctx, n, func(p cluster.Proc) error {
				_, err := ringsparse.Run(p, ringsparse.Job{Task: newVectors(p.Rank(), 1, length), Rate: sparseEta, Steps: 1, Options: dense})
				return err
			})
			if err != nil {
				return t, err
			}
			want, err := exactRat("ringsparse.T", values{"n": whole(int64(n)), "d": whole(int64(4 * length)), "bandwidth": one})
			if err != nil {
				return t, err
			}
			all := mul(want, whole(int64(n))) // T·B of N ranks
			t.add(all.Cmp(whole(out.Trace.BodyBytes())) == 0, "N=%d, D=%d: all ranks sent %d bytes, N·T·B is %s", n, 4*length, out.Trace.BodyBytes(), all.RatString())
		}
		out, err := onRing(ctx, n, func(p cluster.Proc) error {
			_, err := ringsparse.Run(p, ringsparse.Job{Layers: newVectors(0, 1, divisible).layers, Rate: sparseEta, Steps: 1, Options: dense})
			return err
		})
		if err != nil {
			return t, err
		}
		if n == 1 {
			alone = out.Elapsed
		}
		got, want := (out.Elapsed-alone).Seconds()-2*float64(n-1)*50e-6, formula.T(n, 4*divisible, 1.25e9)
		t.add(math.Abs(got-want) <= 1e-6*want+1e-9, "N=%d: %g s beside latency, T is %g s", n, got, want)
	}
	t.within = true // of the times
	return t, nil
}

func sparseSteps(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		_, err := onRing(ctx, n, func(p cluster.Proc) error {
			log, err := ringsparse.Run(p, ringsparse.Job{Layers: newVectors(0, 1, 64, 3).layers, Rate: sparseEta, Steps: 5, Options: ringsparse.Options{Bandwidth: 1.25e9}})
			if err != nil {
				return err
			}
			const rounds = 2 * 5 // layers, iterations
			reduce := int64(0)
			for _, hop := range log.Totals.Hops {
				reduce += hop.Blocks
			}
			t.add(reduce == rounds*int64(n-1) && log.Totals.Gather.Blocks == rounds*int64(n-1) && len(log.Totals.Hops) == n-1,
				"N=%d, rank %d: %d messages of reduce-scatter in %d hops, %d of all-gather in %d rounds", n, p.Rank(), reduce, len(log.Totals.Hops), log.Totals.Gather.Blocks, rounds)
			return nil
		})
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// replicas runs three iterations and returns every rank's parameters after each.
func replicas(ctx context.Context, n int, density float64, o ringsparse.Options) ([][][]float32, error) {
	o.Bandwidth = 1.25e8
	rt := virtual.New(even(n), virtual.Config{})
	out, _, err := cluster.Run(ctx, rt, func(p cluster.Proc) (after [][]float32, err error) {
		task := newVectors(p.Rank(), density, 131, 2, 0, 64)
		_, err = ringsparse.Run(p, ringsparse.Job{Task: task, Rate: sparseEta, Steps: 3, Options: o, OnStep: func(int64) (bool, error) {
			after = append(after, slices.Clone(task.params))
			return false, nil
		}})
		return after, err
	})
	return out, err
}

// sameBits compares float32 by their bits: −0 is not +0, NaN is NaN.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func replicaBits(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 8; n++ {
		for name, o := range map[string]ringsparse.Options{"as in the patent": {}, "tie to gradients": {Tie: "gradients"}, "printed rule": {Rule: "printed"}, "coordinates": {Codec: "coo"}, "threshold": {Threshold: 0.5}} {
			for _, density := range []float64{0.02, 0.5, 1} {
				after, err := replicas(ctx, n, density, o)
				if err != nil {
					return t, err
				}
				for rank := range after {
					for step := range after[rank] {
						t.add(sameBits(after[rank][step], after[0][step]), "%s, N=%d, density %g: rank %d differs from rank 0 after iteration %d", name, n, density, rank, step)
					}
				}
			}
		}
	}
	return t, nil
}

func gradientBits(ctx context.Context) (tally, error) {
	return denseBits(ctx, "gradients", func(w, sum []float32, n int) {
		vec.AxpyTo(w, float32(-sparseEta*(1/float64(n))), sum)
	})
}

func weightBits(ctx context.Context) (tally, error) {
	return denseBits(ctx, "weights", func(w, sum []float32, n int) {
		for i := range w {
			w[i] = sum[i] / float32(n)
		}
	})
}

// denseBits compares a run of one kind with the blog's ring over the same
// vectors, finished by finish.
func denseBits(ctx context.Context, kinds string, finish func(w, sum []float32, n int)) (t tally, err error) {
	for n := 1; n <= 8; n++ {
		for _, density := range []float64{0.02, 1} {
			got, err := replicas(ctx, n, density, ringsparse.Options{Kinds: kinds})
			if err != nil {
				return t, err
			}
			_, err = onRing(ctx, n, func(p cluster.Proc) error {
				task := newVectors(p.Rank(), density, 131, 2, 0, 64)
				for step := range int64(3) {
					if _, err := task.Grad(step, func(int) {}); err != nil {
						return err
					}
					sum := slices.Clone(task.grads)
					if kinds == "weights" {
						copy(sum, task.params)
						vec.AxpyTo(sum, -sparseEta, task.grads)
					}
					for _, l := range task.layers {
						if err := collective.RingAllReduce(p, 1, sum[l.Offset:l.Offset+l.Length]); err != nil {
							return err
						}
					}
					finish(task.params, sum, n)
					t.add(sameBits(got[p.Rank()][step], task.params), "N=%d, density %g, rank %d, iteration %d differs", n, density, p.Rank(), step)
				}
				return nil
			})
			if err != nil {
				return t, err
			}
		}
	}
	return t, nil
}
