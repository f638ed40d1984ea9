package ringsparse

import (
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// workload is a network as the exchange sees it: layers, what they cost to compute,
// and how dense one worker's gradients are. Weights are dense.
type workload struct {
	Key     string          `json:"key"`
	Layers  []cluster.Layer `json:"layers"`
	Density []float64       `json:"density"` // by layer
	Row     []int           `json:"row"`     // by layer: entries that are zero together; 1: each by itself
	images  *images         `json:"-"`       // where real gradients can be had
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
	s, err := openMLP(env)
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
	return append(kit.Facts("mlp.batch", mlpBatch, "resnet18.batch", resnetBatch, "resnet18.params/million.1", float64(works[2].params())/1e6,
		"embedding.rows", embeddingRows, "embedding.width", embeddingWidth, "embedding.touched/%", 100*embeddingDensity),
		kit.Facts("mlp.density/%.1", 100*works[0].density(), "embedding.density/%.1", 100*works[1].density())...)
}

// The stacks: square layers of one width, so that depth changes nothing but how many
// there are. 100 of them are 300 million parameters. Stated before the first run.
const (
	stackWidth = 1732
	stackRows  = 4096 // rows that pass through every layer: 8 sequences of 512 tokens per worker
)

// newStack makes a network of depth square layers with gradients of one density.
func newStack(depth int, density float64) workload {
	w := workload{Key: "stack"}
	work := cluster.Work{FLOP: 2 * stackRows * stackWidth * stackWidth}
	for i := range depth {
		l := cluster.Layer{Name: fmt.Sprintf("layer%d", i+1), Offset: i * stackWidth * (stackWidth + 1), Length: stackWidth * (stackWidth + 1),
			Forward: work, Backward: cluster.Work{FLOP: 2 * work.FLOP}}
		w.Layers, w.Density, w.Row = append(w.Layers, l), append(w.Density, density), append(w.Row, 1)
	}
	return w
}
