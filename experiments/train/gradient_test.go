package train

import (
	"math"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/tensor/model"
)

func modelOf(t *testing.T, c Config) (*model.Model, *shared) {
	t.Helper()
	c = oktest.Must(c.withDefaults())(t)
	m := oktest.Must(c.network())(t)
	return m, oktest.Must(openShared(c, m))(t)
}

// The gradient of a mean over 12 images is the mean of the gradients over their
// halves: what makes data parallelism equal to one device.
func TestGradientIsAMean(t *testing.T) {
	grad := func(from, to int) *Grad {
		return oktest.Must(Gradient(GradConfig{Name: "lenet5", Data: "synthetic", Seed: 3, From: from, To: to}))(t)
	}
	whole, a, b := grad(0, 12), grad(0, 6), grad(6, 12)
	if d := math.Abs(whole.Loss - (a.Loss+b.Loss)/2); d > 1e-6 {
		t.Errorf("loss of the whole %g, of the halves %g and %g", whole.Loss, a.Loss, b.Loss)
	}
	var norm, off, apart float64
	for i, g := range whole.Grads {
		mean := (float64(a.Grads[i]) + float64(b.Grads[i])) / 2
		norm += float64(g) * float64(g)
		off += (float64(g) - mean) * (float64(g) - mean)
		apart += float64(a.Grads[i]-b.Grads[i]) * float64(a.Grads[i]-b.Grads[i])
	}
	if norm == 0 || off > 1e-10*norm || apart < 1e-4*norm {
		t.Errorf("‖g‖² = %g, ‖g − mean of halves‖² = %g, ‖halves apart‖² = %g", norm, off, apart)
	}
	if _, err := Gradient(GradConfig{Name: "lenet5", Data: "synthetic", From: 0, To: 1 << 15}); err == nil {
		t.Error("images beyond the set have a gradient")
	}
}
