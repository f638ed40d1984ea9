package dasp

import (
	"fmt"
	"slices"
	"strings"
	"time"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// What experiments that still write finished presentation need of trainings; it goes with
// the last of them.

var clusters = []string{"homogeneous", "heterogeneous"}

// grid holds the cells of a timing table: [model][method][seed].
type grid map[string]map[string][]cell

// values collects one number per seed.
func values(cells []cell, of func(cell) float64) []float64 {
	out := make([]float64, len(cells))
	for i, c := range cells {
		out[i] = of(c)
	}
	return out
}

// assumed is what every verdict that hangs on times has behind it.
const assumed = "the platform is assumed (the paper's Tables 1–2 are lost)"

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

// lanes draws one lane per worker up to end: the iteration (pull, computation, push),
// then the wait for the server's answer in its state.
func lanes(method string, l *dasp.Log, end time.Duration) result.Figure {
	f := result.Figure{ID: "timeline-" + method, Title: title[method] + ", heterogeneous cluster, LeNet-5", Kind: result.Trained, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "worker"}}
	waits := map[string]int{}
	for w := 0; w < l.Workers; w++ {
		f.Lanes = append(f.Lanes, fmt.Sprintf("worker %d", w+1))
	}
	for _, p := range l.Pushes {
		if p.Received > end || p.Abandoned {
			continue
		}
		state := waitName(method, p)
		label := fmt.Sprintf("iteration %d, version %d → %d, gap %d, %s", p.Step, p.Pulled, p.Applied, p.Gap, state)
		f.Bands = append(f.Bands, result.Band{Lane: p.Worker, From: 1e3 * p.Sent.Seconds(), To: 1e3 * p.Received.Seconds(), State: "compute", Label: label})
		if to := min(p.Replied, end); to > p.Received {
			f.Bands = append(f.Bands, result.Band{Lane: p.Worker, From: 1e3 * p.Received.Seconds(), To: 1e3 * to.Seconds(), State: state, Label: label})
		}
		waits[state]++
	}
	f.Caption = "One lane per worker, fastest device first. “compute” is pull, computation and push; what follows is the wait for the answer" +
		map[bool]string{true: ", by state.", false: "."}[method == "dasp"]
	f.Alt = fmt.Sprintf("%s over %.3g ms, pushes by answer:", title[method], 1e3*end.Seconds())
	for _, name := range []string{"QIS", "WSS", "FSS", "at once", "barrier"} {
		if waits[name] > 0 {
			f.Alt += fmt.Sprintf(" %s %d;", name, waits[name])
		}
	}
	f.Alt = strings.TrimSuffix(f.Alt, ";") + "."
	return f
}

// waitName is the state of a push under DASP, and under a method without states
// whether others held it up.
func waitName(method string, p dasp.Push) string {
	switch {
	case method == "dasp":
		return p.State.String()
	case p.State == 0:
		return "barrier"
	}
	return "at once"
}
