package kit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

type store map[string][]byte

func (s store) Load(k string, v any) bool {
	raw, ok := s[k]
	return ok && json.Unmarshal(raw, v) == nil
}
func (s store) Save(k string, v any) error { s[k], _ = json.Marshal(v); return nil }
func (s store) State(string) string        { return "" }

// lengths returns a study of the lengths of its points; made is told of each measurement, one at a time.
func lengths(made func()) Study[string, float64] {
	points := []string{"a", "b", "once"}
	var one sync.Mutex
	return Study[string, float64]{ID: "x/y",
		Points: func(string) []string { return points },
		Cost:   func(_, p string) (string, float64) { return "part " + p[:1], 1 },
		Config: func(string) map[string]any { return nil },
		Once:   func(p string) bool { return p == "once" },
		Measure: func(ctx context.Context, env exp.Env, p string, seed uint64) (float64, error) {
			return Keep(ctx, env, []any{p, seed}, func(string) (float64, error) {
				one.Lock()
				made()
				one.Unlock()
				return float64(len(p)) + float64(seed)/3, nil
			})
		},
		Show: func(v *View[string, float64]) {
			v.Frames = append(v.Frames, Rows("f", "p:p x±/.3", points, func(p string) []any { return []any{p, Sample(v.At(p)).Mean()} }))
		}}
}

// An interrupted study leaves whole seeds, and the same command goes on from them to the
// bytes of one that was never interrupted. On one core it is known what was under way.
func TestInterrupted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	memo, seeds, measured := store{}, []uint64{0, 1}, 0
	ctx, stop := context.WithCancel(t.Context())
	made := func() {
		if measured++; measured == 4 {
			stop()
		}
	}
	r, err := lengths(made).Run(ctx, exp.Env{Seeds: seeds, Memo: memo})
	if !errors.Is(err, context.Canceled) || r.Status != result.Incomplete || len(r.Seeds) != 1 || len(r.Frames[0].Rows) != 3 {
		t.Fatalf("interrupted: %v %+v", err, r)
	}
	r, err = lengths(made).Run(t.Context(), exp.Env{Seeds: seeds, Memo: memo})
	if err != nil || measured != 5 {
		t.Fatalf("resumed: %v after %d measurements, want 5", err, measured)
	}
	whole, err := lengths(func() {}).Run(t.Context(), exp.Env{Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	a, errA := result.Encode(r)
	b, errB := result.Encode(whole)
	if string(a) != string(b) || errors.Join(errA, errB) != nil || r.Status != result.Complete {
		t.Errorf("resumed is\n%s\nnever interrupted\n%s", a, b)
	}
}

// A point of Once is measured and planned for one seed; a study may have seeds of its own.
func TestOnceAndSeeds(t *testing.T) {
	made := 0
	s := lengths(func() { made++ })
	env := exp.Env{Seeds: []uint64{7, 8, 9}}
	last := 0.0
	env.Progress = func(done, total float64, _ string) {
		if last = done; total != 7 {
			t.Errorf("a plan of %g, want 7", total)
		}
	}
	if _, err := s.Run(t.Context(), env); err != nil || made != 7 || last != 7 ||
		s.seconds("", 3) != 7 || s.shares("", 3)["part o"] != 1 {
		t.Errorf("%v: %d made, %g done, planned %g, %v", err, made, last, s.seconds("", 3), s.shares("", 3))
	}
	s.Seeds, env.Progress = func([]uint64) []uint64 { return []uint64{1, 2} }, nil
	if r, err := s.Run(t.Context(), env); err != nil || len(r.Seeds) != 2 || r.Seeds[0] != 1 || s.seconds("", 9) != 5 {
		t.Errorf("%v: seeds %v, planned %g", err, r.Seeds, s.seconds("", 9))
	}
}

func TestMadeOf(t *testing.T) {
	var r result.Result
	MadeOf(&r, "e", &result.Data{Name: "a", Note: "x"}, nil, &result.Data{Name: "a", Note: "y"}, &result.Data{Name: "b"})
	if len(r.Data) != 2 || r.Data[0].Note != "" || r.Engine != "e" {
		t.Errorf("%+v", r)
	}
}

// All are called, no more at once than there are cores, the first error by number comes back, and after
// an error none begins: on one core that is exact.
func TestAtOnce(t *testing.T) {
	var mu sync.Mutex
	seen, now, most := 0, 0, 0
	call := func(i int) {
		mu.Lock()
		seen, now = seen|1<<i, now+1
		most = max(most, now)
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		now--
		mu.Unlock()
	}
	if err := AtOnce(20, func(i int) error { call(i); return nil }); seen != 1<<20-1 || most > runtime.GOMAXPROCS(0) || err != nil {
		t.Errorf("seen %x, at most %d at once, %v", seen, most, err)
	}
	failing := func(i int) error {
		call(i)
		if i == 7 || i == 3 {
			return fmt.Errorf("number %d", i)
		}
		return nil
	}
	if err := AtOnce(20, failing); err == nil || err.Error() != "number 3" {
		t.Error(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if seen = 0; AtOnce(20, failing) == nil || seen != 1<<4-1 {
		t.Errorf("on one core, seen %x", seen)
	}
}

func TestCountIf(t *testing.T) {
	if n := CountIf([]int{3, 4, 5, 6, 8}, func(x int) bool { return x%2 == 0 }); n != 3 {
		t.Errorf("%d of five are even, want 3", n)
	}
}

// A memo that knows nothing of it may be asked by several at once.
func TestKeepAtOnce(t *testing.T) {
	env := exp.Env{Memo: store{}}
	for range 2 {
		if err := AtOnce(50, func(i int) error {
			x, err := Keep(t.Context(), env, i, func(string) (int, error) { return i * i, nil })
			if err == nil && x != i*i {
				err = fmt.Errorf("of %d: %d", i, x)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// A run of the study's own seeds goes on until its rule says enough, and its result names the seeds
// that it came to have; a run of a user's seeds has these.
func TestEnough(t *testing.T) {
	made := 0
	s := lengths(func() { made++ })
	s.Own = func(string) []uint64 { return []uint64{3, 4} }
	s.Enough = func(v *View[string, float64]) bool { return len(v.At("a")) == 4 }
	e := s.Experiment()
	r, err := e.Run(t.Context(), exp.Env{Seeds: e.SeedsOf("ci"), Own: true})
	if err != nil || fmt.Sprint(r.Seeds, r.Config.(map[string]any)["seeds"]) != "[3 4 5 6] [3 4 5 6]" || made != 9 || r.Status != result.Complete {
		t.Errorf("%v: seeds %v, configuration %v, %d made", err, r.Seeds, r.Config, made)
	}
	if r, err = e.Run(t.Context(), exp.Env{Seeds: []uint64{3, 4}}); err != nil || len(r.Seeds) != 2 {
		t.Errorf("%v: a user's two seeds became %v", err, r.Seeds)
	}
	if got := lengths(nil).Experiment().SeedsOf("quick"); fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("seeds of its own where it has none: %v", got)
	}
}
