package reports

import (
	"strings"
	"testing"

	result "gradsync/experiments/result1"
)

// Shortening the coordinates of a drawing leaves the words of its axes alone: a small
// value does not become 0.00.
func TestLogarithmicAxesNameSmallValues(t *testing.T) {
	s, err := newScripts()
	if err != nil {
		t.Fatal(err)
	}
	f := result.Figure{ID: "f", Form: "line", Alt: "a line", X: result.Axis{Title: "x"}, Y: result.Axis{Title: "y", Log: true},
		Series: []result.Series{{Name: "a", X: []float64{1, 2, 3}, Y: []float64{0.0003, 0.02, 30}}}}
	opt, err := option(f)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := s.svg("f", opt, 400)
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
