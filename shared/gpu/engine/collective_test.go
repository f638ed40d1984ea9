package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/engine"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/lib"
	"gradsync/shared/tensor"
)

// ranked is some devices of a fake driver with a fake NCCL.
type ranked struct {
	cuda, nccl *fake.Library
	set        *lib.NCCL
	engines    []*engine.Engine
}

func openRanks(t *testing.T, n int, lazy bool) *ranked {
	t.Helper()
	f := &ranked{cuda: faketest.Library(t, fake.Options{Lazy: lazy, Devices: n})}
	built, err := fake.BuildNCCL()
	if err == nil {
		f.nccl, err = f.cuda.NCCL(built)
	}
	if err == nil {
		f.set, err = lib.FindNCCL([]string{filepath.Dir(f.cuda.Path)})
	}
	must(t, err)
	for i := range n {
		d := sure(driver.Open(f.cuda.Path, i))(t)
		e := sure(engine.New(d))(t)
		e.Collect(f.set)
		f.engines = append(f.engines, e)
		t.Cleanup(func() { must(t, errors.Join(e.Close(), d.Close())) })
	}
	return f
}

// left counts what is open: handles, memory, and files of groups.
func (f *ranked) left(t *testing.T) int {
	t.Helper()
	a, err := f.cuda.Count("open")
	b, other := f.nccl.Count("open")
	files, third := filepath.Glob(filepath.Join(filepath.Dir(f.cuda.Path), "nccl-*"))
	must(t, errors.Join(err, other, third))
	return a + b + len(files)
}

// count returns how often NCCL's function of a name was called, and alike.
func (f *ranked) count(t *testing.T, key string) int {
	t.Helper()
	return sure(f.nccl.Count(key))(t)
}

// vectors are rank's, two of each step.
func vectors(rank, step int) [2][]float32 {
	r := rand.New(rand.NewPCG(uint64(rank), uint64(step)))
	out := [2][]float32{make([]float32, 1000), make([]float32, 7)}
	for _, v := range out {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	}
	return out
}

const sumSteps = 3

// sums lets every rank sum its vectors, each in a goroutine of its own, and give all back. A
// rank that fails ends the others', as a run does.
func (f *ranked) sums(same bool) (results [][]float32, errs []error) {
	name, err := f.engines[0].NewGroup()
	if err != nil {
		return nil, []error{err}
	}
	n := len(f.engines)
	results, errs = make([][]float32, n), make([]error, n)
	var mu sync.Mutex
	var groups []tensor.Group
	failed := false
	abort := func() (errs []error) {
		mu.Lock()
		defer mu.Unlock()
		failed = true
		for _, g := range groups {
			errs = append(errs, g.Abort())
		}
		return errs
	}
	var wait sync.WaitGroup
	for rank, e := range f.engines {
		if same {
			e = f.engines[0]
		}
		wait.Go(func() {
			g, err := e.Join(name, rank, n)
			if err == nil {
				mu.Lock()
				if groups = append(groups, g); failed {
					err = errors.Join(errAborted, g.Abort())
				}
				mu.Unlock()
			}
			if err == nil {
				results[rank], err = sum(e, g, rank)
				if err == nil {
					err = g.Close()
				}
			}
			if errs[rank] = err; err != nil {
				if later := abort(); errors.Join(later...) != nil {
					errs[rank] = errors.Join(append(later, err)...)
				}
			}
		})
	}
	wait.Wait()
	return results, errs
}

var errAborted = errors.New("another rank has failed")

// sum does one rank's part.
func sum(e *engine.Engine, g tensor.Group, rank int) (result []float32, err error) {
	var c tensor.Call
	a, b := e.Make(&c, 1000), e.Make(&c, 7)
	for step := range sumSteps {
		v := vectors(rank, step)
		if a == nil || b == nil {
			break
		}
		e.Upload(&c, a, v[0])
		g.SumSend(&c, a)
		e.Upload(&c, b, v[1])
		g.SumSend(&c, b)
		for _, to := range v {
			if err := e.Receive(&c, to); err != nil {
				break
			}
			result = append(result, to...)
		}
		if err = e.Settle(&c); err != nil {
			break
		}
	}
	err = errors.Join(err, e.Settle(&c))
	return result, errors.Join(err, twice(func() error { return e.Release(&c) }))
}

