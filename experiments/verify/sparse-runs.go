package verify

import (
	"context"
	"math"
	"slices"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// trained runs iterations of a job on n ranks and returns every rank's parameters after each.
func trained(ctx context.Context, n int, job func(rank int) ringsparse.Job) ([][][]float32, error) {
	out, _, err := cluster.Run(ctx, virtual.New(even(n), virtual.Config{}), func(p cluster.Proc) (after [][]float32, err error) {
		j := job(p.Rank())
		j.OnStep = func(int64) (bool, error) {
			after = append(after, slices.Clone(j.Task.Params()))
			return false, nil
		}
		_, err = ringsparse.Run(p, j)
		return after, err
	})
	return out, err
}

// maskedBits compares three iterations with a mask and without. What is sent of one kind does
// not depend on its neighbours, so that the kept parameters are the same.
func maskedBits(ctx context.Context) (t tally, err error) {
	keep := make([]bool, 131+2+64)
	for i := range keep {
		keep[i] = i%3 != 1
	}
	for n := 1; n <= 4; n++ {
		for _, kinds := range []string{"gradients", "weights", "both"} {
			run := func(mask []bool) ([][][]float32, error) {
				return trained(ctx, n, func(rank int) ringsparse.Job {
					return ringsparse.Job{Task: newSeededTask(rank, 0.5, 131, 2, 0, 64), Rate: sparseEta, Steps: 3, Mask: mask,
						Options: ringsparse.Options{Kinds: kinds, Bandwidth: 1.25e8}}
				})
			}
			got, err := run(keep)
			if err != nil {
				return t, err
			}
			whole, err := run(nil)
			if err != nil {
				return t, err
			}
			for rank := range got {
				for step, w := range got[rank] {
					wrong := 0
					for i, v := range w {
						bits := math.Float32bits(v)
						if !keep[i] && bits != 0 || keep[i] && kinds != "both" && bits != math.Float32bits(whole[rank][step][i]) {
							wrong++
						}
					}
					t.add(wrong == 0, "%s, N=%d, rank %d, iteration %d: %d parameters differ", kinds, n, rank, step, wrong)
				}
			}
		}
	}
	return t, nil
}

// smallTask is a task of gradients that are sixteenths and mostly below a threshold. All its
// sums are exact in float32.
type smallTask struct {
	rank          int
	params, grads []float32
}

func (v *smallTask) Layers() []cluster.Layer {
	return []cluster.Layer{{Name: "only", Length: len(v.params)}}
}
func (v *smallTask) Params() []float32 { return v.params }
func (v *smallTask) Grads() []float32  { return v.grads }

func (v *smallTask) Grad(step int64, done func(int)) (float64, error) {
	for i := range v.grads {
		v.grads[i] = smallGradient(v.rank, i, step)
	}
	done(0)
	return 0, nil
}

// smallGradient returns −4/16 … 12/16.
func smallGradient(rank, i int, step int64) float32 {
	return float32((7*i+5*rank+3*int(step))%17-4) / 16
}

// keptBack compares what was applied with all gradients so far. A rank keeps back one number
// of each block at most, no larger than the threshold.
func keptBack(ctx context.Context) (t tally, err error) {
	const length, threshold = 37, 0.5
	for _, n := range []int{1, 2, 4} { // N and η are powers of two: every step is exact
		for _, codec := range []string{"dense", "bitmap"} {
			after, err := trained(ctx, n, func(rank int) ringsparse.Job {
				task := &smallTask{rank, make([]float32, length), make([]float32, length)}
				return ringsparse.Job{Task: task, Rate: sparseEta, Steps: 24, Options: ringsparse.Options{Kinds: "gradients", Codec: codec, Threshold: threshold}}
			})
			if err != nil {
				return t, err
			}
			for rank := range after {
				sum := make([]float64, length)
				for step, w := range after[rank] {
					for i, v := range w {
						for k := range n {
							sum[i] += float64(smallGradient(k, i, int64(step)))
						}
						applied := -float64(v) * float64(n) / sparseEta
						t.add(math.Abs(sum[i]-applied) <= float64(n)*threshold, "%s, N=%d, rank %d, iteration %d, parameter %d: gradients of %g, applied %g, at most %g "+
							"kept back",
							codec, n, rank, step, i, sum[i], applied, float64(n)*threshold)
					}
				}
			}
		}
	}
	return t, nil
}
