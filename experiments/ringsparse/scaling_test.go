package ringsparse

import (
	"math"
	"strings"
	"testing"

	"gradsync/experiments/claims"
)

// fake is one depth at every link with the same seconds by mode at N = 1 and 8.
func fake(depth int, at8 ...float64) (out []scaled) {
	for _, g := range links {
		for _, n := range []int{1, 8} {
			s := scaled{Depth: depth, Gbps: g, Nodes: n, Single: 9, Seconds: make([]float64, len(modes))}
			for m := range s.Seconds {
				s.Seconds[m] = 9
				if n == 8 {
					s.Seconds[m] = 36
				}
			}
			if n == 8 {
				copy(s.Seconds, at8)
			}
			out = append(out, s)
		}
	}
	return out
}

// Speed-ups by hand: eight workers whose iteration is twice as long as one's do the
// work of four. Of the two densities the better counts, and every depth must hold.
func TestScalingVerdicts(t *testing.T) {
	plan := scalePlan{Depths: []int{4, 12}, Nodes: []int{1, 8}, Least: 0.9}
	good := append(fake(4, 18, 12, 20, 10), fake(12, 18, 12, 10, 20)...)
	s := pick(good, 4, 10)[1]
	if s.speedup(densePlain) != 4 || s.efficiency(sparseTenth) != 0.9 {
		t.Errorf("%g and %g", s.speedup(densePlain), s.efficiency(sparseTenth))
	}
	wantVerdict(t, judgeNearLinear(plan, good), claims.SameSign, "efficiency 0.90 with dense gradients, 0.45 at density")
	wantVerdict(t, judgeNearLinear(plan, good), claims.SameSign, "does the work of 6.0 of 8 at 25 Gb/s")
	wantVerdict(t, judgeAnyDepth(plan, good), claims.SameSign, "4 layers: 0.900 at N = 8 (RingSparse, d = 10 %)")
	bad := append(fake(4, 18, 12, 20, 12), fake(12, 18, 12, 10, 20)...)
	wantVerdict(t, judgeNearLinear(plan, bad), claims.SameSign, "12 layers")
	wantVerdict(t, judgeAnyDepth(plan, bad), claims.Differs, "depth changes it, from 0.750 with 4 layers to 0.900 with 12")
	same := append(fake(4, 18, 12, 20, 18), fake(12, 18, 12, 18, 20)...)
	wantVerdict(t, judgeAnyDepth(plan, same), claims.Differs, "depth changes next to nothing, 0.500 with 4 layers and 0.500 with 12; what fails is the speed-up at 1 Gb/s")
	wantVerdict(t, judgeNearLinear(plan, append(good[:6], fake(12, 18, 12, 11, 20)...)), claims.Differs, "0.82")
}

// The first note names what is near linear, or says that nothing is.
func TestLinearNote(t *testing.T) {
	plan := scalePlan{Depths: []int{4}, Nodes: []int{1, 8}, Least: 0.9}
	if got := linearNote(plan, fake(4)); !strings.Contains(got, "holds nowhere") {
		t.Error(got)
	}
	if got := linearNote(plan, fake(4, 18, 10)); !strings.HasSuffix(got, "holds of: dense, overlap at 1 Gb/s and 10 Gb/s and 25 Gb/s; of nothing else.") {
		t.Error(got)
	}
}

// What overlap and sparsity save, by hand.
func TestSaved(t *testing.T) {
	s := scaled{Seconds: []float64{10, 7, 9, 5, 6, 5, 4}}
	if a, b, c := s.saved(); a != 3 || b != 4 || c != 5 {
		t.Errorf("%g, %g, %g, want 3, 4, 5", a, b, c)
	}
}

// The stacks: a layer of width 1732 has 1732·1733 parameters, 100 of them 300 million;
// the link that hides one is its dense bytes over its backward pass.
func TestStacks(t *testing.T) {
	w := newStack(100, 0.1)
	if w.params() != 100*1732*1733 || w.density() < 0.0999 || w.density() > 0.1001 {
		t.Errorf("%d parameters, density %g", w.params(), w.density())
	}
	backward := w.Layers[0].Backward.FLOP / 4.9e12
	if want := 2 * 31. / 32 * 4 * 1732 * 1733 / backward / 0.125e9; math.Abs(needed(32)-want) > 1e-9*want {
		t.Errorf("%g Gb/s, want %g", needed(32), want)
	}
}

// The dense ring without overlap, without jitter: computation, then exchanges of
// 2(N−1) steps each, in the platform's own terms.
func TestDensePlainIsComputationAndRing(t *testing.T) {
	w := newStack(3, 1)
	l, err := w.run(t.Context(), leg{way: modes[densePlain].Way, gbps: 10, nodes: 8})
	if err != nil {
		t.Fatal(err)
	}
	one, err := w.run(t.Context(), leg{way: modes[densePlain].Way, gbps: 10, nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	block := 4 * 1732. * 1733 / 8
	// Per step: both latencies of 25 µs and the larger of both ends' overhead and bytes.
	want := 3 * 14 * (block/1.25e9 + 50e-6)
	if got := l.Seconds - one.Seconds; got < want || got > want*1.1 {
		t.Errorf("exchange takes %g s, want %g and overheads", got, want)
	}
}

func TestScalingRuns(t *testing.T) {
	r := runProfile(t, scaling(), "ci", 0)
	if len(r.Claims) != 2 || len(r.Tables[0].Rows) != 6 || len(r.Figures) != 4 {
		t.Errorf("%d claims, %d rows, %d figures", len(r.Claims), len(r.Tables[0].Rows), len(r.Figures))
	}
}

// Near linear at measured rates, by hand: 90 % of eight workers are 7.2.
func TestRescaledNote(t *testing.T) {
	plan := scalePlan{Nodes: []int{1, 8}, Least: 0.9}
	list := []rescaled{{Gbps: 1, Assumed: []float64{1, 2, 3}, Measured: []float64{2, 3, 7.1}}}
	if s := rescaledNote(plan, list); !strings.Contains(s, "at 1 Gb/s RingSparse 3.0 (2.0), gradients alone 7.1 (3.0)") || !strings.HasSuffix(s, "Nothing becomes near linear by them.") {
		t.Error(s)
	}
	list[0].Measured[2] = 7.3
	if s := rescaledNote(plan, list); !strings.HasSuffix(s, "gradients alone, d = 10 % at 1 Gb/s.") {
		t.Error(s)
	}
}
