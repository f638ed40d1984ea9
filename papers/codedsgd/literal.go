package codedsgd

// Literal visits the packets of Algorithm 3 as it is printed: one for every
// combination of r of the node's blocks, C(μ,r) of them, lexicographic, until visit
// returns false. A packet's receivers are those that lack exactly one of its blocks,
// and there may be none. The packet is the visitor's until it returns.
//
// From r = 3 to n−2 most packets repeat what others bring, and at r = 1 there is one
// packet for all n−1 others instead of one for each.
//
// Source: Alg. 3, line 2
func (a *Assignment) Literal(node int, visit func(Packet) bool) {
	own := a.Of(node)
	sets, position := make([]uint64, len(own)), make([]int, len(own))
	for i, q := range own {
		sets[i] = a.set(q)
		position[i] = rank(sets[i], node)
	}
	p := Packet{From: node, Terms: make([]Term, a.r), To: make([]int, 0, a.n)}
	// lacking[i] is T, as counts, of the first i blocks chosen; its singularity is
	// taken of the last (lines 10 and 12).
	lacking := make([]counts, a.r+1)
	all := uint64(1)<<a.n - 1
	var choose func(depth, from int) bool
	choose = func(depth, from int) bool {
		if depth == a.r {
			p.To = p.To[:0]
			once := lacking[depth].once()
			for i := range a.n {
				if has(once, i) {
					p.To = append(p.To, i)
				}
			}
			return visit(p)
		}
		for i := from; i <= len(own)-(a.r-depth); i++ {
			p.Terms[depth] = Term{own[i], position[i]}
			lacking[depth+1] = lacking[depth]
			lacking[depth+1].add(all &^ sets[i])
			if !choose(depth+1, i+1) {
				return false
			}
		}
		return true
	}
	choose(0, 0)
}

// counts says which nodes occur once in a list of sets.
type counts struct{ seen, twice uint64 }

func (c *counts) add(set uint64) {
	c.twice |= c.seen & set
	c.seen |= set
}

func (c *counts) once() uint64 { return c.seen &^ c.twice }
