package asm

import (
	"math"

	"gradsync/shared/tensor"
)

// passTask is one pass over elements, wherever they lie: y = max(a + b, floor),
// y = max(a, 0) without b, or y = b where a > 0 if backward.
type passTask struct {
	isa      isa
	a, b, y  []float32
	floor    float32
	backward bool
}

// passBlock is how many elements a part of a pass has.
const passBlock = 4096

func (e engine) Add(c *tensor.Call, a, b, y []float32, relu bool) {
	e.pass(c, passTask{isa: e.isa, a: a, b: b[:len(a)], y: y[:len(a)], floor: floor(relu)})
}

func (e engine) ReLU(c *tensor.Call, x, y []float32) {
	e.pass(c, passTask{isa: e.isa, a: x, y: y[:len(x)]})
}

func (e engine) ReLUBackward(c *tensor.Call, y, dy, dx []float32) {
	e.pass(c, passTask{isa: e.isa, a: y, b: dy[:len(y)], y: dx[:len(y)], backward: true})
}

func (engine) pass(c *tensor.Call, t passTask) {
	s := stateOf(c)
	s.elements.pass = t
	s.spread(c, &s.elements.pass, (len(t.a)+passBlock-1)/passBlock, len(t.a))
}

// floor returns the value to which a pass raises its results: −Inf leaves them alone.
func floor(relu bool) float32 {
	if relu {
		return 0
	}
	return float32(math.Inf(-1))
}

// Part does blocks lo ≤ i < hi; what does not fill a vector is done one by one.
func (t *passTask) Part(_ *scratch, lo, hi int) {
	from, to := lo*passBlock, min(hi*passBlock, len(t.a))
	whole := from + (to-from)/tensor.Lanes*tensor.Lanes
	a, y := t.a[from:whole], t.y[from:whole]
	switch {
	case t.backward:
		t.isa.reluBackward(a, t.b[from:whole], y)
	case t.b == nil:
		t.isa.relu(a, y)
	default:
		t.isa.add(a, t.b[from:whole], y, t.floor)
	}
	for i := whole; i < to; i++ {
		switch v := t.a[i]; {
		case !t.backward && t.b == nil:
			t.y[i] = max(v, 0)
		case !t.backward:
			t.y[i] = max(v+t.b[i], t.floor)
		case v > 0:
			t.y[i] = t.b[i]
		case v != v:
			t.y[i] = v
		default:
			t.y[i] = 0
		}
	}
}

func (set isa) add(a, b, y []float32, floor float32) {
	if set == avx512 {
		add512(a, b, y, floor)
	} else {
		add2(a, b, y, floor)
	}
}

func (set isa) relu(x, y []float32) {
	if set == avx512 {
		relu512(x, y)
	} else {
		relu2(x, y)
	}
}

func (set isa) reluBackward(y, dy, dx []float32) {
	if set == avx512 {
		reluBackward512(y, dy, dx)
	} else {
		reluBackward2(y, dy, dx)
	}
}
