package dasp

import (
	"cmp"
	"slices"
)

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
