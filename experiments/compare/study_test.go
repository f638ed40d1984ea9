package compare

import (
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// study of hand-made cells: each method its own round and one curve.
func handStudy(rounds map[string]float64) *study {
	st := &study{Set: equalSet, Size: sizeOf("ci"), Target: 0.5, Seeds: []uint64{0, 1}, Grounds: groundsOf(equalSet), Cells: map[string][]cell{}, Data: &result.Data{Name: "none"}}
	for _, g := range st.Grounds {
		for _, m := range methods() {
			for s := range st.Seeds {
				at := rounds[m.Key]
				if at == 0 {
					at = 1
				}
				at *= 1 + 0.01*float64(s)
				st.Cells[key(g, m.Key)] = append(st.Cells[key(g, m.Key)], cell{Round: at, Own: 60, Sent: 1e6, Delivered: 1e6,
					Curve: []train.Point{{Pushes: 60, Updates: 10, Seconds: 10 * at, Accuracy: 0.5}}})
			}
		}
	}
	return st
}

func TestStudyNotes(t *testing.T) {
	st := handStudy(map[string]float64{"ring": 0.5, "bsp": 2})
	n := st.leadNote(st.Grounds[0])
	if !strings.Contains(n, "first to 50 % is ring, 5.03 s, 0.25 of BSP's time [0.25, 0.25]") || !strings.Contains(n, "every other method takes longer") || !strings.Contains(n, "The shortest round: ring, 502.5 ms") {
		t.Error(n)
	}
	if costVerdict(0, 0) != "One seed has no interval: no cost is shown." || !strings.HasPrefix(costVerdict(2, 8), "2 of 8") || !strings.HasPrefix(st.stepsNote(), "What staleness") || !strings.Contains(st.stepsNote(), "no cost can be shown") {
		t.Error(st.stepsNote())
	}
	for _, g := range st.Grounds {
		for s := range st.Seeds { // twice BSP's samples in both seeds
			st.Cells[key(g, "dasp")][s].Curve = slices.Clone(st.Cells[key(g, "dasp")][s].Curve)
			st.Cells[key(g, "dasp")][s].Curve[0].Pushes = 120
			st.Cells[key(g, "ssp")][s].Curve = slices.Clone(st.Cells[key(g, "ssp")][s].Curve)
			st.Cells[key(g, "ssp")][s].Curve[0].Pushes = int64(30 + 210*s) // half and four times
		}
	}
	if n := st.stepsNote(); !strings.Contains(n, "DASP 2.00 [2.00, 2.00]") || !strings.HasSuffix(n, "2 of 8 intervals lie above 1: there staleness costs samples.") {
		t.Error(n)
	}
	st.Cells[key(st.Grounds[0], "asp")][0].Curve[0].Seconds = 1 // one seed is fast, the other is not
	if n := st.leadNote(st.Grounds[0]); !strings.Contains(n, "it cannot be told from ASP") && !strings.Contains(n, "first to 50 % is ASP") {
		t.Error(n)
	}
	for _, g := range st.Grounds {
		for k := range st.Cells {
			if strings.HasPrefix(k, g.link()+"/") {
				st.Cells[k] = slices.Clone(st.Cells[k])
				st.Cells[k][1].Curve = nil
			}
		}
	}
	if n := st.leadNote(st.Grounds[0]); !strings.Contains(n, "no method reaches 50 % in every seed") {
		t.Error(n)
	}
	if !strings.Contains(st.stepsNote(), "cannot be said") || !strings.Contains(st.missing(), "BSP at 10 Gb/s") {
		t.Error(st.stepsNote(), st.missing())
	}
}

// One straggler and a spread, by hand from the P100 of the reference.
func TestSweepPlatforms(t *testing.T) {
	equal := point{"mlp", equalWorkers, 10, 4}.platform().Workers
	slow := point{"mlp", straggler, 10, 4}.platform().Workers
	wide := point{"mlp", spread, 10, 4}.platform().Workers
	if q := equal[3].FLOPS / slow[3].FLOPS; q < 5.999 || q > 6.001 || slow[2].FLOPS != equal[2].FLOPS {
		t.Errorf("the straggler is %g times slower", q)
	}
	if q := equal[3].FLOPS / wide[3].FLOPS; q < 3.599 || q > 3.601 || wide[0].FLOPS != equal[0].FLOPS {
		t.Errorf("the slowest of a spread is %g times slower", q)
	}
	if equal[0].Bandwidth != 1.25e9 || equal[0].Jitter != 0 {
		t.Errorf("%+v", equal[0])
	}
}

// One worker alone does the arithmetic of all: N times a round's, and no messages.
func TestAlone(t *testing.T) {
	s := planSweep("ci")
	at := func(n int, gbps float64) float64 {
		l := lap{Point: point{"mlp", equalWorkers, gbps, n}, Method: alone}
		if err := s.run(t.Context(), &l); err != nil {
			t.Fatal(err)
		}
		return l.Round
	}
	if at(4, 1) != at(4, 100) {
		t.Error("one worker alone feels the link")
	}
	if a, b := at(4, 1), at(8, 1); b <= a {
		t.Errorf("more samples take no longer: %g and %g", a, b)
	}
}

// The whole of a study and of the guide, in profile ci.
func TestExperimentsRun(t *testing.T) {
	shared := memo{}
	for _, e := range Experiments()[1:] {
		r := runWith(t, e, fastEngine(), shared)
		if r.Data == nil || r.Engine == "" || len(r.Figures) < 2 {
			t.Errorf("%s: data %v, engine %q, %d figures", e.ID, r.Data, r.Engine, len(r.Figures))
		}
	}
}
