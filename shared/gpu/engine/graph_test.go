package engine_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/race"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// trail does training steps of several sizes, of which some repeat others, with an
// evaluation between, and returns all that came of them; before is called before each.
func trail(t *testing.T, e tensor.Device, m *model.Model, sizes []int, before func(k int)) (all []float32) {
	t.Helper()
	p, g, stats := make([]float32, m.NumParams()), make([]float32, m.NumParams()), statistics(m)
	m.Init(p, rand.New(rand.NewPCG(3, 4)))
	w := m.NewWorkspace(e, slices.Max(sizes), 1)
	w.SetStats(stats)
	for k, n := range sizes {
		x, labels := images(m, n, uint64(k))
		before(k)
		last := len(m.Layers())
		loss := sure(w.Gradient(p, g, x, labels, func(l int, v []float32) error {
			if last--; l != last {
				t.Errorf("step %d: layer %d came when layer %d was due", k, l, last)
			}
			all = append(all, v...)
			return nil
		}))(t)
		all = append(append(append(all, float32(loss)), g...), stats...)
		for i := range p {
			p[i] -= g[i] / 64
		}
		if k == len(sizes)/2 { // it has other passes
			z := sure(w.Logits(p, x, n))(t)
			sure(w.InferenceGradient(p, g, x, labels))(t)
			all = append(append(all, z...), g...)
		}
	}
	must(t, w.Close())
	return all
}

// ungraphed returns an engine without graphs on a device, which the test's end closes.
func ungraphed(t *testing.T, d driver.Driver) tensor.Device {
	t.Helper()
	e := sure(engine.New(d))(t)
	e.Graphs(false)
	t.Cleanup(func() { must(t, e.Close()) })
	return e
}

// repeats are numbers of images: the second step of a size is captured, the third is the
// graph again; a larger batch moves memory that the graph knows.
var repeats = []int{1, 1, 1, 3, 3, 3, 1, 1, 3}

// TestGraph: steps that come again as graphs leave the bits of steps that do not, gradients,
// statistics and losses, whatever comes between.
func TestGraph(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine; the suite runs under the race detector")
	}
	nothing := func(int) {}
	for _, s := range networks[:2] {
		m := build(t, s)
		t.Run(s.Name, func(t *testing.T) {
			repeats := repeats
			if s.Name != "lenet5" {
				repeats = repeats[1:5]
			}
			d := openFake(t, fake.Options{Lazy: true})
			e := open(t, d)
			if got, want := trail(t, e, m, repeats, nothing), trail(t, ungraphed(t, d), m, repeats, nothing); !slices.Equal(got, want) {
				t.Error("the graphs' bits are others")
			}
			f := openFakes(t, true)
			graphed, other := f.engine(t, false), f.engine(t, false)
			other.Graphs(false)
			if got, want := trail(t, graphed, m, repeats, nothing), trail(t, other, m, repeats, nothing); !slices.Equal(got, want) {
				t.Error("by libraries the graphs' bits are others")
			}
		})
	}
	t.Run("card", func(t *testing.T) {
		d, m := faketest.Card(t), build(t, networks[0])
		e := open(t, d)
		if got, want := trail(t, e, m, repeats, nothing), trail(t, ungraphed(t, d), m, repeats, nothing); !slices.Equal(got, want) {
			t.Error("the graphs' bits are others")
		}
	})
	t.Run("libraries of the card", func(t *testing.T) {
		e, m := card(t), build(t, networks[0])
		got := trail(t, e, m, repeats, nothing)
		e.Graphs(false)
		if want := trail(t, e, m, repeats, nothing); !slices.Equal(got, want) {
			t.Error("the graphs' bits are others")
		}
	})
	t.Run("emulator", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds: make test has it")
		}
		m := build(t, networks[0])
		a, b := emulated.New(emulated.Options{}), emulated.New(emulated.Options{})
		plain := open(t, b)
		plain.Graphs(false)
		if got, want := trail(t, open(t, a), m, []int{1, 1, 1}, nothing), trail(t, plain, m, []int{1, 1, 1}, nothing); !slices.Equal(got, want) {
			t.Error("the graphs' bits are others")
		}
	})
}

