package scaling

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/internal/oktest"
)

// fake returns one depth at every link with the same seconds by mode at N = 1 and 8.
func fake(depth int, at8 ...float64) (out []timing) {
	for _, g := range setup.Links {
		for _, n := range []int{1, 8} {
			s := timing{Depth: depth, Gbps: g, Nodes: n, Single: 9, Seconds: make([]float64, len(modes))}
			for m := range s.Seconds {
				if s.Seconds[m] = 9; n == 8 {
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

func scalesOf(depths []int, all ...[]timing) *timings {
	return &timings{plan: scalePlan{Depths: depths, Nodes: []int{1, 8}, Least: 0.9}, all: slices.Concat(all...)}
}

// Speed-ups by hand: eight workers whose iteration is twice as long as one's do the
// work of four. Of the two densities the better counts, and every depth must hold.
func TestScalingVerdicts(t *testing.T) {
	depths := []int{4, 12}
	good := scalesOf(depths, fake(4, 18, 12, 20, 10), fake(12, 18, 12, 10, 20))
	if s := good.end(4, 10); s.speedup(densePlain) != 4 || s.efficiency(sparseTenth) != 0.9 {
		t.Errorf("%g and %g", s.speedup(densePlain), s.efficiency(sparseTenth))
	}
	v := good.judgeNearLinear()
	kittest.WantVerdict(t, v, claims.Holds, "P09-dense")
	if a := v.Reasons[1].Args; a["dense"] != 0.9 || a["tenth"] != 0.45 || v.Reasons[len(v.Reasons)-1].Args["speedup"] != 6. || len(v.Parts) != 3 {
		t.Errorf("%v", v.Reasons)
	}
	v = good.judgeAnyDepth()
	kittest.WantVerdict(t, v, claims.Holds, "P13-same")
	if a := v.Reasons[2].Args; a["layers"] != 4 || a["efficiency"] != 0.9 || a["n"] != 8 || a["mode"] != "ringsparse-10" || len(v.Parts) != 2 {
		t.Errorf("%v", v.Reasons)
	}
	bad := scalesOf(depths, fake(4, 18, 12, 20, 12), fake(12, 18, 12, 10, 20))
	kittest.WantVerdict(t, bad.judgeNearLinear(), claims.Holds, "P09")
	if v = bad.judgeAnyDepth(); *v.Parts[0].Holds || !*v.Parts[1].Holds || v.Parts[0].Value != 0.75 {
		t.Errorf("%v", v.Parts)
	}
	kittest.WantVerdict(t, v, claims.Differs, "P13-changes")
	same := scalesOf(depths, fake(4, 18, 12, 20, 18), fake(12, 18, 12, 18, 20))
	kittest.WantVerdict(t, same.judgeAnyDepth(), claims.Differs, "P13-same")
	kittest.WantVerdict(t, same.judgeAnyDepth(), claims.Differs, "P13-link")
	kittest.WantVerdict(t, scalesOf(depths, fake(4, 18, 12, 20, 10), fake(12, 18, 12, 11, 20)).judgeNearLinear(), claims.Differs, "P09")
}

// A mode is near linear if it is so at every depth and size.
func TestNearLinear(t *testing.T) {
	holds := func(s *timings) (out []string) {
		f := s.nearLinear()
		for _, row := range f.Rows {
			if row[2] == true {
				out = append(out, fmt.Sprint(row[0], " ", row[1]))
			}
		}
		return out
	}
	if got := holds(scalesOf([]int{4}, fake(4))); got != nil {
		t.Error(got)
	}
	if got := fmt.Sprint(holds(scalesOf([]int{4}, fake(4, 18, 10)))); got != "[dense 1 dense 10 dense 25]" {
		t.Error(got)
	}
	if got := holds(scalesOf([]int{4, 12}, fake(4, 18, 10), fake(12))); got != nil {
		t.Error(got)
	}
}

// What overlap and sparsity save, by hand.
func TestSaved(t *testing.T) {
	s := timing{Seconds: []float64{10, 7, 9, 5, 6, 5, 4}}
	if a, b, c := s.saved(); a != 3 || b != 4 || c != 5 {
		t.Errorf("%g, %g, %g, want 3, 4, 5", a, b, c)
	}
}

// The link that hides a layer of a stack is its dense bytes over its backward pass.
func TestNeededLink(t *testing.T) {
	backward := setup.Stack(1, 0.1).Layers[0].Backward.FLOP / 4.9e12
	if want := 2 * 31. / 32 * 4 * 1732 * 1733 / backward / 0.125e9; math.Abs(needed(32)-want) > 1e-9*want {
		t.Errorf("%g Gb/s, want %g", needed(32), want)
	}
}

// The dense ring without overlap, without jitter: computation, then exchanges of
// 2(N−1) steps each, in the platform's own terms.
func TestDensePlainIsComputationAndRing(t *testing.T) {
	w := setup.Stack(3, 1)
	l := oktest.Must(w.Run(t.Context(), setup.Case{Way: modes[densePlain].Way, Gbps: 10, Nodes: 8}))(t)
	one := oktest.Must(w.Run(t.Context(), setup.Case{Way: modes[densePlain].Way, Gbps: 10, Nodes: 1}))(t)
	block := 4 * 1732. * 1733 / 8
	// Per step: both latencies of 25 µs and the larger of both ends' overhead and bytes.
	want := 3 * 14 * (block/1.25e9 + 50e-6)
	if got := l.Seconds - one.Seconds; got < want || got > want*1.1 {
		t.Errorf("exchange takes %g s, want %g and overheads", got, want)
	}
}

func TestScalingRuns(t *testing.T) {
	r := kittest.RunCI(t, Experiment())
	if len(r.Claims) != 2 || len(r.Frame("efficiency").Rows) != 6*len(modes) || len(r.Figures) != 4 {
		t.Errorf("%d claims, %d rows, %d figures", len(r.Claims), len(r.Frame("efficiency").Rows), len(r.Figures))
	}
	for _, row := range r.Frame("rates").Rows { // 90 % of eight workers are 7.2
		if row[4] != (row[3].(float64) >= 7.2) {
			t.Errorf("near linear at measured rates: %v", row)
		}
	}
	if _, ok := r.Config.(map[string]any)["seeds"]; ok {
		t.Error("nothing is drawn, and yet there are seeds")
	}
}
