package draw

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// pen is how a line is drawn, in an image's pixels.
type pen struct {
	half       float64 // of its width
	cap, join  string
	miterLimit float64
	dash       []float64
}

func newPen(p paint) (pen, error) {
	out := pen{half: 0.5, cap: p.with["stroke-linecap"], join: p.with["stroke-linejoin"], miterLimit: 4}
	for _, v := range []struct {
		key string
		to  *float64
		k   float64
	}{{"stroke-width", &out.half, 0.5}, {"stroke-miterlimit", &out.miterLimit, 1}} {
		if p.with[v.key] == "" {
			continue
		}
		f, err := strconv.ParseFloat(p.with[v.key], 64)
		if err != nil || f < 0 {
			return out, fmt.Errorf("draw: %s %q", v.key, p.with[v.key])
		}
		*v.to = v.k * f
	}
	out.half *= p.m.zoom()
	total := 0.0
	for _, s := range strings.FieldsFunc(p.with["stroke-dasharray"], func(r rune) bool { return r == ',' || r == ' ' }) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 0 {
			return out, fmt.Errorf("draw: dashes %q", p.with["stroke-dasharray"])
		}
		total += f
		out.dash = append(out.dash, f*p.m.zoom())
	}
	if total == 0 {
		out.dash = nil
	}
	if len(out.dash)%2 == 1 {
		out.dash = append(out.dash, out.dash...)
	}
	switch {
	case out.cap != "" && out.cap != "butt" && out.cap != "round":
		return out, fmt.Errorf("draw: unknown end of a line %q", out.cap)
	case out.join != "" && out.join != "miter" && out.join != "bevel" && out.join != "round":
		return out, fmt.Errorf("draw: unknown corner of a line %q", out.join)
	}
	return out, nil
}

// outline returns the area that the pen covers along all lines: one polygon for every
// straight piece, corner and end, all turning the same way, so that their windings
// add up and never cancel.
func (p pen) outline(lines []line) []line {
	var out []line
	for _, l := range lines {
		for _, part := range p.dashes(l.distinct()) {
			out = p.stroke(out, part)
		}
	}
	return out
}

// dashes cuts a line.
func (p pen) dashes(l line) []line {
	if len(p.dash) == 0 || len(l.points) < 2 {
		return []line{l}
	}
	points := l.points
	if l.closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	var out []line
	i, left := 0, p.dash[0]
	now := []point{points[0]}
	for k := 1; k < len(points); k++ {
		at := points[k-1]
		dir, far := at.toward(points[k])
		for far > left {
			at, far = at.plus(dir, left), far-left
			if i%2 == 0 {
				out = append(out, line{points: append(now, at)})
			}
			i = (i + 1) % len(p.dash)
			left, now = p.dash[i], []point{at}
		}
		left -= far
		now = append(now, points[k])
	}
	if i%2 == 0 {
		out = append(out, line{points: now})
	}
	return out
}

// stroke adds the area along one line.
func (p pen) stroke(out []line, l line) []line {
	n := len(l.points)
	if n == 1 {
		if p.cap == "round" {
			out = append(out, p.disc(l.points[0]))
		}
		return out
	}
	pieces := n - 1
	if l.closed {
		pieces = n
	}
	for i := range pieces {
		a, b := l.points[i], l.points[(i+1)%n]
		dir, _ := a.toward(b)
		side := point{-dir.y, dir.x}
		out = append(out, turned(a.plus(side, p.half), b.plus(side, p.half), b.plus(side, -p.half), a.plus(side, -p.half)))
		if i+1 < pieces || l.closed {
			next, _ := b.toward(l.points[(i+2)%n])
			out = append(out, p.corner(b, dir, next))
		}
	}
	if p.cap == "round" && !l.closed {
		out = append(out, p.disc(l.points[0]), p.disc(l.points[n-1]))
	}
	return out
}

// corner fills the outside between two pieces that meet in at.
func (p pen) corner(at, in, next point) line {
	cross, dot := in.x*next.y-in.y*next.x, in.x*next.x+in.y*next.y
	if p.join == "round" {
		return p.disc(at)
	}
	k := p.half
	if cross > 0 {
		k = -k
	}
	a, b := at.plus(point{-in.y, in.x}, k), at.plus(point{-next.y, next.x}, k)
	if p.join != "bevel" && dot > -1 {
		// The tip lies half/cos(θ/2) away, θ the turn; the limit is on 1/cos(θ/2).
		if half := math.Sqrt((1 + dot) / 2); 1/half <= p.miterLimit {
			middle, _ := point{}.toward(point{-in.y - next.y, in.x + next.x})
			return turned(at, a, at.plus(middle, k/half), b)
		}
	}
	return turned(at, a, b)
}

// disc returns a round end or corner.
func (p pen) disc(at point) line {
	const n = 16
	l := line{closed: true}
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		l.points = append(l.points, point{at.x + p.half*cos, at.y + p.half*sin})
	}
	return turned(l.points...)
}
