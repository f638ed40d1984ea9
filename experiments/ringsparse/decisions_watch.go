package ringsparse

import (
	"math"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// watched is a task whose gradients are looked at before they are exchanged: how many
// entries of the local W′ and of g are +0.
type watched struct {
	cluster.Task
	rate         float64
	mask         []bool
	maskGradient bool // g ← mask·g, as pruned training usually does
	seen         zeros
	local        []float32
}

// zeros counts entries of local steps.
type zeros struct {
	Entries, Weights, Gradients int64
	// WeightsAlone are zero in W′ and not in g: what S41 needs to take weights for
	// being sparser.
	WeightsAlone int64
}

func (z *zeros) add(o zeros) {
	z.Entries += o.Entries
	z.Weights += o.Weights
	z.Gradients += o.Gradients
	z.WeightsAlone += o.WeightsAlone
}

func (w *watched) Grad(step int64, done func(int)) (float64, error) {
	loss, err := w.Task.Grad(step, func(int) {})
	if err != nil {
		return loss, err
	}
	g := w.Grads()
	if w.maskGradient {
		ringsparse.Project(g, w.mask)
	}
	if w.local == nil {
		w.local = make([]float32, len(g))
	}
	ringsparse.LocalStep(w.local, w.Params(), g, w.rate, ringsparse.Descent)
	ringsparse.Project(w.local, w.mask)
	w.seen.add(countZeros(w.local, g))
	for l := len(w.Layers()) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// countZeros compares the zeros of a local step with its gradient's.
func countZeros(local, g []float32) (z zeros) {
	z.Entries = int64(len(g))
	for i, v := range local {
		w, d := isZero(v), isZero(g[i])
		if w {
			z.Weights++
		}
		if d {
			z.Gradients++
		}
		if w && !d {
			z.WeightsAlone++
		}
	}
	return z
}

func isZero(v float32) bool { return math.Float32bits(v) == 0 }
