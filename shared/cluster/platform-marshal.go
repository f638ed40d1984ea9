package cluster

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Marshal writes p in the form that Parse reads, one entry per node and per run of
// equal workers name0, name1 …, with fixed order and spelling: Parse(Marshal(p)) equals p. A value that has a
// reason keeps the spelling it was given, as long as that still is its value.
//
// Source: ours: the inverse of Parse
func Marshal(p *Platform) []byte {
	var o members
	o.add("name", p.Name)
	if p.Note != "" {
		o.add("note", p.Note)
	}
	if p.Decision != 0 || has(p.Assumed, "decision") {
		o.time("decision", p.Decision, p.Assumed)
	}
	if p.Multicast {
		o.add("multicast", true)
	}
	if p.Server != nil {
		o.add("server", json.RawMessage(hostJSON(p.Server, 1)))
	}
	if len(p.Nodes) > 0 {
		o.add("nodes", nodesJSON(p.Nodes))
	}
	if len(p.Codecs) > 0 {
		o.add("codecs", codecsJSON(p.Codecs))
	}
	var workers []json.RawMessage
	for i := 0; i < len(p.Workers); {
		n := equalRun(p.Workers[i:])
		workers = append(workers, hostJSON(&p.Workers[i], n))
		i += n
	}
	o.add("workers", workers)
	var out bytes.Buffer
	if err := json.Indent(&out, o.end(), "", "  "); err != nil {
		panic(err) // the members are JSON by construction
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// equalRun returns how many of the first workers one entry with a count stands for: those
// that differ in their names alone, which are one text with 0, 1, 2 … behind it.
func equalRun(workers []Host) int {
	text, ok := strings.CutSuffix(workers[0].Name, "0")
	if !ok || text == "" {
		return 1
	}
	n := 1
	for ; n < len(workers); n++ {
		h := workers[n]
		if h.Name != text+strconv.Itoa(n) {
			break
		}
		if h.Name = workers[0].Name; !reflect.DeepEqual(h, workers[0]) {
			break
		}
	}
	return n
}

// hostJSON writes h, of several equal workers the first.
func hostJSON(h *Host, count int) []byte {
	var o members
	if count > 1 {
		o.add("name", strings.TrimSuffix(h.Name, "0"))
		o.add("count", count)
	} else {
		o.add("name", h.Name)
	}
	if h.Node != "" {
		o.add("node", h.Node)
	}
	o.number("flops", h.FLOPS, flopRate, h.Assumed)
	if h.Memory != 0 || has(h.Assumed, "memory") {
		o.number("memory", h.Memory, byteRate, h.Assumed)
	}
	if h.Jitter != 0 || has(h.Assumed, "jitter") {
		o.number("jitter", h.Jitter, fraction, h.Assumed)
	}
	o.number("bandwidth", h.Bandwidth, byteRate, h.Assumed)
	if h.Latency != 0 || has(h.Assumed, "latency") {
		o.time("latency", h.Latency, h.Assumed)
	}
	if h.Overhead != 0 || has(h.Assumed, "overhead") {
		o.time("overhead", h.Overhead, h.Assumed)
	}
	if len(h.Slow) > 0 {
		o.add("slow", phasesJSON(h.Slow))
	}
	return o.end()
}

func has(as []Assumption, field string) bool {
	return slices.ContainsFunc(as, func(a Assumption) bool { return a.Field == field })
}

// members builds a JSON object in order.
type members struct{ b bytes.Buffer }

func (o *members) add(name string, v any) {
	sep := byte(',')
	if o.b.Len() == 0 {
		sep = '{'
	}
	o.b.WriteByte(sep)
	o.encode(name)
	o.b.WriteByte(':')
	o.encode(v)
}

func (o *members) encode(v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, whole numbers, booleans and raw JSON only
	}
	o.b.Write(bytes.TrimSpace(text.Bytes()))
}

func (o *members) end() []byte {
	o.b.WriteByte('}')
	return o.b.Bytes()
}

func (o *members) number(name string, v float64, q quantity, as []Assumption) {
	o.assumed(name, q.format(v), as, func(s string) bool {
		back, err := q.parse(s)
		return err == nil && back == v
	})
}

func (o *members) time(name string, d time.Duration, as []Assumption) {
	o.assumed(name, duration.format(d.Seconds()), as, func(s string) bool {
		back, err := parseDuration(s)
		return err == nil && back == d
	})
}

// assumed writes a value, with its reason if it has one.
func (o *members) assumed(name, text string, as []Assumption, still func(string) bool) {
	i := slices.IndexFunc(as, func(a Assumption) bool { return a.Field == name })
	if i < 0 {
		o.add(name, text)
		return
	}
	if still(as[i].Value) {
		text = as[i].Value
	}
	var v members
	v.add("value", text)
	if as[i].Why != "" {
		v.add("why", as[i].Why)
	}
	if as[i].Confidence != "" {
		v.add("confidence", as[i].Confidence)
	}
	o.add(name, json.RawMessage(v.end()))
}
