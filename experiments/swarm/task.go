package swarm

import (
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// Sizes of the one model: small, so that a run takes milliseconds, with layers of unequal length.
var lengths = []int{5, 2, 4}

// params is how many parameters the model has.
const params = 11

// layers returns the model's layers, 6 MFLOP a gradient in all.
func layers() (ls []cluster.Layer) {
	at := 0
	for i, n := range lengths {
		work := cluster.Work{FLOP: 1e6}
		ls = append(ls, cluster.Layer{Name: string(rune('a' + i)), Offset: at, Length: n, Forward: work, Backward: work})
		at += n
	}
	return ls
}

// begin returns the parameters that all begin with.
func begin() []float32 {
	x := make([]float32, params)
	for i := range x {
		x[i] = float32(i) / 8
	}
	return x
}

// target returns entry i of the point that pulls who (a worker or a sample) at a step. It is never the same twice in
// a run of some hundred steps, so that a gradient in another's place shows in the bits.
func target(who int, step int64, i int) float32 {
	return float32((who*3137+int(step)*1741+i*709)%10007)/5003 - 1
}

// gradient writes who's gradient of ½·‖x − c(who, step)‖² at x to g and returns that loss.
func gradient(g, x []float32, who int, step int64) (loss float64) {
	for i := range g {
		g[i] = x[i] - target(who, step, i)
		loss += float64(g[i]*g[i]) / 2
	}
	return loss
}

// quadratic is one rank's task.
type quadratic struct {
	who           int
	params, grads []float32
}

func newQuadratic(who int) *quadratic {
	return &quadratic{who: who, params: begin(), grads: make([]float32, params)}
}

func (q *quadratic) Layers() []cluster.Layer { return layers() }
func (q *quadratic) Params() []float32       { return q.params }
func (q *quadratic) Grads() []float32        { return q.grads }

func (q *quadratic) Grad(step int64, done func(int)) (float64, error) {
	loss := gradient(q.grads, q.params, q.who, step)
	for l := len(lengths) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// samples is the task of coded SGD: sample s of a batch pulls as a worker s would.
type samples struct{ params []float32 }

var _ codedsgd.Task = samples{}

func (q samples) Layers() []cluster.Layer { return layers() }
func (q samples) Params() []float32       { return q.params }

func (q samples) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (loss float64, err error) {
	clear(grads)
	var g [params]float32
	for s := lo; s < hi; s++ {
		loss += gradient(g[:], q.params, s, step)
		for i := range grads {
			grads[i] += g[i]
		}
	}
	for l := len(lengths) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}
