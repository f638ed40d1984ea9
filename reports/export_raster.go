package reports

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// affine maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type affine struct{ a, b, c, d, e, f float64 }

// at is where m puts a point.
func (m affine) at(x, y float64) point { return point{m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f} }

// then is the map that applies n inside m: first n, then m.
func (m affine) then(n affine) affine {
	return affine{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f}
}

// inverse maps back; m must not flatten.
func (m affine) inverse() affine {
	q := m.a*m.d - m.b*m.c
	return affine{m.d / q, -m.b / q, -m.c / q, m.a / q, (m.c*m.f - m.d*m.e) / q, (m.b*m.e - m.a*m.f) / q}
}

// zoom is how much longer m makes lines, on average.
func (m affine) zoom() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

// canvas paints a drawing into an image, in the order in which it is written.
type canvas struct {
	img  *image.RGBA
	defs map[string]*node
}

// paint is what an element inherits.
type paint struct {
	m    affine // drawing to pixels
	clip image.Rectangle
	with map[string]string // attributes that children inherit
}

// inherited are the attributes that children take over from their parents.
var inherited = []string{"fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin",
	"stroke-miterlimit", "stroke-dasharray", "font-size", "text-anchor"}

// rasterise paints a drawing that stands alone, so many pixels for one of its own.
// An element or an attribute's value that it does not know is an error: the image
// shows all of the drawing or there is none.
func rasterise(svg *node, scale float64) (*image.RGBA, error) {
	w, err := svg.number("width", 0)
	if err != nil {
		return nil, err
	}
	h, err := svg.number("height", 0)
	if err != nil {
		return nil, err
	}
	c := &canvas{img: image.NewRGBA(image.Rect(0, 0, int(w*scale), int(h*scale))), defs: map[string]*node{}}
	svg.each(func(n *node) {
		if id := n.get("id"); id != "" {
			c.defs["#"+id] = n
		}
	})
	p := paint{m: affine{a: scale, d: scale}, clip: c.img.Bounds(), with: map[string]string{"fill": "#000"}}
	if err := c.children(svg, p); err != nil {
		return nil, err
	}
	return c.img, nil
}

func (c *canvas) children(n *node, p paint) error {
	p = p.inside(n)
	for _, k := range n.kids {
		if err := c.draw(k, p); err != nil {
			return err
		}
	}
	return nil
}

// inside is p for an element of n's: with n's own attributes.
func (p paint) inside(n *node) paint {
	with := make(map[string]string, len(p.with))
	for k, v := range p.with {
		with[k] = v
	}
	for _, k := range inherited {
		if v := n.get(k); v != "" {
			with[k] = v
		}
	}
	p.with = with
	return p
}

func (c *canvas) draw(n *node, p paint) error {
	m, err := transformation(n.get("transform"))
	if err != nil {
		return err
	}
	p.m = p.m.then(m)
	switch n.name {
	case "defs", "title", "desc":
		return nil
	case "g":
		if p.clip, err = c.clipped(n.get("clip-path"), p); err != nil {
			return err
		}
		return c.children(n, p)
	case "use":
		x, err1 := n.number("x", 0)
		y, err2 := n.number("y", 0)
		mark := c.defs[n.get("href")]
		if err1 != nil || err2 != nil || mark == nil {
			return fmt.Errorf("reports: a mark %q at %q, %q", n.get("href"), n.get("x"), n.get("y"))
		}
		p.m = p.m.then(affine{1, 0, 0, 1, x, y})
		return c.draw(mark, p.inside(n))
	case "rect":
		w, err1 := n.number("width", 0)
		h, err2 := n.number("height", 0)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("reports: a rectangle of %q by %q", n.get("width"), n.get("height"))
		}
		path := []pathStep{{'M', []float64{0, 0}}, {'L', []float64{w, 0}}, {'L', []float64{w, h}}, {'L', []float64{0, h}}, {op: 'Z'}}
		return c.shape(path, p.inside(n))
	case "path":
		path, err := parsePath(n.get("d"))
		if err != nil {
			return err
		}
		return c.shape(path, p.inside(n))
	case "text":
		return c.text(n, p.inside(n))
	}
	return fmt.Errorf("reports: an image cannot show <%s>", n.name)
}

