package codedsgd_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
)

func plain(int) *quadratic { return newQuadratic(lengths...) }

// Line 4: a node computes the gradients of its own blocks, each micro-block of them by
// itself, ascending, and of no other samples.
func TestAlgorithm1Line4OwnBlocksAlone(t *testing.T) {
	every(t, 5, func(a *codedsgd.Assignment, n, r int) {
		const m, batch = 2, 77
		bounds := a.Split(batch, m*a.Blocks(), nil)
		job := codedsgd.Job{Batch: batch, Rate: 0.1, Steps: 1, Options: codedsgd.Options{Redundancy: r, MicroBlocks: m * a.Blocks()}}
		tasks := make([]*quadratic, n)
		train(t, virtual.New(network(n), virtual.Config{}), job, func(rank int) *quadratic {
			tasks[rank] = newQuadratic(lengths...)
			return tasks[rank]
		})
		for rank, q := range tasks {
			var lo, hi []int
			for _, block := range a.Of(rank) {
				for j := range m {
					lo, hi = append(lo, bounds[block*m+j]), append(hi, bounds[block*m+j+1])
				}
			}
			slices.Sort(q.lo) // in whatever order
			slices.Sort(q.hi)
			if !slices.Equal(q.lo, lo) || !slices.Equal(q.hi, hi) {
				t.Errorf("n=%d r=%d: node %d computed %v to %v, want %v to %v", n, r, rank, q.lo, q.hi, lo, hi)
			}
		}
	})
}

// Line 7: steps with the mean gradient of the batch: within the fixed point's error of
// descent with whole batches in float64.
func TestAlgorithm1Line7IsDescentWithTheWholeBatch(t *testing.T) {
	const batch, rate, decay = 30, 0.3, 0.01
	want := make([]float64, len(plain(0).params))
	for i, w := range plain(0).params {
		want[i] = float64(w)
	}
	q, grads := plain(0), make([]float32, len(want))
	for step := range 3 {
		sure(q.BlockGrad(int64(step), 0, batch, grads, func(int) {}))(t)
		for i, g := range grads {
			want[i] -= rate * (float64(g)/batch + decay*want[i])
			q.params[i] = float32(want[i])
		}
	}
	job := codedsgd.Job{Batch: batch, Rate: rate, WeightDecay: decay, Steps: 3, Options: codedsgd.Options{Redundancy: 2}}
	var got *quadratic
	train(t, virtual.New(network(4), virtual.Config{}), job, func(rank int) *quadratic {
		q := newQuadratic(lengths...)
		if rank == 3 {
			got = q
		}
		return q
	})
	for i, w := range want {
		if d := math.Abs(float64(got.params[i]) - w); d > 5e-8 {
			t.Fatalf("parameter %d: %g, want %g", i, got.params[i], w)
		}
	}
}

// Real runs are the virtual one, bit for bit.
func TestRuntimesLeaveTheSameBits(t *testing.T) {
	for _, x := range []struct {
		n int
		o codedsgd.Options
	}{{4, codedsgd.Options{Redundancy: 2, MicroBlocks: 12}}, {3, codedsgd.Options{Redundancy: 1, Method: "ssgd-unicast"}},
		{5, codedsgd.Options{Redundancy: 3, Literal: true}}} {
		job := codedsgd.Job{Shapes: shapes, Batch: 50, Rate: 0.2, Steps: 3, Options: x.o}
		want, _ := train(t, virtual.New(network(x.n), virtual.Config{}), job, plain)
		for name, rt := range map[string]cluster.Runtime{
			"local": local.New(network(x.n), local.Config{}), "tcp": tcp.Loopback(x.n, tcp.Config{Timeout: time.Minute}),
		} {
			got, _ := train(t, rt, job, plain)
			if fmt.Sprint(got[0].Digests) != fmt.Sprint(want[0].Digests) {
				t.Errorf("%s %+v: other bits than virtual", name, x.o)
			}
			for rank := range got {
				if got[rank].Log.Totals != want[rank].Log.Totals {
					t.Errorf("%s %+v rank %d: %+v, virtual %+v", name, x.o, rank, got[rank].Log.Totals, want[rank].Log.Totals)
				}
			}
		}
	}
}

