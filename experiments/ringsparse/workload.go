package ringsparse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
)

// workload is a network as the exchange sees it: layers, what they cost to compute,
// and how dense one worker's gradients are. Weights are dense.
type workload struct {
	Key     string          `json:"key"`
	Title   string          `json:"title"`
	Why     string          `json:"why"`
	Layers  []cluster.Layer `json:"layers"`
	Density []float64       `json:"density"` // by layer
	Row     []int           `json:"row"`     // by layer: so many entries are zero together; 1: each by itself
	images  *images         // where real gradients can be had
}

// Batches per worker, and the embedding model; stated before the first run.
const (
	embeddingRows    = 50_000
	embeddingWidth   = 64
	embeddingHidden  = 512
	embeddingDensity = 0.01 // of the rows
	embeddingBatch   = 64
	embeddingTokens  = 20
	resnetBatch      = 32
)

// workloads are the MLP on raw pixels with the densities of its own gradient, averaged
// over seeds; an embedding model; and ResNet-18, all of whose gradients are dense.
func workloads(env exp.Env) ([]workload, error) {
	mlp, err := mlpWorkload(env)
	if err != nil {
		return nil, err
	}
	resnet, err := model.New("resnet18")
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	control := workload{Key: "resnet18", Title: "ResNet-18", Why: fmt.Sprintf("the dense control: 11.2 million parameters, %d images of 32×32", resnetBatch)}
	for _, l := range resnet.Layers() {
		control.add(l.Name, l.Length, 1, 1, resnetBatch*l.ForwardFLOP)
	}
	embedding := workload{Key: "embedding", Title: "embedding model",
		Why: fmt.Sprintf("a vocabulary of %d with vectors of %d, of which a worker's batch touches the stated %g %%, then two dense layers", embeddingRows, embeddingWidth, 100*embeddingDensity)}
	embedding.add("embedding", embeddingRows*embeddingWidth, embeddingDensity, embeddingWidth, embeddingBatch*embeddingTokens*embeddingWidth)
	embedding.add("hidden", (embeddingWidth+1)*embeddingHidden, 1, 1, embeddingBatch*2*embeddingWidth*embeddingHidden)
	embedding.add("output", (embeddingHidden+1)*10, 1, 1, embeddingBatch*2*10*embeddingHidden)
	return []workload{mlp, embedding, control}, nil
}

func mlpWorkload(env exp.Env) (workload, error) {
	c := mlpCase()
	s, err := openImages(env.Engine, env.DataDir, c)
	if err != nil {
		return workload{}, err
	}
	w := workload{Key: "mlp", Title: "MLP on images", Why: fmt.Sprintf("the first layer sees raw pixels, black is +0; densities of its own first gradient, %d images per worker", c.Batch), images: s}
	density := make([]float64, len(s.layers()))
	for _, seed := range env.Seeds {
		task := s.task(seed, 0, 1, s.start(seed))
		if _, err := task.Grad(0, func(int) {}); err != nil {
			return workload{}, err
		}
		for i, l := range task.Layers() {
			density[i] += ringsparse.Density(task.Grads()[l.Offset:l.Offset+l.Length], 0) / float64(len(env.Seeds))
		}
	}
	for i, l := range s.layers() {
		w.add(l.Name, l.Length, density[i], 1, l.Forward.FLOP)
	}
	return w, nil
}

// add appends a layer whose forward pass takes flop beside what starting it costs
// the device, and whose backward pass takes twice as much. The first layer also has
// what an iteration costs beside its layers.
func (w *workload) add(name string, length int, density float64, row int, flop float64) {
	start := train.DefaultLaunch.Seconds() * train.ReferenceFLOPS
	l := cluster.Layer{Name: name, Length: length, Forward: cluster.Work{FLOP: flop + start}, Backward: cluster.Work{FLOP: 2 * (flop + start)}}
	if n := len(w.Layers); n > 0 {
		l.Offset = w.Layers[n-1].Offset + w.Layers[n-1].Length
	} else {
		l.Forward.FLOP += train.DefaultOverhead.Seconds() * train.ReferenceFLOPS
	}
	w.Layers, w.Density, w.Row = append(w.Layers, l), append(w.Density, density), append(w.Row, row)
}

func (w *workload) params() (n int) {
	for _, l := range w.Layers {
		n += l.Length
	}
	return n
}

// density is that of all gradients together.
func (w *workload) density() (d float64) {
	for i, l := range w.Layers {
		d += w.Density[i] * float64(l.Length)
	}
	return d / float64(w.params())
}

// way is an exchange that competes.
type way struct {
	Key     string             `json:"key"`
	Title   string             `json:"title"`
	Options ringsparse.Options `json:"options"`
}

// The ways, fixed before the first run. The last two are readings of the printed text.
var ways = []way{
	{"dense", "dense ring", ringsparse.Options{Kinds: "gradients", Codec: "dense"}},
	{"ringsparse", "RingSparse", ringsparse.Options{}},
	{"gradients", "gradients alone", ringsparse.Options{Kinds: "gradients"}},
	{"weights", "weights alone", ringsparse.Options{Kinds: "weights"}},
	{"all-gather", "all-gather of sparse", ringsparse.Options{Exchange: "all-gather"}},
	{"printed", "RingSparse, printed rule", ringsparse.Options{Rule: "printed"}},
	{"layer", "RingSparse, D of the layer", ringsparse.Options{Size: "layer"}},
}

