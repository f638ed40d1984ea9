package dasp

import (
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// iterationTable prints the three readings of the mean iteration time, their
// intervals over seeds, and the ratio to BSP.
func iterationTable(heading string, g grid) result.Table {
	t := result.Table{ID: "iteration", Title: heading, Kind: result.TimingOnly,
		Caption: "Mean iteration time. “Per worker” averages over workers with their waits and is what the claims are judged by; " +
			"“per push” counts fast workers more often; “per update” is the time between two versions of the model. " +
			"± is half the 95 % interval over seeds.",
		Columns: []result.Column{{Key: "model", Title: "model"}, {Key: "method", Title: "method"}}}
	for _, r := range readings {
		t.Columns = append(t.Columns, result.Column{Key: r.key, Title: r.title, Unit: "ms", Digits: 2},
			result.Column{Key: r.key + "_half", Title: "±", Unit: "ms", Digits: 2})
	}
	t.Columns = append(t.Columns, result.Column{Key: "bsp", Title: "per worker, BSP = 1", Digits: 3},
		result.Column{Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2})
	for _, m := range models {
		for _, method := range methods {
			row := []any{title[m], title[method]}
			for _, r := range readings {
				mean, half := exp.MeanAndHalf(values(g[m][method], r.of))
				row = append(row, 1e3*mean, exp.OrNone(1e3*half))
			}
			x, _ := ratio(values(g[m][method], perIteration), values(g[m]["bsp"], perIteration))
			stale, _ := exp.MeanAndHalf(values(g[m][method], func(c cell) float64 { return c.Staleness.Mean }))
			t.Rows = append(t.Rows, append(row, x, stale))
		}
	}
	return t
}

// iterationFigure draws the per-worker reading relative to BSP.
func iterationFigure(heading string, g grid) result.Figure {
	f := result.Figure{ID: "iteration-bars", Title: heading + ", BSP = 1", Kind: result.TimingOnly, Form: "bar",
		Caption: "Mean iteration time per worker, waits included, relative to BSP of the same model; error bars: 95 % interval over seeds, paired.",
		X:       result.Axis{Title: "model"}, Y: result.Axis{Title: "iteration time, BSP = 1"}}
	for _, m := range models {
		f.X.Categories = append(f.X.Categories, title[m])
	}
	for _, method := range methods {
		s := result.Series{Name: title[method], Group: method}
		for i, m := range models {
			x, ci := ratio(values(g[m][method], perIteration), values(g[m]["bsp"], perIteration))
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, x)
			if ci != nil {
				s.Lo, s.Hi = append(s.Lo, ci[0]), append(s.Hi, ci[1])
			}
		}
		f.Series = append(f.Series, s)
	}
	f.Alt = "Bars: " + altRatios(g)
	return f
}

// altRatios says the figure in words.
func altRatios(g grid) string {
	s := ""
	for _, m := range models {
		s += title[m] + ":"
		for _, method := range methods {
			x, _ := ratio(values(g[m][method], perIteration), values(g[m]["bsp"], perIteration))
			s += fmt.Sprintf(" %s %.2f", title[method], x)
		}
		s += ". "
	}
	return s
}

// assumed is what every verdict that hangs on times has behind it.
const assumed = "the platform is assumed (the paper's Tables 1–2 are lost)"

// judgeReductions judges D01–D09 or D10–D18, and the ratios derived from them,
// D42–D44 or D45–D47. ranges says by claim what the plausible platforms give.
func judgeReductions(platform string, g grid, ranges map[string]string) []result.Claim {
	var out []result.Claim
	for _, c := range reductionClaims(platform) {
		x, ci := reduction(values(g[c.model]["dasp"], perIteration), values(g[c.model][c.against], perIteration))
		out = append(out, claims.Judge(c.id, claims.Evidence{Value: x, CI95: ci,
			Seeds: len(g[c.model]["dasp"]), Note: assumed + isASP(g[c.model]) + sameAs(x, c.against) + ranges[c.id]}))
	}
	for i, m := range models {
		var x []float64
		var ci []*[2]float64
		for _, method := range ratioMethods {
			r, rci := ratio(values(g[m][method], perIteration), values(g[m]["bsp"], perIteration))
			x, ci = append(x, r), append(ci, rci)
		}
		id := ratioClaim(platform, i)
		out = append(out, claims.Judge(id, claims.Evidence{Value: x, CI95s: ci,
			Seeds: len(g[m]["bsp"]), Note: assumed + isASP(g[m]) + ranges[id]}))
	}
	return out
}

// sameAs says what a difference of exactly 0 means.
func sameAs(x float64, rival string) string {
	if x != 0 {
		return ""
	}
	return "; DASP and " + title[rival] + " do the same here: no worker ever waits for another"
}

// isASP is what a verdict must not hide: that DASP never made anybody wait.
func isASP(cells map[string][]cell) string {
	for _, c := range cells["dasp"] {
		if c.Share["QIS"] < 1 {
			return ""
		}
	}
	return "; DASP is ASP here: every push is in QIS"
}
