package dasp

import (
	"fmt"
	"strings"
)

// versionNotes says what the counts mean.
func versionNotes(g censusGrid, own ownGrid) []string {
	return []string{vainNote(g), whyNote, capNote(g), earlyNote(g), worthNote(own)}
}

// vainNote is the answer.
func vainNote(g censusGrid) string {
	s := fmt.Sprintf("Share of waits in vain at %s, all models and seeds together:", referenceLink)
	for _, method := range clockMethods {
		s += " " + title[method]
		for _, cluster := range versionClusters {
			all := clusterPool(g, cluster, method)
			waits, pushes := all.waited()
			if waits == 0 {
				s += fmt.Sprintf(", %s: nobody of %d pushes waited", clusterTitle[cluster], pushes)
				continue
			}
			s += fmt.Sprintf(", %s %.1f %% by Smin and %.1f %% by Smax of %d waits", clusterTitle[cluster],
				100*float64(all.Count[bySmin][1][0])/float64(waits), 100*float64(all.Count[bySmax][1][0])/float64(waits), waits)
		}
		s += ";"
	}
	return strings.TrimSuffix(s, ";") + "."
}

// clusterPool joins a cluster's censuses of a method at the reference link.
func clusterPool(g censusGrid, cluster, method string) census {
	var list []census
	for _, m := range models {
		list = append(list, g[cluster][referenceLink][m][method]...)
	}
	return pool(list)
}

// whyNote is arithmetic, not a measurement.
var whyNote = fmt.Sprintf("The arithmetic. Where nobody waits, a worker k times slower falls k − 1 clocks behind in each of its own iterations, without bound: a clock counts everything since the start and forgets nothing. "+
	"In versions it is behind by what the others push during one of its iterations, about k·(N − 1) at most, and its next push ends that: it is handed the newest version. "+
	"Under SSP the clock gap therefore reaches s once and stays: from then on every fast worker waits for the slow one in every iteration, and the s iterations of head start are all that s ever buys. "+
	"In that lock-step all are answered together and hold nearly the same version, so that a wait finds v_n − min(v) at 0 or little more, and the version to be handed at most about N = %d ahead: at Smax = N neither test of DASP can be failed.", workers)

// capNote sets the largest gaps beside the bounds.
func capNote(g censusGrid) string {
	s := "The other way round, pushes answered at once though ahead in versions (by Smin, by Smax), for which DASP would have made the worker wait:"
	for _, method := range clockMethods {
		s += " " + title[method]
		for _, cluster := range versionClusters {
			all := clusterPool(g, cluster, method)
			waits, pushes := all.waited()
			s += fmt.Sprintf(", %s %d and %d of %d", clusterTitle[cluster], all.Count[bySmin][0][1], all.Count[bySmax][0][1], pushes-waits)
		}
		s += ";"
	}
	return strings.TrimSuffix(s, ";") + "."
}

// earlyNote says how much of that is the head start.
func earlyNote(g censusGrid) string {
	s := fmt.Sprintf("Of those ahead by Smin, pushed while the slowest worker had made at most s = %d pushes, that is in the head start:", sspBound)
	for _, method := range clockMethods {
		s += " " + title[method]
		for _, cluster := range versionClusters {
			all := clusterPool(g, cluster, method)
			s += fmt.Sprintf(", %s %d of %d", clusterTitle[cluster], all.Early[bySmin], all.Count[bySmin][0][1])
		}
		s += ";"
	}
	return strings.TrimSuffix(s, ";") + "."
}

// worthNote keeps the reader from taking a wait in vain for a wait without
// effect.
func worthNote(own ownGrid) string {
	s := "A wait in vain is not one without effect: SSP's waits are what keeps its versions together. Each method's own run, DASP against SSP:"
	for _, cluster := range versionClusters {
		s += " " + clusterTitle[cluster]
		for _, m := range models {
			d, p := meanOwn(own[cluster][m]["dasp"]), meanOwn(own[cluster][m]["ssp"])
			s += fmt.Sprintf(", %s iteration ×%.2f, mean staleness %.2f against %.2f, largest spread %d against %d versions", title[m],
				d.Iteration/p.Iteration, d.Staleness, p.Staleness, d.Spread, p.Spread)
		}
		s += ";"
	}
	return strings.TrimSuffix(s, ";") + "."
}
