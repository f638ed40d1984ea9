package chart

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"gradsync/reports/assets"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// reportJS is the script of a page.
var reportJS = page.NewLibrary("report.js", func() (string, error) {
	b, err := assets.ReadFile("report.js")
	return string(b), err
})

// A browser makes of a chart's difference from its base the option that was drawn, but
// for the description, which the page has beside it.
func TestShortOptionsAreWhole(t *testing.T) {
	s, err := page.NewScripts()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(reportJS); err != nil {
		t.Fatal(err)
	}
	seed, forms := uint64(7), map[string]int{}
	figures := []notebook.Drawing{
		{Form: "line", X: notebook.Axis{Title: "x", Log: true}, Y: notebook.Axis{Unit: "%"}, Series: []notebook.Series{
			{Name: "BSP", Group: "bsp", X: []float64{1, 2}, Y: []float64{3, 4}, Lo: []float64{2, 3}, Hi: []float64{4, 5}},
			{Name: "BSP", Group: "bsp", Seed: &seed, X: []float64{1, 2}, Y: []float64{3, 4.123456789}}, {Name: "none"},
			{Name: "b", X: []float64{9}, Y: []float64{1e-9}}}},
		{Form: "gantt", Lanes: []string{"w"}, Bands: []notebook.Band{{From: 1, To: 2, Key: "wss", State: "wss"},
			{From: 1, To: 3, Key: "fss", State: "fss", Label: "<b>"}, {From: 1, To: 3, Key: "fss", State: "fss"},
			{From: 3, To: 4, Key: "fss", State: "fss", Label: "c"}, {From: 4, To: 5, Key: "wss", State: "wss", Label: "c"},
			{From: 5, To: 6, Key: "wss", State: "wss", Label: "<b>"}}},
	}
	figures = append(figures, mapped()[0])
	for i, x := range placedOf(t) {
		for _, f := range x.figures {
			if i%4 == 0 || f.Drawn[0].Form == "bar" {
				figures = append(figures, f.Drawn[0])
			}
		}
	}
	for _, f := range figures {
		opt, err := Option(f)
		if err != nil {
			t.Fatal(err)
		}
		short, err := shortOption(f.Form, opt)
		if err != nil {
			t.Fatal(err)
		}
		bases, err := Bases(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Call(`(function(b,o,f){return JSON.stringify(gradsyncWhole(JSON.parse(b)[f],JSON.parse(o)))})`, string(bases), string(short), f.Form)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal([]byte(again), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(opt, &want); err != nil {
			t.Fatal(err)
		}
		want["aria"].(map[string]any)["label"].(map[string]any)["description"] = ""
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %s:\n%v, want\n%v", f.Form, f.ID, got, want)
		}
		forms[f.Form]++
	}
	if len(forms) != 4 || slices.Contains([]int{forms["line"], forms["bar"], forms["gantt"], forms["map"]}, 0) {
		t.Errorf("forms %v", forms)
	}
}

// The option of a chart holds bare values, whatever go-echarts wraps them in,
// and keeps what says more than its value.
func TestBareValues(t *testing.T) {
	named := map[string]any{"value": 3.0, "name": "n"}
	data := []any{map[string]any{"value": []any{1.0, 2.0}}, named, 4.0}
	bare(map[string]any{"series": []any{map[string]any{"data": data}, map[string]any{}}})
	if pair, ok := data[0].([]any); !ok || len(pair) != 2 {
		t.Errorf("a point became %v", data[0])
	}
	if kept, ok := data[1].(map[string]any); !ok || kept["name"] != "n" || data[2] != 4.0 {
		t.Errorf("data became %v", data)
	}
}
