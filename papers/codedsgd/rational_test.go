package codedsgd_test

import (
	"math"
	"math/big"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// rational returns a float64 as it is.
func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// inFixedPoint returns v·Top/limit, and whether v lies outside of ±limit.
func inFixedPoint(v float32, limit float64) (q *big.Rat, outside bool) {
	q = new(big.Rat).Quo(rational(float64(v)), rational(limit))
	q.Mul(q, big.NewRat(codedsgd.Top, 1))
	return q, q.Cmp(big.NewRat(codedsgd.Top, 1)) > 0 || q.Cmp(big.NewRat(-codedsgd.Top, 1)) < 0
}

// clipped returns the whole number nearest to q, within ±Top; no q here is half-way.
func clipped(q *big.Rat) *big.Int {
	if q.Sign() < 0 {
		return new(big.Int).Neg(clipped(new(big.Rat).Neg(q)))
	}
	x := new(big.Rat).Add(q, big.NewRat(1, 2))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if top := big.NewInt(codedsgd.Top); n.Cmp(top) > 0 {
		return top
	}
	return n
}

// afterStep returns w − η·(Σ·limit/Top/|F| + λ·w), exact, rounded once.
func afterStep(w float32, sum *big.Int, limit float64, batch int, rate, decay float64) float32 {
	v, g := rational(float64(w)), new(big.Rat).SetInt(sum)
	g.Mul(g, rational(limit)).Quo(g, new(big.Rat).Mul(big.NewRat(codedsgd.Top, 1), big.NewRat(int64(batch), 1)))
	g.Add(g, new(big.Rat).Mul(rational(decay), v))
	got, _ := v.Sub(v, g.Mul(g, rational(rate))).Float32()
	return got
}

// Quantise is within half a step of v·Top/limit and counts what is outside, Dequantise is q·limit/Top, and Update
// rounds once, for numbers drawn and at the ends of the range.
func TestSection31FixedPointBesideRationals(t *testing.T) {
	r := cluster.Stream(11, 0, "", "rationals")
	for _, limit := range []float64{10, 1, 1.0 / 1024, 1e30} {
		var src []float32
		for k := -80; k <= 80; k++ { // the ends are at ±64
			v := float32(float64(k) / 64 * limit)
			src = append(src, v, math.Nextafter32(v, 0), float32(r.NormFloat64()*limit/2))
		}
		dst, outside := make([]int32, len(src)), 0
		saturated, bad := codedsgd.Quantise(dst, src, limit)
		for i, v := range src {
			exact, out := inFixedPoint(v, limit)
			if out {
				outside++
				exact.SetInt(clipped(exact))
			}
			off := new(big.Rat).Sub(big.NewRat(int64(dst[i]), 1), exact)
			if off.Abs(off).Cmp(big.NewRat(500_001, 1_000_000)) > 0 {
				t.Errorf("%g on ±%g is %d, exactly %s", v, limit, dst[i], exact.FloatString(3))
			}
		}
		if saturated != outside || bad != 0 || outside == 0 {
			t.Errorf("on ±%g %d numbers are outside, counted %d, and %d that are not finite", limit, outside, saturated, bad)
		}
		for shift := range 41 {
			q := r.Int64N(int64(1)<<shift) + 1
			want := new(big.Rat).Mul(big.NewRat(q, codedsgd.Top), rational(limit))
			off := new(big.Rat).Sub(rational(codedsgd.Dequantise(q, limit)), want)
			if off.Abs(off).Cmp(new(big.Rat).Mul(want, big.NewRat(1, 1<<51))) > 0 {
				t.Errorf("%d on ±%g stands for %g, exactly %s", q, limit, codedsgd.Dequantise(q, limit), want.FloatString(20))
			}
		}
	}
	for _, batch := range []int{1, 7, 640} {
		w, sum := make([]float32, 1000), make([]int64, 1000)
		for i := range w {
			w[i], sum[i] = float32(0.05*r.NormFloat64()), r.Int64N(1<<36)-1<<35
		}
		before := append([]float32(nil), w...)
		codedsgd.Update(w, sum, 10, batch, 0.125, 0.0625)
		for i, v := range before {
			if want := afterStep(v, big.NewInt(sum[i]), 10, batch, 0.125, 0.0625); math.Float32bits(w[i]) != math.Float32bits(want) {
				t.Errorf("w = %g, Σ = %d, |F| = %d: %g, exactly %g", v, sum[i], batch, w[i], want)
			}
		}
	}
}

// loudTask is a task whose gradients differ by block and parameter, most of them large and some of them outside of ±10,
// and whose parameters are not 0.
type loudTask struct {
	layers []cluster.Layer
	params []float32
}

func newLoudTask(unit int) *loudTask {
	d := &loudTask{[]cluster.Layer{{Name: "a", Length: unit}, {Name: "b", Offset: unit, Length: 2 * unit}}, make([]float32, 3*unit)}
	for i := range d.params {
		d.params[i] = float32(i%17-8) / 64
	}
	return d
}

func (d *loudTask) Layers() []cluster.Layer { return d.layers }
func (d *loudTask) Params() []float32       { return d.params }

// loud returns parameter i's gradient of the block that begins at sample lo.
func loud(lo, i int) float32 { return float32((i*7+lo*13)%41-6) * 0.3125 } // −1.875 … 10.625

func (d *loudTask) BlockGrad(_ int64, lo, _ int, grads []float32, done func(int)) (float64, error) {
	for i := range grads {
		grads[i] = loud(lo, i)
	}
	done(1)
	done(0)
	return 0, nil
}

// (17) with sums beyond int32 and clipped gradients: parameters after a real exchange are exact rationals, rounded once,
// and every clipped number is counted on every holder, n ≤ 6, all r.
func TestEquation17AfterARealExchange(t *testing.T) {
	const batch = 360
	beyond := 0
	every(t, 6, func(a *codedsgd.Assignment, n, r int) {
		bounds := a.Split(batch, a.Blocks(), nil)
		for _, method := range []string{codedsgd.CSSGD, codedsgd.SSGDUnicast, codedsgd.SSGDMulticast} {
			tasks := make([]*loudTask, n)
			logs, _, err := cluster.Run(t.Context(), virtual.New(network(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
				q := newLoudTask(n * r)
				tasks[p.Rank()] = q
				return codedsgd.Run(p, codedsgd.Job{Task: q, Layers: q.layers, Batch: batch, Rate: 0.125, WeightDecay: 0.0625, Steps: 1,
					Options: codedsgd.Options{Method: method, Redundancy: r}})
			})
			must(t, err)
			var got codedsgd.Totals
			for _, l := range logs {
				got.Merge(l.Totals)
			}
			saturated := int64(0)
			for i, w := range newLoudTask(n * r).params {
				sum := new(big.Int)
				for _, lo := range bounds[:a.Blocks()] {
					q, outside := inFixedPoint(loud(lo, i), 10)
					if sum.Add(sum, clipped(q)); outside {
						saturated += int64(r)
					}
				}
				if sum.CmpAbs(big.NewInt(codedsgd.Top)) > 0 {
					beyond++
				}
				want := afterStep(w, sum, 10, batch, 0.125, 0.0625)
				for rank, task := range tasks {
					if math.Float32bits(task.params[i]) != math.Float32bits(want) {
						t.Errorf("%s, n = %d, r = %d, rank %d, parameter %d: %g, exactly %g", method, n, r, rank, i, task.params[i], want)
					}
				}
			}
			if got.Saturated != saturated || got.NotFinite != 0 {
				t.Errorf("%s, n = %d, r = %d: %d numbers clipped and %d not finite, want %d and 0", method, n, r, got.Saturated, got.NotFinite, saturated)
			}
		}
	})
	if beyond == 0 {
		t.Error("no sum is beyond int32")
	}
}
