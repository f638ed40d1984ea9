package chart

import (
	"testing"

	"gradsync/reports/notebook"
)

// Names that are too long for one row stand in columns; short ones flow.
func TestLongNamesStandInColumns(t *testing.T) {
	long := "a name of an invented method, with forty" // letters
	for _, c := range []struct {
		names []string
		rows  int
	}{
		{[]string{"BSP", "ASP", "SSP", "DSSP", "DASP", "ring"}, 1},
		{[]string{"BSP", "ASP", "SSP", "DSSP", "DASP", "naive", "ring", "RingSparse", "SSGD", "ASGD", "CSSGD", "compressed"}, 2},
		// 884 px hold 6 columns of 57 px and 10 letters
		{[]string{long, long}, 1},
		{[]string{long, long, long}, 2}, // two columns of 337 px
		{[]string{long, "ring", "a name of medium length", "one more of medium length", "ring", "naive"}, 3},
	} {
		if got := legendRows(c.names); got != c.rows {
			t.Errorf("%d rows of %q, want %d", got, c.names, c.rows)
		}
	}
}

// TestLegendMarksWhatIsMarked: a line without markers, by its look or by its many points,
// has none in the legend either, which takes the opacity of the line's markers.
func TestLegendMarksWhatIsMarked(t *testing.T) {
	for _, c := range []struct {
		symbol string
		points int
		marked bool
	}{{"circle", 40, true}, {"circle", 41, false}, {"none", 3, false}} {
		m := map[string]any{}
		lineLook(notebook.Series{X: make([]float64, c.points)}, look{Colour: "#123456", Symbol: c.symbol})(m)
		style, _ := m["itemStyle"].(map[string]any)
		if opacity, hidden := style["opacity"]; hidden == c.marked || hidden && opacity != 0 || style["color"] != "#123456" {
			t.Errorf("symbol %s, %d points: %v, want a marker in the legend: %t", c.symbol, c.points, style, c.marked)
		}
		if shown, _ := m["showSymbol"].(bool); shown && c.symbol != "none" != c.marked {
			t.Errorf("symbol %s, %d points: line and legend differ", c.symbol, c.points)
		}
	}
}
