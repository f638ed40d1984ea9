package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ranFact is a line of the box; Values are the different ones of all results, Sets those
// of the line that names data.
type ranFact struct {
	Name   string
	Values []string
	Sets   []ranSet
	Code   bool
	Words  bool // has Chinese; names, numbers and times are the same in both languages
}

// ranSet is a data set with the start of its hash.
type ranSet struct{ Name, Origin, SHA256 string }

// ranFacts are the seeds, the machine and what else decided the bits and the time.
func ranFacts(rs []loaded) []ranFact {
	var facts []ranFact
	add := func(f ranFact, of func(loaded) string) {
		if f.Values = ranValues(rs, of); len(f.Values) > 0 {
			facts = append(facts, f)
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
	add(ranFact{Name: "profile"}, func(r loaded) string { return r.Profile })
	add(ranFact{Name: "seeds"}, func(r loaded) string { return seeds(r.Seeds) })
	if starts := ranValues(rs, run(func(r loaded) string { return utc(r.Run.Started) })); len(starts) > 0 {
		slices.Sort(starts) // of one form: by time
		if n := len(starts); n > 1 {
			starts = []string{starts[0] + " – " + starts[n-1]}
		}
		facts = append(facts, ranFact{Name: "started", Values: starts})
	}
	add(ranFact{Name: "machine"}, run(func(r loaded) string {
		return fmt.Sprintf("%s, GOMAXPROCS %d, %s", cmp.Or(r.Run.CPU, "?"), r.Run.GOMAXPROCS, r.Run.Platform)
	}))
	add(ranFact{Name: "accelerator", Words: true}, run(func(r loaded) string { return r.Run.Accelerator }))
	add(ranFact{Name: "Go"}, run(func(r loaded) string { return r.Run.Go }))
	add(ranFact{Name: "engine", Words: true}, engine)
	if sets := ranData(rs); len(sets) > 0 {
		facts = append(facts, ranFact{Name: "data", Sets: sets})
	}
	add(ranFact{Name: "commit", Code: true}, run(func(r loaded) string { return r.Run.Commit }))
	total := 0.0
	for _, r := range rs {
		if r.Run != nil {
			total += r.Run.WallSeconds
		}
	}
	if total > 0 {
		facts = append(facts, ranFact{Name: "wall time, all results", Values: []string{seconds(total)}, Words: true})
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

// ranData are the different sets of all results, in order.
func ranData(rs []loaded) []ranSet {
	var out []ranSet
	for _, r := range rs {
		for _, d := range r.Sets() {
			if s := (ranSet{d.Name, d.Origin, fmt.Sprintf("%.12s…", d.SHA256)}); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
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
