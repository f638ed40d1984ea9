package notebook

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
)

// zip joins the parts of two languages. Blocks stand in the same order in both; prose
// between two blocks may be cut differently.
func zip(en, zh []Part) ([]Part, error) {
	var out []Part
	for len(en) > 0 || len(zh) > 0 {
		if both, a, b := proseOf(en, zh); both != nil {
			out, en, zh = append(out, *both), en[a:], zh[b:]
			continue
		}
		if len(en) == 0 || len(zh) == 0 || en[0].name() != zh[0].name() {
			return nil, fmt.Errorf("the languages place other blocks: %s in English, %s in Chinese", nameOf(en), nameOf(zh))
		}
		if err := en[0].join(zh[0]); err != nil {
			return nil, err
		}
		out, en, zh = append(out, en[0]), en[1:], zh[1:]
	}
	deep := 0
	for _, p := range out {
		if p.Fold != nil {
			deep++
		}
		if p.End {
			deep--
		}
		if deep < 0 || deep > 1 {
			return nil, fmt.Errorf("fold and endfold do not match")
		}
	}
	if deep != 0 {
		return nil, fmt.Errorf("a fold has no endfold")
	}
	return out, nil
}

// proseOf returns the prose that either language begins with, nil where neither does, and
// how many parts of each it is.
func proseOf(en, zh []Part) (*Part, int, int) {
	both := Part{Prose: new([2]template.HTML)}
	a, b := len(en) > 0 && en[0].Prose != nil, len(zh) > 0 && zh[0].Prose != nil
	if !a && !b {
		return nil, 0, 0
	}
	n, m := 0, 0
	if a {
		both.Prose[0], both.Source[0], n = en[0].Prose[0], en[0].Source[0], 1
	}
	if b {
		both.Prose[1], both.Source[1], m = zh[0].Prose[1], zh[0].Source[1], 1
	}
	return &both, n, m
}

func nameOf(parts []Part) string {
	if len(parts) == 0 {
		return "nothing"
	}
	return parts[0].name()
}

// name tells a block from others: what it is, and of what.
func (p Part) name() string {
	switch {
	case p.Table != nil:
		var keys []string
		for _, h := range p.Table.Head {
			keys = append(keys, h.Key)
		}
		return fmt.Sprintf("the table of %s with %s and %d rows", p.Table.Frame, strings.Join(keys, " "), len(p.Table.Rows))
	case p.Figure != nil:
		return "the figure " + p.Figure.ID
	case p.Claims != nil:
		var ids []string
		for _, c := range p.Claims.Rows {
			ids = append(ids, c.ID)
		}
		return "the claims " + strings.Join(ids, " ")
	case p.Placed != nil:
		return "the component " + strings.Join(p.Placed, " ")
	case p.Fold != nil:
		return "a fold"
	case p.End:
		return "the end of a fold"
	}
	return "prose"
}

// describe gives a block its caption and its text for who cannot see it.
func (p *Part) describe(l int, caption, alt string) {
	switch {
	case p.Table != nil:
		p.Table.Caption[l] = template.HTML(caption)
	case p.Figure != nil:
		p.Figure.Caption[l], p.Figure.Alt[l] = template.HTML(caption), alt
	case p.Claims != nil:
		p.Claims.Caption[l] = template.HTML(caption)
	}
}

// join adds the Chinese words of a block to the English ones.
func (p *Part) join(zh Part) error {
	switch {
	case p.Table != nil:
		p.Table.Caption[1] = zh.Table.Caption[1]
		for i := range p.Table.Head {
			p.Table.Head[i].Title[1], p.Table.Head[i].Unit[1] = zh.Table.Head[i].Title[1], zh.Table.Head[i].Unit[1]
		}
		for i := range p.Table.Rows {
			for j := range p.Table.Rows[i] {
				p.Table.Rows[i][j].Text[1] = zh.Table.Rows[i][j].Text[1]
				for k := range p.Table.Rows[i][j].Items {
					p.Table.Rows[i][j].Items[k][1] = zh.Table.Rows[i][j].Items[k][1]
				}
			}
		}
	case p.Figure != nil:
		p.Figure.Caption[1], p.Figure.Alt[1], p.Figure.Drawn[1] = zh.Figure.Caption[1], zh.Figure.Alt[1], zh.Figure.Drawn[1]
		if len(p.Figure.Drawn[0].Series) != len(p.Figure.Drawn[1].Series) {
			return fmt.Errorf("figure %s: two series have one name in a language", p.Figure.ID)
		}
	case p.Claims != nil:
		p.Claims.Caption[1] = zh.Claims.Caption[1]
		for i := range p.Claims.Rows {
			p.Claims.Rows[i].join(zh.Claims.Rows[i])
		}
	case p.Fold != nil:
		p.Fold[1] = zh.Fold[1]
	}
	return nil
}

// apart lists what only one of two sets has.
func apart(a, b map[string]bool) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if !b[k] {
			out = append(out, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if !a[k] {
			out = append(out, k)
		}
	}
	return out
}