// lap is one iteration on virtual time.
type lap struct {
	Seconds float64
	Totals  ringsparse.Totals // of all ranks
	Trace   *cluster.Trace
	Choices []ringsparse.Choice // of all ranks, if they were asked for
}

// perRank is the mean of a rank's bytes, with which means over N compare.
func (l *lap) perRank(n int) float64 { return float64(l.Totals.Sent.Bytes) / float64(n) }

// leg is what is run: a way on n workers with links of so many Gb/s.
type leg struct {
	way   way
	gbps  float64
	nodes int
	trace bool
	free  bool                // counting, turning, packing and unpacking take no time
	rates []cluster.CodecRate // nil: the platform's
	// task makes real tasks; nil: a timing-only run.
	task func(rank int) cluster.Task
}

// run runs one iteration of w on the reference platform, rates of codecs charged
// unless they are free.
func (w *workload) run(ctx context.Context, l leg) (lap, error) {
	p := withLink(referencePlatform(), l.gbps)
	o := l.way.Options
	o.Bandwidth = l.gbps * gigabit
	if !l.free {
		o.Rates, o.Charge = p.Codecs, true
		if l.rates != nil {
			o.Rates = l.rates
		}
	}
	job := ringsparse.Job{Layers: w.Layers, Rate: 0.05, Steps: 1, Options: o,
		Density: func(layer int) (float64, float64) { return 1, w.Density[layer] }}
	out, err := iterate(ctx, p, virtual.Config{Workers: l.nodes, Trace: l.trace}, job, l.task)
	if err != nil {
		return lap{}, fmt.Errorf("ringsparse: %s, %s, %d ranks: %w", w.Key, l.way.Key, l.nodes, err)
	}
	return out, nil
}

// iterate runs job on every rank, with the rank's task if there are tasks.
func iterate(ctx context.Context, p *cluster.Platform, cfg virtual.Config, job ringsparse.Job, task func(rank int) cluster.Task) (lap, error) {
	logs, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(p cluster.Proc) (*ringsparse.Log, error) {
		mine := job
		if task != nil {
			mine.Task = task(p.Rank())
		}
		return ringsparse.Run(p, mine)
	})
	if err != nil {
		return lap{}, err
	}
	var out lap
	var end time.Duration
	for _, log := range logs {
		out.Totals.Merge(log.Totals)
		out.Choices = append(out.Choices, log.Choices...)
		end = max(end, log.Ends[len(log.Ends)-1])
	}
	out.Seconds, out.Trace = end.Seconds()/float64(len(logs[0].Ends)), trace
	return out, nil
}

// draws makes tasks of random gradients with w's densities.
func (w *workload) draws(seed uint64) func(rank int) cluster.Task {
	start := drawStart(seed, w.Layers)
	return func(rank int) cluster.Task {
		return newDrawn(rank, seed, w.Layers, start, func(l int, g []float32, r *rand.Rand) {
			if w.Row[l] > 1 {
				scatterRows(g, w.Row[l], w.Density[l], r)
				return
			}
			scatter(g, w.Density[l], r)
		})
	}
}

// cell is one workload, way, link and number of workers.
type cell struct {
	Work, Way int
	Gbps      float64
	Nodes     int
}

// grid runs all cells of the given sizes, timing-only.
func grid(ctx context.Context, works []workload, nodes []int, b *exp.Bar) (map[cell]lap, error) {
	out := map[cell]lap{}
	for i := range works {
		for _, gbps := range links {
			for _, n := range nodes {
				for k, way := range ways {
					l, err := works[i].run(ctx, leg{way: way, gbps: gbps, nodes: n})
					if err != nil {
						return nil, err
					}
					l.Trace = nil
					out[cell{i, k, gbps, n}] = l
				}
				b.Step(fmt.Sprintf("%s, %s, N = %d", works[i].Title, linkName(gbps), n))
			}
		}
	}
	return out, nil
}

// gridPlan is the sizes of a profile.
func gridPlan(profile string) []int {
	switch profile {
	case "ci":
		return []int{2, 4, 8}
	case "quick":
		return []int{2, 4, 6, 8, 12, 16}
	}
	var all []int
	for n := 2; n <= 16; n++ {
		all = append(all, n)
	}
	return all
}

// gridSeconds estimates grid.
func gridSeconds(profile string) (s float64) {
	for _, n := range gridPlan(profile) {
		s += float64(3*len(ways)*2*n*(n-1)*47) / 0.3e6
	}
	return s
}

// wayIndex finds a way by its key.
func wayIndex(key string) int {
	for i, w := range ways {
		if w.Key == key {
			return i
		}
	}
	panic("ringsparse: no way " + key)
}

// workRows states the workloads; of a network of many layers, all together.
func workRows(works []workload) (rows [][]any) {
	for i := range works {
		w := &works[i]
		for l, x := range w.Layers {
			if len(w.Layers) > 5 && l > 0 {
				continue
			}
			name, length, d := x.Name, x.Length, w.Density[l]
			if len(w.Layers) > 5 {
				name, length, d = fmt.Sprintf("all %d", len(w.Layers)), w.params(), w.density()
			}
			rows = append(rows, []any{w.Title, name, length, 100 * d})
		}
	}
	return rows
}
