package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/explog"
)

// SoftmaxCrossEntropy works in float64 on one thread: there are few logits, and
// runs are compared by their loss.
func (engine) SoftmaxCrossEntropy(_ *tensor.Call, n, classes int, logits []float32, labels []uint8, dlogits []float32) float64 {
	var loss float64
	for i := 0; i < n; i++ {
		z := logits[i*classes : (i+1)*classes]
		d := dlogits[i*classes : (i+1)*classes]
		top := z[0]
		for _, v := range z {
			top = max(top, v)
		}
		var sum float64
		for _, v := range z {
			sum += explog.Exp(float64(v) - float64(top))
		}
		label := int(labels[i])
		loss += explog.Log(sum) - (float64(z[label]) - float64(top))
		for j, v := range z {
			p := explog.Exp(float64(v)-float64(top)) / sum
			if j == label {
				p--
			}
			d[j] = float32(p / float64(n))
		}
	}
	return loss / float64(n)
}
