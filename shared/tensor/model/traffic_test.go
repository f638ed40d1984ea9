package model

import (
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/layer"
)

// meter is an engine that computes nothing and counts the bytes of the buffers that each
// operation reads and writes, once each, however often it comes back to what it has in the
// cache: between the layers that sum products, and in them.
type meter struct{ between, products int }

func bytesOf(buffers ...[]float32) (n int) {
	for _, b := range buffers {
		n += 4 * len(b)
	}
	return n
}

func (*meter) Name() string          { return "meter" }
func (*meter) Class() string         { return "meter" }
func (*meter) Layout() tensor.Layout { return tensor.BatchInner }
func (m *meter) Gemm(_ *tensor.Call, _ tensor.Gemm, a, b, out []float32) {
	m.products += bytesOf(a, b, out)
}
func (m *meter) BiasBackward(_ *tensor.Call, _, _, _ int, dy, _ []float32) { m.between += bytesOf(dy) }

func (m *meter) ConvForward(_ *tensor.Call, _ tensor.Conv, x, w, _, y []float32) {
	m.products += bytesOf(x, w, y)
}

func (m *meter) ConvBackwardData(_ *tensor.Call, _ tensor.Conv, dy, w, dx []float32) {
	m.products += bytesOf(dy, w, dx)
}

func (m *meter) ConvBackwardFilter(_ *tensor.Call, _ tensor.Conv, x, dy, dw []float32) {
	m.products += bytesOf(x, dy, dw)
}

func (m *meter) LinearForward(_ *tensor.Call, _ tensor.Linear, x, w, _, y []float32) {
	m.products += bytesOf(x, w, y)
}

func (m *meter) LinearBackwardData(_ *tensor.Call, _ tensor.Linear, dy, w, dx []float32) {
	m.products += bytesOf(dy, w, dx)
}

func (m *meter) LinearBackwardFilter(_ *tensor.Call, _ tensor.Linear, x, dy, dw []float32) {
	m.products += bytesOf(x, dy, dw)
}

func (m *meter) BatchNormForward(_ *tensor.Call, _ tensor.Norm, x, _, _, y, _, _ []float32) {
	m.between += bytesOf(x, y)
}

func (m *meter) BatchNormInference(_ *tensor.Call, _ tensor.Norm, x, _, _, _, _, y []float32) {
	m.between += bytesOf(x, y)
}

func (m *meter) BatchNormBackward(_ *tensor.Call, _ tensor.Norm, x, y, dy, _, _, _, dx, _, _ []float32) {
	m.between += bytesOf(x, y, dy, dx)
}

func (m *meter) Add(_ *tensor.Call, a, b, y []float32, _ bool)    { m.between += bytesOf(a, b, y) }
func (m *meter) ReLU(_ *tensor.Call, x, y []float32)              { m.between += bytesOf(x, y) }
func (m *meter) ReLUBackward(_ *tensor.Call, y, dy, dx []float32) { m.between += bytesOf(y, dy, dx) }
func (m *meter) AvgPoolForward(_ *tensor.Call, _ tensor.Pool, x, y []float32) {
	m.between += bytesOf(x, y)
}
func (m *meter) AvgPoolBackward(_ *tensor.Call, _ tensor.Pool, dy, dx []float32) {
	m.between += bytesOf(dy, dx)
}

func (m *meter) MaxPoolForward(_ *tensor.Call, _ tensor.Pool, x, y []float32, arg []int32) {
	m.between += bytesOf(x, y) + 4*len(arg)
}

func (m *meter) MaxPoolBackward(_ *tensor.Call, _ tensor.Pool, dy []float32, arg []int32, dx []float32) {
	m.between += bytesOf(dy, dx) + 4*len(arg)
}

func (m *meter) SoftmaxCrossEntropy(_ *tensor.Call, _, _ int, z []float32, _ []uint8, dz []float32) float64 {
	m.between += bytesOf(z, dz)
	return 0
}

// fusing is a meter that is a tensor.Fuser.
type fusing struct{ *meter }

func (m fusing) BatchNormAdd(_ *tensor.Call, _ tensor.Norm, x, other, _, _, y, _, _ []float32) {
	m.between += bytesOf(x, other, y)
}

