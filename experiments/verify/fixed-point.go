package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// fixedChecks are of what the nodes compute with the numbers that they exchange.
func fixedChecks() []check {
	return []check{
		{"codedsgd.fixed-point", "§3.1 int32 on ±limit: Quantise within half a step of v·Top/limit, what is outside counted; Dequantise = q·limit/Top; " +
			"Update = w − η(Σ·limit/Top/|F| + λw), rounded once: exact rationals, seeded", fixedPoint},
		{"codedsgd.eq17", "(17) with sums beyond int32 and clipped gradients: parameters after a real exchange = exact rationals, rounded once, " +
			"and every clipped number counted on every holder, n ≤ 6, all r", exactStep},
		{"codedsgd.one-unknown", "Alg. 4, line 5: of every one, two and three terms a node decodes those with exactly one unknown and refuses all others, n " +
			"≤ 5", unknownTerms},
		{"codedsgd.agreement", "a rank whose options or job differ in what messages do not show ends the run, at every rank, r and method, n = 3", agreement},
	}
}

// top is int32's largest number as a rational.
var top = whole(codedsgd.Top)

// rational returns a float64 as it is.
func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// inFixedPoint returns v·Top/limit, and whether v lies outside of ±limit.
func inFixedPoint(v float32, limit float64) (q *big.Rat, outside bool) {
	q = mul(rational(float64(v)), new(big.Rat).Quo(top, rational(limit)))
	return q, q.Cmp(top) > 0 || q.Cmp(new(big.Rat).Neg(top)) < 0
}

// clipped returns the whole number nearest to q, within ±Top; no q here is half-way.
func clipped(q *big.Rat) *big.Int {
	half := big.NewRat(1, 2)
	if q.Sign() < 0 {
		return new(big.Int).Neg(clipped(new(big.Rat).Neg(q)))
	}
	x := add(q, half)
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if n.Cmp(top.Num()) > 0 {
		n.Set(top.Num())
	}
	return n
}

// afterStep returns w − η·(Σ·limit/Top/|F| + λ·w), exact, rounded once.
func afterStep(w float32, sum *big.Int, limit float64, batch int, rate, decay float64) float32 {
	mean := new(big.Rat).Quo(mul(new(big.Rat).SetInt(sum), rational(limit)), mul(top, whole(int64(batch))))
	v := rational(float64(w))
	got, _ := sub(v, mul(rational(rate), add(mean, mul(rational(decay), v)))).Float32()
	return got
}

// fixedPoint compares the fixed point's functions with rationals.
func fixedPoint(context.Context) (t tally, err error) {
	t.within = true // half a step
	r := cluster.Stream(11, 0, "", "verify fixed point")
	for _, limit := range []float64{10, 1, 1.0 / 1024, 1e30} {
		src := []float32{float32(math.Inf(1)), float32(math.NaN()), float32(math.Inf(-1))}
		notFinite := len(src)
		for k := -80; k <= 80; k++ { // the ends are at ±64
			v := float32(float64(k) / 64 * limit)
			src = append(src, v, math.Nextafter32(v, 0), float32(r.NormFloat64()*limit/2))
		}
		dst := make([]int32, len(src))
		saturated, bad := codedsgd.Quantise(dst, src, limit)
		outside := 0
		for i, v := range src[notFinite:] {
			exact, out := inFixedPoint(v, limit)
			if out {
				outside++
				exact = new(big.Rat).SetInt(clipped(exact))
			}
			off := sub(whole(int64(dst[notFinite+i])), exact)
			t.add(off.Abs(off).Cmp(big.NewRat(500_001, 1_000_000)) <= 0, "%g on ±%g is %d, exactly %s", v, limit, dst[notFinite+i], exact.FloatString(3))
		}
		t.add(saturated == outside && bad == notFinite, "on ±%g %d numbers are outside and %d not finite, counted %d and %d", limit, outside, notFinite,
			saturated, bad)
		for shift := range 41 {
			q := r.Int64N(int64(1)<<shift) + 1
			want := new(big.Rat).Quo(mul(whole(q), rational(limit)), top)
			off := sub(rational(codedsgd.Dequantise(q, limit)), want)
			t.add(off.Abs(off).Cmp(mul(want, big.NewRat(1, 1<<51))) <= 0, "%d on ±%g stands for %g, exactly %s", q, limit, codedsgd.Dequantise(q, limit),
				want.FloatString(20))
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
			want := afterStep(v, big.NewInt(sum[i]), 10, batch, 0.125, 0.0625)
			t.add(math.Float32bits(w[i]) == math.Float32bits(want), "w = %g, Σ = %d, |F| = %d: %g, exactly %g", v, sum[i], batch, w[i], want)
		}
	}
	return t, nil
}

// loudTask is a task whose gradients differ by block and parameter, most of them large and
// some of them outside of ±10, and whose parameters are not 0.
type loudTask struct {
	layers []cluster.Layer
	params []float32
}

