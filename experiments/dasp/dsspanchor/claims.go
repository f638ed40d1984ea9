package dsspanchor

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// benchRate is the speed that engine asm reaches on two cores with AVX-512 in training ResNet-18 at full width, in FLOP/s
// (BENCHMARKS.md, whose processor may be another). ResNet-110's layers are narrower and slower, so a time from it is a lower bound.
const benchRate = 420e9

// trainingCost returns what a training of 300 epochs costs in FLOP, three passes per image, and the
// least hours that it takes at benchRate.
func trainingCost() (flop, hours float64) {
	for _, l := range setup.FullSizeOf(ownModel).Layers {
		flop += l.ForwardFLOP + l.BackwardFLOP
	}
	flop *= epochs * epochImages
	return flop, flop / benchRate / 3600
}

// tableClaims gives X01–X12 as not run, with the reason, and with the ratio that timing gives.
func tableClaims(f clusterRuns) (out []result.Claim) {
	flop, hours := trainingCost()
	why := result.Because("dssp-not-trained", "flop", flop, "hours", math.Round(hours), "rate", benchRate/1e9, "epochs", epochs)
	for i, c := range f.list {
		if c.Stated == "" {
			continue
		}
		for _, id := range []string{c.Stated, after(c.Stated)} {
			out = append(out, claims.Verdict(id, claims.Found{Missing: []result.Reason{why}, Notes: []result.Reason{beside(id, c, f.over(i).Value, f.list[0])},
				Table: "I", Network: ownModel, Rival: c.Sync, Cluster: mixedPair}))
		}
	}
	return out
}

// after returns the id of the next row.
func after(id string) string {
	var n int
	if _, err := fmt.Sscanf(id, "X%d", &n); err != nil {
		panic("dasp: claim " + id)
	}
	return fmt.Sprintf("X%02d", n+1)
}

// beside compares the simulated ratio x with what claim id states.
func beside(id string, c contestant, x float64, bsp contestant) result.Reason {
	claim, _ := claims.Get(id)
	stated, reached := claim.Number()
	base, _ := claims.Get(bsp.Stated)
	if id != c.Stated {
		base, _ = claims.Get(after(bsp.Stated))
	}
	to, based := base.Number()
	switch {
	case !reached:
		return result.Because("dssp-pace-unreached", "ratio", x)
	case !based:
		return result.Because("dssp-pace-no-base", "ratio", x)
	}
	return result.Because("dssp-pace", "ratio", x, "stated", stated/to)
}

// homogeneousOrder judges X13, time of 300 epochs in the order BSP < SSP < DSSP < ASP, for both
// models. Each must exceed the one before by more than tie of n gradients, with its interval, so that
// a tie is against the order. SSP's times are means over s = 3, 6 and 15.
func homogeneousOrder(homo map[string]clusterRuns, s lengths) result.Claim {
	parts, orders, asp, seeds := []result.Part{}, []map[string]any{}, []float64{}, 0
	for _, m := range sixteenModels {
		list := fourMethods(homo[m])
		for i := range list[1:] {
			e := list[i+1].samples.Over(list[i].samples)
			part := kit.Part(e.Value, false, "model", m, "method", x13Keys[i+1], "rival", x13Keys[i])
			part.CI95, part.Samples = e.CI, e.Samples
			parts = append(parts, claims.Mark(part, claims.MoreThan(e.CI, 1+tie(s.Gradients))))
		}
		orders = append(orders, map[string]any{"model": m, "order": order(list, tie(s.Gradients))})
		asp, seeds = append(asp, homo[m].ratio("asp")), len(homo[m].runs[0])
	}
	words := result.Because("X13", "orders", orders)
	f := claims.OfParts(parts, seeds, &words)
	f.Cluster = sixteen
	f.Notes = []result.Reason{result.Because("X13-how", "gradients", int64(fullGradients), "tie", 100*tie(s.Gradients),
		"s", []int{3, 6, 15}, "asp", asp)}
	for _, code := range homogeneousDiffers {
		f.Differs = append(f.Differs, result.Because(code))
	}
	f.Differs[1].Args = map[string]any{"used": 10, "stated": 100}
	f.Differs[3].Args = map[string]any{"workers": 16}
	return claims.Verdict("X13", f)
}

// homogeneousDiffers lists in what the cluster of X13 differs from the paper's.
var homogeneousDiffers = []string{"X13-network", "X13-classes", "X13-server", "X13-workers", "X13-assumed"}

// fourMethods returns the times of X13's methods, in its order.
func fourMethods(f clusterRuns) []entrant {
	of := func(symbol string, keys ...string) entrant {
		e := entrant{symbol: symbol, samples: make(kit.Sample, len(f.runs[0]))}
		for _, key := range keys {
			times := f.times(f.at(key))
			e.seconds += times.Mean().Value / float64(len(keys))
			for i, x := range times {
				e.samples[i] += x / float64(len(keys))
			}
		}
		return e
	}
	return []entrant{of("BSP", "bsp"), of("SSP", "ssp-3", "ssp-6", "ssp-15"), of("DSSP", "dssp"), of("ASP", "asp")}
}

// x13Keys are the methods of fourMethods.
var x13Keys = []string{"bsp", "ssp", "dssp", "asp"}

// entrant is a method in an order by time.
type entrant struct {
	symbol  string
	seconds float64
	samples kit.Sample // of seconds, per seed, where they are judged
}

// order sorts by time, fastest first, and writes "=" between neighbours that differ by less than tie
// from the first of their group.
func order(list []entrant, tie float64) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b entrant) int { return cmp.Compare(a.seconds, b.seconds) })
	text, first := list[0].symbol, list[0].seconds
	for _, e := range list[1:] {
		if e.seconds <= first*(1+tie) {
			text += "=" + e.symbol
			continue
		}
		text, first = text+"<"+e.symbol, e.seconds
	}
	return text
}

// orderFacts compares the order of Table I's times with the simulated one.
func orderFacts(f clusterRuns, s lengths) []result.Fact {
	var simulated, stated []entrant
	for i, c := range f.list {
		if c.Stated != "" {
			simulated = append(simulated, entrant{symbol: c.Symbol, seconds: f.times(i).Mean().Value})
			stated = append(stated, entrant{symbol: c.Symbol, seconds: c.statedTime()})
		}
	}
	agree, ties, against := pairs(simulated, stated, tie(s.Gradients))
	return kit.Facts("pairs", agree+ties+against, "pairs.agree", agree, "pairs.against", against, "pairs.tied", ties,
		"order.stated", order(stated, 0), "order.pace", order(simulated, tie(s.Gradients)))
}

// pairs counts the pairs of methods that both lists order alike, that the first ties within the
// relative difference tie, and that they order otherwise.
func pairs(ours, theirs []entrant, tie float64) (agree, ties, against int) {
	for i := range ours {
		for j := range i {
			a, b := ours[i].seconds, ours[j].seconds
			switch {
			case math.Abs(a-b) <= tie*min(a, b):
				ties++
			case (a < b) == (theirs[i].seconds < theirs[j].seconds):
				agree++
			default:
				against++
			}
		}
	}
	return agree, ties, against
}
