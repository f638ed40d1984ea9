package compare

import (
	"slices"
	"testing"

	"gradsync/experiments/kit"
)

// handMade returns a guide of two points with every method at 10 ms and one worker alone at 1 s,
// but for what set gives.
func handMade(set map[string]float64) *guide {
	plan := sweepPlan{Models: []string{"mlp", "lenet5"}, Sets: []string{equalWorkers}, Links: []float64{1}, Nodes: []int{4}, Densities: []float64{1, 0.01}}
	var runs []sweepRun
	for _, l := range plan.runs() {
		round := 0.010
		if l.Method == alone {
			round = 1
		}
		if t, ok := set[l.Method]; ok && l.Point.Model == "mlp" && l.Density == 1 {
			round = t
		}
		l.Rounds = []float64{0.99 * round, 1.01 * round}
		runs = append(runs, l)
	}
	return newGuide(plan, runs)
}

func estimate(value, lo, hi float64) kit.Estimate {
	return kit.Estimate{Value: value, CI: &[2]float64{lo, hi}, N: 3}
}

func TestTally(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, "naive": 0.003, "cssgd": 0.001})
	c := g.countWins(g.plan.points(), noMulticast)
	if c.Of != 2 || len(c.Wins) != 2 || !slices.Equal(c.Wins[0].First, []string{"ring"}) || c.Wins[0].Times != 1 {
		t.Fatalf("%+v", c)
	}
	if !slices.Equal(c.Wins[1].First[:3], []string{"bsp", "naive", "ring"}) { // all tie on the second network
		t.Errorf("%v", c.Wins[1].First)
	}
	if len(c.Margins) != 1 || c.Margins[0] < 49.9 || c.Margins[0] > 50.1 {
		t.Errorf("margins %v, want half as long again", c.Margins)
	}
	if a := c.advice(); a.How != many || a.Alone {
		t.Errorf("one of two: %+v", a)
	}
	if a := g.countWins(g.plan.points()[:1], anyMethod).advice(); a.How != mostly || !slices.Equal(a.Methods, []string{"cssgd"}) {
		t.Errorf("%+v", a)
	}
	if a := (winCount{}).advice(); a.How != unknown || (winCount{}).margin(1) == (winCount{}).margin(1) {
		t.Errorf("an empty count: %+v", a)
	}
}

// Methods within half a per cent tie, at more they do not.
func TestFirstOf(t *testing.T) {
	a, b := methodOf("bsp"), methodOf("ring")
	if o := (ranking{{a, 1}, {b, 1.004}}); !slices.Equal(o.first(), []string{"bsp", "ring"}) || o.second() != "" {
		t.Errorf("%v, %s", o.first(), o.second())
	}
	four := ranking{{methodOf("asp"), 1}, {methodOf("dasp"), 1}, {methodOf("ssp"), 1}, {methodOf("dssp"), 1}}
	if o := append(slices.Clone(four), timedMethod{b, 2}); !slices.Equal(o.first(), []string{anyAsync}) || o.second() != "ring" || o.longer() != 100 {
		t.Errorf("%v, %s, %g", o.first(), o.second(), o.longer())
	}
	if o := append(slices.Clone(four[:3]), timedMethod{b, 1}); !slices.Equal(o.first(), []string{"asp", "dasp", "ssp", "ring"}) {
		t.Errorf("%v", o.first())
	}
	if o := (ranking{{a, 1}, {b, 1.02}}); !slices.Equal(o.first(), []string{"bsp"}) || o.second() != "ring" {
		t.Errorf("%v", o.first())
	}
}

