package reports

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	result "gradsync/experiments/result1"
)

// A chart is drawn by the reader's browser, which exchanges its words when the page's
// language is Chinese: gradsyncSpeak in report.js. So a page holds the Chinese of what
// its charts say, each word once, numbers left out.

// chinesePart is the member of the base options that holds the Chinese words; it is the
// name of no form.
const chinesePart = "zh"

// chartTongue knows the Chinese of charts; nobody writes to it.
var chartTongue = sync.OnceValues(newTranslator)

// wordsIn lists the words of figure f, once each: titles and units of axes, categories,
// names of series, lanes, states and labels.
func wordsIn(f result.Figure) []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(words ...string) {
		for _, w := range words {
			if key := wordsOf(w); !seen[key] && !wordless.MatchString(w) {
				seen[key] = true
				out = append(out, w)
			}
		}
	}
	for _, a := range []result.Axis{f.X, f.Y} {
		add(axisTitle(a), a.Unit)
		add(a.Categories...)
	}
	for _, s := range f.Series {
		add(s.Name)
	}
	add(f.Lanes...)
	for _, b := range f.Bands {
		add(b.State, b.Label)
	}
	return out
}

// chineseOf has the Chinese of the words of f as they stand in its chart, and of curves that
// were drawn together by all their names. Keys are without numbers; what is the same in both
// languages is left out, as is what has no Chinese.
func (t *translator) chineseOf(f, merged result.Figure) map[string]string {
	out := map[string]string{}
	put := func(en string, parts ...string) {
		if zh, ok := t.pattern(parts...); ok {
			out[wordsOf(en)] = zh
		}
	}
	for _, w := range wordsIn(f) {
		put(w, w)
	}
	for _, s := range merged.Series {
		for _, join := range []string{" = ", " and "} {
			if _, ok := t.of[wordsOf(s.Name)]; !ok && strings.Contains(s.Name, join) {
				put(s.Name, between(strings.Split(s.Name, join), join)...)
			}
		}
	}
	return out
}

// between puts sep between the parts.
func between(parts []string, sep string) []string {
	var out []string
	for i, p := range parts {
		if i > 0 {
			out = append(out, sep)
		}
		out = append(out, p)
	}
	return out
}

// pattern is the Chinese of parts in a row, with "#2" for the second of all their numbers;
// ok is false where no part has Chinese of its own.
func (t *translator) pattern(parts ...string) (zh string, ok bool) {
	var b strings.Builder
	n := 0
	for _, p := range parts {
		key, numbers := wordsOf(p), len(digits.FindAllString(p, -1))
		if strings.Count(key, "#") != numbers {
			return "", false // a "#" of its own would be taken for a number
		}
		text := t.of[key]
		if p == " and " {
			text = " 和 "
		}
		if text == "" {
			for k := range numbers {
				key = strings.Replace(key, "#", "\x00"+strconv.Itoa(k+1), 1)
			}
			text = strings.ReplaceAll(key, "\x00", "#")
		} else {
			ok = true
		}
		b.WriteString(slot.ReplaceAllStringFunc(text, func(s string) string {
			k, _ := strconv.Atoi(s[1:]) // slot has seen that it is a number
			return "#" + strconv.Itoa(k+n)
		}))
		n += numbers
	}
	return b.String(), ok
}

// chinese gathers the words of all charts of the page.
func (page *paperPage) chinese() map[string]string {
	out := map[string]string{}
	if page == nil {
		return out
	}
	for _, p := range page.Parts {
		for _, sec := range p.Sections {
			for _, it := range sec.Figures {
				for _, f := range it.Figures {
					maps.Copy(out, f.Chinese)
				}
			}
		}
	}
	return out
}

// addWords gives a figure's view its words, in both languages.
func (v *figureView) addWords(f, merged result.Figure) error {
	t, err := chartTongue()
	if err != nil {
		return fmt.Errorf("reports: words of figure %s: %w", f.ID, err)
	}
	v.Words, v.Chinese = wordsIn(f), t.chineseOf(f, merged)
	return nil
}
