package dasp

import (
	"fmt"
	"strings"
)

// dynSummary says in how many cases each method takes less time when the same
// speeds change hands, and where DASP is the slower of it and SSP.
func dynSummary(cases []dynCase, g dynGrid) (out []string) {
	n, faster, p99, waiting := 0, map[string]int{}, map[string]float64{}, map[string]float64{}
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
				for _, m := range []string{"dasp", "ssp"} {
					p99[m] += dynP99(cells[s.Key][m])
					waiting[m] += dynMean(cells[s.Key][m], func(c dynCell) float64 { return c.Waiting })
				}
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
	if 2*faster["ssp"] > n && faster["ssp"] > faster["dasp"] {
		note += " So for a bound on clocks a worker that is slow for a while is here a smaller trouble than one that is slow for ever, and DASP gains in fewer cases."
	}
	out = append(out, note)
	note = fmt.Sprintf("Where speeds change, at the default bounds, DASP's time per push is below SSP's in %d of %d cases, above it in %d", len(below), n, len(above))
	if len(above) > 0 {
		k := float64(len(above))
		note += fmt.Sprintf(" (%s). There %.2f of %d workers wait for others in the mean under DASP, %.2f under SSP, and the 99th percentile of staleness is %.1f versions under DASP, %.1f under SSP",
			strings.Join(above, "; "), waiting["dasp"]/k, workers, waiting["ssp"]/k, p99["dasp"]/k, p99["ssp"]/k)
	}
	return append(out, note+".")
}

// dynFirstNote is how DASP stands beside SSP and DSSP in the first case where
// speeds change.
func dynFirstNote(c dynCase, g dynGrid) string {
	var parts []string
	for _, s := range dynPairs() {
		cells := g[c.title()][s.Key]
		note := s.Key
		for i, m := range []string{"ssp", "dssp"} {
			x, ci := dynOver(cells, "dasp", m)
			note += fmt.Sprintf("%s ×%s of %s's%s", map[bool]string{true: ",", false: ""}[i > 0], dynInterval(x, ci), title[m], dynTold(x, ci))
		}
		parts = append(parts, note+fmt.Sprintf(" (99th percentile of staleness: DASP %.1f, SSP %.1f, DSSP %.1f, ASP %.1f versions)",
			dynP99(cells["dasp"]), dynP99(cells["ssp"]), dynP99(cells["dssp"]), dynP99(cells["asp"])))
	}
	return fmt.Sprintf("%s, DASP's time per push where speeds change: %s.", c.title(), strings.Join(parts, "; "))
}

// dynVisible is the change of a time below which a note speaks of none.
const dynVisible = 0.02

// dynVerdictNote says in how many cases each hypothesis held; the table says in
// which.
func dynVerdictNote(vs []dynVerdict) string {
	var parts []string
	for i, text := range []string{dynH1, dynH2, dynH3} {
		n := map[string]int{}
		for _, v := range vs {
			if v.ID == fmt.Sprintf("H%d", i+1) {
				n[v.Answer]++
			}
		}
		part := fmt.Sprintf("%s: held in %d of %d cases", text, n[dynHeld], n[dynHeld]+n[dynNotHeld])
		if n[dynNoCase] > 0 {
			part += fmt.Sprintf(", %d without anything to judge", n[dynNoCase])
		}
		parts = append(parts, part)
	}
	return "Written before the first run. " + strings.Join(parts, ". ") + "."
}
