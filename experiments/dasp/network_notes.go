package dasp

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
)

// networkNotes says what the numbers mean: the question's answer first.
func networkNotes(vs []platforms.Variant, g linkGrid, tested []testedHypothesis) []string {
	notes := []string{boundNote(g), blindNote(g), iterationNote(g), printedNote(g), soloNote(g), evenNote(g), clockNote(g)}
	n := map[string]int{}
	for _, t := range tested {
		n[t.answer]++
	}
	notes = append(notes, fmt.Sprintf("Of %d sentences written before the first run %d hold, %d do not and %d found no case.", len(tested), n[holdsTrue], n[holdsFalse], n[noCase]))
	for _, v := range vs {
		if v.Workers != platforms.EqualLinks {
			continue
		}
		var idle []string
		for _, m := range models {
			if onlyQIS(g[v.Name][m][computeForm.key]) {
				idle = append(idle, title[m])
			}
		}
		if len(idle) > 0 {
			notes = append(notes, fmt.Sprintf("Control, %s: every push of %s is in QIS, so that what DASP does on the other clusters comes from the links.", v.Name, strings.Join(idle, ", ")))
		}
	}
	return notes
}

// boundNote answers whether DASP by computation times is ASP with the bound Smax.
func boundNote(g linkGrid) string {
	var same, other, idle []string
	for _, c := range []string{unequalWide, unequalNarrow, remoteWide} {
		for _, m := range models {
			if g[c] == nil {
				continue
			}
			ok, measured, any := boundAlone(m, g[c][m])
			switch name := fmt.Sprintf("%s (%s, %s)", title[m], c, measured); {
			case !any:
				idle = append(idle, name)
			case ok:
				same = append(same, name)
			default:
				other = append(other, name)
			}
		}
	}
	s := "Is DASP, with T_wait made of computation times, ASP with the bound Smax here? "
	switch {
	case len(other) == 0 && len(same) == 0:
		return s + "It is ASP: no push waits anywhere."
	case len(other) == 0:
		s += fmt.Sprintf("Yes: wherever anybody waits at all, switching every T_wait off changes the iteration time by at most %g %%", 100*sameTime)
	case len(same) == 0:
		s += fmt.Sprintf("No: switching every T_wait off changes the iteration time by more than %g %% in each case: %s", 100*sameTime, strings.Join(other, "; "))
	default:
		s += fmt.Sprintf("Mostly or in part: switching every T_wait off changes the iteration time by at most %g %% in %d of %d cases; not in %s",
			100*sameTime, len(same), len(same)+len(other), strings.Join(other, "; "))
	}
	if len(idle) > 0 {
		s += ". DASP is plain ASP, every push in QIS, in " + strings.Join(idle, "; ")
	}
	return s + "."
}

// blindNote says what eq. (1) made of equal devices.
func blindNote(g linkGrid) string {
	w := wssWaits{}
	for _, c := range []string{unequalWide, unequalNarrow} {
		for _, m := range models {
			w.add(allWaits(g[c][m][computeForm.key]))
		}
	}
	if w.WSS == 0 {
		return "On unequal links no push was in WSS under f = compute: eq. (1) was never asked."
	}
	return fmt.Sprintf("On unequal links eq. (1) by computation times asked %d pushes in WSS to wait: %.0f %% of them not at all, and %.0f %% for less than %g %% of the iteration that the "+
		"oldest worker's link imposes; the mean was %.3g ms beside an iteration of %.3g ms. Equal devices have f_i ≈ f_j, so that α·(f_j − f_i) is jitter, and no wait where that is not above 0.",
		w.WSS, 100*float64(w.Zero)/float64(w.WSS), 100*float64(w.Short)/float64(w.WSS), 100*shortWait, 1e3*w.Wait/float64(w.WSS), 1e3*w.Oldest/float64(w.WSS))
}

// iterationNote says what the other reading of f buys and costs.
func iterationNote(g linkGrid) string {
	s := "With f of the whole iteration, before the wide server:"
	for _, m := range models {
		cells := g[unequalWide][m]
		x, _ := ratio(values(cellsOf(cells[iterationForm.key]), perIteration), values(cellsOf(cells[computeForm.key]), perIteration))
		s += fmt.Sprintf(" %s: iteration time ×%.3f, mean staleness %.2f instead of %.2f, FSS %.1f %% instead of %.1f %% of pushes;", title[m], x,
			meanStaleness(cells[iterationForm.key]), meanStaleness(cells[computeForm.key]), 100*stateShare(cells[iterationForm.key], "FSS"), 100*stateShare(cells[computeForm.key], "FSS"))
	}
	return strings.TrimSuffix(s, ";") + "."
}

