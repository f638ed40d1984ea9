package compare

import (
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// drawn are the methods that every figure begins with, in this order: looks are dealt out
// by what stands before, so that a method keeps its own from figure to figure. They are as
// many as there are colours; the tables have the others.
var drawn = []string{"bsp", "asp", "dasp", "ring", "ringsparse", "ssgd-multicast", "cssgd"}

// barred are the methods whose rounds are drawn as bars.
var barred = append(slices.Clone(drawn), "naive", "ssgd-unicast")

// curveFigure is accuracy over virtual time on one ground, means over seeds.
func (s *study) curveFigure(g ground) result.Figure {
	f := result.Figure{ID: fmt.Sprintf("curves-%g", g.Gbps), Title: fmt.Sprintf("Accuracy over time, %s, %s", clusterTitle[s.Set], g.link()), Kind: result.Trained, Form: "line",
		Caption: "Means over seeds, evaluated after the same numbers of gradients. Naive exchange learns as BSP, SSGD unicast as SSGD multicast. " + s.how(),
		X:       result.Axis{Title: "virtual time", Unit: "s"}, Y: result.Axis{Title: "test accuracy", Unit: "%"}}
	f.Alt = fmt.Sprintf("Seconds to %.0f %%:", 100*s.Target)
	for _, k := range drawn {
		m, cells := methodOf(k), s.cells(g, k)
		line := result.Series{Name: m.Title, Group: k}
		for i := range cells[0].Curve {
			var x, y []float64
			for _, c := range cells {
				if i < len(c.Curve) {
					x, y = append(x, c.Curve[i].Seconds), append(y, 100*c.Curve[i].Accuracy)
				}
			}
			mx, _ := exp.MeanAndHalf(x)
			my, _ := exp.MeanAndHalf(y)
			line.X, line.Y = append(line.X, mx), append(line.Y, my)
		}
		f.Series = append(f.Series, line)
		if sec, _, _, ok := reached(cells, s.Target); ok {
			at, _ := exp.MeanAndHalf(sec)
			f.Alt += fmt.Sprintf(" %s %.3g,", m.Title, at)
		} else {
			f.Alt += fmt.Sprintf(" %s never in a seed,", m.Title)
		}
	}
	f.Alt = f.Alt[:len(f.Alt)-1] + "."
	return f
}

// roundFigure is the time of a round of every method, one set of bars per link.
func (s *study) roundFigure() result.Figure {
	f := result.Figure{ID: "rounds", Title: "Time of a round, " + clusterTitle[s.Set], Kind: result.TimingOnly, Form: "bar",
		Caption: fmt.Sprintf("A round is %d samples of all workers together. Means over seeds, from the tables.", workers*s.Size.Batch),
		X:       result.Axis{Title: "link"}, Y: result.Axis{Title: "a round", Unit: "ms"}}
	for _, g := range s.Grounds {
		f.X.Categories = append(f.X.Categories, g.link())
	}
	for _, k := range barred {
		m := methodOf(k)
		bars := result.Series{Name: m.Title, Group: m.Key}
		for i, g := range s.Grounds {
			bars.X, bars.Y = append(bars.X, float64(i)), append(bars.Y, 1e3*mean(s.cells(g, m.Key), perRound))
		}
		f.Series = append(f.Series, bars)
	}
	for i, g := range s.Grounds {
		first, last := extremes(f.Series, i)
		f.Alt += fmt.Sprintf("%s: least %s, %.3g ms, most %s, %.3g ms. ", g.link(), first.Name, first.Y[i], last.Name, last.Y[i])
	}
	f.Alt = f.Alt[:len(f.Alt)-1]
	return f
}

// extremes are the series with the least and with the largest value at i, of equal ones
// the first drawn: what a figure says in words is of what it draws.
func extremes(drawn []result.Series, i int) (first, last result.Series) {
	first, last = drawn[0], drawn[0]
	for _, s := range drawn[1:] {
		if s.Y[i] < first.Y[i] {
			first = s
		}
		if s.Y[i] > last.Y[i] {
			last = s
		}
	}
	return first, last
}
