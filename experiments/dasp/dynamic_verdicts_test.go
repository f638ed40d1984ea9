package dasp

import (
	"math"
	"strings"
	"testing"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// dynOf makes a method's cells from its times per push, one per seed; workers
// wait if any time is above 1.
func dynOf(times ...float64) (out []dynCell) {
	for _, x := range times {
		c := dynCell{cell: cell{Iteration: train.IterationTime{PerWorker: x, PerPush: x}}}
		if x > 1 {
			c.Waiting = 1
		}
		out = append(out, c)
	}
	return out
}

func wantAnswer(t *testing.T, name, answer, measured, want, in string) {
	t.Helper()
	if answer != want || !strings.Contains(measured, in) {
		t.Errorf("%s: %q (%s), want %q (…%s…)", name, answer, measured, want, in)
	}
}

func TestH1(t *testing.T) {
	before := map[string][]dynCell{"ssp": dynOf(4, 4), "dssp": dynOf(2, 2.02)}
	for _, c := range []struct {
		name      string
		ssp, dssp []dynCell
		want, in  string
	}{
		{"worse", dynOf(4, 4), dynOf(3, 3.08), dynHeld, "→ 0.760: ×1.512"},
		{"better", dynOf(4, 4), dynOf(1.5, 1.5), dynNotHeld, "×0.746"},
		{"wide", dynOf(4, 4), dynOf(2, 4), dynNotHeld, "×1.407 [0.0"},
		{"the same", dynOf(8, 8), dynOf(4, 4.04), dynNotHeld, "×1.000"},
	} {
		answer, measured := dynJudgeH1(map[string][]dynCell{"ssp": c.ssp, "dssp": c.dssp}, before)
		wantAnswer(t, c.name, answer, measured, c.want, c.in)
	}
	one := map[string][]dynCell{"ssp": dynOf(4), "dssp": dynOf(2)}
	answer, measured := dynJudgeH1(map[string][]dynCell{"ssp": dynOf(4), "dssp": dynOf(3)}, one)
	wantAnswer(t, "one seed", answer, measured, dynHeld, "×1.500 (one seed)")
	none := map[string][]dynCell{"ssp": dynOf(1), "dssp": dynOf(1)}
	answer, measured = dynJudgeH1(none, none)
	wantAnswer(t, "nobody waits", answer, measured, dynNoCase, "no worker ever waits")
}

func TestH2(t *testing.T) {
	before := map[string][]dynCell{"ssp": dynOf(4, 4), "dssp": dynOf(3, 3), "dasp": dynOf(2, 2)}
	for _, c := range []struct {
		name            string
		ssp, dssp, dasp []dynCell
		want, in        string
	}{
		{"DASP moves least", dynOf(6, 6.1), dynOf(2, 2.01), dynOf(2.1, 2.1), dynHeld, "DASP ×1.050, SSP ×1.512, DSSP ×0.668"},
		{"SSP moves as far the other way", dynOf(3.8, 3.8), dynOf(2, 2), dynOf(2.2, 2.2), dynNotHeld, "SSP ×0.950"},
		{"DSSP moves less", dynOf(6, 6), dynOf(3.01, 3.01), dynOf(2.2, 2.2), dynNotHeld, "DSSP ×1.003"},
		{"not told apart", dynOf(4, 8), dynOf(2, 2), dynOf(2.1, 2.1), dynNotHeld, "SSP ×1.414"},
	} {
		answer, measured := dynJudgeH2(map[string][]dynCell{"ssp": c.ssp, "dssp": c.dssp, "dasp": c.dasp}, before)
		wantAnswer(t, c.name, answer, measured, c.want, c.in)
	}
	one := map[string][]dynCell{"ssp": dynOf(4), "dssp": dynOf(3), "dasp": dynOf(2)}
	answer, measured := dynJudgeH2(map[string][]dynCell{"ssp": dynOf(6), "dssp": dynOf(2), "dasp": dynOf(2)}, one)
	wantAnswer(t, "one seed", answer, measured, dynHeld, "DASP ×1.000")
	none := map[string][]dynCell{"ssp": dynOf(1), "dssp": dynOf(1), "dasp": dynOf(1)}
	answer, measured = dynJudgeH2(none, none)
	wantAnswer(t, "nobody waits", answer, measured, dynNoCase, "no worker ever waits")
}

// dynLetGo makes cells, one per seed, with one release each of so many own
// gradients and versions; 0: none was seen.
func dynLetGo(versions int, pushes ...int) (out []dynCell) {
	for _, n := range pushes {
		c := dynCell{}
		if n > 0 {
			c.Releases = []dynRelease{{Pushes: n, Versions: versions, Seen: true}}
		}
		out = append(out, c)
	}
	return out
}

func TestH3(t *testing.T) {
	for _, c := range []struct {
		name      string
		dasp, ssp []dynCell
		want, in  string
	}{
		{"within N and sooner", dynLetGo(workers, 1, 1), dynLetGo(20, 4, 5), dynHeld, "DASP after 6.0 versions and 1.00 own gradients, SSP after 4.50"},
		{"sooner, beyond N", dynLetGo(workers+1, 1, 1), dynLetGo(20, 4, 5), dynNotHeld, "after 7.0 versions"},
		{"no sooner", dynLetGo(2, 1, 1), dynLetGo(2, 1, 1), dynNotHeld, "×1.000"},
		{"not told apart", dynLetGo(2, 1, 1), dynLetGo(2, 1, 6), dynNotHeld, "×0.408 [0.0"},
		{"one seed has none", dynLetGo(2, 1, 0), dynLetGo(9, 4, 4), dynHeld, "×0.250 (one seed)"},
		{"none", dynLetGo(2, 0, 1), dynLetGo(9, 4, 0), dynNoCase, "not the oldest"},
	} {
		answer, measured := dynJudgeH3(map[string][]dynCell{"dasp": c.dasp, "ssp": c.ssp})
		wantAnswer(t, c.name, answer, measured, c.want, c.in)
	}
	f := dynMeanRelease([]dynRelease{{Pushes: 1, Versions: 2, Units: 3, Waited: 4, Seen: true}, {Pushes: 3, Versions: 4, Units: 5, Waited: 6}})
	if want := (dynForgotten{2, 1, 2, 3, 4, 5}); f != want {
		t.Errorf("mean of two releases %+v, want %+v", f, want)
	}
}

func TestVerdictNoteCounts(t *testing.T) {
	vs := []dynVerdict{{"H1", "LeNet-5", "steps", dynHeld, "×1.5"}, {"H1", "VGG-19-BN", "steps", dynNotHeld, "×0.9"}, {"H1", "VGG-19-BN", "bursts", dynNoCase, "-"},
		{"H2", "LeNet-5", "steps", dynNotHeld, "×2"}}
	note := dynVerdictNote(vs)
	for _, want := range []string{dynH1 + ": held in 1 of 2 cases, 1 without anything to judge. H2", dynH2 + ": held in 0 of 1 cases. H3", dynH3 + ": held in 0 of 0 cases."} {
		if !strings.Contains(note, want) {
			t.Errorf("%q, want …%s…", note, want)
		}
	}
}

// dynFake is a grid of one case in which every method takes the same time
// everywhere, but for those given by "scenario method".
func dynFake(times map[string]float64) dynGrid {
	g := dynGrid{"LeNet-5": {}}
	for _, s := range dynScenarios {
		g["LeNet-5"][s.Key] = map[string][]dynCell{}
		for _, m := range methods {
			x := times[s.Key+" "+m]
			if x == 0 {
				x = 2
			}
			g["LeNet-5"][s.Key][m] = dynOf(x, x*1.001)
		}
	}
	return g
}

func TestSummaryFollowsTheNumbers(t *testing.T) {
	cases := []dynCase{{Model: "lenet5"}}
	fake := dynFake(map[string]float64{"steps ssp": 1.5, "bursts ssp": 1.5, "bursts dasp": 2.5})
	fake["LeNet-5"]["steps"]["ssp"][0].Waiting, fake["LeNet-5"]["steps"]["ssp"][1].Waiting = 0.2, 0.3
	good := strings.Join(dynSummary(cases, fake), " ")
	for _, want := range []string{"SSP in 2, DSSP in 0, DASP in 0, of 2 cases", "So for a bound on clocks", "below SSP's in 0 of 2 cases, above it in 2 (LeNet-5, steps; LeNet-5, bursts). There 1.00 of 6 workers wait for others in the mean under DASP, 0.62 under SSP, and"} {
		if !strings.Contains(good, want) {
			t.Errorf("%q, want …%s…", good, want)
		}
	}
	shared := strings.Join(dynSummary(cases, dynFake(map[string]float64{"steps ssp": 1.5, "bursts ssp": 1.5, "steps dasp": 1.5, "bursts dasp": 1.5})), " ")
	if !strings.Contains(shared, "SSP in 2, DSSP in 0, DASP in 2") || strings.Contains(shared, "for a bound on clocks") {
		t.Errorf("%q gives DASP less of a gain that it has too", shared)
	}
	bad := strings.Join(dynSummary(cases, dynFake(map[string]float64{"steps ssp": 3, "bursts ssp": 3})), " ")
	if strings.Contains(bad, "for a bound on clocks") || !strings.HasSuffix(bad, "below SSP's in 2 of 2 cases, above it in 0.") {
		t.Errorf("%q", bad)
	}
	note := dynFirstNote(cases[0], dynFake(map[string]float64{"steps ssp": 1.5, "steps dssp": 2.5}))
	for _, want := range []string{"where speeds change: steps ×1.333 [1.333, 1.333] of SSP's (longer), ×0.800 [0.800, 0.800] of DSSP's (shorter) (99th", "; bursts ×1.000"} {
		if !strings.Contains(note, want) {
			t.Errorf("%q, want …%s…", note, want)
		}
	}
}

// A times table has each scenario's mean in its own column, in ms.
func TestTimesStandInTheirColumns(t *testing.T) {
	row := dynTimes([]dynCase{{Model: "lenet5"}}, dynFake(map[string]float64{"static ssp": 3, "bursts ssp": 5})).Rows[2]
	for i, s := range dynScenarios {
		want := map[string]float64{"static": 3, "bursts": 5}[s.Key]
		if want == 0 {
			want = 2
		}
		if x, ok := row[2+i].(float64); !ok || math.Abs(x-1000*want*1.0005) > 1e-6 {
			t.Errorf("%s: %v, want %g ms", s.Key, row[2+i], 1000*want*1.0005)
		}
	}
}

func TestFactorsStandInTheirColumns(t *testing.T) {
	g := dynFake(map[string]float64{"steps ssp": 3, "bursts ssp": 5, "straggler ssp": 4, "undisturbed ssp": 1})
	row := dynChanges([]dynCase{{Model: "lenet5"}}, g).Rows[2]
	for i, want := range map[int]float64{2: 1.5, 5: 1.25, 8: 5, 11: 1.5, 12: 1.25} {
		if x, ok := row[i].(float64); !ok || math.Abs(x-want) > 1e-9 {
			t.Errorf("column %d is %v, want %g", i, row[i], want)
		}
	}
}

// dynClimbing makes two seeds of each method that reach 70 % at so many seconds, a
// thousandth apart; 0: never.
func dynClimbing(at map[string]float64) trainings {
	t := trainings{}
	for _, m := range methods {
		for _, f := range []float64{1, 1.001} {
			curve := []train.Point{{Accuracy: 0.1}}
			if x := at[m] * f; x > 0 {
				curve = append(curve, train.Point{Pushes: int64(1000 * x), Seconds: x, Accuracy: 0.7})
			}
			t[m] = append(t[m], cell{Curve: curve, Accuracy: curve[len(curve)-1].Accuracy})
		}
	}
	return t
}

func TestLearningTableAndNotes(t *testing.T) {
	s := size{Model: "lenet5", Target: 0.7}
	all := dynClimbing(map[string]float64{"bsp": 4, "asp": 2, "ssp": 3, "dssp": 3, "dasp": 2})
	slow := dynClimbing(map[string]float64{"bsp": 8, "asp": 2, "ssp": 3, "dasp": 4})
	tab := dynLearning(s, map[string]trainings{"static": all, "steps": slow})
	if len(tab.Rows) != 2*len(methods) {
		t.Fatalf("%d rows of two scenarios", len(tab.Rows))
	}
	near := func(got any, want float64) bool { x, ok := got.(float64); return ok && math.Abs(x-want) < 1e-9 }
	all["bsp"][0].Data = &result.Data{Name: "mnist", Origin: "embedded"}
	if caption := dynLearning(s, map[string]trainings{"static": all}).Caption; !strings.Contains(caption, "data: mnist (embedded)") {
		t.Errorf("the trained table does not name its data: %q", caption)
	}
	static, steps := tab.Rows[:5], tab.Rows[5:]
	if r := static[4]; r[0] != "static" || !near(r[4], 0.5) || r[7] != nil {
		t.Errorf("static, DASP: %v", r)
	}
	if r := steps[4]; r[0] != "steps" || !near(r[4], 0.5) || !near(r[7], 2) {
		t.Errorf("steps, DASP: %v, want half of BSP and twice itself", r)
	}
	if r := steps[3]; r[2] != nil || r[4] != nil || r[7] != nil || r[10] != nil {
		t.Errorf("DSSP does not reach the target: %v", r)
	}
	notes := dynLearningNote(s, map[string]trainings{"steps": slow})
	for _, want := range []string{"steps ×0.500 [0.500, 0.500] of BSP's (shorter), ×2.000 [2.000, 2.000] of ASP's (longer)", "not comparable with DSSP's"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q, want …%s…", notes, want)
		}
	}
	for want, got := range map[string]string{dynUntold: dynSide(1.1, &[2]float64{0.9, 1.3}), dynLonger: dynSide(1.1, nil), dynShorter: dynSide(0.9, nil)} {
		if got != want {
			t.Errorf("a ratio is %q, want %q", got, want)
		}
	}
	if dynSide(1.01, nil) != dynUntold || dynTold(1.1, nil) != "" || dynTold(0.5, &[2]float64{0.4, 0.6}) != " (shorter)" {
		t.Error("one seed has no interval to tell of")
	}
}

