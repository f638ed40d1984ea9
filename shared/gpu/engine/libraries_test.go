package engine_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/internal/enginetest"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// fakes are a driver and its libraries, with the engine that works by them.
type fakes struct {
	driver          driver.Driver
	cuda, blas, dnn *fake.Library
	set             *lib.Set
	lost            bool // so that nothing can be given back
}

// openFakes returns fakes of their own, or skips; the driver is closed at the test's end.
func openFakes(t *testing.T, lazy bool) *fakes {
	t.Helper()
	f := &fakes{cuda: faketest.Library(t, fake.Options{Lazy: lazy, Capability: 80})} // cuBLAS wants more memory on newer ones
	built, err := fake.BuildLibraries()
	if err == nil {
		f.blas, f.dnn, err = f.cuda.Libraries(built, filepath.Dir(f.cuda.Path), 12)
	}
	if err == nil {
		f.driver, err = driver.Open(f.cuda.Path, 0)
	}
	must(t, err)
	if f.set = lib.Find([]string{filepath.Dir(f.cuda.Path)}, f.driver.Info().CUDA); f.set.BLAS == nil || f.set.DNN == nil {
		t.Fatal(f.set.Missing)
	}
	t.Cleanup(func() {
		if err := f.driver.Close(); err != nil && !f.lost {
			t.Error(err)
		}
	})
	return f
}

