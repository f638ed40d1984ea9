package reports

import (
	"slices"
	"strings"

	"gradsync/experiments/result"
	"gradsync/reports/notebook"
	"gradsync/reports/ran"
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
	case ran.Seedless(r):
		facts = append(facts, ran.NoSeed)
	case n == 1:
		facts = append(facts, said{"1 seed", "1 个种子"})
	default:
		facts = append(facts, notebook.Bothf("%d seeds", "%d 个种子", n))
	}
	if len(facts) == 0 {
		return said{r.Profile, r.Profile}
	}
	if paperOf(r.ID) == notebook.Own { // it has one size, its own
		return typeset.CommaList(facts)
	}
	return notebook.Bothf("%s: %s", "%s：%s", r.Profile, typeset.CommaList(facts))
}

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
			name = said{d.Origin + " " + own, ran.Origins[d.Origin].Zh() + " " + own}
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

// commonFacts holds what the results of one profile have in common, said once above them.
type commonFacts struct {
	Profile string
	Facts   []ran.Fact
}

// shareFacts takes out of the provenance of every side what more than three quarters
// of the sides of its profile say alike, of the facts that each of them states once.
// A side that says otherwise keeps its own, and warnings stay where they are.
func shareFacts(sides []side) (shared []commonFacts) {
	var profiles []string
	of := map[string][]int{}
	for i, s := range sides {
		if of[s.Profile] == nil {
			profiles = append(profiles, s.Profile)
		}
		of[s.Profile] = append(of[s.Profile], i)
	}
	for _, p := range profiles {
		says, names, common := map[ran.Fact]int{}, map[string]int{}, map[ran.Fact]bool{}
		for _, i := range of[p] {
			once := map[string]int{}
			for _, f := range sides[i].Prov {
				says[f]++
				once[f.Name.En()]++
			}
			for name, n := range once {
				if n == 1 {
					names[name]++
				}
			}
		}
		c, all := commonFacts{Profile: p}, len(of[p])
		for _, i := range of[p] {
			var own []ran.Fact
			for _, f := range sides[i].Prov {
				if f.Warn || all == 1 || names[f.Name.En()] != all || 4*says[f] <= 3*all {
					own = append(own, f)
				} else if !common[f] {
					common[f] = true
					c.Facts = append(c.Facts, f)
				}
			}
			sides[i].InCommon = len(own) < len(sides[i].Prov)
			sides[i].Prov = own
		}
		slices.SortStableFunc(c.Facts, func(a, b ran.Fact) int { return ran.Place(a) - ran.Place(b) })
		if len(c.Facts) > 0 {
			shared = append(shared, c)
		}
	}
	return shared
}
