package codedsgd

import (
	"cmp"
	"math/bits"
	"slices"
)

// around returns a set as distances from a node, upwards and round, the nearest the
// highest bit: greater sets are nearer, and every node sees its own ones so.
func (a *Assignment) around(node int, set uint64) (distances uint64) {
	for _, v := range members(set) {
		distances |= bits.Reverse64(1 << ((v - node + a.n) % a.n))
	}
	return distances
}

// sequence returns D_i in the order in which node i computes it: blocks shared with
// the nodes after it first. Seen from each node it is the same, so that at no time all
// send to one node, as they do if all compute in lexicographic order.
func (a *Assignment) sequence(node int) []int {
	of := a.Of(node)
	slices.SortFunc(of, func(q, p int) int { return cmp.Compare(a.around(node, a.set(p)), a.around(node, a.set(q))) })
	return of
}

// departures sorts packets into the order in which they are sent and received, which
// is the same for two packets wherever they meet, and returns after how many of its
// sender's blocks each can go: from 0, the last of its terms' in the sender's
// sequence. Of those that can go at once the first are for the nodes after the sender.
func departures(a *Assignment, packets []Packet) (after []int) {
	type departure struct {
		after int
		to    uint64
		p     Packet
	}
	place := make([][]int, a.n) // by sender and block
	order := make([]departure, len(packets))
	for i, p := range packets {
		if place[p.From] == nil {
			place[p.From] = make([]int, a.Blocks())
			for k, q := range a.sequence(p.From) {
				place[p.From][q] = k
			}
		}
		d := departure{p: p}
		for _, t := range p.Terms {
			d.after = max(d.after, place[p.From][t.Block])
		}
		var to uint64
		for _, v := range p.To {
			to |= 1 << v
		}
		d.to = a.around(p.From, to)
		order[i] = d
	}
	slices.SortFunc(order, func(x, y departure) int {
		return cmp.Or(cmp.Compare(x.after, y.after), cmp.Compare(y.to, x.to), cmp.Compare(x.p.From, y.p.From),
			slices.CompareFunc(x.p.Terms, y.p.Terms, func(s, t Term) int { return cmp.Compare(s.Block, t.Block) }))
	})
	after = make([]int, len(order))
	for i, d := range order {
		packets[i], after[i] = d.p, d.after
	}
	return after
}
