package page

import (
	"fmt"
	"html/template"
	"strings"

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
	return template.FuncMap{
		"tr": how(typeset.Sentence), "subs": how(typeset.Coded(typeset.Subs)), "md": how(typeset.Inline), "cmd": typeset.Command, "label": labels,
		"say": func(en, zh string) notebook.Both { return notebook.Both{en, zh} }, "sayf": notebook.Bothf, "many": typeset.Many,
		"inc": func(i int) int { return i + 1 }, "less": func(a, b int) int { return a - b }, "kind": kindName, "source": SourceOf, "total": total,
		"findings": findings,
	}
}

// labels writes the attributes that are given as name and text in turn, in both languages.
func labels(pairs ...any) (template.HTMLAttr, error) {
	var names, texts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		name, named := pairs[i].(string)
		text, ok := pairs[i+1].(notebook.Both)
		if !named || !ok {
			return "", fmt.Errorf("%v (%T) is not in both languages", pairs[i+1], pairs[i+1])
		}
		texts = append(texts, name+`="`+template.HTMLEscapeString(text[0])+`"`)
		if !text.Same() {
			names = append(names, name)
			texts = append(texts, "data-zh-"+name+`="`+template.HTMLEscapeString(text[1])+`"`)
		}
	}
	if len(names) > 0 {
		texts = append(texts, `data-named="`+strings.Join(names, " ")+`"`)
	}
	return template.HTMLAttr(strings.Join(texts, " ")), nil
}
