package model_test

import (
	"math"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

// apart hides that an engine is a tensor.Fuser.
type apart struct{ tensor.Engine }

// counting counts what a tensor.Fuser does at once.
type counting struct {
	tensor.Fuser
	forward, backward, relus int
}

func (e *counting) BatchNormAdd(c *tensor.Call, g tensor.Norm, x, other, scale, shift, y, mean, variance []float32) {
	e.forward++
	e.Fuser.BatchNormAdd(c, g, x, other, scale, shift, y, mean, variance)
}

func (e *counting) BatchNormAddBackward(c *tensor.Call, g tensor.Norm, x, y, dy, more, d, scale, mean, variance, dx, dscale, dshift []float32) {
	e.backward++
	e.Fuser.BatchNormAddBackward(c, g, x, y, dy, more, d, scale, mean, variance, dx, dscale, dshift)
}

func (e *counting) BatchNormReLUBackward(c *tensor.Call, g tensor.Norm, x, dy, scale, shift, mean, variance, dx, dscale, dshift []float32) {
	e.relus++
	e.Fuser.BatchNormReLUBackward(c, g, x, dy, scale, shift, mean, variance, dx, dscale, dshift)
}

// TestFuserGivesTheSameBits: losses, gradients, statistics and logits are those of the operations one after the other;
// ResNet-18 has eight sums forward, and backward the stem's two gradients too.
func TestFuserGivesTheSameBits(t *testing.T) {
	if _, err := tensor.Lookup("asm"); err != nil {
		t.Skipf("%v: the one Fuser needs AVX2 and FMA, and no GRADSYNC_CPU=portable", err)
	}
	for name, want := range map[string][3]int{"resnet18": {8, 9, 8}, "resnet110": {54, 55, 54}, "vgg19_bn": {0, 0, 16}, "lenet5": {}} {
		m, e, params := openOn(t, name, "asm")
		f, ok := e.(tensor.Fuser)
		if !ok {
			t.Fatal("engine asm is no tensor.Fuser")
		}
		count := &counting{Fuser: f}
		var all [2][]float32
		for i, e := range []tensor.Engine{apart{e}, count} {
			w := m.NewWorkspace(e, 19, 2)
			stats, grads := make([]float32, m.NumStats()), make([]float32, len(params))
			m.InitStats(stats)
			w.SetStats(stats)
			for step := range 2 {
				x, labels := batch(m, 19-step, uint64(step))
				loss := sure(w.Gradient(params, grads, x, labels, nil))(t)
				z := sure(w.Logits(params, x, 19-step))(t)
				all[i] = slices.Concat(all[i], grads, stats, z, []float32{float32(loss)})
			}
		}
		for i, v := range all[0] {
			if math.Float32bits(v) != math.Float32bits(all[1][i]) {
				t.Fatalf("%s: value %d is %g, apart %g", name, i, all[1][i], v)
			}
		}
		if got := [3]int{count.forward, count.backward, count.relus}; got != [3]int{2 * want[0], 2 * want[1], 2 * want[2]} {
			t.Errorf("%s: %v at once in two steps, want twice %v", name, got, want)
		}
	}
}
