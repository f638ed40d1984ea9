package cli

import (
	"context"
	"math/big"
	"slices"

	"gradsync/papers/codedsgd"
)

// walkNodes is up to how many nodes the printed loop is walked packet by packet.
const walkNodes = 7

// walked is what the printed loop sends: its packets, and how often each segment comes
// to each node that lacks it.
type walked struct {
	codedsgd.LoopCount
	times []int64
}

// walkLoop walks the loop of every node.
func walkLoop(n, r int) (w walked, err error) {
	a, err := codedsgd.Assign(n, r)
	if err != nil {
		return w, err
	}
	at := func(t codedsgd.Term, node int) int { return (t.Block*r+t.Position)*n + node }
	times := make([]int64, a.Blocks()*r*n)
	for i := range n {
		a.Literal(i, func(p codedsgd.Packet) bool {
			w.Combinations++
			w.Deliveries += int64(len(p.To))
			if len(p.To) > 0 {
				w.Packets++
			}
			for _, k := range p.To {
				for _, t := range p.Terms {
					if !a.Holds(k, t.Block) {
						times[at(t, k)]++
					}
				}
			}
			return true
		})
	}
	for q := range a.Blocks() {
		for j := range r {
			for k := range n {
				if !a.Holds(k, q) {
					w.times = append(w.times, times[at(codedsgd.Term{Block: q, Position: j}, k)])
				}
			}
		}
	}
	return w, nil
}

func loopAmounts(c codedsgd.LoopCount) []amount {
	return []amount{{what: "combinations", value: whole(c.Combinations)}, {what: "packets", value: whole(c.Packets)}, {what: "receptions", value: whole(c.Deliveries)}}
}

// loopBySets is the loop as the package counts it.
func loopBySets(_ context.Context, n, r int) ([]amount, error) {
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		return nil, err
	}
	c, _ := e.Loop() // none is too long: a loop that is not counted would be of 0 combinations
	return loopAmounts(c), nil
}

// loopWalked is the loop as the package sends it.
func loopWalked(_ context.Context, n, r int) ([]amount, error) {
	w, err := walkLoop(n, r)
	return loopAmounts(w.LoopCount), err
}

const onAverage, seldomest, oftenest = "times on average", "times, of the segment that comes least", "times, of the segment that comes most"

// loopBrings counts how often a segment comes to a node that lacks it.
func loopBrings(_ context.Context, n, r int) (out []amount, err error) {
	if r == n {
		return nil, nil
	}
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		return nil, err
	}
	if c, ok := e.Loop(); ok {
		out = append(out, amount{what: onAverage, value: big.NewRat(c.Deliveries, int64(e.Counts().Deliveries))})
	}
	if n <= walkNodes {
		w, err := walkLoop(n, r)
		if err != nil {
			return nil, err
		}
		out = append(out, amount{what: seldomest, value: whole(slices.Min(w.times))}, amount{what: oftenest, value: whole(slices.Max(w.times))})
	}
	return out, nil
}

// loopRepeats is the closed form of each of them.
func loopRepeats(_ context.Context, n, r int) (out []amount, err error) {
	if r == n {
		return nil, nil
	}
	times := new(big.Rat).SetInt(codedsgd.LoopRepeats(n, r))
	if codedsgd.LoopCombinations(n, r).Cmp(big.NewInt(codedsgd.LoopLimit)) <= 0 {
		out = append(out, amount{what: onAverage, value: times})
	}
	if n <= walkNodes {
		out = append(out, amount{what: seldomest, value: times}, amount{what: oftenest, value: times})
	}
	return out, nil
}
