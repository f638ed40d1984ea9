package codedsgd

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
)

func quantisationNotes(studies []precisionStudy, m mapped, d decoded, costs []codingCost) []string {
	var notes []string
	for i := range studies {
		notes = append(notes, effectNote(&studies[i]))
	}
	for i := range studies {
		notes = append(notes, blockNote(&studies[i]))
	}
	for i := range studies {
		notes = append(notes, coarseNote(&studies[i]))
	}
	narrow, wide := wrappedSum(6)
	notes = append(notes, clipNote(studies),
		fmt.Sprintf("Of %d random packets %d were decoded wrongly, though in %d a sum left int32's range: wrapping takes back what it lost. Arithmetic that stops at the ends would decode %d wrongly, float32 %d.", d.Packets, d.Errors, d.Wrapped, d.Saturating, d.Float32),
		fmt.Sprintf("The final sum (17) is not undone by anything and must be wider: six blocks of 2.0 give %s in int32 and %s in int64.", signed(narrow), signed(wide)),
		fmt.Sprintf("[−10, 10] maps to 0x%08X and 0x%08X in steps of %.3g; the largest error of %d numbers is %.3g.", uint32(m.Bottom), uint32(m.Top), m.Step, m.Values, m.Worst*m.Step/2))
	return append(notes, codingNote(costs))
}

func effectNote(s *precisionStudy) string {
	return fmt.Sprintf("%s, the paper's outlook (§4): after %d updates int32 on ±10 ends with a loss %s, and parameters %.2g %% off, relative to the way they went. %s",
		s.Plan.Net.Title, s.Plan.Updates, gapText(s, inPaper), 100*s.distance(inPaper), causeText(s))
}

// gapText is an arithmetic's loss beside float32's.
func gapText(s *precisionStudy, kind int) string {
	m, half := exp.MeanAndHalf(s.lossGap(kind))
	text := signed(m) + " beside float32's"
	switch {
	case math.IsNaN(half):
		return text + " (one seed: no interval)"
	case s.changes(kind):
		return text + fmt.Sprintf(" (95 %% ±%.2g: another loss)", half)
	}
	return text + fmt.Sprintf(" (95 %% ±%.2g: %s)", half, unseenText(s, kind))
}

// unseenText says what a seed-to-seed spread leaves open where no other loss is shown.
func unseenText(s *precisionStudy, kind int) string {
	m, half := exp.MeanAndHalf(s.lossGap(kind))
	if math.Abs(m) > half {
		return "a difference, below the 1 % of the loss that counts as one"
	}
	return fmt.Sprintf("no difference shown; one below about %.2g would not be seen", half)
}

// signed spells a difference.
func signed(x float64) string { return strings.Replace(fmt.Sprintf("%+.2g", x), "-", "−", 1) }

// causeText says what moved the parameters: the steps, or the range.
func causeText(s *precisionStudy) string {
	order := fmt.Sprintf("the order of summation alone puts them %.2g %% off", 100*s.order())
	clips := s.saturated(inPaper)
	switch {
	case !s.moves(inPaper) && clips == 0:
		return "No element is clipped, and " + order + ": nothing that quantisation does can be told from that."
	case !s.moves(inPaper):
		return fmt.Sprintf("%.2g %% of the elements are clipped, and %s: nothing that quantisation does can be told from that.", 100*clips, order)
	case clips == 0:
		return "No element is clipped, but " + order + ": the steps lead elsewhere."
	}
	return fmt.Sprintf("That is the range, not the steps: %.2g %% of the elements are clipped, and with steps %d times as coarse on ±%g, where %.2g %% are, they end %.2g %% off; %s.",
		100*clips, 1<<(32-fineBits), s.Kinds[inFine].Range, 100*s.saturated(inFine), 100*s.distance(inFine), order)
}

// blockNote is what larger blocks do on ±10.
func blockNote(s *precisionStudy) string {
	p := s.Plan
	part := func(kind int) string {
		return fmt.Sprintf("%d blocks of %.4g images: %.2g %% clipped, %.2g %% off, loss %s", s.Kinds[kind].blocksOf(p.Nodes), float64(p.Net.batch(p.Nodes))/float64(s.Kinds[kind].blocksOf(p.Nodes)), 100*s.saturated(kind), 100*s.distance(kind), signed(meanOf(s.lossGap(kind))))
	}
	return fmt.Sprintf("%s on ±10 by the size of a block: %s; %s; %s.", p.Net.Title, part(inPaper), part(inPaperNodes), strings.Replace(part(inPaperOne), "1 blocks", "1 block", 1))
}

