package rivals

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/papers/dasp"
)

// TestNew: every name makes a policy of that name at every size; an unknown one is an error that lists them.
func TestNew(t *testing.T) {
	for _, name := range Names() {
		for n := 1; n <= 9; n++ {
			if p, err := New(name, Defaults(n)); err != nil || p.Name() != name {
				t.Fatalf("%s for %d workers: %v, %v", name, n, p, err)
			}
		}
	}
	if _, err := New("bps", Defaults(3)); err == nil || !strings.Contains(err.Error(), "dssp") {
		t.Errorf("unknown method: %v", err)
	}
}

// TestBadOptions: one line that names the value.
func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		method, want string
		change       func(*Options)
	}{
		{"asp", "0 workers", func(o *Options) { o.Workers = 0 }},
		{"ssp", "-1", func(o *Options) { o.Staleness = -1 }},
		{"dssp", "[5, 4]", func(o *Options) { o.Lower, o.Upper = 5, 4 }},
		{"dssp", `grants "free"`, func(o *Options) { o.Grants = "free" }},
		{"asp", `weight "N"`, func(o *Options) { o.ASPWeight = "N" }},
		{"backup", "4 of 4", func(o *Options) { o.Backup = 4 }},
		{"gssp", "worker 1", func(o *Options) { o.Groups = [][]int{{0, 1}, {1, 2}} }},
		{"gssp", "2 workers of 4", func(o *Options) { o.Groups = [][]int{{0, 3}} }},
		{"dasp", `gap "mid"`, func(o *Options) { o.Gap = "mid" }},
		{"dasp", `FSS "strict"`, func(o *Options) { o.FSS = "strict" }},
		{"dasp", `arrivals "late"`, func(o *Options) { o.Arrivals = "late" }},
		{"dasp", `weight "2"`, func(o *Options) { o.QISWeight = "2" }},
		{"dasp", `weight "K"`, func(o *Options) { o.GroupWeight = "K" }},
		{"dasp", `duration f "wall"`, func(o *Options) { o.Duration = "wall" }},
		{"dasp", `form "x"`, func(o *Options) { o.Wait = "x" }},
		{"dasp", "Smax = 1", func(o *Options) { o.Smin, o.Smax = 2, 1 }},
	} {
		o := Defaults(4)
		c.change(&o)
		_, err := New(c.method, o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.method, err, c.want)
		}
	}
}

// TestDurationOption: the names select the readings; nothing said is the default.
func TestDurationOption(t *testing.T) {
	for name, want := range map[string]dasp.DurationForm{"": dasp.DurationCompute, "compute": dasp.DurationCompute, "iteration": dasp.DurationIteration} {
		if got, err := (Options{Duration: name}).F(); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", name, got, err, want)
		}
	}
}

// TestConfig: each named switch sets its field and nothing else.
func TestConfig(t *testing.T) {
	base, err := Defaults(6).Config()
	if err != nil || base != dasp.DefaultConfig(6) {
		t.Fatalf("defaults: %+v, %v, want %+v", base, err, dasp.DefaultConfig(6))
	}
	for _, c := range []struct {
		set  func(*Options)
		want func(*dasp.Config)
	}{
		{func(o *Options) { o.Gap = "post" }, func(c *dasp.Config) { c.PostUpdateGap = true }},
		{func(o *Options) { o.FSS = "literal" }, func(c *dasp.Config) { c.LiteralFSS = true }},
		{func(o *Options) { o.Arrivals = "join" }, func(c *dasp.Config) { c.Join = true }},
		{func(o *Options) { o.QISWeight = "1" }, func(c *dasp.Config) { c.QISWeight = dasp.ScaleGroup }},
		{func(o *Options) { o.GroupWeight = "1/N" }, func(c *dasp.Config) { c.GroupWeight = dasp.ScaleWorkers }},
		{func(o *Options) { o.Wait = "oldest" }, func(c *dasp.Config) { c.Wait = dasp.WaitOldest }},
	} {
		o, want := Defaults(6), base
		c.set(&o)
		c.want(&want)
		if got, err := o.Config(); err != nil || got != want {
			t.Errorf("%+v gives %+v, %v, want %+v", o, got, err, want)
		}
	}
}

// TestAdjustmentOf: DASP alone pays for adjusting states.
func TestAdjustmentOf(t *testing.T) {
	const adjust = 3 * time.Millisecond
	for _, name := range Names() {
		want := time.Duration(0)
		if name == "dasp" {
			want = adjust
		}
		if got := (Options{Adjustment: adjust}).AdjustmentOf(name); got != want {
			t.Errorf("adjusting states costs %s %v, want %v", name, got, want)
		}
	}
}

// TestGSSPHoldsAJoinerOfAGroupAhead: who comes back counts as the slowest clock, yet its group may be more than s ahead,
// and nobody of that is answered. Worker 0 is six pushes on, its neighbour 1 none, worker 2 one: with both the group's
// clock is 3, two ahead.
func TestGSSPHoldsAJoinerOfAGroupAhead(t *testing.T) {
	p, err := newGSSP(Options{Workers: 3, Staleness: 1, Groups: [][]int{{0, 1}, {2}}})
	if err != nil {
		t.Fatal(err)
	}
	answers := func(kind dasp.EventKind, w int) (who []int) {
		for _, a := range p.Step(dasp.Event{Kind: kind, Worker: w}) {
			if a.Kind == dasp.Reply {
				who = append(who, a.Workers...)
			}
		}
		return who
	}
	for i, e := range []struct {
		kind dasp.EventKind
		w    int
		want []int
	}{
		{dasp.EventPush, 0, []int{0}}, {dasp.EventPush, 0, []int{0}}, {dasp.EventPush, 0, []int{0}}, {dasp.EventPush, 0, nil},
		{dasp.EventPush, 2, []int{0, 2}}, {dasp.EventPush, 0, []int{0}}, {dasp.EventPush, 0, nil},
		{dasp.EventLeave, 1, nil}, {dasp.EventJoin, 1, nil}, {dasp.EventPush, 2, []int{0, 1, 2}},
	} {
		if got := answers(e.kind, e.w); !slices.Equal(got, e.want) {
			t.Errorf("event %d answers %v, want %v", i, got, e.want)
		}
	}
}
