package codedsgd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/vec"
)

// own is what one node knows: the gradients that it computed, in fixed point, and no
// other.
type own struct {
	a     *codedsgd.Assignment
	node  int
	block map[int][]int32
}

func (o own) Has(block int) bool { return o.a.Holds(o.node, block) }

func (o own) Layer(block, _, _ int) ([]int32, error) {
	if !o.Has(block) {
		return nil, fmt.Errorf("codedsgd: node %d reads block %d, which it lacks", o.node, block)
	}
	return o.block[block], nil
}

// blocksInFixed computes all blocks' gradients once more, by the same task.
func blocksInFixed(a *codedsgd.Assignment, batch int) (map[int][]int32, error) {
	out, task := map[int][]int32{}, newTold()
	cuts, grads := a.Split(batch, a.Blocks(), nil), make([]float32, shownNumbers)
	for q := range a.Blocks() {
		if _, err := task.BlockGrad(0, cuts[q], cuts[q+1], grads, func(int) {}); err != nil {
			return nil, err
		}
		out[q] = make([]int32, shownNumbers)
		if saturated, bad := codedsgd.Quantise(out[q], grads, fixedRange); saturated+bad > 0 {
			return nil, fmt.Errorf("codedsgd: block %d: %d numbers beyond ±%g, %d are none", q, saturated, fixedRange, bad)
		}
	}
	return out, nil
}

// shownPacket is a packet on its way, and what its receivers made of it.
type shownPacket struct {
	codedsgd.Packet
	Begin, Left, End time.Duration // first byte sent, last byte sent, last receiver has it
	Bytes            int
	Wrapped          int // of its sums, those out of int32's range
	Decoded          []shownTerm
}

// shownTerm is what a receiver took away from a packet, and what remained.
type shownTerm struct {
	Node       int
	Term       codedsgd.Term
	Subtracted []codedsgd.Term
	Began, At  time.Duration // of its link, and it has it all
	Wrong      int           // numbers that are not the holder's
}

// follow reads the packets of a run off its messages, sets times of the trace beside
// them, and decodes each at each of its receivers.
func follow(x run, a *codedsgd.Assignment, batch int) ([]shownPacket, error) {
	blocks, err := blocksInFixed(a, batch)
	if err != nil {
		return nil, err
	}
	cut, err := codedsgd.NewCut(shownNumbers, [2]int{shownRows, shownColumns}, a.Redundancy(), codedsgd.Rows)
	if err != nil {
		return nil, err
	}
	var out []shownPacket
	taken := map[[2]int]int{} // messages from one node that another has seen
	for rank, r := range x.Ranks {
		sends := x.spansOf(rank, cluster.SpanSend)
		if len(sends) != len(r.Notes) {
			return nil, fmt.Errorf("codedsgd: node %d handed over %d messages and sent %d", rank, len(r.Notes), len(sends))
		}
		for i, note := range r.Notes {
			p, err := a.ReadHeader(note.Meta, rank)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(p.To, note.To) {
				return nil, fmt.Errorf("codedsgd: node %d's packet for nodes %v went to %v", rank, p.To, note.To)
			}
			s := shownPacket{Packet: p, Begin: sends[i].From, Left: sends[i].To, Bytes: len(note.Body)}
			s.Wrapped = wraps(p, blocks, cut)
			for _, to := range p.To {
				arrivals := slices.DeleteFunc(x.spansOf(to, cluster.SpanRecv), func(v cluster.Span) bool { return v.Peer != rank })
				at := taken[[2]int{rank, to}]
				if at >= len(arrivals) {
					return nil, fmt.Errorf("codedsgd: node %d has %d messages of node %d, want one more", to, at, rank)
				}
				taken[[2]int{rank, to}]++
				d, err := decodeAt(to, p, note.Body, a, blocks, cut)
				if err != nil {
					return nil, err
				}
				d.Began, d.At = arrivals[at].From, arrivals[at].To
				s.End = max(s.End, d.At)
				s.Decoded = append(s.Decoded, d)
			}
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b shownPacket) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(a.From, b.From))
	})
	return out, nil
}

// decodeAt runs Algorithm 4 on a packet's content with what a node knows, and compares
// what remains with the segment that its holder cut.
func decodeAt(node int, p codedsgd.Packet, body []byte, a *codedsgd.Assignment, blocks map[int][]int32, cut codedsgd.Cut) (shownTerm, error) {
	d := shownTerm{Node: node}
	content := make([]int32, len(body)/4)
	if err := vec.FromInt32(content, body); err != nil {
		return d, err
	}
	var err error
	if d.Term, err = codedsgd.Decode(content, p, own{a, node, blocks}, 0, cut, 1); err != nil {
		return d, err
	}
	for _, t := range p.Terms {
		if t != d.Term {
			d.Subtracted = append(d.Subtracted, t)
		}
	}
	want := make([]int32, cut.Len(d.Term.Position))
	cut.Gather(want, blocks[d.Term.Block], d.Term.Position)
	for i, v := range want {
		if content[i] != v {
			d.Wrong++
		}
	}
	return d, nil
}

// wraps counts the sums of a packet that int32 cannot hold.
func wraps(p codedsgd.Packet, blocks map[int][]int32, cut codedsgd.Cut) (n int) {
	sum := make([]int64, cut.Padded(p))
	for _, t := range p.Terms {
		part := make([]int32, cut.Len(t.Position))
		cut.Gather(part, blocks[t.Block], t.Position)
		codedsgd.Accumulate(sum, part)
	}
	for _, v := range sum {
		if v > math.MaxInt32 || v < math.MinInt32 {
			n++
		}
	}
	return n
}
