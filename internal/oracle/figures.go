package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/internal/oracle/before"
)

// point is one drawn point: x is "" where it is a word. lo and hi are NaN
// where there are none.
type point struct {
	x, y   string
	lo, hi float64
	scale  float64 // of the rounding of lo and hi
	row    numbers // all that stand beside y in version 2
}

// like tells whether p, of version 1, is drawn at q.
func (p point) like(q point) bool {
	if p.y != q.y || p.x != "" && q.x != "" && p.x != q.x {
		return false
	}
	if math.IsNaN(q.lo) && canon(p.lo) == p.y && canon(p.hi) == p.y {
		return true // no width: it tells nothing
	}
	if q.row.times[canon(p.lo)] > 0 && q.row.times[canon(p.hi)] > 0 {
		return true // drawn as series of their own, or columns that are no bounds
	}
	return math.IsNaN(p.lo) || close9(p.lo, q.lo, q.scale) && close9(p.hi, q.hi, q.scale)
}

// close9 compares ends of an interval, of which one may have been made of a mean and a half,
// each of 9 digits, so that each is off by up to 5e-9 of itself.
func close9(a, b, scale float64) bool {
	return canon(a) == canon(b) || math.Abs(a-b) <= 1e-8*scale
}

// drawing are the points of a figure, whole and by series.
type drawing struct {
	id     string
	all    []point
	series [][]point
}

// drawn returns what a figure of version 2 draws.
func drawn(r *result.Result, f result.Figure) drawing {
	d, frame := drawing{id: f.ID}, r.Frame(f.Frame)
	for _, key := range f.Y {
		at, groups := frame.At(key), map[string][]point{}
		var order []string
		for _, row := range frame.Rows {
			if !chosen(frame, row, f.Where) {
				continue
			}
			p, ok := pointAt(frame, row, frame.At(f.X), at)
			if !ok {
				continue
			}
			name := ""
			for _, by := range append(append([]string{}, f.By...), f.Seed) {
				if by != "" {
					name += fmt.Sprint(row[frame.At(by)]) + "|"
				}
			}
			if _, ok := groups[name]; !ok {
				order = append(order, name)
			}
			groups[name] = append(groups[name], p)
			d.all = append(d.all, p)
		}
		for _, name := range order {
			d.series = append(d.series, groups[name])
		}
	}
	return d
}

// chosen tells whether the cells of a row are what where asks for.
func chosen(f *result.Frame, row []any, where map[string]any) bool {
	for key, want := range where {
		if i := f.At(key); i < 0 || !same(row[i], want) {
			return false
		}
	}
	return true
}

func same(a, b any) bool {
	x, errX := result.Canonical(a)
	y, errY := result.Canonical(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// pointAt returns the point of a row; ok is false where nothing is drawn.
func pointAt(f *result.Frame, row []any, x, y int) (p point, ok bool) {
	p.lo, p.hi = math.NaN(), math.NaN()
	v, ok := row[y].(float64)
	if !ok {
		return p, false
	}
	p.y, p.scale = canon(v), math.Abs(v)
	var beside []float64
	for _, cell := range row {
		if x, ok := cell.(float64); ok {
			beside = append(beside, x)
		}
	}
	p.row = newNumbers(beside)
	if u, ok := row[x].(float64); ok {
		p.x = canon(u)
	}
	for i := y + 1; i < len(f.Columns) && f.Columns[i].Bound != ""; i++ {
		b, ok := row[i].(float64)
		if !ok {
			continue
		}
		p.scale += math.Abs(b)
		switch f.Columns[i].Bound {
		case result.Half:
			p.lo, p.hi = v-b, v+b
		case result.Low:
			p.lo = b
		case result.High:
			p.hi = b
		}
	}
	return p, true
}

// figures looks for every series and every band of version 1 in some figure.
func figures(rep *report, old *before.Result, r *result.Result) {
	var now []drawing
	for _, f := range r.Figures {
		now = append(now, drawn(r, f))
	}
	for _, f := range old.Figures {
		for _, s := range f.Series {
			points := pointsOf(f.Form, s)
			rep.points += len(points)
			series(rep, f.ID, s.Name, points, now)
		}
		if len(f.Bands) == 0 {
			continue
		}
		var points []point
		for _, b := range f.Bands {
			points = append(points, point{x: canon(b.From), y: canon(b.To), lo: math.NaN(), hi: math.NaN()})
		}
		rep.points += len(points)
		series(rep, f.ID, "bands", points, now)
	}
}

// pointsOf are the points of a series of version 1; the x of a bar is its place.
func pointsOf(form string, s before.Series) []point {
	out := make([]point, len(s.Y))
	for i, y := range s.Y {
		out[i] = point{y: canon(y), lo: math.NaN(), hi: math.NaN()}
		if form != "bar" && i < len(s.X) {
			out[i].x = canon(s.X[i])
		}
		if i < len(s.Lo) && i < len(s.Hi) {
			out[i].lo, out[i].hi = s.Lo[i], s.Hi[i]
		}
	}
	return out
}

// series looks for points as one series, in order or not, and else among all points of a
// figure.
func series(rep *report, figure, name string, points []point, now []drawing) {
	if len(points) == 0 {
		return
	}
	var fewest []point
	where := "there is no figure"
	for _, d := range now {
		for _, s := range d.series {
			if len(s) == len(points) && len(lost(points, s)) == 0 {
				return
			}
		}
	}
	for _, d := range now {
		l := lost(points, d.all)
		if len(l) == 0 {
			rep.regrouped += len(points)
			return
		}
		if fewest == nil || len(l) < len(fewest) {
			fewest, where = l, "nearest is figure "+d.id
		}
	}
	if fewest == nil {
		fewest = points
	}
	for i, p := range fewest {
		if i == 5 {
			rep.differ("figure "+figure, "more", "%s: %d points more", name, len(fewest)-i)
			break
		}
		at := strings.TrimSpace(fmt.Sprintf("%s %s", p.x, p.y))
		if !math.IsNaN(p.lo) {
			at += fmt.Sprintf(" [%s, %s]", canon(p.lo), canon(p.hi))
		}
		rep.differ("figure "+figure, p.y, "%s: point %s is not drawn (%s)", name, at, where)
	}
}

// lost returns the points that have none of their own among drawn.
func lost(points, drawn []point) (out []point) {
	by := map[string][]point{}
	for _, q := range drawn {
		by[q.y] = append(by[q.y], q)
	}
	for _, p := range points {
		at := slices.IndexFunc(by[p.y], p.like)
		if at < 0 {
			out = append(out, p)
			continue
		}
		by[p.y] = slices.Delete(slices.Clone(by[p.y]), at, at+1)
	}
	return out
}
