package draw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// once keeps one of the clips, and of the decals, that are the same.
func (n *node) once() {
	first, same := map[string]string{}, map[string]string{}
	n.prune(func(k *node) bool {
		if k.name != "clipPath" && k.name != "pattern" {
			return true
		}
		what := &node{name: k.name, attrs: slices.Clone(k.attrs), kids: k.kids}
		what.drop("id")
		if id, ok := first[what.String()]; ok {
			same["url(#"+k.get("id")+")"] = "url(#" + id + ")"
			return false
		}
		first[what.String()] = k.get("id")
		return true
	})
	n.each(func(k *node) {
		for i, a := range k.attrs {
			if s, ok := same[a.Value]; ok {
				k.attrs[i].Value = s
			}
		}
	})
}

// prune keeps the elements below n that keep says to, children first.
func (n *node) prune(keep func(*node) bool) {
	for _, k := range n.kids {
		k.prune(keep)
	}
	n.kids = slices.DeleteFunc(n.kids, func(k *node) bool { return !keep(k) })
}

// visible drops what paints nothing: areas for the pointer only, decals without
// ink and what is filled with them, empty groups.
func (n *node) visible() {
	blank := map[string]bool{}
	paints := func(k *node) bool {
		switch k.name {
		case "style":
			return false
		case "path", "rect":
			none := k.get("fill") == "none" || k.get("fill-opacity") == "0" || blank[k.get("fill")]
			return !(none && k.get("stroke") == "") && (k.name == "rect" || k.get("d") != "")
		case "pattern":
			blank["url(#"+k.get("id")+")"] = len(k.kids) == 0
			return len(k.kids) > 0
		case "g", "defs":
			return len(k.kids) > 0
		}
		return true
	}
	n.prune(paints)
	n.prune(paints) // decals stand behind the shapes that wear them
}

// flat dissolves groups that say nothing, and joins neighbours that say the same.
func (n *node) flat() {
	var out []*node
	for _, k := range n.kids {
		k.flat()
		last := len(out) - 1
		switch {
		case k.name == "g" && len(k.attrs) == 0:
			out = append(out, k.kids...)
		case k.name == "g" && last >= 0 && out[last].name == "g" && out[last].look() == k.look():
			out[last].kids = append(out[last].kids, k.kids...)
		default:
			if k.name == "clipPath" {
				for _, p := range k.kids {
					p.drop("fill")
				}
			}
			out = append(out, k)
		}
	}
	n.kids = out
}

// markLength is from how many bytes on a shape is worth a definition.
const markLength = 24

// marks puts a reference for each shape that stands in three places or more, as
// the marks of a line do, and returns the shapes.
func (n *node) marks() (defs []*node, err error) {
	type spot struct {
		x, y float64
		key  string
	}
	spots, count := map[*node]spot{}, map[string]int{}
	n.each(func(k *node) {
		if k.name != "path" || err != nil || k.get("transform") != "" || strings.HasPrefix(k.get("fill"), "url(") {
			return
		}
		var p []pathStep
		if p, err = parsePath(k.get("d")); err != nil {
			return
		}
		x, y := p[0].end()
		if d := writePath(scaled(p, 1, -x, -y)); len(d) >= markLength {
			s := spot{x, y, d + k.look("d")}
			spots[k] = s
			count[s.key]++
		}
	})
	names := map[string]string{}
	n.each(func(k *node) {
		s, ok := spots[k]
		if !ok || count[s.key] < 3 {
			return
		}
		if names[s.key] == "" {
			names[s.key] = fmt.Sprint("mark", len(names))
			p, _ := parsePath(k.get("d")) // read above
			def := &node{name: "path", attrs: slices.Clone(k.attrs)}
			def.set("d", writePath(scaled(p, 1, -s.x, -s.y)))
			def.set("id", names[s.key])
			defs = append(defs, def)
		}
		k.name, k.attrs = "use", nil
		k.set("href", "#"+names[s.key])
		k.set("x", short(s.x, 1))
		k.set("y", short(s.y, 1))
	})
	return defs, err
}

// laid is an element on the drawing, with the boxes of the paths that it holds.
type laid struct {
	*node
	boxes []box
	path  []pathStep
}

// merged makes one path of all paths of one look, where the order in which things are
// painted does not show: nothing between them lies on the later one, and they lie
// on one another only where opaque lines do.
func (n *node) merged() error {
	var out []*laid
	for _, k := range n.kids {
		if err := k.merged(); err != nil {
			return err
		}
		next := &laid{node: k}
		if k.name != "path" || k.get("transform") != "" || n.name == "clipPath" {
			out = append(out, next)
			continue
		}
		p, err := parsePath(k.get("d"))
		if err != nil {
			return err
		}
		next.path, next.boxes = p, []box{pathBox(p, k.pen())}
		if home := homeOf(out, next); home != nil {
			home.path, home.boxes = append(home.path, p...), append(home.boxes, next.boxes...)
			continue
		}
		out = append(out, next)
	}
	n.kids = n.kids[:0]
	for _, l := range out {
		if len(l.boxes) > 1 {
			l.set("d", writePath(l.path))
		}
		n.kids = append(n.kids, l.node)
	}
	return nil
}

// pen returns how far a path's line reaches beyond its points.
func (n *node) pen() float64 {
	if n.get("stroke") == "" {
		return 0
	}
	if w, err := strconv.ParseFloat(n.get("stroke-width"), 64); err == nil {
		return w
	}
	return 1
}

// homeOf returns the path among those laid before that next may join, nil for none.
func homeOf(before []*laid, next *laid) *laid {
	look := next.look("d")
	opaque := next.get("fill") == "none" && next.get("stroke-opacity") == ""
	for _, l := range slices.Backward(before) {
		clear := len(l.boxes) > 0 && !slices.ContainsFunc(l.boxes, func(b box) bool { return !b.apart(next.boxes[0]) })
		if len(l.boxes) > 0 && l.look("d") == look && (clear || opaque) {
			return l
		}
		if !clear {
			return nil
		}
	}
	return nil
}
