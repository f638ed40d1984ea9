package chart

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/draw"
	"gradsync/reports/notebook"
)

// mapChart draws a textured cell for every category and lane, with the number that stands in
// it, one series per state so that the legend names it.
func mapChart(f notebook.Drawing) (chart, func(map[string]any)) {
	c := charts.NewCustom()
	c.SetGlobalOptions(globals(f)...)
	c.SetGlobalOptions(charts.WithYAxisOpts(opts.YAxis{Type: "category", Data: f.Lanes}))
	c.SetXAxis(f.X.Categories)
	names, keys := bandStates(f.Bands)
	var groups []notebook.Series
	for i, name := range names {
		groups = append(groups, notebook.Series{Name: name, Group: keys[i]})
	}
	dressed := looks(groups)
	for _, name := range names {
		var data []opts.CustomData
		for _, b := range f.Bands {
			if b.State == name {
				data = append(data, opts.CustomData{Value: []float64{b.From, float64(b.Lane), b.To}})
			}
		}
		c.AddSeries(name, data)
	}
	return c, func(m map[string]any) {
		for i := range names {
			s, l := seriesAt(m, i), dressed[keys[i]]
			s["renderItem"] = "gradsync.map"
			s["encode"] = map[string]any{"x": 0, "y": 1}
			s["itemStyle"] = map[string]any{"color": l.Colour, "decal": l.Decal, "borderColor": draw.Ink}
		}
		legend, _ := m["legend"].(map[string]any)
		legend["data"] = names
		y, _ := m["yAxis"].([]any)
		axis, _ := y[0].(map[string]any)
		axis["inverse"] = true // the first lane on top, as it is written
		axis["name"] = ""
		axis["splitLine"] = map[string]any{"show": false}
		axis["axisLabel"] = map[string]any{"color": draw.Ink, "fontSize": 12, "interval": 0}
		m["grid"] = []any{map[string]any{"left": laneMargin(f.Lanes), "right": 28, "top": 64, "bottom": 60}}
	}
}
