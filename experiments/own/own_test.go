package own

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/asm"
	"gradsync/shared/tensor/engine/portable"
)

// engine names the fastest engine that this processor has.
func engine() string {
	if slices.Contains(tensor.Engines(), asm.Name) {
		return asm.Name
	}
	return portable.Name
}

// memo is an exp.Memo in memory; like one on disk it keeps JSON.
type memo map[string][]byte

func (m memo) Load(name string, v any) bool {
	raw, ok := m[name]
	return ok && json.Unmarshal(raw, v) == nil
}

func (m memo) Save(name string, v any) (err error) { m[name], err = json.Marshal(v); return err }

func (m memo) State(string) string { return "" }

// small returns a plan of few gradients: three methods with and without a server, two seeds. change edits each training.
func small(t *testing.T, change func(at Point, c *train.Config)) *Plan {
	t.Helper()
	p := &Plan{Name: "small", Methods: []string{"asp", "bsp", "ring"}, Values: []any{nil}, Seeds: []uint64{0, 1}, Configs: map[Point]train.Config{},
		Command: []string{"gradsync", "compare"}}
	on := oktest.Must(platforms.Load("heterogeneous6"))(t)
	for _, m := range p.Methods {
		at := Point{m, 0}
		c := train.Config{Sync: m, Model: "lenet5", Data: "synthetic", Platform: on, Workers: 3, Batch: 4, Rate: 0.1, MaxPushes: 60, EvalImages: 40,
			TargetAccuracy: 0.9}
		if change != nil {
			change(at, &c)
		}
		p.Configs[at] = oktest.Must(c.Resolved())(t)
	}
	return p
}

// bytesOf makes a plan and returns the bytes of its result file.
func bytesOf(t *testing.T, p *Plan, m exp.Memo) []byte {
	t.Helper()
	cells := oktest.Must(Run(context.Background(), exp.Env{Memo: m, Engine: engine()}, p, nil))(t)
	r := p.Result(p.Rows(cells))
	raw, err := result.Encode(r)
	if err != nil || r.Status != result.Complete {
		t.Fatalf("%s: %v", r.Status, err)
	}
	return raw
}

