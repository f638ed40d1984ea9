package kernels_test

import (
	"strings"
	"testing"

	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
)

// TestSizes: what the kernels' indices, of 32 bits, cannot count is refused before any
// launch, though each dimension fits; the largest that fits is launched.
func TestSizes(t *testing.T) {
	if ^uint(0)>>32 == 0 {
		t.Skip("sizes beyond an int")
	}
	const most = 1<<31 - 1<<19
	launches := 0
	d := emulated.New(emulated.Options{Fail: func(call string) int {
		if call != "cuLaunchKernel" {
			return 0
		}
		launches++
		return 1 // there is no memory to work on
	}})
	set, err := kernels.Load(d)
	must(t, err)
	q := set.On(0)
	conv := func(g tensor.Conv) []error {
		return []error{q.ConvForward(g, nil, nil, nil, nil), q.ConvBackwardData(g, nil, nil, nil), q.ConvBackwardFilter(g, nil, nil, nil, nil)}
	}
	norm := func(g tensor.Norm) []error {
		return []error{
			q.BatchNormForward(g, nil, nil, nil, nil, nil, nil), q.BatchNormInference(g, nil, nil, nil, nil, nil, nil),
			q.BatchNormBackward(g, nil, nil, nil, nil, nil, nil, nil, nil, nil), q.BiasForward(g.N, g.C, g.HW, nil, nil, false),
			q.BiasBackward(g.N, g.C, g.HW, nil, nil),
		}
	}
	pool, elements := onPools(q), onElements(q)
	for what, c := range map[string]struct {
		fits bool
		errs []error
	}{
		"2.6e9 inputs":      {false, conv(tensor.Conv{N: 2500, InC: 64, H: 128, W: 128, OutC: 1, KH: 128, KW: 128, Stride: 1})},
		"2.6e9 outputs":     {false, conv(tensor.Conv{N: 2500, InC: 1, H: 128, W: 128, OutC: 64, KH: 3, KW: 3, Stride: 1, Pad: 1})},
		"2.6e9 weights":     {false, conv(tensor.Conv{N: 1, InC: 20000, H: 3, W: 3, OutC: 14500, KH: 3, KW: 3, Stride: 1, Pad: 1})},
		"beyond an int64":   {false, conv(tensor.Conv{N: 1 << 30, InC: 1 << 30, H: 1 << 30, W: 1 << 30, OutC: 1, KH: 1, KW: 1, Stride: 1})},
		"a wide border":     {false, conv(tensor.Conv{N: 1, InC: 1, H: 1, W: 1, OutC: 1, KH: 1, KW: 1, Stride: 1 << 30, Pad: 1 << 30})},
		"2.0e9 inputs":      {true, conv(tensor.Conv{N: 1900, InC: 64, H: 128, W: 128, OutC: 1, KH: 128, KW: 128, Stride: 1})},
		"norm":              {false, norm(tensor.Norm{N: 2500, C: 64, HW: 128 * 128})},
		"norm that fits":    {true, norm(tensor.Norm{N: 1900, C: 64, HW: 128 * 128})},
		"pool":              {false, pool(tensor.Pool{N: 2500, C: 64, H: 128, W: 128, Size: 2, Stride: 2})},
		"pool that fits":    {true, pool(tensor.Pool{N: 1900, C: 64, H: 128, W: 128, Size: 2, Stride: 2})},
		"elements":          {false, elements(most + 1)},
		"elements that fit": {true, elements(most)},
	} {
		for i, err := range c.errs {
			if says := err != nil && strings.Contains(err.Error(), "at most 2146959360 is possible"); says == c.fits {
				t.Errorf("%s, call %d: %v", what, i, err)
			}
			if launched := err != nil && strings.Contains(err.Error(), "cuLaunchKernel"); launched != c.fits {
				t.Errorf("%s, call %d: launched is %t (%v)", what, i, launched, err)
			}
		}
	}
	if want := 3 + 5 + 4 + 10; launches != want {
		t.Errorf("%d launches, want %d", launches, want)
	}
	must(t, set.Close())
	must(t, d.Close())
}

func onPools(q *kernels.Queue) func(tensor.Pool) []error {
	return func(g tensor.Pool) []error {
		return []error{
			q.MaxPoolForward(g, nil, nil, nil), q.MaxPoolBackward(g, nil, nil, nil), q.AvgPoolForward(g, nil, nil), q.AvgPoolBackward(g, nil, nil),
		}
	}
}

func onElements(q *kernels.Queue) func(n int) []error {
	return func(n int) []error {
		return []error{
			q.Add(n, nil, nil, nil, false), q.ReLU(n, nil, nil), q.ReLUBackward(n, nil, nil, nil), q.Update(n, nil, nil, nil, 1, 0, 0, true),
			q.BatchNormBlend(n, nil, nil, 1, 1), q.PackBitmap(n, nil, nil, nil, nil, nil), q.UnpackBitmap(n, nil, nil, nil, nil, nil, false),
			q.Quantise(n, nil, nil, nil, 1, 1<<31-1), q.QuantiseRange(n, nil, nil, nil, 1, 1<<31-1), q.AddInt32(n, nil, nil),
		}
	}
}
