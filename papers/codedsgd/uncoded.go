package codedsgd

// newUncoded returns the exchange of whole gradients, no redundancy used: each block's
// first holder sends its gradient to all nodes that lack it, in one multicast, or to
// one after the other, from the next higher rank round to the next lower. With one
// block per node that is ordinary SSGD.
func newUncoded(x *node) (*coded, error) {
	messages := x.a.Blocks() * (x.last + 1)
	if x.o.Method == SSGDUnicast {
		messages *= x.n - x.o.Redundancy
	}
	if messages > maxFlights {
		return nil, tooMany(messages)
	}
	var batches []batch
	for q := range x.a.Blocks() {
		from := x.a.Holders(q)[0]
		var to []int
		for i := range x.n {
			if v := (from + i) % x.n; !x.a.Holds(v, q) {
				to = append(to, v)
			}
		}
		b := batch{last: q}
		terms := []Term{{Block: q}}
		if x.o.Method == SSGDUnicast {
			for _, v := range to {
				b.packets = append(b.packets, Packet{from, terms, []int{v}})
			}
		} else if len(to) > 0 {
			b.packets = []Packet{{from, terms, to}}
		}
		batches = append(batches, b)
	}
	return newExchange(x, batches, 1)
}
