package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// values collects one number per seed.
func values(cells []cell, of func(cell) float64) (out []float64) {
	for _, c := range cells {
		out = append(out, of(c))
	}
	return out
}

func mean(cells []cell, of func(cell) float64) float64 {
	m, _ := exp.MeanAndHalf(values(cells, of))
	return m
}

// ratio is the geometric mean over seeds of ours/base with its 95 % interval, paired by
// seed on the logarithm; one seed has no interval.
func ratio(ours, base []float64) (r float64, ci *[2]float64) {
	d := make([]float64, len(ours))
	for i := range d {
		d[i] = math.Log(ours[i] / base[i])
	}
	m, half := exp.MeanAndHalf(d)
	if !math.IsNaN(half) {
		ci = &[2]float64{math.Exp(m - half), math.Exp(m + half)}
	}
	return math.Exp(m), ci
}

// how says how a study's numbers were made.
func (s *study) how() string {
	return fmt.Sprintf("LeNet-5 whole, on %s, %d samples per worker and gradient, rate %g for all, %d gradients of %[2]d samples in every run, seeds %[5]s.",
		s.Data.Name, s.Size.Batch, s.Size.Rate, s.Size.Gradients, spell(s.Seeds))
}

func spell[T any](xs []T) string {
	var out []string
	for _, x := range xs {
		out = append(out, fmt.Sprint(x))
	}
	return strings.Join(out, ", ")
}

// groundTable is all methods on one ground.
func (s *study) groundTable(g ground) result.Table {
	t := result.Table{ID: fmt.Sprintf("methods-%g", g.Gbps), Title: fmt.Sprintf("All methods, %s, %s", clusterTitle[s.Set], g.link()), Kind: result.Trained,
		Caption: fmt.Sprintf("Target: %.0f %% test accuracy. %s Synchronous methods make BSP's update, but for rounding and (coded SGD) the choice of samples; their times to the target are BSP's updates times their own round, and the gradients of their own trainings stand beside. Asynchronous methods are trained on this cluster. ± is half the 95 %% interval over seeds; BSP = 1 is the ratio of times to the target, paired by seed, and its 95 %% interval. "+
			"A round is %d samples, N·b: one update of a synchronous method, %d gradients of an asynchronous one. Its bytes are of all machines together. Computing: share of the time in which a worker's device computes, the repeated samples of r = 2 included. "+
			"Training: own, or that of X where gradients and updates are the same as X's, bit for bit (samples by speed: but for rounding). Nothing: a seed does not reach the target.",
			100*s.Target, s.how(), workers*s.Size.Batch, workers),
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "document", Title: "document"}, {Key: "training", Title: "training"},
			{Key: "time", Title: "time to target", Unit: "s", Digits: 3}, {Key: "time_half", Title: "±", Unit: "s", Digits: 3},
			{Key: "ratio", Title: "BSP = 1", Digits: 2}, {Key: "lo", Title: "95 % from", Digits: 2}, {Key: "hi", Title: "95 % to", Digits: 2},
			{Key: "gradients", Title: "gradients to target", Digits: 0}, {Key: "own", Title: "in its own training", Digits: 0}, {Key: "to_updates", Title: "updates to target", Digits: 0},
			{Key: "round", Title: "time of a round", Unit: "ms", Digits: 2}, {Key: "sent", Title: "sent per round", Unit: "MB", Digits: 2}, {Key: "delivered", Title: "delivered per round", Unit: "MB", Digits: 2},
			{Key: "updates", Title: "updates"}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 1}, {Key: "accuracy_half", Title: "±", Unit: "points", Digits: 1},
			{Key: "stale", Title: "staleness, mean", Unit: "versions", Digits: 2}, {Key: "stalest", Title: "most", Unit: "versions"}, {Key: "compute", Title: "computing", Unit: "%", Digits: 0}}}
	base, _, _, baseOK := reached(s.cells(g, "bsp"), s.Target)
	for _, m := range methods() {
		cells := s.cells(g, m.Key)
		row := make([]any, len(t.Columns))
		row[0], row[1], row[2] = m.Title, m.Document, training(cells)
		if sec, grads, updates, ok := reached(cells, s.Target); ok {
			at, half := exp.MeanAndHalf(sec)
			row[3], row[4] = at, exp.OrNone(half)
			if baseOK {
				r, ci := ratio(sec, base)
				row[5] = r
				if ci != nil {
					row[6], row[7] = ci[0], ci[1]
				}
			}
			g, _ := exp.MeanAndHalf(grads)
			u, _ := exp.MeanAndHalf(updates)
			row[8], row[10] = g, u
		}
		row[9] = exp.OrNone(mean(cells, func(c cell) float64 { return c.Own }))
		acc, half := exp.MeanAndHalf(values(cells, func(c cell) float64 { return 100 * c.Accuracy }))
		most := slices.MaxFunc(cells, func(a, b cell) int { return int(a.Stalest - b.Stalest) })
		copy(row[11:], []any{1e3 * mean(cells, perRound), mean(cells, sentOf) / 1e6, mean(cells, deliveredOf) / 1e6, cells[0].Updates, acc, exp.OrNone(half),
			mean(cells, func(c cell) float64 { return c.Stale }), most.Stalest, 100 * mean(cells, func(c cell) float64 { return c.Compute })})
		t.Rows = append(t.Rows, row)
	}
	return t
}

