package chart

import (
	"slices"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/notebook"
)

// ganttChart draws one lane per worker and one textured band per stretch of
// time, one series per state so that the legend names it.
func ganttChart(f notebook.Drawing) (chart, func(map[string]any)) {
	c := charts.NewCustom()
	c.SetGlobalOptions(globals(f)...)
	c.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: axisType(f.X)}),
		charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: f.Lanes}),
	)
	names, keys := bandStates(f.Bands)
	var after []func(m map[string]any)
	for i, name := range names {
		l, ok := states[strings.ToLower(keys[i])]
		if !ok {
			l = spare[i%len(spare)]
		}
		var data []opts.CustomData
		for _, b := range f.Bands {
			if b.State == name {
				data = append(data, opts.CustomData{Value: []float64{b.From, b.To, float64(b.Lane)}})
			}
		}
		c.AddSeries(name, data)
		after = append(after, func(m map[string]any) {
			m["renderItem"] = "gradsync.gantt"
			m["encode"] = map[string]any{"x": []int{0, 1}, "y": 2}
			m["itemStyle"] = map[string]any{"color": l.Colour, "decal": l.Decal}
			m["clip"] = true
		})
	}
	return c, func(m map[string]any) {
		for i, fn := range after {
			fn(seriesAt(m, i))
		}
		legend, _ := m["legend"].(map[string]any)
		legend["data"] = names
		y, _ := m["yAxis"].([]any)
		axis, _ := y[0].(map[string]any)
		axis["inverse"] = true // the first lane on top, as it is written
		axis["name"] = ""
		axis["splitLine"] = map[string]any{"show": false}
		x, _ := m["xAxis"].([]any)
		if axis, ok := x[0].(map[string]any); ok && len(f.Bands) > 0 {
			axis["min"] = slices.MinFunc(f.Bands, func(a, b notebook.Band) int { return compareFloat(a.From, b.From) }).From
			if label, ok := axis["axisLabel"].(map[string]any); ok {
				label["showMaxLabel"] = false // the end of the last band is no round number
			}
			axis["max"] = slices.MaxFunc(f.Bands, func(a, b notebook.Band) int { return compareFloat(a.To, b.To) }).To
		}
		m["grid"] = []any{map[string]any{"left": laneMargin(f.Lanes), "right": 28, "top": 64, "bottom": 60}}
	}
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// laneMargin leaves room for the longest lane name: the SVG writer only
// estimates text widths, so it is generous.
func laneMargin(lanes []string) int {
	longest := 0
	for _, l := range lanes {
		longest = max(longest, len([]rune(l)))
	}
	return min(24+longest*8, 260)
}
