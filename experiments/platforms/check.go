package platforms

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gradsync/shared/cluster"
)

// Problem is one thing that is wrong with a platform file.
type Problem struct {
	Line  int    `json:"line"`
	Field string `json:"field,omitempty"` // workers[2].flops; "": the file
	What  string `json:"what"`            // what it has, and what is wanted
}

// String writes the problem on one line.
func (p Problem) String() string {
	if p.Field == "" {
		return fmt.Sprintf("%d: %s", p.Line, p.What)
	}
	return fmt.Sprintf("%d: %s: %s", p.Line, p.Field, p.What)
}

// part is a kind of object in a platform file: the fields it may and must have, a complete
// object to try one field in, and a platform around it.
type part struct {
	fields, required []string
	example          map[string]string // a field's value in words of the reader
	around           string            // %s: the object
	entire           bool              // a field's domain depends on another: the object is tried as it is
}

const anyWorker = `{"name":"w","flops":"1 FLOP/s","bandwidth":"1 B/s"}`

var (
	wholePart = part{
		fields:   []string{"name", "note", "decision", "multicast", "server", "nodes", "codecs", "workers"},
		required: []string{"name", "workers"},
		example:  map[string]string{"name": `"mine"`, "workers": "[" + anyWorker + "]"},
		around:   "%s",
	}
	workerPart = part{
		fields:   []string{"name", "count", "node", "flops", "memory", "jitter", "bandwidth", "latency", "overhead", "slow"},
		required: []string{"name", "flops", "bandwidth"},
		example:  map[string]string{"name": `"w"`, "flops": `"10 TFLOP/s"`, "bandwidth": `"10 Gb/s"`},
		around:   `{"name":"p","workers":[%s]}`,
	}
	serverPart = part{
		fields:   slices.DeleteFunc(slices.Clone(workerPart.fields), func(f string) bool { return f == "count" }),
		required: workerPart.required, example: workerPart.example,
		around: `{"name":"p","workers":[` + anyWorker + `],"server":%s}`,
	}
	nodePart = part{
		fields:   []string{"name", "count", "bandwidth", "latency", "overhead"},
		required: []string{"name", "bandwidth"},
		example:  map[string]string{"name": `"box"`, "bandwidth": `"10 Gb/s"`},
		around:   `{"name":"p","workers":[` + anyWorker + `],"nodes":[%s]}`,
	}
	codecPart = part{
		fields:   []string{"name", "encode", "decode"},
		required: []string{"name", "encode"},
		example:  map[string]string{"name": `"bitmap"`, "encode": `"2 GB/s"`},
		around:   `{"name":"p","workers":[` + anyWorker + `],"codecs":[%s]}`,
		entire:   true,
	}
)

// checker collects the problems of one file.
type checker struct {
	raw      []byte
	problems []Problem
}

// Check lists what is wrong with a platform file, in the order of its lines; nil: nothing.
// What a field may hold decides cluster.Parse alone: Check asks it field by field, so that
// one mistake hides no other, and at last for the whole.
func Check(raw []byte) []Problem {
	c := &checker{raw: raw}
	t, err := parseTree(raw)
	var syntax *syntaxError
	switch {
	case errors.As(err, &syntax):
		return []Problem{{line(raw, syntax.at), "", "not JSON: " + syntax.Error()}}
	case !t.is('{'):
		return []Problem{{1, "", fmt.Sprintf("%.20s is not a JSON object, want {\"name\": …, \"workers\": […]}", t.raw)}}
	case isResult(raw):
		return []Problem{{1, "", "is a result, want a platform: `gradsync platform show FILE#KEY` shows one of its platforms"}}
	}
	c.object(t, "", wholePart)
	if s := t.get("server"); s != nil && s.is('{') {
		c.object(s, "server", serverPart)
	}
	nodes := c.list(t.get("nodes"), "nodes", nodePart)
	c.list(t.get("codecs"), "codecs", codecPart)
	c.list(t.get("workers"), "workers", workerPart)
	if nodes {
		c.places(t)
	}
	if len(c.problems) == 0 {
		if _, err := cluster.Parse(raw); err != nil {
			c.locate(t, "", said(err))
		}
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Line - b.Line })
	return c.problems
}

func (c *checker) add(at int, field, format string, args ...any) {
	c.problems = append(c.problems, Problem{line(c.raw, at), field, fmt.Sprintf(format, args...)})
}

// list checks the objects of a list and reports whether it found nothing. That something is
// no list says object, of the field.
func (c *checker) list(t *tree, path string, kind part) bool {
	before := len(c.problems)
	if t != nil {
		for i, item := range t.items {
			at := fmt.Sprintf("%s[%d]", path, i)
			if !item.is('{') {
				c.add(item.at, at, "%.20s is not a JSON object, want {\"name\": …}", item.raw)
				continue
			}
			c.object(item, at, kind)
		}
	}
	return len(c.problems) == before
}

