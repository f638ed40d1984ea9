package dasp

import (
	"fmt"
	"math"

	result "gradsync/experiments/result1"
)

// anatomy is what one iteration of a model consists of on a laboratory's
// homogeneous worker, in seconds.
type anatomy struct{ compute, host, server, worker, fixed, update float64 }

func (q *inquiry) anatomy(l laboratory, m string) anatomy {
	cfg := l.config(homogeneous, "asp", m, 0)
	c, w := q.costs[m], cfg.Platform.Workers[0]
	bytes := 4 * float64(c.params)
	a := anatomy{compute: c.seconds(&w, cfg.Batch, cfg.Launch, cfg.Overhead).Seconds(),
		server: bytes / cfg.Platform.Server.Bandwidth, worker: bytes / w.Bandwidth,
		fixed: 2*l.Hardware.Latency/1e3 + l.Hardware.Decision/1e3, update: 12 * float64(c.params) / cfg.Platform.Server.Memory}
	a.host = a.compute - c.seconds(&w, cfg.Batch, 0, 0).Seconds()
	return a
}

// jittered is the share of an undisturbed iteration that jitter acts on.
func (a anatomy) jittered() float64 {
	return a.compute / (a.compute + 2*max(a.server, a.worker) + a.fixed + a.update)
}

// anatomyTable says what the best fits' iterations consist of.
func (q *inquiry) anatomyTable() result.Table {
	t := result.Table{ID: "anatomy", Title: "One iteration in the best fits", Kind: result.Modelled,
		Caption: fmt.Sprintf("A homogeneous worker alone, without jitter, batch %d. Computation includes the host's time per layer and iteration. Steady: latency there and back, and the server's own time. "+
			"Jittered: the computation's part of the whole; the rest never varies. QIS: share of DASP's pushes that nobody holds up, from the runs with all seeds; at 100 %% DASP is ASP. Six gradients at once take six times the server's link.", fullBatch),
		Columns: []result.Column{{Key: "space", Title: "free"}, {Key: "model", Title: "model"}, {Key: "compute", Title: "computation", Unit: "ms", Digits: 2},
			{Key: "host", Title: "of it host", Unit: "ms", Digits: 2}, {Key: "server", Title: "one gradient, server's link", Unit: "ms", Digits: 2},
			{Key: "worker", Title: "worker's link", Unit: "ms", Digits: 2}, {Key: "update", Title: "update", Unit: "ms", Digits: 2},
			{Key: "fixed", Title: "steady", Unit: "ms", Digits: 2}, {Key: "jittered", Title: "jittered", Unit: "%", Digits: 0},
			{Key: "qis", Title: "QIS, homogeneous", Unit: "%", Digits: 1}, {Key: "qis_hetero", Title: "QIS, heterogeneous", Unit: "%", Digits: 1}}}
	for s := range spaces {
		for _, m := range models {
			a := q.anatomy(q.last[s].lab, m)
			t.Rows = append(t.Rows, []any{spaces[s].Title, title[m], 1e3 * a.compute, 1e3 * a.host, 1e3 * a.server, 1e3 * a.worker, 1e3 * a.update, 1e3 * a.fixed, 100 * a.jittered(),
				100 * q.last[s].qis[homogeneous+m], 100 * q.last[s].qis[heterogeneous+m]})
		}
	}
	return t
}

// fitFigure draws stated against found.
func (q *inquiry) fitFigure() result.Figure {
	f := result.Figure{ID: "fit", Title: "Stated ratios and the best fits", Kind: result.TimingOnly, Form: "bar",
		Caption: "DASP's mean iteration time over the baseline's, 1 is no difference; error bars: 95 % interval over seeds, paired.",
		X:       result.Axis{Title: "D01–D09 homogeneous, D10–D18 heterogeneous: LeNet-5, ResNet-18, VGG-19-BN, each over BSP, SSP, DSSP"}, Y: result.Axis{Title: "DASP over baseline"}}
	stated := result.Series{Name: "stated"}
	for i, d := range q.want {
		f.X.Categories = append(f.X.Categories, d.id)
		stated.X, stated.Y = append(stated.X, float64(i)), append(stated.Y, d.Ratio)
	}
	f.Series = append(f.Series, stated)
	f.Alt = fmt.Sprintf("Bars of 18 stated ratios from %.2f to 1.", smallest(q.want))
	for s := range spaces {
		w := q.last[s]
		line := result.Series{Name: spaces[s].Title}
		for i := range q.want {
			line.X, line.Y = append(line.X, float64(i)), append(line.Y, w.ratios[i])
			if w.ci[i] != nil {
				line.Lo, line.Hi = append(line.Lo, w.ci[i][0]), append(line.Hi, w.ci[i][1])
			}
		}
		if len(line.Lo) < len(line.Y) {
			line.Lo, line.Hi = nil, nil
		}
		f.Series = append(f.Series, line)
		i, factor := worst(w.ratios, q.want)
		f.Alt += fmt.Sprintf(" %s %d of 18 are within tolerance; the furthest off is %s, %s.", sentence(spaces[s].With), q.met(s), q.want[i].id, percent(factor))
	}
	return f
}

func smallest(want [stated18]demand) float64 {
	x := math.Inf(1)
	for _, d := range want {
		x = min(x, d.Ratio)
	}
	return x
}

// met counts the ratios of a space's best fit within tolerance.
func (q *inquiry) met(s int) (n int) {
	for i, d := range q.want {
		if q.last[s].met(i, d) {
			n++
		}
	}
	return n
}
