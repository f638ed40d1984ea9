package chart

import (
	"strings"
	"unicode"

	"gradsync/reports/notebook"
)

// Of a legend: how many letters of names a row holds, keys between them; how many
// names flow at most; and in pixels the room across, a letter's width and a row's height.
const (
	oneRow     = 70
	fewNames   = 6
	legendRoom = figureWidth - 16
	letterWide = 7
	legendRow  = 28
)

// layLegend gives the names of a legend their room: a few flow; more, and long ones,
// stand in columns, so that the drawing has all of them.
func layLegend(m map[string]any) {
	legend, _ := m["legend"].(map[string]any)
	names, _ := legend["data"].([]string)
	if len(names) == 0 {
		return
	}
	legend["itemGap"] = legendGap(names)
	grids, _ := m["grid"].([]any)
	if len(grids) != 1 {
		return
	}
	grid, _ := grids[0].(map[string]any)
	if inColumns(names) {
		legend["itemGap"] = 12
		text, _ := legend["textStyle"].(map[string]any)
		text["width"] = letterWide * longest(names)
		text["backgroundColor"] = "transparent" // ECharts keeps a width only for a box
		grid["top"] = 64 + legendRow*(legendRows(names)-1)
		return
	}
	if columns(strings.Join(names, "")) > oneRow {
		grid["top"] = 64 + legendRow
	}
}

// inColumns reports whether names stand in columns: they are many, or too long
// for one row.
func inColumns(names []string) bool {
	across := -legendGap(names)
	for _, n := range names {
		across += 40 + 5 + letterWide*columns(n) + legendGap(names)
	}
	return len(names) > fewNames || across > legendRoom
}

// legendRows returns how many rows the columns of names take; 1 for names that flow.
func legendRows(names []string) int {
	if !inColumns(names) {
		return 1
	}
	across := max(1, legendRoom/(40+5+12+letterWide*longest(names)))
	return (len(names) + across - 1) / across
}

// namesOf returns the names in the legend of f.
func namesOf(f notebook.Drawing) []string {
	switch f.Form {
	case "line":
		_, names := legendOf(f.Series)
		return names
	case "bar":
		names := make([]string, len(f.Series))
		for i, s := range f.Series {
			names[i] = s.Name
		}
		return names
	}
	names, _ := bandStates(f.Bands)
	return names
}

// longest returns how many letters the longest name has.
func longest(names []string) int {
	most := 0
	for _, n := range names {
		most = max(most, columns(n))
	}
	return most
}

// legendGap returns the space after a name. ECharts places names by the widths of a
// narrower font than many readers have, and is short by about a pixel and a half
// per letter.
func legendGap(names []string) int { return 10 + longest(names)*3/2 }

// columns counts the letters of a name, a Chinese one as two.
func columns(name string) (n int) {
	for _, r := range name {
		n++
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}
