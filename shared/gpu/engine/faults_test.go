package engine_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/optim"
)

// twice calls what gives things back once more if it fails; the first error counts.
func twice(give func() error) error {
	err := give()
	if err != nil {
		if again := give(); again != nil {
			return errors.Join(err, again)
		}
	}
	return err
}

// outcome holds the error of a run in which a call may have failed, and its result.
type outcome struct {
	err    error // the first
	result []float32
}

// everyCall lets the n-th call of run fail, for each n, and checks the errors; left is nil if nothing is.
func everyCall(t *testing.T, run func() outcome, failAt func(n, code int), calls func() int, left func() error) {
	t.Helper()
	failAt(-1, 0)
	before, want := calls(), run()
	all := calls() - before
	if want.err != nil || all < 30 {
		t.Fatalf("%d calls, %v", all, want.err)
	}
	for n := 1; n <= all; n++ {
		failAt(n, 2)
		var e *driver.Error
		if got := run(); !errors.As(got.err, &e) || e.Code != 2 || !strings.HasPrefix(e.Call, "cu") || strings.Contains(got.err.Error(), "\n") {
			t.Errorf("call %d of %d: %v, want out of memory in one line", n, all, got.err)
		}
		failAt(-1, 0)
		if err := left(); err != nil {
			t.Fatalf("call %d of %d: %v", n, all, err)
		}
	}
	if again := run(); again.err != nil || !slices.Equal(again.result, want.result) {
		t.Errorf("after the failures: %v, or another result", again.err)
	}
}

// step trains a network for one step and evaluates it, and gives everything back.
func step(d driver.Driver, m *model.Model) (o outcome) {
	e, err := engine.New(d)
	if err != nil {
		return outcome{err: err}
	}
	o = stepOn(e, m, 1)
	if err := twice(e.Close); o.err == nil {
		o.err = err
	}
	return o
}

// stepOn is step with images on an engine that stays.
func stepOn(e tensor.Device, m *model.Model, n int) (o outcome) {
	note := func(err error) {
		if o.err == nil {
			o.err = err
		}
	}
	p, g := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	m.Init(p, rand.New(rand.NewPCG(3, 4)))
	w := m.NewWorkspace(e, n, 1)
	w.SetStats(statistics(m))
	x, labels := images(m, n, 5)
	_, err := w.Gradient(p, g, x, labels, nil)
	note(err)
	z, err := w.Logits(p, x, n)
	note(err)
	o.result = append(g, z...)
	note(twice(w.Close))
	return o
}

// TestEveryCallFails: whichever call of the driver's fails, in a training step or a lookup
// of kernels, there is one error that names it, and nothing stays behind.
func TestEveryCallFails(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	notInRace(t)
	t.Run("fake", func(t *testing.T) {
		l := faketest.Library(t, fake.Options{})
		d := sure(driver.Open(l.Path, 0))(t)
		count := func(key string) int { return sure(l.Count(key))(t) }
		m, open := build(t, model.Spec{Name: "lenet5"}), count("open")
		everyCall(t, func() outcome { return step(d, m) }, func(n, code int) {
			must(t, l.FailAt(n, code))
		}, func() int { return count("calls") }, func() error {
			if n := count("open"); n != open {
				return errors.New("something is still open")
			}
			return nil
		})
		must(t, d.Close())
	})
	t.Run("emulator", func(t *testing.T) {
		at, code, calls := -1, 0, 0
		var d *emulated.Driver
		everyCall(t, func() outcome {
			d = emulated.New(emulated.Options{Workers: 1, Fail: func(string) int {
				if calls++; at > 0 {
					if at--; at == 0 {
						return code
					}
				}
				return 0
			}})
			return tour(d)
		}, func(n, c int) { at, code = n, c }, func() int { return calls }, func() error { return d.Close() })
	})
}

