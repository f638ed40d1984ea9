package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/reports/compare"
	"gradsync/reports/notebook"
)

// side is how many steps a stretched drawing has on each side.
const side = 1000

// spot returns where a value stands in a stretched drawing.
func spot(s compare.Scale, v float64) int { return int(math.Round(s.At(v) * side / 100)) }

// point is a place in a stretched drawing, from its upper left; NaN where a value is missing.
type point [2]float64

// at returns the place of a pair of numbers, outside of the frame where the axes do not reach it.
func at(xs, ys compare.Scale, x, y float64) point {
	return point{xs.Place(x) * side / 100, side - ys.Place(y)*side/100}
}

// outside reports whether a place lies out of the frame by more than the rounding of a step.
func (a point) outside() bool {
	return min(a[0], a[1]) < -0.5 || max(a[0], a[1]) > side+0.5
}

// towards returns the place at a part t of the way to b.
func (a point) towards(b point, t float64) point {
	return point{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])}
}

// path writes points as an SVG path: absolute where a piece begins, relative after it.
type path struct {
	strings.Builder
	x, y int
	open bool
}

func (p *path) to(at point) {
	x, y := int(math.Round(at[0])), int(math.Round(at[1]))
	switch {
	case !p.open:
		fmt.Fprintf(p, "M%d %d", x, y)
	case x == p.x && y == p.y:
		return
	default:
		fmt.Fprintf(p, "l%d %d", x-p.x, y-p.y)
	}
	p.x, p.y, p.open = x, y, true
}

// segment writes the piece from a to b that lies inside of the frame.
func (p *path) segment(a, b point) {
	from, to := 0.0, 1.0
	for k := range a {
		for _, edge := range []float64{0, side} {
			d := b[k] - a[k]
			in := (edge == 0) == (d > 0) // the way leads inwards over this edge
			switch t := (edge - a[k]) / d; {
			case d == 0 && (a[k] < -0.5 || a[k] > side+0.5):
				from = 2
			case d == 0:
			case in:
				from = max(from, t)
			default:
				to = min(to, t)
			}
		}
	}
	if from > to {
		p.open = false
		return
	}
	if !p.open || from > 0 {
		p.open = false
		p.to(a.towards(b, from))
	}
	p.to(a.towards(b, to))
	p.open = to == 1
}

// inside returns the part of an area that lies inside of the frame, its corners in order (Sutherland and Hodgman, 1974).
func inside(corners []point) []point {
	for k := range 2 {
		for _, edge := range []float64{0, side} {
			in := func(a point) bool { return edge == 0 && a[k] >= 0 || edge > 0 && a[k] <= edge }
			var out []point
			for i, b := range corners {
				a := corners[(i+len(corners)-1)%len(corners)]
				if in(a) != in(b) {
					out = append(out, a.towards(b, (edge-a[k])/(b[k]-a[k])))
				}
				if in(b) {
					out = append(out, b)
				}
			}
			corners = out
		}
	}
	return corners
}

// mean is the drawn line of a group.
type mean []point

// lineWidth is how far apart two curves lie at most that cannot be told apart, in pixels: a line's width;
// across and high are a step of the drawing in pixels.
const lineWidth, across, high = 2.2, 0.8, 0.24

// near reports whether a place lies within a line's width of a curve.
func (c mean) near(p point) bool {
	for i, b := range c {
		a := c[max(i-1, 0)]
		dx, dy := (b[0]-a[0])*across, (b[1]-a[1])*high
		px, py := (p[0]-a[0])*across, (p[1]-a[1])*high
		t := 0.0
		if long := dx*dx + dy*dy; long > 0 {
			t = min(max((px*dx+py*dy)/long, 0), 1)
		}
		if math.Hypot(px-t*dx, py-t*dy) <= lineWidth {
			return true
		}
	}
	return false
}

// under reports whether all of a curve lies within a line's width of another.
func (c mean) under(other mean) bool {
	return len(c) > 1 && !slices.ContainsFunc(c, func(p point) bool { return !other.near(p) })
}

// alike says which curves of the key cannot be told apart although their numbers differ.
func (p *Plot) alike(drawn []mean) {
	var sets [][]int
	for i, c := range drawn {
		k := slices.IndexFunc(sets, func(set []int) bool { return c.under(drawn[set[0]]) || drawn[set[0]].under(c) })
		if k < 0 {
			sets = append(sets, []int{i})
			continue
		}
		sets[k] = append(sets[k], i)
	}
	for _, set := range sets {
		if len(set) < 2 {
			continue
		}
		var names [2][]string
		for l := range names {
			for _, i := range set {
				names[l] = append(names[l], p.Key[i].Name[l])
			}
		}
		last := len(set) - 1
		p.add(notebook.Both{"Within a line's width of each other: " + strings.Join(names[0][:last], "; ") + andWords[0] + names[0][last] + ".",
			strings.Join(names[1], "、") + "相距不到一条线宽。"})
	}
}
