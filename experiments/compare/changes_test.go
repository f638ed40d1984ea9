package compare

import (
	"slices"
	"testing"
)

// changedByHand returns a comparison whose ring was twice as fast as all others and now takes twice
// their time, with BSP as slow as that before and now; seeds differ by one per cent.
func changedByHand() *comparison {
	st := handComparison(map[string]float64{"ring": 2, "bsp": 2})
	st.Former = handComparison(map[string]float64{"ring": 0.5, "bsp": 2})
	return st
}

// Factors before and now, places and words, by hand.
func TestChanges(t *testing.T) {
	f := changedByHand().changes()
	for _, c := range []struct {
		method          string
		before, now     float64
		moved           string
		placed, placing int
	}{{"ring", 1, 2, "back", 1, 13}, {"bsp", 4, 2, "forward", 14, 13}, {"naive", 2, 1, "forward", 2, 1}} {
		r := row(t, f, "method", c.method)
		if !near(r["before"], c.before) || !near(r["now"], c.now) || !near(r["shift"], c.now/c.before) || r["moved"] != c.moved {
			t.Errorf("%v", r)
		}
		if r["place_before"] != c.placed || r["place_now"] != c.placing {
			t.Errorf("%s: places %v and %v, want %d and %d", c.method, r["place_before"], r["place_now"], c.placed, c.placing)
		}
	}
	st := handComparison(map[string]float64{"ring": 0.5})
	st.Former = handComparison(map[string]float64{"ring": 0.25})
	if r := row(t, st.changes(), "method", "ring"); r["moved"] != "same" {
		t.Errorf("%v", r)
	}
	st.Seeds = st.Seeds[:1]
	for x := range st.Runs {
		st.Runs[x], st.Former.Runs[x] = st.Runs[x][:1], st.Former.Runs[x][:1]
	}
	if r := row(t, st.changes(), "method", "bsp"); r["moved"] != "unknown" || !near(r["shift"], 0.5) {
		t.Errorf("one seed: %v", r)
	}
}

// The ring turned with the twelve methods between it and BSP, and with BSP it ties: 13 methods beside
// it, 91 pairs of 14. Who was first is not any more, and the intervals say so.
func TestTurns(t *testing.T) {
	st := changedByHand()
	r := row(t, st.turns(), "link", 10.)
	if r["was"] != "ring" || r["is"] != "asp" || r["lead"] != "told" || r["pairs"] != 91 || r["turned"] != 12 || r["decided"] != 12 {
		t.Errorf("%v", r)
	}
	if r := row(t, st.turned(), "sooner", "naive"); r["later"] != "ring" || !near(r["before"], 0.5) || !near(r["now"], 2) || r["decided"] != true {
		t.Errorf("%v", r)
	}
	if f := st.changeFacts(); fact(t, f, "pairs") != 182 || fact(t, f, "turned_decided") != 24 || !near(fact(t, f, "former_jitter"), 5) ||
		!near(fact(t, f, "server_times"), 2) {
		t.Errorf("%v", f)
	}
	asp := st.Former.Runs[linkMethod{10, "asp"}]
	asp[0].Curve[0].Seconds, asp[1].Curve[0].Seconds = 2, 40 // later than the ring in the mean alone
	r = row(t, st.turns(), "link", 10.)
	if r["lead"] != "open" || r["decided"] != 11 {
		t.Errorf("%v", r)
	}
	if f := st.turned(); f.Rows[len(f.Rows)-1][f.At("decided")] != false {
		t.Error("the pair that is not decided does not stand last")
	}
	for i := range asp {
		asp[i].Curve = nil
	}
	if r := row(t, st.turns(), "link", 10.); r["pairs"] != 78 {
		t.Errorf("%v pairs, want those of 13 methods", r["pairs"])
	}
	for x := range st.Runs {
		st.Runs[x][0].Curve = nil
	}
	if r := row(t, st.turns(), "link", 10.); r["lead"] != "none" || r["pairs"] != 0 {
		t.Errorf("%v", r)
	}
}

// A case changed where none of the best before ties for the best now, one worker alone included.
func TestMachinesChanged(t *testing.T) {
	for _, c := range []struct {
		before, now  map[string]float64
		yes, decided bool
	}{
		{map[string]float64{"ring": 0.002}, map[string]float64{"ring": 0.002}, false, false},
		{map[string]float64{"ring": 0.002, "bsp": 0.002}, map[string]float64{"ring": 0.002}, false, false},
		{map[string]float64{"ring": 0.002}, map[string]float64{"naive": 0.002}, true, true},
		{map[string]float64{alone: 0.001}, map[string]float64{"naive": 0.002}, true, true},
		{map[string]float64{"naive": 0.002}, map[string]float64{"naive": 0.002, alone: 0.001}, true, true},
		{map[string]float64{"cssgd": 0.001}, map[string]float64{"cssgd": 0.02}, false, false}, // multicast competes nowhere here
	} {
		g, p := handMade(c.now), sweepPoint{"mlp", equalWorkers, 1, 4}
		g.former = handMade(c.before)
		if yes, decided := g.changed(p); yes != c.yes || decided != c.decided {
			t.Errorf("%v, now %v: changed %t, decided %t", c.before, c.now, yes, decided)
		}
		if r := row(t, g.changes(), "set", equalWorkers); r["cases"] != 2 || (r["turned"] == 1) != c.yes {
			t.Errorf("%v", r)
		}
	}
	g, p := handMade(map[string]float64{"naive": 0.002}), sweepPoint{"mlp", equalWorkers, 1, 4}
	g.former = handMade(map[string]float64{"ring": 0.002})
	g.rounds[sweepKey{p, "ring", 1}] = []float64{0.001, 0.019} // later than naive in the mean alone
	if yes, decided := g.changed(p); !yes || decided {
		t.Errorf("changed %t, decided %t by an interval that holds one", yes, decided)
	}
	if !slices.Equal(g.best(p), []string{"naive"}) {
		t.Errorf("%v", g.best(p))
	}
}

// A lead counts as told where the second takes longer by an interval, and where a method wins at all.
func TestLeadsAreTold(t *testing.T) {
	g, p := handMade(map[string]float64{"ring": 0.002}), sweepPoint{"mlp", equalWorkers, 1, 4}
	if of, told := g.leads(); of != 1 || told != 1 { // all methods tie on the second network
		t.Errorf("%d of %d", told, of)
	}
	g.rounds[sweepKey{p, "ring", 1}] = []float64{0.001, 0.012}
	if of, told := g.leads(); of != 1 || told != 0 {
		t.Errorf("%d of %d by an interval that holds one", told, of)
	}
	if of, _ := handMade(map[string]float64{"ring": 0.002, alone: 0.001}).leads(); of != 0 {
		t.Errorf("%d leads, one worker alone is best", of)
	}
}
