package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
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

// handMade is a guide of two points with every method at 10 ms and one worker alone at 1 s,
// but for what set gives.
func handMade(set map[string]float64) *guide {
	plan := sweepPlan{Models: []string{"mlp", "lenet5"}, Sets: []string{equalWorkers}, Links: []float64{1}, Nodes: []int{4}, Densities: []float64{1, 0.01}}
	var laps []lap
	for _, l := range plan.laps() {
		l.Round = 0.010
		if l.Method == alone {
			l.Round = 1
		}
		if t, ok := set[l.Method]; ok && l.Point.Model == "mlp" && l.Density == 1 {
			l.Round = t
		}
		laps = append(laps, l)
	}
	return newGuide(plan, laps)
}

func TestTally(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, "naive": 0.003, "cssgd": 0.001})
	c := g.tally(g.plan.points(), noMulticast)
	if c.Of != 2 || len(c.Wins) != 2 || c.Wins[0].Title != "ring" || c.Wins[0].Times != 1 {
		t.Fatalf("%+v", c)
	}
	if !strings.HasPrefix(c.Wins[1].Title, "BSP = naive exchange = ring") { // all tie on the second network
		t.Errorf("%q", c.Wins[1].Title)
	}
	if len(c.Margins) != 1 || c.Margins[0] < 0.499 || c.Margins[0] > 0.501 {
		t.Errorf("margins %v, want half as long again", c.Margins)
	}
	if c.use() != "no one method" {
		t.Errorf("one of two: %s", c.use())
	}
	if c := g.tally(g.plan.points()[:1], anyMethod); c.words() != "CSSGD, r = 2 1 of 1" || c.use() != "CSSGD, r = 2" {
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

// A factor counts where its interval lies above 1: not where it holds 1, is below it (no
// credit for staleness), or is not known.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		f    factor
		want float64
	}{
		{factor{1.4, &[2]float64{1.1, 1.8}}, 1.4}, {factor{1.4, &[2]float64{0.9, 2.2}}, 1}, {factor{0.7, &[2]float64{0.6, 0.8}}, 1}, {factor{1.4, nil}, 1},
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
	if c := g.tally(g.plan.points()[:1], ofServer); c.words() != "BSP 1 of 1" {
		t.Errorf("%s: methods without a factor do not compete", c.words())
	}
	g.factor[equalSet] = map[string]factor{"asp": {1.5, &[2]float64{1.2, 1.8}}}
	if w, ok := g.weighed(p, "asp"); !ok || w < 0.0119 || w > 0.0121 {
		t.Errorf("8 ms by 1.5 is %g", w)
	}
	if c := g.tally(g.plan.points()[:1], ofServer); c.words() != "BSP 1 of 1" {
		t.Errorf("%s: 12 ms are more than 10", c.words())
	}
	g.factor[equalSet]["asp"] = factor{0.5, &[2]float64{0.4, 0.6}}
	if w, ok := g.weighed(p, "asp"); !ok || w != 0.008 {
		t.Errorf("a credit of a half makes %g of 8 ms", w)
	}
}

// The tables say which factors count, by the factors they have.
func TestCosts(t *testing.T) {
	g := handMade(nil)
	g.studies = []*study{{Set: equalSet, Seeds: []uint64{0, 1, 2}}, {Set: unequalSet, Seeds: []uint64{0, 1, 2}}}
	g.factor = map[string]map[string]factor{equalSet: {}, unequalSet: {}}
	for _, set := range []string{equalSet, unequalSet} {
		for _, k := range everyKey {
			g.factor[set][k] = factor{0.98, &[2]float64{0.66, 1.45}}
		}
	}
	g.factor[unequalSet]["ssp"] = factor{0.79, &[2]float64{0.64, 0.97}}
	if s := g.costs(); s != "No cost of staleness in samples could be shown with 3 seeds (six unequal workers: ASP 0.98 [0.66, 1.45]); none is counted." {
		t.Error(s)
	}
	g.factor[equalSet]["dasp"] = factor{1.3, &[2]float64{1.1, 1.5}}
	if s := g.costs(); !strings.HasPrefix(s, "Counted as a cost") || !strings.Contains(s, "above 1: DASP 1.30 [1.10, 1.50] (six equal workers), measured") {
		t.Error(s)
	}
	delete(g.factor[equalSet], "asp")
	if s := g.costs(); !strings.HasSuffix(s, "never first: ASP (six equal workers).") || !strings.Contains(g.samplesNote(), "ASP not known") {
		t.Error(s)
	}
}