func newLoudTask(layers []cluster.Layer) *loudTask {
	last := layers[len(layers)-1]
	d := &loudTask{layers, make([]float32, last.Offset+last.Length)}
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
	for l := len(d.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return 0, nil
}

const loudBatch = 360

// exactStep makes one step of loud tasks and compares it with rationals.
func exactStep(ctx context.Context) (t tally, err error) {
	beyond := 0
	for n := 2; n <= 6; n++ {
		for r := 1; r <= n; r++ {
			a, err := codedsgd.Assign(n, r)
			if err != nil {
				return t, err
			}
			bounds := a.Split(loudBatch, a.Blocks(), nil)
			for _, method := range []string{codedsgd.CSSGD, codedsgd.SSGDUnicast, codedsgd.SSGDMulticast} {
				o := codedsgd.Options{Method: method, Redundancy: r}
				layers := exchangeLayers(n, o)
				tasks := make([]*loudTask, n)
				logs, _, err := cluster.Run(ctx, virtual.New(even(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
					tasks[p.Rank()] = newLoudTask(layers)
					return codedsgd.Run(p, codedsgd.Job{Task: tasks[p.Rank()], Layers: layers, Batch: loudBatch, Rate: 0.125, WeightDecay: 0.0625, Steps: 1, Options: o})
				})
				if err != nil {
					return t, err
				}
				var got codedsgd.Totals
				for _, l := range logs {
					got.Merge(l.Totals)
				}
				saturated := int64(0)
				for i, w := range newLoudTask(layers).params {
					sum := new(big.Int)
					for _, lo := range bounds[:a.Blocks()] {
						q, outside := inFixedPoint(loud(lo, i), 10)
						sum.Add(sum, clipped(q))
						if outside {
							saturated += int64(r)
						}
					}
					if sum.CmpAbs(top.Num()) > 0 {
						beyond++
					}
					want := afterStep(w, sum, 10, loudBatch, 0.125, 0.0625)
					for rank, task := range tasks {
						t.add(math.Float32bits(task.params[i]) == math.Float32bits(want), "%s, n = %d, r = %d, rank %d, parameter %d: %g, exactly %g", method, n, r, rank, i,
							task.params[i], want)
					}
				}
				t.add(got.Saturated == saturated && got.NotFinite == 0, "%s, n = %d, r = %d: %d numbers clipped and %d not finite, want %d and 0", method, n, r,
					got.Saturated, got.NotFinite, saturated)
			}
		}
	}
	t.add(beyond > 0, "no sum is beyond int32")
	return t, nil
}

// held gives out a layer of r zeros of each block that one node holds: codedsgd.Known.
type held struct {
	a    *codedsgd.Assignment
	node int
}

func (h held) Has(block int) bool { return h.a.Holds(h.node, block) }

func (h held) Layer(block, _, _ int) ([]int32, error) {
	if !h.Has(block) {
		return nil, fmt.Errorf("verify: node %d lacks block %d", h.node, block)
	}
	return make([]int32, h.a.Redundancy()), nil
}

// unknownTerms offers every node packets of one, two and three blocks.
func unknownTerms(context.Context) (t tally, err error) {
	for n := 2; n <= 5; n++ {
		for r := 1; r <= n; r++ {
			a, err := codedsgd.Assign(n, r)
			if err != nil {
				return t, err
			}
			cut, err := codedsgd.NewCut(r, [2]int{r, 1}, r, codedsgd.Rows)
			if err != nil {
				return t, err
			}
			offer := func(node int, blocks ...int) {
				p, lacks := codedsgd.Packet{}, 0
				for _, q := range blocks {
					p.Terms = append(p.Terms, codedsgd.Term{Block: q})
					if !a.Holds(node, q) {
						lacks++
					}
				}
				_, unknown := codedsgd.Unknown(p, held{a, node})
				_, decoded := codedsgd.Decode(make([]int32, cut.Padded(p)), p, held{a, node}, 0, cut, 1)
				t.add((unknown == nil) == (lacks == 1) && (decoded == nil) == (lacks == 1), "n = %d, r = %d, node %d, blocks %v, of which it lacks %d: %v, %v", n, r,
					node, blocks, lacks, unknown, decoded)
			}
			for node := range n {
				for q := range a.Blocks() {
					offer(node, q)
					for s := range q {
						offer(node, s, q)
						for u := range s {
							offer(node, u, s, q)
						}
					}
				}
			}
		}
	}
	return t, nil
}

// agreement changes, at one rank, what no message shows by its length.
func agreement(ctx context.Context) (t tally, err error) {
	changes := []struct {
		what string
		of   func(j *codedsgd.Job)
	}{
		{"nothing", func(*codedsgd.Job) {}},
		{"the range", func(j *codedsgd.Job) { j.Options.Range = 11 }},
		{"the split", func(j *codedsgd.Job) { j.Options.Split = codedsgd.Columns }},
		{"the rate", func(j *codedsgd.Job) { j.Rate = 0.25 }},
		{"the weight decay", func(j *codedsgd.Job) { j.WeightDecay = 0.5 }},
		{"the batch", func(j *codedsgd.Job) { j.Batch++ }},
	}
	const n = 3
	for _, method := range codedsgd.Methods() {
		for r := 1; r < n; r++ { // r = n exchanges nothing
			for odd := range n {
				for i, c := range changes {
					o := codedsgd.Options{Method: method, Redundancy: r}
					layers := exchangeLayers(n, o)
					_, _, err := cluster.Run(ctx, virtual.New(even(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
						job := codedsgd.Job{Task: newLoudTask(layers), Layers: layers, Batch: loudBatch, Rate: 0.125, Steps: 1, Options: o}
						if p.Rank() == odd {
							c.of(&job)
						}
						return codedsgd.Run(p, job)
					})
					t.add((err != nil) == (i > 0), "%s, r = %d: rank %d differs in %s, and the run ends with %v", method, r, odd, c.what, err)
				}
			}
		}
	}
	return t, ctx.Err()
}