func perRound(c cell) float64    { return c.Round }
func sentOf(c cell) float64      { return c.Sent }
func deliveredOf(c cell) float64 { return c.Delivered }

// training says whose parameters a method has.
func training(cells []cell) string {
	own, of := 0, ""
	for _, c := range cells {
		if c.Shared == "" {
			own++
		} else {
			of = c.Shared
		}
	}
	switch {
	case own == len(cells):
		return "own"
	case own == 0:
		return "that of " + of
	}
	return fmt.Sprintf("own; in %d of %d seeds that of %s", len(cells)-own, len(cells), of)
}

func (s *study) homeTable() result.Table {
	t := result.Table{ID: "home", Title: "Where RingSparse is at home, and where it is not", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("A round of the same cluster, %d samples per worker, mean of %d. Trained: the zeros are those of real gradients. The MLP (784-512-512-10) sees raw pixels, of which the black ones give exact zeros; a density of %g %% is stated, as of an embedding of which a batch touches few rows. RingSparse counts zeros and packs at the assumed rates of platform sparse32 and goes layer by layer; “ring” fuses layers to 1 MiB.",
			s.Size.Batch, s.Size.Timed-s.Size.Warmup, 100*homeDensity),
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "network", Title: "network"}, {Key: "method", Title: "method"}, {Key: "how", Title: "made"},
			{Key: "round", Title: "time of a round", Unit: "ms", Digits: 2}, {Key: "sent", Title: "sent per round", Unit: "MB", Digits: 3}}}
	for _, h := range s.Home {
		t.Rows = append(t.Rows, []any{h.Link, h.Network, h.Method, h.How, 1e3 * h.Round, h.Sent / 1e6})
	}
	return t
}

func (s *study) paperTable() result.Table {
	t := result.Table{ID: "paper-model", Title: "Coded SGD in the paper's own message model", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("The batch in %d micro-blocks for all three, the gradient of each sent by itself, as the paper's load formulas need it; in the tables above a node of SSGD sends one summed gradient, and CSSGD one per block.", paperBlocks),
		Columns: []result.Column{{Key: "link", Title: "link"}, {Key: "method", Title: "method"}, {Key: "round", Title: "time of a round", Unit: "ms", Digits: 2},
			{Key: "sent", Title: "sent per round", Unit: "MB", Digits: 2}, {Key: "delivered", Title: "delivered per round", Unit: "MB", Digits: 2}}}
	for _, p := range s.Paper {
		t.Rows = append(t.Rows, []any{p.Link, p.Method, 1e3 * p.Round, p.Sent / 1e6, p.Delivered / 1e6})
	}
	return t
}
