package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// nodeNames are the names that a host's "node" may give: of a node, or of an
// entry of several.
type nodeNames map[string][]string

// parseNodes reads a platform's nodes:
//
//	[{"name": "node", "count": 5, "bandwidth": "6 GB/s", "latency": "1 us", "overhead": "0.5 us"}]
//
// name and bandwidth are required; an entry of count k > 1 stands for name0 …
// name(k−1).
func parseNodes(raw []byte) ([]Node, nodeNames, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, nil, errors.New("not a list")
	}
	var out []Node
	names := nodeNames{}
	for i, item := range list {
		n, count, err := parseNode(item)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("%d: %w", i, err)
		case len(out)+count > MaxRanks:
			return nil, nil, fmt.Errorf("%d: more than %d nodes", i, MaxRanks)
		case names[n.Name] != nil:
			return nil, nil, fmt.Errorf("%d: name %q is taken", i, n.Name)
		}
		if count == 1 {
			out, names[n.Name] = append(out, n), []string{n.Name}
			continue
		}
		all := make([]string, count)
		for k := range all {
			each := n
			each.Name = fmt.Sprintf("%s%d", n.Name, k)
			if names[each.Name] != nil {
				return nil, nil, fmt.Errorf("%d: name %q is taken", i, each.Name)
			}
			out, all[k], names[each.Name] = append(out, each), each.Name, []string{each.Name}
		}
		names[n.Name] = all
	}
	return out, names, nil
}

func parseNode(raw []byte) (n Node, count int, err error) {
	fields, err := object(raw)
	if err != nil {
		return n, 0, err
	}
	count = 1
	for _, f := range fields {
		switch f.name {
		case "name":
			err = f.text(&n.Name)
		case "count":
			if err = f.value(&count); err == nil && (count < 1 || count > MaxRanks) {
				err = fmt.Errorf("%s: want 1 to %d", f.raw, MaxRanks)
			}
		case "bandwidth":
			err = f.quantity(&n.Bandwidth, byteRate, &n.Assumed)
		case "latency":
			err = f.duration(&n.Latency, &n.Assumed)
		case "overhead":
			err = f.duration(&n.Overhead, &n.Assumed)
		default:
			err = errors.New("unknown field")
		}
		if err != nil {
			return n, 0, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return n, count, n.validate()
}

// place puts the hosts of one entry on its node, or as many on each of several.
func (names nodeNames) place(h Host, count int) ([]Host, error) {
	nodes := names[h.Node]
	if nodes == nil {
		nodes = []string{h.Node} // none, or one that Validate will miss
	}
	total := count * len(nodes)
	if total > MaxRanks {
		return nil, fmt.Errorf("more than %d hosts", MaxRanks)
	}
	if total == 1 {
		h.Node = nodes[0]
		return []Host{h}, nil
	}
	hosts := Uniform(total, h, nil).Workers
	for i := range hosts {
		hosts[i].Node = nodes[i/count]
	}
	return hosts, nil
}

// validNodes returns an error that names the first node out of its domain, or
// the first host of a node that is not there.
func (p *Platform) validNodes() error {
	known := map[string]bool{"": true}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if err := n.validate(); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		if known[n.Name] {
			return fmt.Errorf("node %d: name %q is taken", i, n.Name)
		}
		known[n.Name] = true
	}
	if p.Server != nil && !known[p.Server.Node] {
		return fmt.Errorf("server: there is no node %q", p.Server.Node)
	}
	for i := range p.Workers {
		if name := p.Workers[i].Node; !known[name] {
			return fmt.Errorf("worker %d: there is no node %q", i, name)
		}
	}
	return nil
}

func (n *Node) validate() error {
	switch {
	case CheckName(n.Name) != nil:
		return fmt.Errorf("name %w", CheckName(n.Name))
	case n.Name == "":
		return errors.New("field \"name\" is missing")
	case !(n.Bandwidth > 0) || math.IsInf(n.Bandwidth, 0):
		return fmt.Errorf("%q: bandwidth = %g B/s, want > 0", n.Name, n.Bandwidth)
	case n.Latency < 0:
		return fmt.Errorf("%q: latency = %v is negative", n.Name, n.Latency)
	case n.Overhead < 0:
		return fmt.Errorf("%q: overhead = %v is negative", n.Name, n.Overhead)
	}
	return nil
}

// nodesJSON writes what parseNodes reads, one entry per node.
func nodesJSON(nodes []Node) []json.RawMessage {
	out := make([]json.RawMessage, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		var o members
		o.add("name", n.Name)
		o.number("bandwidth", n.Bandwidth, byteRate, n.Assumed)
		if n.Latency != 0 || has(n.Assumed, "latency") {
			o.time("latency", n.Latency, n.Assumed)
		}
		if n.Overhead != 0 || has(n.Assumed, "overhead") {
			o.time("overhead", n.Overhead, n.Assumed)
		}
		out[i] = o.end()
	}
	return out
}
