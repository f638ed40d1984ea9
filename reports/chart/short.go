package chart

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"sync"

	"gradsync/reports/notebook"
)

// The options of a page's charts are alike but for their numbers. So a page holds one
// option of each form, and each chart what its own has otherwise; gradsyncWhole in
// report.js makes the whole of both.

// baseOptions are the options that the charts of a page are told from, by form.
var baseOptions = sync.OnceValues(func() (map[string]map[string]any, error) {
	out, seed, x := map[string]map[string]any{}, uint64(1), []float64{1}
	mean := notebook.Series{Name: "a", Group: "a", X: x, Y: x, Lo: x, Hi: x}
	one := notebook.Series{Name: "a", Group: "a", Seed: &seed, X: x, Y: x}
	for _, f := range []notebook.Drawing{
		{Form: "line", Series: []notebook.Series{mean, one}},
		{Form: "bar", X: notebook.Axis{Categories: []string{"a"}}, Series: []notebook.Series{{Name: "a", Y: x, Lo: x, Hi: x}}},
		{Form: "gantt", Lanes: []string{"a"}, Bands: []notebook.Band{{To: 1, Key: "compute", State: "compute"}}},
		{Form: "map", X: notebook.Axis{Categories: []string{"a"}}, Lanes: []string{"a"}, Bands: []notebook.Band{{To: 1, Key: "a", State: "a"}}},
	} {
		f.ID = "base"
		raw, err := Option(f)
		if err != nil {
			return nil, err
		}
		var o map[string]any
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, fmt.Errorf("chart: the base of %s: %w", f.Form, err)
		}
		for i := range o["series"].([]any) {
			delete(seriesAt(o, i), "data")
		}
		out[f.Form] = o
	}
	return out, nil
})

// chinesePart is the member of the base options that holds the Chinese of the charts' words;
// it is the name of no form.
const chinesePart = "zh"

// Bases returns the base options and the Chinese of the charts' words, in JSON whose <, >
// and & are escaped.
func Bases(chinese map[string]string) (template.JS, error) {
	bases, err := baseOptions()
	if err != nil {
		return "", err
	}
	all := map[string]any{chinesePart: chinese}
	for form, o := range bases {
		all[form] = o
	}
	b, err := json.Marshal(all)
	return template.JS(b), err
}

// shortOption returns an option as its difference from the base of its form. The description
// for screen readers stands in the page already.
func shortOption(form string, opt []byte) ([]byte, error) {
	bases, err := baseOptions()
	if err != nil {
		return nil, err
	}
	var o map[string]any
	if err := json.Unmarshal(opt, &o); err != nil {
		return nil, fmt.Errorf("chart: an option: %w", err)
	}
	base := maps.Clone(bases[form])
	known, _ := base["series"].([]any)
	list, _ := o["series"].([]any)
	delete(base, "series")
	delete(o, "series")
	if label, ok := o["aria"].(map[string]any)["label"].(map[string]any); ok {
		label["description"] = base["aria"].(map[string]any)["label"].(map[string]any)["description"]
	}
	out, _ := difference(base, o).(map[string]any)
	series, err := shortSeries(slices.Clone(known), list)
	if err != nil {
		return nil, err
	}
	if out == nil {
		out = map[string]any{}
	}
	out["series"] = series
	return json.Marshal(out)
}

// shortSeries tells each series from the one before it, or of the base, that it is most
// like: "like" counts from the base's first. Points become columns, and the names of bands
// a list; a number in the place of a column or a name counts those written before.
func shortSeries(known, list []any) ([]any, error) {
	var out []any
	var written, said []any
	for _, x := range list {
		s, ok := x.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("chart: a series that is no object: %v", x)
		}
		s = maps.Clone(s)
		data := s["data"]
		delete(s, "data")
		var least map[string]any
		size := 0
		for i, k := range known {
			d, _ := difference(k, s).(map[string]any)
			if d == nil {
				d = map[string]any{}
			}
			d["like"] = i
			b, err := json.Marshal(d)
			if err != nil {
				return nil, fmt.Errorf("chart: a series: %w", err)
			}
			if least == nil || len(b) < size {
				least, size = d, len(b)
			}
		}
		known = append(known, s)
		rows, names := bandNames(data)
		if columns := pointColumns(rows); columns == nil {
			least["data"] = data
		} else {
			least["columns"] = saidBefore(columns, &written)
			if names != nil {
				least["names"] = saidBefore(names, &said)
			}
		}
		out = append(out, least)
	}
	return out, nil
}

// saidBefore replaces what was written before by its place there; nil stays.
func saidBefore(list []any, written *[]any) []any {
	out := make([]any, len(list))
	for i, x := range list {
		if x == nil {
			continue
		}
		at := slices.IndexFunc(*written, func(w any) bool { return reflect.DeepEqual(w, x) })
		if out[i] = at; at < 0 {
			*written = append(*written, x)
			out[i] = x
		}
	}
	return out
}

// bandNames takes the names from values that have one; names is nil where none has.
func bandNames(data any) (values []any, names []any) {
	rows, _ := data.([]any)
	found := false
	for _, r := range rows {
		if o, ok := r.(map[string]any); ok && len(o) == 2 && o["name"] != nil && o["value"] != nil {
			values, names, found = append(values, o["value"]), append(names, o["name"]), true
			continue
		}
		values, names = append(values, r), append(names, nil)
	}
	if !found {
		names = nil
	}
	return values, names
}

// pointColumns turns points, each of as many numbers, into columns; nil for other data.
func pointColumns(rows []any) []any {
	var out [][]any
	for i, r := range rows {
		p, ok := r.([]any)
		if i == 0 {
			out = make([][]any, len(p))
		}
		if !ok || len(p) == 0 || len(p) != len(out) {
			return nil
		}
		for k, v := range p {
			out[k] = append(out[k], v)
		}
	}
	var columns []any
	for _, c := range out {
		columns = append(columns, c)
	}
	return columns
}

// difference returns the change that turns a into b, as RFC 7396 has it: a member that b lacks is null,
// one that both have is left out. Lists of one object count as the object. It is nil
// where a and b are alike.
func difference(a, b any) any {
	if x, y := only(a), only(b); x != nil && y != nil {
		if d := difference(x, y); d != nil {
			return []any{d}
		}
		return nil
	}
	x, ok1 := a.(map[string]any)
	y, ok2 := b.(map[string]any)
	if !ok1 || !ok2 {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return b
	}
	out := map[string]any{}
	for k := range x {
		if _, ok := y[k]; !ok {
			out[k] = nil
		}
	}
	for k, v := range y {
		if old, ok := x[k]; !ok {
			out[k] = v
		} else if d := difference(old, v); d != nil {
			out[k] = d
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// only returns the object that a list holds alone.
func only(list any) map[string]any {
	if l, ok := list.([]any); ok && len(l) == 1 {
		o, _ := l[0].(map[string]any)
		return o
	}
	return nil
}
