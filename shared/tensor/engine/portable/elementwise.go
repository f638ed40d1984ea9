package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/explog"
)

type biasTask struct {
	n, ch, hw int
	dy, db    []float32
}

func (engine) BiasBackward(c *tensor.Call, n, ch, hw int, dy, db []float32) {
	s := stateOf(c)
	s.bias = biasTask{n: n, ch: ch, hw: hw, dy: dy, db: db}
	s.Run(c.Threads, &s.bias, ch)
}

// Part sums channels lo ≤ i < hi: per image four interleaved chains joined in a
// fixed tree (one chain would wait for every addition), then image after image.
func (t *biasTask) Part(_ *scratch, lo, hi int) {
	for i := lo; i < hi; i++ {
		var sum float32
		for n := 0; n < t.n; n++ {
			plane := t.dy[(n*t.ch+i)*t.hw : (n*t.ch+i+1)*t.hw]
			var s0, s1, s2, s3 float32
			for len(plane) >= 4 {
				p := (*[4]float32)(plane)
				s0 += p[0]
				s1 += p[1]
				s2 += p[2]
				s3 += p[3]
				plane = plane[4:]
			}
			for _, v := range plane {
				s0 += v
			}
			sum += (s0 + s1) + (s2 + s3)
		}
		t.db[i] = sum
	}
}

// elementBlock is how many elements one part of an element-wise task holds.
const elementBlock = 4096

type reluTask struct {
	y, dy, dx []float32 // dx nil: forward, from y to dy
}

func (engine) ReLU(c *tensor.Call, x, y []float32) {
	s := stateOf(c)
	s.relu = reluTask{y: x, dy: y[:len(x)]}
	s.Run(c.Threads, &s.relu, ceil(len(x), elementBlock)/elementBlock)
}

func (engine) ReLUBackward(c *tensor.Call, y, dy, dx []float32) {
	s := stateOf(c)
	s.relu = reluTask{y: y, dy: dy[:len(y)], dx: dx[:len(y)]}
	s.Run(c.Threads, &s.relu, ceil(len(y), elementBlock)/elementBlock)
}

func (t *reluTask) Part(_ *scratch, lo, hi int) {
	from, to := lo*elementBlock, min(hi*elementBlock, len(t.y))
	y := t.y[from:to]
	dy := t.dy[from:to]
	if t.dx == nil {
		for i, v := range y {
			dy[i] = max(v, 0) // the built-in max keeps NaN and does not branch
		}
		return
	}
	dx := t.dx[from:to]
	for i, v := range y {
		switch {
		case v > 0:
			dx[i] = dy[i]
		case v != v:
			dx[i] = v
		default:
			dx[i] = 0
		}
	}
}

// Add makes a single pass over memory; more threads would wait for the same memory.
func (engine) Add(_ *tensor.Call, a, b, y []float32, relu bool) {
	b, y = b[:len(a)], y[:len(a)]
	for i, v := range a {
		v += b[i]
		if relu {
			v = max(v, 0)
		}
		y[i] = v
	}
}

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
