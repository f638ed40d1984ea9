package chart

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/draw"
	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// mapChart draws a textured cell for every category and lane, with the number that stands in
// it, one series per state so that the legend can hide it.
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

// mapRows returns the cells of a map as they lie: a row per lane, its name before its cells.
func mapRows(f notebook.Drawing) [][]string {
	rows := make([][]string, len(f.Lanes))
	for i, lane := range f.Lanes {
		rows[i] = make([]string, 1+len(f.X.Categories))
		rows[i][0] = lane
	}
	for _, b := range f.Bands {
		rows[b.Lane][1+int(b.From)] = b.State + " " + b.Label
	}
	return rows
}

// mapLines returns the cells of a map with every digit, a line per cell.
func mapLines(f notebook.Drawing) [][]string {
	out := [][]string{{"lane", axisTitle(f.X), "state", axisTitle(f.Y)}}
	for _, b := range f.Bands {
		out = append(out, []string{f.Lanes[b.Lane], f.X.Categories[int(b.From)], b.State, typeset.Raw(b.To)})
	}
	return out
}

// checkCells refuses a map with two cells in one place.
func checkCells(f notebook.Drawing) error {
	taken := map[[2]int]bool{}
	for _, b := range f.Bands {
		at := [2]int{b.Lane, int(b.From)}
		if taken[at] {
			return fmt.Errorf("two cells at %s, %s", f.Lanes[b.Lane], f.X.Categories[at[1]])
		}
		taken[at] = true
	}
	return nil
}
