package reports

import (
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
	"gradsync/reports/typeset"
)

// byExperiment groups results, sorted by stem, into one list per experiment:
// its profiles in the order of a page.
func byExperiment(rs []loaded) [][]loaded {
	var out [][]loaded
	for _, r := range rs {
		if n := len(out); n > 0 && out[n-1][0].ID == r.ID {
			out[n-1] = append(out[n-1], r)
			continue
		}
		out = append(out, []loaded{r})
	}
	return out
}

// who tells a result from the same experiment's in another profile: "quick:
// embedded Fashion-MNIST, 3 seeds"; where nothing was drawn "quick: no seed used".
func who(r *result.Result) said {
	var facts []said
	if data := dataNames(r.Data); data.En() != "" {
		facts = append(facts, data)
	}
	switch n := len(r.Seeds); {
	case n == 0:
	case seedless(r):
		facts = append(facts, noSeed)
	case n == 1:
		facts = append(facts, said{"1 seed", "1 个种子"})
	default:
		facts = append(facts, notebook.Bothf("%d seeds", "%d 个种子", n))
	}
	if len(facts) == 0 {
		return said{r.Profile, r.Profile}
	}
	return notebook.Bothf("%s: %s", "%s：%s", r.Profile, typeset.CommaList(facts))
}

// noSeed is said of a result that was given seeds and drew nothing.
var noSeed = said{"no seed used", "未用种子"}

// seedless reports whether nothing of r depends on its seeds. An experiment's
// configuration holds all that decides its numbers, its seeds with it; where it names
// none, none was used. A result without a configuration tells nothing, and one with
// data draws their order.
func seedless(r *result.Result) bool {
	settings, ok := r.Config.(map[string]any)
	return ok && len(settings) > 0 && len(r.Data) == 0 && !namesSeed(settings)
}

// namesSeed reports whether a key anywhere in settings speaks of a seed.
func namesSeed(settings any) bool {
	switch v := settings.(type) {
	case map[string]any:
		for key, inner := range v {
			if strings.Contains(key, "seed") || namesSeed(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, namesSeed)
	}
	return false
}

// origins are where data come from.
var origins = map[string]said{"embedded": {"embedded", "内置"}, "directory": {"directory", "目录"}, "cache": {"cache", "缓存"}, "synthetic": {"synthetic", "合成"}}

// dataNames lists data sets by the names that their makers gave them.
func dataNames(sets []result.Data) said {
	var names []said
	for _, d := range sets {
		own := d.Name
		switch d.Name {
		case "mnist":
			own = "MNIST"
		case "fashion-mnist":
			own = "Fashion-MNIST"
		case "cifar-10":
			own = "CIFAR-10"
		}
		name := said{own, own}
		if d.Origin == "embedded" || d.Origin == "synthetic" && !strings.HasPrefix(own, d.Origin) {
			name = said{d.Origin + " " + own, origins[d.Origin].Zh() + " " + own}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var en, zh []string
	for _, n := range names {
		en, zh = append(en, n.En()), append(zh, n.Zh())
	}
	return said{strings.Join(en, " / "), strings.Join(zh, " / ")}
}

// profileTally counts what all results of one profile found.
type profileTally struct {
	Profile string
	Data    said // what its results were trained on
	Results int
	Tally   []page.VerdictCount
}

// tallies counts by profile, in the order of a page. Profiles without a result
// are left out.
func tallies(rs []loaded) []profileTally {
	var out []profileTally
	for _, p := range profiles {
		t := profileTally{Profile: p}
		var claims []result.Claim
		var sets []result.Data
		for _, r := range rs {
			if r.Profile == p {
				t.Results++
				claims = append(claims, r.Claims...)
				sets = append(sets, r.Data...)
			}
		}
		if t.Results > 0 {
			t.Data, t.Tally = dataNames(sets), page.Count(claims)
			out = append(out, t)
		}
	}
	return out
}

// claimCount returns how many claims the results judge; one that several profiles of
// an experiment judge counts once.
func claimCount(rs []loaded) int {
	seen := map[string]bool{}
	for _, r := range rs {
		for _, c := range r.Claims {
			seen[r.ID+" "+c.ID] = true
		}
	}
	return len(seen)
}
