package result

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
)

// word is a key of an enumeration, a name or a formula: what has no space in it, and none of the
// characters that cluster.CheckName refuses.
var word = regexp.MustCompile(`^[^\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,60}$`)

// control is a character that steers a terminal or breaks a line, as in cluster.CheckName.
var control = regexp.MustCompile(`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`)

// Check returns an error unless r is as its readers expect: ids are unique, figures name frames and
// columns that exist, numbers are finite, and no string is a sentence.
func Check(r *Result) error {
	c := checker{seen: map[string]bool{}}
	if control.MatchString(r.ID) {
		return fmt.Errorf("id %.64q has a control character", r.ID)
	}
	for _, f := range r.Facts {
		c.once("fact", f.Key)
		c.words("fact "+f.Key, f.Value)
	}
	for i := range r.Frames {
		c.frame(&r.Frames[i])
	}
	for _, f := range r.Figures {
		c.figure(r, f)
	}
	for _, x := range r.Claims {
		c.once("claim", x.ID)
		for _, s := range append(append([]Reason{}, x.Reasons...), x.Differs...) {
			c.words("claim "+x.ID, s.Code)
			c.words("claim "+x.ID, s.Args)
		}
		if x.Found != nil {
			c.words("claim "+x.ID, x.Found.Args)
		}
		for _, p := range x.Parts {
			c.words("claim "+x.ID, p.Of)
		}
	}
	c.sentences("config", r.Config)
	for _, d := range r.Data {
		c.sentences("data "+d.Name, d.Note)
	}
	if c.err != nil {
		return fmt.Errorf("%s: %w", r.ID, c.err)
	}
	return nil
}

// checker keeps the first fault.
type checker struct {
	seen map[string]bool
	err  error
}

func (c *checker) fault(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// once demands that an id of a kind has not been met.
func (c *checker) once(kind, id string) {
	if key := kind + " " + id; c.seen[key] || !word.MatchString(id) {
		c.fault("%s %q stands twice or is no id", kind, id)
	} else {
		c.seen[key] = true
	}
}

func (c *checker) frame(f *Frame) {
	c.once("frame", f.ID)
	inner := checker{seen: map[string]bool{}}
	for i, col := range f.Columns {
		inner.once("column", col.Key)
		if col.Bound != "" && i == 0 {
			c.fault("frame %s: column %s bounds nothing", f.ID, col.Key)
		}
	}
	for j, row := range f.Rows {
		if len(row) != len(f.Columns) {
			c.fault("frame %s: row %d has %d cells, want %d", f.ID, j, len(row), len(f.Columns))
			return
		}
		for i, x := range row {
			c.words(fmt.Sprintf("frame %s, row %d, column %s", f.ID, j, f.Columns[i].Key), x)
		}
	}
	if inner.err != nil {
		c.fault("frame %s: %w", f.ID, inner.err)
	}
}

func (c *checker) figure(r *Result, f Figure) {
	c.once("figure", f.ID)
	frame := r.Frame(f.Frame)
	if frame == nil {
		c.fault("figure %s: there is no frame %q", f.ID, f.Frame)
		return
	}
	keys := append(append([]string{f.X}, f.Y...), f.By...)
	for key := range f.Where {
		keys = append(keys, key)
	}
	for _, key := range append(keys, f.Seed, f.Colours, f.Lane, f.State, f.Label) {
		if key != "" && frame.At(key) < 0 {
			c.fault("figure %s: frame %s has no column %q", f.ID, f.Frame, key)
		}
	}
	if len(f.Y) == 0 || f.X == "" {
		c.fault("figure %s: it draws nothing", f.ID)
	}
}

// words demands that every string in v is a word, and every number finite.
func (c *checker) words(where string, v any) {
	c.visit(where, reflect.ValueOf(v), func(s string) bool { return s == "" || word.MatchString(s) })
}

// sentences demands that no string in v reads as a sentence. A configuration may hold
// names of some words, such as "heterogeneous6, 100 Gb/s".
func (c *checker) sentences(where string, v any) {
	c.visit(where, reflect.ValueOf(v), func(s string) bool { return len(strings.Fields(s)) <= 7 && len(s) <= 120 })
}

func (c *checker) visit(where string, v reflect.Value, allowed func(string) bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			c.visit(where, v.Elem(), allowed)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			c.visit(where, it.Value(), allowed)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			c.visit(where, v.Index(i), allowed)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.visit(where, v.Field(i), allowed)
			}
		}
	case reflect.String:
		if !allowed(v.String()) {
			c.fault("%s: %q is a sentence: a result holds keys, the words are the report's", where, v.String())
		}
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			c.fault("%s: %g is no number that a file can hold", where, x)
		}
	}
}
