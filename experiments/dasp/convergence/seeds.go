package convergence

import (
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// The seeds of the trainings, fixed before the first run that used them. Profile quick has ten, as many
// as let its whole run end within ten minutes on two cores; the searches beside them, which judge nothing
// about convergence, have three. In standard a run goes on from ten seeds until the interval of every
// reduction that it judges is narrow enough, and at most to twenty. A run of seeds that somebody names has
// these.
const (
	quickSeeds = 10
	leastSeeds = 10  // of standard
	mostSeeds  = 20  // of standard
	narrow     = 5.0 // points of a reduction: half the width of its interval
)

// ownSeeds returns the seeds of a profile's trainings.
func ownSeeds(profile string) []uint64 {
	n := map[string]int{"quick": quickSeeds, "standard": leastSeeds}[profile]
	if n == 0 {
		return exp.DefaultSeeds
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i)
	}
	return out
}

// enough is the stop rule. It leaves out a reduction beside a method that did the same, which has no
// width, and one that needs more than mostSeeds seeds, as claims.SeedsFor declares. One with a missed
// target has no interval and is never narrow.
func enough(v *view, sets []networksOn) bool {
	if v.Profile != "standard" || len(v.Seeds) >= mostSeeds {
		return true
	}
	for _, g := range sets {
		if tableOf[g.platform] == "" {
			continue // judged nowhere
		}
		for _, c := range convergenceList(g.platform) {
			if !slices.Contains(g.models, c.Model) || claims.SeedsFor(c.id) > mostSeeds || same(v, c.point, c.as(c.against)) {
				continue
			}
			if _, saved := reduced(v, c); saved.CI == nil || saved.Half() >= narrow {
				return false
			}
		}
	}
	return true
}

// stopRule is the stop rule as a configuration has it, nil where it does not act.
func stopRule(profile string) any {
	if profile != "standard" {
		return nil
	}
	return map[string]any{"least": leastSeeds, "most": mostSeeds, "half_width": narrow}
}

// seedFacts says how the seeds came about.
func seedFacts(v *view) []result.Fact {
	return kit.Facts("stop_least", leastSeeds, "stop_most", mostSeeds, "stop_width/points", narrow, "stop_rule", v.Profile == "standard")
}
