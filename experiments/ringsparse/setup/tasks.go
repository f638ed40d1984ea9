package setup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// vectors are the parameters and gradients of a task, and the layers they are cut into.
type vectors struct {
	parts         []cluster.Layer
	params, grads []float32
}

// newVectors copies start.
func newVectors(layers []cluster.Layer, start []float32) vectors {
	return vectors{layers, slices.Clone(start), make([]float32, len(start))}
}

func (v *vectors) Layers() []cluster.Layer { return v.parts }
func (v *vectors) Params() []float32       { return v.params }
func (v *vectors) Grads() []float32        { return v.grads }

// drawn is a task whose gradients are random numbers with a support: what is sent is
// as in training, and nothing is learnt.
type drawn struct {
	vectors
	rank int
	seed uint64
	// draw makes layer l's gradient; g is all +0.
	draw func(l int, g []float32, r *rand.Rand)
}

// DrawnTasks makes the tasks of all ranks; they start from the same weights.
func DrawnTasks(seed uint64, layers []cluster.Layer, draw func(l int, g []float32, r *rand.Rand)) func(rank int) cluster.Task {
	start := drawStart(seed, layers)
	return func(rank int) cluster.Task {
		return &drawn{newVectors(layers, start), rank, seed, draw}
	}
}

// OneLayer returns a network of one layer that takes no time to compute.
func OneLayer(length int) []cluster.Layer { return []cluster.Layer{{Name: "layer", Length: length}} }

// drawStart returns normal weights for the layers, from which all ranks start.
func drawStart(seed uint64, layers []cluster.Layer) []float32 {
	n := 0
	for _, l := range layers {
		n += l.Length
	}
	w, r := make([]float32, n), cluster.Stream(seed, -1, "", "drawn weights")
	for i := range w {
		w[i] = float32(r.NormFloat64() * 0.05)
	}
	return w
}

func (t *drawn) Grad(step int64, done func(int)) (float64, error) {
	clear(t.grads)
	for l := len(t.parts) - 1; l >= 0; l-- {
		x := t.parts[l]
		t.draw(l, t.grads[x.Offset:x.Offset+x.Length], cluster.Stream(t.seed, t.rank, "", fmt.Sprintf("drawn gradient %d of step %d", l, step)))
		done(l)
	}
	return 0, nil
}

// Small returns a normal number of deviation 1e-3 that is not +0.
func Small(r *rand.Rand) float32 {
	for {
		if v := float32(r.NormFloat64() * 1e-3); v != 0 {
			return v
		}
	}
}

// Scatter fills rows of g, each of width entries, with probability d each.
func Scatter(g []float32, width int, d float64, r *rand.Rand) {
	for at := 0; at < len(g); at += width {
		if d >= 1 || r.Float64() < d {
			for i := at; i < min(at+width, len(g)); i++ {
				g[i] = Small(r)
			}
		}
	}
}

// ScatterWithin gives values with probability `within` to the entries of a set that all ranks
// share and that has the share d/within of all.
func ScatterWithin(g []float32, d, within float64, seed uint64, layer int, r *rand.Rand) {
	common := cluster.Stream(seed, -1, "", fmt.Sprintf("common support %d", layer))
	for i := range g {
		alive := common.Float64() < d/within
		if hit := r.Float64() < within; alive && hit {
			g[i] = Small(r)
		}
	}
}

// Images holds what the tasks of one network on images have in common.
type Images struct {
	train.Images
	batch int
}

// OpenImages opens the network of spec and its images, for batches of the given size. Raw pixels
// are v/255, so that black is +0.
func OpenImages(env exp.Env, spec model.Spec, raw bool, batch int) (*Images, error) {
	x, err := train.OpenImages(env, spec)
	if raw && err == nil {
		x.Set = x.Set.Unnormalised()
	}
	return &Images{x, batch}, err
}

// MLPBatch is the MLP's batch on each rank.
const MLPBatch = 16

// OpenMLP opens the MLP on raw pixels, whose black ones give exact zeros.
func OpenMLP(env exp.Env) (*Images, error) {
	return OpenImages(env, model.Spec{Name: "mlp"}, true, MLPBatch)
}

// LayersOf describes the layers of m to a cluster, with the work of one batch.
func LayersOf(m *model.Model, batch int) []cluster.Layer {
	var out []cluster.Layer
	for _, l := range m.Layers() {
		out = append(out, cluster.Layer{Name: l.Name, Offset: l.Offset, Length: l.Length,
			Forward:  cluster.Work{FLOP: float64(batch) * float64(l.ForwardFLOP)},
			Backward: cluster.Work{FLOP: float64(batch) * float64(l.BackwardFLOP)}})
	}
	return out
}

// ClusterLayers describes the layers of the network to a cluster, with the work of one batch.
func (s *Images) ClusterLayers() []cluster.Layer { return LayersOf(s.Model, s.batch) }

// Tasks are the ranks' tasks of one training on images: rank's piece of every global batch, the
// pieces of one permutation that the seed fixes.
type Tasks struct {
	*Images
	gradients *train.Gradients
	ranks     int
	start     []float32
	perm      []int
}

// Tasks makes room for tasks; Close gives it back.
func (s *Images) Tasks(seed uint64, ranks int, start []float32) *Tasks {
	perm := cluster.Stream(seed, -1, "data", "decisions").Perm(s.Set.Train.Len())
	return &Tasks{Images: s, gradients: s.Gradients(s.batch), ranks: ranks, start: start, perm: perm}
}

// Close gives back what a device lent, when the training is over.
func (t *Tasks) Close() error { return t.gradients.Close() }

// Task returns a rank's.
func (t *Tasks) Task(rank int) cluster.Task {
	return &imageTask{Tasks: t, vectors: newVectors(t.ClusterLayers(), t.start), rank: rank}
}

// imageTask trains one rank on its own images.
type imageTask struct {
	*Tasks
	vectors
	rank int
}

func (x *imageTask) Grad(step int64, done func(int)) (float64, error) {
	indices := make([]int, x.batch)
	for i := range indices {
		indices[i] = x.perm[((int(step)*x.ranks+x.rank)*x.batch+i)%len(x.perm)]
	}
	return x.gradients.Mean(x.params, x.grads, indices, func(l int, _ []float32) error { done(l); return nil })
}

// Prune returns the mask that keeps, of every layer, the share keep of its entries that are
// largest in magnitude (rounded up; of equals the first), and sets the others to +0.
func Prune(params []float32, layers []cluster.Layer, keep float64) []bool {
	mask := make([]bool, len(params))
	for _, l := range layers {
		order := make([]uint64, l.Length) // sorts by falling magnitude, then by place
		for i := range order {
			order[i] = uint64(^(math.Float32bits(params[l.Offset+i])&^(1<<31)))<<32 | uint64(i)
		}
		slices.Sort(order)
		for _, k := range order[:int(math.Ceil(keep*float64(l.Length)))] {
			mask[l.Offset+int(uint32(k))] = true
		}
	}
	ringsparse.Project(params, mask)
	return mask
}
