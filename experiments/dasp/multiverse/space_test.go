package multiverse

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// bare returns p's numbers alone.
func bare(p *cluster.Platform) *cluster.Platform {
	q := p.WithHosts(func(h *cluster.Host, _ bool) { h.Assumed, h.Name = nil, "" })
	q.Name, q.Note, q.Assumed = "", "", nil
	return q
}

// The standing reading is the set-up of every other table, platforms and options.
func TestStandingIsTheTables(t *testing.T) {
	for _, name := range clusters {
		if got, want := bare(standing.platform(name)), bare(setup.Load(name)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	want := setup.Options()
	want.Wait, want.Duration, want.FSS, want.Gap, want.Arrivals, want.Grants = "difference", "compute", "recheck", "pre", "apart", "capped"
	if got := standing.options(); !reflect.DeepEqual(*got, want) {
		t.Errorf("options %+v, want %+v", *got, want)
	}
	cfg := standing.config(setup.Load(setup.Homogeneous), "dasp", "lenet5", 0, efforts["standard"])
	if cfg.Overhead != train.DefaultOverhead || cfg.Batch != setup.FullBatch || cfg.MaxPushes != setup.Workers*setup.PerWorker ||
		cfg.Warmup != setup.Warmup || cfg.Host != train.HostScaled {
		t.Errorf("configuration %+v", cfg)
	}
}

// The reference's files, batch and cost are the reading that they stand for.
func TestReferenceIsTheReading(t *testing.T) {
	for _, name := range clusters {
		if got, want := bare(inTheMiddle.platform(name)), bare(setup.Load(setup.ReferenceOf(name))); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		e := efforts["standard"]
		got, want := inTheMiddle.config(setup.Load(name), "dssp", "lenet5", 7, e), setup.OnReference(name, "dssp", "lenet5", 7)
		if got.Batch != want.Batch || got.Overhead != want.Overhead || got.MaxPushes != want.MaxPushes || got.Seed != want.Seed {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if laboratory := design(platformAxes, true, efforts["standard"].Platforms); !reflect.DeepEqual(laboratory[99], inTheMiddle) {
		t.Errorf("platform 100 is %v, want %v", laboratory[99], inTheMiddle)
	}
}

// The committed second block of standard still has that reading in the middle: else Tables 4 to 7 stand
// on a platform that the rule does not choose.
func TestReferenceIsTheMedoid(t *testing.T) {
	r, err := result.Read(filepath.Join("..", "..", "results", "dasp", "standard", "multiverse.json"))
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]any{}
	for _, f := range r.Facts {
		facts[f.Key] = f.Value
	}
	if facts["medoid_chosen"] != true || facts["medoid"] != 100.0 {
		t.Errorf("the medoid is platform %v, the reference: %v", facts["medoid"], facts["medoid_chosen"])
	}
}

// Every level sets what it says, and all of them are good.
func TestLevels(t *testing.T) {
	r := readingOf("link-25 shards-6 batch-128 host-10 host-fixed server-slow noise-20 cards-two-kinds equal-v100 " +
		"s-1-3 alpha-1 wait-oldest f-iteration fss-literal gap-post-shifted arrivals-join dssp-printed ssp-6 adjust-10 mean-push")
	p := r.platform(setup.Homogeneous)
	if p.Workers[5].FLOPS != train.ReferenceFLOPS || p.Workers[5].Bandwidth != 25e9/8 || p.Server.Bandwidth != 6*25e9/8 || p.Workers[5].Jitter != 0.2 ||
		p.Decision != time.Millisecond || p.Server.Memory != 4e9 || p.Server.Jitter != 0 {
		t.Errorf("platform %+v", p)
	}
	if q := r.platform(setup.Heterogeneous); q.Workers[0].FLOPS != setup.Load("mixed6").Workers[0].FLOPS || q.Workers[5].Bandwidth != 25e9/8 {
		t.Errorf("unequal workers %+v", q.Workers)
	}
	want := setup.Options()
	want.Smin, want.Smax, want.Alpha, want.Wait, want.Duration, want.FSS = 6, 8, 1, "oldest", "iteration", "literal"
	want.Gap, want.Arrivals, want.Grants = "post", "join", "printed"
	want.Staleness, want.Lower, want.Upper, want.Adjustment = 6, 6, 18, 10*time.Millisecond
	if o := r.options(); !reflect.DeepEqual(*o, want) {
		t.Errorf("options %+v, want %+v", *o, want)
	}
	cfg := r.config(p, "dasp", "resnet18", 3, efforts["quick"])
	if cfg.Batch != 128 || cfg.Overhead != 10*time.Millisecond || cfg.Host != train.HostFixed || cfg.Launch != train.DefaultLaunch || cfg.Seed != 3 {
		t.Errorf("configuration %+v", cfg)
	}
	for _, x := range axes {
		for _, l := range x.Levels {
			r := standing.with(x.Key, l.Key)
			if _, err := r.options().Config(); err != nil {
				t.Errorf("%s: %v", l.Key, err)
			}
			for _, name := range clusters {
				if err := r.platform(name).Validate(); err != nil {
					t.Errorf("%s: %v", l.Key, err)
				}
			}
		}
	}
}

// The mean iteration time by every level of its axis, from a made set of times.
func TestMeans(t *testing.T) {
	times := dasp.IterationTime{PerWorker: 1, PerPush: 2, PerUpdate: 3, ByWorker: []float64{4, 5, 6}}
	want := map[string]float64{"mean-worker": 1, "mean-push": 2, "mean-update": 3, "mean-fastest": 4}
	levels := axes[slices.IndexFunc(axes, func(x axis) bool { return x.Key == "mean" })].Levels
	if len(levels) != len(want) {
		t.Errorf("%d levels, want %d", len(levels), len(want))
	}
	for _, l := range levels {
		if got := standing.with("mean", l.Key).mean(times); got != want[l.Key] {
			t.Errorf("%s: %g s, want %g", l.Key, got, want[l.Key])
		}
	}
}

// A part is named by all that a reading's numbers rest on: levels, seeds, length and base; not by how
// many readings there are.
func TestPart(t *testing.T) {
	name := func(r reading, e effort) string { return kit.Must(kit.PartName(kit.Bits, measured{}, r.part(e))) }
	e := efforts["quick"]
	first := name(standing, e)
	more := e
	more.Readings, more.Platforms, more.Resamples = 1, 1, 1
	if name(standing, more) != first {
		t.Error("the number of readings is in a part's name")
	}
	for what, other := range map[string]string{"level": name(standing.with("wait", "wait-convex"), e), "effort": name(standing, efforts["ci"])} {
		if other == first {
			t.Errorf("another %s has the same name", what)
		}
	}
	for _, key := range []string{"options", "launch", "platforms", "bursts"} {
		if base()[key] == nil {
			t.Errorf("base lacks %s", key)
		}
	}
}

// with returns r with another level on one axis.
func (r reading) with(axisKey, key string) reading {
	out := slices.Clone(r)
	for a, x := range axes {
		if x.Key == axisKey {
			out[a] = slices.IndexFunc(x.Levels, func(l level) bool { return l.Key == key })
		}
	}
	return out
}

// Bursts end before the next begins, differ by worker and seed, and do not depend on how long the
// run is.
func TestBursts(t *testing.T) {
	all, short := bursts(6, 0.1, 100, 3), bursts(6, 0.1, 50, 3)
	for w, phases := range all {
		for i := 0; i+1 < len(phases); i += 2 {
			length := (phases[i+1].At - phases[i].At).Seconds()
			if phases[i].Factor != burstFactor || phases[i+1].Factor != 1 || length < 0.5 || length > 1.5 ||
				i > 0 && (phases[i].At-phases[i-1].At).Seconds() < 2.5 {
				t.Fatalf("worker %d, burst %d: %v", w, i/2, phases[i:i+2])
			}
		}
		if len(phases) < 10 || !reflect.DeepEqual(phases[:len(short[w])], short[w]) {
			t.Errorf("worker %d: %d phases, %d of a shorter run", w, len(phases), len(short[w]))
		}
	}
	if reflect.DeepEqual(all[0], all[1]) || reflect.DeepEqual(all[0], bursts(1, 0.1, 100, 4)[0]) {
		t.Error("workers or seeds have the same bursts")
	}
}

// A reading measured is what the tables' own runs take: DASP on the standing platform does what ASP
// does with ResNet-18, and less than BSP's time.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	e := effort{Seeds: 2, PerWorker: 30, Warmup: 5}
	m, err := measure(t.Context(), standing, e)
	if err != nil {
		t.Fatal(err)
	}
	cfg := setup.Timing(setup.Load(setup.Heterogeneous), "dssp", "vgg19_bn", 1)
	cfg.MaxPushes, cfg.Warmup = 180, 5
	o, err := train.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Times[1][2][3][1]; got != o.Iteration.PerWorker {
		t.Errorf("DSSP, VGG-19-BN, seed 1: %g s, want %g", got, o.Iteration.PerWorker)
	}
	if !m.Same[0][1][asp] || m.Same[0][1][0] || m.filter().Equal {
		t.Errorf("on the 10 Gb/s platform DASP is ASP: %+v", m.Same[0][1])
	}
	again, err := measure(t.Context(), standing.with("adjustment", "adjust-10"), e)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Times[0][1], m.Times[0][1]) || !again.Same[0][1][asp] {
		t.Error("a cost of adjusting states changes a run that never leaves QIS")
	}
	if slow, free := kit.Sample(again.Times[1][0][own]).Mean().Value, kit.Sample(m.Times[1][0][own]).Mean().Value; slow <= free {
		t.Errorf("LeNet-5, which waits: %g s with a cost of adjusting states, %g s without", slow, free)
	}
	for key, level := range map[string]string{"noise": burstsLevel, "host-speed": "host-fixed"} {
		x, err := measure(t.Context(), standing.with(key, level), e)
		if err != nil {
			t.Fatal(err)
		}
		// BSP waits for the slowest: a burst makes it later, a host cost that does not grow with the card's slowness sooner.
		ratio := kit.Sample(x.Times[1][0][0]).Over(m.Times[1][0][0]).Value
		if bursts := level == burstsLevel; bursts && ratio < 1.05 || !bursts && ratio > 0.9 {
			t.Errorf("%s: BSP with LeNet-5 takes %g of the undisturbed time", level, ratio)
		}
	}
}