// A method that takes as long as one worker alone, or longer, wins nothing.
func TestAloneComesFirst(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, alone: 0.002})
	c := g.tally(g.plan.points(), noMulticast) // MLP: alone; LeNet-5: every method
	if c.Of != 2 || c.Alone != 1 || c.pays() != 1 || len(c.Margins) != 0 || !strings.HasPrefix(c.words(), "one worker alone 1, BSP = naive") {
		t.Errorf("%+v, %s", c, c.words())
	}
	if d := g.against(g.plan.points(), noMulticast, anyMethod); d.Of != 1 {
		t.Errorf("%+v: the MLP's case is none", d)
	}
	for _, p := range g.plan.points() {
		if got := g.pays(p, noMulticast); got != (p.Model == "lenet5") {
			t.Errorf("%v: pays %v", p, got)
		}
	}
	if m := g.must(g.plan.points(), noMulticast); m.words() != "ring 1 of 1" { // the MLP's, at 2 ms as alone
		t.Errorf("%s", m.words())
	}
	ring := win{"ring", 3}
	for _, c := range []struct {
		c    count
		want string
	}{
		{count{}, "not known"}, {count{Of: 4, Alone: 4}, "one worker alone"}, {count{Of: 8, Alone: 5, Wins: []win{ring}}, "one worker alone (else ring)"},
		{count{Of: 8, Alone: 2, Wins: []win{ring, {"BSP = ring", 3}}}, "ring or BSP"}, {count{Of: 4, Wins: []win{{"a", 1}, {"b", 1}, {"c", 1}, {"d = e", 1}}}, "no one method"}, {count{Of: 6, Alone: 3, Wins: []win{ring}}, "one worker alone (else ring)"}, {count{Of: 4, Alone: 1, Wins: []win{ring}}, "ring"},
		{count{Of: 16, Alone: 9, Wins: []win{ring, {"BSP", 2}, {"ASP", 2}}}, "one worker alone (else ring or BSP or ASP)"},
	} {
		if got := c.c.use(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
	}
	if d := (duel{}); !strings.HasPrefix(d.String(), "nowhere") {
		t.Error(d)
	}
}

// Regions join networks that have the same answer, and links next to each other.
func TestRegions(t *testing.T) {
	plan := sweepPlan{Models: []string{"lenet5", "resnet18", "vgg19_bn"}, Sets: []string{equalWorkers}, Links: []float64{1, 10, 100}, Nodes: []int{4, 8}, Densities: []float64{1, 0.01}}
	var laps []lap
	for _, l := range plan.laps() {
		l.Round = 10
		switch p := l.Point; {
		case l.Method == alone && p.Model == "lenet5":
			l.Round = 1
		case l.Method == alone:
			l.Round = 9
		case l.Method == "ring" && (p.Gbps == 100 || p.Gbps == 10 && p.Nodes == 8):
			l.Round = 5
		}
		laps = append(laps, l)
	}
	g := newGuide(plan, laps)
	want := "LeNet-5: one worker alone; ResNet-18 and VGG-19-BN: one worker alone at 1 Gb/s, one worker alone (N = 4), ring (N = 8) at 10 Gb/s, ring at 100 Gb/s"
	if got := g.byNetwork(plan.points(), synchronous); got != want {
		t.Errorf("%q", got)
	}
	if got := where([]string{"a", "b"}, [][]float64{{1, 10}, {25, 100}}, 100); got != "a at 1 to 10 Gb/s, b from 25 Gb/s" {
		t.Errorf("%q", got)
	}
	small, large := g.bySize()
	if len(small) != 1 || len(large) != 2 || sized(small) != "LeNet-5 (0.25 MB)" {
		t.Errorf("%v, %v, %s", small, large, sized(small))
	}
	if s := strings.Join(g.shortNotes(), " "); !strings.Contains(s, " Equal workers – small networks: one worker alone; large networks: one worker alone at 1 Gb/s, one worker alone (else ring) at 10 Gb/s, ring at 100 Gb/s. Small: LeNet-5 (0.25 MB); large: ResNet-18 (45 MB) and VGG-19-BN (80 MB).") {
		t.Error(s)
	}
}

// SSGD sends no combinations, coded SGD does, and sums of redundant blocks where that is
// less: with three or four nodes, not with six or more. Only who codes is charged.
func TestWhoIsChargedForCoding(t *testing.T) {
	for _, c := range []struct {
		key  string
		n    int
		want bool
	}{{"ssgd-unicast", 6, false}, {"ssgd-aware", 6, false}, {"ssgd-multicast", 4, false}, {"cssgd", 6, true}, {"cssgd", 4, true}, {"compressed", 4, true}, {"compressed", 6, false}, {"compressed", 8, false}} {
		m := methodOf(c.key)
		cfg := train.Config{Workers: c.n, Batch: 2}
		m.configure(&cfg)
		if m.codes(c.n) != c.want || (cfg.Coded.Rate == 0) != c.want {
			t.Errorf("%s, N = %d: codes %v, rate %g", c.key, c.n, m.codes(c.n), cfg.Coded.Rate)
		}
		if m.Coded.Rate != 0 {
			t.Errorf("%s: its own options were written", c.key)
		}
	}
	s, p := planSweep("ci"), point{"mlp", equalWorkers, 100, 4}
	at := map[string]float64{}
	for _, k := range []string{"cssgd", uncoded("cssgd"), "ssgd-unicast"} {
		l := lap{Point: p, Method: k, Density: 1}
		if err := s.run(t.Context(), &l); err != nil {
			t.Fatal(err)
		}
		at[k] = l.Round
	}
	if !(at[uncoded("cssgd")] < 0.5*at["cssgd"]) || !(at["ssgd-unicast"] < at[uncoded("cssgd")]) {
		t.Errorf("%v: coding at 2 GB/s is most of CSSGD's round at 100 Gb/s", at)
	}
}

