package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// statedTime is Table I's time to 0.67, no number for DASP.
func (c contestant) statedTime() float64 {
	if claim, ok := claims.Get(c.Stated); ok {
		if x, ok := claim.Number(); ok {
			return x
		}
	}
	return math.NaN()
}

// closedForm is the arithmetic of two workers whose iterations differ by f.
func (c contestant) closedForm(f float64) float64 {
	if c.lead() >= 0 {
		return boundedRatio(c.lead(), fullGradients)
	}
	if c.Sync == "asp" {
		return aspRatio(f)
	}
	return math.NaN() // DASP's gap is in versions: it has no closed form here
}

// anchorTable is the two-worker cluster: timing alone beside the stated times.
func anchorTable(f field, s anchorSize) result.Table {
	t := result.Table{ID: "anchor", Title: "Two workers, GTX 1080 Ti and GTX 1060, ResNet-110", Kind: result.TimingOnly,
		Caption: "Time of the same number of gradients, timing-only. " + scaled(s.Gradients) + " ± is half the 95 % interval over seeds. “Closed form” is the arithmetic of two workers without network: " +
			"2/(1 + f) for ASP, with f from the simulated iterations; 1 − lead/n for methods that keep the fast worker at most so many pushes ahead. “Stated” is DSSP's Table I: time to 0.67 test accuracy on CIFAR-100. " +
			"“Gradients, if” divides the stated ratio by the simulated one: how many gradients the method must have needed to 0.67, BSP = 1, if the simulation has its pace right. “Most clocks ahead” is within the simulated gradients.",
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "time", Title: "300 epochs", Unit: "s", Digits: 0}, {Key: "half", Title: "±", Unit: "s", Digits: 0},
			{Key: "ratio", Title: "BSP = 1", Digits: 3}, {Key: "closed", Title: "closed form", Digits: 3},
			{Key: "stated", Title: "stated, to 0.67", Unit: "s", Digits: 1}, {Key: "stated_ratio", Title: "stated, BSP = 1", Digits: 3}, {Key: "gradients", Title: "gradients, if", Digits: 2},
			{Key: "share", Title: "by the fast worker", Unit: "%", Digits: 1}, {Key: "waits", Title: "of its time it waits", Unit: "%", Digits: 1},
			{Key: "largest", Title: "most clocks ahead"}, {Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}}}
	factor := f.factor()
	for i, c := range f.list {
		mean, half := exp.MeanAndHalf(f.times(i))
		x, _ := ratio(f.times(i), f.times(0))
		stated := c.statedTime() / f.list[0].statedTime()
		t.Rows = append(t.Rows, []any{c.Name, mean, exp.OrNone(half), x, exp.OrNone(c.closedForm(factor)), exp.OrNone(c.statedTime()), exp.OrNone(stated), exp.OrNone(stated / x),
			100 * f.mean(i, func(l lap) float64 { return l.FastShare }), 100 * f.mean(i, func(l lap) float64 { return l.FastWaits }),
			f.largest(i), f.mean(i, func(l lap) float64 { return l.Staleness })})
	}
	return t
}

// factor is how much longer the slow worker's iteration is under ASP.
func (f field) factor() float64 {
	return f.mean(f.at("ASP"), func(l lap) float64 { return l.Factor })
}

func (f field) largest(i int) (most int64) {
	for _, l := range f.laps[i] {
		most = max(most, l.Largest)
	}
	return most
}

// at is the index of a contestant; an unknown name is a programmer's mistake.
func (f field) at(name string) int {
	i := slices.IndexFunc(f.list, func(c contestant) bool { return c.Name == name })
	if i < 0 {
		panic("dasp: no contestant " + name)
	}
	return i
}

// ratio of a contestant's time to BSP's.
func (f field) ratio(name string) float64 {
	x, _ := ratio(f.times(f.at(name)), f.times(f.at("BSP")))
	return x
}

// anchorFigure sets the simulated ratios beside the stated.
func anchorFigure(f field) result.Figure {
	fig := result.Figure{ID: "anchor-bars", Title: "Time relative to BSP: simulated pace and stated time to 0.67", Kind: result.TimingOnly, Form: "bar",
		Caption: "Simulated: time of the same number of gradients, whiskers: 95 % interval over seeds, paired. Stated: DSSP's Table I, time to 0.67 test accuracy. The two are different quantities; where they part, timing alone does not explain the stated time.",
		X:       result.Axis{Title: "method"}, Y: result.Axis{Title: "time, BSP = 1"}}
	sim, stated := result.Series{Name: "simulated"}, result.Series{Name: "stated"}
	for i, c := range f.list {
		if c.Stated == "" {
			continue
		}
		x, ci := ratio(f.times(i), f.times(0))
		at := float64(len(sim.X))
		fig.X.Categories = append(fig.X.Categories, c.Name)
		sim.X, sim.Y = append(sim.X, at), append(sim.Y, x)
		if ci != nil {
			sim.Lo, sim.Hi = append(sim.Lo, ci[0]), append(sim.Hi, ci[1])
		}
		y := c.statedTime() / f.list[0].statedTime()
		stated.X, stated.Y = append(stated.X, at), append(stated.Y, y)
		fig.Alt += fmt.Sprintf(" %s %.3f simulated, %.3f stated;", c.Name, x, y)
	}
	fig.Series = []result.Series{sim, stated}
	fig.Alt = "Bars, BSP = 1:" + strings.TrimSuffix(fig.Alt, ";") + "."
	return fig
}

// timed name and seconds of one method, to be put in order.
type placed struct {
	name    string
	seconds float64
}

// order sorts by time, fastest first, and writes "=" between neighbours that
// differ by less than tie of the first of their group.
func order(list []placed, tie float64) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b placed) int {
		switch {
		case a.seconds < b.seconds:
			return -1
		case a.seconds > b.seconds:
			return 1
		}
		return 0
	})
	text, first := list[0].name, list[0].seconds
	for _, p := range list[1:] {
		if p.seconds <= first*(1+tie) {
			text += " = " + p.name
			continue
		}
		text, first = text+" < "+p.name, p.seconds
	}
	return text
}
