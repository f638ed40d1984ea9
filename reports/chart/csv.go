package chart

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// CSV returns the numbers of a figure with every digit, one row per point or band.
func CSV(f notebook.Drawing) ([]byte, error) {
	var rows [][]string
	if f.Form == "map" {
		rows = mapLines(f)
	} else if f.Form == "gantt" {
		rows = append(rows, []string{"lane", "from [" + f.X.Unit + "]", "to [" + f.X.Unit + "]", "state", "label"})
		for _, b := range f.Bands {
			rows = append(rows, []string{f.Lanes[b.Lane], typeset.Raw(b.From), typeset.Raw(b.To), b.State, b.Label})
		}
	} else {
		rows = append(rows, []string{"series", "group", "seed", axisTitle(f.X), axisTitle(f.Y), "low", "high"})
		for _, s := range f.Series {
			seed := ""
			if s.Seed != nil {
				seed = strconv.FormatUint(*s.Seed, 10)
			}
			for i, y := range s.Y {
				if missing(y) {
					continue
				}
				line := []string{s.Name, s.Group, seed, standing(f, s, i), typeset.Raw(y), "", ""}
				if len(s.Lo) > 0 {
					line[5], line[6] = typeset.Raw(s.Lo[i]), typeset.Raw(s.Hi[i])
				}
				rows = append(rows, line)
			}
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// standing returns the category or place of point i of a series.
func standing(f notebook.Drawing, s notebook.Series, i int) string {
	if f.Form == "bar" {
		return f.X.Categories[i]
	}
	return typeset.Raw(s.X[i])
}

// mapLines returns the cells of a map with every digit, a line per cell.
func mapLines(f notebook.Drawing) [][]string {
	out := [][]string{{"lane", axisTitle(f.X), "state", axisTitle(f.Y)}}
	for _, b := range f.Bands {
		out = append(out, []string{f.Lanes[b.Lane], f.X.Categories[int(b.From)], b.State, typeset.Raw(b.To)})
	}
	return out
}
