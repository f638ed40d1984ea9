// Package explain searches for laboratories (hardware, compute times and thresholds) that give the
// iteration-time ratios of the paper, all of them at once.
package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// effort says how long a profile searches.
type effort struct {
	Pushes int64 `json:"gradients"` // of a run of the search; the fits are run again at the tables' length
	Warmup int64 `json:"warmup"`    // of each worker
	Full   int64 `json:"full"`      // gradients of the fits' own runs, the tables' number but in ci
	Scan   int   `json:"scan"`      // points of the Latin hypercube, per space
	Chunk  int   `json:"chunk"`     // points per saved part
	// An evolution has Population points and Generations generations. The meanings that fit best
	// go on for More, a subset of the demands has Alone. Rounds of coordinate descent follow at
	// the tables' length.
	Population  int `json:"population"`
	Generations int `json:"generations"`
	More        int `json:"generations_more"`
	Alone       int `json:"generations_alone"`
	Rounds      int `json:"rounds"`
}

// effortOf returns the effort of a profile.
func effortOf(profile string) effort {
	switch profile {
	case "ci":
		return effort{Pushes: 60, Warmup: 2, Full: 120, Scan: 3, Chunk: 3, Population: 3}
	case "quick":
		return effort{Pushes: 180, Warmup: 6, Full: setup.Workers * setup.PerWorker, Scan: 128, Chunk: 64, Population: 12, Generations: 4, More: 6, Alone: 4,
			Rounds: 1}
	}
	return effort{Pushes: 240, Warmup: 8, Full: setup.Workers * setup.PerWorker, Scan: 512, Chunk: 64, Population: 32, Generations: 16, More: 40, Alone: 45,
		Rounds: 5}
}

// runsOf estimates the length of the search, in runs of Full gradients.
func (e effort) runsOf() float64 {
	share := float64(e.Pushes) / float64(e.Full)
	evolved := (len(meanings)*(e.Generations+1) + goOn*e.More) * 19
	if e.Generations == 0 {
		evolved = len(meanings) * 24
	}
	searched := float64(len(spaces) * (e.Scan*24 + e.Population*evolved))
	full := float64(len(spaces) * (len(meanings) + goOn) * finalists * 24)
	if e.Alone > 0 {
		searched += float64((len(subsets())-1)*e.Population*(e.Alone+1)*9) + float64(len(axes)*len(spaces)*8*14)
		full += float64(len(spaces)*17*2*e.Rounds*14 + (len(subsets())-1)*len(axes)*2*e.Rounds*7)
	}
	return share*searched + full
}

const (
	goOn      = 2 // meanings per space that go on for More generations
	finalists = 4 // points of an evolution that are scored at full length
)

// Experiment returns dasp/explain.
func Experiment() exp.Experiment { return inverse().Experiment() }

// inverse asks the inverse question: which laboratories give the iteration-time ratios that the
// paper states, all of them at once. It judges no claim: a platform chosen to fit cannot confirm the
// numbers that it was fitted to.
func inverse() kit.Inquiry {
	return kit.Inquiry{ID: "dasp/explain", Source: "DASP, §3.2", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			size := effortOf(profile)
			return float64(size.Full) * (3e-6*size.runsOf() + 15e-6*float64(len(spaces)*24*seeds))
		},
		Config: func(profile string) map[string]any {
			size := effortOf(profile)
			return map[string]any{"effort": size, "search": base(), "full": map[string]any{"gradients": size.Full, "warmup": setup.Warmup}}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			q := &searcher{ctx: ctx, env: env, size: effortOf(env.Profile), full: fullSizes(), want: demands()}
			err := q.search()
			if err == nil {
				q.show(r)
			}
			return err
		}}
}

// base returns all that the search's numbers rest on beside the effort.
func base() map[string]any {
	return map[string]any{"axes": axes, "spaces": spaces, "search_seed": searchSeed, "demands": demands(), "meanings": meanings, "batch": setup.FullBatch,
		"options": setup.Options(), "platform": kit.Platform(setup.Load(setup.Homogeneous))}
}

