package codedsgd

import (
	"math/big"
	"slices"
)

// Step is one statement of the proof of §2.4, or one that it rests on, as a check.
//
// Source: §2.4
type Step struct {
	Number string // the paper's: "(24)", "Alg. 3", "§2.2"
	Says   string
	// Printed is the form in the paper, Corrected the one that holds; "" where the
	// printed one does.
	Printed, Corrected string
	// sides counts left sides in e, and computes right ones for n and r: e's own, unless
	// a test asks whether a wrong formula would be noticed.
	sides func(e *Enumeration, n, r int) sides
}

// Side is one equation of a step at one (n, r): left counted, right computed.
//
// Source: §2.4
type Side struct {
	What        string
	Left, Right *big.Rat
	// Printed is what stands on the right in the paper; nil where that is Right, or
	// says nothing at this (n, r).
	Printed *big.Rat
}

// Sides evaluates a step: Left and Right of every side are equal, or the step is wrong.
//
// Source: §2.4
func (s *Step) Sides(e *Enumeration) []Side { return s.sides(e, e.n, e.r) }

// Proof lists the steps by their numbers.
//
// Source: §2.4
func Proof() []Step {
	const ratioForm = "(n−r)/((n−1)·r)"
	return []Step{
		{"§2.2", "coding reduces data to 1/n of the naive method in general", "1/n, 2 ≤ r < n", ratioForm + ", about 1/r", reducedToOneNth},
		{"Alg. 3", "packets of the loop over C(μ,r) combinations, 2 ≤ r", "every combination with a target", "r+1 in each group of r+1 nodes: C(n,r+1)·(r+1)", loopPackets},
		{"Alg. 3, r = 1", "packets of the loop without redundancy", "n multicasts to n−1 nodes", "n·(n−1) packets, as (28) counts", loopAlone},
		{"Alg. 4", "a receiver lacks one term of a packet", "1", "", oneUnknown},
		{"(16)", "segments that a missing gradient is put together from", "M⁰ … Mʳ: r+1", "M⁰ … Mʳ⁻¹: r", segmentsArrive},
		{"(19)", "coded load over per-block load", "C(n,r+1)(r+1)/r / ((n−1)C(n,r)) = " + ratioForm, "", loadRatio},
		{"(20)", "blocks that a node has", "r·C(n,r)/n = C(n−1,r−1)", "", blocksHave},
		{"(21)", "blocks that a node lacks", "C(n,r) − r·C(n,r)/n", "", blocksLeft},
		{"(22)", "𝒟 of a node are the blocks sent to it", "by definition; all 𝒟 together: r·C(n,r)", "", blocksSent},
		{"(23)", "any r nodes have one block in common", "1", "", commonOfR},
		{"(24)", "what r+1 nodes have in common", "the intersection of their 𝒟 has r+1 blocks", "it is empty; r+1 blocks have all their holders among them", commonOfMore},
		{"(25)", "blocks that a group exchanges", "the intersection of r+1 sets", "the r+1 blocks that all of the group but one hold", blocksExchanged},
		{"(26)", "blocks that a member sends in a group", "the intersection of r sets: 1", "r blocks: those of the group that it holds", blocksSentBy},
		{"§2.4", "groups that contain all holders of a block", "only one", "n−r; one for each node that lacks it", groupsOfBlock},
		{"(27)", "gradients that a node gets", "r·(1/r)·C(n−1,r) = C(n,r)(n−r)/n = D_left", "", gradientsGot},
		{"(28)", "load of coded packets, a multicast once", "C(n,r+1)·(r+1)/r", "", codedLoad},
		{"(29)", "load of the same blocks uncoded, per receiver", "n·D_left = (n−r)·C(n,r)", "", uncodedLoad},
		{"(30)", "load without redundancy, per receiver", "(n−1)·C(n,r)", "", normalLoad},
	}
}

// sides collects.
type sides []Side

func (s *sides) add(what string, left int, right *big.Rat) {
	*s = append(*s, Side{What: what, Left: whole(left), Right: right})
}

// all adds counts that should be one number: that number, or the least and the most of
// them where they are not; nothing where there are none.
func (s *sides) all(what string, counts []int, right, printed *big.Rat) {
	if len(counts) == 0 {
		return
	}
	least, most := slices.Min(counts), slices.Max(counts)
	if least < most {
		*s = append(*s, Side{what + ", least", whole(least), right, printed})
		what += ", most"
	}
	*s = append(*s, Side{what, whole(most), right, printed})
}
