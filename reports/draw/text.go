package draw

import (
	_ "embed"
	"fmt"
	"image"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

//go:embed lib/stix-two-math-operators.ttf
var operatorsTTF []byte

// faces are the fonts of images: Go Regular, and for the signs of mathematics that
// it lacks a part of STIX Two Math. They are read once.
var faces = sync.OnceValues(func() ([]*sfnt.Font, error) {
	var out []*sfnt.Font
	for _, b := range [][]byte{goregular.TTF, operatorsTTF} {
		f, err := sfnt.Parse(b)
		if err != nil {
			return nil, fmt.Errorf("draw: font of the images: %w", err)
		}
		out = append(out, f)
	}
	return out, nil
})

// glyph is a letter of a font.
type glyph struct {
	font  *sfnt.Font
	index sfnt.GlyphIndex
	wide  float64 // in units of the letter size
}

// glyphUnits is the size at which outlines are read: fine enough for any.
const glyphUnits = 2048

// LetterError says that no font of the images has Letter, which Text has.
type LetterError struct {
	Letter rune
	Text   string
}

func (e *LetterError) Error() string {
	return fmt.Sprintf("draw: the fonts of the images have no letter %q (%U) of %q", e.Letter, e.Letter, e.Text)
}

// glyphs finds the letters of a text. One that no font has is a LetterError, not a box.
func glyphs(text string) ([]glyph, error) {
	fonts, err := faces()
	if err != nil {
		return nil, err
	}
	var buf sfnt.Buffer
	var out []glyph
	for _, r := range text {
		if r == '\u00a0' {
			r = ' '
		}
		g := glyph{}
		for _, f := range fonts {
			i, err := f.GlyphIndex(&buf, r)
			if err != nil {
				return nil, fmt.Errorf("draw: letter %q: %w", r, err)
			}
			if i == 0 {
				continue
			}
			w, err := f.GlyphAdvance(&buf, i, fixed.I(glyphUnits), font.HintingNone)
			if err != nil {
				return nil, fmt.Errorf("draw: letter %q: %w", r, err)
			}
			g = glyph{f, i, float64(w) / 64 / glyphUnits}
			break
		}
		if g.font == nil {
			return nil, &LetterError{r, text}
		}
		out = append(out, g)
	}
	return out, nil
}

// text paints words as filled outlines.
func (c *canvas) text(n *node, p paint) error {
	x, err1 := n.number("x", 0)
	y, err2 := n.number("y", 0)
	size, err3 := strconv.ParseFloat(p.with["font-size"], 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return fmt.Errorf("draw: text %q at %q, %q, of size %q", n.text, n.get("x"), n.get("y"), p.with["font-size"])
	}
	if style := n.get("style"); style != "" {
		return fmt.Errorf("draw: text %q: unknown style %q", n.text, style)
	}
	words := n.text
	if n.get("space") != "preserve" {
		words = strings.Join(strings.Fields(words), " ")
	}
	list, err := glyphs(words)
	if err != nil {
		return err
	}
	wide := 0.0
	for _, g := range list {
		wide += g.wide * size
	}
	switch p.with["text-anchor"] {
	case "middle":
		x -= wide / 2
	case "end":
		x -= wide
	}
	col, err := colour(p.with["fill"], p.with["fill-opacity"])
	if err != nil {
		return err
	}
	var lines []line
	for _, g := range list {
		m := p.m.then(affine{size / glyphUnits, 0, 0, size / glyphUnits, x, y})
		if lines, err = g.outline(lines, m); err != nil {
			return err
		}
		x += g.wide * size
	}
	c.fill(lines, image.NewUniform(col), p.clip)
	return nil
}

// outline adds the letter's contours, which m puts into the image.
func (g glyph) outline(lines []line, m affine) ([]line, error) {
	var buf sfnt.Buffer
	segments, err := g.font.LoadGlyph(&buf, g.index, fixed.I(glyphUnits), nil)
	if err != nil {
		return nil, fmt.Errorf("draw: letter %d: %w", g.index, err)
	}
	at := func(q fixed.Point26_6) point { return m.at(float64(q.X)/64, float64(q.Y)/64) }
	for _, s := range segments {
		end := at(s.Args[0])
		if s.Op == sfnt.SegmentOpMoveTo {
			lines = append(lines, line{points: []point{end}, closed: true})
			continue
		}
		l := &lines[len(lines)-1]
		a := l.points[len(l.points)-1]
		const pieces = 8 // of a curve: letters are small
		for i := range pieces {
			t := float64(i+1) / pieces
			switch s.Op {
			case sfnt.SegmentOpQuadTo:
				b, e := end, at(s.Args[1])
				l.points = append(l.points, bezier(t, a, b, b, e, 2))
			case sfnt.SegmentOpCubeTo:
				l.points = append(l.points, bezier(t, a, end, at(s.Args[1]), at(s.Args[2]), 3))
			}
		}
		if s.Op == sfnt.SegmentOpLineTo {
			l.points = append(l.points, end)
		}
	}
	return lines, nil
}

// bezier returns the point t of a curve of degree 2 (a, b, e) or 3 (a, b, c, e).
func bezier(t float64, a, b, c, e point, degree int) point {
	u := 1 - t
	if degree == 2 {
		return point{u*u*a.x + 2*u*t*b.x + t*t*e.x, u*u*a.y + 2*u*t*b.y + t*t*e.y}
	}
	return point{u*u*u*a.x + 3*u*u*t*b.x + 3*u*t*t*c.x + t*t*t*e.x, u*u*u*a.y + 3*u*u*t*b.y + 3*u*t*t*c.y + t*t*t*e.y}
}
