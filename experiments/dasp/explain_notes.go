package dasp

import (
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
)

// write puts tables, figure and notes into the result.
func (q *inquiry) write(res *result.Result) {
	list := arguments(q.want, q.costs)
	res.Tables = append(res.Tables, q.bestTable(), q.residualTable(0), q.residualTable(1))
	if len(q.alone) > 0 {
		res.Tables = append(res.Tables, q.aloneTable())
	}
	res.Tables = append(res.Tables, argumentTable(list), q.laboratoryTable(), q.anatomyTable())
	res.Figures = append(res.Figures, q.fitFigure())
	for s := range spaces {
		res.Notes = append(res.Notes, q.fitNote(s))
	}
	res.Notes = append(res.Notes, arithmeticNote(list))
	res.Notes = append(res.Notes, q.reachNotes()...)
	res.Notes = append(res.Notes, q.laboratoryNote(), q.slackNote(), q.aloneNote(), q.meaningNote(), q.searchNote(res.Profile))
	res.Notes = slices.DeleteFunc(res.Notes, func(s string) bool { return s == "" })
}

// fitNote says how near the best laboratory of a space comes.
func (q *inquiry) fitNote(s int) string {
	w := q.last[s]
	i, factor := worst(w.ratios, q.want)
	note := fmt.Sprintf("%s the closest cluster is off by %.1f %% typically over all seeds (%.1f %% on the seed that it was chosen with), %s; %d of the 18 ratios are within their tolerance.",
		sentence(spaces[s].With), typicalOr(w.loss), typicalOr(w.fit.Loss), readBy(q.won[s]), q.met(s))
	if w.loss >= noLoss {
		return fmt.Sprintf("%s no cluster was found that gives all 18 ratios a number, %s.", sentence(spaces[s].With), readBy(q.won[s]))
	}
	note += fmt.Sprintf(" The furthest off is %s (%s, %s against %s): stated %.3f, found %.3f.",
		q.want[i].id, clusterOf(q.want[i]), title[q.want[i].model], title[q.want[i].against], q.want[i].Ratio, q.want[i].Ratio*factor)
	return note
}

// arithmeticNote are the arguments that say why a search must fail.
func arithmeticNote(list []argument) string {
	note := "Why it is hard to have them together, by arithmetic (each cause alone; the search has all of them):"
	for _, a := range list {
		if a.why {
			note += " " + sentence(a.demand) + ". " + sentence(a.needs) + "."
		}
	}
	return note
}

// sentence begins one.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func typicalOr(x float64) float64 {
	if v, ok := typical(x).(float64); ok {
		return v
	}
	return 0
}

func readBy(k int) string { return "with the mean iteration time read as “" + meanings[k] + "”" }

// reachNotes name the ratios that no cluster gave, each taken by itself.
func (q *inquiry) reachNotes() (out []string) {
	done := map[int]bool{}
	for s := range spaces {
		k := q.won[s]
		if done[k] {
			continue
		}
		done[k] = true
		var never []string
		for i, d := range q.want {
			if sp := q.seen[k][i]; !sp.reached(d) {
				never = append(never, fmt.Sprintf("%s (stated %.3f, found %.3f to %.3f)", d.id, d.Ratio, sp.Lo, sp.Hi))
			}
		}
		if len(never) == 0 {
			out = append(out, fmt.Sprintf("%s: each of the 18 ratios by itself lies within what some of the %d laboratories gave. What fails is to have them together.",
				sentence(meanings[k]), q.candidates))
			continue
		}
		out = append(out, fmt.Sprintf("No cluster of the search gives, %s, %s.", readBy(k), strings.Join(never, "; ")))
	}
	return out
}