// searcher holds the whole search and what it found.
type searcher struct {
	ctx  context.Context
	env  exp.Env
	done float64 // per cent
	size effort
	full map[string]setup.FullSize
	want [stated18]demand

	points [2][][]float64 // scanned, by space
	scores [2][]ratios

	fits [2][len(meanings)]evolvedFit // by space
	won  [2]int                       // the meaning that fits best, by space
	last [2]bestFit
	// alone holds the least losses of the subsets.
	alone []partFit

	seen       extents
	candidates int
	runs       int
}

// evolvedFit is the end of one evolution, with its loss at the tables' length.
type evolvedFit struct {
	fit
	FullLoss float64
}

// bestFit is the best fit of a space, polished and run with all seeds.
type bestFit struct {
	lab    laboratory
	fit    fit                    // loss at the tables' length, search seed
	slack  []extent               // by axis: values that cost at most a tenth of the loss
	ratios [stated18]kit.Estimate // over all seeds, paired; no number where a reading has none
	loss   float64                // over all seeds
	qis    map[string]float64     // share of DASP's pushes in QIS, by cluster and model
}

// partFit is the best fit of a subset of the demands by itself.
type partFit struct {
	subset
	own, within float64 // loss of its own fit, and of the best fit of all 18 on it
}

// search takes all steps in order: it scans both spaces, evolves per space and meaning, polishes the
// best of each space, searches for the subsets, and runs the best fits with all seeds.
func (q *searcher) search() (err error) {
	then := func(step func() error) {
		if err == nil {
			err = step()
		}
	}
	for s := range spaces {
		then(func() error { return q.scan(s) })
	}
	for s := range spaces {
		for k := range meanings {
			then(func() error { return q.evolve(s, k) })
		}
		then(func() error { return q.goOn(s) })
		then(func() error { return q.finish(s) })
	}
	then(q.subsets)
	for s := range spaces {
		then(func() error { return q.withSeeds(s) })
	}
	return err
}

// searchPart is one saved part of the search.
type searchPart struct {
	Fit        fit
	Scores     []ratios `json:",omitempty"` // of a scan
	Within     float64  // loss of the fit of all 18 on a subset
	Slack      []extent `json:",omitempty"` // by axis
	Spans      extents
	Candidates int
	Runs       int
}

// part makes a part of the search, or loads what an earlier command left of it. A part depends on
// the effort, the base, the space and the parts before it; name and start stand for these. Every part has its
// own evaluator, so that an interrupted search counts the same runs. cost is in per cent of the
// whole.
func (q *searcher) part(name string, start any, cost float64, pushes, warm int64, compute func(e *evaluator, p *searchPart) error) (searchPart, error) {
	key := []any{"explain", name, start, q.size, base(), pushes, warm}
	p, err := kit.Keep(q.ctx, q.env, key, func(string) (p searchPart, err error) {
		e := newEvaluator(q.ctx, q.full, pushes, warm)
		err = compute(e, &p)
		p.Spans, p.Candidates, p.Runs = e.seen, e.candidates, e.runs
		return p, err
	})
	if err != nil {
		return p, err
	}
	q.candidates += p.Candidates
	q.runs += p.Runs
	q.seen.join(&p.Spans)
	q.step(cost, name)
	return p, nil
}

// step adds cost to the progress and reports it.
func (q *searcher) step(cost float64, what string) {
	if q.done += cost; q.env.Progress != nil {
		q.env.Progress(q.done, 100, what)
	}
}

// scan scores a Latin hypercube, chunk by chunk.
func (q *searcher) scan(s int) error {
	q.points[s] = hypercube(spaces[s], q.size.Scan)
	for chunk := range slices.Chunk(q.points[s], q.size.Chunk) {
		name := fmt.Sprintf("scan, %s, from %d", spaces[s].Key, len(q.scores[s]))
		p, err := q.part(name, chunk, 15*float64(len(chunk))/float64(2*q.size.Scan), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *searchPart) (err error) {
			p.Scores, err = e.decoded(chunk, subsets()[0].Of)
			return err
		})
		if err != nil {
			return err
		}
		q.scores[s] = append(q.scores[s], p.Scores...)
	}
	return nil
}

