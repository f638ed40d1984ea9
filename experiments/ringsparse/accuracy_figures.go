package ringsparse

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// line is the mean curve over seeds, which have the same evaluations.
func line(f accuracyForm, these []mark, x, y func(train.Point) float64) result.Series {
	s := result.Series{Name: f.Short, Group: f.Key}
	for i := range these[0].Curve {
		var xs, ys []float64
		for _, m := range these {
			xs, ys = append(xs, x(m.Curve[i])), append(ys, y(m.Curve[i]))
		}
		mx, _ := exp.MeanAndHalf(xs)
		my, _ := exp.MeanAndHalf(ys)
		s.X, s.Y = append(s.X, mx), append(s.Y, my)
	}
	return s
}

func (m marks) accuracyFigure(net accuracyNet) result.Figure {
	f := result.Figure{ID: "accuracy-" + net.Model, Title: net.Title + ": test accuracy on the way", Kind: result.Trained, Form: "line",
		Caption: fmt.Sprintf("Mean over %d seeds, on %d test images. Pruned forms begin at half of the updates and are not drawn.", len(m.Seeds), m.plan.EvalImages),
		X:       result.Axis{Title: "updates"}, Y: result.Axis{Title: "test accuracy", Unit: "%"}}
	var said []string
	for _, form := range m.plan.on(net) {
		if form.Pruned {
			continue
		}
		s := line(form, m.of[net.Model][form.Key], func(p train.Point) float64 { return float64(p.Updates) }, func(p train.Point) float64 { return 100 * p.Accuracy })
		f.Series = append(f.Series, s)
		said = append(said, fmt.Sprintf("%s %.1f %%", form.Title, s.Y[len(s.Y)-1]))
	}
	f.Alt = "At the last evaluation: " + strings.Join(said, ", ") + "."
	return f
}

func (m marks) lossFigure(net accuracyNet) result.Figure {
	f := result.Figure{ID: "loss-" + net.Model, Title: fmt.Sprintf("%s: test loss by virtual time at %s", net.Title, linkName(m.plan.Link)), Kind: result.Trained, Form: "line",
		Caption: fmt.Sprintf("Mean cross-entropy over %d seeds, by the virtual clock of %s.", len(m.Seeds), reference),
		X:       result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "test loss"}}
	var said []string
	for _, form := range m.plan.on(net) {
		if form.Pruned {
			continue
		}
		s := line(form, m.of[net.Model][form.Key], func(p train.Point) float64 { return p.Seconds }, func(p train.Point) float64 { return p.Loss })
		f.Series = append(f.Series, s)
		said = append(said, fmt.Sprintf("%s %.2f after %.2f s", form.Title, s.Y[len(s.Y)-1], s.X[len(s.X)-1]))
	}
	f.Alt = "Loss at the last evaluation: " + strings.Join(said, ", ") + "."
	return f
}
