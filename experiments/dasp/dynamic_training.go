package dasp

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// dynLearned names the scenarios that LeNet-5 is trained in, with the one that
// each is compared with: the cluster of table 7 or 6, as it is. Their runs are
// those tables' own.
var dynLearned = []dynLesson{{"static", ""}, {"steps", "static"}, {"undisturbed", ""}, {"bursts", "undisturbed"}}

type dynLesson struct{ key, against string }

// dynLessons are those of a profile: ci trains the steps alone, and what they are
// compared with.
func dynLessons(profile string) []dynLesson {
	if profile == "ci" {
		return dynLearned[:2]
	}
	return dynLearned
}

// dynStudy trains LeNet-5 in every scenario of dynLearned, with all methods and
// seeds. The speeds are those of the timing-only runs, since the clock is.
func (r *runs) dynStudy() (map[string]trainings, error) {
	s := sizeOf(r.env.Profile, "lenet5")
	out := map[string]trainings{}
	for _, l := range dynLessons(r.env.Profile) {
		out[l.key] = trainings{}
		scenario := dynScenarioOf(l.key)
		cfg := dynConfig(dynCase{Model: s.Model}, scenario.Base, r.env.Profile)
		pace, err := r.dynPaceOf(cfg.Platform, cfg)
		if err != nil {
			return nil, err
		}
		for _, seed := range r.env.Seeds {
			plan := scenario.plan(pace, seed, dynHorizon*float64(s.Pushes/workers)*pace.Unit)
			for _, method := range methods {
				c, err := r.trainOne(plan.on(cfg.Platform), method, seed, s)
				if err != nil {
					return nil, err
				}
				if n := len(c.Curve); n > 0 && c.Curve[n-1].Seconds > plan.Horizon {
					return nil, fmt.Errorf("dasp: %s, %s: the run takes %g s, its schedule reaches %g s", scenario.Title, title[method], c.Curve[n-1].Seconds, plan.Horizon)
				}
				out[l.key][method] = append(out[l.key][method], c)
			}
		}
	}
	return out, nil
}

// dynLearn trains and writes what it found into res.
func (r *runs) dynLearn(res *result.Result) error {
	t, err := r.dynStudy()
	if err != nil {
		return err
	}
	s := sizeOf(r.env.Profile, "lenet5")
	c := t["static"]["bsp"][0]
	res.Engine = c.Engine
	setData(res, c.Data)
	res.Tables = append(res.Tables, dynLearning(s, t))
	res.Notes = append(res.Notes, dynLearningNote(s, t))
	return nil
}

// dynLearning is the time to the target in every scenario.
func dynLearning(s size, t map[string]trainings) result.Table {
	tab := result.Table{ID: "learning", Title: fmt.Sprintf("Time to %s, %s", s.percent(), title[s.Model]), Kind: result.Trained,
		Caption: fmt.Sprintf("Virtual time and gradients until the test accuracy first reaches %s (linear between evaluations), mean over seeds, ± half the 95 %% interval. "+
			"Ratios are paired by seed, with their 95 %% intervals: to BSP in the same scenario, and to the same method on the same cluster without changes (steps: heterogeneous; bursts: homogeneous and undisturbed). "+
			"No hypothesis was made on learning. Trained: %s. %s", s.percent(), trainedOn(s, t["static"]), dynWhere),
		Columns: []result.Column{{Key: "scenario", Title: "speeds"}, {Key: "method", Title: "method"}, {Key: "seconds", Title: "time to target", Unit: "s", Digits: 3},
			{Key: "half", Title: "±", Unit: "s", Digits: 3}, {Key: "ratio", Title: "BSP = 1", Digits: 3}, {Key: "lo", Title: "from", Digits: 3}, {Key: "hi", Title: "to", Digits: 3},
			{Key: "change", Title: "without changes = 1", Digits: 3}, {Key: "change_lo", Title: "from", Digits: 3}, {Key: "change_hi", Title: "to", Digits: 3},
			{Key: "pushes", Title: "gradients to target"}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2}, {Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}}}
	for _, l := range dynLearned {
		if len(t[l.key]) == 0 {
			continue
		}
		base, _, baseOK := reachedBy(t[l.key]["bsp"], s.Target)
		for _, method := range methods {
			cells := t[l.key][method]
			accuracy, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Accuracy }))
			stale, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Staleness.Mean }))
			row := []any{l.key, title[method], nil, nil, nil, nil, nil, nil, nil, nil, nil, 100 * accuracy, stale}
			if sec, push, ok := reachedBy(cells, s.Target); ok {
				mean, half := exp.MeanAndHalf(sec)
				row[2], row[3] = mean, exp.OrNone(half)
				if baseOK {
					copy(row[4:7], dynEntries(ratio(sec, base)))
				}
				if before, _, ok := reachedBy(t[l.against][method], s.Target); ok && l.against != "" {
					copy(row[7:10], dynEntries(ratio(sec, before)))
				}
				row[10], _ = exp.MeanAndHalf(push)
			}
			tab.Rows = append(tab.Rows, row)
		}
	}
	return tab
}

// dynLearningNote says how DASP's time to the target compares with its rivals',
// and who never got there.
func dynLearningNote(s size, t map[string]trainings) string {
	var found []string
	for _, key := range []string{"steps", "bursts"} {
		if len(t[key]) == 0 {
			continue
		}
		ours, _, ok := reachedBy(t[key]["dasp"], s.Target)
		var parts []string
		for _, method := range methods {
			if method == "dasp" {
				continue
			}
			theirs, _, reached := reachedBy(t[key][method], s.Target)
			if !ok || !reached {
				parts = append(parts, "not comparable with "+title[method]+"'s, since a seed does not reach the target")
				continue
			}
			x, ci := ratio(ours, theirs)
			parts = append(parts, fmt.Sprintf("×%s of %s's%s", dynInterval(x, ci), title[method], dynTold(x, ci)))
		}
		found = append(found, key+" "+strings.Join(parts, ", "))
	}
	return fmt.Sprintf("Learning (%s, trained), DASP's time to %s where speeds change: %s.", title[s.Model], s.percent(), strings.Join(found, "; "))
}

// What an interval of a ratio of times shows.
const (
	dynShorter = "shorter"
	dynLonger  = "longer"
	dynUntold  = "not told apart"
)

// dynSide is what a ratio shows by its interval. One seed has none: then it is
// what the ratio itself shows, beyond dynVisible.
func dynSide(x float64, ci *[2]float64) string {
	lo, hi := x*(1-dynVisible), x*(1+dynVisible)
	if ci != nil {
		lo, hi = ci[0], ci[1]
	}
	switch {
	case hi < 1:
		return dynShorter
	case lo > 1:
		return dynLonger
	}
	return dynUntold
}

// dynTold is dynSide for a sentence, where there is an interval.
func dynTold(x float64, ci *[2]float64) string {
	if ci == nil {
		return ""
	}
	return " (" + dynSide(x, ci) + ")"
}
