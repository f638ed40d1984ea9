package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gradsync/experiments/codedsgd"
	"gradsync/experiments/compare"
	"gradsync/experiments/dasp"
	"gradsync/experiments/exp"
	"gradsync/experiments/ring"
	"gradsync/experiments/ringsparse"
	"gradsync/reports"
)

// sources are the packages of experiments. A new paper is one line here.
var sources = []func() []exp.Experiment{dasp.Experiments, ring.Experiments, ringsparse.Experiments, codedsgd.Experiments, compare.Experiments}

// Experiments returns all experiments in the order of their sources.
func Experiments() []exp.Experiment {
	var out []exp.Experiment
	for _, s := range sources {
		for _, e := range s() {
			if e.Title == "" {
				e.Title = reports.Title(e.ID)
			}
			out = append(out, e)
		}
	}
	return out
}

// choose returns the experiments that args name: an id ("dasp/table5"), a paper
// ("dasp": all of its), or "all". The order is that of Experiments, each once.
func choose(all []exp.Experiment, args []string) ([]exp.Experiment, error) {
	wanted := map[string]bool{}
	for _, a := range args {
		found := false
		for _, e := range all {
			if a == "all" || e.ID == a || strings.HasPrefix(e.ID, a+"/") {
				wanted[e.ID], found = true, true
			}
		}
		if !found {
			return nil, usagef("run: no experiment %q: the nearest are %s; `gradsync list` has all", a, nearest(all, a))
		}
	}
	var out []exp.Experiment
	for _, e := range all {
		if wanted[e.ID] {
			out = append(out, e)
		}
	}
	return out, nil
}

// fewNearest is how many names an unknown one is answered with.
const fewNearest = 3

// nearest are the papers and ids that differ least from name, in as few letters.
func nearest(all []exp.Experiment, name string) string {
	var names []string
	for _, e := range all {
		paper, _, _ := strings.Cut(e.ID, "/")
		if !slices.Contains(names, paper) {
			names = append(names, paper)
		}
		names = append(names, e.ID)
	}
	name = string([]rune(strings.ToLower(name))[:min(utf8.RuneCountInString(name), longName)])
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(edits(name, a), edits(name, b)) })
	return strings.Join(names[:min(fewNearest, len(names))], ", ")
}

// longName is how many letters of a name are compared: no id is longer.
const longName = 60

// edits is how many letters must be put in, taken out or exchanged to make b of a.
func edits(a, b string) int {
	to := []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range []rune(a) {
		before := row[0]
		row[0] = i + 1
		for j, y := range to {
			change := before
			if x != y {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(to)]
}

// profileOf checks that an experiment has a profile.
func profileOf(e exp.Experiment, profile string) error {
	for _, p := range e.Profiles {
		if p == profile {
			return nil
		}
	}
	return fmt.Errorf("%s has no profile %q, only %s", e.ID, profile, strings.Join(e.Profiles, ", "))
}
