package codedsgd

import (
	"cmp"
	"fmt"
	"slices"

	"gradsync/shared/tensor/vec"
)

// coded exchanges packets: those of Algorithm 3, or such of one term.
type coded struct {
	courier
	packets []Packet // by flight.id
	cuts    []Cut    // by layer
	content []int32
}

// batch are packets that can go when one block is there: the last of theirs.
type batch struct {
	last    int
	packets []Packet
}

// newCoded returns the exchange of all groups' packets.
func newCoded(x *node) (*coded, error) {
	if flights := subsets(x.n, x.o.Redundancy+1) * (x.o.Redundancy + 1) * (x.last + 1); flights > maxFlights {
		return nil, tooMany(flights)
	}
	var batches []batch
	for _, group := range x.a.Groups() {
		if slices.Contains(group, x.rank) {
			batches = append(batches, batch{x.a.Index(group[1:]), x.a.Packets(group)})
		}
	}
	return newExchange(x, batches, x.o.Redundancy)
}

// maxFlights bounds the messages of a step.
const maxFlights = 10_000_000

func tooMany(flights int) error {
	return fmt.Errorf("codedsgd: %d messages in a step, want at most %d", flights, maxFlights)
}

// newExchange plans the messages of all layers, cut in so many segments: by the last
// block of their batch, then by layer, last first, then in the batches' order, which
// is all ranks'. Gradients become final in that order everywhere, so that few packets
// wait behind others.
func newExchange(x *node, batches []batch, segments int) (*coded, error) {
	c := &coded{courier: newCourier(x)}
	c.cargo = c
	longest := 0
	for l, layer := range x.job.Layers {
		shape := [2]int{layer.Length, 1}
		if x.job.Shapes != nil {
			shape = x.job.Shapes[l]
		}
		cut, err := NewCut(layer.Length, shape, segments, x.o.Split)
		if err != nil {
			return nil, err
		}
		c.cuts = append(c.cuts, cut)
		longest = max(longest, cut.Len(0))
	}
	if x.store != nil {
		c.content = make([]int32, x.m*longest)
	}
	slices.SortStableFunc(batches, func(a, b batch) int { return cmp.Compare(a.last, b.last) })
	for i := 0; i < len(batches); {
		first := len(c.packets)
		last := batches[i].last
		for ; i < len(batches) && batches[i].last == last; i++ {
			for _, p := range batches[i].packets {
				if p.From == x.rank || slices.Contains(p.To, x.rank) {
					c.packets = append(c.packets, p)
				}
			}
		}
		for l := x.last; l >= 0; l-- {
			for id := first; id < len(c.packets); id++ {
				if err := c.schedule(id, l); err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}

// schedule plans packet id's message of a layer.
func (c *coded) schedule(id, layer int) error {
	p := c.packets[id]
	h, err := c.x.a.Header(p)
	if err != nil {
		return err
	}
	group := append([]int{p.From}, p.To...)
	slices.Sort(group)
	if last := len(c.plan) - 1; last >= 0 && slices.Equal(c.plan[last].group, group) {
		group = c.plan[last].group
	}
	n := 0
	for _, t := range p.Terms {
		n += c.x.m * c.cuts[layer].Len(t.Position)
	}
	c.plan = append(c.plan, flight{id: id, layer: layer, from: p.From, group: group, header: h,
		numbers: n, size: 4 * c.x.m * c.cuts[layer].Padded(p)})
	return nil
}

// exchange sends and receives one step's packets and adds the node's own gradients.
func (c *coded) exchange() error {
	if err := c.deliver(); err != nil {
		return err
	}
	if err := c.x.allReady(); err != nil {
		return err
	}
	for l := range c.cuts {
		if err := c.x.addOwn(l); err != nil {
			return err
		}
	}
	return nil
}

// await waits for the last of the packet's own blocks.
func (c *coded) await(f *flight) error {
	terms := c.packets[f.id].Terms
	i, _ := slices.BinarySearch(c.x.own, terms[len(terms)-1].Block)
	return c.x.ready(i, f.layer)
}

// load encodes a packet. One of a single term is no code and costs nothing.
func (c *coded) load(f *flight, body []byte) ([]byte, error) {
	p := c.packets[f.id]
	if len(p.Terms) > 1 {
		c.x.coded(f.numbers)
	}
	if c.x.store == nil {
		return nil, nil
	}
	content := c.content[:f.size/4]
	if err := Encode(content, p, c.x.store, f.layer, c.cuts[f.layer], c.x.m); err != nil {
		return nil, err
	}
	return vec.AppendInt32(body, content), nil
}

// unload decodes a packet and adds the one segment that it brings to the sum (the
// first sum of eq. 17; that is over the pieces of eq. 16, in any order).
func (c *coded) unload(f *flight, body []byte) (useful int, err error) {
	c.x.coded(f.numbers)
	if c.x.store == nil {
		return f.size, nil
	}
	t, err := c.decode(f, body)
	if err != nil {
		return 0, err
	}
	c.add(f, t)
	return f.size, nil
}

// decode leaves the packet's one unknown segment, which it names, in content.
func (c *coded) decode(f *flight, body []byte) (Term, error) {
	content := c.content[:f.size/4]
	if err := vec.FromInt32(content, body); err != nil {
		return Term{}, err
	}
	return Decode(content, c.packets[f.id], c.x.store, f.layer, c.cuts[f.layer], c.x.m)
}

// add adds all micro-blocks of segment t, which decode left in content, to the sum.
func (c *coded) add(f *flight, t Term) {
	part, sum := f.size/4/c.x.m, c.x.sumOf(f.layer)
	for j := range c.x.m {
		c.cuts[f.layer].AccumulateTo(sum, c.content[j*part:], t.Position)
	}
}
