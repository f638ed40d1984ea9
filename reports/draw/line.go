package draw

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

// toward returns the direction from p to q, of length 1, and how far it is.
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

// bounds returns the smallest rectangle of whole pixels round all lines.
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

// arc returns the part of an ellipse from (x, y) as SVG describes it (radii, turn, long
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

// distinct returns l without points that repeat the one before.
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

// turned returns a polygon that runs clockwise on a screen.
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

// affine maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type affine struct{ a, b, c, d, e, f float64 }

// at returns where m puts a point.
func (m affine) at(x, y float64) point { return point{m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f} }

// then returns the map that applies n inside m: first n, then m.
func (m affine) then(n affine) affine {
	return affine{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f}
}

// inverse maps back; m must not flatten.
func (m affine) inverse() affine {
	q := m.a*m.d - m.b*m.c
	return affine{m.d / q, -m.b / q, -m.c / q, m.a / q, (m.c*m.f - m.d*m.e) / q, (m.b*m.e - m.a*m.f) / q}
}

// zoom returns how much longer m makes lines, on average.
func (m affine) zoom() float64 { return math.Sqrt(math.Abs(m.a*m.d - m.b*m.c)) }

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
			return one, fmt.Errorf("draw: transformation %q: %w", s, err)
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
	return one, fmt.Errorf("draw: unknown transformation %q", s)
}
