package bench

import (
	"bytes"
	_ "embed" // for the page's text
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

//go:embed page.tmpl
var pageText string

var page = template.Must(template.New("page").
	Funcs(template.FuncMap{"find": Find, "table": table, "notes": notes, "sorted": sorted}).Parse(pageText))

// Markdown returns BENCHMARKS.md: the same bytes of the same book anywhere.
func (b *Book) Markdown() (string, error) { return b.render("page") }

// Tables returns the tables alone.
func (b *Book) Tables() (string, error) { return b.render("tables") }

func (b *Book) render(name string) (string, error) {
	var out bytes.Buffer
	err := page.ExecuteTemplate(&out, name, b)
	return out.String(), err
}

// Loaded returns the largest load average, before or after a question, and whether it was half a core or more before
// the first, when nothing of this run was in it.
func (b *Book) Loaded() (out struct {
	Most  float64
	First string
	Busy  bool
}) {
	for i, a := range b.Answers {
		for _, text := range []string{a.Before, a.After} {
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				out.Most = max(out.Most, x)
				out.Busy = out.Busy || i == 0 && x >= 0.5 && text == a.Before
			}
		}
	}
	if len(b.Answers) > 0 {
		out.First = b.Answers[0].Before
	}
	return out
}

// table returns a question's rows: what ours came to, with half its interval's width in percent, and each peer's ratio.
func table(q *Question, a Answer) string {
	var out strings.Builder
	if !slices.ContainsFunc(a.Cases, func(c *Case) bool { return c.speed(q, q.Ours) != nil }) {
		return ""
	}
	fmt.Fprintf(&out, "| case | %s | ± | × %s |\n|---|%s\n",
		q.Ours, strings.Join(q.Peers, " | × "), strings.Repeat("---|", 2+len(q.Peers)))
	for _, c := range a.Cases {
		ours := c.speed(q, q.Ours)
		if ours == nil {
			continue
		}
		fmt.Fprintf(&out, "| %s | %ss | %s |", words(c.Name), scaled(ours.Center, q), noise(ours))
		for _, peer := range q.Peers {
			fmt.Fprintf(&out, " %s |", ratio(c.ratio(q, peer)))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// named matches the key of a value that needs none: the name of a network, a method, an operation.
var named = regexp.MustCompile(`(^|/)\w+=([a-z])`)

// words returns a case's name as a cell.
func words(name string) string {
	return strings.ReplaceAll(named.ReplaceAllString(name, "$1$2"), "/", " ")
}

// scaled returns a speed or a time up to its "s".
func scaled(x float64, q *Question) string {
	text := benchunit.Scale(x, benchunit.Decimal)
	at := len(strings.TrimRight(text, "nµmkMGT"))
	if q.Rate {
		return text[:at] + " " + text[at:] + "B/"
	}
	return text[:at] + " " + text[at:]
}

func noise(s *benchmath.Summary) string {
	if !finite(s) {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 50*(s.Hi-s.Lo)/s.Center)
}

// ratio returns a median and its interval, if the rounds give one.
func ratio(s *benchmath.Summary) string {
	switch {
	case s == nil:
		return "–"
	case !finite(s):
		return fmt.Sprintf("**%.3g**", s.Center)
	}
	return fmt.Sprintf("**%.3g** %.3g–%.3g", s.Center, s.Lo, s.Hi)
}

// notes returns why contenders are missing, a reason once.
func notes(a Answer) (out []string) {
	for _, c := range a.Cases {
		for _, by := range slices.Sorted(maps.Keys(c.Notes)) {
			if line := by + ": " + c.Notes[by]; !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
