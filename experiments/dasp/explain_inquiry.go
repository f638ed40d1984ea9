package dasp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
)

// inquiry is the whole search and what it found.
type inquiry struct {
	r     *runs
	size  effort
	costs map[string]costs
	want  [stated18]demand

	points [2][][]float64 // of the scans, by space
	scores [2][]ratios

	fits [2][len(meanings)]ending // by space
	won  [2]int                   // the meaning that fits best, by space
	last [2]winner
	// alone are the least losses where only a subset has to be met.
	alone []lone

	seen       spans
	candidates int
	runs       int
}

// ending is where one evolution ended, and its ratios at the tables' length.
type ending struct {
	fit
	Full     ratios
	FullLoss float64
}

// winner is a space's best fit, polished and run with all seeds.
type winner struct {
	lab    laboratory
	fit    fit                    // loss at the tables' length, search seed
	slack  []span                 // by axis: values that cost at most a tenth of the loss
	seeds  [stated18][2][]float64 // ours, base
	ratios [stated18]float64
	ci     [stated18]*[2]float64
	loss   float64 // over all seeds
}

// lone is a subset's own best fit.
type lone struct {
	subset
	own, within float64 // loss of its own fit, and of the best fit of all 18 on it
}

func newInquiry(ctx context.Context, env exp.Env, size effort) (*inquiry, error) {
	all, err := modelCosts()
	if err != nil {
		return nil, err
	}
	return &inquiry{r: &runs{ctx: ctx, env: env, total: 100}, size: size, costs: all, want: demands()}, nil
}

// search is the whole order of events: scan both spaces, evolve per space and
// meaning, polish the best of each space, ask the subsets, run with all seeds.
func (q *inquiry) search() error {
	for s := range spaces {
		if err := q.scan(s); err != nil {
			return err
		}
	}
	for s := range spaces {
		for k := range meanings {
			if err := q.evolve(s, k); err != nil {
				return err
			}
		}
		if err := q.goOn(s); err != nil {
			return err
		}
		if err := q.finish(s); err != nil {
			return err
		}
	}
	if err := q.subsets(); err != nil {
		return err
	}
	for s := range spaces {
		if err := q.withSeeds(s); err != nil {
			return err
		}
	}
	return nil
}

// scan scores a Latin hypercube, chunk by chunk.
func (q *inquiry) scan(s int) error {
	q.points[s] = hypercube(spaces[s], q.size.Scan)
	for chunk := range slices.Chunk(q.points[s], q.size.Chunk) {
		name := fmt.Sprintf("scan, %s, from %d", spaces[s].Title, len(q.scores[s]))
		p, err := q.part(name, chunk, 15*float64(len(chunk))/float64(2*q.size.Scan), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *part) (err error) {
			labs := make([]laboratory, len(chunk))
			for i, x := range chunk {
				labs[i] = decode(x)
			}
			p.Scores, err = e.ratios(labs, subsets()[0].Of)
			return err
		})
		if err != nil {
			return err
		}
		q.scores[s] = append(q.scores[s], p.Scores...)
	}
	return nil
}

// pool returns n points of a space to start from: the best scanned ones for a
// meaning and subset, behind what is known to be good. The larger space
// contains the smaller one's points.
func (q *inquiry) pool(s, meaning int, m mask, n int, good ...[]float64) [][]float64 {
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
func (q *inquiry) evolve(s, k int) error {
	var good [][]float64
	if s > 0 {
		good = append(good, widened(q.fits[s-1][k].X))
	}
	return q.evolution(s, k, "evolution", q.pool(s, k, subsets()[0].Of, q.size.Population, good...), q.size.Generations, 35)
}

// goOn continues with the means that fit best so far.
func (q *inquiry) goOn(s int) error {
	if q.size.More == 0 {
		return nil
	}
	order := q.byLoss(func(k int) float64 { return q.fits[s][k].Loss })
	for _, k := range order[:goOn] {
		start := q.fits[s][k].Population
		if s > 0 { // its own start came before the smaller space's search went on
			start = append(slices.Clone(start[:len(start)-1]), widened(q.fits[s-1][k].X))
		}
		if err := q.evolution(s, k, "evolution goes on", start, q.size.More, 35); err != nil {
			return err
		}
	}
	return nil
}

// byLoss orders the meanings, least first; equals keep their order.
func (q *inquiry) byLoss(of func(k int) float64) []int {
	order := make([]int, len(meanings))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(a), of(b)) })
	return order
}

