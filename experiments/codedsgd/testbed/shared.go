package testbed

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// Pick returns what profile ci differs in.
func Pick[T any](profile string, ci, rest T) T {
	if profile == "ci" {
		return ci
	}
	return rest
}

// Seconds returns an estimate that profile ci differs in.
func Seconds(ci, rest float64) func(string, int) float64 {
	return func(profile string, _ int) float64 { return Pick(profile, ci, rest) }
}

// Sizes yields every redundancy of least to most nodes, from small to large, until ctx ends.
func Sizes(ctx context.Context, least, most int) iter.Seq2[int, int] {
	return func(yield func(n, r int) bool) {
		for n := least; n <= most; n++ {
			for r := 1; r <= n; r++ {
				if ctx.Err() != nil || !yield(n, r) {
					return
				}
			}
		}
	}
}

// One returns 1 if it is so, else 0: n += one(so).
func One(so bool) int {
	if so {
		return 1
	}
	return 0
}

// Listed spells a list as a key: "0,2".
func Listed(xs []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(xs)), ","), "[]")
}

// AddData notes that r was trained or counted on d too; a set is listed once.
func AddData(r *result.Result, d result.Data) {
	if !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.Name == d.Name }) {
		r.Data = append(r.Data, d)
	}
}

// Task is a task of one layer whose gradient of a block add gives.
type Task struct {
	layer  cluster.Layer
	params []float32
	add    func(grads []float32, step int64, lo, hi int)
}

// NewTask makes a task of layer, with parameters of 0.
func NewTask(layer cluster.Layer, add func(grads []float32, step int64, lo, hi int)) *Task {
	return &Task{layer, make([]float32, layer.Length), add}
}

func (t *Task) Layers() []cluster.Layer { return []cluster.Layer{t.layer} }

func (t *Task) Params() []float32 { return t.params }

func (t *Task) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	clear(grads)
	t.add(grads, step, lo, hi)
	done(0)
	return 0, nil
}

// Blocks is a node's gradients of one layer, by block; nil: it lacks it.
type Blocks [][]int32

func (b Blocks) Has(q int) bool { return q >= 0 && q < len(b) && b[q] != nil }

// Of returns what a node knows of them: its own blocks.
func (b Blocks) Of(a *codedsgd.Assignment, node int) Blocks {
	own := make(Blocks, len(b))
	for _, q := range a.Of(node) {
		own[q] = b[q]
	}
	return own
}

func (b Blocks) Layer(q, _, _ int) ([]int32, error) {
	if !b.Has(q) {
		return nil, fmt.Errorf("codedsgd: block %d is not known", q)
	}
	return b[q], nil
}
