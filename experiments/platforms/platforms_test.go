package platforms

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/shared/cluster"
)

// Every embedded platform is valid, is named as its file and gives a reason for
// every value.
func TestEveryValueHasAReason(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Name != name || p.Note == "" {
			t.Errorf("file %s holds platform %q, note %q", name, p.Name, p.Note)
		}
		hosts := p.Workers
		if p.Server != nil {
			hosts = append(hosts, *p.Server)
			reasons(t, name, p.Assumed, map[string]bool{"decision": p.Decision != 0})
		}
		for _, h := range hosts {
			reasons(t, name+" "+h.Name, h.Assumed, map[string]bool{"flops": true, "bandwidth": true,
				"memory": h.Memory != 0, "jitter": h.Jitter != 0, "latency": h.Latency != 0, "overhead": h.Overhead != 0})
		}
	}
}

func reasons(t *testing.T, what string, assumed []cluster.Assumption, want map[string]bool) {
	t.Helper()
	for _, a := range assumed {
		if a.Why == "" || a.Confidence == "" {
			t.Errorf("%s: %s has no reason or no confidence", what, a.Field)
		}
		delete(want, a.Field)
	}
	for field, set := range want {
		if set {
			t.Errorf("%s: %s has no reason", what, field)
		}
	}
}

// The design fixes the heterogeneous cluster's time factors.
func TestTimeFactors(t *testing.T) {
	p, err := Load("heterogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1.2, 1.4, 1.6, 1.9, 3.6} {
		if got := p.Workers[0].FLOPS / p.Workers[i].FLOPS; math.Abs(got-want) > 1e-3*want {
			t.Errorf("%s is %g times slower than %s, want %g", p.Workers[i].Name, got, p.Workers[0].Name, want)
		}
	}
}

// DSSP's clusters: the two cards' FP32 peaks are 11.3 and 4.4 TFLOP/s; four
// machines hold 16 cards, share their links among four cards each, and are one
// server of four times a machine.
func TestDSSPClusters(t *testing.T) {
	pair, err := Load("dssp2")
	if err != nil {
		t.Fatal(err)
	}
	if f := pair.Workers[0].FLOPS / pair.Workers[1].FLOPS; len(pair.Workers) != 2 || math.Abs(f-11.3/4.4) > 1e-9 {
		t.Errorf("dssp2 has %d workers, time factor %g, want 2 and 11.3/4.4", len(pair.Workers), f)
	}
	p, err := Load("dssp16")
	if err != nil {
		t.Fatal(err)
	}
	homo, _ := Load("homogeneous6")
	const link = 100e9 / 8 // bytes per second
	if len(p.Workers) != 16 || p.Server.Bandwidth != 4*link || p.Server.Memory != 4*homo.Server.Memory || p.Server.FLOPS != 4*homo.Server.FLOPS {
		t.Errorf("dssp16: %d workers, server %+v", len(p.Workers), p.Server)
	}
	for _, w := range p.Workers {
		if w.FLOPS != homo.Workers[0].FLOPS || w.Memory != homo.Workers[0].Memory || w.Bandwidth != link/4 {
			t.Errorf("dssp16: %+v is no card of homogeneous6 on a quarter of a link", w)
		}
	}
}

func TestLoad(t *testing.T) {
	for name, want := range map[string]string{"moon": "heterogeneous6, homogeneous10", "./moon.json": "no file", "platforms_test.go": "JSON"} {
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%s) = %v, want an error with %q", name, err, want)
		}
	}
	base, err := Load("homogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.json")
	base.Name = "mine"
	if err := os.WriteFile(file, cluster.Marshal(base), 0o644); err != nil {
		t.Fatal(err)
	}
	if p, err := Load(file); err != nil || p.Name != "mine" || len(p.Workers) != 6 {
		t.Errorf("Load(file) = %+v, %v", p, err)
	}
	if p, err := Homogeneous(13); err != nil || len(p.Workers) != 13 || p.Workers[12].FLOPS != base.Workers[0].FLOPS || p.Decision != base.Decision {
		t.Errorf("Homogeneous(13) = %+v, %v", p, err)
	}
}

func TestSweep(t *testing.T) {
	for reference, sets := range map[string]int{"homogeneous6": 3, "heterogeneous6": 3, "homogeneous10": 1} {
		variants, err := Sweep(reference)
		if err != nil || len(variants) != sets*len(Links) {
			t.Errorf("Sweep(%s) has %d platforms (%v), want %d sets of workers on %d links", reference, len(variants), err, sets, len(Links))
			continue
		}
		seen, itself := map[string]bool{}, 0
		base, _ := Load(reference)
		for _, v := range variants {
			if err := v.Platform.Validate(); err != nil || seen[v.Name] || len(v.Platform.Workers) != len(base.Workers) {
				t.Errorf("%s: %v, or named twice", v.Name, err)
			}
			seen[v.Name] = true
			if v.Workers == reference && v.Platform.Server.Bandwidth == base.Server.Bandwidth {
				itself++
			}
		}
		if itself != 1 {
			t.Errorf("Sweep(%s) contains the reference %d times, want once", reference, itself)
		}
	}
}