// The waiting figure weighs each seed by its events.
func TestWaitFigureWeighsEvents(t *testing.T) {
	around := func(x float64, n int) dynCell {
		c := dynCell{Around: make([]float64, dynBefore+dynAfter), Onsets: n}
		for i := range c.Around {
			c.Around[i] = x
		}
		return c
	}
	g := dynGrid{"LeNet-5": {"bursts": {"ssp": {around(1, 1), around(4, 2)}}}}
	f := dynWaitFigure(dynScenarioOf("bursts"), dynCase{Model: "lenet5"}, g)
	var ssp result.Series
	for _, s := range f.Series {
		if s.Group == "ssp" {
			ssp = s
		}
	}
	if len(ssp.Y) != dynBefore+dynAfter || ssp.Y[3] != 3 || ssp.X[0] != -dynBefore+0.5 {
		t.Errorf("%+v", ssp)
	}
}

// SSP's fastest setting that is no staler is found seed by seed; H4 has both
// outcomes, and no case where every SSP is staler.
func TestH4(t *testing.T) {
	trade := func(method, name string, p99 int64, times ...float64) dynTrade {
		x := dynTrade{dynSetting{method: method, name: name}, dynOf(times...)}
		for i := range x.cells {
			x.cells[i].Staleness.P99, x.cells[i].Staleness.Mean = p99, float64(10-p99)
		}
		return x
	}
	loose, strict := trade("ssp", "s = 3", 8, 2, 4), trade("ssp", "s = 1", 5, 3, 3)
	staler := trade("ssp", "s = 9", 9, 1, 1)
	ours := trade("dasp", "fast", 8, 1, 1.5)
	least, taken, ok := dynNoStaler(ours, []dynTrade{loose, strict, staler, ours}, dynTail)
	if !ok || least[0] != 2 || least[1] != 3 || strings.Join(taken, ",") != "s = 3,s = 1" {
		t.Errorf("%v %v %t, want 2 by s = 3 and 3 by s = 1", least, taken, ok)
	}
	trades := map[string][]dynTrade{}
	for _, key := range dynTraded {
		trades[key] = []dynTrade{loose, strict, staler, ours, trade("dasp", "slow", 8, 4, 6), trade("dasp", "fresh", 4, 1, 1), trade("dasp", "ASP", 9, 1, 1)}
	}
	tab, note := dynTradeTable(trades)
	for i, want := range []any{dynHeld, dynNotHeld, dynNoCase, dynNoCase} {
		if got := tab.Rows[3+i][10]; got != want {
			t.Errorf("row %v is %v, want %v", tab.Rows[3+i], got, want)
		}
	}
	if r := tab.Rows[3]; r[7] != 0.5 || r[6] != "s = 3; s = 1" || tab.Rows[0][10] != nil {
		t.Errorf("row %v", r)
	}
	if !strings.Contains(note, "steps: held at 1 of 2 pairs of thresholds (by the mean of staleness in place of its 99th percentile: at 0)") {
		t.Error(note)
	}
	f := dynTradeFigures(trades)[0]
	if len(f.Series) != 2 || len(f.Series[0].X) != 3 || f.Series[1].X[2] != 4 || f.Series[1].Y[2] != 1000 || !strings.Contains(f.Alt, "DASP: 1.25e+03 ms at 8.0 versions (fast);") {
		t.Errorf("%+v", f)
	}
}
