package reports

import (
	"fmt"

	"gradsync/reports/assets"
	"gradsync/reports/draw"
	"gradsync/reports/page"
)

// echarts is the very file that a page loads, with the functions of report.js that
// charts name.
var echarts = page.NewLibrary("ECharts", func() (string, error) {
	js, err := assets.ReadFile("echarts-6.1.0.min.js")
	if err != nil {
		return "", err
	}
	ours, err := assets.ReadFile("report.js")
	return string(js) + "\n;" + string(ours) + "\n;gradsyncInstall(echarts)", err
})

// figureWidth is the drawn width of a figure in pixels; a printed one scales with the
// page.
const figureWidth = 900

// figureHeight grows with the lanes of a time line.
func figureHeight(lanes int) int {
	if lanes == 0 {
		return 400
	}
	return min(140+44*lanes, 900)
}

const drawScript = `(function(opt,w,h){var o=JSON.parse(opt);o.animation=false;` +
	`var c=echarts.init(null,null,{renderer:'svg',ssr:true,width:w,height:h});` +
	`try{c.setOption(o);return c.renderToSVGString()}finally{c.dispose()}})`

// drawOption draws an option. Text takes the colour of the text around the figure, and
// identifiers start with id, so that a page can hold many.
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
