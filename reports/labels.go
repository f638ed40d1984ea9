package reports

import (
	"fmt"
	"html/template"
	"strings"
)

// ruledColumns is how many columns of a table report.css can name in a narrow window,
// where each row is a card; cells of further columns carry their name themselves.
const ruledColumns = 24

// Label is what a narrow window says before a cell of the column.
func (c columnView) Label() string { return c.inUnit(c.Title) }

func (c columnView) inUnit(title string) string {
	if c.Unit == "" {
		return title
	}
	return title + " (" + c.Unit + ")"
}

// labels is the style of a table that names its columns, --c1 in English and --z1 in
// Chinese where that differs: once a table, not once a cell.
func (t *translator) labels(columns []columnView) template.HTMLAttr {
	var b strings.Builder
	for i, c := range columns[:min(len(columns), ruledColumns)] {
		fmt.Fprintf(&b, "--c%d:%s;", i+1, cssString(c.Label()))
		if zh, ok := t.zh(c.Title); ok && zh != c.Title {
			fmt.Fprintf(&b, "--z%d:%s;", i+1, cssString(c.inUnit(zh)))
		}
	}
	return template.HTMLAttr(`style="` + strings.TrimSuffix(b.String(), ";") + `"`)
}

// inCSS writes what would end a string of a style, or its line.
var inCSS = strings.NewReplacer(`\`, `\5c `, `'`, `\27 `, "\n", `\a `, "\r", `\d `, "\f", `\c `)

// cssString is s as a string of a style in an attribute.
func cssString(s string) string { return "'" + template.HTMLEscapeString(inCSS.Replace(s)) + "'" }