// coarseNote is what steps of fewer bits do where nothing is clipped.
func coarseNote(s *precisionStudy) string {
	var same, moved, changed []string
	for i, a := range s.Kinds {
		if a.Range <= paperRange || a.Blocks != 0 {
			continue
		}
		name := strings.TrimPrefix(a.Title, "steps of ")
		if s.moves(i) {
			moved = append(moved, fmt.Sprintf("%s (%.2g %%)", name, 100*s.distance(i)))
		} else {
			same = append(same, name)
		}
		if s.changes(i) {
			changed = append(changed, name)
		}
	}
	text := s.Plan.Net.Title + ", coarser steps without clipping: parameters go elsewhere with " + orNone(moved) + ", not with " + orNone(same)
	if len(s.Learnt[0]) < 2 {
		return text + "; of one seed nothing is said of the loss."
	}
	return text + "; another loss than float32's is shown with " + orNone(changed) + unseenBelow(s)
}

// unseenBelow is the smallest difference in loss that the seeds would show, over the
// coarser steps.
func unseenBelow(s *precisionStudy) string {
	least, most := math.Inf(1), 0.0
	for i, a := range s.Kinds {
		if a.Range > paperRange && a.Blocks == 0 {
			_, half := exp.MeanAndHalf(s.lossGap(i))
			least, most = min(least, half), max(most, half)
		}
	}
	return fmt.Sprintf(" (differences below about %.2g to %.2g, by the steps, would not be seen).", least, most)
}

func orNone(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func clipNote(studies []precisionStudy) string {
	var parts []string
	for i := range studies {
		s := &studies[i]
		first := 0
		for k, x := range s.Largest {
			if x > paperRange && first == 0 {
				first = s.Plan.Sums[k]
			}
		}
		last := len(s.Largest) - 1
		text := fmt.Sprintf("%s: of %d images the largest element is %.3g", s.Plan.Net.Title, s.Plan.Sums[last], s.Largest[last])
		if first > 0 {
			text += fmt.Sprintf(", and blocks of %d are the first shown that ±10 clips", first)
		} else {
			text += ", inside ±10"
		}
		text += fmt.Sprintf("; in the first updates %.2g %% of the elements of micro-blocks and %.2g %% of one block's are outside ±1", 100*s.Clipped[0][1], 100*s.Clipped[len(s.Clipped)-1][1])
		parts = append(parts, text)
	}
	return "A block's gradient is a sum over its images, so larger blocks saturate (" + strings.Join(parts, ". ") + "). Micro-blocks keep it small; the paper says nothing of it."
}

func codingNote(costs []codingCost) string {
	most, least, need, mostR := 0.0, 1e9, 0.0, 0.0
	for _, c := range costs {
		if !c.Whole {
			most, least, need = max(most, c.share()), min(least, c.share()), max(need, c.needed())
			mostR = max(mostR, c.Parts.code()/c.Parts.all())
		}
	}
	codeLeast, codeMost := codeRange(costs, codingRate, codingRate)
	fastLeast, slowMost := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	return fmt.Sprintf("\"Encoding does not affect the speed of computing\" (§2.2): encoding and decoding alone take %.0f to %.0f %% of the time that a node computes at %g GB/s, an assumption, in the paper's message model at 8 nodes; at what kernels of today reach on memory that copies %g GB/s, %.1f to %.1f %%. The criterion counts quantising and summing too (SSGD with the same int32 and no code sums as much and quantises 1/r as much): %.0f to %.0f %% together at %g GB/s, of which the code is at most %.0f %%; to stay within %.0f %% everywhere they must run at %.0f GB/s.",
		100*codeLeast, 100*codeMost, codingRate/1e9, copyRate/1e9, 100*fastLeast, 100*slowMost, 100*least, 100*most, codingRate/1e9, 100*mostR, 100*codingLimit, need/1e9)
}
