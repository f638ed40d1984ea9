package enginetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gradsync/shared/tensor"
)

// lengths are batches of n images of some size.
var lengths = []struct{ n, size int }{{1, 1}, {3, 1}, {16, 256}, {17, 241}, {33, 7}, {5, 2000}}

func relus(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(5, 5))
	var c tensor.Call
	for _, l := range lengths {
		n := l.n * l.size
		x, dy := random(r, n), random(r, n)
		x[n/2] = 0
		lx, ldy := activation(e, x, l.n), gradient(e, dy, l.n)
		ly, ldx := output(e, l.n, l.size), output(e, l.n, l.size)
		e.ReLU(&c, lx, ly)
		y := images(t, "ReLU", e, ly, l.n, l.size)
		e.ReLUBackward(&c, ly[:len(lx)], ldy, ldx)
		dx := gradients(t, "ReLU backward", e, ldx, l.n, l.size)
		for i := range x {
			wantY, wantX := float32(0), float32(0)
			if x[i] > 0 {
				wantY, wantX = x[i], dy[i]
			}
			if y[i] != wantY || dx[i] != wantX {
				t.Fatalf("element %d of %v: ReLU(%g) = %g, gradient %g; want %g, %g", i, l, x[i], y[i], dx[i], wantY, wantX)
			}
		}
		e.ReLU(&c, lx, lx) // in place
		e.ReLUBackward(&c, lx, ldy, ldy)
		if !slices.Equal(lx, ly[:len(lx)]) || !slices.Equal(ldy, ldx[:len(lx)]) {
			t.Fatalf("%v: in place differs", l)
		}
	}
}

func adds(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(15, 15))
	var c tensor.Call
	for i, l := range slices.Concat(lengths, lengths) {
		relu := i < len(lengths)
		a, b := random(r, l.n*l.size), random(r, l.n*l.size)
		la, lb, ly := activation(e, a, l.n), activation(e, b, l.n), output(e, l.n, l.size)
		e.Add(&c, la, lb, ly, relu)
		for i, v := range images(t, "add", e, ly, l.n, l.size) {
			want := a[i] + b[i]
			if relu {
				want = max(want, 0)
			}
			if v != want {
				t.Fatalf("element %d of %v, ReLU %t: %g + %g = %g, want %g", i, l, relu, a[i], b[i], v, want)
			}
		}
		kept := slices.Clone(la)
		e.Add(&c, la, lb, la, relu)
		e.Add(&c, kept, lb, lb, relu)
		if !slices.Equal(la, ly[:len(la)]) || !slices.Equal(lb, la) {
			t.Fatalf("%v, ReLU %t: in place differs", l, relu)
		}
		// Two gradients of one value keep their padding.
		da, db := gradient(e, a, l.n), gradient(e, b, l.n)
		e.Add(&c, da, db, da, false)
		gradients(t, "add of gradients", e, da, l.n, l.size)
	}
}

// losses compares with the definition in float64, at ordinary and at extreme logits.
func losses(t *testing.T, e tensor.Engine) {
	r := rand.New(rand.NewPCG(7, 7))
	var c tensor.Call
	for i, scale := range []float32{1, 30, 1e4, 1, 1} {
		n, classes := []int{7, 17, 16, 1, 33}[i], []int{10, 10, 3, 10, 37}[i]
		z, labels := random(r, n*classes), make([]uint8, n)
		for i := range z {
			z[i] *= scale
		}
		for i := range labels {
			labels[i] = uint8(r.IntN(classes))
		}
		ld := output(e, n, classes)
		got := e.SoftmaxCrossEntropy(&c, n, classes, activation(e, z, n), labels, ld)
		d := gradients(t, "softmax", e, ld, n, classes)
		var want float64
		for i := range n {
			row := z[i*classes : (i+1)*classes]
			top, total := float64(slices.Max(row)), 0.0
			for _, v := range row {
				total += math.Exp(float64(v) - top)
			}
			want += (math.Log(total) + top - float64(row[labels[i]])) / float64(n)
			for j, v := range row {
				p := math.Exp(float64(v)-top) / total
				if j == int(labels[i]) {
					p--
				}
				within(t, "softmax gradient", i*classes+j, d[i*classes+j], p/float64(n), 1e-6)
			}
		}
		if math.Abs(got-want) > 1e-5*(1+want) {
			t.Errorf("scale %g: loss %g, want %g", scale, got, want)
		}
	}
}
