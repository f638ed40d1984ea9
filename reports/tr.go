package reports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/reports/notebook"
)

// Pages hold both languages. A text stands in the program or in a result in
// English; its Chinese is looked up here when it is written to the page, and the
// reader's choice hides one of the two. Numbers are not part of what is looked up,
// so the Chinese of a sentence that was computed holds for every result.

// translator knows the Chinese of English texts.
type translator struct {
	of map[string]string // without numbers; "" for what is the same in both languages
	// missing are the texts that were asked for and have none, by the page.
	missing map[string]map[string]bool
	page    string
	twice   []string // texts with two translations, of which the first holds
}

// newTranslator reads text/zh/*.csv: two columns, English and Chinese. Each number of
// the English is written "#", and the Chinese says "#2" for the second. An empty second
// column says that both are the same. "page dasp: switch" is "switch" on that page alone,
// for a word that means something else on the others.
func newTranslator() (*translator, error) {
	t := &translator{of: map[string]string{}, missing: map[string]map[string]bool{}}
	files, err := fs.Glob(wordFiles, "text/zh/*.csv")
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	for _, name := range files {
		if err := t.read(name); err != nil {
			return nil, fmt.Errorf("reports: %s: %w", path.Base(name), err)
		}
	}
	return t, nil
}

func (t *translator) read(name string) error {
	f, err := wordFiles.Open(name)
	if err != nil {
		return err
	}
	r := csv.NewReader(f)
	r.FieldsPerRecord = 2
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return f.Close()
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		en, zh := row[0], row[1]
		if old, ok := t.of[en]; ok {
			if old != zh {
				t.twice = append(t.twice, fmt.Sprintf("%s, line %d: %q has another Chinese already: %q", name, line, en, old))
			}
			continue
		}
		if err := fits(en, zh); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		t.of[en] = zh
	}
}

var (
	digits = regexp.MustCompile(`[0-9]+(?:[.,\x{202f}][0-9]+)*`)
	slot   = regexp.MustCompile(`#([0-9]+)`)
)

// fits refuses a Chinese text that loses or makes up a number of the English.
func fits(en, zh string) error {
	if zh == "" {
		return nil
	}
	n := strings.Count(strings.ReplaceAll(en, "](#", ""), "#") // a link's target is no number
	used := map[int]bool{}
	for _, m := range slot.FindAllStringSubmatch(zh, -1) {
		k, err := strconv.Atoi(m[1])
		if err != nil || k < 1 || k > n {
			return fmt.Errorf("%q: #%s, and the English has %d numbers", zh, m[1], n)
		}
		used[k] = true
	}
	if len(used) != n {
		return fmt.Errorf("%q: %d of the %d numbers of %q", zh, len(used), n, en)
	}
	if rest := digits.FindString(slot.ReplaceAllString(zh, "")); rest != "" {
		return fmt.Errorf("%q: the number %s is not from the English", zh, rest)
	}
	return nil
}

// zh is the Chinese of a text: as a whole, or else sentence by sentence, a sentence
// clause by clause; ok is false where a part has none.
func (t *translator) zh(en string) (text string, ok bool) {
	if text, ok = t.lookUp(en); ok {
		return text, true
	}
	ok = true
	var b strings.Builder
	for _, s := range sentences(en) {
		if text, found := t.lookUp(s); found {
			b.WriteString(text)
			continue
		}
		parts := clausesOf(s)
		for i, c := range parts {
			text, found := t.lookUp(c)
			if !found {
				ok = false
				t.miss(c)
			}
			b.WriteString(text)
			if i < len(parts)-1 {
				b.WriteString("；")
			}
		}
	}
	return b.String(), ok
}

// clausesOf cuts a sentence at its semicolons, but for those in brackets.
func clausesOf(s string) []string {
	var out []string
	from, deep := 0, 0
	for i := range s {
		switch s[i] {
		case '(', '[', '{':
			deep++
		case ')', ']', '}':
			deep--
		case ';':
			if deep <= 0 && strings.HasPrefix(s[i:], "; ") {
				out = append(out, s[from:i])
				from = i + 2
			}
		}
	}
	return append(out, s[from:])
}

func (t *translator) lookUp(en string) (string, bool) {
	numbers := digits.FindAllString(en, -1)
	if strings.Count(strings.ReplaceAll(wordsOf(en), "](#", ""), "#") != len(numbers) {
		return "", false // a "#" of its own would be taken for a number
	}
	zh, ok := t.of["page "+t.page+": "+wordsOf(en)]
	if !ok {
		zh, ok = t.of[wordsOf(en)]
	}
	switch {
	case !ok:
		return "", false
	case zh == "":
		return en, true
	}
	return slot.ReplaceAllStringFunc(zh, func(s string) string {
		k, _ := strconv.Atoi(s[1:]) // read has seen it
		return numbers[k-1]
	}), true
}

// wordless has nothing that a language could say otherwise.
var wordless = regexp.MustCompile(`^[^\pL]*$`)

func (t *translator) miss(en string) {
	if en == "" || wordless.MatchString(en) {
		return
	}
	if t.missing[t.page] == nil {
		t.missing[t.page] = map[string]bool{}
	}
	t.missing[t.page][wordsOf(en)] = true
}

// wordsOf is a text without its numbers.
func wordsOf(en string) string {
	return digits.ReplaceAllString(strings.ReplaceAll(en, nbsp, " "), "#")
}

