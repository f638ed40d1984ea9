package ringsparse_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
	"gradsync/shared/tensor/vec"
)

// link is the reference link: α = 50 µs, 1.25 GB/s.
var link = cluster.Host{Name: "w", FLOPS: 1e12, Bandwidth: 1.25e9, Latency: 25 * time.Microsecond}

// ragged are layers whose lengths no N from 2 to 9 divides, one shorter than the ring and an empty one.
var ragged = []int{257, 3, 0, 1009}

// outcome holds what a rank leaves: the digest of its parameters after every step.
type outcome struct {
	Digests []string
	Params  []float32
	Log     *ringsparse.Log
}

func digest(x []float32) string {
	return fmt.Sprintf("%x", sha256.Sum256(vec.AppendBytes(nil, x)))[:16]
}

// train runs job on n ranks; each gets its task from task.
func train(t *testing.T, rt cluster.Runtime, job ringsparse.Job, task func(rank int) cluster.Task) []outcome {
	t.Helper()
	out, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (o outcome, err error) {
		job := job
		job.Task = task(p.Rank())
		job.OnStep = func(int64) (bool, error) {
			o.Digests = append(o.Digests, digest(job.Task.Params()))
			return false, nil
		}
		o.Log, err = ringsparse.Run(p, job)
		o.Params = job.Task.Params()
		return o, err
	})
	must(t, err)
	return out
}

// ran runs job, the same on every rank.
func ran(t *testing.T, rt cluster.Runtime, job ringsparse.Job) ([]*ringsparse.Log, *cluster.Trace, error) {
	return cluster.Run(t.Context(), rt, func(p cluster.Proc) (*ringsparse.Log, error) { return ringsparse.Run(p, job) })
}

func newVirtual(n int) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, link, nil), virtual.Config{Seed: 1})
}

// dense trains by the reference: the blog's ring sums what `give` makes of W0 and g,
// and `take` makes parameters of the sum. It knows nothing of package ringsparse.
func dense(t *testing.T, n int, steps int64, task func(rank int) *quadratic, give func(w0, g []float32), take func(w, sum []float32)) []string {
	t.Helper()
	out, _, err := cluster.Run(t.Context(), newVirtual(n), func(p cluster.Proc) (digests []string, err error) {
		q := task(p.Rank())
		for step := range steps {
			if _, err := q.Grad(step, func(int) {}); err != nil {
				return nil, err
			}
			give(q.params, q.grads)
			for _, l := range q.layers {
				if err := collective.RingAllReduce(p, 7, q.grads[l.Offset:l.Offset+l.Length]); err != nil {
					return nil, err
				}
			}
			take(q.params, q.grads)
			digests = append(digests, digest(q.params))
		}
		return digests, nil
	})
	must(t, err)
	return out[0]
}

const eta, steps = 0.1, 3

var losslessCodecs = []string{"dense", "bitmap", "coo", "rle", "auto"}

// Blocks that are gradients at every hop are the dense gradient ring, blocks that
// are weights at every hop a dense ring over locally updated weights: bit for bit.
func TestOneKindIsADenseRingBitForBit(t *testing.T) {
	for n := 1; n <= race.Less(9, 4); n++ {
		task := func(rank int) *quadratic { return newQuadratic(rank, 0.2, 0.5, ragged...) }
		want := map[string][]string{
			"gradients": dense(t, n, steps, task, func(w0, g []float32) {}, func(w, sum []float32) {
				step := float32(eta * (1 / float64(n)))
				for i, g := range sum {
					w[i] -= float32(step * g)
				}
			}),
			"weights": dense(t, n, steps, task, func(w0, g []float32) {
				for i := range g {
					g[i] = w0[i] - float32(float32(eta)*g[i])
				}
			}, func(w, sum []float32) {
				for i, v := range sum {
					w[i] = v / float32(n)
				}
			}),
		}
		for kinds, want := range want {
			for _, codec := range losslessCodecs {
				job := ringsparse.Job{Rate: eta, Steps: steps, Options: ringsparse.Options{Kinds: kinds, Codec: codec, Bandwidth: 1e8}}
				for rank, o := range train(t, newVirtual(n), job, func(r int) cluster.Task { return task(r) }) {
					if fmt.Sprint(o.Digests) != fmt.Sprint(want) {
						t.Errorf("N=%d %s %s rank %d: digests %v, dense ring %v", n, kinds, codec, rank, o.Digests, want)
					}
				}
			}
		}
	}
}

