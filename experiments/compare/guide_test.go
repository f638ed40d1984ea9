package compare

import (
	"math"
	"strings"
	"testing"

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
	if c := g.tally(g.plan.points()[:1], anyMethod, false); c.words() != "CSSGD, r = 2 1 of 1" || c.use() != "use CSSGD, r = 2" {
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
	asyncs := []rank{{methodOf("asp"), 1}, {methodOf("dasp"), 1}, {methodOf("ssp"), 1}, {methodOf("dssp"), 1}}
	if name, second := firstOf(append(asyncs, rank{b, 2})); name != "any asynchronous" || second != 4 {
		t.Errorf("%q, %d", name, second)
	}
	if name, _ := firstOf(append(asyncs[:3:3], rank{b, 1})); name != "ASP = DASP = SSP = ring" {
		t.Errorf("%q", name)
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
	if c := g.tally(g.plan.points()[:1], ofServer, true); c.words() != "BSP 1 of 1" {
		t.Errorf("%s: methods without a factor do not compete", c.words())
	}
	g.factor[equalSet] = map[string]factor{"asp": {1.5, &[2]float64{1.2, 1.8}}}
	if w, ok := g.weighed(p, "asp"); !ok || w < 0.0119 || w > 0.0121 {
		t.Errorf("8 ms by 1.5 is %g", w)
	}
	if c := g.tally(g.plan.points()[:1], ofServer, true); c.words() != "BSP 1 of 1" {
		t.Errorf("%s: 12 ms are more than 10", c.words())
	}
	if c := g.tally(g.plan.points()[:1], ofServer, false); c.words() != "ASP 1 of 1" {
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
	if row[1] != "use ring" || row[2] != "RingSparse 0 of 2" || row[3] != "ring for MLP and LeNet-5" {
		t.Errorf("%v", row)
	}
	g.times[place{points[1], "ringsparse", 0.01}] = 0.001
	if row := g.sparseRow(points); row[2] != "RingSparse 1 of 2" || row[3] != "RingSparse for LeNet-5; ring for MLP" || row[1] != "use ring" {
		t.Errorf("%v", row)
	}
}

// CSSGD is first on one network of two: not in most cases.
func TestDuel(t *testing.T) {
	g := handMade(map[string]float64{"cssgd": 0.001})
	plain := func(m method) bool { return noMulticast(m) && !m.Aware }
	row := g.duelRow("s", "k", redundant, plain)
	if row[1] != "not k" || row[2] != "k 1 of 2" || row[3] != "MLP 1 of 1; LeNet-5 0 of 1" || row[4] != "1 Gb/s 1 of 2" {
		t.Errorf("%v", row)
	}
	if d := g.against(g.plan.points(), redundant, plain); d.String() != "in 1 of 2 cases, at 0.10 to 1.00 of its time" {
		t.Errorf("%v", d)
	}
	g.times[place{g.plan.points()[1], "compressed", 1}] = 0.005
	if row := g.duelRow("s", "k", redundant, plain); row[1] != "use k" {
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
