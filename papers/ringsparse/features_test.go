package ringsparse_test

import (
	"fmt"
	"math"
	"testing"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// Decay is part of the local gradient: the dense ring over gradients folded alike, to
// the bit; and the usual decoupled step, w − η·(Σg/N + λ·w), within rounding.
func TestWeightDecayIsFoldedIntoTheGradient(t *testing.T) {
	const n, decay = 4, 0.05
	task := func(r int) *quadratic { return newQuadratic(r, 0.2, 0.5, ragged...) }
	want := dense(t, n, steps, task, func(w0, g []float32) {
		for i := range g {
			g[i] += float32(float32(decay) * w0[i])
		}
	}, func(w, sum []float32) {
		for i, g := range sum {
			w[i] -= float32(float32(eta*(1/float64(n))) * g)
		}
	})
	job := ringsparse.Job{Rate: eta, Steps: steps, WeightDecay: decay, Options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap"}}
	out := train(t, newVirtual(n), job, func(r int) cluster.Task { return task(r) })
	if fmt.Sprint(out[0].Digests) != fmt.Sprint(want) {
		t.Errorf("digests %v, dense ring %v", out[0].Digests, want)
	}

	var usual []float32
	_ = dense(t, n, steps, task, func(_, _ []float32) {}, func(w, sum []float32) {
		for i, g := range sum {
			w[i] -= float32(float32(eta) * (g/n + float32(float32(decay)*w[i])))
		}
		usual = append([]float32(nil), w...) // of whichever rank: all are alike
	})
	job.Options = ringsparse.Options{Bandwidth: 1e8}
	out = train(t, newVirtual(n), job, func(r int) cluster.Task { return task(r) })
	for i, w := range out[n-1].Params {
		if d := math.Abs(float64(w - usual[i])); d > 2e-6 {
			t.Fatalf("parameter %d: %g, with decay in the update %g", i, w, usual[i])
		}
	}
}

// A mask is kept whatever is sent. As weights at every hop it is kept by the local
// projection alone: a dense ring of projected weights, to the bit.
func TestMaskIsKept(t *testing.T) {
	const n = 4
	task := func(r int) *random { return newRandom(r, 0.4, 0.5, ragged...) }
	mask := task(0).mask
	for _, kinds := range []string{"both", "gradients", "weights"} {
		job := ringsparse.Job{Rate: eta, Steps: steps, Mask: mask, Options: ringsparse.Options{Kinds: kinds, Bandwidth: 1e8}}
		out := train(t, newVirtual(n), job, func(r int) cluster.Task { return task(r) })
		for i, keep := range mask {
			if w := out[1].Params[i]; !keep && math.Float32bits(w) != 0 || keep && w == 0 {
				t.Fatalf("%s: parameter %d is %g, kept %v", kinds, i, w, keep)
			}
		}
		if kinds != "weights" {
			continue
		}
		want := dense(t, n, steps, func(r int) *quadratic { return &task(r).quadratic }, func(w0, g []float32) {
			for i := range g {
				if g[i] = w0[i] - float32(float32(eta)*g[i]); !mask[i] {
					g[i] = 0
				}
			}
		}, func(w, sum []float32) {
			for i, v := range sum {
				w[i] = v / n
			}
		})
		if fmt.Sprint(out[0].Digests) != fmt.Sprint(want) {
			t.Errorf("digests %v, dense ring of projected weights %v", out[0].Digests, want)
		}
	}
}

// Conversion and projection do not commute: weights that are made of gradients are unmasked. So without the projection
// after the average a pruned weight comes back, although every local step was projected.
func TestMaskNeedsTheSecondProjection(t *testing.T) {
	w0, mask := []float32{0, 1}, []bool{false, true}
	g, local := []float32{2, 2}, make([]float32, 2)
	ringsparse.LocalStep(local, w0, g, 0.5, ringsparse.Descent)
	ringsparse.Project(local, mask)
	if fmt.Sprint(local) != "[0 0]" {
		t.Fatalf("projected local step %v", local)
	}
	pw := make([]float32, 2)
	ringsparse.ToWeights(pw, w0, []float32{4, 4}, 0.5, 2, ringsparse.Descent) // two nodes' g
	if fmt.Sprint(pw) != "[-2 0]" {
		t.Errorf("weights of gradients are %v, want the pruned one to be −2", pw)
	}
	final := append([]float32(nil), w0...)
	ringsparse.ApplyGradients(final, []float32{4, 4}, 0.5, 2, ringsparse.Descent)
	if fmt.Sprint(final) != "[-1 0]" {
		t.Errorf("without projection %v, want the pruned weight at −1", final)
	}
	if ringsparse.Project(final, mask); fmt.Sprint(final) != "[0 0]" {
		t.Errorf("projected %v", final)
	}
}

// constant is a task of one entry per rank-independent gradient.
type constant struct {
	fixed
	steps [][]float32 // by step
}

func (c *constant) Grad(step int64, done func(int)) (float64, error) {
	copy(c.grads, c.steps[step])
	done(0)
	return 0, nil
}

// What a threshold drops is added to the next gradient: 0.3 twice is 0.6, more than
// 0.5. By hand for one rank and η = 1; the numbers are multiples of 1/8.
func TestThresholdFeedsBack(t *testing.T) {
	task := &constant{fixed: fixed{params: make([]float32, 3)}, steps: [][]float32{
		{0.375, 1, 0}, {0.375, 0.25, 0.5}, {0.25, 0.125, 0.125}, {0, 0, 0}}}
	var got []string
	_, _, err := cluster.Run(t.Context(), newVirtual(1), func(p cluster.Proc) (*ringsparse.Log, error) {
		return ringsparse.Run(p, ringsparse.Job{Task: task, Rate: 1, Steps: 4,
			Options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap", Threshold: 0.5},
			OnStep:  func(int64) (bool, error) { got = append(got, fmt.Sprint(task.params)); return false, nil }})
	})
	want := []string{"[0 -1 0]", "[-0.75 -1 0]", "[-0.75 -1 -0.625]", "[-0.75 -1 -0.625]"}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("parameters by step %v, want %v; %v", got, want, err)
	}
}

// Nothing is lost for good: a gradient is delivered or in one of the N residuals, which
// are at most the threshold each. Gradients are multiples of 1/16, so sums are exact.
func TestThresholdLosesNoMoreThanTheResiduals(t *testing.T) {
	const n, length, threshold = 4, 40, 0.5
	for _, kinds := range []string{"gradients", "both"} {
		gradient := func(rank int, step int64, i int) float32 { return float32((rank*7+int(step)*5+i*3)%9-4) / 16 }
		logs, _, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) ([]float32, error) {
			task := &constant{fixed: fixed{params: make([]float32, length)}}
			for step := range int64(6) {
				g := make([]float32, length)
				for i := range g {
					g[i] = gradient(p.Rank(), step, i)
				}
				task.steps = append(task.steps, g)
			}
			log, err := ringsparse.Run(p, ringsparse.Job{Task: task, Rate: 1, Steps: 6,
				Options: ringsparse.Options{Kinds: kinds, Tie: "gradients", Codec: "bitmap", Threshold: threshold}})
			if err == nil && !log.Lossy {
				err = fmt.Errorf("the log does not say that the run is lossy")
			}
			return task.params, err
		})
		must(t, err)
		lossy := false
		for i := range length {
			total := 0.
			for rank := range n {
				for step := range int64(6) {
					total += float64(gradient(rank, step, i))
				}
			}
			missing := math.Abs(total + n*float64(logs[0][i]))
			lossy = lossy || missing > 0
			if missing > n*threshold+1e-5 {
				t.Errorf("%s: entry %d: %g of the gradients is missing, %d residuals of at most %g", kinds, i, missing, n, threshold)
			}
			if logs[1][i] != logs[0][i] {
				t.Errorf("%s: entry %d differs between ranks", kinds, i)
			}
		}
		if !lossy {
			t.Errorf("%s: nothing was ever dropped", kinds)
		}
	}
}

