package draw

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// source returns the colour or the texture that fills a shape.
func (c *canvas) source(fill string, p paint) (image.Image, error) {
	if ref, ok := strings.CutPrefix(fill, "url("); ok {
		return c.decal(c.defs[strings.TrimSuffix(ref, ")")], p)
	}
	col, err := colour(fill, p.with["fill-opacity"])
	if err != nil {
		return nil, err
	}
	return image.NewUniform(col), nil
}

// clipped returns p's clip and the rectangle that a clip path describes.
func (c *canvas) clipped(ref string, p paint) (image.Rectangle, error) {
	if ref == "" {
		return p.clip, nil
	}
	def := c.defs[strings.TrimSuffix(strings.TrimPrefix(ref, "url("), ")")]
	if def == nil || len(def.kids) != 1 || def.kids[0].name != "path" {
		return p.clip, fmt.Errorf("draw: clip %q is no path", ref)
	}
	path, err := parsePath(def.kids[0].get("d"))
	if err != nil {
		return p.clip, err
	}
	lines := flatten(path, p.m)
	r := bounds(lines)
	for _, l := range lines {
		for i, q := range l.points {
			if i > 0 && q.x != l.points[i-1].x && q.y != l.points[i-1].y || len(lines) > 1 {
				return p.clip, fmt.Errorf("draw: clip %q is no rectangle", ref)
			}
		}
	}
	return r.Intersect(p.clip), nil
}

// colour reads "#rgb", "#rrggbb" and "rgb(r,g,b)", and an opacity.
func colour(s, opacity string) (color.NRGBA, error) {
	c := color.NRGBA{A: 255}
	if opacity != "" {
		o, err := strconv.ParseFloat(opacity, 64)
		if err != nil || o < 0 || o > 1 {
			return c, fmt.Errorf("draw: opacity %q", opacity)
		}
		c.A = uint8(math.Round(255 * o))
	}
	form, to := "#%02x%02x%02x", []any{&c.R, &c.G, &c.B}
	switch {
	case strings.HasPrefix(s, "rgb("):
		form = "rgb(%d,%d,%d)"
	case len(s) == 4:
		s = "#" + strings.Repeat(s[1:2], 2) + strings.Repeat(s[2:3], 2) + strings.Repeat(s[3:4], 2)
	}
	if n, err := fmt.Sscanf(s, form, to...); err != nil || n != 3 {
		return c, fmt.Errorf("draw: unknown colour %q", s)
	}
	return c, nil
}

// decal returns a texture that repeats a small drawing over the shape that p paints.
func (c *canvas) decal(def *node, p paint) (image.Image, error) {
	if def == nil || def.name != "pattern" || def.get("patternUnits") != "userSpaceOnUse" {
		return nil, fmt.Errorf("draw: %q is no decal", p.with["fill"])
	}
	w, err1 := def.number("width", 0)
	h, err2 := def.number("height", 0)
	turn, err3 := transformation(def.get("patternTransform"))
	if err1 != nil || err2 != nil || err3 != nil || w <= 0 || h <= 0 {
		return nil, fmt.Errorf("draw: a decal of %q by %q, %q", def.get("width"), def.get("height"), def.get("patternTransform"))
	}
	tile := &canvas{img: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(w*tileScale)), int(math.Ceil(h*tileScale)))), defs: c.defs}
	inner := paint{m: affine{a: tileScale, d: tileScale}, clip: tile.img.Bounds(), with: map[string]string{"fill": "#000"}}
	if err := tile.children(def, inner); err != nil {
		return nil, err
	}
	return &texture{tile: tile.img, w: w, h: h, back: p.m.then(turn).inverse(), bounds: c.img.Bounds()}, nil
}

// tileScale is how many pixels of a decal's tile are one of the drawing, and
// samples how many places of a pixel, each way, its colour is the mean of.
const (
	tileScale = 16
	samples   = 4
)

// texture is an endless image of a tile's repetitions.
type texture struct {
	tile   *image.RGBA
	w, h   float64 // of the tile, in the drawing's pixels
	back   affine  // image to tile
	bounds image.Rectangle
}

func (t *texture) ColorModel() color.Model { return color.RGBAModel }
func (t *texture) Bounds() image.Rectangle { return t.bounds }

// At returns the mean of what the tile has in a pixel.
func (t *texture) At(x, y int) color.Color {
	var sum [4]int
	for i := range samples * samples {
		q := t.back.at(float64(x)+(float64(i%samples)+0.5)/samples, float64(y)+(float64(i/samples)+0.5)/samples)
		u, v := q.x-t.w*math.Floor(q.x/t.w), q.y-t.h*math.Floor(q.y/t.h)
		px := t.tile.RGBAAt(min(int(u*tileScale), t.tile.Rect.Dx()-1), min(int(v*tileScale), t.tile.Rect.Dy()-1))
		sum[0], sum[1], sum[2], sum[3] = sum[0]+int(px.R), sum[1]+int(px.G), sum[2]+int(px.B), sum[3]+int(px.A)
	}
	const n = samples * samples
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), uint8(sum[3] / n)}
}
