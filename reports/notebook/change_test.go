package notebook

import (
	"math"
	"testing"

	"gradsync/experiments/result"
)

// Expected words: written by hand. A range without signs names which way each end goes, in the order of its language.
func TestChange(t *testing.T) {
	labels := [2]map[string]string{{"words.shorter": "shorter", "words.longer": "longer"}, {"words.shorter": "短", "words.longer": "长"}}
	f := &result.Frame{ID: "f", Columns: []result.Column{{Key: "x"}}}
	for _, c := range []struct {
		cells []float64
		want  [2]string
	}{
		{[]float64{17, 69}, [2]string{"17 to 69 shorter", "短 17 至 69"}},
		{[]float64{-79, -6}, [2]string{"6 to 79 longer", "长 6 至 79"}},
		{[]float64{-43, 3, 19}, [2]string{"43 longer to 19 shorter", "长 43到短 19"}},
		{[]float64{5, 5}, [2]string{"5 shorter", "短 5"}},
		{nil, [2]string{"–", "–"}},
	} {
		for l, want := range c.want {
			p := &page{words: words{labels: labels[l]}, at: l, used: map[string]bool{}}
			var rows []row
			for _, x := range c.cells {
				rows = append(rows, row{f, []any{x}, p})
			}
			got, err := p.change("x", rows, "shorter", "longer", 0)
			if err != nil || got != want {
				t.Errorf("%v is told as %q (%v), want %q", c.cells, got, err, want)
			}
		}
	}
	p := &page{words: words{labels: labels[0]}, used: map[string]bool{}}
	if _, err := p.change("x", []row{{f, []any{math.Pi}, p}}, "shorter", "wider"); err == nil {
		t.Error("a word without a label is accepted")
	}
}
