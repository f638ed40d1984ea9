package chart

import (
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/notebook"
)

// lineChart draws the mean of every group as a bold line with its own dash, its
// band behind it and its seeds as faint lines. All three carry the group's
// name, which the legend has once.
func lineChart(f notebook.Drawing) (chart, func(map[string]any)) {
	c := charts.NewLine()
	c.SetGlobalOptions(globals(f)...)
	c.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: axisType(f.X)}),
		charts.WithYAxisOpts(opts.YAxis{Type: axisType(f.Y), Scale: opts.Bool(true)}),
	)
	dressed := looks(f.Series)
	if f.Before != nil {
		dressed = looks(f.Before)
	}
	byGroup, names := legendOf(f.Series)
	var after []func(s map[string]any)
	for _, s := range ordered(f.Series) {
		c.AddSeries(byGroup[group(s)], lineData(s))
		after = append(after, lineLook(s, dressed[group(s)]))
	}
	for _, s := range f.Series {
		if len(s.Lo) > 0 && s.Seed == nil {
			band := charts.NewCustom()
			band.AddSeries(byGroup[group(s)], bandData(s))
			c.Overlap(band)
			after = append(after, bandLook(dressed[group(s)]))
		}
	}
	return c, func(m map[string]any) {
		for i, fn := range after {
			fn(seriesAt(m, i))
		}
		for _, key := range []string{"xAxis", "yAxis"} { // at the edge, wherever zero is
			list, _ := m[key].([]any)
			axis, _ := list[0].(map[string]any)
			line, _ := axis["axisLine"].(map[string]any)
			line["onZero"] = false
		}
		if counts(f) {
			list, _ := m["xAxis"].([]any)
			axis, _ := list[0].(map[string]any)
			axis["minInterval"] = 1
		}
		if lo, hi, ok := percentRange(f); ok {
			list, _ := m["yAxis"].([]any)
			axis, _ := list[0].(map[string]any)
			axis["min"], axis["max"] = lo, hi
		}
		legend, _ := m["legend"].(map[string]any)
		legend["data"] = names
		legend["itemWidth"] = 40 // long enough to show the dash
	}
}

// counts reports whether the horizontal axis counts something, such as ranks: no
// tick then stands between two whole numbers.
func counts(f notebook.Drawing) bool {
	return !f.X.Log && (f.X.Unit == "" || f.X.Unit == "-") && !slices.ContainsFunc(f.Series, func(s notebook.Series) bool {
		return slices.ContainsFunc(s.X, func(x float64) bool { return x != math.Trunc(x) })
	})
}

// bandLook dresses a band.
func bandLook(l look) func(map[string]any) {
	return func(m map[string]any) {
		m["renderItem"] = "gradsync.band"
		m["encode"] = map[string]any{"x": 0, "y": []int{1, 2}}
		m["itemStyle"] = map[string]any{"color": l.Colour}
		m["clip"] = true
		m["z"] = 1
	}
}

// mostMarked is how many points of a line have markers: more would run together.
const mostMarked = 40

// lineLook dresses a mean boldly and a seed faintly.
func lineLook(s notebook.Series, l look) func(map[string]any) {
	return func(m map[string]any) {
		style := map[string]any{"color": l.Colour, "width": 2.5, "type": l.Dash}
		m["symbol"], m["symbolSize"], m["z"] = l.Symbol, 6, 3
		m["showSymbol"] = len(s.X) <= mostMarked
		mark := map[string]any{"color": l.Colour}
		if l.Symbol == "none" || len(s.X) > mostMarked {
			mark["opacity"] = 0 // else the legend draws a marker, though the line has none
		}
		if s.Seed != nil {
			style = map[string]any{"color": l.Colour, "width": 1, "opacity": 0.35}
			m["showSymbol"], m["z"] = false, 2
		}
		m["lineStyle"] = style
		m["itemStyle"] = mark
	}
}

func lineData(s notebook.Series) []opts.LineData {
	data := make([]opts.LineData, len(s.X))
	for i := range s.X {
		data[i] = opts.LineData{Value: []float64{s.X[i], s.Y[i]}}
	}
	return data
}

// bandData returns x, lower, upper.
func bandData(s notebook.Series) []opts.CustomData {
	data := make([]opts.CustomData, len(s.X))
	for i := range s.X {
		data[i] = opts.CustomData{Value: []float64{s.X[i], s.Lo[i], s.Hi[i]}}
	}
	return data
}
