package dasp

import (
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
	loss   float64            // over all seeds
	qis    map[string]float64 // share of DASP's pushes in QIS, by cluster and model
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
