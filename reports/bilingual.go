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
type said = notebook.Both

// bothHTML is both of what is HTML already.
func bothHTML(b [2]template.HTML) template.HTML { return notebook.Pair(b[0], b[0] != b[1], b[1]) }

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
			if text, ok := text.(said); ok {
				return notebook.Pair(f(text[0]), !text.Same(), f(text[1])), nil
			}
			return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
		}
	}
	label := func(name string, text any) (template.HTMLAttr, error) {
		if text, ok := text.(said); ok {
			return text.Attr(name), nil
		}
		return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
	}
	return template.FuncMap{
		"tr": how(sentence), "subs": how(coded(subs)), "md": how(inline), "label": label,
		"say": func(en, zh string) said { return said{en, zh} }, "sayf": notebook.Bothf, "many": many,
		"kind": kindName, "source": sourceOf, "total": total,
	}
}

// kindName is the word on a badge.
func kindName(key string) template.HTML { return kindNames[key].HTML() }
