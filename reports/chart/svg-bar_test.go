package chart

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
)

// Broken by hand.
func TestWordsWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{
		{"pruned MLP, gradient masked", 12, "pruned MLP,|gradient|masked"}, {"ResNet-18", 4, "ResNet-18"}, {"a b c", 3, "a b|c"}, {"", 5, ""},
		{"ööö ööö", 7, "ööö ööö"}, // letters, not bytes
	} {
		text, lines := wrapWords(c.s, c.most)
		if got := strings.ReplaceAll(text, "\n", "|"); got != c.want || lines != 1+strings.Count(c.want, "|") {
			t.Errorf("%q in %d letters: %q in %d lines, want %q", c.s, c.most, got, lines, c.want)
		}
	}
}

// Six long names each stand below their bars; three short ones stay as they were.
func TestCategoriesAllHaveTheirName(t *testing.T) {
	draw := func(names ...string) (opt struct {
		Grid  []struct{ Bottom string }
		XAxis []struct {
			Data      []string
			NameGap   int
			AxisLabel struct{ Interval *int }
		}
	}) {
		f := notebook.Drawing{ID: "b", Form: "bar", X: notebook.Axis{Title: "model", Categories: names}, Y: notebook.Axis{Title: "share", Unit: "%"},
			Series: []notebook.Series{{Name: "s", Y: make([]float64, len(names))}}}
		raw, err := option(f)
		if err == nil {
			err = json.Unmarshal(raw, &opt)
		}
		oktest.Nil(t, err)
		return opt
	}
	long := draw("MLP, raw pixels", "MLP, normalised pixels", "embedding MLP", "ResNet-18, 1/16 of its width", "pruned MLP", "pruned MLP, gradient masked")
	if got := long.XAxis[0]; got.Data[5] != "pruned MLP,\ngradient masked" || got.AxisLabel.Interval == nil || got.NameGap != 47 || long.Grid[0].Bottom != "75" {
		t.Errorf("long names: %+v, bottom %s", got, long.Grid[0].Bottom)
	}
	if got := draw("LeNet-5", "ResNet-18", "VGG-19-BN"); fmt.Sprint(got.XAxis[0].Data) != "[LeNet-5 ResNet-18 VGG-19-BN]" ||
		got.XAxis[0].AxisLabel.Interval != nil || got.Grid[0].Bottom != "60" {
		t.Errorf("short names: %+v", got)
	}
}

// Ranks have no tick at 2.5; seconds may.
func TestCountsHaveWholeTicks(t *testing.T) {
	f := notebook.Drawing{ID: "l", Form: "line", X: notebook.Axis{Title: "ranks N"},
		Series: []notebook.Series{{Name: "s", X: []float64{2, 4}, Y: []float64{1, 1}}}}
	seconds, halves := f, f
	seconds.X.Unit = "s"
	halves.Series = []notebook.Series{{Name: "s", X: []float64{2, 2.5}, Y: []float64{1, 1}}}
	for i, f := range []notebook.Drawing{f, seconds, halves} {
		raw := oktest.Must(option(f))(t)
		if whole := strings.Contains(string(raw), `"minInterval":1`); whole != (i == 0) {
			t.Errorf("figure %d: whole ticks %v", i, whole)
		}
	}
}