func (m fusing) BatchNormAddBackward(_ *tensor.Call, _ tensor.Norm, x, y, dy, more, d, _, _, _, dx, _, _ []float32) {
	m.between += bytesOf(x, y, dy, more, dx)
	if &d[0] != &dx[0] {
		m.between += bytesOf(d)
	}
}

func (m fusing) BatchNormReLUBackward(_ *tensor.Call, _ tensor.Norm, x, dy, _, _, _, _, dx, _, _ []float32) {
	m.between += bytesOf(x, dy, dx)
}

// leastBetween counts the bytes of a training step of a network whose layers of products read and write their operands
// in memory, if all that lies between two of them is one sweep: it reads each value that enters and writes each that
// leaves. A ReLU's mask is in the input of the batch norm before it; behind a shortcut it is in the output. The
// gradient of a value is in as many parts as it has readers.
func leastBetween(g *graph, n int) int {
	size := func(v int) int { return 4 * tensor.BatchInner.Len(n, g.values[v]) }
	readers, made, summed := make([]int, len(g.values)), make([]int, len(g.values)), make([]bool, len(g.values))
	for i, n := range g.nodes {
		made[n.out] = i
		for _, v := range n.in {
			if v != none {
				readers[v]++
				summed[v] = summed[v] || n.in[1] != none
			}
		}
	}
	joins := func(v int) bool { // the batch norm that made it is of the sweep of the sum that reads it
		return v > 0 && g.nodes[made[v]].norm() && summed[v] && readers[v] == 1
	}
	bytes := 2 * size(g.logits) // of the loss
	for _, node := range g.nodes {
		x, y := size(node.in[0]), size(node.out)
		switch l := node.layer.(type) {
		case layer.BatchNorm:
			if joins(node.out) {
				bytes += x + x // x, dx; the rest is the sum's
				bytes += x     // x again, on the way back
			} else {
				bytes += x + y + x + readers[node.out]*y + x
			}
		case layer.Add:
			bytes += y + y + readers[node.out]*y
			for _, v := range node.in {
				if !joins(v) {
					bytes += y + y // the shortcut's value, and its gradient
				}
			}
		case layer.MaxPool:
			bytes += 2 * (x + y + y)
		case layer.AvgPool:
			bytes += 2 * (x + y)
		case layer.Linear:
			bytes += y // the bias's gradient
		case layer.Conv2D:
			if !l.NoBias {
				bytes += y
			}
		}
	}
	return bytes
}

// TestBytesBetweenProducts: at full width a step of an engine that is a tensor.Fuser moves
// little more than the least between its products: for VGG-19 nothing, for ResNet-18 a value
// and its gradient where two batch norms meet in one sum, and two masks read from outputs.
func TestBytesBetweenProducts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a second: make test has it")
	}
	for _, c := range []struct {
		name       string
		most, even float64 // times the least: of a Fuser, and of one operation after the other
	}{{"resnet18", 1.08, 1.49}, {"vgg19_bn", 1, 1.14}} {
		for _, n := range []int{32, 64} {
			m, err := New(c.name)
			must(t, err)
			least := leastBetween(&m.graph, n)
			var ratios [2]float64
			for i := range ratios {
				count := &meter{}
				var e tensor.Engine = count
				if i == 0 {
					e = fusing{count}
				}
				params, x := make([]float32, m.length), make([]float32, n*m.input.Len())
				if _, err := m.NewWorkspace(e, n, 1).Gradient(params, params, x, make([]uint8, n), nil); err != nil {
					t.Fatal(err)
				}
				ratios[i] = float64(count.between) / float64(least)
				t.Logf("%s, batch %d: %.1f MB in products, %.1f MB between them, %.3f times the least of %.1f MB",
					m.name, n, float64(count.products)/1e6, float64(count.between)/1e6, ratios[i], float64(least)/1e6)
			}
			if ratios[0] < 1 || ratios[0] > c.most || ratios[1] <= ratios[0] || ratios[1] > c.even {
				t.Errorf("%s, batch %d: %.3f and apart %.3f times the least, want at most %v and %v", c.name, n, ratios[0], ratios[1], c.most, c.even)
			}
		}
	}
}