// printedNote says what T_wait decides where no re-check stands behind it.
func printedNote(g linkGrid) string {
	same, of := 0, 0
	for _, c := range []string{unequalWide, unequalNarrow, remoteWide} {
		for _, m := range models {
			a, b := g[c][m][computeForm.key], g[c][m][iterationForm.key]
			if a == nil || onlyQIS(a) && onlyQIS(b) {
				continue
			}
			of++
			if x, _ := ratio(values(cellsOf(b), perIteration), values(cellsOf(a), perIteration)); x-1 <= sameTime && 1-x <= sameTime {
				same++
			}
		}
	}
	s := fmt.Sprintf("Both readings of f give the same iteration time within %g %% in %d of %d cases: with the re-check (the default) every WSS answer is held to Smax, whatever T_wait was. "+
		"Without it, Algorithm 1 as printed, before the wide server, f = iteration instead of compute:", 100*sameTime, same, of)
	for _, m := range models {
		a, b := g[unequalWide][m][printedForms[0].key], g[unequalWide][m][printedForms[1].key]
		x, _ := ratio(values(cellsOf(b), perIteration), values(cellsOf(a), perIteration))
		s += fmt.Sprintf(" %s waits %.3g s in WSS instead of %.3g s, has %.1f %% instead of %.1f %% of its pushes in FSS and a mean staleness of %.2f instead of %.2f, at ×%.2f the iteration time;", title[m],
			secondsIn(b, "WSS"), secondsIn(a, "WSS"), 100*stateShare(b, "FSS"), 100*stateShare(a, "FSS"), meanStaleness(b), meanStaleness(a), x)
	}
	return strings.TrimSuffix(s, ";") + "."
}

// secondsIn is the mean over seeds of the seconds waited in a state.
func secondsIn(cells []linkCell, state string) float64 {
	x, _ := exp.MeanAndHalf(values(cellsOf(cells), func(c cell) float64 { return c.Seconds[state] }))
	return x
}

func meanStaleness(cells []linkCell) float64 {
	x, _ := exp.MeanAndHalf(values(cellsOf(cells), func(c cell) float64 { return c.Staleness.Mean }))
	return x
}

// soloNote warns of what a wait of nothing does to the step.
func soloNote(g linkGrid) string {
	s := fmt.Sprintf("A WSS gradient whose T_wait is 0 waits for no group: unless the bound holds it or others wait already it makes an update alone, with weight 1/K = 1, %d times that of a gradient in QIS (eq. 2). Groups of one gradient on unequal links, wide server, f = compute:", workers)
	for _, m := range models {
		w := allWaits(g[unequalWide][m][computeForm.key])
		if w.Groups == 0 {
			s += " " + title[m] + " no group;"
			continue
		}
		s += fmt.Sprintf(" %s %.0f %% of %d;", title[m], 100*float64(w.Solo)/float64(w.Groups), w.Groups)
	}
	return strings.TrimSuffix(s, ";") + "."
}

// evenNote says what the server's own link does to the inequality.
func evenNote(g linkGrid) string {
	s := "The server's link as an equaliser, slowest over fastest worker's iteration under ASP before 100 and 10 Gb/s:"
	for _, m := range models {
		var parts []string
		for _, c := range []string{unequalWide, unequalNarrow} {
			if x := unevenness(g[c][m]["asp"]); math.IsNaN(x) {
				parts = append(parts, "none (a worker never got past the warm-up)")
			} else {
				parts = append(parts, fmt.Sprintf("%.2f", x))
			}
		}
		s += fmt.Sprintf(" %s %s;", title[m], strings.Join(parts, " and "))
	}
	return strings.TrimSuffix(s, ";") + "."
}

// clockNote is what the methods that count clocks make of one slow link.
func clockNote(g linkGrid) string {
	s := "The methods that count clocks, BSP = 1, unequal links before the wide server:"
	for _, m := range models {
		ssp, _ := overBSP(g[unequalWide][m], "ssp")
		dssp, _ := overBSP(g[unequalWide][m], "dssp")
		s += fmt.Sprintf(" %s SSP %.2f, DSSP %.2f;", title[m], ssp, dssp)
	}
	return strings.TrimSuffix(s, ";") + ". A worker that is always slower uses up SSP's s iterations once; dasp/versions-vs-clocks counts what follows."
}
