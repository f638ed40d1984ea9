package dasp

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// Answers to a hypothesis in one case.
const (
	dynHeld    = "held"
	dynNotHeld = "did not hold"
	dynNoCase  = "no case" // nothing to judge: no worker waited, or none was seen
)

// dynVerdict is a hypothesis in one case and change of speeds.
type dynVerdict struct{ ID, Case, Change, Answer, Measured string }

// dynPairs are the changes of speed: scenario and the one it is compared with.
func dynPairs() (out []dynScenario) {
	for _, s := range dynScenarios {
		if s.Against != "" {
			out = append(out, s)
		}
	}
	return out
}

func dynAnswer(held bool) string {
	if held {
		return dynHeld
	}
	return dynNotHeld
}

// dynInterval prints a mean with its interval, where there is one.
func dynInterval(x float64, ci *[2]float64) string {
	if ci == nil {
		return fmt.Sprintf("%.3f (one seed)", x)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", x, ci[0], ci[1])
}

func dynNobodyWaits(cells ...[]dynCell) bool {
	for _, cs := range cells {
		for _, c := range cs {
			if c.Waiting > 0 {
				return false
			}
		}
	}
	return true
}

// dynJudgeH1 compares DSSP/SSP with changing speeds (now) and without (before).
func dynJudgeH1(now, before map[string][]dynCell) (answer, measured string) {
	if dynNobodyWaits(now["ssp"], now["dssp"], before["ssp"], before["dssp"]) {
		return dynNoCase, "no worker ever waits under SSP or DSSP"
	}
	over := func(g map[string][]dynCell) []float64 {
		d, s := values(dynCells(g["dssp"]), dynPerPush), values(dynCells(g["ssp"]), dynPerPush)
		for i := range d {
			d[i] /= s[i]
		}
		return d
	}
	a, b := over(now), over(before)
	x, ci := ratio(a, b)
	ra, _ := exp.MeanAndHalf(a)
	rb, _ := exp.MeanAndHalf(b)
	held := x > 1+slack && (ci == nil || ci[0] > 1)
	return dynAnswer(held), fmt.Sprintf("DSSP/SSP %.3f → %.3f: ×%s", rb, ra, dynInterval(x, ci))
}

// dynJudgeH2 compares how far changing speeds move DASP, SSP and DSSP.
func dynJudgeH2(now, before map[string][]dynCell) (answer, measured string) {
	move := func(method string) []float64 {
		a, b := values(dynCells(now[method]), dynPerPush), values(dynCells(before[method]), dynPerPush)
		for i := range a {
			a[i] = math.Abs(math.Log(a[i] / b[i]))
		}
		return a
	}
	var parts []string
	for _, m := range []string{"dasp", "ssp", "dssp"} {
		x, _ := ratio(values(dynCells(now[m]), dynPerPush), values(dynCells(before[m]), dynPerPush))
		parts = append(parts, fmt.Sprintf("%s ×%.3f", title[m], x))
	}
	measured = strings.Join(parts, ", ")
	if dynNobodyWaits(now["ssp"], now["dssp"], now["dasp"], before["ssp"], before["dssp"], before["dasp"]) {
		return dynNoCase, measured + ": no worker ever waits"
	}
	held, ours := true, move("dasp")
	for _, m := range []string{"ssp", "dssp"} {
		d := move(m)
		for i := range d {
			d[i] -= ours[i]
		}
		mean, half := exp.MeanAndHalf(d)
		held = held && mean > slack && (math.IsNaN(half) || mean-half > 0)
	}
	return dynAnswer(held), measured
}

// dynForgotten are a seed's releases in the mean, those that were not seen to
// their end included with what was seen of them.
type dynForgotten struct {
	N, Unseen                       int
	Pushes, Versions, Units, Waited float64
}

func dynMeanRelease(rs []dynRelease) (f dynForgotten) {
	for _, r := range rs {
		f.N++
		if !r.Seen {
			f.Unseen++
		}
		f.Pushes += float64(r.Pushes)
		f.Versions += float64(r.Versions)
		f.Units += r.Units
		f.Waited += r.Waited
	}
	n := float64(max(f.N, 1))
	f.Pushes, f.Versions, f.Units, f.Waited = f.Pushes/n, f.Versions/n, f.Units/n, f.Waited/n
	return f
}

// dynJudgeH3 compares how DASP and SSP let go of a formerly slow worker, over
// the seeds in which both have releases.
func dynJudgeH3(now map[string][]dynCell) (answer, measured string) {
	var ours, theirs, versions []float64
	for i := range now["dasp"] {
		a, b := dynMeanRelease(now["dasp"][i].Releases), dynMeanRelease(now["ssp"][i].Releases)
		if a.N > 0 && b.N > 0 && a.Pushes > 0 && b.Pushes > 0 {
			ours, theirs, versions = append(ours, a.Pushes), append(theirs, b.Pushes), append(versions, a.Versions)
		}
	}
	if len(ours) == 0 {
		return dynNoCase, "the slowest was not the oldest when speeds changed"
	}
	x, ci := ratio(ours, theirs)
	v, _ := exp.MeanAndHalf(versions)
	a, _ := exp.MeanAndHalf(ours)
	b, _ := exp.MeanAndHalf(theirs)
	held := v <= workers && x < 1-slack && (ci == nil || ci[1] < 1)
	return dynAnswer(held), fmt.Sprintf("DASP after %.1f versions and %.2f own gradients, SSP after %.2f: ×%s", v, a, b, dynInterval(x, ci))
}

// dynJudge gives every hypothesis an answer in every case and change.
func dynJudge(cases []dynCase, g dynGrid) (out []dynVerdict) {
	for _, id := range []string{"H1", "H2", "H3"} {
		for _, c := range cases {
			for _, s := range dynPairs() {
				cells := g[c.title()]
				v := dynVerdict{ID: id, Case: c.title(), Change: s.Key}
				switch id {
				case "H1":
					v.Answer, v.Measured = dynJudgeH1(cells[s.Key], cells[s.Against])
				case "H2":
					v.Answer, v.Measured = dynJudgeH2(cells[s.Key], cells[s.Against])
				case "H3":
					v.Answer, v.Measured = dynJudgeH3(cells[s.Key])
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// dynVerdictTable prints the answers.
func dynVerdictTable(vs []dynVerdict) result.Table {
	t := result.Table{ID: "hypotheses", Title: "Three hypotheses, written before the first run", Kind: result.TimingOnly,
		Caption: strings.Join([]string{dynH1, dynH2, dynH3}, ". ") + ". Times are per push (N·time/gradients): the same speeds then give ASP, which never waits, the same time, whoever has them. " +
			"H1 and H2 compare steps with the unchanging heterogeneous cluster and bursts with one worker always slowed; a hypothesis holds in a case only if the 95 % interval over seeds, paired, excludes its opposite. " +
			"Under H3 a release that the run's end or the next deal cut off counts with what was seen of it.",
		Columns: []result.Column{{Key: "hypothesis", Title: "hypothesis"}, {Key: "case", Title: "model"}, {Key: "change", Title: "speeds"},
			{Key: "answer", Title: "answer"}, {Key: "measured", Title: "measured"}}}
	for _, v := range vs {
		t.Rows = append(t.Rows, []any{v.ID, v.Case, v.Change, v.Answer, v.Measured})
	}
	return t
}
