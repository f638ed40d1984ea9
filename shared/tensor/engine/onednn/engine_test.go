//go:build linux && (amd64 || arm64) && !nodl

package onednn

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/ebitengine/purego"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/enginetest"
)

// opens returns the engine or skips the test with the reason.
func opens(t *testing.T) tensor.Engine {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Skipf("this test needs oneDNN, which is optional: %v", err)
	}
	return e
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	e := opens(t)
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the suite counts allocations, and under the race detector purego's pool of call frames forgets some on purpose")
	}
	enginetest.Run(t, e)
}

// TestRegistered: the engine is known by name exactly where it opens.
func TestRegistered(t *testing.T) {
	version, err := Status()
	known := slices.Contains(tensor.Engines(), Name)
	if known != (err == nil) {
		t.Fatalf("registered: %t, but Status says %q, %v", known, version, err)
	}
	if err != nil {
		return
	}
	if !strings.HasPrefix(version, "2.") {
		t.Errorf("version %q was let through", version)
	}
	e, err := tensor.Lookup(Name)
	if err != nil || e.Name() != Name || e.Layout() != tensor.ImageMajor {
		t.Errorf("Lookup gives %v, %v", e, err)
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ n, most, want int }{
		{1, 4, 1}, {2, 4, 2}, {3, 4, 3}, {5, 4, 1}, {6, 4, 3}, {7, 4, 1}, {9, 4, 3}, {10, 4, 2}, {16, 4, 4}, {100, 4, 4},
		{1, 2, 1}, {2, 2, 2}, {9, 2, 1}, {16, 2, 2},
	} {
		if got := parts(c.n, c.most); got != c.want {
			t.Errorf("%d images are cut into %d parts of up to %d, want %d", c.n, got, c.most, c.want)
		}
	}
}

// TestReused: a second call of a shape builds nothing, another shape does.
func TestReused(t *testing.T) {
	e := opens(t)
	var c tensor.Call
	g := tensor.Conv{N: 2, InC: 3, H: 6, W: 6, OutC: 4, KH: 3, KW: 3, Stride: 1}
	call := func(g tensor.Conv) int {
		e.ConvForward(&c, g, make([]float32, inputs(g)), make([]float32, weights(g)), nil, make([]float32, outputs(g)))
		return len(c.Scratch.(*state).workers[0].kernels)
	}
	first, again := call(g), call(g)
	g.OutC++
	if other := call(g); first != 1 || again != 1 || other != 2 {
		t.Errorf("kernels after a call, the same call and another: %d, %d, %d; want 1, 1, 2", first, again, other)
	}
}

// TestFreed: nothing keeps a Call's workers once the Call is gone, so that the
// library's objects are freed with them.
func TestFreed(t *testing.T) {
	e := opens(t)
	worker := func() weak.Pointer[worker] {
		c := tensor.Call{Threads: 2}
		e.ConvForward(&c, tensor.Conv{N: 2, InC: 1, H: 4, W: 4, OutC: 1, KH: 3, KW: 3, Stride: 1}, make([]float32, 32), make([]float32, 9), nil, make([]float32, 8))
		return weak.Make(c.Scratch.(*state).workers[1])
	}()
	for begin := time.Now(); worker.Value() != nil; runtime.GC() { // a thread may still look out for the next run
		if time.Since(begin) > time.Minute {
			t.Fatal("a worker outlives its Call")
		}
	}
}

// threadCount records what the library would use on the thread a part runs on.
type threadCount struct {
	ask  uintptr
	seen []uintptr
}

func (c *threadCount) part(_ *worker, lo, hi int) {
	for i := lo; i < hi; i++ {
		c.seen[i], _, _ = purego.SyscallN(c.ask)
	}
}

// TestOneThread: the library is held to one thread on every operating-system
// thread that calls it, whatever it was told before.
func TestOneThread(t *testing.T) {
	l := opens(t).(*engine).lib
	if l.setThreads == 0 {
		t.Skip("this libdnnl has no threads to hold: it was built sequential")
	}
	handle, err := system{}.open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	ask, err := system{}.symbol(handle, "omp_get_max_threads")
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	purego.SyscallN(l.setThreads, 7)
	if n, _, _ := purego.SyscallN(ask); n != 7 {
		t.Fatalf("OpenMP has %d threads after it was told 7", n)
	}
	c := tensor.Call{Threads: 3}
	count := threadCount{ask: ask, seen: make([]uintptr, 6)}
	l.stateOf(&c).run(&c, &count, len(count.seen))
	for i, n := range count.seen {
		if n != 1 {
			t.Errorf("part %d may use %d threads, want 1", i, n)
		}
	}
}