// The same plan gives the same bytes on one core and on several, from the memo, and after an interruption, which leaves
// parts behind that are not made again.
func TestSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	p := small(t, nil)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := bytesOf(t, p, nil)
	runtime.GOMAXPROCS(4)
	if !bytes.Equal(bytesOf(t, p, nil), want) {
		t.Error("four cores make other bytes than one")
	}
	runtime.GOMAXPROCS(1) // one run after the other: two are whole when the third has begun
	kept := memo{}
	ctx, stop := context.WithCancel(context.Background())
	var made atomic.Int32
	_, err := Run(ctx, exp.Env{Memo: kept, Engine: engine()}, p, func(done float64, _ string) {
		if done > 2 && made.Add(1) == 1 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || len(kept) < 2 || len(kept) == p.Runs() {
		t.Fatalf("interrupted: %v, with %d of %d runs kept", err, len(kept), p.Runs())
	}
	parts := map[string][]byte{}
	for name, raw := range kept {
		parts[name] = raw
	}
	if !bytes.Equal(bytesOf(t, p, kept), want) {
		t.Error("a run that goes on makes other bytes than one without a break")
	}
	for name, raw := range parts {
		if &raw[0] != &kept[name][0] {
			t.Error("a run that was kept is made again")
		}
	}
	if len(kept) != p.Runs() || !bytes.Equal(bytesOf(t, p, kept), want) {
		t.Error("what is kept makes other bytes")
	}
}

// A method that diverges and one whose runs fail get their reasons; the others are compared all the same.
func TestTheRestStands(t *testing.T) {
	p := small(t, func(at Point, c *train.Config) {
		c.TargetAccuracy = 0.11
		switch at.Method {
		case "bsp":
			c.Rate = 1e10
		case "ring":
			c.Load = "missing.safetensors"
		}
	})
	p.Methods = []string{"asp", "bsp", "ring", "ssp"}
	ssp := p.Configs[Point{"asp", 0}]
	ssp.Sync, ssp.Rate = "ssp", 0.05
	p.Configs[Point{"ssp", 0}] = ssp
	cells := oktest.Must(Run(context.Background(), exp.Env{Engine: engine()}, p, nil))(t)
	rows, found := p.Rows(cells), map[string]Row{}
	for _, r := range rows {
		found[r.Method] = r
	}
	if r := found["bsp"]; r.Finding != Diverged || len(r.Diverged) != 2 || r.Seconds().N != 0 {
		t.Errorf("bsp at a rate of 1e10: %s in seeds %v", r.Finding, r.Diverged)
	}
	if r := found["ring"]; r.Finding != Failed || len(r.Failed) != 2 || !strings.Contains(r.Failed[0].Why, "missing.safetensors") {
		t.Errorf("ring without its file: %s, %v", r.Finding, r.Failed)
	}
	if r := found["ssp"]; !slices.Contains([]string{Sooner, Later, Cannot}, r.Finding) {
		t.Errorf("ssp beside asp: %s", r.Finding)
	}
	r := p.Result(rows)
	if _, err := result.Encode(r); err != nil || r.Status != result.Incomplete {
		t.Errorf("the result is %s: %v", r.Status, err)
	}
}

// curve returns evaluations that rise by 10 % each second, times a factor.
func curve(factor float64) (out []train.Point) {
	for i := 1; i <= 10; i++ {
		out = append(out, train.Point{Pushes: int64(30 * i), Updates: int64(30 * i), Seconds: factor * float64(i), Accuracy: float64(i) / 10})
	}
	return out
}

// cellsOf returns cells whose times are factors of the reference's.
func cellsOf(digest string, factors ...float64) (out []Cell) {
	for _, f := range factors {
		c := Cell{Curve: curve(f), Digest: digest, Pushes: 300, Seconds: 10 * f}
		if math.IsInf(f, 1) { // never above 10 %
			c.Curve = curve(1)[:1]
			c.Curve[0].Seconds = 100
		}
		out = append(out, c)
	}
	return out
}

// judged returns the row of the second of two methods.
func judged(t *testing.T, ours, theirs []Cell) Row {
	t.Helper()
	p := small(t, func(_ Point, c *train.Config) { c.TargetAccuracy = 0.75 })
	p.Methods, p.Seeds = []string{"asp", "bsp"}, nil
	for i := range ours {
		p.Seeds = append(p.Seeds, uint64(i))
	}
	return p.Rows(Cells{{"asp", 0}: theirs, {"bsp", 0}: ours})[1]
}

// By hand: ratios 1.1, 1.2 and 1.3 have logarithms of mean 0.17999 and standard deviation 0.08357; t(0.975, 2) = 4.302653, so
// the interval is exp(0.17999 ± 4.302653·0.08357/√3). Times to 55, 60, 65, 70 and 75 % on a line of
// 10 % a second are 5.5, 6, 6.5, 7 and 7.5 s, of geometric mean 6.461.
func TestIntervalByHand(t *testing.T) {
	r := judged(t, cellsOf("b", 1.1, 1.2, 1.3), cellsOf("a", 1, 1, 1))
	if math.Abs(r.Over.Value-1.197216) > 1e-6 || math.Abs(r.Over.CI[0]-0.972822) > 1e-6 || math.Abs(r.Over.CI[1]-1.473369) > 1e-6 {
		t.Errorf("ratio %v %v, want 1.197216 [0.972822, 1.473369]", r.Over.Value, *r.Over.CI)
	}
	want := math.Pow(5.5*6*6.5*7*7.5, 0.2)
	if got := r.Times[0].At / 1.1; math.Abs(got-want) > 1e-9 {
		t.Errorf("mean time %v, want %v", got, want)
	}
	if got := r.Once[0].At / 1.1; math.Abs(got-7.5) > 1e-9 {
		t.Errorf("first crossing after %v s, want 7.5", got)
	}
	if r.Finding != Cannot || r.Decide != r.Over.SeedsToDecide() || r.Decide < 4 {
		t.Errorf("%s, and %d seeds would decide", r.Finding, r.Decide)
	}
}

func TestFindings(t *testing.T) {
	never, one, gone := math.Inf(1), []float64{1, 1, 1, 1, 1, 1}, cellsOf("b", 1, 1)
	gone[1].Diverged = &train.Divergence{Pushes: 30}
	for _, c := range []struct {
		name         string
		ours, theirs []Cell
		want         string
		decide       int
	}{
		{"later", cellsOf("b", 1.1, 1.12, 1.11), cellsOf("a", one[:3]...), Later, 0},
		{"sooner", cellsOf("b", 0.9, 0.92, 0.91), cellsOf("a", one[:3]...), Sooner, 0},
		{"the same", cellsOf("a", one[:3]...), cellsOf("a", one[:3]...), NoCase, 0},
		{"one seed", cellsOf("b", 1.5), cellsOf("a", 1), Alone, 0},
		{"neither has it", cellsOf("b", never, never), cellsOf("a", never, never), Never, 0},
		{"five that never have it", cellsOf("b", never, never, never, never, never), cellsOf("a", one[:5]...), Cannot, 6},
		{"six that never have it", cellsOf("b", never, never, never, never, never, never), cellsOf("a", one...), Later, 0},
		{"seeds of both orders, one without a time", cellsOf("b", 0.5, never), cellsOf("a", 1, 1), Cannot, 0},
		{"diverged", gone, cellsOf("a", 1, 1), Diverged, 0},
		{"beside one that diverged", cellsOf("a", 1, 1), gone, Unpaired, 0},
	} {
		if r := judged(t, c.ours, c.theirs); r.Finding != c.want || r.Decide != c.decide {
			t.Errorf("%s: %s, %d seeds decide, want %s and %d", c.name, r.Finding, r.Decide, c.want, c.decide)
		}
	}
}

// Timing-only runs are compared by the time of 1,000 gradients, so that updates that hold several count for as many.
func TestTimingOnly(t *testing.T) {
	p := small(t, func(_ Point, c *train.Config) { c.TimingOnly, c.TargetAccuracy, c.Data, c.EvalImages = true, 0, "", 0 })
	cells := oktest.Must(Run(context.Background(), exp.Env{Engine: engine()}, p, nil))(t)
	for _, r := range p.Rows(cells) {
		c := r.Cells[0]
		if got, want := r.Times[0].At, 1000*c.Seconds/float64(c.Pushes); got != want || c.Pushes != 60 || r.Times[0].Beyond {
			t.Errorf("%s: %v s for 1,000 gradients, want %v", r.Method, got, want)
		}
		if want := map[string]int64{"asp": 60, "bsp": 20, "ring": 20}[r.Method]; c.Updates != want {
			t.Errorf("%s: %d updates of 60 gradients, want %d", r.Method, c.Updates, want)
		}
	}
	if r := p.Result(p.Rows(cells)); r.Frame("curves") != nil || r.Kind != result.TimingOnly {
		t.Error("a comparison without training has curves")
	}
}

// The stretches of every rank begin where the one before ends. The first seed has them, whichever seed that is and whatever
// was kept of it before; another seed is another run.
func TestTimeLines(t *testing.T) {
	oktest.Slow(t)
	p, env := small(t, nil), exp.Env{Engine: engine(), Memo: memo{}}
	cells, err := Run(context.Background(), env, p, nil)
	oktest.Nil(t, err)
	for _, m := range p.Methods {
		ranks := map[int]float64{}
		for _, s := range cells[Point{m, 0}][0].Line {
			if s.To <= s.From || s.From < ranks[s.Worker] {
				t.Errorf("%s, rank %d: %s from %v to %v ms, after one that ends at %v", m, s.Worker, s.State, s.From, s.To, ranks[s.Worker])
			}
			ranks[s.Worker] = s.To
		}
		if len(ranks) != 3 {
			t.Errorf("%s: a time line of %d ranks, want 3", m, len(ranks))
		}
		if line := cells[Point{m, 0}][1].Line; line != nil {
			t.Errorf("%s: the second seed has a time line", m)
		}
		if same(cells[Point{m, 0}][:1], cells[Point{m, 0}][1:]) {
			t.Errorf("%s: two seeds are one run", m)
		}
	}
	p.Seeds = p.Seeds[1:]
	if cells, err = Run(context.Background(), env, p, nil); err != nil || cells[Point{"asp", 0}][0].Line == nil {
		t.Errorf("the only seed has no time line: %v", err)
	}
}

// A single method is compared with itself at the first value, several with the first one at each value.
func TestReference(t *testing.T) {
	p := small(t, func(_ Point, c *train.Config) { c.TargetAccuracy = 0.75 })
	p.Axis, p.Values, p.Seeds = "batch", []any{16.0, 32.0}, []uint64{0, 1, 2}
	for _, m := range p.Methods {
		p.Configs[Point{m, 1}] = p.Configs[Point{m, 0}]
	}
	cells := Cells{{"asp", 0}: cellsOf("a", 1, 1, 1), {"asp", 1}: cellsOf("b", 2, 2.01, 2.02), {"bsp", 0}: cellsOf("c", 2, 2.01, 2.02),
		{"bsp", 1}: cellsOf("d", 1, 1.01, 1.02)}
	findings := func(methods ...string) (out []string) {
		p.Methods = methods
		for _, r := range p.Rows(cells) {
			out = append(out, r.Method+" "+r.Finding)
		}
		return out
	}
	if got, want := findings("asp", "bsp"), []string{"asp reference", "bsp later", "asp reference", "bsp sooner"}; !slices.Equal(got, want) {
		t.Errorf("two methods: %v, want %v", got, want)
	}
	if got, want := findings("asp"), []string{"asp reference", "asp later"}; !slices.Equal(got, want) {
		t.Errorf("one method: %v, want %v", got, want)
	}
	oktest.Nil(t, p.Check())
}

// A page says on how many images runs were evaluated, no more than there are, and no memory where none limits.
func TestWhatIsNotThereIsNotShown(t *testing.T) {
	p := small(t, func(_ Point, c *train.Config) {
		c.Platform = c.Platform.WithHosts(func(h *cluster.Host, _ bool) { h.Memory = 0 })
	})
	rows := []Row{{Cells: []Cell{{Data: &result.Data{Test: 12}}}}}
	if got := p.EvaluationImages(rows); got != 12 {
		t.Errorf("evaluated on %d of 12 images", got)
	}
	if got := p.EvaluationImages(nil); got != 40 {
		t.Errorf("evaluated on %d images, 40 were asked for", got)
	}
	hosts := p.hostsFrame()
	at := slices.IndexFunc(hosts.Columns, func(c result.Column) bool { return c.Key == "memory" })
	if hosts.Rows[0][at] != nil {
		t.Errorf("memory of %v where none limits", hosts.Rows[0][at])
	}
}
