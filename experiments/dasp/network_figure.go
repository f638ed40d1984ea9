package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
)

// linkFigure draws the forms' ratios before both servers.
func linkFigure(set string, vs []platforms.Variant, g linkGrid) result.Figure {
	id := map[string]string{platforms.UnequalLinkSet: "network-unequal", platforms.RemoteWorker: "network-remote"}[set]
	f := result.Figure{ID: id, Title: "Iteration time: " + set, Kind: result.TimingOnly, Form: "bar",
		Caption: "Mean iteration time per worker, waits included, relative to BSP of the same model and cluster; error bars: 95 % interval over seeds, paired. DASP with every T_wait 0 stands in the table.",
		X:       result.Axis{Title: "model, server's link in Gb/s"}, Y: result.Axis{Title: "iteration time, BSP = 1"}, Alt: "Bars: "}
	for _, form := range drawnForms() {
		f.Series = append(f.Series, result.Series{Name: form.title, Group: form.key})
	}
	for _, v := range vs {
		if v.Workers != set {
			continue
		}
		for _, m := range models {
			f.X.Categories = append(f.X.Categories, shortModel(m)+", "+strings.TrimSuffix(v.Link, " Gb/s"))
			f.Alt += title[m] + " before " + v.Link + ":"
			for i, form := range drawnForms() {
				x, ci := overBSP(g[v.Name][m], form.key)
				s := &f.Series[i]
				s.X, s.Y = append(s.X, float64(len(f.X.Categories)-1)), append(s.Y, x)
				if ci != nil {
					s.Lo, s.Hi = append(s.Lo, ci[0]), append(s.Hi, ci[1])
				}
				f.Alt += fmt.Sprintf(" %s %.2f", form.title, x) + map[bool]string{true: ". ", false: ";"}[i == len(f.Series)-1]
			}
		}
	}
	return f
}

// drawnForms are those of the figures.
func drawnForms() []networkForm {
	forms := networkForms()
	return forms[1 : len(forms)-1]
}

// shortModel is a model's name as far as its first hyphen, for narrow labels.
func shortModel(m string) string {
	name, _, _ := strings.Cut(title[m], "-")
	return name
}
