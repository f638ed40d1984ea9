package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gradsync/reports/page"
)

// bounds is how much a page may hold. Zero sets no bound.
type bounds struct {
	Words   int // seen without opening anything, in each language, numerals apart; two Chinese letters are a word
	KB      int // of HTML
	Nodes   int // elements
	Tables  int // not folded
	Figures int // not folded
}

// resultBudget bounds a page of a result, averageKB all of them on average.
var resultBudget = bounds{Words: 700, KB: 90, Nodes: 3000, Tables: 2, Figures: 1}

const averageKB, allKB = 45, 4200

// pageBudgets bounds the other pages, by the end of their names; the first that fits holds.
var pageBudgets = []struct {
	Name string
	bounds
}{
	{"index.html", bounds{Words: 700, KB: 40, Nodes: 700}},
	{"coursework.html", bounds{Words: 2600, KB: 50, Nodes: 700}},
	{"/claims.html", bounds{KB: 150}},
	{"/code.html", bounds{Words: 1500, KB: 150}},
	{"/assumptions.html", bounds{Words: 1200, KB: 80}},
	{"/provenance.html", bounds{Words: 1200, KB: 250}},
	{".html", bounds{Words: 1600, KB: 150, Nodes: 3000, Tables: 2, Figures: 3}}, // a story
}

// Weight counts a page in the units of bounds, of the profile that it shows first.
type Weight struct {
	Words                  [2]int // in English, in Chinese
	Bytes                  int
	Nodes, Tables, Figures int
}

var word = regexp.MustCompile(`\pL[\pL\pN'’./-]*`)

// Weigh reads what a page holds.
func Weigh(html []byte) (w Weight, err error) {
	w.Bytes = len(html)
	d := xml.NewDecoder(bytes.NewReader(html))
	d.Strict, d.Entity = false, xml.HTMLEntity
	type level struct{ unseen, en, zh, figure bool }
	stack := []level{{en: true, zh: true}}
	first := "" // the profile that is shown
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return w, nil
		}
		if err != nil {
			return w, fmt.Errorf("reports: a page is no tree: %w", err)
		}
		now := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.StartElement:
			w.Nodes++
			class := strings.Fields(attribute(t, "class"))
			is := func(name string) bool { return slices.Contains(class, name) }
			if is("profiled") && first == "" {
				first = class[len(class)-1]
			}
			name := t.Name.Local
			switch {
			case slices.Contains([]string{"script", "style", "head", "details", "footer"}, name), is("bar"), is("skip"), is("needs-js"), attribute(t, "hidden") != "":
				now.unseen = true
			case is("profiled") && !slices.Contains(class, first):
				now.unseen = true
			case is("en"):
				now.zh = false
			case is("zh"):
				now.en = false
			}
			if !now.unseen {
				switch name {
				case "table":
					if now.en && !now.figure { // not once more in Chinese, and not what a figure is made of
						w.Tables++
					}
				case "figure":
					w.Figures++
				}
			}
			now.figure = now.figure || name == "figure"
			stack = append(stack, now)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if now.unseen {
				continue
			}
			latin, han := wordsIn(string(t))
			if now.en {
				w.Words[0] += latin
			}
			if now.zh {
				w.Words[1] += latin + han
			}
		}
	}
}

// wordsIn counts words of letters, and Chinese letters two to a word.
func wordsIn(text string) (latin, han int) {
	for _, m := range word.FindAllString(text, -1) {
		n := strings.IndexFunc(m, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		if n < 0 {
			latin++
			continue
		}
		for _, r := range m {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
	}
	return latin, (han + 1) / 2
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// over says by what a page is over a budget.
func (b bounds) over(w Weight) (out []string) {
	for _, x := range []struct {
		what      string
		has, most int
	}{{"words in English", w.Words[0], b.Words}, {"words in Chinese", w.Words[1], b.Words}, {"KB", (w.Bytes + 999) / 1000, b.KB}, {"elements", w.Nodes, b.Nodes},
		{"open tables", w.Tables, b.Tables}, {"open figures", w.Figures, b.Figures}} {
		if x.most > 0 && x.has > x.most {
			out = append(out, fmt.Sprintf("%d %s, at most %d", x.has, x.what, x.most))
		}
	}
	return out
}

// OverBudget lists what is too much on rendered pages: a line per page and excess, one if results' pages are too
// heavy on average, and one if all pages together are, without what they share and the playground.
func OverBudget(out page.Outputs) (lines []string, err error) {
	all, results, n := 0, 0, 0
	for _, name := range slices.Sorted(maps.Keys(out)) {
		if !strings.HasSuffix(name, ".html") || name == "playground.html" {
			continue
		}
		all += len(out[name])
		w, err := Weigh(out[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		budget := resultBudget
		if bytes.Contains(out[name], []byte(`class="one result-page"`)) {
			results, n = results+w.Bytes, n+1
		} else {
			i := slices.IndexFunc(pageBudgets, func(of struct {
				Name string
				bounds
			}) bool {
				return strings.HasSuffix(name, of.Name)
			})
			budget = pageBudgets[i].bounds
		}
		for _, what := range budget.over(w) {
			lines = append(lines, name+": "+what)
		}
	}
	if n > 0 && results/n > averageKB*1000 {
		lines = append(lines, fmt.Sprintf("a result's page has %d KB on average, at most %d", results/n/1000, averageKB))
	}
	if all > allKB*1000 {
		lines = append(lines, fmt.Sprintf("all pages have %d KB, at most %d", all/1000, allKB))
	}
	return lines, nil
}
