package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ranView is the box "What I ran" of a page that is handed in: one page holds the
// results of one person's runs, and the box says whether they are the published ones.
type ranView struct {
	Commands []string // in the order of the page, each once
	Facts    []ranFact
	Results  []ranResult
	// How many results have the published bits, have others, have no published
	// counterpart.
	Same, Other, Unpublished int
	Dirty                    bool // a run's tree had changes that no commit holds
	NoRecord                 int  // results without a record of their run
	Stale                    int  // results whose record belongs to other bytes
}

// ranFact is a line of the box; Values are the different ones of all results.
type ranFact struct {
	Name   string
	Values []string
	Code   bool
}

// ranResult is one result beside the published one of its profile.
type ranResult struct {
	ID, Profile, Anchor string
	SHA256              string
	Published           bool // there is one
	Same                bool
	Why                 []ranWhy // where the bits are others
}

// ranWhy is one reason for other bits: What, in words, and the two values where
// there are two.
type ranWhy struct{ What, Mine, Published string }

// Of is how many results could be compared.
func (v *ranView) Of() int { return v.Same + v.Other }

// ranBox is the box of a page that stands alone; nil, no box, where pages share a
// folder: those are for reading on, not for handing in.
func ranBox(o Options, rs []loaded) (*ranView, error) {
	if !o.SingleFile {
		return nil, nil
	}
	pub, err := embeddedPublished()
	if err != nil {
		return nil, err
	}
	return ran(rs, pub), nil
}

// ran compares results with the published ones.
func ran(rs []loaded, pub map[string]published) *ranView {
	v := &ranView{}
	for _, r := range rs {
		x := ranResult{ID: r.ID, Profile: r.Profile, Anchor: r.Anchor(), SHA256: r.SHA256}
		var p published
		if p, x.Published = pub[publishedKey(r.Result)]; x.Published {
			x.Same = p.SHA256 == r.SHA256
		}
		switch {
		case !x.Published:
			v.Unpublished++
		case x.Same:
			v.Same++
		default:
			v.Other++
			x.Why = whyOtherBits(r, p)
		}
		v.Results = append(v.Results, x)
		v.Dirty = v.Dirty || r.Run != nil && r.Run.Dirty
		if r.Run == nil {
			v.NoRecord++
		}
		if r.Stale {
			v.Stale++
		}
	}
	v.Commands = ranValues(rs, func(r loaded) string {
		if r.Run == nil {
			return ""
		}
		return r.Run.Command
	})
	v.Facts = ranFacts(rs)
	return v
}

// ranFacts are the seeds, the machine and what else decided the bits and the time.
func ranFacts(rs []loaded) []ranFact {
	var facts []ranFact
	add := func(name string, code bool, of func(loaded) string) {
		if values := ranValues(rs, of); len(values) > 0 {
			facts = append(facts, ranFact{name, values, code})
		}
	}
	run := func(of func(loaded) string) func(loaded) string {
		return func(r loaded) string {
			if r.Run == nil {
				return ""
			}
			return of(r)
		}
	}
	add("profile", false, func(r loaded) string { return r.Profile })
	add("seeds", false, func(r loaded) string { return seeds(r.Seeds) })
	add("machine", false, run(func(r loaded) string {
		return fmt.Sprintf("%s, GOMAXPROCS %d, %s", cmp.Or(r.Run.CPU, "?"), r.Run.GOMAXPROCS, r.Run.Platform)
	}))
	add("accelerator", false, run(func(r loaded) string { return r.Run.Accelerator }))
	add("Go", false, run(func(r loaded) string { return r.Run.Go }))
	add("engine", false, engine)
	add("data", false, func(r loaded) string { return ranData(r) })
	add("commit", true, run(func(r loaded) string { return r.Run.Commit }))
	total := 0.0
	for _, r := range rs {
		if r.Run != nil {
			total += r.Run.WallSeconds
		}
	}
	if total > 0 {
		facts = append(facts, ranFact{Name: "wall time, all results", Values: []string{seconds(total)}})
	}
	return facts
}

// ranData names the sets of a result, each with the start of its hash.
func ranData(r loaded) string {
	var names []string
	for _, d := range r.Sets() {
		names = append(names, fmt.Sprintf("%s (%s, sha256 %.12s…)", d.Name, d.Origin, d.SHA256))
	}
	return strings.Join(names, " / ")
}

// ranValues are the different values of all results that are not empty, in order.
func ranValues(rs []loaded, of func(loaded) string) []string {
	var out []string
	for _, r := range rs {
		if s := of(r); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// whyOtherBits says why the bytes of a result are not the published ones, as far as
// both files tell: first what must change them; then another configuration; then what
// may change them; and where nothing differs, that it should not be.
func whyOtherBits(r loaded, p published) []ranWhy {
	var why []ranWhy
	differ := func(what, mine, theirs string) {
		if mine != theirs && mine != "" && theirs != "" {
			why = append(why, ranWhy{what, mine, theirs})
		}
	}
	mine := factsOf(r)
	if r.Status != "complete" {
		why = append(why, ranWhy{What: "the run was interrupted"})
	}
	if !slices.Equal(mine.Seeds, p.Seeds) {
		why = append(why, ranWhy{"other seeds", cmp.Or(seeds(mine.Seeds), "–"), cmp.Or(seeds(p.Seeds), "–")})
	}
	if !slices.Equal(mine.Data, p.Data) {
		why = append(why, ranWhy{"other data", ranSets(mine.Data), ranSets(p.Data)})
	}
	differ("another engine", mine.Engine, p.Engine)
	if len(why) > 0 {
		return why
	}
	if mine.Config != p.Config {
		why = append(why, ranWhy{"other settings in the experiment, by the hash of its configuration", mine.Config[:min(12, len(mine.Config))] + "…", p.Config[:min(12, len(p.Config))] + "…"})
	}
	differ("another system", mine.Platform, p.Platform)
	differ("another commit", mine.Commit, p.Commit)
	if r.Run != nil && r.Run.Dirty {
		why = append(why, ranWhy{What: "changes that no commit holds"})
	}
	differ("another Go", mine.Go, p.Go)
	if len(why) == 0 {
		why = append(why, ranWhy{What: "same settings, other bits: please report this"})
	}
	return why
}

// ranSets shortens the hashes of data sets for a reader.
func ranSets(sets []string) string {
	var out []string
	for _, s := range sets {
		i := strings.LastIndex(s, " ")
		out = append(out, fmt.Sprintf("%s (%.12s…)", s[:i], s[i+1:]))
	}
	return cmp.Or(strings.Join(out, " / "), "–")
}
