// Package testbed holds what the experiments have in common: the paper's nodes and networks
// as we assume them, the blocks of an exchange, and what profiles differ in.
package testbed

import (
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// Anchor is the number of nodes of Figures 12 and 13.
const Anchor = 8

// reference is the platform of every timed run here: the paper's ten nodes, and a
// server for ASGD, as we assume them.
const reference = "cssgd10"

// Redundancies are those whose curves the paper draws (§3.2.2), r = 2 and r = 3.
var Redundancies = []int{2, 3}

// Platform loads it; it is embedded.
func Platform() *cluster.Platform { return kit.Must(platforms.Load(reference)) }

// Calm is p without jitter: the same work always takes the same time, so that
// differences are the exchange's.
func Calm(p *cluster.Platform) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
}

// Network is one of the paper's two, with what every experiment trains or times it
// on. All of it was fixed before the first run.
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

// The paper's DNN and CNN, whose layers it does not give. PerNode puts Tcomm/Tcalc,
// at 8 nodes and in the paper's message model, inside the ranges that its best
// redundancies, 3 and 2, imply: it was calibrated to that, and the pages say so.
var (
	DNN = Network{Key: "dnn", Model: "mlp", Title: "DNN", PerNode: 160, Data: "mnist", Trained: "MNIST", Best: 3}
	CNN = Network{Key: "cnn", Model: "cnn", Title: "CNN", PerNode: 40, Data: "cifar-10", Trained: "CIFAR-10", Best: 2}
)

func Networks() []Network { return []Network{DNN, CNN} }

// Batch is |F_j| on n nodes: "every node gets the same amount of data" (§3.1).
func (w Network) Batch(nodes int) int { return nodes * w.PerNode }

// Nodes are the numbers of nodes on which a profile trains w, ascending.
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

// Rate is η of every training.
//
// It was chosen before the first run, under synchronous SGD alone: 8 nodes of quick, seeds
// 1000 to 1002, which are in no table, 240 updates; of 0.05, 0.1, 0.2 and 0.4 the one
// with the best mean accuracy over the last quarter of the evaluations. It is 0.2 for
// both networks (81.9, 82.1 and 81.5 % of the DNN's 0.1, 0.2 and 0.4; 78.7, 79.4 and
// 77.4 % of the CNN's) and serves every profile.
const Rate = 0.2

// Classes is how many classes n nodes are trained to tell apart: "on 2 nodes only
// two classes, on 3 nodes three, and so on" (§3.1).
func Classes(nodes int) int { return nodes }

// Dataset is what a profile trains w on, as train.Config.Data: in standard and
// paper the paper's set, which must be there; else "", the paper's where it is found
// and the embedded images in its place.
func (w Network) Dataset(profile string) string {
	if profile == "standard" || profile == "paper" {
		return w.Data
	}
	return ""
}

// choose is C(n, k); 0 where there is none.
func choose(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	return combin.Binomial(n, k)
}

// MicroBlocks is Q of the paper's message model on n nodes: the least common
// multiple of n = C(n,1) and of C(n,r) of every r that is compared and possible,
// so that one cutting of the batch serves all methods.
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

// Q is Q(n) of the redundancies that are compared.
func Q(nodes int) int { return MicroBlocks(nodes, Redundancies...) }

// Shape is rows and columns of a layer's weights: outputs, and inputs of each.
func Shape(m *model.Model, l model.LayerInfo) [2]int {
	w := m.Params()[slices.IndexFunc(m.Params(), func(p model.Param) bool { return p.Offset == l.Offset })]
	return [2]int{w.Shape[0], w.Length / w.Shape[0]}
}

// The paper's outlook (§4) is to analyse what quantisation does to the loss. Plans,
// arithmetics and what counts as an effect were written before the first run.

// Range is what int32's largest number stands for (§3.1).
const Range = 10

func (w Network) Build(nodes int) *model.Model {
	return kit.Must(model.Build(model.Spec{Name: w.Model, Classes: Classes(nodes)}))
}

func First(p *cluster.Platform, n int) *cluster.Platform {
	p = p.Clone()
	p.Workers = p.Workers[:n]
	return p
}