// both sets a text in both languages, each by how; in English alone where there is no
// Chinese.
func (t *translator) both(en string, how func(string) template.HTML) template.HTML {
	if en = unpowered(en); wordless.MatchString(en) {
		return how(en)
	}
	zh, ok := t.zh(en)
	return pair(how(en), zh != en && ok, how(zh))
}

// pair holds two languages for the reader to choose from.
func pair(en template.HTML, two bool, zh template.HTML) template.HTML {
	if !two {
		return en
	}
	return `<span class="en">` + en + `</span><span class="zh" lang="zh">` + zh + `</span>`
}

// kindName is the word on a badge.
func kindName(key string) template.HTML { return kindNames[key].HTML() }

// label is the attribute that names an element to whoever cannot see it. The page's
// script exchanges the languages.
func (t *translator) label(name string, text any) template.HTMLAttr {
	if s, ok := text.(said); ok {
		return namedAttr(name, notebook.Both{s.En, s.Zh})
	}
	en := fmt.Sprint(text)
	en = unpowered(en)
	attr := name + `="` + template.HTMLEscapeString(en) + `"`
	if zh, ok := t.zh(en); ok && zh != en {
		attr += ` data-named="` + name + `" data-zh-` + name + `="` + template.HTMLEscapeString(zh) + `"`
	}
	return template.HTMLAttr(attr)
}

// sayf formats the same values into a text of each language.
func sayf(en, zh string, values ...any) said {
	texts, chinese := make([]any, len(values)), make([]any, len(values))
	for i, v := range values {
		texts[i], chinese[i] = v, v
		if s, ok := v.(said); ok {
			texts[i], chinese[i] = s.En, s.Zh
		}
	}
	return said{fmt.Sprintf(en, texts...), fmt.Sprintf(zh, chinese...)}
}

// namedAttr is label for a text of both languages.
func namedAttr(name string, b notebook.Both) template.HTMLAttr {
	attr := name + `="` + template.HTMLEscapeString(b[0]) + `"`
	if !b.Same() {
		attr += ` data-named="` + name + `" data-zh-` + name + `="` + template.HTMLEscapeString(b[1]) + `"`
	}
	return template.HTMLAttr(attr)
}

// escaped is a text without markup.
func escaped(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

// coded applies how to a text but to what it has between backticks, which is code.
func coded(how func(string) template.HTML) func(string) template.HTML {
	return func(s string) template.HTML {
		parts := strings.Split(s, "`")
		if len(parts)%2 == 0 {
			return how(s)
		}
		var b strings.Builder
		for i, part := range parts {
			if i%2 == 0 {
				b.WriteString(string(how(part)))
			} else {
				b.WriteString("<code>" + string(escaped(part)) + "</code>")
			}
		}
		return template.HTML(b.String())
	}
}

// sentence is a text with its code, each number beside its unit.
var sentence = coded(func(s string) template.HTML { return escaped(units(s)) })

// inline renders a sentence of Markdown.
func inline(s string) template.HTML {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(s), &b); err != nil {
		return escaped(s) // never: a buffer takes everything
	}
	return template.HTML(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(unitsHTML(b.String())), "<p>"), "</p>"))
}

// many counts things: "1 claim", "2 claims".
func many(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// funcs are the functions of the templates; those that show words show them in both
// languages.
func (t *translator) funcs() template.FuncMap {
	how := func(f func(string) template.HTML) func(any) (template.HTML, error) {
		return func(text any) (template.HTML, error) {
			switch text := text.(type) {
			case said:
				return pair(f(text.En), text.En != text.Zh, f(text.Zh)), nil
			case notebook.Both:
				return pair(f(text[0]), !text.Same(), f(text[1])), nil
			case string:
				return t.both(text, f), nil
			}
			return "", fmt.Errorf("%v is no text", text)
		}
	}
	return template.FuncMap{
		"tr": how(sentence), "prose": how(coded(prose)), "subs": how(coded(subs)),
		"pretty": how(coded(func(s string) template.HTML { return escaped(pretty(s)) })),
		"md":     how(inline),
		"kind":   kindName,
		"source": sourceOf,
		"label":  t.label, "labels": t.labels, "many": many, "manyof": func(n int, thing, zh string) said {
			return sayf("%s", "%s", said{many(n, thing), fmt.Sprint(n, " ", zh)})
		},
		"total": total, "join": join,
		"say":    func(en, zh string) said { return said{en, zh} },
		"sayf":   sayf,
		"both":   func(en, zh string) template.HTML { return both(notebook.Both{en, zh}) },
		"pairof": both,
		"named":  func(attr string, b notebook.Both) template.HTMLAttr { return namedAttr(attr, b) },
		"share":  func(n, of int) string { return fmt.Sprintf("%.4g%%", 100*float64(n)/float64(of)) },
	}
}

// Untranslated lists what the pages of these results say in English alone, by page and
// sorted; numbers are "#". Nothing is written.
func Untranslated(o Options) (map[string][]string, error) {
	out := map[string][]string{}
	o.English = func(page, text string) { out[page] = append(out[page], text) }
	_, _, err := render(o)
	return out, err
}

// tell names what was missing, in order.
func (t *translator) tell(to func(page, text string)) {
	if to == nil {
		return
	}
	for _, page := range slices.Sorted(maps.Keys(t.missing)) {
		for _, text := range slices.Sorted(maps.Keys(t.missing[page])) {
			to(page, text)
		}
	}
}
