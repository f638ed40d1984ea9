package reports

import (
	"strings"
	"testing"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// Shortening the coordinates of a drawing leaves the words of its axes alone: a small
// value does not become 0.00.
func TestLogarithmicAxesNameSmallValues(t *testing.T) {
	s, err := page.NewScripts()
	if err != nil {
		t.Fatal(err)
	}
	f := notebook.Drawing{ID: "f", Form: "line", X: notebook.Axis{Title: "x"}, Y: notebook.Axis{Title: "y", Log: true},
		Series: []notebook.Series{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{0.0003, 0.02, 30}}}}
	opt, err := option(f)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := drawOption(s, "f", opt, 400)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">0.0001<", ">0.001<", ">0.01<", ">0.1<", ">1<", ">10<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the axis has no %s: %s", want, strings.Join(strings.Split(svg, "<text")[1:], "\n"))
		}
	}
	if strings.Contains(svg, ">0.00<") {
		t.Error("a value of the axis reads as zero")
	}
}
