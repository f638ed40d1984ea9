package chart

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/draw"
	"gradsync/reports/notebook"
)

// placed is a committed result with the figures that its notebook places.
type placed struct {
	id      string
	figures []*notebook.Figure
}

const resultsRoot = "../../experiments/results"

// allPlaced reads every committed result once.
var allPlaced = sync.OnceValues(func() ([]placed, error) {
	book, err := notebook.Open(os.DirFS("../text"))
	if err != nil {
		return nil, err
	}
	find := func(id, profile string) (*result.Result, error) {
		return result.Read(result.Path(resultsRoot, id, profile))
	}
	var out []placed
	err = filepath.WalkDir(resultsRoot, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".json") || strings.HasSuffix(file, ".run.json") {
			return err
		}
		r, err := result.Read(file)
		if err != nil {
			return err
		}
		p, err := book.Page(r, find)
		if err != nil {
			return err
		}
		x := placed{id: r.ID}
		for _, part := range p.Parts {
			if part.Figure != nil {
				x.figures = append(x.figures, part.Figure)
			}
		}
		out = append(out, x)
		return nil
	})
	return out, err
})

func placedOf(t *testing.T) []placed {
	t.Helper()
	oktest.Slow(t)
	return oktest.Must(allPlaced())(t)
}

// wordsOf returns the words of a drawing: of its axes, its series or its lanes, and its bands.
func wordsOf(f notebook.Drawing) []string {
	out := slices.Concat([]string{axisTitle(f.X), axisTitle(f.Y)}, f.X.Categories, f.Lanes)
	for _, s := range f.Series {
		out = append(out, s.Name)
	}
	for _, b := range f.Bands {
		out = append(out, b.State, b.Label)
	}
	return out
}

// Every word of the drawings of the committed results can be written in an image.
func TestImagesHaveTheLetters(t *testing.T) {
	n := 0
	for _, x := range placedOf(t) {
		for _, f := range x.figures {
			for _, word := range append(wordsOf(f.Drawn[0]), namesOf(f.Drawn[0])...) {
				n++
				svg := `<svg viewBox="0 0 1 1" font-size="1"><text x="0" y="1">` + html.EscapeString(word) + `</text></svg>`
				d, err := draw.StandAlone(svg, "", "")
				if err == nil {
					_, err = d.Image(1)
				}
				if err != nil {
					t.Errorf("%s, %s: %v", x.id, f.ID, err)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d words in the drawings", n)
	}
}
