package dasp

import (
	"fmt"
	"strings"
)

// dynSummary says in how many cases each method takes less time when the same
// speeds change hands, and where DASP is the slower of it and SSP.
func dynSummary(cases []dynCase, g dynGrid) (out []string) {
	n, faster, p99 := 0, map[string]int{}, map[string]float64{}
	var above, below []string
	for _, c := range cases {
		for _, s := range dynPairs() {
			n++
			cells := g[c.title()]
			for _, method := range methods {
				if x, _ := dynFactor(cells, method, s.Key, s.Against, dynPerPush); x < 1-dynVisible {
					faster[method]++
				}
			}
			switch x, ci := dynOver(cells[s.Key], "dasp", "ssp"); dynSide(x, ci) {
			case dynLonger:
				above = append(above, c.title()+", "+s.Key)
				p99["dasp"] += dynP99(cells[s.Key]["dasp"])
				p99["ssp"] += dynP99(cells[s.Key]["ssp"])
			case dynShorter:
				below = append(below, c.title()+", "+s.Key)
			}
		}
	}
	note := fmt.Sprintf("When the same speeds change hands, the time per push falls by more than %g %% under", 100*dynVisible)
	for _, method := range methods {
		note += fmt.Sprintf(" %s in %d,", title[method], faster[method])
	}
	note += fmt.Sprintf(" of %d cases.", n)
	if 2*faster["ssp"] > n {
		note += " For a bound on clocks a worker that is slow for a while is a smaller trouble than one that is slow for ever: what it lags behind within the bound, it makes up when it is fast again. This gain, and no loss, is what H2 finds less of in DASP."
	}
	out = append(out, note)
	note = fmt.Sprintf("Where speeds change, at the default bounds, DASP's time per push is below SSP's in %d of %d cases, above it in %d", len(below), n, len(above))
	if len(above) > 0 {
		note += fmt.Sprintf(" (%s): a slowed worker's version falls behind with every update of the others, so DASP waits for it at once, "+
			"where SSP first lets the others run ahead by its bound. The 99th percentile of staleness there is %.1f versions under DASP, %.1f under SSP",
			strings.Join(above, "; "), p99["dasp"]/float64(len(above)), p99["ssp"]/float64(len(above)))
	}
	return append(out, note+".")
}

// dynNotes are the first case's numbers: who gains and who loses when speeds
// change hands, and how DASP then stands beside SSP and DSSP.
func dynNotes(c dynCase, g dynGrid) (out []string) {
	cells := g[c.title()]
	for _, s := range dynPairs() {
		var faster, slower, same []string
		for _, method := range methods {
			x, ci := dynFactor(cells, method, s.Key, s.Against, dynPerPush)
			what := fmt.Sprintf("%s ×%.2f", title[method], x)
			switch {
			case ci != nil && ci[1] < 1-dynVisible, ci == nil && x < 1-dynVisible:
				faster = append(faster, what)
			case ci != nil && ci[0] > 1+dynVisible, ci == nil && x > 1+dynVisible:
				slower = append(slower, what)
			default:
				same = append(same, what)
			}
		}
		out = append(out, fmt.Sprintf("%s, %s, the same speeds changing hands (time per push): faster: %s; slower: %s; the same to %g %% or not told apart: %s.",
			c.title(), s.Key, dynList(faster), dynList(slower), 100*dynVisible, dynList(same)))
		note := fmt.Sprintf("%s, %s, DASP's time per push", c.title(), s.Key)
		for i, m := range []string{"ssp", "dssp"} {
			x, ci := dynOver(cells[s.Key], "dasp", m)
			note += fmt.Sprintf("%s ×%s of %s's%s", map[bool]string{true: ",", false: " is"}[i > 0], dynInterval(x, ci), title[m], dynTold(x, ci))
		}
		out = append(out, note+fmt.Sprintf("; 99th percentile of staleness: DASP %.1f, SSP %.1f, DSSP %.1f, ASP %.1f versions.",
			dynP99(cells[s.Key]["dasp"]), dynP99(cells[s.Key]["ssp"]), dynP99(cells[s.Key]["dssp"]), dynP99(cells[s.Key]["asp"])))
	}
	note := c.title() + ", bursts against the same cluster undisturbed, time per push:"
	for i, method := range methods {
		x, _ := dynFactor(cells, method, "bursts", "undisturbed", dynPerPush)
		note += fmt.Sprintf("%s %s ×%.2f", map[bool]string{true: ",", false: ""}[i > 0], title[method], x)
	}
	return append(out, note+".", "Speeds change in computation alone; links keep theirs.")
}

// dynVisible is the change of a time below which a note speaks of none.
const dynVisible = 0.02

func dynList(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}

// dynVerdictNotes says per hypothesis where it held and where not, with the
// numbers of the first case.
func dynVerdictNotes(vs []dynVerdict) (out []string) {
	for i, text := range []string{dynH1, dynH2, dynH3} {
		where := map[string][]string{}
		for _, v := range vs {
			if v.ID != fmt.Sprintf("H%d", i+1) {
				continue
			}
			what := v.Case + ", " + v.Change
			if v.Case == vs[0].Case && v.Answer != dynNoCase {
				what += " (" + v.Measured + ")"
			}
			where[v.Answer] = append(where[v.Answer], what)
		}
		note := fmt.Sprintf("%s. Held in %d of %d cases.", text, len(where[dynHeld]), len(where[dynHeld])+len(where[dynNotHeld]))
		for _, part := range []struct{ words, answer string }{{"Held", dynHeld}, {"Did not hold", dynNotHeld}, {"Nothing to judge", dynNoCase}} {
			if names := where[part.answer]; len(names) > 0 {
				note += " " + part.words + ": " + strings.Join(names, "; ") + "."
			}
		}
		out = append(out, note)
	}
	return out
}
