package codedsgd

import (
	"fmt"
	"slices"

	"gradsync/shared/tensor/vec"
)

// coded exchanges packets, Algorithm 3's or packets of a single term.
type coded struct {
	courier
	packets []Packet // by flight.id
	cuts    []Cut    // by layer
	content []int32
}

// newCoded returns the exchange of all groups' packets.
func newCoded(x *node) (*coded, error) {
	var packets []Packet
	// Alg. 3, line 2
	for _, group := range x.a.Groups() {
		if slices.Contains(group, x.rank) {
			packets = append(packets, x.a.Packets(group)...)
		}
	}
	return newExchange(x, packets, x.o.Redundancy)
}

// newExchange plans the messages of packets that concern this rank: of every layer, cut in
// the given number of segments.
func newExchange(x *node, packets []Packet, segments int) (*coded, error) {
	c := &coded{courier: newCourier(x), packets: packets}
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
		c.content = make([]int32, x.each*longest)
	}
	after := departures(x.a, packets)
	for round := range x.rounds() {
		for from := 0; from < len(packets); {
			to := from
			for to < len(packets) && after[to] == after[from] {
				to++
			}
			for l := x.last; l >= 0; l-- {
				for id := from; id < to; id++ {
					if err := c.schedule(id, l, round); err != nil {
						return nil, err
					}
				}
			}
			from = to
		}
	}
	return c, nil
}

// schedule plans packet id's message of a layer in a round.
func (c *coded) schedule(id, layer, round int) error {
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
	n, needs := 0, 0
	for _, t := range p.Terms {
		n += c.x.each * c.cuts[layer].Len(t.Position)
		if i := slices.Index(c.x.own, t.Block); i >= 0 {
			needs = max(needs, c.x.stage(round, i, layer))
		}
	}
	c.plan = append(c.plan, flight{id: id, layer: layer, round: round, from: p.From, group: group, header: h,
		numbers: n, size: 4 * c.x.each * c.cuts[layer].Padded(p), needs: needs})
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
	return c.x.reach(f.needs)
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
	// Alg. 1, line 5
	if err := Encode(content, p, c.x.known(f.round), f.layer, c.cuts[f.layer], c.x.each); err != nil {
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
	t, err := c.decode(f, body) // Alg. 1, line 6
	if err != nil {
		return 0, err
	}
	c.add(f, t) // Alg. 1, line 6: its part of Δw(t)
	return f.size, nil
}

// decode leaves the packet's one unknown segment, which it names, in content.
func (c *coded) decode(f *flight, body []byte) (Term, error) {
	content := c.content[:f.size/4]
	if err := vec.FromInt32(content, body); err != nil {
		return Term{}, err
	}
	return Decode(content, c.packets[f.id], c.x.known(f.round), f.layer, c.cuts[f.layer], c.x.each)
}

// inRound gives a round's micro-blocks of a store by their number in the round.
type inRound struct {
	*store
	first int
}

// Layer returns the round's micro-block j of a block's gradient of one layer.
func (r inRound) Layer(block, j, layer int) ([]int32, error) {
	return r.store.Layer(block, r.first+j, layer)
}

// known returns the own gradients of a round.
func (x *node) known(round int) Known {
	if round == 0 {
		return x.store
	}
	return inRound{x.store, round * x.each}
}

// add adds all micro-blocks of segment t, which decode left in content, to the sum.
func (c *coded) add(f *flight, t Term) {
	part, sum := f.size/4/c.x.each, c.x.sumOf(f.layer)
	for j := range c.x.each {
		c.cuts[f.layer].AccumulateTo(sum, c.content[j*part:], t.Position)
	}
}

// newUncoded returns the exchange of whole gradients, no redundancy used: each block's
// first holder sends its gradient to all nodes that lack it, in one multicast or to one
// after the other. With one block per node that is ordinary SSGD.
func newUncoded(x *node) (*coded, error) {
	var packets []Packet
	for q := range x.a.Blocks() {
		from := x.a.Holders(q)[0]
		var to []int
		for i := range x.n {
			if !x.a.Holds(i, q) {
				to = append(to, i)
			}
		}
		add := func(to []int) {
			if from == x.rank || slices.Contains(to, x.rank) {
				packets = append(packets, Packet{from, []Term{{Block: q}}, to})
			}
		}
		switch {
		case x.o.Method == SSGDUnicast:
			for _, v := range to {
				add([]int{v})
			}
		case len(to) > 0:
			add(to)
		}
	}
	return newExchange(x, packets, 1)
}

// repeated exchanges the packets of Algorithm 3's printed loop, all that have
// receivers. Most segments come more than once: the first is used, the others must be
// the same.
type repeated struct {
	*coded
	place []int     // by packet: which segment it brings this node
	here  []bool    // by layer and place: it has come
	had   [][]int32 // the same: what came; of a timing-only run nothing
}

func newLiteral(x *node) (*repeated, error) {
	var packets []Packet
	for i := range x.n {
		x.a.Literal(i, func(p Packet) bool {
			if len(p.To) > 0 && (i == x.rank || slices.Contains(p.To, x.rank)) {
				packets = append(packets, Packet{i, slices.Clone(p.Terms), slices.Clone(p.To)})
			}
			return true
		})
	}
	c, err := newExchange(x, packets, x.o.Redundancy)
	if err != nil {
		return nil, err
	}
	l := &repeated{coded: c, place: make([]int, len(c.packets))}
	for id, p := range c.packets {
		for _, t := range p.Terms {
			if !x.a.Holds(x.rank, t.Block) {
				l.place[id] = t.Block*x.o.Redundancy + t.Position
			}
		}
	}
	places := x.a.Blocks() * x.o.Redundancy * len(c.cuts)
	l.here, l.had = make([]bool, places), make([][]int32, places)
	c.cargo = l
	return l, nil
}

func (l *repeated) exchange() error {
	clear(l.here)
	return l.coded.exchange()
}

// unload adds a segment that is new, as coded does, and compares one that is not.
func (l *repeated) unload(f *flight, body []byte) (useful int, err error) {
	at := f.layer*l.x.a.Blocks()*l.x.o.Redundancy + l.place[f.id]
	again := l.here[at]
	l.here[at] = true
	l.x.coded(f.numbers)
	if l.x.store == nil {
		if again {
			return 0, nil
		}
		return f.size, nil
	}
	t, err := l.decode(f, body)
	if err != nil {
		return 0, err
	}
	part, n := f.size/4/l.x.m, l.cuts[f.layer].Len(t.Position)
	if !again {
		l.had[at] = l.had[at][:0]
		for j := range l.x.m {
			l.had[at] = append(l.had[at], l.content[j*part:j*part+n]...)
		}
		l.add(f, t)
		return f.size, nil
	}
	for j := range l.x.m {
		if !slices.Equal(l.had[at][j*n:(j+1)*n], l.content[j*part:j*part+n]) {
			return 0, fmt.Errorf("segment %d of block %d came once more and differs", t.Position, t.Block)
		}
	}
	return 0, nil
}
