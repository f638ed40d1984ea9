package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/tensor"
	_ "gradsync/shared/tensor/engine/asm"
)

// fastEngine is asm where the CPU has it: the tests that train ask for no bits.
func fastEngine() string {
	if _, err := tensor.Lookup("asm"); err == nil {
		return "asm"
	}
	return "portable"
}

// handMade is a guide of two points with every method at 10 ms, but for what set gives.
func handMade(set map[string]float64) *guide {
	plan := sweepPlan{Models: []string{"mlp", "lenet5"}, Sets: []string{equalWorkers}, Links: []float64{1}, Nodes: []int{4}, Densities: []float64{1, 0.01}}
	var laps []lap
	for _, l := range plan.laps() {
		l.Round = 0.010
		if t, ok := set[l.Method]; ok && l.Point.Model == "mlp" && l.Density == 1 {
			l.Round = t
		}
		laps = append(laps, l)
	}
	return newGuide(plan, laps)
}

func TestTally(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, "naive": 0.003, "cssgd": 0.001})
	c := g.tally(g.plan.points(), noMulticast, false)
	if c.Of != 2 || len(c.Wins) != 2 || c.Wins[0].Title != "ring" || c.Wins[0].Times != 1 {
		t.Fatalf("%+v", c)
	}
	if !strings.HasPrefix(c.Wins[1].Title, "BSP = ASP = SSP") { // all tie on the second network
		t.Errorf("%q", c.Wins[1].Title)
	}
	if len(c.Margins) != 1 || c.Margins[0] < 0.499 || c.Margins[0] > 0.501 {
		t.Errorf("margins %v, want half as long again", c.Margins)
	}
	if c.use() != "no one method" {
		t.Errorf("one of two: %s", c.use())
	}
	if c := g.tally(g.plan.points()[:1], anyMethod, false); c.words() != "CSSGD, r = 2 in 1 of 1 cases" || c.use() != "use CSSGD, r = 2" {
		t.Errorf("%s, %s", c.words(), c.use())
	}
	if (count{}).words() != "none" || (count{}).margin() != "" {
		t.Error("an empty count")
	}
}

// Methods within half a per cent tie, at more they do not.
func TestFirstOf(t *testing.T) {
	a, b := methodOf("bsp"), methodOf("ring")
	if name, second := firstOf([]rank{{a, 1}, {b, 1.004}}); name != "BSP = ring" || second != 2 {
		t.Errorf("%q, %d", name, second)
	}
	o := []rank{{a, 1}, {b, 1.02}}
	if name, second := firstOf(o); name != "BSP" || second != 1 {
		t.Errorf("%q, %d", name, second)
	}
	if s := best(o); s != "BSP, 1000 ms (ring +2 %)" {
		t.Errorf("%q", s)
	}
}

// A factor whose interval holds 1 is not counted, and without an interval neither.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		f    factor
		want float64
	}{
		{factor{1.4, &[2]float64{1.1, 1.8}}, 1.4}, {factor{1.4, &[2]float64{0.9, 2.2}}, 1}, {factor{0.7, &[2]float64{0.6, 0.8}}, 0.7}, {factor{1.4, nil}, 1},
	} {
		if got := c.f.counted(); got != c.want {
			t.Errorf("%+v counts %g, want %g", c.f, got, c.want)
		}
	}
	g := handMade(map[string]float64{"asp": 0.008})
	p := g.plan.points()[0]
	if _, ok := g.weighed(p, "asp"); ok {
		t.Error("no training said what ASP needs")
	}
	if c := g.tally(g.plan.points()[:1], ofServer, true); c.words() != "BSP in 1 of 1 cases" {
		t.Errorf("%s: methods without a factor do not compete", c.words())
	}
	g.factor[equalSet] = map[string]factor{"asp": {1.5, &[2]float64{1.2, 1.8}}}
	if w, ok := g.weighed(p, "asp"); !ok || w < 0.0119 || w > 0.0121 {
		t.Errorf("8 ms by 1.5 is %g", w)
	}
	if c := g.tally(g.plan.points()[:1], ofServer, true); c.words() != "BSP in 1 of 1 cases" {
		t.Errorf("%s: 12 ms are more than 10", c.words())
	}
	if c := g.tally(g.plan.points()[:1], ofServer, false); c.words() != "ASP in 1 of 1 cases" {
		t.Errorf("%s: 8 ms are less than 10", c.words())
	}
}

// Groups with the same first are joined; a group without a majority says so.
func TestTops(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002})
	points := g.plan.points()
	if s := g.tops(points, noMulticast, byModel); !strings.HasPrefix(s, "ring for MLP; BSP = naive exchange") || !strings.HasSuffix(s, " for LeNet-5") {
		t.Errorf("%q", s)
	}
	if s := g.tops(points, noMulticast, byLink); s != "none leads for 1 Gb/s" {
		t.Errorf("%q", s)
	}
	row := g.sparseRow(points) // RingSparse: 10 ms at both; ring: 2 and 10
	if row[1] != "use ring" || row[2] != "RingSparse in 0 of 2 cases" || row[3] != "ring for MLP and LeNet-5" {
		t.Errorf("%v", row)
	}
	g.times[place{points[1], "ringsparse", 0.01}] = 0.001
	if row := g.sparseRow(points); row[2] != "RingSparse in 1 of 2 cases" || row[3] != "RingSparse for LeNet-5; ring for MLP" || row[1] != "use ring" {
		t.Errorf("%v", row)
	}
}

// The links of a seed are averaged before the seeds are compared: two seeds that are
// twice and half of BSP on one link, the same on the other.
func TestOverLinks(t *testing.T) {
	st := handStudy(nil)
	for s, gradients := range []int64{240, 15} { // BSP: 60
		st.Cells[key(st.Grounds[0], "asp")][s].Curve[0].Pushes = gradients
	}
	ours, base, ok := st.overLinks("asp")
	if !ok || len(ours) != 2 || math.Abs(ours[0]-120) > 1e-9 || math.Abs(ours[1]-30) > 1e-9 || math.Abs(base[1]-60) > 1e-9 {
		t.Errorf("%v, %v, %v", ours, base, ok)
	}
	st.Cells[key(st.Grounds[1], "asp")][1].Curve = nil
	if _, _, ok := st.overLinks("asp"); ok {
		t.Error("a seed misses the target")
	}
}

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
