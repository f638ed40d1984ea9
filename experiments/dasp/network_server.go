package dasp

import (
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
)

// meanByWorker is each worker's mean iteration in seconds, mean over seeds.
func meanByWorker(cells []linkCell, of func(linkCell) []float64) []float64 {
	out := make([]float64, workers)
	for w := range out {
		for _, c := range cells {
			out[w] += of(c)[w] / float64(len(cells))
		}
	}
	return out
}

func iterationsOf(c linkCell) []float64 { return c.Cell.Iteration.ByWorker }

// unevenness is the slowest worker's mean iteration over the fastest's, no
// number where a worker never got past the warm-up.
func unevenness(cells []linkCell) float64 {
	x := meanByWorker(cells, iterationsOf)
	if slices.Min(x) <= 0 {
		return math.NaN()
	}
	return slices.Max(x) / slices.Min(x)
}

// serverTable shows contention at the server: how full its link is, and what
// of an iteration is queueing there.
func serverTable(vs []platforms.Variant, g linkGrid) result.Table {
	t := result.Table{ID: "network-server", Title: "The server's link: who it slows, and who it makes equal", Kind: result.TimingOnly,
		Caption: "Mean over seeds. Busy: share of the run in which the bytes of gradients occupy the server's link (the answers take as much of the other direction). " +
			"Queue: what an iteration lasts beside the computation and its own two transfers on a free network, without the wait for the answer. " +
			"Fastest, slowest: mean iteration of the fastest and slowest worker, waits included. Under ASP nobody waits for a worker, so unevenness is the links' own.",
		Columns: placeColumns([]result.Column{{Key: "method", Title: "method"},
			{Key: "busy", Title: "link busy", Unit: "%", Digits: 1}, {Key: "queue", Title: "queue per iteration", Unit: "ms", Digits: 2},
			{Key: "fastest", Title: "fastest", Unit: "ms", Digits: 1}, {Key: "slowest", Title: "slowest", Unit: "ms", Digits: 1}, {Key: "uneven", Title: "slowest / fastest", Digits: 2}}...)}
	for _, v := range vs {
		for _, m := range models {
			for _, method := range []string{"bsp", "asp"} {
				cells := g[v.Name][m][method]
				var full, queue float64
				for _, c := range cells {
					full += 100 * c.Busy / float64(len(cells))
				}
				for _, q := range meanByWorker(cells, func(c linkCell) []float64 { return c.Queue }) {
					queue += 1e3 * q / workers
				}
				by := meanByWorker(cells, iterationsOf)
				t.Rows = append(t.Rows, placeOf(v, m, title[method], full, queue, 1e3*slices.Min(by), 1e3*slices.Max(by), exp.OrNone(unevenness(cells))))
			}
		}
	}
	return t
}

// workerTable is each worker's own iteration time on unequal links.
func workerTable(vs []platforms.Variant, g linkGrid) result.Table {
	t := result.Table{ID: "network-workers", Title: "Mean iteration of each worker, unequal links", Kind: result.TimingOnly,
		Caption: "Waits included, mean over seeds. ASP shows what the links alone do; what a method adds to a fast worker's time is what the slow link costs the others.",
		Columns: placeColumns(result.Column{Key: "form", Title: "method"})}
	for w := range workers {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("w%d", w+1), Title: fmt.Sprintf("%g Gb/s", 8*platforms.UnequalLinks[w]/1e9), Unit: "ms", Digits: 1})
	}
	for _, v := range vs {
		if v.Workers != platforms.UnequalLinkSet {
			continue
		}
		for _, m := range models {
			for _, f := range []networkForm{networkForms()[1], computeForm, iterationForm} {
				row := placeOf(v, m, f.title)
				for _, x := range meanByWorker(g[v.Name][m][f.key], iterationsOf) {
					row = append(row, 1e3*x)
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}
