package reports

import (
	"embed"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"sync"

	"gradsync/experiments/claims"
	"gradsync/experiments/result"
	drawing "gradsync/experiments/result1"
	"gradsync/reports/notebook"
)

// wordFiles are the notebooks, labels and reasons of all pages.
//
//go:embed text
var wordFiles embed.FS

// openBook reads them once a program.
var openBook = sync.OnceValues(func() (*notebook.Book, error) {
	sub, err := fs.Sub(wordFiles, "text")
	if err != nil {
		return nil, err
	}
	return notebook.Open(sub)
})

// Title returns the title of an experiment's notebook in English, "" where it has none.
func Title(id string) string {
	b, err := openBook()
	if err != nil || !b.Has(id) {
		return ""
	}
	both, err := b.Titles(id)
	if err != nil {
		return ""
	}
	return both[0]
}

// Presented returns a result as a reader sees it in English: its figures drawn, its
// claims in words, its frames as tables.
func Presented(r *result.Result) (*drawing.Result, error) {
	l := loaded{New: r, Result: skeleton(r)}
	if err := l.dress(nil); err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return l.Result, nil
}

// skeleton is what pages ask of any result, without its words.
func skeleton(r *result.Result) *drawing.Result {
	out := &drawing.Result{Schema: r.Schema, ID: r.ID, Title: r.ID, Source: r.Source, Profile: r.Profile, Kind: r.Kind, Status: r.Status, Seeds: r.Seeds,
		Engine: r.Engine, Config: r.Config, ConfigSHA256: r.ConfigSHA256}
	if len(r.Data) > 0 {
		out.Data = &r.Data[0]
	}
	if len(r.Data) > 1 {
		out.Datasets = r.Data
	}
	for _, c := range r.Claims {
		stated, _ := claims.Get(c.ID)
		out.Claims = append(out.Claims, drawing.Claim{ID: c.ID, Verdict: c.Verdict, Remark: c.Remark, Statement: stated.Statement(),
			Source: stated.Paper + ", " + stated.Section, Paper: stated.Stated(), Unit: stated.Unit, Tolerance: stated.Tolerance})
	}
	return out
}

// dress gives a result of version 2 its words from its notebook. others are the results
// of the same folder.
func (l *loaded) dress(others notebook.Results) error {
	book, err := openBook()
	if err != nil {
		return err
	}
	if l.Page, err = book.Page(l.New, others); err != nil {
		return err
	}
	if l.ClaimRows, err = book.ClaimRows(l.New); err != nil {
		return err
	}
	l.Title = l.Page.Title[0]
	for i, row := range l.ClaimRows {
		c := &l.Claims[i]
		c.Measured, c.Why, c.Differs = row.Found[0], strings.Join(row.Reasons[0], "; "), row.Differs[0]
		if x, ok := l.New.Claims[i].Measured.(float64); ok {
			c.Measured = x
		}
		if ci := l.New.Claims[i].CI95; len(ci) == 1 {
			c.CI95 = ci[0]
		}
	}
	for _, part := range l.Page.Parts {
		if part.Figure == nil {
			continue
		}
		f := part.Figure.Drawn[0]
		f.Title, f.Caption, f.Alt = l.Title, plainOf(string(part.Figure.Caption[0])), part.Figure.Alt[0]
		l.Figures = append(l.Figures, f)
	}
	for _, f := range l.New.Frames {
		l.Tables = append(l.Tables, rawTable(l, f))
	}
	return nil
}

// rawTable is a frame as a table of its raw cells: what widgets read.
func rawTable(l *loaded, f result.Frame) drawing.Table {
	t := drawing.Table{ID: f.ID, Kind: f.Kind, Rows: [][]any{}}
	var at []int
	for i, c := range f.Columns {
		if c.Bound == result.Samples {
			continue
		}
		digits := 0
		if c.Digits != nil {
			digits = *c.Digits
		}
		t.Columns, at = append(t.Columns, drawing.Column{Key: c.Key, Title: c.Key, Unit: c.Unit, Digits: digits}), append(at, i)
	}
	for _, row := range f.Rows {
		var line []any
		for _, i := range at {
			line = append(line, row[i])
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

var markup = regexp.MustCompile(`<[^>]*>`)

// plainOf is HTML without its tags.
func plainOf(s string) string { return html.UnescapeString(markup.ReplaceAllString(s, "")) }

// dressAll gives all results of version 2 their words.
func dressAll(all map[string][]loaded) error {
	find := func(id, profile string) (*result.Result, error) {
		for _, l := range all[paperOf(id)] {
			if l.ID == id && l.Profile == profile && l.New != nil {
				return l.New, nil
			}
		}
		return nil, fs.ErrNotExist
	}
	for _, rs := range all {
		for i := range rs {
			if rs[i].New == nil {
				continue
			}
			if err := rs[i].dress(find); err != nil {
				return fmt.Errorf("reports: %w", err)
			}
			if err := check(rs[i].Result); err != nil {
				return fmt.Errorf("reports: %s, profile %s: %w", rs[i].ID, rs[i].Profile, err)
			}
		}
	}
	return nil
}

// readEither reads a result file of either version.
func readEither(file string) (loaded, error) {
	r, err := result.Read(file)
	if err == nil {
		return loaded{New: r, Result: skeleton(r)}, nil
	}
	if !errors.Is(err, result.ErrSchema) {
		return loaded{}, err
	}
	old, err := drawing.Read(file)
	return loaded{Result: old}, err
}

// Outline reads a result file of either version without its words: what it is of, its
// configuration, and the verdicts on its claims.
func Outline(file string) (*drawing.Result, error) {
	l, err := readEither(file)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return l.Result, nil
}

// Remark is what there is to say of a verdict besides: undecided, given, derived or "".
func Remark(c drawing.Claim) string { return remarkOn(c).Key }

// missing tells whether a drawn value is none: a bar that is not there.
func missing(y float64) bool { return math.IsNaN(y) }
