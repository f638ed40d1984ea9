package chart

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"gradsync/reports/draw"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// chart holds the methods that all go-echarts charts share: options in, a map out.
// The library's own pages, identifiers and script addresses are never used.
type chart interface {
	Validate()
	JSON() map[string]any
}

// SVG draws a figure in a language (0 English, 1 Chinese), figureWidth wide; draw.StandAlone gives it what it needs
// outside of a page. id decides the identifiers in the drawing, so that one document can hold many.
func SVG(f *notebook.Figure, l int, id string, s *page.Scripts) (string, error) {
	if err := check(f); err != nil {
		return "", err
	}
	en, zh, _ := asDrawn(f)
	drawn := [2]notebook.Drawing{en, zh}[l]
	opt, err := option(drawn)
	if err != nil {
		return "", err
	}
	return drawOption(s, id, opt, heightOf(drawn)+legendRow*(legendRows(namesOf(drawn))-1))
}

// option returns figure f as an ECharts option in JSON: data and names of
// functions, never code. The same figure gives the same bytes.
func option(f notebook.Drawing) ([]byte, error) {
	var c chart
	var patch func(m map[string]any)
	switch f.Form {
	case "line":
		c, patch = lineChart(f)
	case "bar":
		c, patch = barChart(f)
	case "gantt":
		c, patch = ganttChart(f)
	case "map":
		c, patch = mapChart(f)
	default:
		return nil, fmt.Errorf("chart: figure %s: unknown form %q", f.ID, f.Form)
	}
	c.Validate()
	raw, err := json.Marshal(c.JSON())
	if err != nil {
		return nil, fmt.Errorf("chart: figure %s: %w", f.ID, err)
	}
	if bytes.Contains(raw, []byte("__f__")) {
		return nil, fmt.Errorf("chart: figure %s: a script inside the option; register the function by name", f.ID)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("chart: figure %s: %w", f.ID, err)
	}
	dress(m, f)
	patch(m)
	layLegend(m)
	out, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("chart: figure %s: %w", f.ID, err)
	}
	return out, nil
}

// globals returns the options that all three forms share.
func globals(f notebook.Drawing) []charts.GlobalOpts {
	return []charts.GlobalOpts{
		charts.WithInitializationOpts(opts.Initialization{ChartID: "fig-" + typeset.Slug(f.ID)}),
		charts.WithGridOpts(opts.Grid{Left: "72", Right: rightOf(f), Top: "64", Bottom: "60"}),
		charts.WithAnimation(false),
	}
}

// rightOf returns the room to the right of a drawing, in px: half of the last number below
// it, which stands at the edge on a logarithmic axis, goes beyond the drawing.
func rightOf(f notebook.Drawing) string {
	for _, s := range f.Series {
		for _, x := range s.X {
			if f.X.Log && x >= 1e8 {
				return "56"
			}
		}
	}
	return "28"
}

// dress sets what go-echarts has no field for: the colour of text, and axis names that do not collide.
func dress(m map[string]any, f notebook.Drawing) {
	for _, part := range []string{"title", "toolbox", "tooltip"} {
		delete(m, part)
	}
	m["backgroundColor"] = "transparent"
	m["textStyle"] = map[string]any{"color": draw.Ink, "fontFamily": "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"}
	m["legend"] = map[string]any{
		"type": "plain", "top": 4, "left": 8, "right": 8, "itemGap": 12, "itemWidth": 26,
		"textStyle": map[string]any{"color": draw.Ink, "fontSize": 13},
	}
	for _, at := range []struct {
		key  string
		axis notebook.Axis
		gap  int
	}{{"xAxis", f.X, 32}, {"yAxis", f.Y, 50}} {
		dressAxis(m, at.key, at.axis, at.gap)
	}
}

func dressAxis(m map[string]any, key string, a notebook.Axis, gap int) {
	list, ok := m[key].([]any)
	if !ok || len(list) == 0 {
		return
	}
	axis, ok := list[0].(map[string]any)
	if !ok {
		return
	}
	faint := map[string]any{"lineStyle": map[string]any{"color": draw.Ink, "opacity": 0.12}}
	axis["name"] = axisTitle(a)
	axis["nameLocation"] = "middle"
	axis["nameGap"] = gap
	style := map[string]any{"color": draw.Ink, "fontSize": 13}
	if room := map[string]int{"xAxis": figureWidth - 160, "yAxis": figureHeight(0) - 100}[key]; letterWide*columns(axisTitle(a)) > room {
		style["width"], style["overflow"] = room, "break"
	}
	axis["nameTextStyle"] = style
	axis["axisLabel"] = map[string]any{"color": draw.Ink, "fontSize": 12, "hideOverlap": true}
	axis["axisLine"] = map[string]any{"show": true, "lineStyle": map[string]any{"color": draw.Ink, "opacity": 0.45}}
	axis["axisTick"] = map[string]any{"show": key == "xAxis", "lineStyle": map[string]any{"color": draw.Ink, "opacity": 0.45}}
	axis["splitLine"] = map[string]any{"show": key == "yAxis", "lineStyle": faint["lineStyle"]}
}

// axisType returns ECharts' word for the axis.
func axisType(a notebook.Axis) string {
	if a.Log {
		return "log"
	}
	return "value"
}

// seriesAt returns the i-th series of a marshalled option.
func seriesAt(m map[string]any, i int) map[string]any {
	list, _ := m["series"].([]any)
	if i >= len(list) {
		return map[string]any{}
	}
	s, _ := list[i].(map[string]any)
	return s
}

//go:embed lib/echarts-6.1.0.min.js
var echartsJS string

//go:embed series.js
var seriesJS string

// echarts never leaves the program.
var echarts = page.NewLibrary("ECharts", func() (string, error) { return echartsJS + "\n;" + seriesJS, nil })

// figureWidth is the drawn width of a figure in pixels.
const figureWidth = 900

// figureHeight grows with the lanes of a time line.
func figureHeight(lanes int) int {
	if lanes == 0 {
		return 400
	}
	return min(140+44*lanes, 900)
}

// heightOf returns the height of a drawing below one row of its legend; the rows of a map are
// lower than the lanes of a time line.
func heightOf(f notebook.Drawing) int {
	if f.Form == "map" {
		return 140 + 26*len(f.Lanes)
	}
	return figureHeight(len(f.Lanes))
}

const drawScript = `(function(opt,w,h){var c=echarts.init(null,null,{renderer:'svg',ssr:true,width:w,height:h});` +
	`try{c.setOption(JSON.parse(opt));return c.renderToSVGString()}finally{c.dispose()}})`

// drawOption draws an option; text takes the colour of the text around the drawing.
func drawOption(s *page.Scripts, id string, option []byte, height int) (string, error) {
	if err := s.Load(echarts); err != nil {
		return "", err
	}
	out, err := s.Call(drawScript, string(option), figureWidth, height)
	if err != nil {
		return "", fmt.Errorf("chart: drawing %s: %w", id, err)
	}
	return draw.Tidy(id, out)
}
