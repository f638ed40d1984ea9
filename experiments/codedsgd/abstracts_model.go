package codedsgd

import (
	"math"

	"gradsync/papers/codedsgd"
)

// form is a reading of the time model of §3.2.4, in units of Tcalc: rho is
// Tcomm/Tcalc of the unicast baseline.
type form struct {
	Key   string `json:"key"`
	Short bool   `json:"short"` // Tcomm/r in place of (n−r)/((n−1)r)·Tcomm
	// Multicast sets the times beside SSGD that multicasts on the same medium, which
	// needs Tcomm/(n−1).
	Multicast bool `json:"multicast"`
}

var forms = []form{
	{"exact", false, false}, // by (19)
	{"short", true, false},  // 1/r, as printed
	{"multicast", false, true},
}

// batch is T_CSSGD/Tcalc.
func (f form) batch(n, r int, rho float64) float64 {
	if f.Short {
		return float64(r) + rho/float64(r)
	}
	return float64(r) + rho*float64(n-r)/float64((n-1)*r)
}

// saving is what the best redundancy saves of SSGD's time per batch, a share; less
// than 0 where it takes longer.
func (f form) saving(n int, rho float64) float64 {
	least := math.Inf(1)
	for r := 1; r <= n; r++ {
		least = min(least, f.batch(n, r, rho))
	}
	ssgd := 1 + rho
	if f.Multicast {
		ssgd = 1 + rho/float64(n-1)
	}
	return 1 - least/ssgd
}

// law is how Tcomm/Tcalc changes with the nodes. The paper gives it for none but,
// by its best redundancies, for 8.
type law struct {
	Key   string
	Title string
	of    func(n int) float64
}

// The laws, fixed before the first run: what each node computes in a batch does not
// depend on n (§3.1: equal amounts of data), so Tcomm alone changes.
var laws = []law{
	{"constant", "the same at every n", func(int) float64 { return 1 }},
	{"links", "∝ (n−1)/n: equally many gradients, links work at once", func(n int) float64 { return float64(n-1) / float64(n) }},
	{"medium", "∝ n−1: equally many gradients, one medium", func(n int) float64 { return float64(n - 1) }},
	{"whole", "∝ n(n−1): one gradient per node, one medium", func(n int) float64 { return float64(n * (n - 1)) }},
	{"ours", "∝ Q(n)·(n−1)/n: our micro-blocks and links", func(n int) float64 { return float64(microBlocks(n, redundancies...)*(n-1)) / float64(n) }},
}

// anchor is the number of nodes of Figures 12 and 13.
const anchor = 8

// at is Tcomm/Tcalc on n nodes if it is rho on the anchor's.
func (l law) at(n int, rho float64) float64 { return rho * l.of(n) / l.of(anchor) }

// counts are sets of node counts that the means of §3.2.5 may be over.
type counts struct {
	Key   string `json:"key"`
	Nodes []int  `json:"nodes"`
}

var nodeCounts = []counts{
	{"eight", []int{8}},
	{"all", []int{2, 3, 4, 5, 6, 7, 8, 9, 10}},
	{"even", []int{2, 4, 6, 8, 10}},
}

// mean is the mean saving over node counts.
func (f form) mean(l law, c counts, rho float64) float64 {
	sum := 0.0
	for _, n := range c.Nodes {
		sum += f.saving(n, l.at(n, rho))
	}
	return sum / float64(len(c.Nodes))
}

// ratios are between which Tcomm/Tcalc r is the best redundancy on the anchor's nodes.
func (f form) ratios(r int) (lo, hi float64) {
	a, b := codedsgd.RhoRange(anchor, r, f.Short)
	lo, _ = a.Float64()
	hi, _ = b.Float64()
	return lo, hi
}

// savingSteps divide a range of ratios where the saving is sought that need not grow
// with the ratio.
const savingSteps = 400

// span is the least and the most mean saving over all ratios at which r is best.
func (f form) span(r int, l law, c counts) (lo, hi float64) {
	from, to := f.ratios(r)
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := 0; i <= savingSteps; i++ {
		s := f.mean(l, c, from+(to-from)*float64(i)/savingSteps)
		lo, hi = min(lo, s), max(hi, s)
	}
	return lo, hi
}

// needed is the ratio at 8 nodes that gives a mean saving, NaN if none to 1,000 does.
// Not for the multicast form, in which the saving does not grow with the ratio.
func (f form) needed(l law, c counts, saving float64) float64 {
	lo, hi := 0.0, 1000.0
	if f.Multicast || f.mean(l, c, hi) < saving {
		return math.NaN()
	}
	for range 60 {
		if mid := (lo + hi) / 2; f.mean(l, c, mid) < saving {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
