//gradsync:pure

package codedsgd

import (
	"fmt"
	"math"
	"slices"
)

// Methods that Run can exchange gradients by.
//
//   - cssgd: Algorithm 3's coded packets, multicast to r nodes at once.
//   - ssgd-unicast, ssgd-multicast: every block's gradient to every node that lacks
//     it, sent by its first holder, one copy per receiver or one multicast. With
//     Redundancy 1 and MicroBlocks 0 that is ordinary SSGD, whose nodes send one
//     summed gradient each.
//   - compressed: sum, then code: a reduce-scatter of slices by coded packets of
//     sums, then an all-gather.
//
// Source: §3.2.2
const (
	CSSGD         = "cssgd"
	SSGDUnicast   = "ssgd-unicast"
	SSGDMulticast = "ssgd-multicast"
	Compressed    = "compressed"
)

// Methods lists what Options.Method may be.
//
// Source: ours: the paper's rivals, and the remedy its reference [14] names
func Methods() []string { return []string{CSSGD, SSGDUnicast, SSGDMulticast, Compressed} }

// Ways to split a gradient matrix into segments.
//
// Source: Fig. 3
const (
	Rows    = "rows"
	Columns = "columns"
)

// Options of an exchange. The zero value of a field is the first that its comment
// names.
//
// Source: Alg. 3
type Options struct {
	Method     string `json:"method,omitempty"` // "cssgd"; one of Methods
	Redundancy int    `json:"redundancy"`       // r, 1 ≤ r ≤ n; 0: 1
	// MicroBlocks is Q, in how many micro-blocks a batch is cut for all redundancies
	// that are compared, a multiple of C(n,r): the gradient of each travels by itself.
	// 0: C(n,r), one whole gradient per block.
	MicroBlocks int    `json:"micro_blocks,omitempty"`
	Split       string `json:"split,omitempty"`   // "rows"; "columns"
	Literal     bool   `json:"literal,omitempty"` // cssgd: the loop of Algorithm 3 as printed
	// Depth is how many common holders the blocks have that compressed sums before it
	// codes, 1 ≤ t ≤ r; 0: the t with the least load.
	Depth int `json:"depth,omitempty"`
	// Speeds cut a batch into blocks whose sizes give nodes samples in proportion;
	// nil: equal blocks.
	Speeds []float64 `json:"speeds,omitempty"`
	// Range is the gradient that int32's largest number stands for, from 1e-30 to the
	// largest float32; 0: 10. For compressed the number must hold sums of all micro-blocks:
	// the range is then that times the least power of two not below their number.
	Range float64 `json:"range,omitempty"`

	// Rounds computes and sends micro-block by micro-block: the first of every own block, then
	// the second of every one, each in packets of its own, which leave as soon as that round
	// has what they need. Else a packet has its segments of all micro-blocks side by side.
	Rounds bool `json:"rounds,omitempty"`

	NoOverlap bool `json:"no_overlap,omitempty"` // exchange when all gradients are there
	// Charge lets quantising, encoding and decoding pass on the run's clock at Rate, in
	// bytes of int32 terms per second, as if a copy engine did them; real runs spend them.
	Charge bool    `json:"charge,omitempty"`
	Rate   float64 `json:"rate,omitempty"`
}

// Check returns why a run on the given number of nodes cannot have these options, nil if it
// can with a model of one layer: more layers have more messages, which Run bounds.
//
// Source: ours: a run that cannot be made is better refused before it begins
func (o Options) Check(nodes int) error {
	_, err := o.withDefaults(nodes)
	return err
}

// withDefaults fills in zero fields, or says what is out of its domain for n nodes.
func (o Options) withDefaults(n int) (Options, error) {
	if o.Method == "" {
		o.Method = CSSGD
	}
	if o.Redundancy == 0 {
		o.Redundancy = 1
	}
	if o.Split == "" {
		o.Split = Rows
	}
	if o.Range == 0 {
		o.Range = 10
	}
	switch r := o.Redundancy; {
	case !slices.Contains(Methods(), o.Method):
		return o, fmt.Errorf("codedsgd: no method %q: known are %v", o.Method, Methods())
	case r < 1 || r > n:
		return o, fmt.Errorf("codedsgd: redundancy %d, want 1 to the number of nodes, %d", r, n)
	case o.Split != Rows && o.Split != Columns:
		return o, fmt.Errorf("codedsgd: split by %q, want %s or %s", o.Split, Rows, Columns)
	case o.Literal && o.Method != CSSGD:
		return o, fmt.Errorf("codedsgd: Algorithm 3 as printed is of %s, not of %s", CSSGD, o.Method)
	case o.Depth != 0 && (o.Method != Compressed || o.Depth < 0 || o.Depth > r):
		return o, fmt.Errorf("codedsgd: depth %d is of %s, from 1 to the redundancy, %d", o.Depth, Compressed, r)
	case o.Rounds && (o.Literal || o.Method == Compressed):
		return o, fmt.Errorf("codedsgd: rounds of micro-blocks are of packets and whole gradients, not of %s (as printed: %v)", o.Method, o.Literal)
	case o.Speeds != nil && len(o.Speeds) != n:
		return o, fmt.Errorf("codedsgd: %d speeds for %d nodes", len(o.Speeds), n)
	case !(o.Range >= minRange && o.Range <= maxRange):
		return o, fmt.Errorf("codedsgd: range %g, want %g to %g", o.Range, minRange, maxRange)
	case o.Charge && !(o.Rate > 0):
		return o, fmt.Errorf("codedsgd: coding is charged at %g bytes/s, want more than 0", o.Rate)
	}
	for i, v := range o.Speeds {
		if !(v > 0) || math.IsInf(v, 0) {
			return o, fmt.Errorf("codedsgd: speed %g of node %d, want more than 0", v, i)
		}
	}
	if n > MaxNodes {
		return o, fmt.Errorf("codedsgd: %d nodes are too many, want at most %d", n, MaxNodes)
	}
	switch blocks := subsets(n, o.Redundancy); {
	case blocks > maxBlocks:
		return o, fmt.Errorf("codedsgd: %d nodes at redundancy %d have %d blocks, want at most %d", n, o.Redundancy, blocks, maxBlocks)
	case o.MicroBlocks < 0 || o.MicroBlocks%blocks != 0:
		return o, fmt.Errorf("codedsgd: %d micro-blocks, want a multiple of the %d blocks", o.MicroBlocks, blocks)
	case o.MicroBlocks > maxBlocks:
		return o, fmt.Errorf("codedsgd: %d micro-blocks, want at most %d", o.MicroBlocks, maxBlocks)
	}
	return o, o.affordable(n)
}

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
