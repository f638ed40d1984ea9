// Package setup holds what the experiments have in common: the paper's nodes and networks
// as we assume them, what profiles differ in, and the blocks of an exchange.
package setup

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// Anchor is the number of nodes of Figures 12 and 13.
const Anchor = 8

// Rate is η of every training.
//
// It was chosen before the first run, under synchronous SGD alone: 8 nodes of quick, seeds
// 1000 to 1002, which are in no table, 240 updates; of 0.05, 0.1, 0.2 and 0.4 the one
// with the best mean accuracy over the last quarter of the evaluations. It is 0.2 for
// both networks (81.9, 82.1 and 81.5 % of the DNN's 0.1, 0.2 and 0.4; 78.7, 79.4 and
// 77.4 % of the CNN's) and serves every profile.
const Rate = 0.2

// Range is the number that int32's largest stands for (§3.1).
const Range = 10

// Redundancies are the ones whose curves the paper draws (§3.2.2), r = 2 and r = 3.
var Redundancies = []int{2, 3}

// Platform returns the platform of every timed run: the paper's ten nodes, and a server
// for ASGD, as we assume them.
func Platform() *cluster.Platform { return kit.Must(platforms.Load("cssgd10")) }

// Calm returns p without jitter: the same work always takes the same time, and what
// differs is due to the exchange.
func Calm(p *cluster.Platform) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
}

// First returns p with its first n nodes alone.
func First(p *cluster.Platform, n int) *cluster.Platform {
	p = p.Clone()
	p.Workers = p.Workers[:n]
	return p
}

// Network is one of the paper's two, with its data and batch in every experiment. All of
// it was fixed before the first run.
type Network struct {
	Key     string `json:"key"`      // in ids of tables and figures
	Model   string `json:"model"`    // a name of model.Names()
	Title   string `json:"title"`    // as the paper calls it
	PerNode int    `json:"per_node"` // samples of a batch for each node: |F_j| = n·PerNode
	Data    string `json:"data"`     // a name of datasets.Names(): the paper's set
	Trained string `json:"trained"`  // Data in words
	// Best is the best redundancy of 8 nodes by Figures 12 and 13.
	Best int `json:"-"`
}

// DNN and CNN are the paper's, whose layers it does not give. PerNode puts Tcomm/Tcalc,
// at 8 nodes and in the paper's message model, inside the ranges that its best
// redundancies, 3 and 2, imply: it was calibrated to that, and the pages say so.
var (
	DNN = Network{Key: "dnn", Model: "mlp", Title: "DNN", PerNode: 160, Data: "mnist", Trained: "MNIST", Best: 3}
	CNN = Network{Key: "cnn", Model: "cnn", Title: "CNN", PerNode: 40, Data: "cifar-10", Trained: "CIFAR-10", Best: 2}
)

// Networks lists both.
func Networks() []Network { return []Network{DNN, CNN} }

// Batch returns |F_j| on a number of nodes: "every node gets the same amount of data"
// (§3.1).
func (w Network) Batch(nodes int) int { return nodes * w.PerNode }

// Nodes lists the numbers of nodes on which a profile trains w, ascending.
func (w Network) Nodes(profile string) []int {
	switch {
	case profile == "ci":
		return []int{2, 4}
	case profile == "quick":
		return []int{2, 3, 4, 6, 8}
	case profile == "standard" && w.Key == CNN.Key:
		return []int{2, 4, 10}
	case profile == "standard":
		return []int{2, 4, 6, 8, 10}
	}
	return []int{2, 3, 4, 5, 6, 7, 8, 9, 10}
}

// Dataset returns the set that a profile trains w on, as train.Config.Data: in standard and
// paper the paper's, which must be there; else "", the paper's where it is found and the
// embedded images in its place.
func (w Network) Dataset(profile string) string {
	if profile == "standard" || profile == "paper" {
		return w.Data
	}
	return ""
}

