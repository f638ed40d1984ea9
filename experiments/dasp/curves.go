package dasp

import (
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// curves draws the test accuracy of the five methods: every seed faint, the
// mean bold with its 95 % band.
func curves(id, heading, axis, unit string, s size, seeds []uint64, t trainings, x func(train.Point) float64) result.Figure {
	f := result.Figure{ID: id, Title: title[s.Model] + ": " + heading, Kind: result.Trained, Form: "line",
		Caption: "Thin lines are single seeds, the bold line is their mean, the band its 95 % interval, cut at 0 and 100 %. Trained: " + trainedOn(s, t) + ".",
		X:       result.Axis{Title: axis, Unit: unit}, Y: result.Axis{Title: "test accuracy", Unit: "%"}}
	for _, method := range methods {
		cells := t[method]
		for i, c := range cells {
			f.Series = append(f.Series, line(method, &seeds[i], c.Curve, x))
		}
		f.Series = append(f.Series, meanLine(method, cells, x))
	}
	f.Alt = altCurves(t)
	return f
}

func line(method string, seed *uint64, curve []train.Point, x func(train.Point) float64) result.Series {
	s := result.Series{Name: title[method], Group: method, Seed: seed}
	for _, p := range curve {
		s.X, s.Y = append(s.X, x(p)), append(s.Y, 100*p.Accuracy)
	}
	return s
}

// meanLine averages evaluation by evaluation: all seeds are evaluated after the
// same number of gradients, give or take a group.
func meanLine(method string, cells []cell, x func(train.Point) float64) result.Series {
	s := result.Series{Name: title[method], Group: method}
	for i := 0; ; i++ {
		var xs, ys []float64
		for _, c := range cells {
			if i >= len(c.Curve) {
				return s
			}
			xs, ys = append(xs, x(c.Curve[i])), append(ys, 100*c.Curve[i].Accuracy)
		}
		mx, _ := exp.MeanAndHalf(xs)
		my, half := exp.MeanAndHalf(ys)
		s.X, s.Y = append(s.X, mx), append(s.Y, my)
		if len(cells) > 1 {
			s.Lo, s.Hi = append(s.Lo, max(my-half, 0)), append(s.Hi, min(my+half, 100))
		}
	}
}

func altCurves(t trainings) string {
	out := "Mean test accuracy at the first and last evaluation:"
	for _, method := range methods {
		m := meanLine(method, t[method], func(p train.Point) float64 { return p.Seconds })
		if n := len(m.Y); n > 0 {
			out += fmt.Sprintf(" %s %.1f %% to %.1f %% at %.3g s;", title[method], m.Y[0], m.Y[n-1], m.X[n-1])
		}
	}
	return out[:len(out)-1] + "."
}

// bothCurves are the two views of a figure: over virtual time and over
// gradients (epochs are gradients × batch / images).
func bothCurves(suffix, platform string, s size, seeds []uint64, t trainings) []result.Figure {
	return []result.Figure{
		curves("time"+suffix, "accuracy over virtual time, "+title[platform], "virtual time", "s", s, seeds, t, func(p train.Point) float64 { return p.Seconds }),
		curves("gradients"+suffix, "accuracy over gradients, "+title[platform], "gradients used", "", s, seeds, t, func(p train.Point) float64 { return float64(p.Pushes) }),
	}
}

// fluctuation is the mean fall of accuracy from one evaluation to the next over
// the last half of a curve, in points; a rise counts as 0, since it is learning.
func fluctuation(c cell) float64 {
	half := c.Curve[len(c.Curve)/2:]
	if len(half) < 2 {
		return 0
	}
	sum := 0.0
	for i := 1; i < len(half); i++ {
		sum += max(100*(half[i-1].Accuracy-half[i].Accuracy), 0)
	}
	return sum / float64(len(half)-1)
}

// curveTable is the figure's data in words and numbers.
func curveTable(id string, s size, t trainings) result.Table {
	tab := result.Table{ID: id, Title: title[s.Model] + ": final accuracy and fluctuation", Kind: result.Trained,
		Caption: "Accuracy of the final parameters on all test images, mean over seeds; fluctuation is the mean fall " +
			"from one evaluation to the next over the last half of the run (a rise counts as 0; a first version counted rises too, which called BSP's own progress fluctuation). ± is half the 95 % interval. Trained: " + trainedOn(s, t) + ".",
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2},
			{Key: "accuracy_half", Title: "±", Unit: "points", Digits: 2}, {Key: "fluctuation", Title: "fluctuation", Unit: "points", Digits: 2},
			{Key: "fluctuation_half", Title: "±", Unit: "points", Digits: 2},
			{Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}}}
	for _, method := range methods {
		a, half := exp.MeanAndHalf(values(t[method], func(c cell) float64 { return 100 * c.Accuracy }))
		f, fhalf := exp.MeanAndHalf(values(t[method], fluctuation))
		stale, _ := exp.MeanAndHalf(values(t[method], func(c cell) float64 { return c.Staleness.Mean }))
		tab.Rows = append(tab.Rows, []any{title[method], a, exp.OrNone(half), f, exp.OrNone(fhalf), stale})
	}
	return tab
}