// Replicas do not drift with a threshold either: the owner takes over its own wire form.
func TestThresholdKeepsReplicasTogether(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for _, o := range []ringsparse.Options{{Threshold: 0.02, Bandwidth: 1e8}, {Threshold: 0.02, Kinds: "gradients", Codec: "rle"},
			{Threshold: 0.02, Exchange: "all-gather", Codec: "coo"}} {
			out := train(t, newVirtual(n), ringsparse.Job{Rate: eta, Steps: steps, Options: o},
				func(r int) cluster.Task { return newQuadratic(r, 0.5, 0.2, ragged...) })
			for rank := range out {
				if fmt.Sprint(out[rank].Digests) != fmt.Sprint(out[0].Digests) {
					t.Errorf("N=%d %+v: rank %d differs from rank 0", n, o, rank)
				}
			}
		}
	}
}

// The rival in the same loop: the naive sum in rank order, to the bit.
func TestAllGatherTrainsOnTheSumInRankOrder(t *testing.T) {
	const decay = 0.05
	for n := 1; n <= 5; n++ {
		tasks := make([]*quadratic, n)
		for r := range n {
			tasks[r] = newQuadratic(r, 0.2, 0, ragged...)
		}
		var want []string
		for step := range int64(steps) {
			sum := make([]float32, len(tasks[0].params))
			for r, q := range tasks {
				if _, err := q.Grad(step, func(int) {}); err != nil {
					t.Fatal(err)
				}
				for i, g := range q.grads {
					if g += float32(float32(decay) * q.params[i]); r == 0 {
						sum[i] = g
					} else {
						sum[i] += g
					}
				}
			}
			for _, q := range tasks {
				for i, g := range sum {
					q.params[i] -= float32(float32(eta*(1/float64(n))) * g)
				}
			}
			want = append(want, digest(tasks[0].params))
		}
		job := ringsparse.Job{Rate: eta, Steps: steps, WeightDecay: decay, Options: ringsparse.Options{Exchange: "all-gather", Bandwidth: 1e8}}
		for rank, o := range train(t, newVirtual(n), job, func(r int) cluster.Task { return newQuadratic(r, 0.2, 0, ragged...) }) {
			if fmt.Sprint(o.Digests) != fmt.Sprint(want) {
				t.Errorf("N=%d rank %d: %v, want %v", n, rank, o.Digests, want)
			}
		}
	}
}
