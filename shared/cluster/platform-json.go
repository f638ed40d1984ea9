package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

func (p *Platform) parse(b []byte) error {
	fields, err := object(b)
	if err != nil {
		return err
	}
	var names nodeNames
	var workers []byte // read when the nodes are known
	for _, f := range fields {
		switch f.name {
		case "name":
			err = f.text(&p.Name)
		case "note":
			err = f.text(&p.Note)
		case "decision":
			err = f.duration(&p.Decision, &p.Assumed)
		case "multicast":
			err = f.value(&p.Multicast)
		case "server":
			var hosts []Host
			if hosts, err = parseHost(f.raw, nil); err == nil {
				p.Server = &hosts[0]
			}
		case "nodes":
			p.Nodes, names, err = parseNodes(f.raw)
		case "codecs":
			p.Codecs, err = parseCodecs(f.raw)
		case "workers":
			workers = f.raw
		default:
			return fmt.Errorf("unknown field %q", f.name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if workers != nil {
		if names == nil {
			names = nodeNames{}
		}
		if p.Workers, err = parseWorkers(workers, names); err != nil {
			return fmt.Errorf("workers: %w", err)
		}
	}
	if p.Name == "" {
		return errors.New("field \"name\" is missing")
	}
	return nil
}

func parseWorkers(raw []byte, nodes nodeNames) ([]Host, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("not a list")
	}
	var out []Host
	names := map[string]bool{}
	for i, item := range list {
		hosts, err := parseHost(item, nodes)
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
		if len(out)+len(hosts) > MaxRanks {
			return nil, fmt.Errorf("%d: more than %d hosts", i, MaxRanks)
		}
		for _, h := range hosts {
			if names[h.Name] {
				return nil, fmt.Errorf("%d: name %q is taken", i, h.Name)
			}
			names[h.Name] = true
		}
		out = append(out, hosts...)
	}
	return out, nil
}

// parseHost reads one entry; that of a worker may stand for several hosts. nodes
// is nil for the server.
func parseHost(raw []byte, nodes nodeNames) ([]Host, error) {
	fields, err := object(raw)
	if err != nil {
		return nil, err
	}
	h, count := Host{}, 1
	for _, f := range fields {
		switch f.name {
		case "name":
			err = f.text(&h.Name)
		case "count":
			err = f.value(&count)
			if nodes == nil || err == nil && (count < 1 || count > MaxRanks) {
				err = fmt.Errorf("%s: want 1 to %d, of workers only", f.raw, MaxRanks)
			}
		case "flops":
			err = f.quantity(&h.FLOPS, flopRate, &h.Assumed)
		case "memory":
			err = f.quantity(&h.Memory, byteRate, &h.Assumed)
		case "jitter":
			err = f.quantity(&h.Jitter, fraction, &h.Assumed)
		case "bandwidth":
			err = f.quantity(&h.Bandwidth, byteRate, &h.Assumed)
		case "latency":
			err = f.duration(&h.Latency, &h.Assumed)
		case "overhead":
			err = f.duration(&h.Overhead, &h.Assumed)
		case "node":
			err = f.text(&h.Node)
		case "slow":
			h.Slow, err = parsePhases(f.raw)
		default:
			return nil, fmt.Errorf("unknown field %q", f.name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if h.Name == "" {
		return nil, errors.New("field \"name\" is missing")
	}
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("%q: %w", h.Name, err)
	}
	return nodes.place(h, count)
}

// field is one member of a JSON object.
type field struct {
	name string
	raw  json.RawMessage
}

// object returns an object's members in order; a repeated one is an error.
func object(b []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var fields []field
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: key.(string)}
		if seen[f.name] {
			return nil, fmt.Errorf("field %q is repeated", f.name)
		}
		seen[f.name] = true
		if err := d.Decode(&f.raw); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		fields = append(fields, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("object does not end: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the object")
	}
	return fields, nil
}

func (f field) value(to any) error {
	if string(f.raw) == "null" || json.Unmarshal(f.raw, to) != nil {
		return fmt.Errorf("%s is not a %T", f.raw, to)
	}
	return nil
}

func (f field) text(to *string) error {
	if err := f.value(to); err != nil {
		return fmt.Errorf("%s is not a string", f.raw)
	}
	return nil
}

// assumed returns the value's text, from a string or from an object with its
// reason, and records the latter.
func (f field) assumed(to *[]Assumption) (string, error) {
	a := Assumption{Field: f.name}
	if len(f.raw) == 0 || f.raw[0] != '{' {
		err := f.text(&a.Value)
		return a.Value, err
	}
	members, err := object(f.raw)
	if err != nil {
		return "", err
	}
	for _, m := range members {
		switch m.name {
		case "value":
			err = m.text(&a.Value)
		case "why":
			err = m.text(&a.Why)
		case "confidence":
			err = m.text(&a.Confidence)
		default:
			err = fmt.Errorf("unknown field %q", m.name)
		}
		if err != nil {
			return "", err
		}
	}
	*to = append(*to, a)
	return a.Value, nil
}

func (f field) quantity(to *float64, q quantity, as *[]Assumption) error {
	s, err := f.assumed(as)
	if err == nil {
		*to, err = q.parse(s)
	}
	return err
}

func (f field) duration(to *time.Duration, as *[]Assumption) error {
	s, err := f.assumed(as)
	if err == nil {
		*to, err = parseDuration(s)
	}
	return err
}
