package notebook

import (
	"errors"
	"slices"
	"strings"
)

// pivot places a table in the shape that a document prints: what is compared has a row, or several lines, and
// each method a column. Lines come in fours: a key of the labels line.*, two columns of the rows, "model/method",
// whose values name row and column, a format as list has it, and the rows. The first line orders rows and
// columns; where another line has no row the cell is blank, and where it has none at all it is left out.
func (p *page) pivot(lines ...any) (string, error) {
	t := &Table{Printed: true}
	var names, heads []string
	found := map[[3]string]Cell{} // by line, row and column; of no line, by row: its name
	for k := 0; k+3 < len(lines); k += 4 {
		key, at, format := lines[k].(string), lines[k+1].(string), lines[k+2].(string)
		down, across, _ := strings.Cut(at, "/")
		rs := lines[k+3].([]row)
		if k == 0 && len(rs) == 0 {
			return p.block(Part{Nothing: true}), nil
		}
		if k == 0 {
			t.Frame = rs[0].frame.ID
		}
		for _, r := range rs {
			name, errName := r.Get(down)
			head, errHead := r.Get(across)
			text, err := p.say(r, format)
			label, errLabel := p.bare(name)
			title, errTitle := p.bare(head)
			if err = errors.Join(errName, errHead, err, errLabel, errTitle); err != nil {
				return "", err
			}
			n, h := plainText(name), plainText(head)
			if k == 0 && !slices.Contains(names, n) {
				names = append(names, n)
			}
			if k == 0 && !slices.Contains(heads, h) {
				heads, t.Head = append(heads, h), append(t.Head, Head{Key: h, Title: p.mine(title), Number: true})
			}
			found[[3]string{key, n, h}] = Cell{Text: p.mine(text), V: text}
			found[[3]string{"", n}] = Cell{Text: p.mine(label), V: n}
		}
	}
	for _, key := range []string{"what", "of"} {
		t.Head = append([]Head{{Key: key, Title: p.mine(p.labels["line."+key])}}, t.Head...)
	}
	for _, n := range names {
		for k := 0; k < len(lines); k += 4 {
			key := lines[k].(string)
			title, err := p.label("line", key)
			if err != nil {
				return "", err
			}
			line := []Cell{found[[3]string{"", n}], {Text: p.mine(title), V: title}}
			for _, h := range heads {
				line = append(line, found[[3]string{key, n, h}])
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return p.block(Part{Table: t}), nil
}

// mine returns a text in the page's language.
func (p *page) mine(s string) (b Both) {
	b[p.at] = s
	return b
}