// object checks the fields of an object one by one.
func (c *checker) object(t *tree, path string, kind part) {
	name := func(field string) string { return strings.TrimPrefix(path+"."+field, ".") }
	seen, before := map[string]bool{}, len(c.problems)
	for _, m := range t.members {
		switch {
		case seen[m.name]:
			c.add(m.at, name(m.name), "is repeated, want it once")
		case !slices.Contains(kind.fields, m.name):
			c.add(m.at, name(m.name), "unknown field, want one of %s", strings.Join(kind.fields, ", "))
		case !kind.entire:
			if err := kind.try(m); err != nil {
				c.add(m.value.at, name(m.name), "%s", bare(said(err), m.name))
			}
		}
		seen[m.name] = true
	}
	for _, field := range kind.required {
		if !seen[field] {
			c.add(t.at, name(field), "is missing, want for example %s", kind.example[field])
		}
	}
	if kind.entire && len(c.problems) == before {
		if _, err := cluster.Parse(fmt.Appendf(nil, kind.around, t.raw)); err != nil {
			text := strings.TrimPrefix(said(err), "codecs: ")
			c.locate(t, path, strings.TrimPrefix(text, "0: "))
		}
	}
}

// try asks the reader for a complete object in which one field is m.
func (kind part) try(m member) error {
	values := map[string]string{}
	for field, value := range kind.example {
		values[field] = value
	}
	switch {
	case m.value.is('[') && (m.name == "workers" || m.name == "nodes" || m.name == "codecs") && len(m.value.items) > 0,
		m.value.is('{') && m.name == "server":
		return nil // looked at part by part
	case m.name == "node":
		if m.value.is('"') {
			return nil // places looks
		}
	}
	values[m.name] = string(m.value.raw)
	_, err := cluster.Parse(kind.with(values))
	return err
}

// with returns a platform around an object of these fields.
func (kind part) with(values map[string]string) []byte {
	var members []string
	for _, field := range kind.fields { // the reader names the host in later errors
		if v, ok := values[field]; ok {
			members = append(members, strconv.Quote(field)+":"+v)
		}
	}
	return fmt.Appendf(nil, kind.around, "{"+strings.Join(members, ",")+"}")
}

// places checks that the hosts' nodes are there, once the nodes are in order.
func (c *checker) places(t *tree) {
	nodes := "[]"
	if n := t.get("nodes"); n != nil && n.is('[') {
		nodes = string(n.raw)
	}
	one := func(host *tree, path, around string) {
		node := host.get("node")
		if node == nil || !node.is('"') {
			return
		}
		_, err := cluster.Parse(fmt.Appendf(nil, around, nodes, `{"name":"w","flops":"1 FLOP/s","bandwidth":"1 B/s","node":`+string(node.raw)+`}`))
		if err != nil && strings.Contains(err.Error(), "there is no node") {
			c.add(node.at, path+".node", "there is no node %s, want a name of nodes", node.raw)
		}
	}
	if w := t.get("workers"); w != nil {
		for i, item := range w.items {
			one(item, fmt.Sprintf("workers[%d]", i), `{"name":"p","nodes":%s,"workers":[%s]}`)
		}
	}
	if s := t.get("server"); s != nil {
		one(s, "server", `{"name":"p","nodes":%s,"server":%s,"workers":[`+anyWorker+`]}`)
	}
}

// locate adds what the reader says of the value t of path, at the field that its words
// begin with.
func (c *checker) locate(t *tree, path, text string) {
	for {
		front, rest, ok := strings.Cut(text, ": ")
		if !ok {
			break
		}
		next := t.get(front)
		if i, err := strconv.Atoi(front); err == nil && i >= 0 && i < len(t.items) {
			next, path = t.items[i], path+"["+front+"]"
		} else if next != nil {
			path = strings.TrimPrefix(path+"."+front, ".")
		}
		if next == nil {
			break
		}
		t, text = next, rest
	}
	c.add(t.at, path, "%s", text)
}

// said returns an error of the reader without the platform's name.
func said(err error) string {
	text := strings.TrimPrefix(err.Error(), "cluster: platform")
	if rest, ok := strings.CutPrefix(text, " "); ok { // the name, in quotes
		if name, err := strconv.QuotedPrefix(rest); err == nil {
			text = rest[len(name):]
		}
	}
	return strings.TrimPrefix(text, ": ")
}

// bare returns the reader's words on a field without the way to it.
func bare(text, field string) string {
	for {
		front, rest, ok := strings.Cut(text, ": ")
		_, err := strconv.Atoi(front)
		known := slices.Contains([]string{"server", "workers", "nodes", "codecs", "worker 0", "node 0", field}, front)
		if !ok || !known && err != nil && !json.Valid([]byte(front)) {
			return text
		}
		text = rest
	}
}
