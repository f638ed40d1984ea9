package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig6 is the choice of the DNN's benchmark accuracy.
func fig6() exp.Experiment { return benchmark("fig6", "Fig. 6", "C07", dnn) }

// benchmark is Fig. 6 or 7: the level at which the three algorithms differ most.
func benchmark(id, source, claim string, net network) exp.Experiment {
	return figure{id: id, title: "The benchmark accuracy, " + net.Title, source: source, nets: []network{net}, depth: atLargest,
		fill: func(_ *school, res *result.Result, cs []course) error {
			w := cs[0].largest
			differs := w.differs()
			if w.plan.Target == 0 {
				differs = differs[:len(differs)-1] // the level itself is what is judged
			}
			other := chooseLevel(w.curves(ethernet))
			res.Claims = append(res.Claims, judgeLevel(claim, w.picked, len(w.seeds), differs))
			res.Tables = []result.Table{w.levelTable("levels", judged, w.picked), w.levelTable("levels-whole", ethernet, other)}
			res.Figures = []result.Figure{w.levelFigure()}
			res.Notes = w.levelNotes(source, other)
			return nil
		}}.experiment()
}

// rule is the paper's, as it was made a program.
func rule() string {
	return fmt.Sprintf("The rule, made a program before the first run: of the whole per cents from %d points below the best accuracy of any run up to it, those that all three algorithms reach in every run; of these the one with the largest spread of mean times, (slowest − fastest)/fastest, the highest of equals.", levelsBelow)
}

func (w *largest) levelTable(id string, v variant, c choice) result.Table {
	r, _ := w.top.optimal(v)
	name, _ := seriesName(coded(r))
	t := result.Table{ID: id, Title: "Time to each level, " + groundName(v), Kind: result.Shared,
		Caption: rule() + " Empty: a run does not reach the level. " + groundHow(v) + w.first(v),
		Columns: []result.Column{{Key: "level", Title: "level", Unit: "%"}, {Key: "ssgd", Title: "SSGD Multicast", Unit: "s", Digits: 3},
			{Key: "cssgd", Title: name, Unit: "s", Digits: 3}, {Key: "asgd", Title: "ASGD", Unit: "s", Digits: 3},
			{Key: "spread", Title: "spread", Digits: 3}, {Key: "picked", Title: "picked"}}}
	for _, l := range c.Levels {
		row := []any{l.Percent}
		for _, x := range l.Seconds {
			row = append(row, exp.OrNone(x))
		}
		picked := ""
		if l.Percent == c.Picked {
			picked = "yes"
		}
		t.Rows = append(t.Rows, append(row, exp.OrNone(l.Spread), picked))
	}
	return t
}

func (w *largest) levelFigure() result.Figure {
	f := result.Figure{ID: "times", Title: w.plan.Net.Title + ": time to a level of accuracy", Kind: result.Shared, Form: "line",
		X: result.Axis{Title: "test accuracy", Unit: "%"}, Y: result.Axis{Title: "mean time to it", Unit: "s"},
		Caption: "Only levels that every run of an algorithm reaches. " + groundHow(judged) + " " + w.how() + ".",
		Alt:     fmt.Sprintf("The rule picks %d %%; the best accuracy of any run is %.1f %%.", w.picked.Picked, 100*w.picked.Best)}
	three := w.curves(judged)
	r, _ := w.top.optimal(judged)
	name, group := seriesName(coded(r))
	for i, s := range []result.Series{{Name: "SSGD Multicast", Group: multicast.Method}, {Name: name, Group: group}, {Name: "ASGD", Group: "asgd"}} {
		for percent := max(int(100*w.picked.Best)-4*levelsBelow, 1); percent <= int(100*w.picked.Best); percent++ {
			var at []float64
			for _, curve := range three[i] {
				at = append(at, reach(curve, float64(percent)/100, secondsOf))
			}
			if x := meanOf(at); !math.IsNaN(x) {
				s.X, s.Y = append(s.X, float64(percent)), append(s.Y, x)
			}
		}
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

func (w *largest) levelNotes(source string, whole choice) []string {
	c, stated := w.picked, statedTarget(w.plan.Net)
	notes := []string{fmt.Sprintf("%s of the paper picks %s, “near the target accuracy, where the three algorithms differ most”. On %s with %d nodes that rule picks %d %%; the best accuracy of any run is %.1f %%. With whole gradients on a switch it would pick %d %%.",
		source, percent(stated), w.ssgd[0].Data.Name, w.plan.most(), c.Picked, 100*c.Best, whole.Picked)}
	if c.Below {
		notes = append(notes, fmt.Sprintf("No level at most %d points below the best is reached by every run: the highest that is was taken.", levelsBelow))
	}
	if c.lowest() {
		notes = append(notes, fmt.Sprintf("That is the lowest candidate: how far below the best the rule looks, %d points here, decides as much as the curves do.", levelsBelow))
	}
	if w.plan.Target > 0 {
		notes = append(notes, fmt.Sprintf("The other figures of this profile take the paper's %s, on the paper's data.", percent(stated)))
	} else {
		notes = append(notes, fmt.Sprintf("The other figures of this profile take the rule's %d %%: other data have other levels.", c.Picked))
	}
	return append(notes, w.whole.note(), "SSGD and CSSGD make the same updates, so that the ratio of their times is the same at every level: where the three differ most depends on ASGD's curve alone.")
}
