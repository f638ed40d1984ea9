package multiverse

import (
	"reflect"
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
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

// Every level changes what it says, and all of them are good.
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
	o := r.options()
	if o.Smin != 6 || o.Smax != 8 || o.Alpha != 1 || o.Staleness != 6 || o.Lower != 6 || o.Upper != 18 || o.Adjustment != 10*time.Millisecond || o.Gap != "post" {
		t.Errorf("options %+v", o)
	}
	for _, x := range axes {
		for l := range x.Levels {
			r := append(reading(nil), standing...)
			for a := range axes {
				if axes[a].Key == x.Key {
					r[a] = l
				}
			}
			if _, err := r.options().Config(); err != nil {
				t.Errorf("%s: %v", x.Levels[l].Key, err)
			}
			for _, name := range clusters {
				if err := r.platform(name).Validate(); err != nil {
					t.Errorf("%s: %v", x.Levels[l].Key, err)
				}
			}
		}
	}
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
	if !m.Same[0][1][asp] || !m.Does[0][1][asp] || m.Same[0][1][0] || m.filter().Equal {
		t.Errorf("on the 10 Gb/s platform DASP is ASP: %+v", m.Same[0][1])
	}
	r := append(reading(nil), standing...)
	r[18] = 1 // a cost of adjusting states: another run that decides the same
	again, err := measure(t.Context(), r, e)
	if err != nil {
		t.Fatal(err)
	}
	if again.Same[0][1][asp] || !again.Does[0][1][asp] || kit.Sample(again.Times[0][0][own]).Mean().Value <= kit.Sample(m.Times[0][0][own]).Mean().Value {
		t.Errorf("with a cost of adjusting states: same %v, does %v", again.Same[0][1], again.Does[0][1])
	}
}
