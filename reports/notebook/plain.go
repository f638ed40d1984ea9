package notebook

import (
	"html"
	"strings"
)

// Text returns what a page says in a language (0 English, 1 Chinese), without markup: a
// line per paragraph, row and claim.
func (p *Page) Text(l int) string {
	var b strings.Builder
	line := func(parts ...string) {
		b.WriteString(strings.Join(parts, " | "))
		b.WriteByte('\n')
	}
	plain := func(s string) string { return html.UnescapeString(tags.ReplaceAllString(s, "")) }
	line(p.Title[l])
	for _, part := range p.Parts {
		switch {
		case part.Prose != nil:
			line(plain(string(part.Prose[l])))
		case part.Placed != nil:
			line(strings.Join(part.Placed, " "))
		case part.Fold != nil:
			line(part.Fold[l])
		case part.Table != nil:
			line(plain(string(part.Table.Caption[l])))
			var head []string
			for _, h := range part.Table.Head {
				head = append(head, withUnit(h.Title[l], h.Unit[l]))
			}
			line(head...)
			for _, row := range part.Table.Rows {
				var cells []string
				for _, c := range row {
					cells = append(cells, c.Text[l])
				}
				line(cells...)
			}
		case part.Figure != nil:
			line(plain(string(part.Figure.Caption[l])), part.Figure.Alt[l])
		case part.Claims != nil:
			line(plain(string(part.Claims.Caption[l])))
			for _, c := range part.Claims.Rows {
				line(c.ID, c.Statement[l], c.Stated[l], c.Found[l], c.Interval[l], c.Verdict, c.Note[l], strings.Join(c.Reasons[l], "; "), strings.Join(c.Differs[l], "; "))
			}
		}
	}
	return b.String()
}