// tour calls what a Device has beside an Engine, on a few values.
func tour(d driver.Driver) (o outcome) {
	note := func(err error) {
		if o.err == nil {
			o.err = err
		}
	}
	e, err := engine.New(d)
	if err != nil {
		return outcome{err: err}
	}
	var c tensor.Call
	if x, y := e.Make(&c, 40), e.Make(&c, 40); x != nil && y != nil {
		e.Upload(&c, x, ramp(40))
		e.Copy(&c, y, x)
		e.Update(&c, y, nil, x, 0.5, 0, 0.25, true)
		e.Send(&c, y[:7])
		e.BatchNormBlend(&c, y[:7], x[7:14], 0.25, 1.5)
		e.Send(&c, y)
		e.SoftmaxCrossEntropy(&c, 4, 10, x, []uint8{1, 2, 3, 4}, y)
		e.ConvBackwardFilter(&c, tensor.Conv{N: 2, InC: 1, H: 2, W: 2, OutC: 1, KH: 1, KW: 1, Stride: 1}, x, x, y[:1])
		e.ConvBackwardFilter(&c, tensor.Conv{N: 4, InC: 1, H: 2, W: 2, OutC: 2, KH: 1, KW: 1, Stride: 1}, x, x, y[:2])
		if z := e.Make(&c, 40); z != nil {
			e.QuantiseRange(&c, tensor.Int32s(z[:20]), x[:20], tensor.Int32s(z[20:]), 1, 1<<20)
			e.AddInt32(&c, tensor.Int32s(z[:20]), tensor.Int32s(z[:20]))
			e.Upload(&c, z[:2], tensor.Float32s([]int32{3, 30}))
			e.CountNonzero(&c, y, tensor.Int32s(z[:2]), tensor.Int32s(z[4:5]))
			e.PackBitmap(&c, x[:7], z[8:])
		}
		o.result = make([]float32, 87)
		note(e.Receive(&c, o.result[:7]))
		note(e.Receive(&c, o.result[7:47]))
		e.Download(&c, o.result[47:], y)
	}
	note(e.Settle(&c))
	note(twice(func() error { return e.Release(&c) }))
	note(twice(e.Close))
	return o
}

func ramp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i%11) / 4
	}
	return v
}

// TestLost: a device that is lost in the middle of a step ends it with the first failing
// call and what to do, and so does every later step. Nothing panics.
func TestLost(t *testing.T) {
	launches := 0
	d := emulated.New(emulated.Options{Fail: func(call string) int {
		if call == "cuLaunchKernel" {
			if launches++; launches == 9 {
				return 719
			}
		}
		return 0
	}})
	e := sure(engine.New(d))(t)
	m := build(t, model.Spec{Name: "lenet5"})
	p, g := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	w := m.NewWorkspace(e, 1, 1)
	x, labels := images(m, 1, 5)
	_, first := w.Gradient(p, g, x, labels, func(l int, _ []float32) error {
		t.Errorf("layer %d was handed over", l)
		return nil
	})
	var lost *driver.Error
	const says = "lost to this process; run again with --device cpu"
	if !errors.As(first, &lost) || !lost.Lost() || lost.Call != "cuLaunchKernel" || !strings.Contains(first.Error(), says) {
		t.Fatalf("%v, want a lost device", first)
	}
	_, second := w.Gradient(p, g, x, labels, nil)
	_, third := w.Logits(p, x, 1)
	for what, err := range map[string]error{
		"gradient": second, "logits": third, "workspace": w.Close(), "another": m.NewWorkspace(e, 1, 1).Observe(p, x, 1, 1), "engine": e.Close(),
	} {
		if !errors.Is(err, lost) {
			t.Errorf("%s: %v, want %v again", what, err, first)
		}
	}
}

