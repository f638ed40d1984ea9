package explain

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// The demands are the claims' numbers as ratios.
func TestDemands(t *testing.T) {
	want := demands()
	for id, ratio := range map[string]float64{"D01": 0.831, "D04": 0.308, "D09": 0.924, "D10": 0.807, "D13": 0.179, "D18": 0.968} {
		i := slices.IndexFunc(want[:], func(d demand) bool { return d.ID == id })
		if i < 0 || math.Abs(want[i].Ratio-ratio) > 1e-12 {
			t.Errorf("%s: %+v, want a ratio of %g", id, want[max(i, 0)], ratio)
		}
	}
	if d := want[10]; d.ID != "D11" || d.Platform != setup.Heterogeneous || d.Model != "lenet5" || d.Against != "ssp" || math.Abs(d.Tolerance-0.0265) > 1e-12 {
		t.Errorf("the eleventh demand is %+v", d)
	}
}

func TestLoss(t *testing.T) {
	want, all := demands(), subsets()[0].Of
	scaled := func(f func(i int) float64) (x [stated18]float64) {
		for i := range x {
			x[i] = want[i].Ratio * f(i)
		}
		return x
	}
	exact := scaled(func(int) float64 { return 1 })
	far := scaled(func(i int) float64 { return math.Exp(map[bool]float64{true: 0.3, false: -0.4}[i < 9]) })
	none := exact
	none[5] = 0
	homo, hetero := subsets()[1].Of, subsets()[2].Of
	for name, c := range map[string]struct {
		x    [stated18]float64
		m    mask
		want float64
	}{
		"exact":                      {exact, all, 0},
		"0.3 up and 0.4 down":        {far, all, math.Sqrt((0.09 + 0.16) / 2)},
		"the homogeneous nine":       {far, homo, 0.3},
		"the heterogeneous nine":     {far, hetero, 0.4},
		"no number":                  {none, all, noLoss},
		"no number, but not asked":   {none, hetero, 0},
		"one tenth, one of nine off": {scaled(func(i int) float64 { return map[bool]float64{true: math.E, false: 1}[i == 2] }), homo, 1. / 3},
	} {
		if got := loss(c.x, want, c.m); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %.10g, want %.10g", name, got, c.want)
		}
	}
	if i, f := worst(far, want); i != 9 || math.Abs(f-math.Exp(-0.4)) > 1e-12 {
		t.Errorf("worst is %d, %g", i, f)
	}
	defer func() {
		if recover() == nil {
			t.Error("a loss over no demand is a number")
		}
	}()
	loss(exact, want, mask{})
}

// Subsets are the 18 cut by cluster, by model and by baseline.
func TestSubsets(t *testing.T) {
	size := map[string]int{}
	var times [stated18]int
	for _, s := range subsets() {
		for i, in := range s.Of {
			if in {
				size[s.Key]++
				times[i]++
			}
		}
	}
	for key, n := range map[string]int{"all": 18, setup.Homogeneous: 9, setup.Heterogeneous: 9, "lenet5": 6, "resnet18": 6, "vgg19_bn": 6, "bsp": 6, "ssp": 6,
		"dssp": 6} {
		if size[key] != n {
			t.Errorf("%s has %d demands, want %d", key, size[key], n)
		}
	}
	for i, n := range times {
		if n != 4 {
			t.Errorf("demand %d is in %d subsets, want all, a cluster, a model and a baseline", i, n)
		}
	}
}

// A mean over workers is no number while one of them has none.
func TestMeansOf(t *testing.T) {
	if got := meansOf([]float64{2, 4}, 3, 2.5, 1); got != (means{3, 2.5, 1, 2}) {
		t.Errorf("means %v", got)
	}
	if got := meansOf([]float64{2, 0}, 2, 2, 1); got != (means{0, 2, 1, 2}) {
		t.Errorf("means %v where the second worker never came", got)
	}
}

func TestReached(t *testing.T) {
	d := demand{Ratio: 0.5, Tolerance: 0.02}
	for _, c := range []struct {
		s    extent
		want bool
	}{{extent{0.4, 0.6}, true}, {extent{0.51, 0.6}, true}, {extent{0.53, 0.6}, false}, {extent{0.3, 0.49}, true}, {extent{0.3, 0.47}, false}, {extent{}, false}} {
		if got := c.s.reached(d); got != c.want {
			t.Errorf("%+v reaches 0.5 ± 0.02: %t", c.s, got)
		}
	}
	var s extent
	for _, x := range []float64{0, 0.7, 0.2, math.NaN(), 0.4} {
		s.add(x)
	}
	if s != (extent{0.2, 0.7}) {
		t.Errorf("span %+v", s)
	}
}

// TestExplain: the smallest profile gives every frame, judges nothing, repeats
// its bytes on one processor and on two, and goes on from what it saved.
func TestExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	saved := memory{}
	run := func(procs int, m exp.Memo) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		r, err := inverse().Experiment().Run(t.Context(), exp.Env{Profile: "ci", Seeds: []uint64{0}, Memo: m})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != result.Complete || len(r.Claims) != 0 {
			t.Errorf("status %s, %d claims; a fitted platform must judge none", r.Status, len(r.Claims))
		}
		raw, err := result.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	one := run(1, saved)
	if two := run(2, nil); two != one {
		t.Error("one processor and two give different results")
	}
	n := len(saved)
	if again := run(2, saved); again != one || len(saved) != n {
		t.Errorf("from %d saved parts: the same result %t, then %d parts", n, again == one, len(saved))
	}
}

// memory is a memo without files.
type memory map[string][]byte

func (m memory) Load(key string, v any) bool {
	raw, ok := m[key]
	return ok && json.Unmarshal(raw, v) == nil
}

func (m memory) State(string) string { return "" }

func (m memory) Save(key string, v any) error {
	raw, err := json.Marshal(v)
	m[key] = raw
	return err
}