// Blocks by speed, a batch that blocks do not divide, one that is shorter than there are blocks: decoding is exact, all
// methods leave the same bits. Replicas are compared by train.
func TestUnevenBlocksDecodeExactly(t *testing.T) {
	for _, x := range []struct {
		n, r, batch int
		speeds      []float64
	}{{4, 2, 50, []float64{1, 2, 3, 4}}, {4, 3, 7, []float64{9, 1, 1, 1}}, {5, 2, 3, nil}, {5, 3, 1, nil}, {3, 2, 10, nil}, {2, 1, 1, nil}, {2, 2, 3, nil}} {
		var first string
		for _, o := range []codedsgd.Options{{}, {Method: "ssgd-multicast"}, {Method: "ssgd-unicast"}, {Literal: true}} {
			o.Redundancy, o.Speeds = x.r, x.speeds
			got, _ := train(t, virtual.New(network(x.n), virtual.Config{}), codedsgd.Job{Batch: x.batch, Rate: 0.2, Steps: 2, Options: o}, plain)
			if d := fmt.Sprint(got[0].Digests); first == "" {
				first = d
			} else if d != first {
				t.Errorf("%+v %+v: other bits", x, o)
			}
		}
	}
}

// Step 8 is the caller's: after each step, on every rank; true ends the run.
func TestAlgorithm1Line8EvaluatesAfterEachStep(t *testing.T) {
	logs, _, err := cluster.Run(t.Context(), virtual.New(network(3), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		next := int64(0)
		return codedsgd.Run(p, codedsgd.Job{Task: plain(0), Batch: 6, Rate: 0.1, Steps: 9, OnStep: func(step int64) (bool, error) {
			if step != next {
				return true, fmt.Errorf("step %d, want %d", step, next)
			}
			next++
			return step == 3, nil
		}})
	})
	if err != nil || len(logs[2].Ends) != 4 || len(logs[2].Losses) != 4 {
		t.Fatalf("%+v, %v", logs, err)
	}
	boom := errors.New("boom")
	_, _, err = cluster.Run(t.Context(), virtual.New(network(3), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Task: plain(0), Batch: 6, Rate: 0.1, Steps: 9, OnStep: func(int64) (bool, error) { return false, boom }})
	})
	if !errors.Is(err, boom) {
		t.Errorf("error of OnStep became %v", err)
	}
}

// NaN and infinities end the run with who, when and where; what is out of range is
// counted by each holder, and training goes on.
func TestSection31NotFiniteIsAnErrorAndSaturationACount(t *testing.T) {
	for _, poison := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		_, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			q := plain(0)
			q.poison, q.poisoned = poison, 11 // of 12, so in the last block: nodes 2 and 3
			return codedsgd.Run(p, codedsgd.Job{Task: q, Batch: 12, Rate: 0.1, Steps: 2, Options: codedsgd.Options{Redundancy: 2}})
		})
		if err == nil || !strings.Contains(err.Error(), "step 0: 1 numbers of its gradients are NaN or infinite, the last in layer 3 \"d\"") ||
			!strings.Contains(err.Error(), "rank 2") && !strings.Contains(err.Error(), "rank 3") {
			t.Errorf("%g: %v", poison, err)
		}
	}
	excess := func(int) *quadratic {
		q := plain(0)
		q.big = 11
		return q
	}
	got, _ := train(t, virtual.New(network(4), virtual.Config{}), codedsgd.Job{Batch: 12, Steps: 2, Options: codedsgd.Options{Redundancy: 2}}, excess)
	q, want := excess(0), 0
	for step := range int64(2) { // at rate 0, so with the same parameters
		grads := make([]float32, len(q.params))
		sure(q.BlockGrad(step, 10, 12, grads, func(int) {}))(t)
		for _, g := range grads {
			if g > 10 || g < -10 {
				want++
			}
		}
	}
	for rank, r := range got {
		if s := r.Log.Totals.Saturated; rank < 2 && s != 0 || rank >= 2 && s != int64(want) || want == 0 {
			t.Errorf("rank %d: %d saturated, want %d of nodes 2 and 3", rank, s, want)
		}
	}
}

// The loss of a rank is the mean over the samples it computed, of each step alone.
func TestLossIsTheMeanOverOwnSamples(t *testing.T) {
	job := codedsgd.Job{Batch: 7, Steps: 2, Options: codedsgd.Options{Redundancy: 2}} // at rate 0, so with the same parameters
	got, _ := train(t, virtual.New(network(3), virtual.Config{}), job, plain)
	a := assignment(t, 3, 2)
	bounds := a.Split(7, 3, nil)
	for rank := range 3 {
		for step, got := range got[rank].Log.Losses {
			sum, samples, q := 0., 0, plain(0)
			for _, b := range a.Of(rank) {
				loss, _ := q.BlockGrad(int64(step), bounds[b], bounds[b+1], make([]float32, len(q.params)), func(int) {})
				sum += loss
				samples += bounds[b+1] - bounds[b]
			}
			if want := sum / float64(samples); math.Abs(got-want) > 1e-12*want { // blocks are computed in another order
				t.Errorf("rank %d, step %d: loss %g, want %g", rank, step, got, want)
			}
		}
	}
}