// TestNoMemory: a workspace that does not fit says so in every call, and holds nothing.
func TestNoMemory(t *testing.T) {
	d := emulated.New(emulated.Options{Memory: 1 << 20})
	e := open(t, d)
	m := build(t, model.Spec{Name: "lenet5"})
	p := make([]float32, m.NumParams())
	w := m.NewWorkspace(e, 64, 1)
	x, labels := images(m, 64, 5)
	_, err := w.Gradient(p, p, x, labels, nil)
	_, other := w.Logits(p, x, 64)
	for _, err := range []error{err, other} {
		if err == nil {
			t.Fatal("a workspace that does not fit works")
		}
		s := err.Error()
		if !strings.Contains(s, "wanted") || !strings.Contains(s, "a smaller batch or fewer workspaces") || strings.Contains(s, "\n") {
			t.Errorf("%v, want how much was wanted and what to lower, in one line", err)
		}
	}
	small := m.NewWorkspace(e, 1, 1)
	must(t, small.Close())
	if _, err := small.Logits(p, x[:len(x)/64], 1); err == nil || !strings.Contains(err.Error(), "given its device's memory back") {
		t.Errorf("a closed workspace: %v", err)
	}
	if free, total, err := d.Memory(); free != total || err != nil {
		t.Errorf("%d of %d bytes are free, %v", free, total, err)
	}
	must(t, w.Close())
}

// TestOverlap: when the first layer's gradient is handed over, the whole pass is queued,
// and nobody has waited but for the loss and for that gradient. Parameters go up once.
func TestOverlap(t *testing.T) {
	l := faketest.Library(t, fake.Options{Lazy: true})
	d := sure(driver.Open(l.Path, 0))(t)
	keys := []string{"cuLaunchKernel", "cuStreamSynchronize", "cuEventSynchronize", "bytes up", "bytes down"}
	counts := func() (n [5]int) {
		for i, key := range keys {
			n[i] = sure(l.Count(key))(t)
		}
		return n
	}
	m := build(t, model.Spec{Name: "lenet5"})
	p, g := make([]float32, m.NumParams()), make([]float32, m.NumParams())
	e := open(t, d)
	e.Graphs(false)
	w := m.NewWorkspace(e, 2, 1)
	x, labels := images(m, 2, 5)
	gradient := func(on tensor.OnGrad) { sure(w.Gradient(p, g, x, labels, on))(t) }
	gradient(nil)
	before := counts()
	var first [5]int
	gradient(func(l int, _ []float32) error {
		if l == len(m.Layers())-1 {
			first = counts()
		}
		return nil
	})
	after := counts()
	if launched := after[0] - first[0]; first[0] == before[0] || launched != 0 {
		t.Errorf("%d kernels were launched after the first layer left", launched)
	}
	if streams, events := first[1]-before[1], first[2]-before[2]; streams != 1 || events != 1 {
		t.Errorf("%d waits for a stream and %d for an event before the first layer left, want one each", streams, events)
	}
	if up, want := after[3]-before[3], 4*(len(p)+len(x))+len(labels); up != want {
		t.Errorf("%d bytes went up, want %d", up, want)
	}
	if down, want := after[4]-before[4], 4*len(p)+8; down != want {
		t.Errorf("%d bytes came down, want %d", down, want)
	}
	must(t, w.Close())
}

// TestUpdate: steps on the device leave the bits of optim.SGD.
func TestUpdate(t *testing.T) {
	e := open(t, emulated.New(emulated.Options{}))
	for _, o := range []optim.SGD{{Rate: 0.1}, {Rate: 0.1, Momentum: 0.9}, {Rate: 0.03, Momentum: 0.7, WeightDecay: 0.01}} {
		const n = 1000
		r := rand.New(rand.NewPCG(1, 2))
		params, gradient, got := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range params {
			params[i] = float32(r.NormFloat64())
		}
		var c tensor.Call
		p, v, g := e.Make(&c, n), e.Make(&c, n), e.Make(&c, n)
		e.Upload(&c, p, params)
		for k := range 3 {
			for i := range gradient {
				gradient[i] = float32(r.NormFloat64())
			}
			e.Upload(&c, g, gradient)
			e.Update(&c, p, v, g, o.Rate, o.Momentum, o.WeightDecay, k == 0)
			o.Step(params, gradient)
		}
		e.Download(&c, got, p)
		if err := errors.Join(e.Settle(&c), e.Release(&c)); err != nil || !slices.Equal(got, params) {
			t.Errorf("%+v: %v, or other bits than SGD's", o, err)
		}
	}
}
