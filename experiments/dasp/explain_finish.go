package dasp

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
		// At full length the better of its finalists and of the fit of all is
		// polished, so that a part alone is never worse than in the whole.
		last := append([][]float64{best}, p.Fit.Population[:min(finalists, len(p.Fit.Population))]...)
		own, err := q.part("at full length, "+sub.Title, last, 0.1, q.size.Full, warmup, func(e *evaluator, f *part) error {
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
		q.alone = append(q.alone, lone{sub, own.Fit.Loss, own.Within})
	}
	return nil
}

// withSeeds runs a space's best fit as the tables are run, with every seed.
func (q *inquiry) withSeeds(s int) error {
	w := &q.last[s]
	w.qis = map[string]float64{}
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
					if method == "dasp" {
						w.qis[d.Platform+d.model] += c.Share["QIS"] / float64(len(q.r.env.Seeds))
					}
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
