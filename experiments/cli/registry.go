package cli

import (
	"fmt"
	"sort"
	"strings"

	"gradsync/experiments/codedsgd"
	"gradsync/experiments/compare"
	"gradsync/experiments/dasp"
	"gradsync/experiments/exp"
	"gradsync/experiments/ring"
	"gradsync/experiments/ringsparse"
)

// sources are the packages of experiments. A new paper is one line here.
var sources = []func() []exp.Experiment{dasp.Experiments, ring.Experiments, ringsparse.Experiments, codedsgd.Experiments, compare.Experiments}

// Experiments returns all experiments in the order of their sources.
func Experiments() []exp.Experiment {
	var out []exp.Experiment
	for _, s := range sources {
		out = append(out, s()...)
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
			return nil, usagef("run: no experiment %q: known are %s", a, known(all))
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

func known(all []exp.Experiment) string {
	ids := make([]string, len(all))
	for i, e := range all {
		ids[i] = e.ID
	}
	sort.Strings(ids)
	return strings.Join(ids, ", ")
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
