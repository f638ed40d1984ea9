package ring

import (
	"context"
	"fmt"

	result "gradsync/experiments/result1"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The exact task: w is drawn to the mean of integer vectors, loss ½‖w − x‖². With a
// batch and numbers of workers that are powers of two and a rate of ½, every sum,
// mean and step has fewer than 24 significant bits, so that float32 rounds nothing.
const (
	exactImages = 32 // per step
	exactLength = 37 // of w: ragged chunks at every N
	exactSteps  = 6
	exactRate   = 0.5
)

var exactWorkers = []int{1, 2, 4, 8, 16}

func exactPlan() map[string]any {
	return map[string]any{"batch": exactImages, "parameters": exactLength, "steps": exactSteps, "rate": exactRate, "workers": exactWorkers}
}

// exactRow is one run of the exact task.
type exactRow struct {
	How     string
	Workers int
	Same    bool // as one pass, bit for bit
}

// exactGradient is the mean of w − x over images from … to−1 of a step.
func exactGradient(w, into []float32, step, from, to int) {
	for i := range into {
		sum := float32(0)
		for k := from; k < to; k++ {
			x := float32((i*31 + k*57 + step*101) % 256)
			sum += w[i] - x
		}
		into[i] = sum / float32(to-from)
	}
}

// exactRows runs the exact task in every way.
func exactRows(ctx context.Context) ([]exactRow, error) {
	opt := dasp.Optimiser{Rate: exactRate}
	one, g := make([]float32, exactLength), make([]float32, exactLength)
	for step := range exactSteps {
		exactGradient(one, g, step, 0, exactImages)
		opt.Step(one, g, 1)
	}
	var out []exactRow
	for _, n := range exactWorkers {
		for _, way := range ways {
			each := exactImages / n
			ends, _, err := cluster.Run(ctx, virtual.New(ideal(n, blogLink), virtual.Config{}), func(p cluster.Proc) ([]float32, error) {
				w, g := make([]float32, exactLength), make([]float32, exactLength)
				for step := range exactSteps {
					exactGradient(w, g, step, p.Rank()*each, (p.Rank()+1)*each)
					if err := way.allReduce(p, g); err != nil {
						return nil, err
					}
					opt.Step(w, g, 1/float64(n))
				}
				return w, nil
			})
			if err != nil {
				return nil, fmt.Errorf("ring: exact task: %w", err)
			}
			same := true
			for _, w := range ends {
				same = same && string(hash(w)) == string(hash(one))
			}
			out = append(out, exactRow{How: way.name, Workers: n, Same: same})
		}
	}
	return out, nil
}

func exactTable(rows []exactRow) result.Table {
	t := result.Table{ID: "exact", Title: "Where every sum is exact", Kind: result.Trained,
		Caption: fmt.Sprintf("Not a network: %d parameters are drawn to the mean of integer vectors, %d vectors a step for all workers together, rate ½, %d steps. Numbers stay below 24 significant bits, so that no addition rounds and no order matters.", exactLength, exactImages, exactSteps),
		Columns: []result.Column{{Key: "how", Title: "exchange"}, {Key: "n", Title: "workers"}, {Key: "same", Title: "same bits as one pass"}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []any{r.How, r.Workers, yesNo(r.Same)})
	}
	return t
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
