// Package setup holds what the patent's experiments share: the platform and its links, the
// networks, the tasks of ranks, the ways of exchanging that compete, and one iteration of a
// network by a way. It knows no experiment.
package setup

import (
	"cmp"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// Network is a model as the exchange sees it: layers, what they cost to compute, and how dense one
// worker's gradients are. Weights are dense.
type Network struct {
	Key     string          `json:"key"`
	Layers  []cluster.Layer `json:"layers"`
	Density []float64       `json:"density"` // by layer
	Row     []int           `json:"row"`     // by layer: entries that are zero together; 1: each by itself
	images  *Images
}

// Images returns what w's real gradients are computed on, nil where there are none.
func (w Network) Images() *Images { return w.images }

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

// Networks returns the MLP on raw pixels with the densities of its own gradient, averaged
// over seeds; an embedding model; and ResNet-18, all of whose gradients are dense.
func Networks(env exp.Env) ([]Network, error) {
	mlp, err := mlpNetwork(env)
	if err != nil {
		return nil, err
	}
	resnet, err := model.New("resnet18")
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	control := Network{Key: "resnet18"}
	for _, l := range resnet.Layers() {
		control.add(l.Name, l.Length, 1, 1, resnetBatch*l.ForwardFLOP)
	}
	embedding := Network{Key: "embedding"}
	embedding.add("embedding", embeddingRows*embeddingWidth, embeddingDensity, embeddingWidth, embeddingBatch*embeddingTokens*embeddingWidth)
	embedding.add("hidden", (embeddingWidth+1)*embeddingHidden, 1, 1, embeddingBatch*2*embeddingWidth*embeddingHidden)
	embedding.add("output", (embeddingHidden+1)*10, 1, 1, embeddingBatch*2*10*embeddingHidden)
	return []Network{mlp, embedding, control}, nil
}

func mlpNetwork(env exp.Env) (Network, error) {
	s, err := OpenMLP(env)
	if err != nil {
		return Network{}, err
	}
	w := Network{Key: "mlp", images: s}
	density := make([]float64, len(s.ClusterLayers()))
	for _, seed := range env.Seeds {
		tasks := s.Tasks(seed, 1, s.Start(seed))
		task := tasks.Task(0)
		_, err := task.Grad(0, func(int) {})
		if err = cmp.Or(err, tasks.Close()); err != nil {
			return Network{}, err
		}
		for i, l := range task.Layers() {
			density[i] += ringsparse.Density(task.Grads()[l.Offset:l.Offset+l.Length], 0) / float64(len(env.Seeds))
		}
	}
	for i, l := range s.ClusterLayers() {
		w.add(l.Name, l.Length, density[i], 1, l.Forward.FLOP)
	}
	return w, nil
}

// OpenNetworks makes the networks and names them in r, with what the MLP is trained on.
func OpenNetworks(env exp.Env, r *result.Result) ([]Network, error) {
	works, err := Networks(env)
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
func (w *Network) add(name string, length int, density float64, row int, flop float64) {
	start := train.DefaultLaunch.Seconds() * train.ReferenceFLOPS
	l := cluster.Layer{Name: name, Length: length, Forward: cluster.Work{FLOP: flop + start}, Backward: cluster.Work{FLOP: 2 * (flop + start)}}
	if n := len(w.Layers); n > 0 {
		l.Offset = w.Layers[n-1].Offset + w.Layers[n-1].Length
	} else {
		l.Forward.FLOP += train.DefaultOverhead.Seconds() * train.ReferenceFLOPS
	}
	w.Layers, w.Density, w.Row = append(w.Layers, l), append(w.Density, density), append(w.Row, row)
}

func (w Network) NumParams() (n int) {
	for _, l := range w.Layers {
		n += l.Length
	}
	return n
}

// MeanDensity returns the density of all gradients together.
func (w Network) MeanDensity() (d float64) {
	for i, l := range w.Layers {
		d += w.Density[i] * float64(l.Length)
	}
	return d / float64(w.NumParams())
}

// NetworkFrame returns the frame of the networks layer by layer; one of many layers in one row.
func NetworkFrame(works []Network) result.Frame {
	out := kit.NewSheet("workloads", "work:work layer:layer layers params density/%.1")
	for _, w := range works {
		if len(w.Layers) > 5 {
			out.Add(w.Key, "all", len(w.Layers), w.NumParams(), 100*w.MeanDensity())
			continue
		}
		for l, x := range w.Layers {
			out.Add(w.Key, x.Name, 1, x.Length, 100*w.Density[l])
		}
	}
	return kit.As(result.Stated, out.Frame)
}

// NetworkFacts returns the facts that a page says of the networks.
func NetworkFacts(works []Network) []result.Fact {
	return append(kit.Facts("mlp.batch", MLPBatch, "resnet18.batch", resnetBatch, "resnet18.params/million.1", float64(works[2].NumParams())/1e6,
		"embedding.rows", embeddingRows, "embedding.width", embeddingWidth, "embedding.touched/%", 100*embeddingDensity),
		kit.Facts("mlp.density/%.1", 100*works[0].MeanDensity(), "embedding.density/%.1", 100*works[1].MeanDensity())...)
}

// The stacks: square layers of one width, so that depth changes nothing but how many
// there are. 100 of them are 300 million parameters. Stated before the first run.
const (
	StackWidth = 1732
	StackRows  = 4096 // rows that pass through every layer: 8 sequences of 512 tokens per worker
)

// Stack makes a network of depth square layers with gradients of one density.
func Stack(depth int, density float64) Network {
	w := Network{Key: "stack"}
	work := cluster.Work{FLOP: 2 * StackRows * StackWidth * StackWidth}
	for i := range depth {
		l := cluster.Layer{Name: fmt.Sprintf("layer%d", i+1), Offset: i * StackWidth * (StackWidth + 1), Length: StackWidth * (StackWidth + 1),
			Forward: work, Backward: cluster.Work{FLOP: 2 * work.FLOP}}
		w.Layers, w.Density, w.Row = append(w.Layers, l), append(w.Density, density), append(w.Row, 1)
	}
	return w
}