// engine returns one that the test's end closes.
func (f *fakes) engine(t *testing.T, tf32 bool) *engine.Libraries {
	t.Helper()
	e := sure(engine.WithLibraries(f.driver, f.set, tf32))(t)
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// own returns an engine of our kernels alone.
func (f *fakes) own(t *testing.T) *engine.Engine {
	t.Helper()
	e := sure(engine.New(f.driver))(t)
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// onLibraries runs f on the libraries of the fake driver and of the lazy one.
func onLibraries(t *testing.T, run func(t *testing.T, f *fakes)) {
	for _, lazy := range []bool{false, true} {
		t.Run(map[bool]string{false: "at once", true: "lazy"}[lazy], func(t *testing.T) { run(t, openFakes(t, lazy)) })
	}
}

// onLibraryDevices runs f on an engine with the lazy driver's libraries, and with this machine's own on its card.
func onLibraryDevices(t *testing.T, run func(t *testing.T, e tensor.Device)) {
	t.Run("libraries", func(t *testing.T) { run(t, openFakes(t, true).engine(t, false)) })
	t.Run("libraries of the card", func(t *testing.T) { run(t, card(t)) })
}

// card returns an engine on this machine's card with its libraries, or skips: these are never required.
func card(t *testing.T) *engine.Libraries {
	t.Helper()
	f := &fakes{driver: faketest.Card(t)}
	t.Cleanup(func() { must(t, f.driver.Close()) })
	f.set = lib.Find(nil, f.driver.Info().CUDA)
	if host, ok := f.driver.(driver.Host); ok {
		f.set = f.set.Working(host)
	}
	if f.set.Versions() == "" {
		t.Skip(f.set.Missing)
	}
	return f.engine(t, false)
}

// TestLibraries: the engine passes the suite with the fake cuBLAS and cuDNN, and with this machine's own on its card.
func TestLibraries(t *testing.T) {
	t.Run("card", func(t *testing.T) { suite(t, card(t), enginetest.Run) })
	run := enginetest.Run
	onLibraries(t, func(t *testing.T, f *fakes) {
		suite(t, f.engine(t, false), run)
		run = enginetest.RunSlow // the other driver
		for _, key := range []string{"cublasSgemm_v2", "cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter",
			"cudnnBatchNormalizationForwardTraining", "cudnnBatchNormalizationBackward"} {
			if n := f.count(t, key); n < 2 {
				t.Errorf("%s was called %d times", key, n)
			}
		}
	})
}

// count returns how often both libraries' function of a name was called.
func (f *fakes) count(t *testing.T, key string) int {
	t.Helper()
	a, err := f.blas.Count(key)
	b, other := f.dnn.Count(key)
	must(t, errors.Join(err, other))
	return a + b
}

// configure changes both libraries.
func (f *fakes) configure(t *testing.T, key string, v int) {
	t.Helper()
	must(t, errors.Join(f.blas.Set(key, v), f.dnn.Set(key, v)))
}

// TestEitherLibrary: with one library alone, or where cuDNN has no algorithm that may be
// taken, our own kernels do the rest: a step ends near that of ours.
func TestEitherLibrary(t *testing.T) {
	f := openFakes(t, false)
	m := build(t, networks[1])
	want := stepOn(f.own(t), m, 4)
	if want.err != nil {
		t.Fatal(want.err)
	}
	whole := *f.set
	for _, c := range []struct {
		what          string
		blas, dnn     bool
		none          int
		class         string
		calls, others string // which must have been called, and which not
	}{
		{"both", true, true, 0, "cuda-lib/fake GPU on the CPU/cublas 12.4.2/cudnn 9.7.5", "cublasSgemm_v2 cudnnConvolutionForward", ""},
		{"cuBLAS", true, false, 0, "cuda-lib/fake GPU on the CPU/cublas 12.4.2", "cublasSgemm_v2", "cudnnConvolutionForward cudnnBatchNormalizationBackward"},
		{"cuDNN", false, true, 0, "cuda-lib/fake GPU on the CPU/cudnn 9.7.5", "cudnnConvolutionBackwardData cudnnBatchNormalizationBackward", "cublasSgemm_v2"},
		{"no algorithm", true, true, 1, "cuda-lib/fake GPU on the CPU/cublas 12.4.2/cudnn 9.7.5",
			"cublasSgemm_v2 cudnnGetConvolutionForwardAlgorithm_v7", "cudnnConvolutionForward cudnnConvolutionBackwardData cudnnConvolutionBackwardFilter"},
	} {
		f.configure(t, "none", c.none)
		f.set = &lib.Set{}
		if c.blas {
			f.set.BLAS = whole.BLAS
		}
		if c.dnn {
			f.set.DNN = whole.DNN
		}
		before, names := map[string]int{}, strings.Fields(c.calls+" "+c.others)
		for _, name := range names {
			before[name] = f.count(t, name)
		}
		e := f.engine(t, false)
		if e.Class() != c.class || e.Name() != "cuda" {
			t.Errorf("%s: name %q and class %q, want %q", c.what, e.Name(), e.Class(), c.class)
		}
		got := stepOn(e, m, 4)
		if got.err != nil {
			t.Fatalf("%s: %v", c.what, got.err)
		}
		if d := distance(got.result, want.result); !(d < near) || d == 0 {
			t.Errorf("%s: off by %.2g of the norm of our own kernels' result, want less than %g and not 0", c.what, d, near)
		}
		for _, name := range names {
			called := f.count(t, name) > before[name]
			if want := slices.Contains(strings.Fields(c.calls), name); called != want {
				t.Errorf("%s: %s was called: %t, want %t", c.what, name, called, want)
			}
		}
	}
}

// TestRefusedAlgorithms: an algorithm that cuDNN lists and then refuses is struck off, once;
// the next one works, and where there is none our own kernels do.
func TestRefusedAlgorithms(t *testing.T) {
	f := openFakes(t, true)
	m := build(t, networks[1])
	want := stepOn(f.own(t), m, 4)
	if want.err != nil {
		t.Fatal(want.err)
	}
	e := f.engine(t, false)
	counts := func() (list [3]int) {
		for i, key := range []string{"algorithm 1", "algorithm 11", "cudnnConvolutionForward"} {
			list[i] = f.count(t, key)
		}
		return list
	}
	whole := counts()
	if got := stepOn(e, m, 4); got.err != nil {
		t.Fatal(got.err)
	}
	for i, n := range counts() {
		whole[i] = n - whole[i]
	}
	if whole[0] == 0 || whole[1] != 0 {
		t.Fatalf("%d of the first algorithm, %d of the second", whole[0], whole[1])
	}
	for refused, did := range [][2]int{1: {0, whole[0]}, 2: {0, 0}} {
		if refused == 0 {
			continue
		}
		f.configure(t, "refused", refused)
		before := counts()
		got := stepOn(e, m, 4)
		if got.err != nil {
			t.Fatalf("%d refused: %v", refused, got.err)
		}
		after := counts()
		if d := distance(got.result, want.result); !(d < near) {
			t.Errorf("%d refused: off by %.2g of the norm of our own kernels' result, want less than %g", refused, d, near)
		}
		if n := [2]int{after[0] - before[0], after[1] - before[1]}; n != did {
			t.Errorf("%d refused: %v passes by the two algorithms, want %v", refused, n, did)
		}
		if n := after[2] - before[2]; refused == 1 && n <= whole[2] || refused == 2 && n == 0 || n > (1+refused)*whole[2] {
			t.Errorf("%d refused: %d forward passes were tried, %d without", refused, n, whole[2])
		}
	}
	f.configure(t, "refused", 0)
}

// TestTF32: only where it is asked for, products and convolutions round their factors; that is
// a class of its own, for cards that can.
func TestTF32(t *testing.T) {
	f := openFakes(t, false)
	full, rounded := f.engine(t, false), f.engine(t, true)
	if want := full.Class() + "/tf32"; rounded.Class() != want {
		t.Errorf("class %q, want %q", rounded.Class(), want)
	}
	r := rand.New(rand.NewPCG(5, 6))
	const n = 8
	a, b := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
	}
	g := tensor.Conv{N: 1, InC: 1, H: n, W: n, OutC: 1, KH: n, KW: n, Stride: 1, Pad: 3}
	for what, run := range map[string]func(e tensor.Engine, c *tensor.Call, out []float32){
		"product": func(e tensor.Engine, c *tensor.Call, out []float32) {
			e.Gemm(c, tensor.Gemm{M: n, N: n, K: n}, a, b, out)
		},
		"convolution":       func(e tensor.Engine, c *tensor.Call, out []float32) { e.ConvForward(c, g, a, b, nil, out[:49]) },
		"its data gradient": func(e tensor.Engine, c *tensor.Call, out []float32) { e.ConvBackwardData(c, g, a[:49], b, out) },
		"its filter's":      func(e tensor.Engine, c *tensor.Call, out []float32) { e.ConvBackwardFilter(c, g, a, b[:49], out) },
	} {
		var results [3][]float32
		for i, e := range []tensor.Engine{portable.New(), &host{Device: full}, &host{Device: rounded}} {
			results[i] = make([]float32, n*n)
			run(e, &tensor.Call{}, results[i])
			if h, ok := e.(*host); ok {
				must(t, h.close())
			}
		}
		if d := distance(results[1], results[0]); !(d < 1e-6) {
			t.Errorf("%s: off by %.2g, and nobody asked for TF32", what, d)
		}
		if d := distance(results[2], results[0]); !(d > 1e-5 && d < 1e-3) {
			t.Errorf("%s: off by %.2g with TF32, want about 2⁻¹¹", what, d)
		}
	}
}

// TestRefused: what cannot be is said in one line when the engine is made.
func TestRefused(t *testing.T) {
	if _, err := engine.WithLibraries(emulated.New(emulated.Options{}), &lib.Set{}, false); err == nil || !strings.Contains(err.Error(),
		"NVIDIA's driver alone") {
		t.Errorf("on the emulator: %v", err)
	}
	l := faketest.Library(t, fake.Options{Capability: 75})
	d := sure(driver.Open(l.Path, 0))(t)
	if _, err := engine.WithLibraries(d, &lib.Set{}, false); err == nil || !strings.Contains(err.Error(), "neither cuBLAS nor cuDNN") {
		t.Errorf("without libraries: %v", err)
	}
	if _, err := engine.WithLibraries(d, &lib.Set{BLAS: &lib.BLAS{}}, true); err == nil || !strings.Contains(err.Error(),
		"8.0 or newer; fake GPU on the CPU has 7.5") {
		t.Errorf("TF32 on an old card: %v", err)
	}
	must(t, d.Close())
}

// tourLibraries does once what libraries do; several shapes need descriptors of their own.
func tourLibraries(e tensor.Device) (o outcome) {
	var c tensor.Call
	const n = 2 * 3 * 4 * 4
	b := make([][]float32, 9)
	for i := range b {
		if b[i] = e.Make(&c, n); b[i] != nil {
			e.Upload(&c, b[i], ramp(n))
		}
	}
	if b[len(b)-1] != nil {
		g := tensor.Conv{N: 2, InC: 3, H: 4, W: 4, OutC: 3, KH: 3, KW: 3, Stride: 1, Pad: 1}
		e.ConvForward(&c, g, b[0], b[1], b[1], b[2])
		e.ConvBackwardData(&c, g, b[0], b[1], b[3])
		e.ConvBackwardFilter(&c, g, b[0], b[1], b[4])
		m := tensor.Norm{N: 2, C: 3, HW: 16, Eps: 1e-5, ReLU: true}
		e.BatchNormForward(&c, m, b[2], b[0], b[0], b[5], b[6], b[7])
		e.BatchNormBackward(&c, m, b[2], b[5], b[3], b[0], b[6], b[7], b[3], b[8], b[1])
		l := tensor.Linear{N: 2, In: 48, Out: 2, ReLU: true}
		e.LinearForward(&c, l, b[5], b[3], b[8], b[2])
		e.LinearBackwardData(&c, l, b[2], b[3], b[6])
		e.LinearBackwardFilter(&c, l, b[5], b[2], b[7])
		for _, v := range b {
			o.result = append(o.result, make([]float32, n)...)
			e.Download(&c, o.result[len(o.result)-n:], v)
		}
	}
	o.err = e.Settle(&c)
	if err := twice(func() error { return e.Release(&c) }); o.err == nil {
		o.err = err
	}
	return o
}

// TestLibraryCallFails: whichever call of a library's fails, there is one error that names
// it, and nothing stays behind.
func TestLibraryCallFails(t *testing.T) {
	f := openFakes(t, false)
	e := f.engine(t, false)
	left := func() (n int) {
		for _, l := range []*fake.Library{f.cuda, f.blas, f.dnn} {
			k := sure(l.Count("open"))(t)
			n += k
		}
		return n
	}
	before, calls := left(), f.count(t, "calls")
	want := tourLibraries(e)
	if want.err != nil {
		t.Fatal(want.err)
	}
	both, failed := f.count(t, "calls")-calls, 0
	for _, l := range []*fake.Library{f.blas, f.dnn} {
		for n := 1; n <= both; n++ {
			must(t, l.FailAt(n, 14))
			got := tourLibraries(e)
			if at, err := l.Count("calls"); err != nil || at < n {
				break // that was all
			}
			failed++
			var refused *lib.Error
			if !errors.As(got.err, &refused) || refused.Code != 14 || !strings.HasPrefix(refused.Call, "cu") || strings.Contains(got.err.Error(), "\n") ||
				!strings.Contains(got.err.Error(), "a status of the fake") {
				t.Errorf("call %d: %v, want the library's refusal in one line", n, got.err)
			}
			if k := left(); k != before {
				t.Fatalf("call %d, %v: %d things are open, %d were before", n, got.err, k, before)
			}
		}
		must(t, l.FailAt(-1, 0))
	}
	if failed != both || both < 40 {
		t.Errorf("%d calls failed of %d", failed, both)
	}
	if again := tourLibraries(e); again.err != nil || !slices.EqualFunc(again.result, want.result, func(a, b float32) bool {
		return math.Float32bits(a) == math.Float32bits(b)
	}) {
		t.Errorf("after the failures: %v, or another result", again.err)
	}
}

// TestLostInLibrary: a device that is lost while a library works says so, and which of the library's calls found it.
func TestLostInLibrary(t *testing.T) {
	f := openFakes(t, false)
	e, err := engine.WithLibraries(f.driver, f.set, false)
	must(t, err)
	var c tensor.Call
	x, y := e.Make(&c, 16), e.Make(&c, 16)
	e.Gemm(&c, tensor.Gemm{M: 4, N: 4, K: 4}, x, x, y)
	must(t, e.Settle(&c))
	must(t, errors.Join(f.blas.FailAt(1, 13), f.cuda.FailAt(1, 700)))
	e.Gemm(&c, tensor.Gemm{M: 4, N: 4, K: 4}, x, x, y)
	err = e.Settle(&c)
	var lost *driver.Error
	if !errors.As(err, &lost) || !lost.Lost() || !strings.Contains(err.Error(), "run again with --device cpu: found by cublasSgemm") {
		t.Errorf("%v, want a lost device", err)
	}
	f.lost = true
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sure[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}
