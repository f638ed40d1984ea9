package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/tensor/model"
)

// benchRate is what engine asm reaches on two cores in training ResNet-18 at
// full width, FLOP/s (BENCHMARKS.md). ResNet-110's layers are narrower and
// slower, so that a time from it is a lower bound.
const benchRate = 256e9

// trainingCost is one training of 300 epochs in FLOP, three passes per image, and
// the least hours that it takes at benchRate.
func trainingCost() (flop, hours float64) {
	m, err := model.New(anchorModel)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	for _, l := range m.Layers() {
		flop += l.ForwardFLOP + l.BackwardFLOP
	}
	flop *= epochs * epochImages
	return flop, flop / benchRate / 3600
}

// anchorClaims are X01–X12: not run, with the reason and what timing gives.
func anchorClaims(f field) (out []result.Claim) {
	flop, hours := trainingCost()
	why := fmt.Sprintf("time to accuracy needs 300 epochs of ResNet-110 on CIFAR-100: %.3g FLOP per method and seed, at least %.0f hours on two cores at the %.0f GFLOP/s "+
		"that engine asm reaches on ResNet-18 (BENCHMARKS.md), and CIFAR-100 is not among the data sets", flop, hours, benchRate/1e9)
	for i, c := range f.list {
		if c.Stated == "" {
			continue
		}
		x, _ := ratio(f.times(i), f.times(0))
		for _, id := range []string{c.Stated, after(c.Stated)} {
			out = append(out, claims.Judge(id, claims.Evidence{NotRun: why, Note: beside(id, c, x, f.list[0])}))
		}
	}
	return out
}

// after is the id of the next row.
func after(id string) string {
	var n int
	if _, err := fmt.Sscanf(id, "X%d", &n); err != nil {
		panic("dasp: claim " + id)
	}
	return fmt.Sprintf("X%02d", n+1)
}

// beside sets the simulated ratio beside what claim id states.
func beside(id string, c contestant, x float64, bsp contestant) string {
	pace := fmt.Sprintf("timing alone: the same number of gradients takes %.3f of BSP's time", x)
	claim, _ := claims.Get(id)
	stated, reached := claim.Number()
	base, _ := claims.Get(bsp.Stated)
	if id != c.Stated {
		base, _ = claims.Get(after(bsp.Stated))
	}
	to, based := base.Number()
	switch {
	case !reached:
		return pace + "; stated: not reached"
	case !based:
		return pace + "; stated: BSP does not reach this accuracy, so there is no ratio"
	}
	return fmt.Sprintf("%s; stated: %.3f", pace, stated/to)
}

// homogeneousOrder judges X13, time of 300 epochs in the order BSP < SSP < DSSP <
// ASP, for both models: each step by more than tie of n gradients, SSP's time the
// mean over s = 3, 6 and 15, all times means over seeds.
func homogeneousOrder(homo map[string]field, s anchorSize) result.Claim {
	ok, found, asp, seeds := true, []string{}, []string{}, 0
	for _, m := range sixteenModels {
		list := fourMethods(homo[m])
		for i := range list[1:] {
			ok = ok && list[i+1].seconds > list[i].seconds*(1+tie(s.Gradients))
		}
		found = append(found, anchorNames[m]+": "+order(list, tie(s.Gradients)))
		asp = append(asp, fmt.Sprintf("%.3f", homo[m].ratio("ASP")))
		seeds = len(homo[m].laps[0])
	}
	return holds("X13", ok, seeds, strings.Join(found, "; "), fmt.Sprintf("time of %d gradients, timing-only, “=” within %.2g %%, SSP is the mean over s = 3, 6, 15; ASP takes %s of BSP's; "+
		"the cluster but for its cards and network is assumed. In this model a barrier can only add waits: the server's work is per gradient, the same for all methods, "+
		"so what made BSP the fastest there is not in it; the table of other servers and jitters shows what they change", int64(fullGradients), 100*tie(s.Gradients), strings.Join(asp, " and ")),
		homogeneousDiffers...)
}

// homogeneousDiffers is how the cluster of X13 is not the paper's.
var homogeneousDiffers = []string{"ResNet-18 in place of ResNet-50", "10 classes, as CIFAR-10 has, in place of CIFAR-100's 100",
	"one server with four machines' link, memory and arithmetic in place of four servers",
	"16 workers of one card each (the paper counts machines or cards: not stated which)",
	"rates of the cards, costs per layer and iteration, and jitter are assumed"}

// fourMethods are the times of X13's methods in its order.
func fourMethods(f field) []placed {
	mean := func(names ...string) (sum float64) {
		for _, name := range names {
			x, _ := exp.MeanAndHalf(f.times(f.at(name)))
			sum += x / float64(len(names))
		}
		return sum
	}
	return []placed{{"BSP", mean("BSP")}, {"SSP", mean("SSP s=3", "SSP s=6", "SSP s=15")}, {"DSSP", mean("DSSP [3, 15]")}, {"ASP", mean("ASP")}}
}
