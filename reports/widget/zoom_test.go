package widget

import (
	"encoding/json"
	"math"
	"testing"

	"gradsync/reports/chart"
	"gradsync/reports/notebook"
)

type zoomRange struct{ Start, End float64 }

// zoomed returns the stretch after each of acts in turn.
func zoomed(t *testing.T, at zoomRange, acts ...string) zoomRange {
	t.Helper()
	for _, act := range acts {
		m, _ := worked(t, "zoomed", map[string]float64{"start": at.Start, "end": at.End}, act).(map[string]any)
		at = zoomRange{m["start"].(float64), m["end"].(float64)}
	}
	return at
}

// By hand: half as wide about the same middle, half a width aside, never out of the
// whole and never narrower than 0.2 %.
func TestZoom(t *testing.T) {
	whole := zoomRange{0, 100}
	for i, x := range []struct {
		acts []string
		want zoomRange
	}{
		{[]string{"near"}, zoomRange{25, 75}},
		{[]string{"near", "near"}, zoomRange{37.5, 62.5}},
		{[]string{"near", "near", "right"}, zoomRange{50, 75}},
		{[]string{"near", "near", "right", "right", "right", "right"}, zoomRange{75, 100}},
		{[]string{"near", "left", "left", "left"}, zoomRange{0, 50}},
		{[]string{"near", "left", "far"}, whole},
		{[]string{"near", "near", "right", "all"}, whole},
		{[]string{"near", "near", "near", "far"}, zoomRange{37.5, 62.5}},
		{[]string{"far"}, whole},
	} {
		if got := zoomed(t, whole, x.acts...); got != x.want {
			t.Errorf("%d: %v leads to %v, want %v", i, x.acts, got, x.want)
		}
	}
	at := zoomed(t, zoomRange{50, 50.3}, "near", "near")
	if math.Abs(at.End-at.Start-0.2) > 1e-9 {
		t.Errorf("the closest look is %v", at)
	}
	for key, want := range map[string]string{"+": "near", "-": "far", "ArrowLeft": "left", "ArrowRight": "right", "Home": "all", "x": ""} {
		if got := worked(t, "zoomKey", key); got != want {
			t.Errorf("key %s is %v, want %q", key, got, want)
		}
	}
	if got, want := worked(t, "zoomSaid", map[string]float64{"start": 25, "end": 75}, 0, 80, "ms", "en"), "Shown: 20 … 60 ms of 80."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := worked(t, "zoomSaid", map[string]float64{"start": 25, "end": 75}, 0, 80, "ms", "zh"), "显示：20 … 60 ms，全长到 80。"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The option of a time line takes the zoom: room below the axis, wheel and drag held
// back, all bands kept; what is drawn without scripts has none of it.
func TestTimeLinesTakeTheZoom(t *testing.T) {
	f := notebook.Drawing{ID: "x", Form: "gantt", X: notebook.Axis{Title: "time", Unit: "ms"}, Lanes: []string{"worker 1"},
		Bands: []notebook.Band{{Lane: 0, From: 2, To: 5, State: "compute"}, {Lane: 0, From: 5, To: 9, State: "WSS"}}}
	raw, err := chart.Option(f)
	if err != nil {
		t.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	if o["dataZoom"] != nil {
		t.Error("the drawing without scripts has a zoom")
	}
	before := o["grid"].([]any)[0].(map[string]any)["bottom"].(float64)
	for _, active := range []bool{false, true} {
		with, _ := worked(t, "zoomOption", o, map[string]float64{"start": 10, "end": 30}, active).(map[string]any)
		zooms, _ := with["dataZoom"].([]any)
		if len(zooms) != 2 || with["grid"].([]any)[0].(map[string]any)["bottom"] != before+34 {
			t.Fatalf("zooms %v, grid %v", zooms, with["grid"])
		}
		inside, _ := zooms[1].(map[string]any)
		if inside["disabled"] != !active || inside["filterMode"] != "none" || inside["start"] != 10.0 || inside["end"] != 30.0 {
			t.Errorf("active %t: %v", active, inside)
		}
	}
}
