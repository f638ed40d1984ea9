package asm

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/explog"
	"gradsync/shared/tensor/engine/internal/team"
)

// SoftmaxCrossEntropy works in float64 on one thread and gives portable's bits:
// there are few logits, and runs are compared by their loss.
func (engine) SoftmaxCrossEntropy(c *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	e := team.Resize(&stateOf(c).elements.exps, classes)
	pitch := tensor.BatchInner.Pitch(n)
	z, d := logits[:classes*pitch], dlogits[:classes*pitch]
	var loss float64
	for i, label := range labels[:n] {
		top := z[i]
		for j := range classes {
			top = max(top, z[j*pitch+i])
		}
		var sum float64
		for j := range e {
			e[j] = explog.Exp(float64(z[j*pitch+i]) - float64(top))
			sum += e[j]
		}
		loss += explog.Log(sum) - (float64(z[int(label)*pitch+i]) - float64(top))
		for j, v := range e {
			p := v / sum
			if j == int(label) {
				p--
			}
			d[j*pitch+i] = float32(p / float64(n))
		}
	}
	for j := range classes {
		clear(d[j*pitch+n : (j+1)*pitch])
	}
	return loss / float64(n)
}