// evolution is one evolution and its end at the tables' length.
func (q *inquiry) evolution(s, k int, name string, start [][]float64, generations int, cost float64) error {
	all := subsets()[0]
	name += ", " + spaces[s].Title + ", " + meanings[k]
	p, err := q.part(name, start, cost/float64(len(spaces)*len(meanings)), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *part) (err error) {
		p.Fit, err = e.objective(k, all.Of).evolve(name, start, generations)
		return err
	})
	if err != nil {
		return err
	}
	// Short runs flatter laboratories whose bounds do not act before the run ends:
	// the first few are scored at full length, with what was found before.
	last := clones(p.Fit.Population[:min(finalists, len(p.Fit.Population))])
	if q.fits[s][k].X != nil {
		last = append(last, q.fits[s][k].X)
	}
	full, err := q.part("at full length, "+name, last, 0.5, q.size.Full, warmup, func(e *evaluator, f *part) (err error) {
		labs := make([]laboratory, len(last))
		for i, x := range last {
			labs[i] = decode(x)
		}
		f.Scores, err = e.ratios(labs, all.Of)
		return err
	})
	if err != nil {
		return err
	}
	found := make([]float64, len(last))
	for i, r := range full.Scores {
		found[i] = loss(r[k], q.want, all.Of)
	}
	best := least(found)
	q.fits[s][k] = ending{fit{X: last[best], Loss: p.Fit.Loss, Population: p.Fit.Population}, full.Scores[best], found[best]}
	return nil
}

// finalists are the points of an evolution that are scored at full length.
const finalists = 4

// finish polishes the meaning that fits best at the tables' length, and asks how
// far each axis can be moved.
func (q *inquiry) finish(s int) error {
	found := make([]float64, len(meanings))
	for k := range meanings {
		found[k] = q.fits[s][k].FullLoss
	}
	k := least(found)
	start := q.fits[s][k].X
	if s > 0 && q.last[s-1].fit.Loss < found[k] { // the larger space contains the smaller
		k, start = q.won[s-1], widened(q.last[s-1].fit.X)
	}
	q.won[s] = k
	all := subsets()[0].Of
	p, err := q.part("polish, "+spaces[s].Title, start, 3, q.size.Full, warmup, func(e *evaluator, p *part) (err error) {
		p.Fit, err = e.objective(k, all).polish(start, q.size.Rounds)
		return err
	})
	if err != nil {
		return err
	}
	moved, err := q.part("slack, "+spaces[s].Title, p.Fit.X, 2, q.size.Pushes, q.size.Warmup, func(e *evaluator, m *part) (err error) {
		if q.size.Rounds > 0 {
			m.Slack, err = e.objective(k, all).slack(p.Fit.X)
		}
		return err
	})
	if err != nil {
		return err
	}
	q.last[s] = winner{lab: decode(p.Fit.X), fit: p.Fit, slack: moved.Slack}
	return nil
}

// subsets searches the larger space for each part of the demands, by the meaning
// that fits all of them best.
func (q *inquiry) subsets() error {
	s, k := len(spaces)-1, q.won[len(spaces)-1]
	best := q.last[s].fit.X
	if q.size.Alone == 0 {
		return nil
	}
	for _, sub := range subsets()[1:] {
		start := q.pool(s, k, sub.Of, q.size.Population)
		p, err := q.part("evolution, "+sub.Title, start, 12/float64(len(subsets())-1), q.size.Pushes, q.size.Warmup, func(e *evaluator, p *part) (err error) {
			p.Fit, err = e.objective(k, sub.Of).evolve(sub.Key, start, q.size.Alone)
			return err
		})
		if err != nil {
			return err
		}
		own, err := q.part("at the tables' length, "+sub.Title, [][]float64{p.Fit.X, best}, 0.1, q.size.Full, warmup, func(e *evaluator, f *part) (err error) {
			f.Scores, err = e.ratios([]laboratory{decode(p.Fit.X), decode(best)}, sub.Of)
			return err
		})
		if err != nil {
			return err
		}
		within := loss(own.Scores[1][k], q.want, sub.Of)
		q.alone = append(q.alone, lone{sub, min(loss(own.Scores[0][k], q.want, sub.Of), within), within})
	}
	return nil
}

// withSeeds runs a space's best fit as the tables are run, with every seed.
func (q *inquiry) withSeeds(s int) error {
	w := &q.last[s]
	read := func(c cell) float64 {
		t := c.Iteration
		return meansOf(t.ByWorker, t.PerWorker, t.PerPush, t.PerUpdate)[q.won[s]]
	}
	found := map[string][]float64{}
	for i, d := range q.want {
		for j, method := range []string{"dasp", d.against} {
			name := d.Platform + " " + d.model + " " + method
			if found[name] == nil {
				for _, seed := range q.r.env.Seeds {
					cfg := w.lab.config(d.Platform, method, d.model, seed)
					cfg.MaxPushes = q.size.Full
					c, err := q.r.get("best fit, "+title[d.Platform]+", "+title[d.model]+", "+title[method], 5/float64(2*24*len(q.r.env.Seeds)), cfg)
					if err != nil {
						return err
					}
					found[name] = append(found[name], read(c))
				}
			}
			w.seeds[i][j] = found[name]
		}
		if x, ci := ratio(w.seeds[i][0], w.seeds[i][1]); x > 0 { // false where a reading has no number
			w.ratios[i], w.ci[i] = x, ci
		}
	}
	w.loss = loss(w.ratios, q.want, subsets()[0].Of)
	return nil
}
