package ringsparse_test

import (
	"fmt"
	"math"
	"testing"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/codec"
)

// random is a task of gradients of a density, and of weights that a mask zeroes.
type random struct {
	quadratic
	mask []bool
}

// newRandom keeps the share `weights` of the parameters by a mask that all ranks share.
func newRandom(rank int, weights, gradients float64, lengths ...int) *random {
	q := &random{quadratic: *newQuadratic(rank, gradients, 0, lengths...)}
	r := cluster.Stream(5, 0, "", "mask")
	for i := range q.params {
		keep := r.Float64() < weights
		q.mask = append(q.mask, keep)
		if !keep {
			q.params[i] = 0
		}
	}
	return q
}

// traffic runs job on n ranks of a virtual cluster and returns all ranks' totals and the trace.
func traffic(t *testing.T, n int, job func(rank int) ringsparse.Job) (ringsparse.Totals, *cluster.Trace, []*ringsparse.Log) {
	t.Helper()
	logs, trace, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (*ringsparse.Log, error) {
		return ringsparse.Run(p, job(p.Rank()))
	})
	must(t, err)
	var sum ringsparse.Totals
	for _, l := range logs {
		sum.Merge(l.Totals)
	}
	return sum, trace, logs
}

// A timing-only run sends as many messages as a real one on random vectors of its
// densities, and bytes that differ by chance alone.
func TestTimingOnlySendsWhatARealRunSends(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	lengths := []int{20000, 12501, 64}
	for _, x := range []struct {
		weights, gradients float64
		options            ringsparse.Options
	}{
		{1, 0.01, ringsparse.Options{}}, {1, 0.2, ringsparse.Options{Kinds: "gradients"}}, {1, 1, ringsparse.Options{}},
		{1, 0.02, ringsparse.Options{Codec: "coo"}}, {1, 0.3, ringsparse.Options{Codec: "rle"}},
		{0.3, 1, ringsparse.Options{}}, {0.3, 1, ringsparse.Options{Tie: "gradients"}}, {0.3, 0.8, ringsparse.Options{}},
		{0.6, 0.3, ringsparse.Options{}}, {0.3, 0.5, ringsparse.Options{Kinds: "weights"}},
		{1, 0.05, ringsparse.Options{Exchange: "all-gather"}},
		{1, 0.05, ringsparse.Options{Codecs: []string{"bitmap", "rle"}, Rule: "printed"}},
		{1, 0.05, ringsparse.Options{Size: "layer", Rates: []cluster.CodecRate{{Name: "bitmap", Encode: 4e8, Decode: 4e8}, {Name: "coo", Encode: 1e8, Decode: 1e8}}}},
	} {
		x.options.Bandwidth = 1.25e8
		for _, n := range []int{1, 2, 7} {
			if n == 7 && testing.Short() {
				continue
			}
			real, trace, _ := traffic(t, n, func(rank int) ringsparse.Job {
				task := newRandom(rank, x.weights, x.gradients, lengths...)
				return ringsparse.Job{Task: task, Mask: task.mask, Rate: eta, Steps: 2, Options: x.options}
			})
			timed, timedTrace, _ := traffic(t, n, func(int) ringsparse.Job {
				return ringsparse.Job{Layers: newRandom(0, 1, 1, lengths...).layers, Rate: eta, Steps: 2, Options: x.options,
					Density: func(int) (float64, float64) { return x.weights, x.gradients }}
			})
			what := fmt.Sprintf("densities %g and %g, %+v, N=%d", x.weights, x.gradients, x.options, n)
			if real.Sent.Blocks != timed.Sent.Blocks || real.Choices != timed.Choices || real.Sent.DenseBytes != timed.Sent.DenseBytes {
				t.Errorf("%s: %d messages of %d dense bytes, %d choices, timing-only %d, %d, %d", what, real.Sent.Blocks,
					real.Sent.DenseBytes, real.Choices, timed.Sent.Blocks, timed.Sent.DenseBytes, timed.Choices)
			}
			if r, m := float64(real.Sent.Bytes), float64(timed.Sent.Bytes); math.Abs(r-m) > 0.03*r {
				t.Errorf("%s: %.0f bytes, timing-only %.0f", what, r, m)
			}
			for i, tr := range []*cluster.Trace{trace, timedTrace} {
				if sent := []ringsparse.Totals{real, timed}[i].Sent; tr.BodyBytes() != sent.Bytes {
					t.Errorf("%s: the trace has %d bytes, the log %d", what, tr.BodyBytes(), sent.Bytes)
				}
			}
		}
	}
}

// The densest case is deterministic: then both runs are the same events at the same instants.
func TestTimingOnlyOfDenseBlocksIsTheSameTrace(t *testing.T) {
	lengths := []int{400, 3, 0, 257}
	for _, kinds := range []string{"both", "gradients", "weights"} {
		var traces []string
		for _, task := range []bool{true, false} {
			rt := virtual.New(cluster.Uniform(5, link, nil), virtual.Config{Trace: true})
			_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*ringsparse.Log, error) {
				q := newRandom(p.Rank(), 1, 1, lengths...)
				job := ringsparse.Job{Layers: q.layers, Rate: eta, Steps: 2, Options: ringsparse.Options{Kinds: kinds, Bandwidth: 1.25e8, Charge: true,
					Rates: []cluster.CodecRate{{Name: "count", Encode: 1e9}, {Name: "convert", Encode: 5e8}}}}
				if task {
					job.Task = q
				}
				return ringsparse.Run(p, job)
			})
			must(t, err)
			traces = append(traces, fmt.Sprint(*trace))
		}
		if traces[0] != traces[1] {
			t.Errorf("%s: events differ", kinds)
		}
	}
}

// AllGatherSparse leaves the sum in rank order on every rank, in (N−1)·size bytes each;
// its timing-only form declares them.
func TestAllGatherSparseSumsInRankOrder(t *testing.T) {
	const length = 1003
	for n := 1; n <= 6; n++ {
		gradient := func(rank int) []float32 {
			q := newQuadratic(rank, 0.2, 0, length)
			if _, err := q.Grad(0, func(int) {}); err != nil {
				t.Fatal(err)
			}
			return q.grads
		}
		want := gradient(0)
		for r := 1; r < n; r++ {
			for i, g := range gradient(r) {
				want[i] += g
			}
		}
		for _, c := range []codec.Codec{codec.Dense{}, codec.Bitmap{}, codec.COO{}} {
			bytes := 0
			for r := range n {
				bytes += (n - 1) * c.Size(gradient(r))
			}
			got, trace, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) ([]float32, error) {
				x := gradient(p.Rank())
				return x, ringsparse.AllGatherSparse(p, 9, c, x)
			})
			must(t, err)
			for rank := range got {
				if digest(got[rank]) != digest(want) {
					t.Errorf("N=%d %s rank %d: not the sum in rank order", n, c.Name(), rank)
				}
			}
			if trace.BodyBytes() != int64(bytes) {
				t.Errorf("N=%d %s: %d bytes, want %d", n, c.Name(), trace.BodyBytes(), bytes)
			}
			_, timed, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (int, error) {
				return 0, ringsparse.AllGatherSparseTiming(p, 9, c, length, float64(length/5)/length)
			})
			if want := int64(n * (n - 1) * int(math.Round(c.SizeAt(length, float64(length/5)/length)))); err != nil || timed.BodyBytes() != want {
				t.Errorf("N=%d %s timing-only: %d bytes, want %d; %v", n, c.Name(), timed.BodyBytes(), want, err)
			}
		}
	}
}
