package chart

import (
	"math"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/notebook"
)

// lineChart draws the mean of every group as a bold line with its own dash, its
// band behind it and its seeds as faint lines. All three carry the group's
// name, so one click in the legend hides them together.
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

// bandLook dresses a band; it takes no part in tool tips.
func bandLook(l look) func(map[string]any) {
	return func(m map[string]any) {
		m["renderItem"] = "gradsync.band"
		m["encode"] = map[string]any{"x": 0, "y": []int{1, 2}}
		m["itemStyle"] = map[string]any{"color": l.Colour}
		m["silent"] = true
		m["clip"] = true
		m["z"] = 1
		m["tooltip"] = map[string]any{"show": false}
	}
}

// ordered puts the means first, because the legend draws the first series of a
// name.
func ordered(series []notebook.Series) []notebook.Series {
	var means, seeds []notebook.Series
	for _, s := range series {
		if s.Seed == nil {
			means = append(means, s)
		} else {
			seeds = append(seeds, s)
		}
	}
	return append(means, seeds...)
}

// legendOf maps each group to the name of its mean, which its seeds and its
// band take too, and lists those names once each in the result's order.
func legendOf(series []notebook.Series) (byGroup map[string]string, names []string) {
	byGroup = map[string]string{}
	for _, s := range ordered(series) {
		if _, ok := byGroup[group(s)]; !ok {
			byGroup[group(s)] = s.Name
		}
	}
	for _, s := range series {
		if n := byGroup[group(s)]; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return byGroup, names
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
			m["silent"] = true
			m["seed"] = *s.Seed // for who takes the numbers away
		}
		m["lineStyle"] = style
		m["itemStyle"] = mark
		m["emphasis"] = map[string]any{"disabled": true}
	}
}

func lineData(s notebook.Series) []opts.LineData {
	data := make([]opts.LineData, len(s.X))
	for i := range s.X {
		data[i] = opts.LineData{Value: drawn(s.X[i], s.Y[i])}
	}
	return data
}

// bandData returns x, lower, upper.
func bandData(s notebook.Series) []opts.CustomData {
	data := make([]opts.CustomData, len(s.X))
	for i := range s.X {
		data[i] = opts.CustomData{Value: drawn(s.X[i], s.Lo[i], s.Hi[i])}
	}
	return data
}

// drawn returns a point to six digits, finer than any screen: `gradsync export` writes them all.
func drawn(xs ...float64) []float64 {
	for i, x := range xs {
		if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64); err == nil {
			xs[i] = short
		}
	}
	return xs
}

// percentRange returns the y axis of a figure of shares: it stays within 0 to 100
// however wide a band is, starts at 0 unless everything is far above, and ends
// on round numbers. Accuracies that soon settle above 80 lose their start, see
// settledAbove. Values outside 0 to 100 are no shares: then ECharts chooses.
func percentRange(f notebook.Drawing) (lo, hi float64, ok bool) {
	if f.Y.Unit != "%" || f.Y.Log {
		return 0, 0, false
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, y := range s.Y {
			if y < 0 || y > 100 {
				return 0, 0, false
			}
		}
		for _, ys := range [][]float64{s.Y, s.Lo, s.Hi} {
			for _, y := range ys {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	lo, hi = max(0, math.Floor(lo/10)*10), min(100, math.Ceil(hi/10)*10)
	if start, ok := settledAbove(f); ok {
		return start, hi, start < hi
	}
	if lo <= 40 {
		lo, hi = 0, math.Ceil(hi/20)*20
	}
	return lo, hi, lo < hi
}
