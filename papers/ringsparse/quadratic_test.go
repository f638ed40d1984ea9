package ringsparse_test

import (
	"math"

	"gradsync/shared/cluster"
)

// quadratic is a task whose gradient is known and sparse: rank r's gradient at
// step k is x − c(r, k) where its own random choice keeps it, exactly +0 elsewhere.
type quadratic struct {
	rank          int
	density       float64
	layers        []cluster.Layer
	params, grads []float32
}

// newQuadratic is rank's task of layers of the given lengths. zeroShare of the
// initial weights are +0, the same on every rank.
func newQuadratic(rank int, density, zeroShare float64, lengths ...int) *quadratic {
	q, n := &quadratic{rank: rank, density: density}, 0
	for i, l := range lengths {
		work := cluster.Work{FLOP: 1e6}
		q.layers = append(q.layers, cluster.Layer{Name: string(rune('a' + i)), Offset: n, Length: l, Forward: work, Backward: work})
		n += l
	}
	q.params, q.grads = make([]float32, n), make([]float32, n)
	r := cluster.Stream(11, 0, "", "weights")
	for i := range q.params {
		if w := float32(r.NormFloat64() * 0.05); r.Float64() >= zeroShare {
			q.params[i] = w
		}
	}
	return q
}

func (q *quadratic) Layers() []cluster.Layer { return q.layers }
func (q *quadratic) Params() []float32       { return q.params }
func (q *quadratic) Grads() []float32        { return q.grads }

func (q *quadratic) Grad(step int64, done func(int)) (loss float64, err error) {
	scale := float32(math.Pow(10, float64(q.rank%4)-3)) // sums depend on their order
	for l := len(q.layers) - 1; l >= 0; l-- {
		r := cluster.Stream(uint64(step)*64+uint64(l), q.rank, "", "gradient")
		for i := q.layers[l].Offset; i < q.layers[l].Offset+q.layers[l].Length; i++ {
			target := float32(r.NormFloat64()) * scale
			q.grads[i] = 0
			if r.Float64() < q.density {
				q.grads[i] = q.params[i] - target
			}
		}
		done(l)
	}
	return loss, nil
}
