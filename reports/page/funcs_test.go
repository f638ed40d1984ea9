package page

import (
	"html/template"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/typeset"
)

// Templates set text in both languages, its code and its units.
func TestTemplatesSetText(t *testing.T) {
	for _, name := range []string{"tr", "subs", "md"} {
		var b strings.Builder
		src := "{{" + name + " (say \"at 3 % by `run x`\" \"用 3 %\")}}"
		oktest.Nil(t, template.Must(template.New("").Funcs(Funcs()).Parse(src)).Execute(&b, nil))
		for _, want := range []string{"at 3" + typeset.NBSP + "% by <code>run x</code>", "用 3" + typeset.NBSP + "%"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q, want %q in it", name, b.String(), want)
			}
		}
	}
}
