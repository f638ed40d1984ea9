package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