// TestGraphCalls: the third step of LeNet-5 is one launch of a graph in place of its kernels and
// copies; where the copies take longer than the launches there is no graph.
func TestGraphCalls(t *testing.T) {
	f := openFakes(t, true)
	keys := []string{"cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuGraphLaunch", "calls"}
	counts := func() (n [5]int) {
		for i, key := range keys {
			n[i] = sure(f.cuda.Count(key))(t)
		}
		return n
	}
	steps := func(e tensor.Device, m *model.Model, n int) (of [][5]int) {
		var at [][5]int
		trail(t, e, m, slices.Repeat([]int{1}, n), func(int) { at = append(at, counts()) })
		for k := range n / 2 { // before the evaluation
			for i := range at[k+1] {
				at[k][i] = at[k+1][i] - at[k][i]
			}
		}
		return at[:n/2]
	}
	of := steps(f.own(t), build(t, networks[0]), 6)
	if of[0][0] < 20 || of[0][3] != 0 || of[1][0] != of[0][0] || of[1][3] != 1 {
		t.Errorf("%v: %v, then %v, want kernels queued, then the same captured and one graph", keys, of[0], of[1])
	}
	if want := [5]int{0, 0, 0, 1, 4}; of[2] != want { // the graph, and waits for it and for both streams
		t.Errorf("%v: %v in the third step, want %v", keys, of[2], want)
	}
	of = steps(f.engine(t, false), build(t, model.Spec{Name: "resnet18", Width: 0.5, Image: 16}), 4)
	if of[1][3] != 0 || !slices.Equal(of[1][:4], of[0][:4]) {
		t.Errorf("%v: %v and %v in steps of a large network, want the same and no graph", keys, of[0], of[1])
	}
}

// TestGraphFails: whichever call of the driver's fails in a step that is captured or comes
// again, there is one error that names it, nothing stays behind, and the next step is whole.
func TestGraphFails(t *testing.T) {
	l := faketest.Library(t, fake.Options{})
	d := sure(driver.Open(l.Path, 0))(t)
	e := open(t, d)
	m := build(t, networks[0])
	count := func(key string) int { return sure(l.Count(key))(t) }
	p, want, g := make([]float32, m.NumParams()), make([]float32, m.NumParams()), make([]float32, m.NumParams())
	m.Init(p, rand.New(rand.NewPCG(3, 4)))
	x, labels := images(m, 1, 5)
	open, step := count("open"), 1
	if os.Getenv("GRADSYNC_LONG") == "" {
		step = 3
	}
	for n := 1; ; n += step {
		if n > 36 { // the graph's own calls come last
			step = 1
		}
		w := m.NewWorkspace(e, 1, 1)
		sure(w.Gradient(p, want, x, labels, nil))(t)
		must(t, l.FailAt(n, 2))
		var first error
		for range 2 { // captured, and again
			if _, err := w.Gradient(p, g, x, labels, nil); err != nil && first == nil {
				first = err
			}
		}
		over := count("calls") < n
		must(t, l.FailAt(-1, 0))
		var refused *driver.Error
		if over {
			if first != nil || n < 50 {
				t.Errorf("%d calls, then %v", n, first)
			}
		} else if !errors.As(first, &refused) || refused.Code != 2 || strings.Contains(first.Error(), "\n") {
			t.Errorf("call %d: %v, want out of memory in one line", n, first)
		}
		for range 2 {
			clear(g)
			if _, err := w.Gradient(p, g, x, labels, nil); err != nil || !slices.Equal(g, want) {
				t.Errorf("call %d: the step after it: %v, or another gradient", n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("call %d: %v", n, err)
		}
		if k := count("open"); k != open {
			t.Fatalf("call %d, %v: %d things are open, %d were before", n, first, k, open)
		}
		if over {
			return
		}
	}
}
