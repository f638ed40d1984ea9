package notebook

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// Figure is a figure of the result with its numbers, drawn in the words of each language.
type Figure struct {
	ID      string
	Caption [2]template.HTML
	Alt     Both
	Drawn   [2]Drawing
}

// figure places a figure of the result.
func (p *page) figure(id string) (string, error) {
	p.used["figure "+id] = true
	for _, f := range p.Result.Figures {
		if f.ID == id {
			out := &Figure{ID: id}
			var err error
			if out.Drawn[p.at], err = p.drawn(f); err != nil {
				return "", fmt.Errorf("%s: figure %s: %w", p.Result.ID, id, err)
			}
			return p.block(Part{Figure: out}), nil
		}
	}
	return "", fmt.Errorf("%s has no figure %q", p.Result.ID, id)
}

// drawn gives a figure its numbers and the words of this language.
func (p *page) drawn(f result.Figure) (out Drawing, err error) {
	if !slices.Contains([]string{"line", "bar", "gantt", "map"}, f.Form) {
		return out, fmt.Errorf("unknown form %q", f.Form)
	}
	var sel []any
	for _, k := range slices.Sorted(maps.Keys(f.Where)) {
		sel = append(sel, k, f.Where[k])
	}
	rs, err := p.rows(f.Frame, sel...)
	if err != nil {
		return out, err
	}
	if len(rs) == 0 {
		return out, fmt.Errorf("no row of %s is drawn", f.Frame)
	}
	frame := rs[0].frame
	out = Drawing{ID: f.ID, Form: f.Form, Kind: frame.Kind,
		X: Axis{Log: strings.Contains(f.Log, "x")}, Y: Axis{Log: strings.Contains(f.Log, "y")}}
	if out.Kind == "" {
		out.Kind = p.Result.Kind
	}
	if out.X.Title, err = p.axis(f, "x", f.X); err != nil {
		return out, err
	}
	if f.Form == "gantt" {
		out.X.Unit = p.unit(frame.Columns[frame.At(f.X)].Unit)
		if v, err := rs[0].Get(f.Lane); err == nil && v.Column.Enum == "" {
			if _, ok := float(v); ok { // numbers say nothing without their column
				if out.Y.Title, err = p.column(f.Frame, f.Lane); err != nil {
					return out, err
				}
			}
		}
		return out, p.lanes(&out, f, rs)
	}
	if f.Form == "map" {
		return out, p.cells(&out, f, rs)
	}
	if f.Form == "line" {
		out.X.Unit = p.unit(frame.Columns[frame.At(f.X)].Unit)
	}
	if out.Y.Title, err = p.axis(f, "y", f.Y[0]); err != nil {
		return out, err
	}
	out.Y.Unit = p.unit(frame.Columns[frame.At(f.Y[0])].Unit)
	return out, p.series(&out, f, rs)
}

// axis returns the title of an axis: a label of its own, axis.<figure>.x, or the label of its
// family, axis.loads for "loads-10" and axis.time for "orders-time", or its column's.
func (p *page) axis(f result.Figure, which, column string) (string, error) {
	names := []string{f.ID}
	if i := strings.LastIndexByte(f.ID, '-'); i > 0 {
		names = append(names, f.ID[:i], f.ID[i+1:])
	}
	for _, name := range names {
		if s, ok := p.words.find("axis." + name + "." + which); ok {
			return s, nil
		}
		if s, ok := p.words.find("axis." + name); ok && which == "y" {
			return s, nil
		}
	}
	return p.column(f.Frame, column)
}

// series adds the series of a chart of lines or bars.
func (p *page) series(out *Drawing, f result.Figure, rs []row) error {
	at := map[string]int{}
	for _, r := range rs {
		place, err := p.place(out, f, r)
		if err != nil {
			return err
		}
		for _, key := range f.Y {
			name, id, group, err := p.seriesName(f, r, key)
			if err != nil {
				return err
			}
			var seed *uint64
			if f.Seed != "" {
				if x, ok := float(r.at(r.frame.At(f.Seed))); ok {
					n := uint64(x)
					seed, id = &n, fmt.Sprint(id, "\x00seed ", n)
				}
			}
			if _, ok := at[id]; !ok {
				at[id] = len(out.Series)
				out.Series = append(out.Series, Series{Name: strings.Join(name, commas[p.at]), Group: group, Seed: seed})
			}
			s := &out.Series[at[id]]
			v := r.at(r.frame.At(key))
			y, ok := float(v)
			if !ok {
				continue
			}
			s.X, s.Y = append(s.X, place), append(s.Y, y)
			if v.CI != nil {
				s.Lo, s.Hi = append(s.Lo, v.CI[0]), append(s.Hi, v.CI[1])
			}
		}
	}
	for i := range out.Series {
		s := &out.Series[i]
		if len(s.Lo) != len(s.Y) {
			s.Lo, s.Hi = nil, nil // bounds of some points alone bound no line
		}
		if f.Form == "bar" {
			bars(s, len(out.X.Categories))
		}
	}
	return nil
}

// bars gives a series a value for each of n categories, NaN for a bar that is not there.
func bars(s *Series, n int) {
	fill := func(values []float64) []float64 {
		if values == nil {
			return nil
		}
		out := slices.Repeat([]float64{math.NaN()}, n)
		for i, x := range s.X {
			out[int(x)] = values[i]
		}
		return out
	}
	if s.Y == nil { // no bar of the series is there
		s.Y = []float64{}
	}
	s.Y, s.Lo, s.Hi = fill(s.Y), fill(s.Lo), fill(s.Hi)
	s.X = nil
}

