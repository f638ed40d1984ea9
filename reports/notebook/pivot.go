package notebook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pivot places a table in the shape that a document prints: what is compared has a row, or several lines, and
// each method a column. Lines come in fours: a key of the labels line.*, two columns of the rows, "model/method",
// whose values name row and column, a format as list has it, and the rows. The first line orders rows and
// columns; where another line has no row the cell is blank.
func (p *page) pivot(lines ...any) (string, error) {
	if len(lines) == 0 || len(lines)%4 != 0 {
		return "", errors.New("pivot: a label's key, row/column, a format and rows, for each line")
	}
	t := &Table{Printed: true}
	var names, heads []string
	var cells []map[string]Cell // by line, of "row\x00column"
	for k := 0; k < len(lines); k += 4 {
		at, _ := lines[k+1].(string)
		format, _ := lines[k+2].(string)
		rs, ok := lines[k+3].([]row)
		down, across, both := strings.Cut(at, "/")
		if !ok || !both {
			return "", fmt.Errorf("pivot: line %d wants row/column, a format and rows", k/4+1)
		}
		found := map[string]Cell{}
		for _, r := range rs {
			name, errName := r.Get(down)
			head, errHead := r.Get(across)
			text, err := p.say(r, format)
			if err = errors.Join(errName, errHead, err); err != nil {
				return "", err
			}
			n, h := plainText(name), plainText(head)
			if k == 0 && !slices.Contains(names, n) {
				names = append(names, n)
			}
			if k == 0 && !slices.Contains(heads, h) {
				title, err := p.bare(head)
				if err != nil {
					return "", err
				}
				heads, t.Head = append(heads, h), append(t.Head, Head{Key: h, Title: p.mine(title), Number: true})
			}
			label, err := p.bare(name)
			if err != nil {
				return "", err
			}
			found[n+"\x00"+h], found[n] = Cell{Text: p.mine(text), V: text}, Cell{Text: p.mine(label), V: n}
		}
		if k == 0 && len(rs) == 0 {
			return p.block(Part{Nothing: true}), nil
		}
		if k == 0 {
			t.Frame, t.Kind = rs[0].frame.ID, rs[0].frame.Kind
		}
		cells = append(cells, found)
	}
	for _, key := range []string{"what", "of"} {
		title, err := p.label("line", key)
		if err != nil {
			return "", err
		}
		t.Head = append([]Head{{Key: key, Title: p.mine(title)}}, t.Head...)
	}
	for _, n := range names {
		for i, found := range cells {
			key, _ := lines[4*i].(string)
			title, err := p.label("line", key)
			if err != nil {
				return "", err
			}
			line := []Cell{cells[0][n], {Text: p.mine(title), V: title}}
			for _, h := range heads {
				line = append(line, found[n+"\x00"+h])
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
