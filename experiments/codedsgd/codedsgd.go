// Package codedsgd regenerates the tables and figures of the paper on synchronous
// SGD with coded exchange: what its nodes hold, send and save, what that costs and
// gains in time and traffic, and where its counting does not hold.
//
// Every experiment runs papers/codedsgd, in virtual time or over real messages,
// and sets what was counted or timed beside the closed form. Bodies of the
// paper's tables and pictures of its figures are lost: what stands in their place
// is said on each page.
package codedsgd

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// Experiments lists them in the order of the page: the scheme, the proof, the
// paper's tables and figures of experiments, what goes beyond.
func Experiments() []exp.Experiment {
	return []exp.Experiment{
		fig1(), fig2(), fig3(), proof(), overcount(), accounting(),
		table1(), table2(), fig4(), fig5(), fig6(), fig7(), fig8(), fig9(), fig10(), fig11(), fig12(), fig13(), fig14(), fig15(),
		abstracts(), quantisation(), speed(),
	}
}

// reference is the platform of every timed run here: the paper's ten nodes, and a
// server for ASGD, as we assume them.
const reference = "cssgd10"

// redundancies are those whose curves the paper draws (§3.2.2), r = 2 and r = 3.
var redundancies = []int{2, 3}

// referencePlatform loads it; it is embedded.
func referencePlatform() *cluster.Platform { return must(platforms.Load(reference)) }

// calm is p without jitter: the same work always takes the same time, so that
// differences are the exchange's.
func calm(p *cluster.Platform) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
}

// network is one of the paper's two, with what every experiment trains or times it
// on. All of it was fixed before the first run.
type network struct {
	Key     string `json:"key"`      // in ids of tables and figures
	Model   string `json:"model"`    // a name of model.Names()
	Title   string `json:"title"`    // as the paper calls it
	PerNode int    `json:"per_node"` // samples of a batch for each node: |F_j| = n·PerNode
	Data    string `json:"data"`     // a name of datasets.Names(): the paper's set
	Trained string `json:"trained"`  // Data in words
}

// The paper's DNN and CNN, whose layers it does not give. PerNode puts Tcomm/Tcalc,
// at 8 nodes and in the paper's message model, inside the ranges that its best
// redundancies, 3 and 2, imply: it was calibrated to that, and the pages say so.
var (
	dnn = network{Key: "dnn", Model: "mlp", Title: "DNN", PerNode: 160, Data: "mnist", Trained: "MNIST"}
	cnn = network{Key: "cnn", Model: "cnn", Title: "CNN", PerNode: 40, Data: "cifar-10", Trained: "CIFAR-10"}
)

func networks() []network { return []network{dnn, cnn} }

// batch is |F_j| on n nodes: "every node gets the same amount of data" (§3.1).
func (w network) batch(nodes int) int { return nodes * w.PerNode }

// classes is how many classes n nodes are trained to tell apart: "on 2 nodes only
// two classes, on 3 nodes three, and so on" (§3.1).
func classes(nodes int) int { return nodes }

// dataset is what a profile trains w on, as train.Config.Data: in standard and
// paper the paper's set, which must be there; else "", the paper's where it is found
// and the embedded images in its place.
func (w network) dataset(profile string) string {
	if profile == "standard" || profile == "paper" {
		return w.Data
	}
	return ""
}

// config is what every training or timing of w on the first so many nodes of the
// reference begins with, as the paper fixes it: n classes, a batch with the same
// samples for every node, CPU nodes that spend nothing beside their arithmetic.
// Who runs it adds the method's options, the rate, the length and the seed.
func (w network) config(method string, nodes int, profile string) train.Config {
	c := train.Config{Sync: method, Model: w.Model, Data: w.dataset(profile), Classes: classes(nodes),
		Platform: referencePlatform(), Workers: nodes, Launch: -1, Overhead: -1}
	if slices.Contains(codedsgd.Methods(), method) {
		c.BatchSize = w.batch(nodes)
	} else {
		c.Batch = w.PerNode // ASGD: each node's own
	}
	return c
}

// choose is C(n, k); 0 where there is none.
func choose(n, k int) int {
	if k < 0 || k > n {
		return 0
	}
	return combin.Binomial(n, k)
}

// microBlocks is Q of the paper's message model on n nodes: the least common
// multiple of n = C(n,1) and of C(n,r) of every r that is compared and possible,
// so that one cutting of the batch serves all methods.
func microBlocks(nodes int, rs ...int) int {
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

// qOf is Q(n) of the redundancies that are compared.
func qOf(nodes int) int { return microBlocks(nodes, redundancies...) }

// gradientUnits is the unit of loads: one whole gradient of one block.
const gradientUnits = "gradient-units"

// must returns the result of a call that only a programmer's mistake lets fail: what it is
// given is fixed here.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// pick returns what profile ci differs in.
func pick[T any](profile string, ci, rest T) T {
	if profile == "ci" {
		return ci
	}
	return rest
}

// takes returns an estimate that profile ci differs in.
func takes(ci, rest float64) func(string, int) float64 {
	return func(profile string, _ int) float64 { return pick(profile, ci, rest) }
}

// sizesOf yields every redundancy of least to most nodes, from small to large, until ctx ends.
func sizesOf(ctx context.Context, least, most int) iter.Seq2[int, int] {
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

// ones counts what is so: n += ones[so].
var ones = map[bool]int{true: 1}

func keysOf[T any](xs []T, key func(T) string) (out []string) {
	for _, x := range xs {
		out = append(out, key(x))
	}
	return out
}

// listed spells a list as a key: "0,2".
func listed(xs []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(xs)), ","), "[]")
}

// addData notes that r was trained or counted on d too; a set is listed once.
func addData(r *result.Result, d result.Data) {
	if !slices.ContainsFunc(r.Data, func(x result.Data) bool { return x.Name == d.Name }) {
		r.Data = append(r.Data, d)
	}
}
