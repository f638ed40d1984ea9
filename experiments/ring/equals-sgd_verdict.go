package ring

import (
	"fmt"
	"math"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// likeness is how one run of N workers compares with one worker.
type likeness struct {
	Net     equalsNet
	How     string // ring, naive, or otherBatch
	Workers int
	Seed    uint64
	// SameBits: the parameters are, bit for bit, those of one worker that computes
	// the same pieces of the batch and sums them in the exchange's order.
	SameBits bool
	// Distance by step: ‖w_N − w_1‖ / ‖w_1 − w_0‖ against one pass over the batch.
	Distance []float64
	Largest  float64 // |w_N − w_1| of one parameter, at the end
}

func (l likeness) last() float64 { return l.Distance[len(l.Distance)-1] }

// judgeEquals judges B22 by the networks without batch norm.
func judgeEquals(found []likeness, exact []exactRow, seeds int) result.Claim {
	bits, worst, exactly := true, 0.0, true
	for _, l := range found {
		if l.Net.Norms || l.How == otherBatch {
			continue
		}
		bits = bits && l.SameBits
		for _, d := range l.Distance {
			worst = math.Max(worst, d)
		}
	}
	for _, x := range exact {
		exactly = exactly && x.Same
	}
	value := "equal"
	if !(bits && exactly && worst <= claims.Tolerance("B22")) {
		value = "not equal"
	}
	note := fmt.Sprintf("same bits as one worker that sums the same pieces in the same order: %t; same bits as one pass where all sums are exact: %t; against one pass over the whole batch the distance is at most %s of the way that training went, the bound was %s; networks without batch norm", bits, exactly, small(worst), small(claims.Tolerance("B22")))
	return claims.Judge("B22", claims.Evidence{Value: value, Seeds: seeds, Note: note})
}

func equalsNotes(found []likeness, exact []exactRow) []string {
	worst, norms, control, apart, bits := 0.0, math.Inf(1), math.Inf(1), math.Inf(1), 0
	total := 0
	for _, l := range found {
		switch {
		case l.How == otherBatch:
			if l.Net.Norms {
				apart = math.Min(apart, l.last())
			} else {
				control = math.Min(control, l.last())
			}
		case l.Net.Norms:
			norms = math.Min(norms, l.last())
		default:
			worst = math.Max(worst, l.last())
		}
		if l.How != otherBatch {
			total++
			if l.SameBits {
				bits++
			}
		}
	}
	same := 0
	for _, x := range exact {
		if x.Same {
			same++
		}
	}
	notes := []string{
		fmt.Sprintf("%d of %d runs of N workers end with the very bits of one worker that goes through the same pieces of the batch and sums them in the ring's, or the reducer's, order. So the exchange itself changes nothing.", bits, total),
		fmt.Sprintf("Against one worker that takes the whole batch in one pass, only the order of the additions differs. Without batch norm that moves the parameters by at most %s of the way they have gone since the start; training on other images moves them by at least %.2g of it.", small(worst), control),
		fmt.Sprintf("Where every sum is exact in float32 there is no order to differ in: %d of %d such runs have the bits of the single pass.", same, len(exact)),
	}
	if !math.IsInf(norms, 1) {
		notes = append(notes, fmt.Sprintf("With batch norm the claim does not hold and cannot: each worker normalises by the mean of its own images. The narrow ResNet-18 ends at least %.2g of its way apart from the single worker, where training on other images ends %.2g apart. The blog does not say so.", norms, apart))
	}
	return notes
}
