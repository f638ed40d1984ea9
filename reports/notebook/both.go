package notebook

import (
	"encoding/json"
	"fmt"
	"html/template"
)

// Both holds a text in both languages, in the order of Languages.
type Both [2]string

// Alike returns a text that is the same in both languages.
func Alike(s string) Both { return Both{s, s} }

// En returns the English text.
func (b Both) En() string { return b[0] }

// Zh returns the Chinese text.
func (b Both) Zh() string { return b[1] }

// Same tells whether both languages say the same.
func (b Both) Same() bool { return b[0] == b[1] }

// String returns the English text.
func (b Both) String() string { return b[0] }

// MarshalJSON names the languages, for the scripts of the pages.
func (b Both) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		En string `json:"en"`
		Zh string `json:"zh"`
	}{b[0], b[1]})
}

// HTML returns the text for the reader to choose its language.
func (b Both) HTML() template.HTML {
	return Pair(template.HTML(template.HTMLEscapeString(b[0])), !b.Same(), template.HTML(template.HTMLEscapeString(b[1])))
}

// Attr names an element in both languages. The page's script exchanges them.
func (b Both) Attr(name string) template.HTMLAttr {
	attr := name + `="` + template.HTMLEscapeString(b[0]) + `"`
	if !b.Same() {
		attr += ` data-named="` + name + `" data-zh-` + name + `="` + template.HTMLEscapeString(b[1]) + `"`
	}
	return template.HTMLAttr(attr)
}

// Bothf formats the same values into a text of each language; a value that is a Both
// gives each text its own language.
func Bothf(en, zh string, values ...any) Both {
	texts, chinese := make([]any, len(values)), make([]any, len(values))
	for i, v := range values {
		texts[i], chinese[i] = v, v
		if b, ok := v.(Both); ok {
			texts[i], chinese[i] = b[0], b[1]
		}
	}
	return Both{fmt.Sprintf(en, texts...), fmt.Sprintf(zh, chinese...)}
}

// Pair holds two languages for the reader to choose from; unless two, it is en alone.
func Pair(en template.HTML, two bool, zh template.HTML) template.HTML {
	if !two {
		return en
	}
	return `<span class="en">` + en + `</span><span class="zh" lang="zh">` + zh + `</span>`
}
