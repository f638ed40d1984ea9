package draw

import (
	"fmt"
	"image"
	"strconv"

	"golang.org/x/image/vector"
)

// canvas paints a drawing into an image, in the order in which it is written.
type canvas struct {
	img  *image.RGBA
	defs map[string]*node
}

// paint holds what an element inherits.
type paint struct {
	m    affine // drawing to pixels
	clip image.Rectangle
	with map[string]string // attributes that children inherit
}

// inherited are the attributes that children take over from their parents.
var inherited = []string{"fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linecap", "stroke-linejoin",
	"stroke-miterlimit", "stroke-dasharray", "font-size", "text-anchor"}

// rasterise paints a drawing that stands alone, at scale pixels per unit.
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

// inside returns p for the children of n: with n's own attributes.
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
			return fmt.Errorf("draw: a mark %q at %q, %q", n.get("href"), n.get("x"), n.get("y"))
		}
		p.m = p.m.then(affine{1, 0, 0, 1, x, y})
		return c.draw(mark, p.inside(n))
	case "rect":
		w, err1 := n.number("width", 0)
		h, err2 := n.number("height", 0)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("draw: a rectangle of %q by %q", n.get("width"), n.get("height"))
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
	return fmt.Errorf("draw: an image cannot show <%s>", n.name)
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

// number returns an attribute's number.
func (n *node) number(key string, without float64) (float64, error) {
	v := n.get(key)
	if v == "" {
		return without, nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return 0, fmt.Errorf("draw: <%s %s=%q>: not a number", n.name, key, v)
	}
	return f, nil
}
