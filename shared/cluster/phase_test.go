package cluster

import (
	"math"
	"strings"
	"testing"
	"time"
)

// slowed takes 5 times as long from 2 s to 4 s, half as long from 10 s on.
var slowed = Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e9, Slow: []Phase{{2 * time.Second, 5}, {4 * time.Second, 1}, {10 * time.Second, 0.5}}}

// By hand: a stretch of 2 s at a factor of 5 does 0.4 s of work.
func TestLastsIntegratesOverPhases(t *testing.T) {
	for _, c := range []struct {
		name                string
		from, seconds, want float64
	}{
		{"before the first", 0, 1.5, 1.5},
		{"up to the first", 1, 1, 1},
		{"across one change", 1, 1.2, 1 + 0.2*5},
		{"from a change on", 2, 0.3, 1.5},
		{"within a phase", 3, 0.1, 0.5},
		{"across two changes", 1, 2, 1 + 2 + 0.6},   // 1 s, 0.4 s and 0.6 s of work
		{"across three", 1, 8.4, 1 + 2 + 6 + 0.5},   // 1 + 0.4 + 6 + 1
		{"from the last end", 4, 6, 6},              // ends as the next begins
		{"after the last", 20, 8, 4},                // for ever after
		{"no work", 3, 0, 0},                        // lasts no time in any phase
		{"from between two", 3.5, 1.1, 0.5 + 1},     // 0.1 and 1 of work
		{"a long way past", 0, 1000, 10 + 991.6*.5}, // 2 + 0.4 + 6 done before 10 s
	} {
		if got := slowed.Lasts(c.from, c.seconds); math.Abs(got-c.want) > 1e-12*max(c.want, 1) {
			t.Errorf("%s: Lasts(%g, %g) = %.15g, want %.15g", c.name, c.from, c.seconds, got, c.want)
		}
	}
	plain := Host{FLOPS: 1e9, Bandwidth: 1e9}
	if got := plain.Lasts(1.0/3, 0.1); got != 0.1 {
		t.Errorf("without phases: %v, want 0.1 to the last bit", got)
	}
}

// Two computations in a row last as long as one of both: nothing is lost or counted twice at a change, wherever the cut
// falls. More work never ends sooner, to the last bit.
func TestLastsIsAdditiveAndMonotone(t *testing.T) {
	r := Stream(7, 0, "", "phases")
	for range 2000 {
		h := Host{}
		for at := 0.0; len(h.Slow) < 8; {
			at += 0.01 + r.Float64()
			h.Slow = append(h.Slow, Phase{time.Duration(at * 1e9), 0.1 + 5*r.Float64()})
		}
		from, a, b := 4*r.Float64(), 3*r.Float64(), 3*r.Float64()
		first := h.Lasts(from, a)
		if whole, parts := h.Lasts(from, a+b), first+h.Lasts(from+first, b); math.Abs(whole-parts) > 1e-9 {
			t.Fatalf("%v: from %g, %g and %g s of work last %.12g together, %.12g one by one", h.Slow, from, a, b, whole, parts)
		}
		if more := h.Lasts(from, math.Nextafter(a, 10)); more < first {
			t.Fatalf("%v: from %g, %g s of work last %g, an ulp more %g", h.Slow, from, a, first, more)
		}
	}
}

func TestValidateNamesABadPhase(t *testing.T) {
	for want, phases := range map[string][]Phase{
		"worker 1: slow 0: at = -1s is negative":                   {{-time.Second, 2}},
		"worker 1: slow 1: at = 1s, want later than 1s before it":  {{time.Second, 2}, {time.Second, 1}},
		"worker 1: slow 2: at = 1s, want later than 2s before it":  {{0, 2}, {2 * time.Second, 1}, {time.Second, 3}},
		"worker 1: slow 0: factor = 0, want > 0":                   {{0, 0}},
		"worker 1: slow 0: factor = -1, want > 0":                  {{0, -1}},
		"worker 1: slow 0: factor = NaN, want > 0":                 {{0, math.NaN()}},
		"worker 1: slow 1: factor = +Inf, want > 0":                {{0, 1}, {1, math.Inf(1)}},
		"platform \"uniform2\": worker 1: slow 0: factor = -Inf, ": {{0, math.Inf(-1)}},
	} {
		p := Uniform(2, Host{Name: "w", FLOPS: 1, Bandwidth: 1}, nil)
		p.Workers[1].Slow = phases
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", phases, err, want)
		}
	}
	must(t, Uniform(2, slowed, &slowed).Validate())
}

// A copy's phases are its own, the server's too, and a platform without phases is written as it always was.
func TestPhasesAreCopiedAndWrittenOnlyWhereTheyAre(t *testing.T) {
	p := Uniform(2, slowed, &slowed)
	c := p.Clone()
	for _, h := range []*Host{&c.Workers[0], c.Server} {
		h.Slow[0].Factor = 9
	}
	u := Uniform(1, slowed, &slowed)
	u.Workers[0].Slow[1].Factor, u.Server.Slow[1].Factor = 9, 9
	for i, h := range p.Hosts(true) {
		if h.Slow[0].Factor != 5 || h.Slow[1].Factor != 1 {
			t.Errorf("host %d changed with a copy: %v", i, h.Slow)
		}
	}
	if slowed.Slow[1].Factor != 1 {
		t.Error("Uniform shares its hosts' phases")
	}
	if text := string(Marshal(p)); !strings.Contains(text, `"at": "2 s"`) || !strings.Contains(text, `"factor": "5"`) {
		t.Errorf("phases are not written:\n%s", text)
	}
	for i := range p.Workers {
		p.Workers[i].Slow = nil
	}
	p.Server.Slow = []Phase{}
	if text := string(Marshal(p)); strings.Contains(text, "slow") {
		t.Errorf("no phases, and yet:\n%s", text)
	}
}