// pool returns n points of space s to start from: the points known to be good, then the best scanned
// ones for a meaning and the demands of m. The larger space contains the smaller one's points.
func (q *searcher) pool(s, meaning int, m mask, n int, good ...[]float64) [][]float64 {
	var points [][]float64
	var found []float64
	for i := 0; i <= s; i++ {
		for j, x := range q.points[i] {
			if len(x) < spaces[s].Free {
				x = widened(x)
			}
			points, found = append(points, x), append(found, loss(q.scores[i][j][meaning], q.want, m))
		}
	}
	return append(slices.Clone(good), bestOf(points, found, n-len(good))...)
}

// evolve searches one space for one meaning.
func (q *searcher) evolve(s, k int) error {
	var good [][]float64
	if s > 0 {
		good = append(good, widened(q.fits[s-1][k].X))
	}
	return q.evolution(s, k, "evolution", q.pool(s, k, subsets()[0].Of, q.size.Population, good...), q.size.Generations)
}

// goOn continues the evolutions of the meanings that fit best so far.
func (q *searcher) goOn(s int) error {
	if q.size.More == 0 {
		return nil
	}
	for _, k := range ranked(kit.Map(q.fits[s][:], func(e evolvedFit) float64 { return e.Loss }))[:goOn] {
		start := q.fits[s][k].Population
		if s > 0 { // the smaller space has gone on since: take its new end
			start = append(slices.Clone(start[:len(start)-1]), widened(q.fits[s-1][k].X))
		}
		if err := q.evolution(s, k, "evolution goes on", start, q.size.More); err != nil {
			return err
		}
	}
	return nil
}

// evolution evolves the points of start, and scores the end at the tables' length. name is the
// stream that it draws from.
func (q *searcher) evolution(s, k int, name string, start [][]float64, generations int) error {
	all := subsets()[0]
	name += ", " + spaces[s].stream + ", " + strings.ReplaceAll(meanings[k], "-", " ")
	p, err := q.part(name, start, 35/float64(len(spaces)*len(meanings)), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *searchPart) (err error) {
		p.Fit, err = e.objective(k, all.Of).evolve(name, start, generations)
		return err
	})
	if err != nil {
		return err
	}
	// Short runs flatter laboratories whose bounds do not act before the run ends: the first few
	// points, and the best found before, are scored at full length.
	last := kit.Map(p.Fit.Population[:min(finalists, len(p.Fit.Population))], slices.Clone)
	if q.fits[s][k].X != nil {
		last = append(last, q.fits[s][k].X)
	}
	full, err := q.part("at full length, "+name, last, 0.5, q.size.Full, setup.Warmup, func(e *evaluator, f *searchPart) (err error) {
		f.Scores, err = e.decoded(last, all.Of)
		return err
	})
	if err != nil {
		return err
	}
	found := kit.Map(full.Scores, func(r ratios) float64 { return loss(r[k], q.want, all.Of) })
	best := least(found)
	q.fits[s][k] = evolvedFit{fit{X: last[best], Loss: p.Fit.Loss, Population: p.Fit.Population}, found[best]}
	return nil
}

