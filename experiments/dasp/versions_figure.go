package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// clusterShort names the clusters on narrow labels.
var clusterShort = map[string]string{homogeneous: "equal", heterogeneous: "unequal", straggler: "straggler"}

// vainFigure draws the share of pushes made to wait and in vain by cluster and
// model, where anybody waits.
func vainFigure(g censusGrid) result.Figure {
	f := result.Figure{ID: "versions-vain", Title: "Waits by clocks, and those in vain", Kind: result.TimingOnly, Form: "bar",
		Caption: fmt.Sprintf("Share of pushes that SSP (s = %d) and DSSP make wait, and the part of it whose worker was not ahead in versions (by Smin), at %s; error bars: 95 %% interval over seeds. %s",
			sspBound, referenceLink, whatAhead),
		X: result.Axis{Title: "cluster, model"}, Y: result.Axis{Title: "share of pushes", Unit: "%"}, Alt: "Bars, waits and those in vain:"}
	for _, method := range clockMethods {
		f.Series = append(f.Series, result.Series{Name: title[method] + ", waits"}, result.Series{Name: title[method] + ", in vain"})
	}
	var idle []string
	for _, cluster := range versionClusters {
		for _, m := range models {
			cells := g[cluster][referenceLink][m]
			if !anybodyWaits(cells) {
				idle = append(idle, clusterTitle[cluster]+", "+title[m])
				continue
			}
			place := len(f.X.Categories)
			f.X.Categories = append(f.X.Categories, clusterShort[cluster]+", "+shortModel(m))
			f.Alt += fmt.Sprintf(" %s, %s:", clusterTitle[cluster], title[m])
			for i, method := range clockMethods {
				waits, vain := &f.Series[2*i], &f.Series[2*i+1]
				var w, v []float64
				for _, c := range cells[method] {
					held, all := c.waited()
					w, v = append(w, 100*float64(held)/float64(all)), append(v, 100*float64(c.Count[bySmin][1][0])/float64(all))
				}
				bar(waits, place, w)
				bar(vain, place, v)
				f.Alt += fmt.Sprintf(" %s %.0f and %.0f %%", title[method], last(waits.Y), last(vain.Y)) + map[bool]string{true: ".", false: ","}[i == len(clockMethods)-1]
			}
		}
	}
	if len(idle) > 0 {
		f.Caption += " Nobody waits, and there is no bar: " + strings.Join(idle, "; ") + "."
	}
	return f
}

func anybodyWaits(cells map[string][]census) bool {
	for _, method := range clockMethods {
		all := pool(cells[method])
		if waits, _ := all.waited(); waits > 0 {
			return true
		}
	}
	return false
}

// bar adds the mean of x at place i, with its interval where there is one; a
// share of pushes stays between 0 and 100.
func bar(s *result.Series, i int, x []float64) {
	mean, half := exp.MeanAndHalf(x)
	s.X, s.Y = append(s.X, float64(i)), append(s.Y, mean)
	if len(x) > 1 {
		s.Lo, s.Hi = append(s.Lo, max(mean-half, 0)), append(s.Hi, min(mean+half, 100))
	}
}
