package codedsgd

import (
	"fmt"
	"math"
)

// maxFlights bounds the messages of a step.
const maxFlights = 10_000_000

// maxLiteral bounds the combinations of one node that are sent.
const maxLiteral = 1_000_000

// The range's bounds: beyond them no float32 is between 0 and an end of it.
const minRange, maxRange = 1e-30, math.MaxFloat32

func tooMany(flights int) error {
	return fmt.Errorf("codedsgd: %d messages in a step, want at most %d", flights, maxFlights)
}

// affordable returns why no model can be exchanged by these options, which are within
// their domains: too many packets, or packets of too many terms. It counts, and
// enumerates nothing. (A model of L layers has L times the messages: see Run.)
func (o Options) affordable(n int) error {
	r := o.Redundancy
	a := &Assignment{n, r}
	if r == n { // nothing is sent
		return nil
	}
	if o.Literal {
		// C(μ,r) from the left, which cannot overflow before it is too many.
		for k, c, own := 1, 1, subsets(n-1, r-1); k <= r; k++ {
			if c = c * (own - k + 1) / k; c > maxLiteral {
				return fmt.Errorf("codedsgd: Algorithm 3 as printed makes more than %d packets of %d blocks by %d", maxLiteral, own, r)
			}
		}
	}
	if o.Method == CSSGD && !a.headerHolds(r) {
		return fmt.Errorf("codedsgd: %d terms of %d blocks are too many for a header", r, a.Blocks())
	}
	if t := o.Depth; o.Method == Compressed && t > 0 && (subsets(n, t) > maxFlights/n || subsets(n, t+1) > maxFlights) {
		return fmt.Errorf("codedsgd: sums of depth %d among %d nodes are too many to plan", t, n)
	}
	if flights := o.flights(a); flights > maxFlights && !o.Literal {
		return tooMany(flights)
	}
	return nil
}

// flights returns how many messages a layer is exchanged by, all nodes' together; not
// of a literal exchange, which affordable bounds by its combinations.
func (o Options) flights(a *Assignment) int {
	n, r := a.n, a.r
	switch o.Method {
	case CSSGD:
		return subsets(n, r+1) * (r + 1)
	case SSGDUnicast:
		return a.Blocks() * (n - r)
	case SSGDMulticast:
		return a.Blocks()
	}
	if r == n {
		return 0
	}
	// The terms of CompressedLoad, t packets to a slice, and n slices.
	t := o.Depth
	if t == 0 {
		t = BestDepth(n, r)
	}
	return subsets(n-r+t, t+1)*(t+1) + t*(r-t)*subsets(n-r+t-1, t) + n
}
