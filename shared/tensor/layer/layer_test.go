package layer

import (
	"slices"
	"strings"
	"testing"
)

// TestShapes: output shapes, multiply-adds and parameters by hand; what does not fit is named.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		layer   Layer
		in, out Shape
		macs    float64
		params  int
		refused string // part of the error instead
	}{
		{Conv2D{Inputs: 3, Outputs: 8, K: 3, Stride: 2, Pad: 1}, Shape{3, 9, 8}, Shape{8, 5, 4}, 20 * 8 * 27, 8*27 + 8, ""},
		{Conv2D{Inputs: 3, Outputs: 8, K: 3, Stride: 1, NoBias: true}, Shape{3, 9, 8}, Shape{8, 7, 6}, 42 * 8 * 27, 8 * 27, ""},
		{Conv2D{Inputs: 3, Outputs: 8, K: 3, Stride: 1}, Shape{4, 9, 8}, Shape{}, 0, 0, "3 channels"},
		{Conv2D{Inputs: 3, Outputs: 8, K: 5, Stride: 1, Pad: 1}, Shape{3, 2, 9}, Shape{}, 0, 0, "5×5 window"},
		{Linear{Inputs: 12, Outputs: 5}, Shape{3, 2, 2}, Shape{5, 1, 1}, 60, 65, ""},
		{Linear{Inputs: 12, Outputs: 5}, Shape{3, 2, 3}, Shape{}, 0, 0, "18 elements"},
		{BatchNorm{Channels: 7}, Shape{7, 3, 2}, Shape{7, 3, 2}, 0, 14, ""},
		{BatchNorm{Channels: 7}, Shape{6, 3, 2}, Shape{}, 0, 0, "7 channels"},
		{MaxPool{Size: 2, Stride: 2}, Shape{5, 7, 4}, Shape{5, 3, 2}, 0, 0, ""},
		{MaxPool{Size: 2, Stride: 2}, Shape{5, 1, 1}, Shape{5, 1, 1}, 0, 0, ""},
		{MaxPool{Size: 2, Stride: 2}, Shape{5, 1, 2}, Shape{}, 0, 0, "max-pool of 2×2"},
		{AvgPool{Size: 3, Stride: 2}, Shape{5, 7, 4}, Shape{5, 3, 1}, 0, 0, ""},
		{AvgPool{}, Shape{5, 4, 4}, Shape{5, 1, 1}, 0, 0, ""},
		{AvgPool{}, Shape{5, 4, 3}, Shape{}, 0, 0, "not square"},
		{ReLU{}, Shape{5, 4, 3}, Shape{5, 4, 3}, 0, 0, ""},
		{Add{}, Shape{5, 4, 3}, Shape{5, 4, 3}, 0, 0, ""},
	} {
		out, err := c.layer.Out(c.in)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%#v of %v: %v, want an error that says %q", c.layer, c.in, err, c.refused)
			}
			continue
		}
		length := 0
		for _, p := range c.layer.Params() {
			length += p.Len()
		}
		if err != nil || out != c.out || c.layer.MACs(c.in) != c.macs || length != c.params {
			t.Errorf("%#v of %v: %v, %g multiply-adds, %d parameters, %v; want %v, %g, %d", c.layer, c.in, out, c.layer.MACs(c.in), length, err, c.out, c.macs, c.params)
		}
	}
}

// TestIdentity: only a map of 1×1 passes through a pool uncomputed.
func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		layer    Layer
		in       Shape
		identity bool
	}{
		{MaxPool{Size: 2, Stride: 2}, Shape{5, 1, 1}, true}, {MaxPool{Size: 2, Stride: 2}, Shape{1, 2, 2}, false},
		{AvgPool{}, Shape{5, 1, 1}, true}, {AvgPool{}, Shape{5, 2, 2}, false},
		{AvgPool{Size: 1, Stride: 2}, Shape{5, 2, 2}, false}, {ReLU{}, Shape{5, 1, 1}, false},
	} {
		if got := c.layer.Memory(c.in).Identity; got != c.identity {
			t.Errorf("%#v of %v is the identity: %t, want %t", c.layer, c.in, got, c.identity)
		}
	}
}

// TestWithReLU: what can be done with a ReLU is asked to, the rest stays; a layer
// with a ReLU keeps its output for the mask.
func TestWithReLU(t *testing.T) {
	for _, l := range []Layer{Linear{Inputs: 2, Outputs: 3}, BatchNorm{Channels: 2}, Add{}} {
		if fused, ok := WithReLU(l); !ok || l.Memory(Shape{2, 1, 1}).KeepY || !fused.Memory(Shape{2, 1, 1}).KeepY {
			t.Errorf("%#v became %#v", l, fused)
		}
	}
	for _, l := range []Layer{Conv2D{}, MaxPool{}, AvgPool{}, ReLU{}} {
		if fused, ok := WithReLU(l); ok || fused != l {
			t.Errorf("%#v became %#v", l, fused)
		}
	}
}

// TestBlend: two batches by hand.
func TestBlend(t *testing.T) {
	running := []float32{0, 1, -2}
	blend(running, []float32{4, 9, 2}, 0.25, 1)
	blend(running, []float32{0, 1, 8}, 0.5, 4)
	if want := []float32{0.5, 3.5, 15.5}; !slices.Equal(running, want) {
		t.Errorf("running statistics %v, want %v", running, want)
	}
}
