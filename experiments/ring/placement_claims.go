package ring

import (
	"fmt"
	"math"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster/formula"
)

// faultsOfOptimality are what speaks against the ring's optimality on equal links.
func faultsOfOptimality(equal []trial) (out []string) {
	for _, t := range equal {
		bound := formula.RingBytes(t.Ranks, 4*float64(t.Elements))
		ring := t.Runs[0]
		if float64(ring.busiest()) >= bound+ragged {
			out = append(out, fmt.Sprintf("N = %d: the busiest rank of the ring sends %d bytes, the bound is %.0f", t.Ranks, ring.busiest(), bound))
		}
		for i, r := range rivals()[1:] {
			x := t.Runs[i+1]
			if x.busiest() <= ring.busiest()-ragged {
				out = append(out, fmt.Sprintf("N = %d: %s's busiest rank sends %d bytes, the ring's %d", t.Ranks, r.title, x.busiest(), ring.busiest()))
			}
			if x.Seconds < ring.Seconds/(1+claims.Tolerance("B19")) {
				out = append(out, fmt.Sprintf("N = %d: %s takes %.4g s, the ring %.4g s", t.Ranks, r.title, x.Seconds, ring.Seconds))
			}
		}
	}
	return out
}

// judgeOptimal judges B19.
func judgeOptimal(equal, sizes []trial) result.Claim {
	against := faultsOfOptimality(equal)
	found := fmt.Sprintf("no rival is better at %d sizes", len(equal))
	note := ""
	if len(against) > 0 {
		found, note = "a rival is better", against[0]+"; "
	}
	var beaten string
	for _, t := range sizes {
		if f := t.fastest(); f != 0 {
			beaten = fmt.Sprintf("with latency the ring loses up to %s on 40 GPUs of the blog's cluster, where the fastest, %s, takes %.3g ms and the ring %.3g ms", bytesOf(t.Elements), rivals()[f].title, 1e3*t.Runs[f].Seconds, 1e3*t.Runs[0].Seconds)
		}
	}
	if beaten == "" {
		beaten = "with latency the ring is the fastest of these at every size on the blog's cluster, too"
	}
	return holds("B19", len(against) == 0, 0, found, note+"on equal links without latency, against halving-doubling, a hierarchical ring and a single reducer; "+beaten)
}

// bytesOf spells the bytes of so many elements.
func bytesOf(elements int) string {
	b := 4 * float64(elements)
	for _, u := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if b >= u.size {
			return fmt.Sprintf("%.3g %s", b/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", b)
}

// judgeHops judges B11 and B12.
func judgeHops(within, between float64) []result.Claim {
	note := "a number that the blog gives and the platform takes over: what one transfer of 1.2 GB got in virtual time, %s; no link of the blog's was measured"
	return []result.Claim{taken("B11", within/1e9, fmt.Sprintf(note, "from GPU 0 to GPU 1 of one node")), taken("B12", between/1e9, fmt.Sprintf(note, "from GPU 0 to GPU 8, on the next node"))}
}

// placementClaim is B21's id, of which judgePlacement and the notes speak.
const placementClaim = "B21"

// contiguousWins reports whether every order that keeps nodes together is faster
// than every one that does not, and whether interleaving costs at least the
// tolerance.
func contiguousWins(orders []placed) (ok bool, slowest float64) {
	worstIn, bestOut, interleaved := 0.0, math.Inf(1), 0.0
	for i, o := range orders {
		switch {
		case o.Contiguous:
			worstIn = math.Max(worstIn, o.Seconds)
		default:
			bestOut = math.Min(bestOut, o.Seconds)
		}
		if i == 2 {
			interleaved = o.Seconds
		}
	}
	adjacent := orders[0].Seconds
	return worstIn < bestOut && interleaved >= (1+claims.Tolerance(placementClaim))*adjacent, interleaved / adjacent
}

func judgePlacement(orders []placed) result.Claim {
	ok, factor := contiguousWins(orders)
	best, worst := math.Inf(1), 0.0
	n := 0
	for _, o := range orders {
		if !o.Contiguous {
			n++
			best, worst = math.Min(best, o.Seconds), math.Max(worst, o.Seconds)
		}
	}
	return claims.Judge(placementClaim, claims.Evidence{Value: fmt.Sprintf("interleaved ×%.2f", factor), Holds: &ok,
		Note: fmt.Sprintf("one all-reduce of 1.2 GB takes %.0f ms with nodes together, %.0f to %.0f ms in %d other orders; a node's GPUs share its card of 6 GB/s, so that every further link of the ring that leaves the node takes a share of it. That a node has one network card for all its GPUs is assumed, the blog does not say", 1e3*orders[0].Seconds, 1e3*best, 1e3*worst, n)})
}