// laboratoryNote says what the best fit of the larger space is like.
func (q *inquiry) laboratoryNote() string {
	s := len(spaces) - 1
	w := q.last[s]
	h, o := w.lab.Hardware, w.lab.Options
	a := q.anatomy(w.lab, "resnet18")
	note := fmt.Sprintf("What must have been true if the closest laboratory that this search found is theirs (another search, or seed, may end at another one; quick and standard do): computations that vary by %.0f %% from one iteration to the next on one and the same machine (the tables assume 5 %%); ",
		100*h.Jitter)
	note += fmt.Sprintf("the server's link at %.3g Gb/s and the workers' at %.3g Gb/s for devices of %g TFLOP/s effective, so that one ResNet-18 gradient takes %.0f ms over the slower of the two and its computation %.0f ms; ",
		h.ServerLink, h.WorkerLink, deviceFLOPS/1e12, 1e3*max(a.server, a.worker), 1e3*a.compute)
	note += fmt.Sprintf("a server whose update with one gradient takes another %.0f ms; heterogeneous compute times of %s. ", 1e3*a.update, joined(w.lab.Times))
	note += fmt.Sprintf("Its thresholds are Smin = %d, Smax = %d versions, SSP's s = %d, DSSP's range %d to %d.", o.Smin, o.Smax, o.Staleness, o.Lower, o.Upper)
	least, most := 1.0, 0.0
	for _, p := range []string{homogeneous, heterogeneous} {
		for _, m := range models {
			least, most = min(least, w.qis[p+m]), max(most, w.qis[p+m])
		}
	}
	note += fmt.Sprintf(" DASP then answers %.0f to %.0f %% of pushes in QIS, by cluster and model (100 %% is ASP).", 100*least, 100*most)
	return note
}

// slackNote says which parameters the ratios pin down and which they do not.
func (q *inquiry) slackNote() string {
	s := len(spaces) - 1
	var tight, loose []string
	for a, sl := range q.last[s].slack {
		switch width := axes[a].coordinate(sl.Hi) - axes[a].coordinate(sl.Lo); {
		case width <= 0.25:
			tight = append(tight, fmt.Sprintf("%s (%s)", axes[a].Title, strings.TrimSpace(sl.String()+" "+axes[a].Unit)))
		case width >= 0.9:
			loose = append(loose, axes[a].Title)
		}
	}
	if len(tight)+len(loose) == 0 {
		return ""
	}
	return "Moved alone, with a loss at most a tenth larger: pinned down are " + orNothing(tight) + "; of no consequence are " + orNothing(loose) + "."
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// aloneNote names the part that is easiest alone compared with the whole.
func (q *inquiry) aloneNote() string {
	if len(q.alone) == 0 {
		return ""
	}
	var parts []string
	for _, l := range q.alone {
		if l.own < noLoss && l.within < noLoss {
			parts = append(parts, fmt.Sprintf("%s %.1f %% (%.1f %% in the fit of all)", l.Title, typicalOr(l.own), typicalOr(l.within)))
		}
	}
	return "How far a search gets that has to meet a part only, laboratory and thresholds free: " + strings.Join(parts, "; ") + "."
}

// meaningNote ranks the readings of the mean.
func (q *inquiry) meaningNote() string {
	s := len(spaces) - 1
	order := q.byLoss(func(k int) float64 { return q.fits[s][k].FullLoss })
	var parts []string
	for _, k := range order {
		if x := q.fits[s][k].FullLoss; x < noLoss {
			parts = append(parts, fmt.Sprintf("%s %.1f %%", meanings[k], typicalOr(x)))
		} else {
			parts = append(parts, meanings[k]+" no fit")
		}
	}
	return "Which mean the paper took is not stated. By closeness of the best fit at full length, laboratory and thresholds free: " + strings.Join(parts, ", ") + "."
}

// searchNote says what the search was and was not.
func (q *inquiry) searchNote(profile string) string {
	brief := ""
	if most := effortOf("standard"); q.size != most {
		brief = fmt.Sprintf(" Profile %s searches briefly: the runs of standard take about %.0f times as long.",
			profile, most.runsOf()*float64(most.Full)/(q.size.runsOf()*float64(q.size.Full)))
	}
	return fmt.Sprintf("%d laboratories were tried in %d runs. A search can miss; “no cluster” means none of these. The space holds clusters whose speeds last, whose computations vary independently from iteration to iteration and whose "+
		"network is full duplex and never busy with others; it holds no congestion, no bursts, no speeds that drift, no accuracy. No claim is judged here: a platform chosen to fit cannot confirm what it was fitted to.", q.candidates, q.runs) + brief
}
