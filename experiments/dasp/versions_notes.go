package dasp

import (
	"fmt"
	"strings"
)

// versionNotes says what the counts mean.
func versionNotes(g censusGrid, own ownGrid) []string {
	return []string{vainNote(g), whyNote, headStartNote(g), otherNote(g), worthNote(own)}
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

// otherNote is the other direction.
func otherNote(g censusGrid) string {
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

// headStartNote says how much of what clocks get wrong or right by Smin belongs
// to the head start.
func headStartNote(g censusGrid) string {
	s := fmt.Sprintf("The head start, while the slowest worker has made at most s = %d pushes, holds", sspBound)
	for _, method := range clockMethods {
		var all census
		for _, cluster := range versionClusters {
			all = pool([]census{all, clusterPool(g, cluster, method)})
		}
		n := all.Count[bySmin]
		s += fmt.Sprintf(" of %s %d of the %d waits that are not in vain and %d of the %d pushes let through though ahead (by Smin, all clusters);", title[method],
			all.Early[bySmin][1], n[1][1], all.Early[bySmin][0], n[0][1])
	}
	return strings.TrimSuffix(s, ";") + "."
}

// worthNote keeps the reader from taking a wait in vain for a wait without
// effect.
func worthNote(own ownGrid) string {
	s := "A wait in vain is not one without effect: a method's waits shape the versions that the next push meets. Where SSP waits at all, each method's own run, DASP against SSP:"
	for _, cluster := range versionClusters {
		for _, m := range models {
			d, p := meanOwn(own[cluster][m]["dasp"]), meanOwn(own[cluster][m]["ssp"])
			if p.Waited == 0 {
				continue
			}
			s += fmt.Sprintf(" %s, %s: %.0f %% of pushes wait against %.0f %%, iteration ×%.2f, mean staleness %.2f against %.2f, largest spread %d against %d versions;", clusterTitle[cluster], title[m],
				100*d.Waited, 100*p.Waited, d.Iteration/p.Iteration, d.Staleness, p.Staleness, d.Spread, p.Spread)
		}
	}
	return strings.TrimSuffix(s, ";") + "."
}
