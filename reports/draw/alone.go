package draw

import (
	"fmt"
	"image"
	"slices"
	"strings"
)

// The light palette of report.css, for a drawing that no style sheet colours.
const (
	lightInk   = "#1d2126"
	lightPaper = "#ffffff"
)

// Drawing is a drawing that needs no page.
type Drawing struct{ root *node }

// StandAlone gives what Tidy returns a size, title, words, font and background of its
// own, and ink for the colour of the text around it.
func StandAlone(svg, title, words string) (*Drawing, error) {
	n, err := parseSVG(svg)
	if err != nil {
		return nil, err
	}
	size := strings.Fields(n.get("viewBox"))
	if len(size) != 4 {
		return nil, fmt.Errorf("draw: a drawing without a size: viewBox %q", n.get("viewBox"))
	}
	n.set("xmlns", "http://www.w3.org/2000/svg")
	n.set("width", size[2])
	n.set("height", size[3])
	n.set("font-family", "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif")
	paper := &node{name: "rect"}
	for _, a := range [][2]string{{"width", size[2]}, {"height", size[3]}, {"fill", lightPaper}} {
		paper.set(a[0], a[1])
	}
	n.kids = slices.Insert(n.kids, 0, &node{name: "title", text: title}, &node{name: "desc", text: words}, paper)
	n.each(func(k *node) {
		for i := range k.attrs {
			if k.attrs[i].Value == "currentColor" {
				k.attrs[i].Value = lightInk
			}
		}
	})
	return &Drawing{n}, nil
}

// SVG returns the drawing as XML.
func (d *Drawing) SVG() string { return d.root.String() }

// Image paints the drawing at scale pixels per unit. An element or an attribute's value
// that it does not know is an error, and a letter that no font has a LetterError: the
// image shows all of the drawing or there is none.
func (d *Drawing) Image(scale float64) (*image.RGBA, error) { return rasterise(d.root, scale) }