// place returns where along the figure a row stands: its number, or the place of its category.
func (p *page) place(out *Drawing, f result.Figure, r row) (float64, error) {
	x, err := r.Get(f.X)
	if err != nil {
		return 0, err
	}
	if f.Form == "line" {
		place, ok := float(x)
		if !ok {
			return 0, fmt.Errorf("column %s is no number: a line has numbers along it", f.X)
		}
		return place, nil
	}
	name, err := p.bare(x)
	if err != nil {
		return 0, err
	}
	if short, ok := p.words.find(x.Column.Enum + "-short." + fmt.Sprint(x.V)); ok {
		name = short
	}
	if x.Column.Enum == "" {
		name = withUnit(name, p.unit(x.Column.Unit))
	}
	if f.X == "claim" { // the number of a claim says what it is of
		for _, key := range []string{"model", "against"} {
			if r.frame.At(key) < 0 {
				continue
			}
			v, err := r.Get(key)
			if err != nil {
				return 0, err
			}
			of, err := p.bare(v)
			if err != nil {
				return 0, err
			}
			name += map[string]string{"model": ": ", "against": " / "}[key] + of
		}
	}
	if !slices.Contains(out.X.Categories, name) {
		out.X.Categories = append(out.X.Categories, name)
	}
	return float64(slices.Index(out.X.Categories, name)), nil
}

// commas joins names in each language.
var commas = [2]string{", ", "，"}

// seriesName returns what tells a row's series from others, in words and in keys, and the
// key that fixes its colour.
func (p *page) seriesName(f result.Figure, r row, y string) (name []string, id, group string, err error) {
	var keys []string
	for _, by := range f.By {
		v, err := r.Get(by)
		if err != nil {
			return nil, "", "", err
		}
		s, err := p.bare(v)
		if err != nil {
			return nil, "", "", err
		}
		if v.Column.Enum == "" && v.V != nil {
			if title, err := p.column(r.frame.ID, by); err == nil {
				s = title + " " + withUnit(s, p.unit(v.Column.Unit))
			}
		}
		name, keys = append(name, s), append(keys, plainText(v))
	}
	if len(f.Y) > 1 || len(name) == 0 {
		s, err := p.column(r.frame.ID, y)
		if err != nil {
			return nil, "", "", err
		}
		name, keys = append(name, s), append(keys, y)
	}
	if f.Colours != "" {
		v, err := r.Get(f.Colours)
		return name, strings.Join(keys, " "), plainText(v), err
	}
	id = strings.Join(keys, " ")
	return name, id, id, nil
}

// lanes adds the lanes and bands of a figure along a time.
func (p *page) lanes(out *Drawing, f result.Figure, rs []row) error {
	text := func(r row, key string) (string, error) {
		if key == "" {
			return "", nil
		}
		v, err := r.Get(key)
		if err != nil || v.V == nil {
			return "", err
		}
		return p.bare(v)
	}
	if f.Lane == "" || f.State == "" {
		return fmt.Errorf("a gantt figure names the columns of its lanes and states")
	}
	for _, r := range rs {
		lane, err := text(r, f.Lane)
		if err != nil {
			return err
		}
		state, err := r.Get(f.State)
		if err != nil {
			return err
		}
		label, err := text(r, f.Label)
		if err != nil {
			return err
		}
		name, err := p.bare(state)
		if err != nil {
			return err
		}
		from, okFrom := float(r.at(r.frame.At(f.X)))
		to, okTo := float(r.at(r.frame.At(f.Y[0])))
		if !okFrom || !okTo {
			return fmt.Errorf("a band of lane %s has no beginning or no end", lane)
		}
		if !slices.Contains(out.Lanes, lane) {
			out.Lanes = append(out.Lanes, lane)
		}
		out.Bands = append(out.Bands, Band{Lane: slices.Index(out.Lanes, lane), From: from, To: to, Key: plainText(state), State: name, Label: label})
	}
	return nil
}

// cells adds the cells of a map: a lane per row of it, named by all columns that tell rows apart.
func (p *page) cells(out *Drawing, f result.Figure, rs []row) (err error) {
	if f.State == "" || f.Label == "" {
		return fmt.Errorf("a map names the columns of its states and numbers")
	}
	if out.Y.Title, err = p.column(f.Frame, f.Label); err != nil {
		return err
	}
	for _, r := range rs {
		var lane []string
		for _, key := range append(slices.Clone(f.By), f.Y[0]) {
			v, err := r.Get(key)
			if err != nil {
				return err
			}
			s, err := p.bare(v)
			if err != nil {
				return err
			}
			if v.Column.Enum == "" {
				s = withUnit(s, p.unit(v.Column.Unit))
			}
			lane = append(lane, s)
		}
		place, err := p.place(out, f, r)
		if err != nil {
			return err
		}
		state, err := r.Get(f.State)
		if err != nil {
			return err
		}
		name, err := p.bare(state)
		if err != nil {
			return err
		}
		label, err := r.Get(f.Label)
		if err != nil {
			return err
		}
		number, ok := float(label)
		shown, err := p.bare(label)
		if err != nil || !ok {
			return fmt.Errorf("column %s is no number: a cell of a map has one (%v)", f.Label, err)
		}
		at := strings.Join(lane, commas[p.at])
		if !slices.Contains(out.Lanes, at) {
			out.Lanes = append(out.Lanes, at)
		}
		out.Bands = append(out.Bands, Band{Lane: slices.Index(out.Lanes, at), From: place, To: number, Key: plainText(state), State: name, Label: shown})
	}
	return nil
}