// If both kinds are allowed and every choice is one kind, it is that dense ring as well:
// here dense blocks, of which the tie rule takes the one or the other.
func TestBothKindsWithOneChoiceIsADenseRingBitForBit(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for _, kind := range []string{"weights", "gradients"} {
			var runs []string
			for _, o := range []ringsparse.Options{{Tie: kind, Codec: "bitmap"}, {Kinds: kind, Codec: "dense"}} {
				out := train(t, newVirtual(n), ringsparse.Job{Rate: eta, Steps: steps, Options: o},
					func(r int) cluster.Task { return newQuadratic(r, 1, 0, 101, 9) })
				runs = append(runs, fmt.Sprint(out[n-1].Digests))
			}
			if runs[0] != runs[1] {
				t.Errorf("N=%d: all blocks %s of both kinds %v, of one kind %v", n, kind, runs[0], runs[1])
			}
		}
	}
}

// −0 is no zero: 0 + (−0) is +0 in a sum of two ranks, −0 + (−0) is −0, whatever the codec.
func TestNegativeZeroIsSummedAsDense(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	gradients := [][]float32{{minus, 0, minus, 1, 0}, {minus, minus, 0, minus, 0}, {minus, 0, 0, 0, minus}}
	for n := 2; n <= 3; n++ {
		var want string
		for _, codec := range losslessCodecs {
			job := ringsparse.Job{Rate: eta, Steps: 1, Options: ringsparse.Options{Kinds: "gradients", Codec: codec, Bandwidth: 1e3}}
			tasks := make([]*fixed, n)
			train(t, newVirtual(n), job, func(r int) cluster.Task {
				tasks[r] = &fixed{params: make([]float32, 5), next: gradients[r]}
				return tasks[r]
			})
			for r, q := range tasks {
				got := fmt.Sprintf("%x", vec.AppendBytes(nil, q.grads))
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("N=%d %s rank %d: sum %v has other bits than dense", n, codec, r, q.grads)
				}
			}
		}
	}
}

// fixed is a task of one layer and one gradient.
type fixed struct{ params, grads, next []float32 }

func (f *fixed) Layers() []cluster.Layer { return []cluster.Layer{{Name: "a", Length: len(f.params)}} }
func (f *fixed) Params() []float32       { return f.params }
func (f *fixed) Grads() []float32 {
	if f.grads == nil {
		f.grads = make([]float32, len(f.params))
	}
	return f.grads
}
func (f *fixed) Grad(_ int64, done func(int)) (float64, error) {
	copy(f.grads, f.next)
	done(0)
	return 0, nil
}

// Replicas never drift: one digest on all ranks after every step, on virtual and on
// local, which also agree with each other.
func TestReplicasNeverDrift(t *testing.T) {
	most := 9
	if testing.Short() {
		most = 3
	}
	for n := 1; n <= most; n++ {
		for _, codec := range losslessCodecs {
			for _, tie := range []string{"weights", "gradients"} {
				job := ringsparse.Job{Rate: eta, Steps: steps, Options: ringsparse.Options{Codec: codec, Tie: tie, Bandwidth: 1e8}}
				task := func(r int) cluster.Task { return newQuadratic(r, 0.2, 0.5, ragged...) }
				v := train(t, newVirtual(n), job, task)
				l := v
				if n%2 == 1 || n == 2 { // wall clocks are slow
					l = train(t, local.New(cluster.Uniform(n, link, nil), local.Config{Seed: 1}), job, task)
				}
				for rank := range v {
					if fmt.Sprint(v[rank].Digests) != fmt.Sprint(v[0].Digests) || fmt.Sprint(l[rank].Digests) != fmt.Sprint(v[0].Digests) {
						t.Errorf("N=%d %s tie %s rank %d: virtual %v, local %v, rank 0 %v", n, codec, tie, rank, v[rank].Digests, l[rank].Digests, v[0].Digests)
					}
				}
			}
		}
	}
}

func newVirtualOf(n int, h cluster.Host) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, h, nil), virtual.Config{Seed: 1})
}
