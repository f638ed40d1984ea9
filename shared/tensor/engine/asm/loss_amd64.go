package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// lossRows are logits and their gradient, image by image.
type lossRows struct{ z, d []float32 }

// lossEngine computes losses for every engine: there are few logits, the loss is
// what runs are compared by, and exp and log must not depend on the machine.
var lossEngine = portable.New()

func (engine) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	t := &stateOf(c).elements.loss
	z, d := resize(&t.z, n*classes), resize(&t.d, n*classes)
	tensor.BatchInner.Export(z, logits, n, classes)
	loss := lossEngine.SoftmaxCrossEntropy(nil, n, classes, z, labels, d)
	tensor.BatchInner.Import(dlogits, d, n, classes)
	return loss
}
