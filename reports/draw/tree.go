package draw

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// node is an element of a drawing, as ECharts writes it: attributes and either
// children or text, never both.
type node struct {
	name  string
	attrs []xml.Attr
	kids  []*node
	text  string
}

// get returns an attribute's value, "" where it is missing.
func (n *node) get(key string) string {
	for _, a := range n.attrs {
		if a.Name.Local == key {
			return a.Value
		}
	}
	return ""
}

// set gives an attribute a value; "" takes the attribute away.
func (n *node) set(key, value string) {
	i := slices.IndexFunc(n.attrs, func(a xml.Attr) bool { return a.Name.Local == key })
	switch {
	case value == "" && i >= 0:
		n.attrs = slices.Delete(n.attrs, i, i+1)
	case value == "":
	case i >= 0:
		n.attrs[i].Value = value
	default:
		n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: key}, Value: value})
	}
}

// drop takes attributes away.
func (n *node) drop(keys ...string) {
	for _, k := range keys {
		n.set(k, "")
	}
}

// look returns an element's attributes but some, in one string.
func (n *node) look(but ...string) string {
	var b strings.Builder
	for _, a := range n.attrs {
		if !slices.Contains(but, a.Name.Local) {
			fmt.Fprintf(&b, " %s=%q", a.Name.Local, a.Value)
		}
	}
	return b.String()
}

// each calls f for n and all below it, parents first.
func (n *node) each(f func(*node)) {
	f(n)
	for _, k := range n.kids {
		k.each(f)
	}
}

// parseSVG reads a drawing. Space between elements is dropped.
func parseSVG(svg string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(svg))
	var stack []*node
	var root *node
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("draw: a drawing is no XML: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			n := &node{name: t.Name.Local}
			for _, a := range t.Attr {
				if a.Name.Space == "" && a.Name.Local != "xmlns" || a.Name.Local == "space" {
					n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: a.Name.Local}, Value: a.Value})
				}
			}
			if len(stack) == 0 {
				root = n
			} else {
				up := stack[len(stack)-1]
				up.kids = append(up.kids, n)
			}
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && stack[len(stack)-1].name == "text" {
				stack[len(stack)-1].text += string(t)
			}
		}
	}
	if root == nil || root.name != "svg" {
		return nil, errors.New("draw: a drawing is no SVG")
	}
	return root, nil
}

// escape is text in XML.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// write says n as XML.
func (n *node) write(b *strings.Builder) {
	b.WriteString("<" + n.name)
	for _, a := range n.attrs {
		key := a.Name.Local
		if key == "space" {
			key = "xml:space"
		}
		fmt.Fprintf(b, ` %s="%s"`, key, escape.Replace(a.Value))
	}
	if len(n.kids) == 0 && n.text == "" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">" + escape.Replace(n.text))
	for _, k := range n.kids {
		k.write(b)
	}
	b.WriteString("</" + n.name + ">")
}

// String returns the drawing as XML.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}