// Every figure begins with the same methods in the same order, so that looks dealt out in
// order stay with their methods.
func TestFiguresBeginAlike(t *testing.T) {
	st := handStudy(nil)
	g := handMade(nil)
	figures := []result.Figure{st.roundFigure(), st.curveFigure(st.Grounds[0]), g.linkFigure("mlp", equalWorkers)}
	for _, f := range figures {
		for i, k := range drawn {
			if s := f.Series[i]; s.Group != k || s.Name != methodOf(k).Title {
				t.Errorf("%s: series %d is %s (%s), want %s", f.ID, i, s.Name, s.Group, k)
			}
		}
	}
}

// What a figure over links says names none but the series that it draws: the sums of
// redundant blocks are not drawn, and one worker alone is.
func TestLinkFigureSpeaksOfWhatItDraws(t *testing.T) {
	g := handMade(map[string]float64{"compressed": 0.001, "ring": 0.002, "cssgd": 13.836, alone: 0.0015})
	f := g.linkFigure("mlp", equalWorkers)
	if want := "At 1 Gb/s one worker alone is first with 1.5 ms, CSSGD, r = 2 last with 13836 ms."; f.Alt != want {
		t.Errorf("%q, want %q", f.Alt, want)
	}
	if !slices.ContainsFunc(f.Series, func(s result.Series) bool { return s.Name == "one worker alone" }) || slices.ContainsFunc(f.Series, func(s result.Series) bool { return s.Group == "compressed" }) {
		t.Error("other series than this test takes for granted")
	}
}

// The table by network has a row for each set of workers and network, and a column per link.
func TestNetworkTable(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, "compressed": 0.001})
	g.studies = []*study{{Set: equalSet, Seeds: []uint64{0}}}
	g.factor = map[string]map[string]factor{equalSet: {"asp": {1, nil}, "ssp": {1, nil}, "dssp": {1, nil}, "dasp": {1, nil}}}
	table := g.networkTable()
	if len(table.Rows) != 2 || len(table.Columns) != 3 || len(table.Rows[0]) != 3 {
		t.Fatalf("%d rows, %d columns", len(table.Rows), len(table.Columns))
	}
	if row := table.Rows[0]; row[0] != equalWorkers || row[1] != "MLP" || row[2] != "ring" {
		t.Errorf("%v", row)
	}
}

// RingSparse is counted by network and by link.
func TestSparseRow(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002})
	points := g.plan.points()
	row := g.sparseRow(points) // RingSparse: 10 ms at both; ring: 2 and 10
	if row[1] != "ring" || row[2] != "RingSparse 0 of 2" || row[3] != "ring for MLP and LeNet-5; ring for 1 Gb/s" {
		t.Errorf("%v", row)
	}
	g.times[place{points[1], "ringsparse", 0.01}] = 0.001
	if row := g.sparseRow(points); row[2] != "RingSparse 1 of 2" || row[3] != "RingSparse for LeNet-5; ring for MLP; ring for 1 Gb/s" || row[1] != "ring" {
		t.Errorf("%v", row)
	}
}

// CSSGD is first on one network of two: not in most cases.
func TestDuel(t *testing.T) {
	g := handMade(map[string]float64{"cssgd": 0.001})
	plain := func(m method) bool { return noMulticast(m) && !m.Aware }
	row := g.duelRow("s", "k", redundant, plain)
	if row[1] != "not k" || row[2] != "k 1 of 2 where distributing pays" || row[3] != "MLP 1 of 1; LeNet-5 0 of 1; 1 Gb/s 1 of 2" {
		t.Errorf("%v", row)
	}
	if d := g.against(g.plan.points(), redundant, plain); d.String() != "in 1 of the 2 cases where distributing pays, at 0.10 to 1.00 of its time" {
		t.Errorf("%v", d)
	}
	g.times[place{g.plan.points()[1], "compressed", 1}] = 0.005
	if row := g.duelRow("s", "k", redundant, plain); row[1] != "k" {
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
