package reports

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"gradsync/reports/notebook"
)

// Pages hold both languages: a text stands in both where it is written, and the reader's
// choice hides one of the two.

// said is a text in both languages.
type said struct {
	En string `json:"en"`
	Zh string `json:"zh"`
}

// String is the English text.
func (s said) String() string { return s.En }

// HTML is the text for the reader to choose its language.
func (s said) HTML() template.HTML { return pair(escaped(s.En), s.En != s.Zh, escaped(s.Zh)) }

// Attr names an element in both languages. The page's script exchanges them.
func (s said) Attr(name string) template.HTMLAttr {
	attr := name + `="` + template.HTMLEscapeString(s.En) + `"`
	if s.En != s.Zh {
		attr += ` data-named="` + name + `" data-zh-` + name + `="` + template.HTMLEscapeString(s.Zh) + `"`
	}
	return template.HTMLAttr(attr)
}

// alike is a text that is the same in both languages.
func alike(s string) said { return said{s, s} }

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

// pair holds two languages for the reader to choose from.
func pair(en template.HTML, two bool, zh template.HTML) template.HTML {
	if !two {
		return en
	}
	return `<span class="en">` + en + `</span><span class="zh" lang="zh">` + zh + `</span>`
}

// both sets text in both languages.
func both(b notebook.Both) template.HTML { return pair(escaped(b[0]), !b.Same(), escaped(b[1])) }

// bothHTML is both of what is HTML already.
func bothHTML(b [2]template.HTML) template.HTML {
	return pair(template.HTML(unitsHTML(string(b[0]))), b[0] != b[1], template.HTML(unitsHTML(string(b[1]))))
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

// many counts things: "1 claim", "2 claims"; Chinese has one form.
func many(n int, thing, zh string) said {
	if n != 1 {
		thing += "s"
	}
	return said{fmt.Sprint(n, " ", thing), fmt.Sprint(n, " ", zh)}
}

// textFuncs are the functions of the templates; those that show words show them in both
// languages.
func textFuncs() template.FuncMap {
	how := func(f func(string) template.HTML) func(any) (template.HTML, error) {
		return func(text any) (template.HTML, error) {
			switch text := text.(type) {
			case said:
				return pair(f(text.En), text.En != text.Zh, f(text.Zh)), nil
			case notebook.Both:
				return pair(f(text[0]), !text.Same(), f(text[1])), nil
			}
			return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
		}
	}
	label := func(name string, text any) (template.HTMLAttr, error) {
		switch text := text.(type) {
		case said:
			return text.Attr(name), nil
		case notebook.Both:
			return said{text[0], text[1]}.Attr(name), nil
		}
		return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
	}
	return template.FuncMap{
		"tr": how(sentence), "subs": how(coded(subs)), "md": how(inline), "label": label,
		"say": func(en, zh string) said { return said{en, zh} }, "sayf": sayf, "many": many,
		"kind": kindName, "source": sourceOf, "total": total,
	}
}

// kindName is the word on a badge.
func kindName(key string) template.HTML { return kindNames[key].HTML() }
