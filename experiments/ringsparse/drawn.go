package ringsparse

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gradsync/shared/cluster"
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

// drawnTasks makes the tasks of all ranks; they start from the same weights.
func drawnTasks(seed uint64, layers []cluster.Layer, draw func(l int, g []float32, r *rand.Rand)) func(rank int) cluster.Task {
	start := drawStart(seed, layers)
	return func(rank int) cluster.Task {
		return &drawn{newVectors(layers, start), rank, seed, draw}
	}
}

// oneLayer is a network of one layer that takes no time to compute.
func oneLayer(length int) []cluster.Layer { return []cluster.Layer{{Name: "layer", Length: length}} }

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

// small is a normal number of deviation 1e-3 that is not +0.
func small(r *rand.Rand) float32 {
	for {
		if v := float32(r.NormFloat64() * 1e-3); v != 0 {
			return v
		}
	}
}

// scatter gives rows of g of a width values with probability d, each row by itself.
func scatter(g []float32, width int, d float64, r *rand.Rand) {
	for at := 0; at < len(g); at += width {
		if d >= 1 || r.Float64() < d {
			for i := at; i < min(at+width, len(g)); i++ {
				g[i] = small(r)
			}
		}
	}
}

// scatterWithin gives values with probability `within` to the entries of a set that
// all ranks share and that has the share d/within of all.
func scatterWithin(g []float32, d, within float64, seed uint64, layer int, r *rand.Rand) {
	common := cluster.Stream(seed, -1, "", fmt.Sprintf("common support %d", layer))
	for i := range g {
		alive := common.Float64() < d/within
		if hit := r.Float64() < within; alive && hit {
			g[i] = small(r)
		}
	}
}
