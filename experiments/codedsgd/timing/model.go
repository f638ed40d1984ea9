package timing

import (
	"slices"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit"
	"gradsync/papers/codedsgd"
)

// Form is a form of the time model of §3.2.4, in units of Tcalc: rho is Tcomm/Tcalc of the
// unicast baseline.
type Form struct {
	Key   string `json:"key"`
	Short bool   `json:"short"` // Tcomm/r in place of (n−r)/((n−1)r)·Tcomm
	// Multicast sets the times beside SSGD that multicasts on the same medium, which
	// needs Tcomm/(n−1).
	Multicast bool `json:"multicast"`
}

// The forms of the time model.
var (
	Exact  = Form{Key: "exact"}                      // by (19)
	Short  = Form{Key: "short", Short: true}         // with 1/r, as printed
	Beside = Form{Key: "multicast", Multicast: true} // by (19), beside SSGD that multicasts
)

// Forms lists all three.
var Forms = []Form{Exact, Short, Beside}

// Batch returns T_CSSGD/Tcalc.
func (f Form) Batch(n, r int, rho float64) float64 {
	if f.Short {
		return float64(r) + rho/float64(r)
	}
	return float64(r) + rho*float64(n-r)/float64((n-1)*r)
}

// Best returns the best redundancy of n nodes, of equal ones the smallest.
func (f Form) Best(n int, rho float64) int {
	var t []float64
	for r := 1; r <= n; r++ {
		t = append(t, f.Batch(n, r, rho))
	}
	return BestOf(t)
}

// Saving returns which share of SSGD's time per batch the best redundancy saves; less than
// 0 where it takes longer.
func (f Form) Saving(n int, rho float64) float64 { return f.SavingAt(n, rho, setup.Choices(n)) }

// SavingAt returns which share the best of some redundancies saves; of equal ones the first.
func (f Form) SavingAt(n int, rho float64, rs []int) float64 {
	times := kit.Map(rs, func(r int) float64 { return f.Batch(n, r, rho) })
	least := slices.Min(times)
	ssgd := 1 + rho
	if f.Multicast {
		ssgd = 1 + rho/float64(n-1)
	}
	return 1 - least/ssgd
}

// Law says how Tcomm/Tcalc changes with the nodes. The paper gives the ratio at 8 alone, by
// its best redundancies.
type Law struct {
	Key string
	of  func(n int) float64
}

// Laws were fixed before the first run: each node's work in a batch does not depend on n
// (§3.1: equal amounts of data), so Tcomm alone changes.
var Laws = []Law{
	{"constant", func(int) float64 { return 1 }},                                    // the same at every n
	{"links", func(n int) float64 { return float64(n-1) / float64(n) }},             // equally many gradients, links work at once
	{"medium", func(n int) float64 { return float64(n - 1) }},                       // equally many gradients, one medium
	{"whole", func(n int) float64 { return float64(n * (n - 1)) }},                  // one gradient per node, one medium
	{"ours", func(n int) float64 { return float64(setup.Q(n)*(n-1)) / float64(n) }}, // our micro-blocks and links
}

// At returns Tcomm/Tcalc on n nodes if it is rho on the anchor's.
func (l Law) At(n int, rho float64) float64 { return rho * l.of(n) / l.of(setup.Anchor) }

// Ratios returns between which Tcomm/Tcalc r is the best redundancy on the anchor's nodes.
func (f Form) Ratios(r int) (lo, hi float64) {
	a, b := codedsgd.RhoRange(setup.Anchor, r, f.Short)
	lo, _ = a.Float64()
	hi, _ = b.Float64()
	return lo, hi
}

// BestOf returns the r with the least time, of equal ones the smallest.
func BestOf(seconds []float64) int {
	best := 0
	for i, s := range seconds {
		if s < seconds[best] {
			best = i
		}
	}
	return best + 1
}
