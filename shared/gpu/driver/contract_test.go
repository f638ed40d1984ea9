package driver_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/kernels"
)

// contract checks what the comments of driver.Driver say. graph is for a driver that has graphs; that of the tag cu must
// say that it has none. open returns a driver of its own for each check; no check loses the device.
func contract(t *testing.T, graph func(*testing.T, driver.Driver), open func(*testing.T) driver.Driver) {
	for _, c := range []struct {
		name  string
		check func(t *testing.T, d driver.Driver)
	}{
		{"info", info}, {"memory", memory}, {"full", full}, {"copies", copies}, {"pinned", pinned},
		{"functions", functions}, {"launch", launch}, {"order", order}, {"streams", streams}, {"events", events},
		{"graph", graph}, {"goroutines", goroutines},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t)
			c.check(t, d)
			if err := d.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	t.Run("leaks", func(t *testing.T) { leaks(t, open(t)) })
}

// refused checks an error's code and that its text says what it should.
func refused(t *testing.T, err error, code int, says ...string) {
	t.Helper()
	var e *driver.Error
	if !errors.As(err, &e) || code != 0 && e.Code != code {
		t.Fatalf("error %v, want a driver's with code %d", err, code)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

// take calls what opens something.
func take[T any](t *testing.T, open func() (T, error)) T {
	t.Helper()
	v, err := open()
	must(t, err)
	return v
}

// device is an allocation that is freed by the caller.
func device(t *testing.T, d driver.Driver, bytes int) unsafe.Pointer {
	t.Helper()
	p, err := d.Alloc(bytes)
	must(t, err)
	return p
}

func pointer[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

func info(t *testing.T, d driver.Driver) {
	i := d.Info()
	if i.Name == "" || i.Memory < 1<<20 || i.Processors < 1 || i.CUDA[0] < 11 || i.Capability[0] < 7 || i.Size() == "" {
		t.Errorf("%+v", i)
	}
}

func memory(t *testing.T, d driver.Driver) {
	before, total, err := d.Memory()
	must(t, err)
	if before <= 0 || before > total {
		t.Errorf("%d bytes free of %d", before, total)
	}
	var all []unsafe.Pointer
	for _, n := range []int{1, 255, 257, 64 << 20} { // a card counts what is free by megabytes
		p := device(t, d, n)
		if uintptr(p)%256 != 0 {
			t.Errorf("%d bytes at %p: want a multiple of 256", n, p)
		}
		all = append(all, p)
	}
	if after, _, err := d.Memory(); err != nil || after >= before {
		t.Errorf("%d bytes free before, %d after (%v)", before, after, err)
	}
	for _, p := range all {
		must(t, d.Free(p))
	}
	refused(t, d.Free(all[0]), 1)
	must(t, d.Free(nil))
	_, err = d.Alloc(0)
	refused(t, err, 1)
}

func full(t *testing.T, d driver.Driver) {
	_, total, err := d.Memory()
	must(t, err)
	_, err = d.Alloc(total + 1<<20)
	refused(t, err, 2, "wanted", "free of", "batch")
}

func copies(t *testing.T, d driver.Driver) {
	for _, n := range []int{1, 3, 1000, 70001} {
		src, dst := make([]byte, n), make([]byte, n)
		for i := range src {
			src[i] = byte(i * 7)
		}
		a, b := device(t, d, n), device(t, d, n)
		must(t, d.Upload(0, a, pointer(src), n))
		want := src[n-1]
		src[n-1] = 99 // not pinned: the call is done with it
		must(t, d.Copy(0, b, a, n))
		must(t, d.Download(0, pointer(dst), b, n))
		if dst[0] != 0 || dst[n-1] != want {
			t.Errorf("%d bytes came back as %d … %d, want 0 … %d", n, dst[0], dst[n-1], want)
		}
		must(t, d.Free(a))
		must(t, d.Free(b))
	}
	words, p := make([]uint32, 5), device(t, d, 20)
	must(t, d.Fill(0, p, 7, 5))
	must(t, d.Fill(0, unsafe.Add(p, 4), 0xdeadbeef, 3))
	must(t, d.Download(0, pointer(words), p, 20))
	if [5]uint32(words) != [5]uint32{7, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 7} {
		t.Errorf("filled %#x", words)
	}
	must(t, d.Free(p))
}

func pinned(t *testing.T, d driver.Driver) {
	s := take(t, d.Stream)
	p, err := d.Pinned(4000)
	must(t, err)
	x := unsafe.Slice((*float32)(p), 1000)
	for i := range x {
		x[i] = float32(i)
	}
	a := device(t, d, 4000)
	must(t, d.Upload(s, a, p, 4000))
	must(t, d.Sync(s))
	clear(x)
	must(t, d.Download(s, p, a, 4000))
	must(t, d.Sync(s))
	if x[999] != 999 {
		t.Errorf("element 999 is %g", x[999])
	}
	must(t, d.Free(a))
	must(t, d.FreePinned(p))
	refused(t, d.FreePinned(p), 1)
	must(t, d.FreePinned(nil))
	_, err = d.Pinned(0)
	refused(t, err, 1)
	must(t, d.CloseStream(s))
}

func functions(t *testing.T, d driver.Driver) {
	_, err := d.Load("this is no PTX")
	refused(t, err, 0) // which code hangs on the driver
	m, err := d.Load(kernels.PTX())
	must(t, err)
	_, err = d.Function(m, "subtract", 8, 8)
	refused(t, err, 500, "subtract")
	_, err = d.Function(m, "add", 8, 8, 4)
	refused(t, err, 0, "add", "[8 8 8 4 4]", "[8 8 4]")
	f, err := d.Function(m, "add", 8, 8, 8, 4, 4)
	must(t, err)
	one, block := driver.Dim{X: 1, Y: 1, Z: 1}, driver.Dim{X: 256, Y: 1, Z: 1}
	refused(t, d.Launch(0, f, one, block, make([]uint64, 4)), 1, "add", "5 arguments, not 4")
	refused(t, d.Launch(0, f, driver.Dim{X: 1, Z: 1}, block, make([]uint64, 5)), 1)
	refused(t, d.Launch(0, driver.Func{}, one, block, nil), 0)
	must(t, d.Unload(m))
}

// adder is the kernel add with buffers of n floats: c = a + b.
type adder struct {
	set     *kernels.Set
	a, b, c unsafe.Pointer
	n       int
}

func newAdder(t *testing.T, d driver.Driver, n int) *adder {
	t.Helper()
	set, err := kernels.Load(d)
	must(t, err)
	x := &adder{set: set, a: device(t, d, 4*n), b: device(t, d, 4*n), c: device(t, d, 4*n), n: n}
	must(t, d.Fill(0, x.b, math.Float32bits(0.5), n))
	must(t, d.Sync(0))
	return x
}

func (x *adder) close(t *testing.T, d driver.Driver) {
	t.Helper()
	for _, p := range []unsafe.Pointer{x.a, x.b, x.c} {
		must(t, d.Free(p))
	}
	must(t, x.set.Close())
}

func (x *adder) add(t *testing.T, s driver.Stream) {
	t.Helper()
	must(t, x.set.On(s).Add(x.n, x.a, x.b, x.c, false))
}

func counting(n, from int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(from + i)
	}
	return v
}

// holds checks that v[i] = from + i + 0.5.
func holds(t *testing.T, what string, v []float32, from int) {
	t.Helper()
	for i, got := range v {
		if want := float32(from+i) + 0.5; got != want {
			t.Fatalf("%s: element %d is %g, want %g", what, i, got, want)
		}
	}
}

func launch(t *testing.T, d driver.Driver) {
	for _, n := range []int{1, 255, 257, 1000} {
		x := newAdder(t, d, n)
		out := make([]float32, n)
		must(t, d.Upload(0, x.a, pointer(counting(n, 3)), 4*n))
		x.add(t, 0)
		must(t, d.Download(0, pointer(out), x.c, 4*n))
		holds(t, "sum", out, 3)
		x.close(t, d)
	}
}

// order: a stream does its work in the order of the calls, and with the cells and the memory they had then.
func order(t *testing.T, d driver.Driver) {
	const n = 300
	x := newAdder(t, d, n)
	s := take(t, d.Stream)
	in, first, second := counting(n, 1), make([]float32, n), make([]float32, n)
	q := x.set.On(s)
	must(t, d.Upload(s, x.a, pointer(in), 4*n))
	must(t, q.Add(n, x.a, x.b, x.c, false))
	copy(in, counting(n, 100))
	must(t, d.Copy(s, x.a, x.c, 4*n))
	must(t, q.Add(n, x.a, x.b, x.c, false)) // the same cells, other buffers' contents
	must(t, d.Download(s, pointer(first), x.a, 4*n))
	must(t, d.Download(s, pointer(second), x.c, 4*n))
	holds(t, "first sum", first, 1)
	for i, v := range second {
		if v != float32(i)+2 {
			t.Fatalf("second sum: element %d is %g, want %g", i, v, float32(i)+2)
		}
	}
	must(t, d.CloseStream(s))
	x.close(t, d)
}

// streams: one stream waits for a mark of another.
func streams(t *testing.T, d driver.Driver) {
	const n = 1000
	x := newAdder(t, d, n)
	compute, transfer := take(t, d.Stream), take(t, d.Stream)
	e := take(t, d.Event)
	p, err := d.Pinned(8 * n)
	must(t, err)
	in, out := unsafe.Slice((*float32)(p), n), unsafe.Slice((*float32)(unsafe.Add(p, 4*n)), n)
	for round := range 3 {
		copy(in, counting(n, 10*round))
		must(t, d.Upload(compute, x.a, pointer(in), 4*n))
		x.add(t, compute)
		must(t, d.Record(e, compute))
		must(t, d.Wait(transfer, e))
		must(t, d.Download(transfer, pointer(out), x.c, 4*n))
		must(t, d.Sync(transfer))
		holds(t, "sum behind a mark", out, 10*round)
	}
	must(t, d.FreePinned(p))
	must(t, d.CloseEvent(e))
	must(t, d.CloseStream(compute))
	must(t, d.CloseStream(transfer))
	x.close(t, d)
}

func events(t *testing.T, d driver.Driver) {
	x := newAdder(t, d, 1000)
	s := take(t, d.Stream)
	from, to := take(t, d.Event), take(t, d.Event)
	must(t, d.Record(from, s))
	x.add(t, s)
	must(t, d.Record(to, s))
	must(t, d.SyncEvent(to))
	if took, err := d.Elapsed(from, to); err != nil || took < 0 || took.Minutes() > 10 {
		t.Errorf("%v between two marks (%v)", took, err)
	}
	must(t, d.CloseEvent(from))
	must(t, d.CloseEvent(to))
	must(t, d.CloseStream(s))
	x.close(t, d)
}

// graph: captured work is done as often as it is replayed, and not before.
func graph(t *testing.T, d driver.Driver) {
	const n = 500
	x := newAdder(t, d, n)
	s := take(t, d.Stream)
	must(t, d.Fill(s, x.c, 0, n))
	must(t, d.Sync(s))
	must(t, d.Capture(s))
	x.add(t, s)
	must(t, d.Copy(s, x.a, x.c, 4*n))
	g, err := d.EndCapture(s)
	must(t, err)
	out := make([]float32, n)
	must(t, d.Download(s, pointer(out), x.c, 4*n))
	if out[0] != 0 {
		t.Errorf("the captured kernel has run: %g", out[0])
	}
	must(t, d.Upload(s, x.a, pointer(counting(n, 7)), 4*n))
	for range 2 {
		must(t, d.Replay(g, s))
	}
	must(t, d.Download(s, pointer(out), x.c, 4*n))
	for i, v := range out {
		if v != float32(7+i)+1 {
			t.Fatalf("after two replays element %d is %g, want %g", i, v, float32(7+i)+1)
		}
	}
	must(t, d.CloseGraph(g))
	must(t, d.CloseStream(s))
	x.close(t, d)
}

// goroutines: several use the driver at once, each with a stream.
func goroutines(t *testing.T, d driver.Driver) {
	const n, rounds = 700, 5
	var all sync.WaitGroup
	for k := range 4 {
		x := newAdder(t, d, n)
		s := take(t, d.Stream)
		all.Go(func() {
			out := make([]float32, n)
			q := x.set.On(s)
			for r := range rounds {
				err := errors.Join(d.Upload(s, x.a, pointer(counting(n, k+r)), 4*n), q.Add(n, x.a, x.b, x.c, false),
					d.Download(s, pointer(out), x.c, 4*n))
				if err != nil || out[n-1] != float32(k+r+n-1)+0.5 {
					t.Errorf("goroutine %d: %g (%v)", k, out[n-1], err)
				}
			}
		})
		defer func() {
			must(t, d.CloseStream(s))
			x.close(t, d)
		}()
	}
	all.Wait()
}

// leaks: Close says what has not been given back; then calls are refused.
func leaks(t *testing.T, d driver.Driver) {
	device(t, d, 1<<20)
	take(t, d.Stream)
	take(t, d.Stream)
	err := d.Close()
	for _, want := range []string{"not given back", "device memory ×1 (1048576 bytes)", "streams ×2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("close: %v, want %q in it", err, want)
		}
	}
	_, err = d.Alloc(100)
	refused(t, err, 3, "closed")
}
