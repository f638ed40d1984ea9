package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"gradsync/experiments/eval"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
)

// sparseChecks compares the patent's formulas. What the ring does is tested in papers/ringsparse, and the other exact
// formulas in eval.
func sparseChecks() []check {
	return []check{
		{"ringsparse.T", "2(N−1)/N · D/B: bytes counted in a real exchange of dense blocks, and its virtual time less 2(N−1)α, N ≤ 16",
			sparseTime},
		{"ringsparse.pw", "(k+1)W0 − η(Pg′+Pg″) = the sum of m = k+1 nodes' weights, exact, m ≤ 16; as printed, with +, P06",
			conversion("ringsparse.pw", 1, "as printed", weightWords)},
		{"ringsparse.pg", "((k+1)W0 − (Pw′+Pw″))/η = the sum of their gradients, exact, m ≤ 16; with the printed sign",
			conversion("ringsparse.pg", 0, "with the printed sign", gradientWords)},
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
func sparseTime(ctx context.Context) (t tally) {
	var alone time.Duration
	dense := ringsparse.Options{Kinds: "gradients", Codec: "dense"}
	for n := 1; n <= 16; n++ {
		for _, length := range []int{0, 1, n, n + 1, 5*n + 3, 5040} {
			out := onRing(ctx, n, func(p cluster.Proc) error {
				_, err := ringsparse.Run(p, ringsparse.Job{Task: newSeededTask(p.Rank(), 1, length), Rate: sparseEta, Steps: 1, Options: dense})
				return err
			})
			want := ok(eval.Exact("ringsparse.T", eval.Args{"n": whole(int64(n)), "d": whole(int64(4 * length)), "bandwidth": one}))
			all := mul(want, whole(int64(n))) // T·B of N ranks
			t.add(all.Cmp(whole(out.Trace.BodyBytes())) == 0, "N=%d, D=%d: all ranks sent %d bytes, N·T·B is %s", n, 4*length, out.Trace.BodyBytes(), all.RatString())
		}
		out := onRing(ctx, n, func(p cluster.Proc) error {
			_, err := ringsparse.Run(p, ringsparse.Job{Layers: newSeededTask(0, 1, divisible).layers, Rate: sparseEta, Steps: 1, Options: dense})
			return err
		})
		if n == 1 {
			alone = out.Elapsed
		}
		got, want := (out.Elapsed-alone).Seconds()-2*float64(n-1)*50e-6, formula.T(n, 4*divisible, 1.25e9)
		t.add(math.Abs(got-want) <= 1e-6*want+1e-9, "N=%d: %g s beside latency, T is %g s", n, got, want)
	}
	t.within = true // of the times
	return t
}

// sparseFormulaFloats compares the float64 forms that the method, pages and experiments
// compute with eval's exact rationals. Arguments are powers of two, so that only the
// forms' own operations round; a difference is compared relative to its operands.
func sparseFormulaFloats(context.Context) (t tally) {
	t.within = true
	compare := func(name string, got, scale float64, v eval.Args) {
		want := ok(eval.Float(name, v))
		t.add(math.Abs(got-want) <= 1e-12*max(scale, math.Abs(want)), "%s of %v: %g, exactly %g", name, v, got, want)
	}
	for _, part := range []func(*tally, compareFloat){costFloats, conversionFloats, sizeFloats, breakEvenFloats} {
		part(&t, compare)
	}
	return t
}

// compareFloat adds a case: whether got is eval's formula of v, to 1e-12 of the larger of
// its value and scale.
type compareFloat func(name string, got, scale float64, v eval.Args)

func costFloats(t *tally, compare compareFloat) {
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
				compare(name, got, 0, v)
			}
			compare("ringsparse.all-gather", formula.GatherSparse(int(n), f), 0, eval.Args{"n": whole(n), "size": whole(d)})
		}
	}
}

func sizeFloats(_ *tally, compare compareFloat) {
	for _, percent := range []int64{0, 1, 8, 50, 99, 100} {
		density, f := big.NewRat(percent, 100), float64(percent)/100
		for k := int64(0); k <= 40; k++ {
			compare("ringsparse.fillin", formula.FillIn(f, int(k)), 0, eval.Args{"density": density, "k": whole(k)})
		}
		for _, n := range []int64{0, 8, 800, 1 << 20} { // whole bytes of bits
			v := eval.Args{"elements": whole(n), "density": density}
			compare("ringsparse.bitmap", formula.BitmapBytes(float64(n), f), 0, v)
			compare("ringsparse.coo", formula.COOBytes(float64(n), f), 0, v)
		}
	}
}

func breakEvenFloats(t *tally, compare compareFloat) {
	for _, gbits := range []int64{1, 10, 25} { // 2 GB/s each way, as in the design's example
		const d = 1 << 20
		v := eval.Args{"d": whole(d), "bandwidth": whole(gbits * 125e6), "tc": big.NewRat(d, 2e9), "td": big.NewRat(d, 2e9), "codec": whole(0)}
		compare("ringsparse.break-even", formula.BitmapBreakEven(float64(gbits)*125e6, 2e9, 2e9), 1, v)
		for percent := range int64(101) {
			even := ok(eval.Exact("ringsparse.break-even", v))
			pays := formula.BitmapSaves(float64(percent)/100, d, float64(gbits)*125e6, d/2e9, d/2e9)
			t.add(pays == (big.NewRat(percent, 100).Cmp(even) < 0), "%d %% at %d Gb/s: saves %v, break-even %s", percent, gbits, pays, even.RatString())
		}
	}
}