// Build returns w at full width for the classes of a number of nodes.
func (w Network) Build(nodes int) *model.Model {
	return kit.Must(model.Build(model.Spec{Name: w.Model, Classes: Classes(nodes)}))
}

// Classes returns how many classes a number of nodes is trained to tell apart: "on 2 nodes
// only two classes, on 3 nodes three, and so on" (§3.1).
func Classes(nodes int) int { return nodes }

// Shape returns rows and columns of a layer's weights: outputs, and inputs of each.
func Shape(m *model.Model, l model.LayerInfo) [2]int {
	w := m.Params()[slices.IndexFunc(m.Params(), func(p model.Param) bool { return p.Offset == l.Offset })]
	return [2]int{w.Shape[0], w.Length / w.Shape[0]}
}

// MicroBlocks returns Q of the paper's message model: the least common multiple of
// n = C(n,1) and of C(n,r) of every r that is compared and possible, so that one cutting
// of the batch serves all methods.
func MicroBlocks(nodes int, rs ...int) int {
	q := nodes
	for _, r := range rs {
		if c := choose(nodes, r); c > 0 {
			m := q
			for q%c != 0 {
				q += m
			}
		}
	}
	return q
}

// Q returns MicroBlocks of the redundancies that are compared.
func Q(nodes int) int { return MicroBlocks(nodes, Redundancies...) }

// choose returns C(n, k); 0 for k < 0 or k > n.
func choose(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	return combin.Binomial(n, k)
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

// Pick returns ci in profile ci, rest in every other.
func Pick[T any](profile string, ci, rest T) T {
	if profile == "ci" {
		return ci
	}
	return rest
}

// Seconds estimates an experiment that takes as long with any number of seeds.
func Seconds(ci, rest float64) func(profile string, seeds int) float64 {
	return func(profile string, _ int) float64 { return Pick(profile, ci, rest) }
}

// One returns 1 where a condition holds and 0 elsewhere: n += One(a < b) counts.
func One(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// Listed spells a list as a key: "0,2".
func Listed(xs []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(xs)), ","), "[]")
}

// AddData records that r was trained or counted on d too; a set is listed once.
func AddData(r *result.Result, d result.Data) {
	if !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.Name == d.Name }) {
		r.Data = append(r.Data, d)
	}
}

// Task is a codedsgd.Task of one layer, whose gradients a function gives.
type Task struct {
	layer  cluster.Layer
	params []float32
	add    func(grads []float32, step int64, lo, hi int)
}

// NewTask makes a task with parameters of 0. add adds the gradients of samples lo … hi−1 to
// grads, which are 0.
func NewTask(layer cluster.Layer, add func(grads []float32, step int64, lo, hi int)) *Task {
	return &Task{layer, make([]float32, layer.Length), add}
}

// Layers returns the layer.
func (t *Task) Layers() []cluster.Layer { return []cluster.Layer{t.layer} }

// Params returns the parameters.
func (t *Task) Params() []float32 { return t.params }

// BlockGrad writes the gradients of samples lo … hi−1.
func (t *Task) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	clear(grads)
	t.add(grads, step, lo, hi)
	done(0)
	return 0, nil
}

// Blocks are a node's gradients of one layer, by block; nil: it lacks the block. They are
// codedsgd.Known.
type Blocks [][]int32

// Of returns those of b that a node computes itself.
func (b Blocks) Of(a *codedsgd.Assignment, node int) Blocks {
	own := make(Blocks, len(b))
	for _, q := range a.Of(node) {
		own[q] = b[q]
	}
	return own
}

// Has reports whether block q is there.
func (b Blocks) Has(q int) bool { return q >= 0 && q < len(b) && b[q] != nil }

// Layer returns block q's gradient, or an error if it is not there.
func (b Blocks) Layer(q, _, _ int) ([]int32, error) {
	if !b.Has(q) {
		return nil, fmt.Errorf("codedsgd: block %d is not known", q)
	}
	return b[q], nil
}
