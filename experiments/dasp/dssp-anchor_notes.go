package dasp

import (
	"fmt"
	"math"

	"gradsync/shared/tensor/model"
)

// anchorNotes say what pace explains of Table I.
func anchorNotes(f field, s anchorSize) []string {
	x := func(name string) float64 { return f.ratio(name) }
	stated := func(name string) float64 { return f.list[f.at(name)].statedTime() / f.list[f.at("BSP")].statedTime() }
	explained := func(name string) string {
		return fmt.Sprintf("%s %.3f simulated, %.3f stated: pace gives %.0f %% of the saving", name, x(name), stated(name), 100*(1-x(name))/(1-stated(name)))
	}
	ours := f.list[len(f.list)-2:]
	return []string{
		fmt.Sprintf("What pace explains of Table I, BSP = 1. %s; %s; %s; %s; %s.", explained("ASP"), explained("DSSP [3, 15]"), explained("SSP s=3"), explained("SSP s=6"), explained("SSP s=15")),
		fmt.Sprintf("Why: with one card always slower, a bound on clocks holds the fast worker to the slow one's pace, whatever the bound is. It is at most s + 1 pushes ahead once and for all: of %d gradients that is %.2g %% at s = 15. "+
			"So neither SSP's s nor DSSP's range matters to the pace in the long run; only a method that lets the gap grow gains (ASP: 2/(1 + f), here f = %.2f).", int64(fullGradients), 100*float64(dsspUpper+1)/fullGradients, f.factor()),
		fmt.Sprintf("ASP's stated ratio of %.3f would be its pace if the slow card's iterations took %.2f times as long; by their peaks the cards differ by 2.57, and the simulated iterations by %.2f. Else ASP needed %.2f of BSP's gradients to 0.67.",
			stated("ASP"), factorOf(stated("ASP")), f.factor(), stated("ASP")/x("ASP")),
		fmt.Sprintf("What pace cannot explain: that SSP reaches 0.67 in %.3f to %.3f of BSP's time at %.3f to %.3f of its time per gradient. By it SSP needed fewer gradients than BSP (fresher updates of weight 1/N, another effective step size), and that only training can show.",
			min(stated("SSP s=3"), stated("SSP s=6"), stated("SSP s=15")), max(stated("SSP s=3"), stated("SSP s=6"), stated("SSP s=15")),
			min(x("SSP s=3"), x("SSP s=6"), x("SSP s=15")), max(x("SSP s=3"), x("SSP s=6"), x("SSP s=15"))),
		statedOrderNote(f, s),
		fmt.Sprintf("%s takes %.3f and %s %.3f of BSP's time. A gap in versions closes with every push of the slow worker, which is handed the newest version; a gap in clocks never does while one card is slower. "+
			"So DASP's thresholds do not tie the fast worker to the slow one's pace as SSP's and DSSP's do; with the narrow pair it pays for its waits.", ours[0].Name, x(ours[0].Name), ours[1].Name, x(ours[1].Name)),
	}
}

// statedOrderNote compares the order of Table I's times with that of the pace.
func statedOrderNote(f field, s anchorSize) string {
	var simulated, stated []placed
	for i, c := range f.list {
		if c.Stated != "" {
			mean, _ := meanAndHalf(f.times(i))
			simulated, stated = append(simulated, placed{c.Name, mean}), append(stated, placed{c.Name, c.statedTime()})
		}
	}
	agree, ties, against := pairs(simulated, stated, tie(s.Gradients))
	return fmt.Sprintf("Order of Table I: %s. Order of the pace, “=” within %.2g %%: %s. Of %d pairs the pace has %d in the stated order, %d in the opposite one, and %d are ties.",
		order(stated, 0), 100*tie(s.Gradients), order(simulated, tie(s.Gradients)), agree+ties+against, agree, against, ties)
}

// pairs counts the pairs that two lists of the same names order alike, that the
// first ties within the relative difference tie, and that they order otherwise.
func pairs(ours, theirs []placed, tie float64) (agree, ties, against int) {
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

// anchorAssumptions is what the numbers rest on.
func anchorAssumptions() []string {
	m, err := model.New(anchorModel)
	if err != nil {
		panic(err) // the name is a constant of this package
	}
	extra := 64 * 90
	return []string{
		fmt.Sprintf("Assumed: ResNet-110 with 1×1 convolutions in the shortcuts and 10 classes; CIFAR-100's 100 would add %d weights and %d biases to its %d parameters (%.1f %%). "+
			"The cards' rates are half of their vendor peaks, an iteration costs 3 ms beside its layers on the reference device, links are 10 Gb/s for the two cards. Only cards, network of the homogeneous cluster, batch and methods are stated.",
			extra, 90, m.NumParams(), 100*float64(extra+90)/float64(m.NumParams())),
		"Assumed: the homogeneous cluster's four machines are 16 workers of one card each (a worker could also be a machine of four), and its parameter shards one server with four times a machine's link, memory and arithmetic. ResNet-18 stands for the paper's ResNet-50.",
		"Rates per method are not part of pace: all methods have the same cost per gradient here, and DSSP, as everywhere on these pages, is capped so that no answer leaves a worker more than s_U clocks ahead.",
	}
}
