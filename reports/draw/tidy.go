package draw

import (
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Ink stands for the colour of text in a chart's option.
const Ink = "#010203"

// What every drawing inherits from its root, so that most text need not say it.
const (
	rootSize   = "12"
	rootAnchor = "middle"
)

// Tidy makes ECharts' SVG scale, gives it identifiers of its own and the text's
// colour for ink, and writes the same picture in a third of its bytes: no part that
// paints nothing, no transformation that coordinates can hold, coordinates in tenths
// of a pixel, shapes of one look in one path, and marks, decals and clips said once.
func Tidy(id, svg string) (string, error) {
	n, err := parseSVG(svg)
	if err != nil {
		return "", err
	}
	size := "0 0 " + n.get("width") + " " + n.get("height")
	n.attrs = nil
	n.set("viewBox", size)
	n.set("role", "img")
	n.set("fill", "currentColor")
	n.set("font-size", rootSize)
	n.set("text-anchor", rootAnchor)
	if err := n.plain(); err != nil {
		return "", fmt.Errorf("%w (%s)", err, id)
	}
	n.once()
	n.visible()
	n.flat()
	marks, err := n.marks()
	if err != nil {
		return "", fmt.Errorf("%w (%s)", err, id)
	}
	if err := n.merged(); err != nil {
		return "", fmt.Errorf("%w (%s)", err, id)
	}
	if len(marks) > 0 {
		n.kids = slices.Insert(n.kids, 0, &node{name: "defs", kids: marks})
	}
	n.rename(id)
	return n.String(), nil
}

var (
	fontSize = regexp.MustCompile(`font-size: ?([\d.]+)px;?`)
	family   = regexp.MustCompile(`font-family:[^;]*;?`)
	move     = regexp.MustCompile(`^translate\(([-\d.e]+)[ ,]([-\d.e]+)\)$`)
	zoom     = regexp.MustCompile(`^matrix\(([-\d.e]+),0,0,([-\d.e]+),([-\d.e]+),([-\d.e]+)\)$`)
)

// plain says every attribute in the shortest way and leaves out what holds anyway.
// What only a chart in a browser needs goes too: its marks on shapes, and the looks
// under the pointer.
func (n *node) plain() error {
	n.attrs = slices.DeleteFunc(n.attrs, func(a xml.Attr) bool {
		k := a.Name.Local
		return strings.HasPrefix(k, "ecmeta_") || k == "class" || k == "pointer-events"
	})
	for i, a := range n.attrs {
		if a.Value == Ink || a.Value == "rgb(1,2,3)" {
			n.attrs[i].Value = "currentColor"
		}
	}
	if n.get("stroke-width") == "0" {
		n.set("stroke", "none")
	}
	if s := n.get("stroke"); s == "" || s == "none" {
		n.drop("stroke", "stroke-width", "stroke-opacity", "stroke-linejoin", "stroke-linecap", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset")
	}
	if n.get("stroke-linejoin") != "" {
		n.drop("stroke-miterlimit") // for pointed joins
	}
	for _, d := range []struct{ key, value string }{{"stroke-width", "1"}, {"stroke-linecap", "butt"}, {"stroke-dashoffset", "0"}} {
		if n.get(d.key) == d.value {
			n.drop(d.key)
		}
	}
	var err error
	switch n.name {
	case "text":
		err = n.plainText()
	case "polygon":
		n.name = "path"
		n.set("d", "M"+n.get("points")+"Z")
		n.drop("points")
		fallthrough
	case "path":
		err = n.plainPath()
	}
	for _, k := range n.kids {
		if err == nil {
			err = k.plain()
		}
	}
	return err
}

// plainText gives text its place in coordinates and its base line by number: where
// the middle of the letters lies is a third of their size above it, and browsers
// differ in what they make of dominant-baseline.
func (n *node) plainText() error {
	size := rootSize
	style := n.get("style")
	if m := fontSize.FindStringSubmatch(style); m != nil {
		size, style = m[1], strings.Replace(style, m[0], "", 1)
	}
	n.set("style", strings.TrimSpace(family.ReplaceAllString(style, "")))
	if size != rootSize {
		n.set("font-size", size)
	}
	x, y, high := 0.0, 0.0, 0.0
	for _, v := range []struct {
		to   *float64
		text string
	}{{&x, n.get("x")}, {&y, n.get("y")}, {&high, size}} {
		if v.text == "" {
			continue
		}
		var err error
		if *v.to, err = strconv.ParseFloat(v.text, 64); err != nil {
			return fmt.Errorf("draw: text %q: %w", n.text, err)
		}
	}
	if n.get("dominant-baseline") == "central" {
		y += 0.35 * high
	}
	if dx, dy, ok := n.moved(); ok {
		x, y = x+dx, y+dy
		n.drop("transform")
	}
	n.drop("dominant-baseline", "x", "y")
	if x != 0 {
		n.set("x", short(x, 1))
	}
	n.set("y", short(y, 1))
	switch n.get("text-anchor") {
	case rootAnchor:
		n.drop("text-anchor")
	case "":
		n.set("text-anchor", "start")
	}
	if n.get("fill") == "currentColor" {
		n.drop("fill")
	}
	if strings.Join(strings.Fields(n.text), " ") == n.text {
		n.drop("space")
	}
	return nil
}

// moved returns how far the element's transformation moves it, if it does nothing else.
func (n *node) moved() (dx, dy float64, ok bool) {
	m := move.FindStringSubmatch(n.get("transform"))
	if m == nil {
		return 0, 0, false
	}
	dx, err1 := strconv.ParseFloat(m[1], 64)
	dy, err2 := strconv.ParseFloat(m[2], 64)
	return dx, dy, err1 == nil && err2 == nil
}

// plainPath puts a path's transformation into its coordinates. A decal would move
// on its shape, and a pen widen: those keep it.
func (n *node) plainPath() error {
	if n.get("fill") == "" {
		n.set("fill", "#000")
	}
	if n.get("d") == "" {
		return nil
	}
	p, err := parsePath(n.get("d"))
	if err != nil {
		return err
	}
	if len(p) == 2 && p[1].op == 'L' { // has neither an inside nor corners
		n.set("fill", "none")
		n.drop("stroke-linejoin", "stroke-miterlimit")
	}
	if !strings.HasPrefix(n.get("fill"), "url(") {
		if dx, dy, ok := n.moved(); ok {
			p = scaled(p, 1, dx, dy)
			n.drop("transform")
		} else if m := zoom.FindStringSubmatch(n.get("transform")); m != nil && m[1] == m[2] && n.get("stroke") == "" {
			var v [3]float64
			for i := range v {
				if v[i], err = strconv.ParseFloat(m[2+i], 64); err != nil {
					return fmt.Errorf("draw: transformation %q: %w", n.get("transform"), err)
				}
			}
			p = scaled(p, v[0], v[1], v[2])
			n.drop("transform")
		}
	}
	n.set("d", writePath(p))
	return nil
}

// rename gives identifiers that no other drawing of a document has: letters of a hash
// of the figure's, the kind of thing and a number.
func (n *node) rename(id string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	short, names, count := "f"+strconv.FormatUint(uint64(h.Sum32()), 36), map[string]string{}, map[string]int{}
	n.each(func(k *node) {
		if old := k.get("id"); old != "" {
			kind := k.name[:1] // clip, decal or mark
			names[old] = fmt.Sprintf("%s-%s%d", short, kind, count[kind])
			count[kind]++
			k.set("id", names[old])
		}
	})
	n.each(func(k *node) {
		for i, a := range k.attrs {
			if old, ok := strings.CutPrefix(a.Value, "url(#"); ok {
				k.attrs[i].Value = "url(#" + names[strings.TrimSuffix(old, ")")] + ")"
			} else if a.Name.Local == "href" {
				k.attrs[i].Value = "#" + names[strings.TrimPrefix(a.Value, "#")]
			}
		}
	})
}
