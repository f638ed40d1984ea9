package ran

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gradsync/reports/typeset"
)

// boxLine is a line of the box; Values are the different ones of all results, Sets those
// of the line that names data.
type boxLine struct {
	Name   said
	Values []said
	Sets   []dataSet
	Code   bool
}

// dataSet is a data set with the start of its hash.
type dataSet struct {
	Name, SHA256 string
	Origin       said
}

// boxLines returns the seeds, the machine and what else decided the bits and the time.
func boxLines(rs []File) []boxLine {
	var facts []boxLine
	add := func(name said, code bool, of func(File) string, words func(string) said) {
		f := boxLine{Name: name, Code: code}
		for _, v := range values(rs, of) {
			f.Values = append(f.Values, words(v))
		}
		if len(f.Values) > 0 {
			facts = append(facts, f)
		}
	}
	plain := func(v string) said { return said{v, v} }
	run := func(of func(File) string) func(File) string {
		return func(r File) string {
			if r.Run == nil {
				return ""
			}
			return of(r)
		}
	}
	add(said{"profile", "档位"}, false, func(r File) string { return r.Profile }, plain)
	add(said{"seeds", "种子"}, false, func(r File) string { return seeds(r.Seeds) }, plain)
	if starts := values(rs, run(func(r File) string { return utc(r.Run.Started) })); len(starts) > 0 {
		slices.Sort(starts) // of one form: by time
		if n := len(starts); n > 1 {
			starts = []string{starts[0] + " – " + starts[n-1]}
		}
		facts = append(facts, boxLine{Name: said{"started", "开始时间"}, Values: []said{plain(starts[0])}})
	}
	add(said{"machine", "机器"}, false, run(func(r File) string {
		return fmt.Sprintf("%s, GOMAXPROCS %d, %s", cmp.Or(r.Run.CPU, "?"), r.Run.GOMAXPROCS, r.Run.Platform)
	}), plain)
	add(said{"accelerator", "加速器"}, false, run(func(r File) string { return r.Run.Accelerator }), accelerator)
	add(said{"Go", "Go"}, false, run(func(r File) string { return r.Run.Go }), plain)
	add(said{"engine", "引擎"}, false, engine, engineName)
	if sets := dataSets(rs); len(sets) > 0 {
		facts = append(facts, boxLine{Name: said{"data", "数据"}, Sets: sets})
	}
	add(said{"commit", "提交"}, true, run(func(r File) string { return r.Run.Commit }), plain)
	total := 0.0
	for _, r := range rs {
		if r.Run != nil {
			total += r.Run.WallSeconds
		}
	}
	if total > 0 {
		facts = append(facts, boxLine{Name: said{"wall time, all results", "总用时"}, Values: []said{typeset.Seconds(total)}})
	}
	return facts
}

// changes says whether the tree that made the results had uncommitted changes. Only
// a record of the result's own bytes that names its commit can say that it had none.
func changes(rs []File) said {
	says := said{"none recorded", "没有记录"}
	for _, r := range rs {
		switch {
		case r.Run != nil && r.Run.Dirty:
			return said{"yes", "是"}
		case r.Run == nil || r.Stale || !known(r.Run.Commit):
			says = said{"unknown", "未知"}
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

// dataSets returns the different sets of all results, in order.
func dataSets(rs []File) []dataSet {
	var out []dataSet
	for _, r := range rs {
		for _, d := range r.Data {
			if s := (dataSet{d.Name, fmt.Sprintf("%.12s…", d.SHA256), Origins[d.Origin]}); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// values returns the different values of all results that are not empty, in order.
func values(rs []File, of func(File) string) []string {
	var out []string
	for _, r := range rs {
		if s := of(r); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
