package codedsgd

import (
	"fmt"
	"slices"
)

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

// unload is coded's for a segment that is new, and compares one that is not.
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