// A factor counts where its interval lies above 1: not where it holds 1, is below it (no
// credit for staleness), or is not known.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		f    kit.Estimate
		want float64
	}{
		{estimate(1.4, 1.1, 1.8), 1.4}, {estimate(1.4, 0.9, 2.2), 1}, {estimate(0.7, 0.6, 0.8), 1}, {kit.Estimate{Value: 1.4, N: 1}, 1},
	} {
		if got := counted(c.f); got != c.want {
			t.Errorf("%+v counts %g, want %g", c.f, got, c.want)
		}
	}
	g := handMade(map[string]float64{"asp": 0.008})
	p := g.plan.points()[0]
	if _, ok := g.weighed(p, "asp"); ok {
		t.Error("no training said what ASP needs")
	}
	first := func() []string { return g.countWins(g.plan.points()[:1], ofServer).Wins[0].First }
	if !slices.Equal(first(), []string{"bsp"}) {
		t.Errorf("%v: methods without a factor do not compete", first())
	}
	g.factor[equalSet] = map[string]kit.Estimate{"asp": estimate(1.5, 1.2, 1.8)}
	if w, ok := g.weighed(p, "asp"); !ok || w < 0.0119 || w > 0.0121 {
		t.Errorf("8 ms by 1.5 is %g", w)
	}
	if !slices.Equal(first(), []string{"bsp"}) {
		t.Errorf("%v: 12 ms are more than 10", first())
	}
	g.factor[equalSet]["asp"] = estimate(0.5, 0.4, 0.6)
	if w, ok := g.weighed(p, "asp"); !ok || w != 0.008 {
		t.Errorf("a credit of a half makes %g of 8 ms", w)
	}
}

// A method that takes as long as one worker alone, or longer, wins nothing.
func TestAloneComesFirst(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, alone: 0.002})
	c := g.countWins(g.plan.points(), noMulticast) // MLP: alone; LeNet-5: every method
	if c.Of != 2 || c.Alone != 1 || c.pays() != 1 || len(c.Margins) != 0 {
		t.Errorf("%+v", c)
	}
	if d := g.against(g.plan.points(), noMulticast, anyMethod); d.Of != 1 {
		t.Errorf("%+v: the MLP's case is none", d)
	}
	for _, p := range g.plan.points() {
		if got := g.pays(p, noMulticast); got != (p.Model == "lenet5") {
			t.Errorf("%v: pays %v", p, got)
		}
	}
	if m := g.must(g.plan.points(), noMulticast); m.Of != 1 || !slices.Equal(m.Wins[0].First, []string{"ring"}) { // the MLP's, at 2 ms as alone
		t.Errorf("%+v", m)
	}
	ring := win{[]string{"ring"}, 3}
	for _, c := range []struct {
		c    winCount
		want advice
	}{
		{winCount{}, advice{How: unknown}}, {winCount{Of: 4, Alone: 4}, advice{Alone: true, How: never}},
		{winCount{Of: 8, Alone: 5, Wins: []win{ring}}, advice{true, mostly, ring.First}},
		{winCount{Of: 8, Alone: 2, Wins: []win{ring, {[]string{"bsp", "ring"}, 3}}}, advice{false, some, []string{"ring", "bsp"}}},
		{winCount{Of: 4, Wins: []win{{[]string{"a"}, 1}, {[]string{"b"}, 1}, {[]string{"c"}, 1}, {[]string{"d", "e"}, 1}}}, advice{How: many}},
		{winCount{Of: 6, Alone: 3, Wins: []win{ring}}, advice{true, mostly, ring.First}},
		{winCount{Of: 4, Alone: 1, Wins: []win{ring}}, advice{false, mostly, ring.First}},
		{winCount{Of: 16, Alone: 9, Wins: []win{ring, {[]string{"bsp"}, 2}, {[]string{"asp"}, 2}}}, advice{true, some, []string{"ring", "bsp", "asp"}}},
	} {
		if got := c.c.advice(); !got.same(c.want) {
			t.Errorf("%+v: %+v, want %+v", c.c, got, c.want)
		}
	}
}

