package main

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/result"
	"gradsync/internal/oracle/before"
)

//go:embed allowed.csv
var allowedCSV []byte

// difference is a number of version 1 that was not found, or something else amiss.
type difference struct{ what, number, text string }

// report counts what was compared for a result and lists what differs.
type report struct {
	id                                            string
	cells, loose, points, regrouped, claims, whys int
	byPage, texts, notes, allowed                 int
	info                                          []string
	differences                                   []difference
}

func (r *report) differ(what, number, format string, args ...any) {
	r.differences = append(r.differences, difference{what, number, fmt.Sprintf(format, args...)})
}

func (r *report) add(o report) {
	r.cells += o.cells
	r.loose += o.loose
	r.points += o.points
	r.regrouped += o.regrouped
	r.claims += o.claims
	r.whys += o.whys
	r.byPage += o.byPage
	r.texts += o.texts
	r.notes += o.notes
	r.allowed += o.allowed
	r.differences = append(r.differences, o.differences...)
}

// sum is the line that counts.
func (r *report) sum() string {
	out := fmt.Sprintf("%s: %s cells", r.id, thousands(r.cells))
	if r.loose > 0 {
		out += fmt.Sprintf(" (%s pivoted)", thousands(r.loose))
	}
	out += fmt.Sprintf(", %s figure points", thousands(r.points))
	if r.regrouped > 0 {
		out += fmt.Sprintf(" (%s in other series)", thousands(r.regrouped))
	}
	out += fmt.Sprintf(", %s claims with %s numbers in reasons", thousands(r.claims), thousands(r.whys))
	if r.byPage > 0 {
		out += fmt.Sprintf(" (%s by the page alone)", thousands(r.byPage))
	}
	return out + fmt.Sprintf(", %s numbers in cells of words, %s numbers of notes compared; %s differ, %s allowed",
		thousands(r.texts), thousands(r.notes), thousands(len(r.differences)), thousands(r.allowed))
}

func (r *report) String() string {
	lines := []string{r.sum()}
	for _, s := range r.info {
		lines = append(lines, "  info: "+s)
	}
	for _, d := range r.differences {
		lines = append(lines, fmt.Sprintf("  %s | %s | %s", d.what, d.number, d.text))
	}
	return strings.Join(lines, "\n")
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// compare sets a result of version 2 beside its version 1. words are the text of its
// page, "" where it cannot be had.
func compare(old *before.Result, r *result.Result, words pageText) report {
	rep := report{id: r.ID + " " + r.Profile}
	config(&rep, old, r)
	switch {
	case words.err != nil:
		rep.differ("page", "error", "%v", words.err)
	case words.words == "":
		rep.info = append(rep.info, "there is no notebook: notes are looked for in the data")
	}
	pages := words.pool(r)
	tables(&rep, old, r, pages)
	figures(&rep, old, r)
	claims(&rep, old, r, words)
	for _, note := range old.Notes {
		for _, n := range numbersIn(note) {
			rep.notes++
			if !pages.has(n) {
				rep.differ("notes", n.text, "stands in %q", around(note, n.text))
			}
		}
	}
	captions(&rep, old, r, pages)
	return rep
}

// captions notes which numbers of captions are neither on the page nor anywhere in the
// result.
func captions(rep *report, old *before.Result, r *result.Result, pages *pool) {
	data := newPool(append(everything(r), flatten(r.Config)...))
	var texts, gone []string
	for _, t := range old.Tables {
		texts = append(texts, t.Caption)
	}
	for _, f := range old.Figures {
		texts = append(texts, f.Caption, f.Alt)
	}
	total := 0
	for _, s := range texts {
		for _, n := range numbersIn(s) {
			total++
			if !pages.has(n) && !data.has(n) && !slices.Contains(gone, n.text) {
				gone = append(gone, n.text)
			}
		}
	}
	if len(gone) > 0 {
		rep.info = append(rep.info, fmt.Sprintf("of %d numbers of captions and alternative texts neither the page nor the result has %s",
			total, strings.Join(gone, ", ")))
	}
}

// config notes what else differs; it is no difference of its own.
func config(rep *report, old *before.Result, r *result.Result) {
	if fmt.Sprint(old.Seeds) != fmt.Sprint(r.Seeds) {
		rep.info = append(rep.info, fmt.Sprintf("seeds %v, were %v", r.Seeds, old.Seeds))
	}
	if old.Engine != r.Engine {
		rep.info = append(rep.info, fmt.Sprintf("engine %q, was %q", r.Engine, old.Engine))
	}
	if a, b := sums(old.Sets()), sums(r.Data); a != b {
		rep.info = append(rep.info, fmt.Sprintf("data %s, were %s", b, a))
	}
	if old.Kind != r.Kind {
		rep.info = append(rep.info, fmt.Sprintf("kind %q, was %q", r.Kind, old.Kind))
	}
	if old.Status != r.Status {
		rep.info = append(rep.info, fmt.Sprintf("status %q, was %q", r.Status, old.Status))
	}
}

func sums(sets []result.Data) string {
	var out []string
	for _, d := range sets {
		out = append(out, d.Name+" "+d.SHA256[:min(12, len(d.SHA256))])
	}
	return strings.Join(out, ", ")
}

// around returns the part of a text in which a number stands.
func around(text, number string) string {
	at := strings.Index(text, number)
	if at < 0 {
		return text
	}
	from, to := max(0, at-60), min(len(text), at+len(number)+40)
	return strings.ToValidUTF8(text[from:to], "")
}

// allowance is a row of allowed.csv.
type allowance struct {
	id, profile, what, number, reason string
	used                              bool
}

func (a *allowance) String() string {
	return strings.Join([]string{a.id, a.profile, a.what, a.number}, ",")
}

func parseAllowed(raw []byte) ([]*allowance, error) {
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("allowed.csv: %w", err)
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != "id,profile,what,number,reason" {
		return nil, fmt.Errorf("allowed.csv: the header is not id,profile,what,number,reason")
	}
	var out []*allowance
	for _, r := range rows[1:] {
		if r[4] == "" {
			return nil, fmt.Errorf("allowed.csv: %v has no reason", r)
		}
		out = append(out, &allowance{id: r[0], profile: r[1], what: r[2], number: r[3], reason: r[4]})
	}
	return out, nil
}

// allow takes out of r what the list allows.
func (r *report) allow(list []*allowance, id, profile string) {
	var left []difference
	for _, d := range r.differences {
		found := false
		for _, a := range list {
			if a.id == id && match(a.profile, profile) && match(a.what, d.what) && match(a.number, d.number) {
				a.used, found = true, true
			}
		}
		if found {
			r.allowed++
		} else {
			left = append(left, d)
		}
	}
	r.differences = left
}

// match compares with a pattern whose last character may be "*".
func match(pattern, s string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(s, head)
	}
	return pattern == s
}
