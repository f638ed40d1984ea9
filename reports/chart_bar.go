package reports

import (
	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/experiments/result"
)

// barChart draws one bar per category and series, textured, with its interval
// where the result has one.
func barChart(f result.Figure) (chart, func(map[string]any)) {
	c := charts.NewBar()
	c.SetGlobalOptions(globals(f)...)
	c.SetGlobalOptions(charts.WithYAxisOpts(opts.YAxis{Type: axisType(f.Y)}))
	c.SetXAxis(f.X.Categories)
	dressed := looks(f.Series)
	var after []func(m map[string]any)
	for _, s := range f.Series {
		l := dressed[group(s)]
		data := make([]opts.BarData, len(s.Y))
		for j, y := range s.Y {
			data[j] = opts.BarData{Value: y}
		}
		c.AddSeries(s.Name, data)
		after = append(after, func(m map[string]any) {
			m["itemStyle"] = map[string]any{"color": l.Colour, "decal": l.Decal}
			m["barGap"], m["barCategoryGap"] = "12%", "28%"
			m["barMaxWidth"] = 64
		})
	}
	for i, s := range f.Series {
		if len(s.Lo) == 0 {
			continue
		}
		whiskers := charts.NewCustom()
		data := make([]opts.CustomData, len(s.Y))
		for j := range s.Y {
			// The last two words place the whisker on its bar: which of how many.
			data[j] = opts.CustomData{Value: []float64{float64(j), s.Lo[j], s.Hi[j], float64(i), float64(len(f.Series))}}
		}
		whiskers.AddSeries(s.Name, data)
		c.Overlap(whiskers)
		after = append(after, func(m map[string]any) {
			m["renderItem"] = "gradsync.errorbar"
			m["encode"] = map[string]any{"x": 0, "y": []int{1, 2}}
			m["itemStyle"] = map[string]any{"color": ink}
			m["silent"] = true
			m["z"] = 5
			m["tooltip"] = map[string]any{"show": false}
		})
	}
	return c, func(m map[string]any) {
		for i, fn := range after {
			fn(seriesAt(m, i))
		}
		legend, _ := m["legend"].(map[string]any)
		names := make([]string, len(f.Series))
		for i, s := range f.Series {
			names[i] = s.Name
		}
		legend["data"] = names
	}
}
