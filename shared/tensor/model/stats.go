package model

import (
	"fmt"

	"gradsync/shared/tensor/layer"
)

// SetStats lends the workspace the running statistics of the batch norms, laid
// out as Model.Stats; nil takes them back. Gradient and Observe change them,
// Logits needs them. A length that does not fit is those methods' error.
func (w *Workspace) SetStats(stats []float32) { w.stats = stats }

// Observe runs n images forward as Gradient would and does nothing but move the
// statistics towards this batch's:
//
//	stats = (1−momentum)·stats + momentum·batch
//
// Momentum 1/(k+1) for batch k = 0, 1, … makes the statistics the mean of the
// batches', which is how they are estimated anew for parameters that were
// averaged or received. The labels are not needed.
//
// Errors: those of Gradient, no statistics, a momentum outside [0, 1].
func (w *Workspace) Observe(params, x []float32, n int, momentum float32) error {
	if err := w.check(params, x, n); err != nil {
		return err
	}
	if err := w.checkTraining(n); err != nil {
		return err
	}
	if err := w.needStats(); err != nil {
		return err
	}
	if !(momentum >= 0 && momentum <= 1) {
		return fmt.Errorf("model: a momentum of %g: between 0 and 1 is possible", momentum)
	}
	w.pass = layer.Pass{N: n, Momentum: momentum}
	p, _ := w.begin(params, nil)
	w.forward(p, x)
	w.sendStats()
	if w.device != nil {
		return w.receive(nil, nil)
	}
	return nil
}

// InferenceGradient is Gradient with batch norms as in Logits: they normalise by
// the statistics of SetStats, which are constants and stay as they are. It is
// PyTorch's gradient after model.eval(), for comparisons. The first call
// allocates.
//
// Errors: those of Gradient (but one image is enough), no statistics.
func (w *Workspace) InferenceGradient(params, grads, x []float32, labels []uint8) (float64, error) {
	if err := w.needStats(); err != nil {
		return 0, err
	}
	return w.gradient(params, grads, x, labels, nil, layer.Pass{N: len(labels), Inference: true})
}

// statsOf returns the node's statistics, nil without any.
func (w *Workspace) statsOf(n *node) []float32 {
	if !n.norm() || w.stats == nil {
		return nil
	}
	if w.device != nil {
		return w.device.stats[n.stats : n.stats+n.nstats]
	}
	return w.stats[n.stats : n.stats+n.nstats]
}

func (w *Workspace) needStats() error {
	if w.model.nstats > 0 && w.stats == nil {
		return fmt.Errorf("model: %s has batch norms and no running statistics: SetStats first", w.model.name)
	}
	return nil
}

// checkTraining refuses what has no variance: one value per channel.
func (w *Workspace) checkTraining(n int) error {
	for i := range w.model.graph.nodes {
		if at := &w.model.graph.nodes[i]; at.norm() && n*at.shape.H*at.shape.W == 1 {
			return fmt.Errorf("model: %s, layer %s: one image of 1×1 has no variance, a batch of at least 2 has", w.model.name, w.model.layers[at.index].Name)
		}
	}
	return nil
}
