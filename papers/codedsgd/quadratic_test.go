package codedsgd_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// quadratic is a task whose gradients are known: sample s of step k pulls the
// parameters to a point of its own, so that the gradient of one sample is x − c(k, s).
type quadratic struct {
	layers        []cluster.Layer
	params        []float32
	lo, hi        []int // of the calls
	poison        float32
	poisoned, big int // sample that gets poison, or is scaled by 1000; −1: none
}

func newQuadratic(lengths ...int) *quadratic {
	q, n := &quadratic{poisoned: -1, big: -1}, 0
	for i, l := range lengths {
		q.layers = append(q.layers, cluster.Layer{Name: string(rune('a' + i)), Offset: n, Length: l,
			Forward: cluster.Work{FLOP: 1e5}, Backward: cluster.Work{FLOP: 2e5}})
		n += l
	}
	q.params = make([]float32, n)
	r := cluster.Stream(11, 0, "", "weights")
	for i := range q.params {
		q.params[i] = float32(r.NormFloat64() * 0.05)
	}
	return q
}

func (q *quadratic) Layers() []cluster.Layer { return q.layers }
func (q *quadratic) Params() []float32       { return q.params }

func (q *quadratic) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (loss float64, err error) {
	q.lo, q.hi = append(q.lo, lo), append(q.hi, hi)
	clear(grads)
	for s := lo; s < hi; s++ {
		r := cluster.Stream(uint64(step), s, "", "sample")
		for i := range grads {
			d := q.params[i] - float32(r.NormFloat64()*0.1)
			if s == q.big {
				d *= 1000
			}
			grads[i] += d
			loss += float64(d*d) / 2
		}
		if s == q.poisoned {
			grads[len(grads)-1] = q.poison
		}
	}
	for l := len(q.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// digest is sha256 of the parameters' bits.
func digest(x []float32) string {
	h := sha256.New()
	for _, v := range x {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
	return hex.EncodeToString(h.Sum(nil))
}

var _ codedsgd.Task = (*quadratic)(nil)
