package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a platform from strict JSON, every quantity a string with its
// unit:
//
//	{"name": "two", "note": "…", "decision": "20 us", "multicast": false,
//	 "server": {"name": "ps", "flops": "1 TFLOP/s", "bandwidth": "10 Gb/s"},
//	 "nodes": [{"name": "box", "count": 2, "bandwidth": "5 Gb/s", "latency": "20 us"}],
//	 "codecs": [{"name": "bitmap", "encode": "2 GB/s", "decode": "2 GB/s"}],
//	 "workers": [{"name": "w", "count": 2, "node": "box",
//	              "flops": {"value": "13.4 TFLOP/s", "why": "peak of an RTX 2080 Ti", "confidence": "medium"},
//	              "memory": "616 GB/s", "jitter": "5 %", "bandwidth": "1 Gb/s",
//	              "latency": "25 us", "overhead": "5 us",
//	              "slow": [{"at": "1.5 s", "factor": "5"}, {"at": "2 s", "factor": "1"}]}]}
//
// name, workers and of each host name, flops and bandwidth are required; a
// worker of count k > 1 stands for name0 … name(k−1), and so does a node. A
// worker whose node is such an entry of several stands for count hosts in each of
// them: here w0 and w1 in box0, w2 and w3 in box1. slow lists a host's phases in
// order of time: from `at` on computation takes `factor` times as long.
// Wherever a string with a unit stands, an object {value, why, confidence} may,
// but for phases, which are a scenario and no assumption. An unknown or repeated
// field, a value without a known unit or out of its domain, and text after the
// object are errors that name the field.
//
// Source: ours: the platform is data, apart from the program
func Parse(b []byte) (*Platform, error) {
	p := &Platform{}
	if err := p.parse(b); err != nil {
		if p.Name != "" {
			return nil, fmt.Errorf("cluster: platform %q: %w", p.Name, err)
		}
		return nil, fmt.Errorf("cluster: platform: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// Marshal writes p in the form that Parse reads, one entry per node and per run of
// equal workers name0, name1 …, with fixed order and spelling: Parse(Marshal(p)) equals p. A value that has a
// reason keeps the spelling it was given, as long as that still is its value.
//
// Source: ours: the inverse of Parse
func Marshal(p *Platform) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, p.object(nil, nil).write(), "", "  "); err != nil {
		panic(err) // the members are JSON by construction
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func (p *Platform) parse(b []byte) error {
	names := nodeNames{}
	var workers []byte // read when the nodes are known
	if err := p.object(names, &workers).read(b); err != nil || workers == nil {
		return err
	}
	if err := p.parseWorkers(workers, names); err != nil {
		return fmt.Errorf("workers: %w", err)
	}
	return nil
}

// object returns the platform's. Reading leaves workers as they are written, and the nodes' names in names.
func (p *Platform) object(names nodeNames, workers *[]byte) object {
	server := part{func(raw []byte) error {
		hosts, err := parseHost(raw, nil)
		if err == nil {
			p.Server = &hosts[0]
		}
		return err
	}, func() any {
		if p.Server == nil {
			return nil
		}
		return p.Server.object(new(int)).write()
	}}
	nodes := part{func(raw []byte) error { return p.parseNodes(raw, names) }, func() any {
		return writeList(p.Nodes, func(n *Node) object { return n.object(new(int)) })
	}}
	return object{&p.Assumed, []member{{name: "name", to: &p.Name, must: true}, {name: "note", to: &p.Note},
		{name: "decision", to: &p.Decision}, {name: "multicast", to: &p.Multicast}, {name: "server", to: server},
		{name: "nodes", to: nodes}, {name: "codecs", to: listOf(&p.Codecs, (*CodecRate).object)},
		{name: "workers", to: part{func(raw []byte) error { *workers = raw; return nil }, p.writeWorkers}}}}
}

func (p *Platform) parseWorkers(raw []byte, nodes nodeNames) error {
	names := map[string]bool{}
	return readList(raw, func(item []byte) error {
		hosts, err := parseHost(item, nodes)
		if err != nil {
			return err
		}
		if len(p.Workers)+len(hosts) > MaxRanks {
			return fmt.Errorf("more than %d hosts", MaxRanks)
		}
		for _, h := range hosts {
			if names[h.Name] {
				return fmt.Errorf("name %q is taken", h.Name)
			}
			names[h.Name] = true
		}
		p.Workers = append(p.Workers, hosts...)
		return nil
	})
}

// writeWorkers writes those of a run of equal ones as one: those that differ in their names alone, which are one text
// with 0, 1, 2 … behind it.
func (p *Platform) writeWorkers() any {
	var out []json.RawMessage
	for left := p.Workers; len(left) > 0; {
		h, n := left[0], 1
		if text, ok := strings.CutSuffix(h.Name, "0"); ok && text != "" {
			for n < len(left) && left[n].Name == text+strconv.Itoa(n) {
				next := left[n]
				if next.Name = h.Name; !reflect.DeepEqual(next, h) {
					break
				}
				n++
			}
			if n > 1 {
				h.Name = text
			}
		}
		left = left[n:]
		if n == 1 {
			n = 0
		}
		out = append(out, h.object(&n).write())
	}
	return out
}

// object returns a host's, of several a part of the name and their count.
func (h *Host) object(count *int) object {
	return object{&h.Assumed, []member{{name: "name", to: &h.Name, must: true}, {name: "count", to: count},
		{name: "node", to: &h.Node}, {name: "flops", to: &h.FLOPS, unit: flopRate},
		{name: "memory", to: &h.Memory, unit: byteRate}, {name: "jitter", to: &h.Jitter, unit: fraction},
		{name: "bandwidth", to: &h.Bandwidth, unit: byteRate}, {name: "latency", to: &h.Latency},
		{name: "overhead", to: &h.Overhead}, {name: "slow", to: listOf(&h.Slow, (*Phase).object)}}}
}

// parseHost reads one entry; that of a worker may stand for several hosts. nodes
// is nil for the server.
func parseHost(raw []byte, nodes nodeNames) ([]Host, error) {
	h, count := Host{}, 1
	if err := h.object(&count).read(raw); err != nil {
		return nil, err
	}
	if count < 1 || count > MaxRanks || nodes == nil && count != 1 {
		return nil, fmt.Errorf("count: %d: want 1 to %d, of workers only", count, MaxRanks)
	}
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("%q: %w", h.Name, err)
	}
	return nodes.place(h, count)
}

// object is a JSON object: its members in the order in which they are written, and where the reasons for its values
// go; nil: none has one.
type object struct {
	assumed *[]Assumption
	members []member
}

// member is one of an object: where its value is, of which unit a number is, and whether it must be there. Another that
// is zero is not written.
type member struct {
	name string
	to   any // a *float64, *time.Duration, *string, *bool or *int, or a part
	unit quantity
	must bool
}

// part is a member with members of its own; of none write returns nil.
type part struct {
	read  func(raw []byte) error
	write func() any
}

// listOf is a list of objects.
func listOf[T any](list *[]T, of func(*T) object) part {
	return part{func(raw []byte) error {
		return readList(raw, func(item []byte) error {
			var x T
			err := of(&x).read(item)
			*list = append(*list, x)
			return err
		})
	}, func() any { return writeList(*list, of) }}
}

func readList(raw []byte, each func(item []byte) error) error {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return errors.New("not a list")
	}
	for i, item := range list {
		if err := each(item); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

func writeList[T any](list []T, of func(*T) object) any {
	if len(list) == 0 {
		return nil
	}
	out := make([]json.RawMessage, len(list))
	for i := range list {
		out[i] = of(&list[i]).write()
	}
	return out
}

// read reads members in the order in which they are given; a repeated one is an error, as is one that is unknown.
func (o object) read(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	fields, raws := []string{}, []json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name := key.(string)
		if slices.Contains(fields, name) {
			return fmt.Errorf("field %q is repeated", name)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fields, raws = append(fields, name), append(raws, raw)
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("object does not end: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the object")
	}
	for i, name := range fields {
		k := slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
		if k < 0 {
			return fmt.Errorf("unknown field %q", name)
		}
		if err := o.members[k].read(raws[i], o.assumed); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, m := range o.members {
		if text, ok := m.to.(*string); m.must && (!slices.Contains(fields, m.name) || ok && *text == "") {
			return fmt.Errorf("field %q is missing", m.name)
		}
	}
	return nil
}

func (m member) read(raw []byte, as *[]Assumption) (err error) {
	var text string
	switch to := m.to.(type) {
	case part:
		return to.read(raw)
	case *float64:
		if text, err = m.text(raw, as); err == nil {
			*to, err = m.unit.parse(text)
		}
	case *time.Duration:
		if text, err = m.text(raw, as); err == nil {
			*to, err = parseDuration(text)
		}
	default:
		if string(raw) == "null" || json.Unmarshal(raw, to) != nil {
			return fmt.Errorf("%s is not a %s", raw, reflect.TypeOf(to).Elem())
		}
	}
	return err
}

// text returns a value's text, from a string or from an object with its reason, and records the latter.
func (m member) text(raw []byte, as *[]Assumption) (string, error) {
	a := Assumption{Field: m.name}
	if as == nil || raw[0] != '{' {
		err := member{to: &a.Value}.read(raw, nil)
		return a.Value, err
	}
	err := a.object().read(raw)
	*as = append(*as, a)
	return a.Value, err
}

func (a *Assumption) object() object {
	return object{nil, []member{{name: "value", to: &a.Value}, {name: "why", to: &a.Why},
		{name: "confidence", to: &a.Confidence}}}
}

func (o object) write() json.RawMessage {
	var b bytes.Buffer
	sep := byte('{')
	for _, m := range o.members {
		if v := m.written(o.assumed); v != nil {
			b.WriteByte(sep)
			encode(&b, m.name)
			b.WriteByte(':')
			encode(&b, v)
			sep = ','
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

func encode(b *bytes.Buffer, v any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, whole numbers, booleans and raw JSON only
	}
	b.Truncate(b.Len() - 1) // the newline
}

// written returns what a member's value is written as, with its reason if it has one; nil: not.
func (m member) written(as *[]Assumption) any {
	var text string
	var still func(s string) bool // whether that is the value, too
	switch to := m.to.(type) {
	case part:
		return to.write()
	case *float64:
		text, still = m.unit.format(*to), func(s string) bool {
			v, err := m.unit.parse(s)
			return err == nil && v == *to
		}
	case *time.Duration:
		text, still = duration.format(to.Seconds()), func(s string) bool {
			d, err := parseDuration(s)
			return err == nil && d == *to
		}
	}
	v := reflect.ValueOf(m.to).Elem()
	switch {
	case still != nil && as != nil && has(*as, m.name):
		a := (*as)[slices.IndexFunc(*as, func(a Assumption) bool { return a.Field == m.name })]
		if !still(a.Value) {
			a.Value = text
		}
		return a.object().write()
	case v.IsZero() && !m.must:
		return nil
	case still != nil:
		return text
	}
	return v.Interface()
}

func has(as []Assumption, field string) bool {
	return slices.ContainsFunc(as, func(a Assumption) bool { return a.Field == field })
}