// finish polishes the meaning that fits best at the tables' length, and measures how far each axis
// can be moved.
func (q *searcher) finish(s int) error {
	found := kit.Map(q.fits[s][:], func(e evolvedFit) float64 { return e.FullLoss })
	k := least(found)
	start := q.fits[s][k].X
	if s > 0 && q.last[s-1].fit.Loss < found[k] { // the larger space contains the smaller
		k, start = q.won[s-1], widened(q.last[s-1].fit.X)
	}
	q.won[s] = k
	all := subsets()[0].Of
	p, err := q.part("polish, "+spaces[s].Key, start, 3, q.size.Full, setup.Warmup, func(e *evaluator, p *searchPart) (err error) {
		p.Fit, err = e.objective(k, all).polish(start, q.size.Rounds)
		return err
	})
	if err != nil {
		return err
	}
	moved, err := q.part("slack, "+spaces[s].Key, p.Fit.X, 2, q.size.Pushes, q.size.Warmup, func(e *evaluator, m *searchPart) (err error) {
		if q.size.Rounds > 0 {
			m.Slack, err = e.objective(k, all).slack(p.Fit.X)
		}
		return err
	})
	if err != nil {
		return err
	}
	q.last[s] = bestFit{lab: decode(p.Fit.X), fit: p.Fit, slack: moved.Slack}
	return nil
}

// subsets searches the larger space for each subset of the demands, by the meaning that fits all of
// them best.
func (q *searcher) subsets() error {
	s, k := len(spaces)-1, q.won[len(spaces)-1]
	best := q.last[s].fit.X
	if q.size.Alone == 0 {
		return nil
	}
	for _, sub := range subsets()[1:] {
		start := q.pool(s, k, sub.Of, q.size.Population)
		p, err := q.part("evolution, "+sub.Key, start, 12/float64(len(subsets())-1), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *searchPart) (err error) {
			p.Fit, err = e.objective(k, sub.Of).evolve(sub.Key, start, q.size.Alone)
			return err
		})
		if err != nil {
			return err
		}
		// At full length, the best of the finalists and of the fit of all demands is polished, so
		// that no subset alone fits worse than within the whole.
		last := append([][]float64{best}, p.Fit.Population[:min(finalists, len(p.Fit.Population))]...)
		own, err := q.part("at full length, "+sub.Key, last, 0.1, q.size.Full, setup.Warmup, func(e *evaluator, f *searchPart) error {
			score := e.objective(k, sub.Of)
			found, err := score(last)
			if err != nil {
				return err
			}
			f.Within = found[0]
			f.Fit, err = score.polish(last[least(found)], q.size.Rounds)
			return err
		})
		if err != nil {
			return err
		}
		q.alone = append(q.alone, partFit{sub, own.Fit.Loss, own.Within})
	}
	return nil
}

// withSeeds runs a space's best fit as the tables are run, with every seed.
func (q *searcher) withSeeds(s int) error {
	w := &q.last[s]
	w.qis = map[string]float64{}
	found := map[string]kit.Sample{}
	var plain [stated18]float64
	for i, d := range q.want {
		var both [2]kit.Sample // DASP and the baseline
		for j, method := range []string{"dasp", d.Against} {
			name := d.Platform + " " + d.Model + " " + method
			if found[name] == nil {
				for _, seed := range q.env.Seeds {
					cfg := w.lab.config(d.Platform, method, d.Model, seed)
					cfg.MaxPushes = q.size.Full
					c, err := setup.Run(q.ctx, q.quiet(), cfg)
					if err != nil {
						return fmt.Errorf("best fit, %s: %w", name, err)
					}
					q.step(5/float64(2*24*len(q.env.Seeds)), "best fit, "+name)
					t := c.Iteration
					found[name] = append(found[name], meansOf(t.ByWorker, t.PerWorker, t.PerPush, t.PerUpdate)[q.won[s]])
					if method == "dasp" {
						w.qis[d.Platform+d.Model] += c.Share["QIS"] / float64(len(q.env.Seeds))
					}
				}
			}
			both[j] = found[name]
		}
		if x := both[0].Over(both[1]); x.Value > 0 { // false where a reading has no number
			w.ratios[i], plain[i] = x, x.Value
		}
	}
	w.loss = loss(plain, q.want, subsets()[0].Of)
	return nil
}

// quiet returns the environment without progress, which the search reports itself.
func (q *searcher) quiet() exp.Env {
	env := q.env
	env.Progress = nil
	return env
}
