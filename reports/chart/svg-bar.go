package chart

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/draw"
	"gradsync/reports/notebook"
)

// barChart draws one bar per category and series, textured, with its interval
// where the result has one.
func barChart(f notebook.Drawing) (chart, func(map[string]any)) {
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
			if missing(y) {
				data[j].Value = "-" // ECharts' word for no bar
			}
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
		var data []opts.CustomData
		for j := range s.Y {
			if !missing(s.Lo[j]) {
				// The last two words place the whisker on its bar: which of how many.
				data = append(data, opts.CustomData{Value: []float64{float64(j), s.Lo[j], s.Hi[j], float64(i), float64(len(f.Series))}})
			}
		}
		whiskers.AddSeries(s.Name, data)
		c.Overlap(whiskers)
		after = append(after, func(m map[string]any) {
			m["renderItem"] = "gradsync.errorbar"
			m["encode"] = map[string]any{"x": 0, "y": []int{1, 2}}
			m["itemStyle"] = map[string]any{"color": draw.Ink}
			m["z"] = 5
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
		wrapCategories(m, f.X.Categories)
	}
}

// Of a drawing of bars, in pixels: the room that its categories share, a letter's width
// and a line's height.
const categoryRoom, letterRoom, lineRoom = 620, 6.5, 15

// wrapCategories breaks names that are longer than their place between words,
// since ECharts would leave out every other name.
func wrapCategories(m map[string]any, names []string) {
	most := int(categoryRoom / letterRoom / float64(max(len(names), 1)))
	lines := 1
	wrapped := make([]any, len(names))
	for i, name := range names {
		text, n := wrapWords(name, most)
		wrapped[i], lines = text, max(lines, n)
	}
	axes, _ := m["xAxis"].([]any)
	grids, _ := m["grid"].([]any)
	if lines == 1 || len(axes) == 0 || len(grids) == 0 {
		return
	}
	axis, _ := axes[0].(map[string]any)
	grid, _ := grids[0].(map[string]any)
	axis["data"] = wrapped
	axis["nameGap"] = 32 + (lines-1)*lineRoom
	axis["axisLabel"].(map[string]any)["interval"] = 0
	grid["bottom"] = fmt.Sprint(60 + (lines-1)*lineRoom)
}

// wrapWords breaks s into lines of at most `most` letters where its words allow.
func wrapWords(s string, most int) (text string, lines int) {
	lines, length := 1, 0
	for i, w := range strings.Fields(s) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case length+1+n > most:
			text += "\n"
			lines, length = lines+1, 0
		default:
			text += " "
			length++
		}
		text, length = text+w, length+n
	}
	return text, lines
}
