package notebook

import (
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
)

// Both is a text in both languages, in the order of Languages.
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

// MarshalJSON writes {"en": …, "zh": …}, which the scripts of the pages read.
func (b Both) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		En string `json:"en"`
		Zh string `json:"zh"`
	}{b[0], b[1]})
}

// HTML returns both texts, of which the page shows the language that the reader chose.
func (b Both) HTML() template.HTML {
	set := func(s string) template.HTML { return template.HTML(Indexed(template.HTMLEscapeString(s))) }
	return Pair(set(b[0]), !b.Same(), set(b[1]))
}

var indexed = regexp.MustCompile(`\b(?:(S)(min|max)|([A-Za-z])_(wait|new|[a-zLU0-9]))\b`)

// Indexed sets the indices of single letters, such as T_wait, f_j and Smax, as subscripts of HTML.
func Indexed(html string) string { return indexed.ReplaceAllString(html, "$1$3<sub>$2$4</sub>") }

// Bothf formats values by en and by zh. A value that is a Both gives each text its own language.
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

// Pair returns en and zh, of which the page shows the language that the reader chose; en alone
// unless two.
func Pair(en template.HTML, two bool, zh template.HTML) template.HTML {
	if !two {
		return en
	}
	return `<span class="en">` + en + `</span><span class="zh" lang="zh">` + zh + `</span>`
}