// Links next to each other that have the same answer are joined, and so are numbers of nodes.
func TestRegions(t *testing.T) {
	plan := sweepPlan{Models: []string{"lenet5", "resnet18", "vgg19_bn"}, Sets: []string{equalWorkers}, Links: []float64{1, 10, 100},
		Nodes: []int{4, 8}, Densities: []float64{1, 0.01}}
	var runs []sweepRun
	for _, l := range plan.runs() {
		round := 10.
		switch p := l.Point; {
		case l.Method == alone && p.Model == "lenet5":
			round = 1
		case l.Method == alone:
			round = 9
		case l.Method == "ring" && (p.Gbps == 100 || p.Gbps == 10 && p.Nodes == 8):
			round = 5
		}
		l.Rounds = []float64{round}
		runs = append(runs, l)
	}
	g := newGuide(plan, runs)
	short := g.short()
	if len(short.Rows) != 4 {
		t.Fatalf("%v", short.Rows)
	}
	if r := row(t, short, "size", "small"); r["from"] != 1. || r["to"] != 100. || r["how"] != never {
		t.Errorf("%v", r)
	}
	if r := row(t, short, "from", 10.); r["to"] != 10. || r["alone_best"] != true || r["how"] != mostly || r["methods"].([]any)[0] != "ring" {
		t.Errorf("%v", r)
	}
	if r := row(t, short, "from", 100.); r["alone_best"] != false || r["methods"].([]any)[0] != "ring" {
		t.Errorf("%v", r)
	}
	nets := g.networks()
	if len(nets.Rows) != 3*3+2 { // at 10 Gb/s the large ones have an answer for each N
		t.Errorf("%d rows", len(nets.Rows))
	}
	if r := row(t, nets, "model", "lenet5"); len(r["n"].([]any)) != 2 {
		t.Errorf("%v", r)
	}
}

// RingSparse against the ring is counted by network and by link, CSSGD in cases that pay.
func TestDuels(t *testing.T) {
	g := handMade(map[string]float64{"ring": 0.002, "cssgd": 0.001})
	if r := row(t, g.duels(), "duel", "ringsparse"); r["of"] != 2 || r["wins"] != 0 || r["mostly"] != false {
		t.Errorf("%v", r)
	}
	g.times[sweepKey{g.plan.points()[1], "ringsparse", 0.01}] = 0.001
	if r := row(t, g.duels(), "duel", "ringsparse"); r["wins"] != 1 || r["mostly"] != false {
		t.Errorf("%v", r)
	}
	if r := row(t, g.sparsePays(), "density", 1.); r["wins"] != 1 || r["paid"] != 1 || !near(r["best"], 0.1) {
		t.Errorf("%v", r)
	}
	if r := row(t, g.duels(), "duel", "redundant"); r["of"] != 2 || r["wins"] != 1 || !near(r["least"], 0.5) || r["most"] != 1. {
		t.Errorf("%v", r)
	}
}

// CSSGD counts where it beats all without multicast by more than a tie: charged for coding, and
// apart from that as if coding were free.
func TestFirstAsCharged(t *testing.T) {
	for _, x := range []struct {
		set           map[string]float64
		free, charged int
	}{
		{map[string]float64{"cssgd": 0.02}, 0, 0},
		{map[string]float64{"cssgd": 0.02, uncoded("cssgd"): 0.002}, 1, 0},
		{map[string]float64{"cssgd": 0.002, uncoded("cssgd"): 0.001}, 1, 1},
		{map[string]float64{"cssgd": 0.002, uncoded("cssgd"): 0.001, "ring": 0.0005}, 0, 0},
		{map[string]float64{"cssgd-most": 0.002}, 0, 1},
	} {
		if free, charged, of := handMade(x.set).codedFirst(); free != x.free || charged != x.charged || of != 2 {
			t.Errorf("%v: first in %d and %d of %d cases, want %d and %d of 2", x.set, free, charged, of, x.free, x.charged)
		}
	}
}
