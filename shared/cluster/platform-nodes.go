package cluster

import (
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
func (p *Platform) parseNodes(raw []byte, names nodeNames) error {
	return readList(raw, func(item []byte) error {
		n, count := Node{}, 1
		if err := n.object(&count).read(item); err != nil {
			return err
		}
		if count < 1 || count > MaxRanks {
			return fmt.Errorf("count: %d: want 1 to %d", count, MaxRanks)
		}
		if err := n.validate(); err != nil {
			return err
		}
		if len(p.Nodes)+count > MaxRanks {
			return fmt.Errorf("more than %d nodes", MaxRanks)
		}
		entry, all := n.Name, []string(nil)
		if names[entry] != nil {
			return fmt.Errorf("name %q is taken", entry)
		}
		for k := range count {
			if count > 1 {
				n.Name = fmt.Sprintf("%s%d", entry, k)
			}
			if names[n.Name] != nil {
				return fmt.Errorf("name %q is taken", n.Name)
			}
			p.Nodes, all, names[n.Name] = append(p.Nodes, n), append(all, n.Name), []string{n.Name}
		}
		names[entry] = all
		return nil
	})
}

func (n *Node) object(count *int) object {
	return object{&n.Assumed, []member{{name: "name", to: &n.Name, must: true}, {name: "count", to: count},
		{name: "bandwidth", to: &n.Bandwidth, unit: byteRate}, {name: "latency", to: &n.Latency},
		{name: "overhead", to: &n.Overhead}}}
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
