package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ranFact is a line of the box; Values are the different ones of all results.
type ranFact struct {
	Name   string
	Values []string
	Code   bool
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
	if starts := ranValues(rs, run(func(r loaded) string { return utc(r.Run.Started) })); len(starts) > 0 {
		slices.Sort(starts) // of one form: by time
		if n := len(starts); n > 1 {
			starts = []string{starts[0] + " – " + starts[n-1]}
		}
		facts = append(facts, ranFact{Name: "started", Values: starts})
	}
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

// ranChanges says whether the tree that made the results had uncommitted changes. Only
// a record of the result's own bytes that names its commit can say that it had none.
func ranChanges(rs []loaded) string {
	says := "none recorded"
	for _, r := range rs {
		switch {
		case r.Run != nil && r.Run.Dirty:
			return "yes"
		case r.Run == nil || r.Stale || !known(r.Run.Commit):
			says = "unknown"
		}
	}
	return says
}

// utc prints a time of a record for a reader.
func utc(started string) string {
	t, err := time.Parse(time.RFC3339, started)
	if err != nil {
		return started
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
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
