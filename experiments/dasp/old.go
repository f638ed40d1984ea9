package dasp

import (
	"fmt"
	"slices"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
)

// What experiments that still write finished presentation need of trainings; it goes with
// the last of them.

// trainings holds one network's cells on one cluster: [method][seed].
type trainings map[string][]cell

// trainOne is trainedOnce with its progress.
func (r *runs) trainOne(p *cluster.Platform, method string, seed uint64, s size) (cell, error) {
	what := fmt.Sprintf("%s, %s, %s, seed %d", title[s.Model], p.Name, title[method], seed)
	c, err := trainedOnce(r.ctx, r.env, p, method, seed, s)
	if err != nil {
		return c, fmt.Errorf("dasp: %s: %w", what, err)
	}
	r.done += s.seconds(s.Pushes)
	r.report(r.done, what)
	return c, nil
}

// reachedBy collects seconds and pushes to the target per seed; ok is false if a seed never
// reaches it.
func reachedBy(cells []cell, target float64) (seconds, pushes []float64, ok bool) {
	for _, c := range cells {
		x, reached := train.Reach(c.Curve, target)
		if !reached {
			return nil, nil, false
		}
		seconds, pushes = append(seconds, x.Seconds), append(pushes, x.Pushes)
	}
	return seconds, pushes, true
}

// setData names the data sets of a result, each once; networks that see the same
// images in other sizes join their notes.
func setData(res *result.Result, sets ...*result.Data) {
	var all []result.Data
	for _, d := range sets {
		if d == nil {
			continue
		}
		at := slices.IndexFunc(all, func(o result.Data) bool { return o.Name == d.Name })
		if at < 0 {
			all = append(all, *d)
		} else if d.Note != "" && !strings.Contains(all[at].Note, d.Note) {
			all[at].Note = strings.TrimPrefix(all[at].Note+"; "+d.Note, "; ")
		}
	}
	if len(all) > 0 {
		res.Data = &all[0]
	}
	if len(all) > 1 {
		res.Datasets = all
	}
}

// trainedOn says how a network's trainings were made, and on what.
func trainedOn(s size, t trainings) string {
	for _, c := range t["bsp"] { // the others saw the same
		if c.Data != nil {
			return fmt.Sprintf("%s; data: %s (%s)", s.how(), c.Data.Name, c.Data.Origin)
		}
	}
	return s.how()
}

// short says in how many seeds a method misses the target, "" if in none.
func short(s size, method string, t trainings) string {
	n := 0
	for _, c := range t[method] {
		if _, ok := train.Reach(c.Curve, s.Target); !ok {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not reach %s in %d of %d seeds within %d gradients", title[method], s.percent(), n, len(t[method]), s.Pushes)
}

// identical reports whether two methods did the same in every seed.
func identical(a, b []cell) bool {
	return slices.EqualFunc(a, b, func(x, y cell) bool { return slices.Equal(x.Curve, y.Curve) })
}
