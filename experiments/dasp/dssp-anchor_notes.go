package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/shared/tensor/model"
)

// anchorNotes say what pace explains of Table I.
func anchorNotes(f field, s anchorSize) []string {
	x := func(name string) float64 { return f.ratio(name) }
	stated := func(name string) float64 { return f.list[f.at(name)].statedTime() / f.list[f.at("BSP")].statedTime() }
	explained := func(name string) string {
		return fmt.Sprintf("%s %.3f simulated, %.3f stated: pace gives %.0f %% of the saving", name, x(name), stated(name), 100*(1-x(name))/(1-stated(name)))
	}
	notes := []string{
		fmt.Sprintf("What pace explains of Table I, BSP = 1. %s; %s; %s; %s; %s.", explained("ASP"), explained("DSSP [3, 15]"), explained("SSP s=3"), explained("SSP s=6"), explained("SSP s=15")),
		fmt.Sprintf("Why: with one card always slower, a bound on clocks holds the fast worker to the slow one's pace, whatever the bound is. It is at most s + 1 pushes ahead once and for all: of %d gradients that is %.2g %% at s = 15. "+
			"So neither SSP's s nor DSSP's range matters to the pace in the long run; only a method that lets the gap grow gains (ASP: 2/(1 + f), here f = %.2f).", int64(fullGradients), 100*float64(dsspUpper+1)/fullGradients, f.factor()),
		fmt.Sprintf("ASP's stated ratio of %.3f would be its pace if the slow card's iterations took %.2f times as long; by their peaks the cards differ by %.2f, and the simulated iterations by %.2f. Else ASP needed %.2f of BSP's gradients to 0.67.",
			stated("ASP"), factorOf(stated("ASP")), pairFactor(), f.factor(), stated("ASP")/x("ASP")),
	}
	var paces, ratios []float64
	for _, name := range []string{"SSP s=3", "SSP s=6", "SSP s=15"} {
		paces, ratios = append(paces, x(name)), append(ratios, stated(name))
	}
	sspNote := fmt.Sprintf("SSP reaches 0.67 in %.3f to %.3f of BSP's time; its gradients take %.3f to %.3f of it.", slices.Min(ratios), slices.Max(ratios), slices.Min(paces), slices.Max(paces))
	if slices.Max(ratios) < slices.Min(paces) {
		sspNote += " That pace cannot explain: if it is right, SSP needed fewer gradients than BSP; whether and why, only training can show."
	}
	return append(notes, sspNote, statedOrderNote(f, s), versionsNote(f, s))
}

// versionsNote is DASP among two workers, by its narrow and its wide thresholds.
func versionsNote(f field, s anchorSize) string {
	narrow, wide := f.list[len(f.list)-2].Name, f.list[len(f.list)-1].Name
	text := fmt.Sprintf("%s takes %.3f and %s %.3f of BSP's time.", narrow, f.ratio(narrow), wide, f.ratio(wide))
	if halfway := (f.ratio("ASP") + 1) / 2; max(f.ratio(narrow), f.ratio(wide)) < halfway && f.ratio("SSP s=3") > halfway {
		text += " A gap in versions closes with every push of the slow worker, which is handed the newest version; a gap in clocks never does while one card is slower. " +
			"So DASP's thresholds do not tie the fast worker to the slow one's pace as SSP's and DSSP's do."
	}
	if f.ratio(narrow) > f.ratio(wide)*(1+tie(s.Gradients)) {
		text += " What separates the two pairs is the narrow one's waits."
	}
	return text
}

// linkNote says what of DSSP's pace is the server's link; rows are those of the
// other pairs, at the cards' own factor.
func linkNote(rows [][]any, column int) string {
	var parts, links []string
	rising, last := true, 0.0
	for _, row := range rows {
		if row[1] != otherFactors[1] {
			continue
		}
		x := row[column].(float64)
		rising, last = rising && x > last, x
		parts, links = append(parts, fmt.Sprintf("%.3f", x)), append(links, row[0].(string))
	}
	text := fmt.Sprintf("On links of %s DSSP takes %s of BSP's time.", strings.Join(links, ", "), strings.Join(parts, ", "))
	if rising && last > 0.99 {
		text += " So what it gains over SSP is the server's link and not its range: whenever BSP and SSP answer both workers at once, the slow one's weights queue behind the fast one's; DSSP does that more seldom. " +
			"The same queue is why ASP's simulated ratio is below its closed form."
	}
	return text
}

// sixteenNote is what thresholds in versions do on sixteen workers.
func sixteenNote(homo map[string]field) string {
	var parts []string
	for _, m := range sixteenModels {
		f := homo[m]
		rule, six := len(f.list)-2, len(f.list)-1
		parts = append(parts, fmt.Sprintf("%s: %s %.3f, %s %.3f of BSP's time with a worker up to %d clocks ahead", anchorNames[m], f.list[rule].Name, f.ratio(f.list[rule].Name),
			f.list[six].Name, f.ratio(f.list[six].Name), f.largest(six)))
	}
	return "DASP on sixteen equal workers. " + strings.Join(parts, "; ") + ". Thresholds in versions count all workers' updates and must grow with N; and they do not bound clocks."
}

// statedOrderNote compares the order of Table I's times with that of the pace.
func statedOrderNote(f field, s anchorSize) string {
	var simulated, stated []placed
	for i, c := range f.list {
		if c.Stated != "" {
			mean, _ := exp.MeanAndHalf(f.times(i))
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
		"DSSP is capped in the simulations, here as on all these pages: no answer leaves a worker more than s_U clocks ahead.",
	}
}
