package ringsparse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
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
	Layers  []cluster.Layer `json:"layers"`
	Density []float64       `json:"density"` // by layer
	Row     []int           `json:"row"`     // by layer: entries that are zero together; 1: each by itself
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

// workloads returns the MLP on raw pixels with the densities of its own gradient, averaged
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
	control := workload{Key: "resnet18"}
	for _, l := range resnet.Layers() {
		control.add(l.Name, l.Length, 1, 1, resnetBatch*l.ForwardFLOP)
	}
	embedding := workload{Key: "embedding"}
	embedding.add("embedding", embeddingRows*embeddingWidth, embeddingDensity, embeddingWidth, embeddingBatch*embeddingTokens*embeddingWidth)
	embedding.add("hidden", (embeddingWidth+1)*embeddingHidden, 1, 1, embeddingBatch*2*embeddingWidth*embeddingHidden)
	embedding.add("output", (embeddingHidden+1)*10, 1, 1, embeddingBatch*2*10*embeddingHidden)
	return []workload{mlp, embedding, control}, nil
}

func mlpWorkload(env exp.Env) (workload, error) {
	s, err := openImages(env, mlpCase())
	if err != nil {
		return workload{}, err
	}
	w := workload{Key: "mlp", images: s}
	density := make([]float64, len(s.layers()))
	for _, seed := range env.Seeds {
		task := s.task(seed, 0, 1, s.Start(seed))
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

// openWorkloads makes the workloads and names them in r, with what the MLP is trained on.
func openWorkloads(env exp.Env, r *result.Result) ([]workload, error) {
	works, err := workloads(env)
	if err != nil {
		return nil, err
	}
	r.Config.(map[string]any)["workloads"] = works
	r.Data, r.Engine = []result.Data{*works[0].images.Data()}, works[0].images.Made
	return works, nil
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

func (w workload) params() (n int) {
	for _, l := range w.Layers {
		n += l.Length
	}
	return n
}

// density returns that of all gradients together.
func (w workload) density() (d float64) {
	for i, l := range w.Layers {
		d += w.Density[i] * float64(l.Length)
	}
	return d / float64(w.params())
}

// workFrame states the networks layer by layer; one of many layers in one row.
func workFrame(works []workload) result.Frame {
	out := kit.NewSheet("workloads", "work:work layer:layer layers params density/%.1")
	for _, w := range works {
		if len(w.Layers) > 5 {
			out.Add(w.Key, "all", len(w.Layers), w.params(), 100*w.density())
			continue
		}
		for l, x := range w.Layers {
			out.Add(w.Key, x.Name, 1, x.Length, 100*w.Density[l])
		}
	}
	return kit.As(result.Stated, out.Frame)
}

// workFacts are what a page says of the networks.
func workFacts(works []workload) []result.Fact {
	return append(kit.Facts("mlp.batch", mlpCase().Batch, "resnet18.batch", resnetBatch, "resnet18.params/million.1", float64(works[2].params())/1e6,
		"embedding.rows", embeddingRows, "embedding.width", embeddingWidth, "embedding.touched/%", 100*embeddingDensity),
		kit.Facts("mlp.density/%.1", 100*works[0].density(), "embedding.density/%.1", 100*works[1].density())...)
}

// way is an exchange that competes.
type way struct {
	Key     string             `json:"key"`
	Options ringsparse.Options `json:"options"`
}

// The ways, fixed before the first run. The last two are readings of the printed text.
var ways = []way{
	{"dense", ringsparse.Options{Kinds: "gradients", Codec: "dense"}},
	{"ringsparse", ringsparse.Options{}},
	{"gradients", ringsparse.Options{Kinds: "gradients"}},
	{"weights", ringsparse.Options{Kinds: "weights"}},
	{"all-gather", ringsparse.Options{Exchange: "all-gather"}},
	{"printed", ringsparse.Options{Rule: "printed"}},
	{"layer", ringsparse.Options{Size: "layer"}},
}

func wayOf(key string) way {
	return ways[slices.IndexFunc(ways, func(w way) bool { return w.Key == key })]
}

// lap is one iteration on virtual time.
type lap struct {
	Seconds float64
	Totals  ringsparse.Totals // of all ranks
	Trace   *cluster.Trace
	Choices []ringsparse.Choice // of all ranks, if they were asked for
}

// leg says what is run: a way on some workers with links of gbps.
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
func (w workload) run(ctx context.Context, l leg) (lap, error) {
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
func (w workload) draws(seed uint64) func(rank int) cluster.Task {
	return drawnTasks(seed, w.Layers, func(l int, g []float32, r *rand.Rand) { scatter(g, w.Row[l], w.Density[l], r) })
}
