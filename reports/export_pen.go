package reports

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
)

// point is a place in an image.
type point struct{ x, y float64 }

func (p point) plus(q point, k float64) point { return point{p.x + k*q.x, p.y + k*q.y} }

// toward is the direction from p to q, of length 1, and how far it is.
func (p point) toward(q point) (point, float64) {
	d := math.Hypot(q.x-p.x, q.y-p.y)
	if d == 0 {
		return point{}, 0
	}
	return point{(q.x - p.x) / d, (q.y - p.y) / d}, d
}

// line is a path of straight pieces.
type line struct {
	points []point
	closed bool
}

// bounds is the smallest rectangle of whole pixels round all lines.
func bounds(lines []line) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, l := range lines {
		for _, p := range l.points {
			x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
		}
	}
	if x1 < x0 {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
}

// flatten makes lines of a path, in an image's pixels.
func flatten(path []pathStep, m affine) []line {
	var out []line
	var x, y float64
	for _, s := range path {
		if s.op == 'Z' {
			out[len(out)-1].closed = true
			continue
		}
		ex, ey := s.end()
		switch {
		case s.op == 'M':
			out = append(out, line{})
		case len(out) > 0 && out[len(out)-1].closed: // goes on where the closed part began
			out = append(out, line{points: out[len(out)-1].points[:1:1]})
		}
		l := &out[len(out)-1]
		if s.op == 'A' {
			for _, q := range arc(x, y, s.at, m.zoom()) {
				l.points = append(l.points, m.at(q.x, q.y))
			}
		} else {
			l.points = append(l.points, m.at(ex, ey))
		}
		x, y = ex, ey
	}
	return out
}

// arc is the part of an ellipse from (x, y) as SVG describes it (radii, turn, long
// way, clockwise, end), in pieces that leave it by less than a fiftieth of a pixel at
// the given zoom. https://www.w3.org/TR/SVG2/implnote.html#ArcConversionEndpointToCenter
func arc(x, y float64, at []float64, zoom float64) []point {
	rx, ry, ex, ey := at[0], at[1], at[5], at[6]
	if rx == 0 || ry == 0 || at[2] != 0 && rx != ry {
		return []point{{ex, ey}} // no radius: a straight line; ECharts turns no ellipse
	}
	hx, hy := (x-ex)/2, (y-ey)/2
	if over := hx*hx/(rx*rx) + hy*hy/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*hy*hy-ry*ry*hx*hx)/(rx*rx*hy*hy+ry*ry*hx*hx)))
	if (at[3] != 0) == (at[4] != 0) {
		k = -k
	}
	cx, cy := k*rx*hy/ry, -k*ry*hx/rx
	from := math.Atan2((hy-cy)/ry, (hx-cx)/rx)
	turn := math.Atan2((-hy-cy)/ry, (-hx-cx)/rx) - from
	if at[4] != 0 && turn < 0 {
		turn += 2 * math.Pi
	} else if at[4] == 0 && turn > 0 {
		turn -= 2 * math.Pi
	}
	n := max(2, int(math.Ceil(math.Abs(turn)*math.Sqrt(max(rx, ry)*zoom)*2.5)))
	out := make([]point, n)
	for i := range out {
		sin, cos := math.Sincos(from + turn*float64(i+1)/float64(n))
		out[i] = point{(x+ex)/2 + cx + rx*cos, (y+ey)/2 + cy + ry*sin}
	}
	out[n-1] = point{ex, ey}
	return out
}

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
			return out, fmt.Errorf("reports: %s %q", v.key, p.with[v.key])
		}
		*v.to = v.k * f
	}
	out.half *= p.m.zoom()
	total := 0.0
	for _, s := range strings.FieldsFunc(p.with["stroke-dasharray"], func(r rune) bool { return r == ',' || r == ' ' }) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 0 {
			return out, fmt.Errorf("reports: dashes %q", p.with["stroke-dasharray"])
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
		return out, fmt.Errorf("reports: unknown end of a line %q", out.cap)
	case out.join != "" && out.join != "miter" && out.join != "bevel" && out.join != "round":
		return out, fmt.Errorf("reports: unknown corner of a line %q", out.join)
	}
	return out, nil
}

// outline is the area that the pen covers along all lines: one polygon for every
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

// distinct is l without points that repeat the one before.
func (l line) distinct() line {
	out := line{closed: l.closed}
	for _, q := range l.points {
		if n := len(out.points); n == 0 || out.points[n-1] != q {
			out.points = append(out.points, q)
		}
	}
	if n := len(out.points); l.closed && n > 1 && out.points[0] == out.points[n-1] {
		out.points = out.points[:n-1]
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

// disc is a round end or corner.
func (p pen) disc(at point) line {
	const n = 16
	l := line{closed: true}
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		l.points = append(l.points, point{at.x + p.half*cos, at.y + p.half*sin})
	}
	return turned(l.points...)
}

// turned is a polygon that runs clockwise on a screen.
func turned(ps ...point) line {
	area := 0.0
	for i, p := range ps {
		q := ps[(i+1)%len(ps)]
		area += p.x*q.y - p.y*q.x
	}
	if area < 0 {
		for i, j := 0, len(ps)-1; i < j; i, j = i+1, j-1 {
			ps[i], ps[j] = ps[j], ps[i]
		}
	}
	return line{points: ps, closed: true}
}
