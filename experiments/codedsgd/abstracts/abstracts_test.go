package abstracts

import (
	"math"
	"slices"
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/kit/kittest"
)

// Hand-made numbers. At 8 nodes and ρ = 5.25, exact: T(2) = 2 + 6/14·5.25 = 4.25 and T(3) = 3 + 5/21·5.25 = 4.25 of
// 6.25: 32 % saved; ρ = 10.5: T(3) = 5.5 of 11.5, 52.17 %; ρ = 1.75: T(1) = T(2) = 2.75, nothing. Short: ρ = 6: 5 of 7,
// 28.57 %; 12: 7 of 13, 46.15 %. Beside a multicast: ρ = 5.25: 4.25 against 1 + 5.25/7 = 1.75.
func TestSavingsByHand(t *testing.T) {
	exact, short, multicast := timing.Exact, timing.Short, timing.Beside
	kittest.Near(t, "exact 5.25", exact.Saving(8, 5.25), 0.32, 1e-12)
	kittest.Near(t, "exact 10.5", exact.Saving(8, 10.5), 6/11.5, 1e-12)
	kittest.Near(t, "exact 1.75", exact.Saving(8, 1.75), 0, 1e-12)
	kittest.Near(t, "short 6", short.Saving(8, 6), 2./7, 1e-12)
	kittest.Near(t, "short 12", short.Saving(8, 12), 6./13, 1e-12)
	kittest.Near(t, "multicast 5.25", multicast.Saving(8, 5.25), 1-4.25/1.75, 1e-12)
	// Two nodes that hold everything exchange nothing: 2 of 1 + ρ. Short has no such end.
	kittest.Near(t, "two nodes", exact.Saving(2, 9), 1-2./10, 1e-12)
	kittest.Near(t, "two nodes, short", short.Saving(2, 9), 1-6.5/10, 1e-12)
	lo, hi := extent(exact, setup.DNN.Best, timing.Laws[0], nodeCounts[0], setup.Choices)
	kittest.Near(t, "DNN at 8, least", lo, 0.32, 1e-12)
	kittest.Near(t, "DNN at 8, most", hi, 6/11.5, 1e-12)
}

func TestLawsMeetAtTheAnchor(t *testing.T) {
	for _, l := range timing.Laws {
		kittest.Near(t, l.Key, l.At(setup.Anchor, 3), 3, 1e-12)
	}
	kittest.Near(t, "medium at 2", timing.Laws[2].At(2, 7), 1, 1e-12) // 1/7 of it
	kittest.Near(t, "links at 2", timing.Laws[1].At(2, 7), 4, 1e-12)  // (1/2)/(7/8)
	kittest.Near(t, "whole at 2", timing.Laws[3].At(2, 56), 2, 1e-12) // 2/56
	kittest.Near(t, "ours at 2", timing.Laws[4].At(2, 49), 1, 1e-12)  // 2·(1/2) of 56·(7/8)
	kittest.Near(t, "mean", meanSaving(timing.Exact, timing.Laws[0], nodeCounts[2], 5.25), meanOver(timing.Exact, 5.25, 2, 4, 6, 8, 10), 1e-12)
}

func meanOver(f timing.Form, rho float64, nodes ...int) (m float64) {
	for _, n := range nodes {
		m += f.Saving(n, rho) / float64(len(nodes))
	}
	return m
}

// What a ratio saves needs that ratio; what no ratio saves needs none.
func TestNeededTurnsSavingBack(t *testing.T) {
	for _, l := range timing.Laws {
		s := meanSaving(timing.Exact, l, nodeCounts[1], 4)
		kittest.Near(t, l.Key, ratioFor(timing.Exact, l, nodeCounts[1], s), 4, 1e-9)
	}
	if x := ratioFor(timing.Exact, timing.Laws[0], nodeCounts[0], 0.9999); !math.IsNaN(x) {
		t.Errorf("a saving of 99.99 %% needs %g", x)
	}
}

func TestReadings(t *testing.T) {
	x := modelCase{DNN: [2]float64{50, 53.966}, CNN: [2]float64{26.894, 39.2}}
	if !x.chinese() || !x.english() {
		t.Error("53.966 is 53.97 and 26.894 is 26.89 as far as they are stated")
	}
	x.DNN[1] = 53.96
	if x.chinese() || x.english() {
		t.Error("without the DNN's number neither reading is possible")
	}
	y := modelCase{DNN: [2]float64{50, 60}, CNN: [2]float64{30, 39.2}}
	if !y.chinese() || y.english() {
		t.Error("26.89 is below 30")
	}
	for _, c := range []struct {
		chinese, english int
		want             string
	}{{1, 2, "neither"}, {1, 0, "english"}, {0, 1, "chinese"}, {0, 0, "both"}} {
		if s := excludes(c.chinese, c.english); s != c.want {
			t.Errorf("%+v: %q", c, s)
		}
	}
}

// At 8 nodes alone: 32.0 to 52.2 and 0 to 32.0 exactly, 28.6 to 46.2 and 0 to 28.6 shortly.
func TestAbstractsRun(t *testing.T) {
	r := kittest.Ran(t, Experiment(), "ci")
	f := r.Frame("savings")
	for form, want := range map[string][4]float64{"exact": {32, 52.2, 0, 32}, "short": {28.6, 46.2, 0, 28.6}} {
		i := slices.IndexFunc(f.Rows, func(row []any) bool { return row[0] == form && row[1] == "eight" })
		for k, x := range want {
			kittest.Near(t, form, f.Rows[i][3+k].(float64), x, 0.05)
		}
	}
	for key, want := range map[string]any{"cases": 20, "excludes": "neither", "alone.en": "all", "alone.zh": "none", "alone.dnn": "none",
		"alone.english": true, "multicast.longer": true} {
		kittest.WantFact(t, r, key, want)
	}
	kittest.WantCells(t, r, "possible", "reading", "zh", "en", "en")
	kittest.WantCells(t, r, "possible", "law", "constant", "constant", "links")
}

// By hand, two nodes at Tcomm/Tcalc of 1: r = 2 alone sends nothing and takes 2 of SSGD's 2; of all redundancies r = 1
// takes as long as r = 2. At 1/2, r = 2 takes 2 of 1.5, and r = 1 as long as SSGD.
func TestDrawnRedundancies(t *testing.T) {
	kittest.Near(t, "equal", timing.Exact.SavingAt(2, 1, setup.Drawn(2)), 0, 1e-12)
	kittest.Near(t, "two", timing.Exact.SavingAt(2, 0.5, setup.Drawn(2)), 1-2/1.5, 1e-12)
	kittest.Near(t, "all", timing.Exact.Saving(2, 0.5), 0, 1e-12)
	kittest.Near(t, "eight", timing.Exact.SavingAt(8, 7, setup.Drawn(8)), timing.Exact.Saving(8, 7), 1e-12) // r = 3 is the best of all
}
