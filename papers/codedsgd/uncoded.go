package codedsgd

import "slices"

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
