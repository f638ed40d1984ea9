package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"gradsync/experiments/eval"
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
		{"ringsparse.mask", "after every iteration masked parameters are +0 and kept ones as without a mask, bit for bit, N ≤ 4", maskedBits},
		{"ringsparse.residual", "what a threshold keeps back is at most N times the threshold, exact, N = 1, 2, 4, over 24 iterations: nothing is lost", keptBack},
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

// seededTask is a task of seeded weights, the same on every rank, and of seeded gradients
// of its own rank, a share of which (density) is not zero.
type seededTask struct {
	rank          int
	density       float64
	layers        []cluster.Layer
	params, grads []float32
}

func newSeededTask(rank int, density float64, lengths ...int) *seededTask {
	v := &seededTask{rank: rank, density: density}
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

func (v *seededTask) Layers() []cluster.Layer { return v.layers }
func (v *seededTask) Params() []float32       { return v.params }
func (v *seededTask) Grads() []float32        { return v.grads }

func (v *seededTask) Grad(step int64, done func(int)) (float64, error) {
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

// sparseTime counts the bytes of real exchanges, and times exchanges of a long layer,
// less the time that one rank alone takes for its update.
func sparseTime(ctx context.Context) (t tally, err error) {
	var alone time.Duration
	dense := ringsparse.Options{Kinds: "gradients", Codec: "dense"}
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n, n + 1, 5*n + 3, 5040} {
			out, err := onRing(ctx, n, func(p cluster.Proc) error {
				_, err := ringsparse.Run(p, ringsparse.Job{Task: newSeededTask(p.Rank(), 1, length), Rate: sparseEta, Steps: 1, Options: dense})
				return err
			})
			if err != nil {
				return t, err
			}
			want, err := eval.Exact("ringsparse.T", eval.Args{"n": whole(int64(n)), "d": whole(int64(4 * length)), "bandwidth": one})
			if err != nil {
				return t, err
			}
			all := mul(want, whole(int64(n))) // T·B of N ranks
			t.add(all.Cmp(whole(out.Trace.BodyBytes())) == 0, "N=%d, D=%d: all ranks sent %d bytes, N·T·B is %s", n, 4*length, out.Trace.BodyBytes(), all.RatString())
		}
		out, err := onRing(ctx, n, func(p cluster.Proc) error {
			_, err := ringsparse.Run(p, ringsparse.Job{Layers: newSeededTask(0, 1, divisible).layers, Rate: sparseEta, Steps: 1, Options: dense})
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

// sparseSteps counts the messages of both phases.
func sparseSteps(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 16; n++ {
		_, err := onRing(ctx, n, func(p cluster.Proc) error {
			log, err := ringsparse.Run(p, ringsparse.Job{Layers: newSeededTask(0, 1, 64, 3).layers, Rate: sparseEta, Steps: 5,
				Options: ringsparse.Options{Bandwidth: 1.25e9}})
			if err != nil {
				return err
			}
			const rounds = 2 * 5 // layers, iterations
			reduce := int64(0)
			for _, hop := range log.Totals.Hops {
				reduce += hop.Blocks
			}
			t.add(reduce == rounds*int64(n-1) && log.Totals.Gather.Blocks == rounds*int64(n-1) && len(log.Totals.Hops) == n-1,
				"N=%d, rank %d: %d messages of reduce-scatter in %d hops, %d of all-gather in %d rounds", n, p.Rank(), reduce, len(log.Totals.Hops),
				log.Totals.Gather.Blocks, rounds)
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
		task := newSeededTask(p.Rank(), density, 131, 2, 0, 64)
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

// replicaBits compares the ranks' parameters after every iteration, with options that
// decide differently.
func replicaBits(ctx context.Context) (t tally, err error) {
	for n := 1; n <= 8; n++ {
		for name, o := range map[string]ringsparse.Options{"as in the patent": {}, "tie to gradients": {Tie: "gradients"}, "printed rule": {Rule: "printed"},
			"coordinates": {Codec: "coo"}, "threshold": {Threshold: 0.5}} {
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

// gradientBits compares gradients at every hop with the dense gradient ring.
func gradientBits(ctx context.Context) (tally, error) {
	return denseBits(ctx, "gradients", func(w, sum []float32, n int) {
		vec.AxpyTo(w, float32(-sparseEta*(1/float64(n))), sum)
	})
}

// weightBits compares weights at every hop with a dense ring over W′.
func weightBits(ctx context.Context) (tally, error) {
	return denseBits(ctx, "weights", func(w, sum []float32, n int) {
		for i := range w {
			w[i] = sum[i] / float32(n)
		}
	})
}

// denseBits compares a run that sends one kind with the blog's ring over the same vectors;
// finish turns the ring's sum into new weights.
func denseBits(ctx context.Context, kinds string, finish func(w, sum []float32, n int)) (t tally, err error) {
	for n := 1; n <= 8; n++ {
		for _, density := range []float64{0.02, 1} {
			got, err := replicas(ctx, n, density, ringsparse.Options{Kinds: kinds})
			if err != nil {
				return t, err
			}
			_, err = onRing(ctx, n, func(p cluster.Proc) error {
				task := newSeededTask(p.Rank(), density, 131, 2, 0, 64)
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

// sparseFormulaFloats compares the float64 forms that the method, pages and experiments
// compute with eval's exact rationals. Arguments are powers of two, so that only the
// forms' own operations round; a difference is compared relative to its operands.
func sparseFormulaFloats(context.Context) (t tally, err error) {
	t.within = true
	compare := func(name string, got, scale float64, v eval.Args) error {
		want, err := eval.Float(name, v)
		if err == nil {
			t.add(math.Abs(got-want) <= 1e-12*max(scale, math.Abs(want)), "%s of %v: %g, exactly %g", name, v, got, want)
		}
		return err
	}
	for _, part := range []func(*tally, compareFloat) error{costFloats, conversionFloats, sizeFloats, breakEvenFloats} {
		if err := part(&t, compare); err != nil {
			return t, err
		}
	}
	return t, nil
}

// compareFloat adds a case: whether got is eval's formula of v, to 1e-12 of the larger of
// its value and scale.
type compareFloat func(name string, got, scale float64, v eval.Args) error

func costFloats(t *tally, compare compareFloat) error {
	for n := int64(1); n <= 32; n++ {
		for _, d := range []int64{0, 24, 61706 * 4, 1_200_000_000} {
			reduce, gather := formula.Steps(int(n))
			t.add(int64(reduce) == n-1 && int64(gather) == n-1, "N=%d: %d and %d exchanges", n, reduce, gather)
			v := eval.Args{"n": whole(n), "d": whole(d), "bandwidth": whole(125e6), "size": whole(0), "compressed": whole(d), "tc": big.NewRat(1, 8),
				"td": big.NewRat(1, 4)}
			f := float64(d)
			for name, got := range map[string]float64{"ringsparse.T": formula.T(int(n), f, 125e6), "ringsparse.Ta": formula.Ta(f/float64(n), 125e6),
				"ringsparse.Tb": formula.Tb(0.125, f, 125e6, 0.25), "ring.bytes": formula.Dense(int(n), f)} {
				v["k"] = whole(d) // the ring's K
				if err := compare(name, got, 0, v); err != nil {
					return err
				}
			}
			if err := compare("ringsparse.all-gather", formula.GatherSparse(int(n), f), 0, eval.Args{"n": whole(n), "size": whole(d)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func conversionFloats(_ *tally, compare compareFloat) error {
	for k := int64(1); k <= 16; k++ {
		for sign, s := range []int{-1, +1} {
			v := eval.Args{"k": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(3, 8), "own": big.NewRat(5, 16), "received": big.NewRat(-7, 4),
				"sign": whole(int64(sign))}
			sum := 5./16 - 7./4
			if err := compare("ringsparse.pw", formula.Pw(3./8, 1./1024, sum, int(k)+1, s), 1, v); err != nil {
				return err
			}
			if err := compare("ringsparse.pg", formula.Pg(3./8, 1./1024, sum, int(k)+1, s), 1024, v); err != nil {
				return err
			}
		}
		e := eval.Args{"m": whole(k), "eta": big.NewRat(1, 1024), "w0": big.NewRat(-3, 8), "g": big.NewRat(1, 64)}
		if err := compare("ringsparse.conversion-error", formula.ConversionError(-3./8, 1./1024, 1./64, int(k)), 0, e); err != nil {
			return err
		}
	}
	return nil
}

func sizeFloats(_ *tally, compare compareFloat) error {
	for _, percent := range []int64{0, 1, 8, 50, 99, 100} {
		density, f := big.NewRat(percent, 100), float64(percent)/100
		for k := int64(0); k <= 40; k++ {
			if err := compare("ringsparse.fillin", formula.FillIn(f, int(k)), 0, eval.Args{"density": density, "k": whole(k)}); err != nil {
				return err
			}
		}
		for _, n := range []int64{0, 8, 800, 1 << 20} { // whole bytes of bits
			v := eval.Args{"elements": whole(n), "density": density}
			if err := compare("ringsparse.bitmap", formula.BitmapBytes(float64(n), f), 0, v); err != nil {
				return err
			}
			if err := compare("ringsparse.coo", formula.COOBytes(float64(n), f), 0, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func breakEvenFloats(t *tally, compare compareFloat) error {
	for _, gbits := range []int64{1, 10, 25} { // 2 GB/s each way, as in the design's example
		const d = 1 << 20
		v := eval.Args{"d": whole(d), "bandwidth": whole(gbits * 125e6), "tc": big.NewRat(d, 2e9), "td": big.NewRat(d, 2e9), "codec": whole(0)}
		if err := compare("ringsparse.break-even", formula.BitmapBreakEven(float64(gbits)*125e6, 2e9, 2e9), 1, v); err != nil {
			return err
		}
		for percent := range int64(101) {
			even, err := eval.Exact("ringsparse.break-even", v)
			if err != nil {
				return err
			}
			pays := formula.BitmapSaves(float64(percent)/100, d, float64(gbits)*125e6, d/2e9, d/2e9)
			t.add(pays == (big.NewRat(percent, 100).Cmp(even) < 0), "%d %% at %d Gb/s: saves %v, break-even %s", percent, gbits, pays, even.RatString())
		}
	}
	return nil
}