// TestSums: vectors on several devices become their sum on each of them, with as many calls
// and bytes as that takes, at once and lazily.
func TestSums(t *testing.T) {
	const n = 3
	var want []float32
	for step := range sumSteps {
		for i, first := range vectors(0, step) {
			for rank := 1; rank < n; rank++ {
				for k, v := range vectors(rank, step)[i] {
					first[k] += v
				}
			}
			want = append(want, first...)
		}
	}
	for _, lazy := range []bool{false, true} {
		f := openRanks(t, n, lazy)
		before := f.left(t)
		results, errs := f.sums(false)
		for rank, got := range results {
			if errs[rank] != nil || !slices.Equal(got, want) {
				t.Errorf("lazy=%t, rank %d: %v, or another sum than in rank order", lazy, rank, errs[rank])
			}
		}
		if calls, bytes := f.count(t, "ncclAllReduce"), f.count(t, "bytes summed"); calls != 2*n*sumSteps || bytes != 4*n*sumSteps*1007 {
			t.Errorf("lazy=%t: %d calls of %d bytes", lazy, calls, bytes)
		}
		if left := f.left(t); left != before {
			t.Errorf("lazy=%t: %d things are open, %d were before", lazy, left, before)
		}
	}
}

// TestSumsFail: whichever call of NCCL's fails, in whichever rank, its error names it, with a
// hint, no rank waits for ever, and nothing stays behind.
func TestSumsFail(t *testing.T) {
	f := openRanks(t, 2, false)
	before, calls := f.left(t), f.count(t, "calls")
	if _, errs := f.sums(false); errors.Join(errs...) != nil {
		t.Fatal(errs)
	}
	all := f.count(t, "calls") - calls
	for n := 1; n <= all; n++ {
		must(t, f.nccl.FailAt(n, 3))
		_, errs := f.sums(false)
		var refused *lib.Error
		i := slices.IndexFunc(errs, func(err error) bool { return errors.As(err, &refused) && refused.Code == 3 })
		if i < 0 || !strings.HasPrefix(refused.Call, "nccl") {
			t.Errorf("call %d of %d: %v, want a refusal", n, all, errs)
			continue
		}
		const says = ": a result of the fake NCCL: what it has to say (3): NCCL_DEBUG=WARN says more"
		if s := errs[i].Error(); s != "gpu: NCCL 2.28.3: "+refused.Call+says {
			t.Errorf("call %d: %s", n, s)
		}
		if left := f.left(t); left != before {
			t.Fatalf("call %d, %s: %d things are open, %d were before", n, refused.Call, left, before)
		}
	}
	must(t, f.nccl.FailAt(-1, 0))
	if all != 1+2*(1+2*sumSteps+1) {
		t.Errorf("%d calls", all)
	}
	// Either rank may be told of the cause, and the other that one has ended.
	if _, errs := f.sums(true); !strings.Contains(fmt.Sprint(errs), "(5): each rank needs a device of its own") || f.left(t) != before {
		t.Errorf("two ranks on a device: %v, %d things are open", errs, f.left(t))
	}
}

// TestNoNCCL: what is missing, or another version, is one line.
func TestNoNCCL(t *testing.T) {
	f := openRanks(t, 1, false)
	must(t, f.nccl.Set("version", 10203))
	dir := filepath.Dir(f.cuda.Path)
	if _, err := lib.FindNCCL([]string{dir}); err == nil || err.Error() != "NCCL: none ("+dir+"/libnccl.so.2 is NCCL 1.2.3; this program speaks NCCL 2)" {
		t.Error(err)
	}
	wrong := t.TempDir()
	must(t, os.WriteFile(filepath.Join(wrong, "libnccl.so.2"), []byte("no library"), 0o600))
	if _, err := lib.FindNCCL([]string{wrong}); err == nil || !strings.HasPrefix(err.Error(), "NCCL: none ("+wrong+"/libnccl.so.2 cannot be opened: ") {
		t.Error(err)
	}
	t.Setenv(lib.Variable, "none")
	if _, err := lib.FindNCCL(nil); err == nil || err.Error() != "NCCL: none ("+lib.Variable+"=none)" {
		t.Error(err)
	}
	e := f.engines[0]
	e.Collect(nil)
	if _, err := e.NewGroup(); err == nil || e.Collector() != "" {
		t.Errorf("an engine without NCCL is %q, %v", e.Collector(), err)
	}
	if _, err := openEmulated(t).Join(nil, 0, 1); err == nil || !strings.Contains(err.Error(), "NVIDIA's driver alone") {
		t.Error(err)
	}
}

func openEmulated(t *testing.T) *engine.Engine {
	t.Helper()
	return sure(engine.New(emulated.New(emulated.Options{})))(t)
}
