package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// normBatches are the batches, for two workers together, at which batch norm is
// looked at. They were added after a first run, in which the network with batch norm
// ended as far from one worker as from a training on other images.
func normBatches(profile string) []int {
	if profile == "ci" {
		return []int{16, 48}
	}
	return []int{16, 48, 192, 768}
}

// normRow is one step of the network with batch norm by two workers.
type normRow struct {
	Batch           int
	Distance, Other float64 // from one worker: by two workers, and on other images
}

// normRows makes one step from the first seed's parameters at every batch.
func normRows(ctx context.Context, env exp.Env, net equalsNet) ([]normRow, error) {
	net.Steps = 1
	var out []normRow
	for _, b := range normBatches(env.Profile) {
		plan := equalsPlan{Nets: []equalsNet{net}, Workers: []int{2}, Batch: b}
		l, err := openLab(env, plan, net)
		if err != nil {
			return nil, err
		}
		found, err := l.compare(ctx, env.Seeds[0], &exp.Bar{})
		if err != nil {
			return nil, err
		}
		row := normRow{Batch: b}
		for _, x := range found {
			switch x.How {
			case "ring":
				row.Distance = x.last()
			case otherBatch:
				row.Other = x.last()
			}
		}
		out = append(out, row)
	}
	return out, nil
}

func normTable(net equalsNet, rows []normRow) result.Table {
	t := result.Table{ID: "norms", Title: "Batch norm: two workers against one, by batch", Kind: result.Trained,
		Caption: fmt.Sprintf("One step of %s from the first seed's parameters: distance of the step by two workers on a ring from the step by one, over the length of that step, and of a step on other images. Added after a first run of the table above.", net.Title),
		Columns: []result.Column{{Key: "batch", Title: "batch of both"}, {Key: "each", Title: "of each"}, {Key: "distance", Title: "two workers", Digits: 2}, {Key: "other", Title: "other images", Digits: 2}}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []any{r.Batch, r.Batch / 2, r.Distance, r.Other})
	}
	return t
}

// normNote says how the distance goes with the batch.
func normNote(rows []normRow) string {
	a, z := rows[0], rows[len(rows)-1]
	trend := "does not shrink with the batch"
	if z.Distance < a.Distance {
		trend = "shrinks with the batch, as the means over a worker's own images come nearer to those over all"
	}
	return fmt.Sprintf("With batch norm the distance of two workers from one %s: %.2f of a step at %d images each, %.2f at %d.",
		trend, a.Distance, a.Batch/2, z.Distance, z.Batch/2)
}