// shape fills a path and draws its line.
func (c *canvas) shape(path []pathStep, p paint) error {
	lines := flatten(path, p.m)
	if fill := p.with["fill"]; fill != "none" {
		src, err := c.source(fill, p)
		if err != nil {
			return err
		}
		c.fill(lines, src, p.clip)
	}
	stroke := p.with["stroke"]
	if stroke == "" || stroke == "none" {
		return nil
	}
	col, err := colour(stroke, p.with["stroke-opacity"])
	if err != nil {
		return err
	}
	pen, err := newPen(p)
	if err != nil {
		return err
	}
	c.fill(pen.outline(lines), image.NewUniform(col), p.clip)
	return nil
}

// fill paints the inside of closed lines by the rule of winding numbers.
func (c *canvas) fill(lines []line, src image.Image, clip image.Rectangle) {
	r := bounds(lines).Intersect(clip)
	if r.Empty() {
		return
	}
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	for _, l := range lines {
		for i, q := range l.points {
			x, y := float32(q.x-float64(r.Min.X)), float32(q.y-float64(r.Min.Y))
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	z.Draw(c.img, r, src, r.Min)
}

// source is what a shape is filled with.
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

// clipped is p's clip and the rectangle that a clip path describes.
func (c *canvas) clipped(ref string, p paint) (image.Rectangle, error) {
	if ref == "" {
		return p.clip, nil
	}
	def := c.defs[strings.TrimSuffix(strings.TrimPrefix(ref, "url("), ")")]
	if def == nil || len(def.kids) != 1 || def.kids[0].name != "path" {
		return p.clip, fmt.Errorf("reports: clip %q is no path", ref)
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
				return p.clip, fmt.Errorf("reports: clip %q is no rectangle", ref)
			}
		}
	}
	return r.Intersect(p.clip), nil
}

// number is an attribute's number.
func (n *node) number(key string, without float64) (float64, error) {
	v := n.get(key)
	if v == "" {
		return without, nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return 0, fmt.Errorf("reports: <%s %s=%q>: not a number", n.name, key, v)
	}
	return f, nil
}

// transformation reads "translate(x y)", "rotate(degrees)" and "matrix(…)".
func transformation(s string) (affine, error) {
	one := affine{a: 1, d: 1}
	if s == "" {
		return one, nil
	}
	name, rest, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	var v []float64
	for _, f := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' }) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return one, fmt.Errorf("reports: transformation %q: %w", s, err)
		}
		v = append(v, x)
	}
	switch {
	case name == "translate" && len(v) == 2:
		return affine{1, 0, 0, 1, v[0], v[1]}, nil
	case name == "rotate" && len(v) == 1:
		sin, cos := math.Sincos(v[0] * math.Pi / 180)
		return affine{cos, sin, -sin, cos, 0, 0}, nil
	case name == "matrix" && len(v) == 6:
		return affine{v[0], v[1], v[2], v[3], v[4], v[5]}, nil
	}
	return one, fmt.Errorf("reports: unknown transformation %q", s)
}

// colour reads "#rgb", "#rrggbb" and "rgb(r,g,b)", and an opacity.
func colour(s, opacity string) (color.NRGBA, error) {
	c := color.NRGBA{A: 255}
	if opacity != "" {
		o, err := strconv.ParseFloat(opacity, 64)
		if err != nil || o < 0 || o > 1 {
			return c, fmt.Errorf("reports: opacity %q", opacity)
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
		return c, fmt.Errorf("reports: unknown colour %q", s)
	}
	return c, nil
}

// decal is a texture that repeats a small drawing over the shape that p paints.
func (c *canvas) decal(def *node, p paint) (image.Image, error) {
	if def == nil || def.name != "pattern" || def.get("patternUnits") != "userSpaceOnUse" {
		return nil, fmt.Errorf("reports: %q is no decal", p.with["fill"])
	}
	w, err1 := def.number("width", 0)
	h, err2 := def.number("height", 0)
	turn, err3 := transformation(def.get("patternTransform"))
	if err1 != nil || err2 != nil || err3 != nil || w <= 0 || h <= 0 {
		return nil, fmt.Errorf("reports: a decal of %q by %q, %q", def.get("width"), def.get("height"), def.get("patternTransform"))
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

// At is the mean of what the tile has in a pixel.
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
