package jupyter

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"gradsync/reports/notebook"
)

// Grid is a table in one language: what stands above its columns and in its cells.
type Grid struct {
	Caption template.HTML
	Head    []string
	Words   []bool // of each column: it holds words, which begin at its left
	Rows    [][]string
}

// mostRows is how many rows an output shows; its cell, run anew, shows all.
const mostRows = 100

// Output returns what a cell shows of the table.
func (g Grid) Output() Output {
	if len(g.Rows) > mostRows {
		cut := make([]string, len(g.Head))
		for i := range cut {
			cut[i] = "⋮"
		}
		g.Rows = append(slices.Clone(g.Rows[:mostRows]), cut)
	}
	return Output{HTML: g.html(), Plain: g.plain()}
}

func (g Grid) html() string {
	var b strings.Builder
	b.WriteString("<table>\n")
	if g.Caption != "" {
		fmt.Fprintf(&b, "<caption>%s</caption>\n", g.Caption)
	}
	line := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for i, c := range cells {
			style := ""
			if g.Words[i] {
				style = ` style="text-align:left"`
			}
			fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, style, notebook.Indexed(template.HTMLEscapeString(c)), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<thead>\n")
	line("th", g.Head)
	b.WriteString("</thead>\n<tbody>\n")
	for _, row := range g.Rows {
		line("td", row)
	}
	b.WriteString("</tbody>\n</table>")
	return b.String()
}

// plain sets the table in columns of letters of one width.
func (g Grid) plain() string {
	wide := make([]int, len(g.Head))
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for i, c := range row {
			wide[i] = max(wide[i], width(c))
		}
	}
	var out []string
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		var cells []string
		for i, c := range row {
			pad := strings.Repeat(" ", wide[i]-width(c))
			if g.Words[i] {
				cells = append(cells, c+pad)
			} else {
				cells = append(cells, pad+c)
			}
		}
		out = append(out, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	return strings.Join(out, "\n")
}

// width counts the columns of a terminal that a text takes.
func width(s string) (n int) {
	for _, r := range s {
		n++
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}

// Table returns Python that shows rows of a frame from its CSV file, all of them if rows is nil.
func Table(frame string, columns []string, rows []int) string {
	args := []string{quoted(frame), quoted(strings.Join(columns, " "))}
	if rows != nil {
		args = append(args, "rows="+listed(rows))
	}
	return "table(" + strings.Join(args, ", ") + ")"
}

// Figure returns Python that shows a drawing from its file.
func Figure(name string) string { return "figure(" + quoted(name) + ")" }

// listed writes numbers as a list of Python, as a range where they follow one another.
func listed(rows []int) string {
	n, apart := len(rows), 0
	if n > 2 {
		apart = rows[1] - rows[0]
	}
	for i := 1; i < n; i++ {
		if rows[i]-rows[i-1] != apart {
			apart = 0
		}
	}
	switch {
	case apart == 1:
		return fmt.Sprintf("range(%d, %d)", rows[0], rows[n-1]+1)
	case apart > 1:
		return fmt.Sprintf("range(%d, %d, %d)", rows[0], rows[n-1]+1, apart)
	}
	return strings.ReplaceAll(fmt.Sprint(rows), " ", ", ")
}
