package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// TestExchanger: what leaves the device is what vec makes of the same vector, also of an odd
// length at an odd address, and again from the same scratch memory.
func TestExchanger(t *testing.T) {
	check := func(t *testing.T, d driver.Driver) {
		e := open(t, d)
		var c tensor.Call
		r := rand.New(rand.NewPCG(5, 6))
		const n = 3000
		all := make([]float32, n)
		for i := range all {
			switch r.IntN(8) {
			case 0:
				all[i] = float32(r.NormFloat64())
			case 1:
				all[i] = []float32{float32(math.Copysign(0, -1)), 1e-40, 1e30, float32(math.NaN()), float32(math.Inf(-1))}[r.IntN(5)]
			}
		}
		dev, form, fixed := e.Make(&c, n), e.Make(&c, n+tensor.BitmapWords(n)), tensor.Int32s(e.Make(&c, n))
		bounds, counts, clipped := e.Make(&c, 5), e.Make(&c, 4), tensor.Int32s(e.Make(&c, e.ClippedInts(n)))
		e.Upload(&c, dev, all)
		cuts := []int32{0, 1, 1, 2000, n}
		e.Upload(&c, bounds, tensor.Float32s(cuts))
		e.CountNonzero(&c, dev, tensor.Int32s(bounds), tensor.Int32s(counts))
		got := make([]float32, 4)
		e.Download(&c, got, counts)
		for i, v := range tensor.Int32s(got) {
			if want := vec.CountNonzero(all[cuts[i]:cuts[i+1]]); int(v) != want {
				t.Errorf("block %d has %d that are not zero, want %d", i, v, want)
			}
		}
		for _, at := range [][2]int{{0, 3000}, {7, 8}, {5, 1999}, {1, 2900}} {
			x := all[at[0]:at[1]]
			words, want := tensor.BitmapWords(len(x)), vec.AppendBitmap(nil, x)
			packed := make([]float32, words+vec.CountNonzero(x))
			e.PackBitmap(&c, dev[at[0]:at[1]], form)
			e.Send(&c, form[:len(packed)])
			must(t, e.Receive(&c, packed))
			wire := append(vec.AppendBytes(nil, packed[:words])[:vec.BitmapBytes(len(x), 0)], vec.AppendBytes(nil, packed[words:])...)
			if !slices.Equal(wire, want) {
				t.Errorf("elements %d to %d: %d bytes, want %d, or other ones", at[0], at[1], len(wire), len(want))
			}
			rounded, wantRounded := make([]float32, len(x)), make([]int32, len(x))
			n := e.ClippedInts(len(x))
			over, wantOver := make([]float32, n), vec.QuantiseRange(wantRounded, x, 0.5)
			e.QuantiseRange(&c, fixed, dev[at[0]:at[1]], clipped, 0.5, math.MaxInt32)
			vec.AddInt32(wantRounded, wantRounded)
			e.AddInt32(&c, fixed[:len(x)], fixed[:len(x)])
			e.Download(&c, rounded, tensor.Float32s(fixed)[:len(x)])
			e.Download(&c, over, tensor.Float32s(clipped[:n]))
			var sum vec.Clipped
			for i, v := range tensor.Int32s(over) {
				*[]*int{&sum.Saturated, &sum.NaN, &sum.Inf}[i%3] += int(v)
			}
			if !slices.Equal(tensor.Int32s(rounded), wantRounded) || sum != wantOver {
				t.Errorf("elements %d to %d: %+v, want %+v, or other integers", at[0], at[1], sum, wantOver)
			}
		}
		must(t, errors.Join(e.Settle(&c), e.Release(&c)))
	}
	t.Run("emulator", func(t *testing.T) { check(t, emulated.New(emulated.Options{Watch: true})) })
	onFakes(t, check)
}

// taker halves a gradient on the device and sends half of each layer.
type taker struct {
	e      *engine.Engine
	m      *model.Model
	layers []int
	got    []float32
	fail   error // of the second layer
}

func (x *taker) half(layer int) []float32 {
	l := x.m.Layers()[layer]
	return x.got[l.Offset : l.Offset+l.Length/2]
}

func (x *taker) Queue(c *tensor.Call, layer int, params, grads []float32) {
	if len(params) != len(grads) || len(params) != x.m.Layers()[layer].Length {
		panic("another layer's")
	}
	x.e.Update(c, grads, nil, grads, 0.5, 0, 0, true)
	x.e.Send(c, grads[:len(grads)/2])
}

func (x *taker) Receive(c *tensor.Call, layer int) error {
	x.layers = append(x.layers, layer)
	if x.fail != nil && len(x.layers) == 2 {
		return x.fail
	}
	return x.e.Receive(c, x.half(layer))
}

// TestGradientTo: a taker has the gradient that the host gets otherwise, last layer first,
// beside moved statistics; its error ends the step, and the next one is whole.
func TestGradientTo(t *testing.T) {
	check := func(t *testing.T, d driver.Driver) {
		e, m := open(t, d), build(t, networks[1])
		p, g := make([]float32, m.NumParams()), make([]float32, m.NumParams())
		m.Init(p, rand.New(rand.NewPCG(3, 4)))
		w := m.NewWorkspace(e, 2, 1)
		stats, moved := statistics(m), statistics(m)
		x, labels := images(m, 2, 5)
		w.SetStats(stats)
		want, err := w.Gradient(p, g, x, labels, nil)
		must(t, err)
		w.SetStats(nil)
		to := &taker{e: e, m: m, got: make([]float32, len(g)), fail: errors.New("enough")}
		if _, err := w.GradientTo(p, x, labels, to); !errors.Is(err, to.fail) {
			t.Errorf("%v, want the taker's error", err)
		}
		w.SetStats(moved)
		*to = taker{e: e, m: m, got: to.got}
		loss, err := w.GradientTo(p, x, labels, to)
		if err != nil || loss != want || !slices.Equal(moved, stats) {
			t.Errorf("loss %v, %v, want %v, or other statistics", loss, err, want)
		}
		for i, l := range to.layers {
			if want := len(to.layers) - 1 - i; l != want {
				t.Fatalf("layers %v were received, want the last one first", to.layers)
			}
		}
		for l, at := range m.Layers() {
			for i, v := range to.half(l) {
				if full := g[at.Offset+i]; v != full-0.5*full {
					t.Fatalf("layer %d: %g of number %d, want half of %g", l, v, i, full)
				}
			}
		}
		again := make([]float32, len(g))
		if _, err := w.Gradient(p, again, x, labels, nil); err != nil || !slices.Equal(again, g) {
			t.Errorf("the host's next gradient: %v, or another one", err)
		}
		must(t, w.Close())
	}
	onFakes(t, check)
	t.Run("host", func(t *testing.T) {
		e, m := sure(tensor.Lookup(portable.Name))(t), build(t, model.Spec{Name: "lenet5"})
		w := m.NewWorkspace(e, 1, 1)
		x, labels := images(m, 1, 5)
		if _, err := w.GradientTo(make([]float32, m.NumParams()), x, labels, &taker{}); err == nil || !strings.Contains(err.Error(), "keeps no gradient") {
			t.Errorf("%v, want an error: portable has no device", err)
		}
	})
}
