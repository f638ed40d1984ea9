package notebook

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/result"
)

// viewOf reads a figure that a text defines: its id, form and frame, and words such as "x=model", "y=least,most",
// "by=method", "log=y". A word that names none of these chooses rows: "platform=homogeneous6".
func viewOf(id, form, frame string, words []string) (f result.Figure, err error) {
	f = result.Figure{ID: id, Form: form, Frame: frame, Where: map[string]any{}}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" || value == "" {
			return f, fmt.Errorf("plot %s: %q is no word and its value, such as x=model", id, w)
		}
		switch key {
		case "x":
			f.X = value
		case "y":
			f.Y = strings.Split(value, ",")
		case "by":
			f.By = strings.Split(value, ",")
		case "log":
			f.Log = value
		case "colours":
			f.Colours = value
		default:
			f.Where[key] = value
		}
	}
	if form != "bar" && form != "line" {
		return f, fmt.Errorf("plot %s: a text draws a bar or a line, no %q", id, form)
	}
	if f.X == "" || len(f.Y) == 0 {
		return f, fmt.Errorf("plot %s: what is along x, and what along y", id)
	}
	return f, nil
}

// view reads a figure that a text defines, of columns that its frame has.
func (p *page) view(id, form, frame string, words []string) (result.Figure, error) {
	f, err := viewOf(id, form, frame, words)
	if err != nil {
		return f, err
	}
	of := p.Result.Frame(frame)
	if of == nil {
		return f, fmt.Errorf("%s has no frame %q", p.Result.ID, frame)
	}
	for _, key := range slices.Concat([]string{f.X}, f.Y, f.By) {
		if of.At(key) < 0 {
			return f, fmt.Errorf("%s: frame %s has no column %q", p.Result.ID, frame, key)
		}
		p.used[frame+"."+key] = true
	}
	if slices.ContainsFunc(p.Result.Figures, func(o result.Figure) bool { return o.ID == id }) {
		return f, fmt.Errorf("%s has a figure %s of its own: figure %q", p.Result.ID, id, id)
	}
	return f, nil
}

// plot places a figure that the text itself defines, of any frame of the result.
func (p *page) plot(id, form, frame string, words ...string) (string, error) {
	f, err := p.view(id, form, frame, words)
	if err != nil {
		return "", err
	}
	out := &Figure{ID: id}
	if out.Drawn[p.at], err = p.drawn(f); err != nil {
		return "", fmt.Errorf("%s: plot %s: %w", p.Result.ID, id, err)
	}
	return p.block(Part{Figure: out}), nil
}

// Plot marks the place of a figure of another result; the page draws it by Page.Plot.
func (p *page) Plot(id, form, frame string, words ...string) (string, error) {
	if _, err := p.view(id, form, frame, words); err != nil {
		return "", err
	}
	return p.placed("plot", append([]string{p.Result.ID, p.Result.Profile, id, form, frame}, words...)...), nil
}

// Plot draws a figure that a text defines, in both languages. Its alt text lists all that is drawn.
func (p *Page) Plot(id, form, frame string, words ...string) (*Figure, error) {
	out := &Figure{ID: id}
	for l := range Languages {
		in := p.book.page(l, p.Result, nil)
		f, err := in.view(id, form, frame, words)
		if err != nil {
			return nil, err
		}
		if out.Drawn[l], err = in.drawn(f); err != nil {
			return nil, fmt.Errorf("%s: plot %s: %w", p.Result.ID, id, err)
		}
		out.Alt[l] = in.heard(out.Drawn[l])
	}
	return out, nil
}

// heard says what a drawing of bars or lines shows: every bar, and the ends of every line.
func (p *page) heard(d Drawing) string {
	var items []string
	add := func(where string, s Series, i int) {
		if y := s.Y[i]; !math.IsNaN(y) {
			items = append(items, where+" "+s.Name+" "+withUnit(Number(y, nil), d.Y.Unit))
		}
	}
	for i, c := range d.X.Categories {
		for _, s := range d.Series {
			add(c, s, i)
		}
	}
	if d.Form == "line" {
		for _, s := range d.Series {
			for _, i := range slices.Compact([]int{0, len(s.X) - 1}) {
				if i >= 0 && s.Seed == nil {
					add(withUnit(Number(s.X[i], nil), d.X.Unit), s, i)
				}
			}
		}
	}
	return d.Y.Title + [2]string{": ", "："}[p.at] + strings.Join(items, [2]string{"; ", "；"}[p.at])
}
