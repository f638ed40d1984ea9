package page

import (
	"fmt"
	"html/template"

	"gradsync/reports/notebook"
	"gradsync/reports/typeset"
)

// Funcs returns the functions of the templates; whichever shows words shows them in both
// languages.
func Funcs() template.FuncMap {
	how := func(f func(string) template.HTML) func(any) (template.HTML, error) {
		return func(text any) (template.HTML, error) {
			if text, ok := text.(notebook.Both); ok {
				return notebook.Pair(f(text[0]), !text.Same(), f(text[1])), nil
			}
			return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
		}
	}
	label := func(name string, text any) (template.HTMLAttr, error) {
		if text, ok := text.(notebook.Both); ok {
			return text.Attr(name), nil
		}
		return "", fmt.Errorf("%v (%T) is not in both languages", text, text)
	}
	return template.FuncMap{
		"tr": how(typeset.Sentence), "subs": how(typeset.Coded(typeset.Subs)), "md": how(typeset.Inline), "label": label,
		"say": func(en, zh string) notebook.Both { return notebook.Both{en, zh} }, "sayf": notebook.Bothf, "many": typeset.Many,
		"inc": func(i int) int { return i + 1 }, "less": func(a, b int) int { return a - b }, "kind": kindName, "source": SourceOf, "total": total,
	}
}
