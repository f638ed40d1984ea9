package chart

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// mapped returns a map of two rows and two columns in both languages; one cell is empty.
func mapped() [2]notebook.Drawing {
	of := func(x, y, dense string) notebook.Drawing {
		return notebook.Drawing{ID: "m", Form: "map", X: notebook.Axis{Title: x, Categories: []string{"1 %", "100 %"}}, Y: notebook.Axis{Title: y},
			Lanes: []string{"1 Gb/s, 10 %", "10 Gb/s, 10 %"}, Bands: []notebook.Band{
				{Lane: 0, From: 0, To: 8.456, Key: "ringsparse", State: "RingSparse", Label: "8.5"},
				{Lane: 0, From: 1, To: 1, Key: "dense", State: dense, Label: "1.0"},
				{Lane: 1, From: 0, To: 12.5, Key: "ringsparse", State: "RingSparse", Label: "12.5"}}}
	}
	return [2]notebook.Drawing{of("density", "speed-up", "dense ring"), of("密度", "加速比", "稠密环")}
}

// A state of a map has a colour and a texture of its own, and every cell its number in ink.
func TestMapsAreDrawn(t *testing.T) {
	oktest.Slow(t)
	opt := oktest.Must(option(mapped()[0]))(t)
	var o struct {
		Series []struct {
			Name, RenderItem string
			ItemStyle        struct {
				Color string
				Decal decal
			}
			Data []struct{ Value []float64 }
		}
		YAxis []struct{ Inverse bool }
	}
	oktest.Nil(t, json.Unmarshal(opt, &o))
	if len(o.Series) != 2 || o.Series[0].RenderItem != "gradsync.map" ||
		fmt.Sprint(o.Series[0].Data, o.Series[1].Data) != "[{[0 0 8.456]} {[0 1 12.5]}] [{[1 0 1]}]" {
		t.Errorf("%s", opt)
	}
	if len(o.YAxis) != 1 || !o.YAxis[0].Inverse {
		t.Errorf("the first row is not on top: %s", opt)
	}
	if a, b := o.Series[0].ItemStyle, o.Series[1].ItemStyle; a.Color == b.Color || a.Color == "" {
		t.Errorf("%+v and %+v", a, b)
	}
	s := oktest.Must(page.NewScripts())(t)
	svg := oktest.Must(drawOption(s, "m", opt, heightOf(mapped()[0])))(t)
	for _, want := range []string{">8.5<", ">1.0<", ">13<", "1 Gb/s, 10 %", "RingSparse", "dense ring"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %q:\n%s", want, svg)
		}
	}
}

// In a file a map has a line per cell and every digit.
func TestMapsAreTables(t *testing.T) {
	f := mapped()
	csv, err := CSV(f[0])
	if want := "lane,density,state,speed-up\n\"1 Gb/s, 10 %\",1 %,RingSparse,8.456\n"; err != nil || !strings.HasPrefix(string(csv), want) {
		t.Errorf("%s (%v)", csv, err)
	}
	f[0].Bands[1].From = 0
	if err := checkDrawing(f[0]); err == nil || !strings.Contains(err.Error(), "two cells at 1 Gb/s, 10 %, 1 %") {
		t.Errorf("two cells in one place: %v", err)
	}
}
