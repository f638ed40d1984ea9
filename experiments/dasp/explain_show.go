package dasp

import (
	"math"
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// show puts facts, frames and the figure into r.
func (q *inquiry) show(r *result.Result) {
	r.Facts = append(q.facts(), arguments(q.want, q.costs)...)
	r.Frames = []result.Frame{q.closest(), q.best(), q.ratiosFrame(), q.laboratories(), q.times(), q.anatomies(), q.parts()}
	for i := range r.Frames {
		if r.Frames[i].ID == "anatomy" {
			r.Frames[i].Kind = result.Modelled
		}
	}
	r.Figures = []result.Figure{{ID: "fit", Form: "bar", Frame: "ratios", X: "claim", Y: []string{"stated", spaces[0].Key, spaces[1].Key}}}
}

// typical is a loss as a deviation in per cent; NaN where there is none.
func typical(x float64) float64 {
	if x >= noLoss {
		return math.NaN()
	}
	return 100 * (math.Exp(x) - 1)
}

// closest is how near the best laboratory of each space comes.
func (q *inquiry) closest() result.Frame {
	rows := []int{0, 1}
	percent := func(key string, of func(w *winner) float64) kit.Col[int] {
		return kit.Num(key, "%", 1, func(s int) float64 { return typical(of(&q.last[s])) })
	}
	furthest := func(s int) demand {
		i, _ := worst(q.last[s].values(), q.want)
		return q.want[i]
	}
	word := func(key, enum string, of func(d demand) string) kit.Col[int] {
		return kit.Word(key, enum, func(s int) string {
			if q.last[s].loss >= noLoss {
				return ""
			}
			return of(furthest(s))
		})
	}
	return kit.Frame("closest", rows, kit.Word("space", "space", spaceKey), kit.Word("mean", "mean", func(s int) string { return meanings[q.won[s]] }),
		percent("seeds", func(w *winner) float64 { return w.loss }), percent("seed", func(w *winner) float64 { return w.fit.Loss }),
		kit.Count("met", "", q.met), word("claim", "", func(d demand) string { return d.id }),
		word("cluster", "platform", func(d demand) string { return d.Platform }), word("model", "model", func(d demand) string { return d.model }),
		word("against", "method", func(d demand) string { return d.against }),
		kit.Num("stated", "", 3, func(s int) float64 { return furthest(s).Ratio }),
		kit.Num("found", "", 3, func(s int) float64 {
			i, factor := worst(q.last[s].values(), q.want)
			if q.last[s].loss >= noLoss {
				return math.NaN()
			}
			return q.want[i].Ratio * factor
		}))
}

func spaceKey(s int) string { return spaces[s].Key }

// values are the ratios as numbers, 0 for none.
func (w *winner) values() (out [stated18]float64) {
	for i, x := range w.ratios {
		out[i] = x.Value
	}
	return out
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

// met reports whether the fit's ratio is within the claim's tolerance.
func (w *winner) met(i int, d demand) bool {
	return w.ratios[i].N > 0 && math.Abs(w.ratios[i].Value-d.Ratio) <= d.Tolerance
}

// best is one row per space and meaning.
func (q *inquiry) best() result.Frame {
	type row struct{ s, k int }
	var rows []row
	for s := range spaces {
		for k := range meanings {
			rows = append(rows, row{s, k})
		}
	}
	percent := func(key string, of func(r row) float64) kit.Col[row] { return kit.Num(key, "%", 1, of) }
	won := func(r row, x float64) float64 {
		if r.k == q.won[r.s] {
			return typical(x)
		}
		return math.NaN()
	}
	ending := func(r row) ending { return q.fits[r.s][r.k] }
	return kit.Frame("best", rows, kit.Word("space", "space", func(r row) string { return spaces[r.s].Key }),
		kit.Word("mean", "mean", func(r row) string { return meanings[r.k] }),
		percent("search", func(r row) float64 { return typical(ending(r).Loss) }),
		percent("full", func(r row) float64 { return typical(ending(r).FullLoss) }),
		percent("polished", func(r row) float64 { return won(r, q.last[r.s].fit.Loss) }),
		percent("seeds", func(r row) float64 { return won(r, q.last[r.s].loss) }),
		kit.Word("claim", "", func(r row) string {
			i, _ := worst(ending(r).Full[r.k], q.want)
			if ending(r).FullLoss >= noLoss {
				return "" // some ratio is no number
			}
			return q.want[i].id
		}),
		percent("worst", func(r row) float64 {
			_, factor := worst(ending(r).Full[r.k], q.want)
			if ending(r).FullLoss >= noLoss {
				return math.NaN()
			}
			return 100 * (factor - 1)
		}))
}

// ratiosFrame sets the 18 ratios beside the best fit of each space, and beside what the whole search
// gave of each by itself.
func (q *inquiry) ratiosFrame() result.Frame {
	rows := make([]int, stated18)
	for i := range rows {
		rows[i] = i
	}
	cols := []kit.Col[int]{kit.Word("claim", "", func(i int) string { return q.want[i].id }),
		kit.Word("cluster", "platform", func(i int) string { return q.want[i].Platform }),
		kit.Word("model", "model", func(i int) string { return q.want[i].model }),
		kit.Word("against", "method", func(i int) string { return q.want[i].against }),
		kit.Num("stated", "", 3, func(i int) float64 { return q.want[i].Ratio })}
	for s, sp := range spaces {
		w, seen := &q.last[s], &q.seen[q.won[s]]
		positive := func(key string, of func(i int) float64) kit.Col[int] {
			return kit.Num(sp.Key+key, "", 3, func(i int) float64 {
				if x := of(i); x > 0 {
					return x
				}
				return math.NaN()
			})
		}
		cols = append(cols, kit.Interval(sp.Key, "", 3, func(i int) kit.Estimate { return w.ratios[i] }),
			kit.Num(sp.Key+"_residual", "%", 1, func(i int) float64 {
				if w.ratios[i].N == 0 {
					return math.NaN()
				}
				return 100 * (w.ratios[i].Value/q.want[i].Ratio - 1)
			}),
			kit.Flag(sp.Key+"_within", func(i int) bool { return w.met(i, q.want[i]) }),
			positive("_min", func(i int) float64 { return seen[i].Lo }), positive("_max", func(i int) float64 { return seen[i].Hi }),
			kit.Flag(sp.Key+"_reachable", func(i int) bool { return seen[i].reached(q.want[i]) }))
	}
	return kit.Frame("ratios", rows, cols...)
}

// laboratories are the best fits' parameters, and how far each can be moved alone.
func (q *inquiry) laboratories() result.Frame {
	rows := make([]int, len(axes))
	for a := range rows {
		rows[a] = a
	}
	num := func(key string, of func(a int) float64) kit.Col[int] { return kit.Num(key, "", kit.AsIs, of) }
	cols := []kit.Col[int]{kit.Word("parameter", "parameter", func(a int) string { return axes[a].Key }),
		kit.Word("unit", "", func(a int) string { return axes[a].Unit }),
		num("from", func(a int) float64 { return axes[a].Lo }), num("to", func(a int) float64 { return axes[a].Hi })}
	for s, sp := range spaces {
		w := &q.last[s]
		slack := func(a int) (span, bool) {
			if a >= len(w.slack) {
				return span{math.NaN(), math.NaN()}, false
			}
			return w.slack[a], true
		}
		cols = append(cols, num(sp.Key, func(a int) float64 {
			if a >= sp.Free {
				return axes[a].value(widened(make([]float64, firstOption))[a])
			}
			return axes[a].value(w.fit.X[a])
		}), num(sp.Key+"_lo", func(a int) float64 { x, _ := slack(a); return x.Lo }),
			num(sp.Key+"_hi", func(a int) float64 { x, _ := slack(a); return x.Hi }),
			kit.Word(sp.Key+"_moves", "moves", func(a int) string {
				x, asked := slack(a)
				width := axes[a].coordinate(x.Hi) - axes[a].coordinate(x.Lo)
				switch {
				case a >= sp.Free:
					return "fixed"
				case !asked:
					return ""
				case width <= 0.25:
					return "pinned"
				case width >= 0.9:
					return "loose"
				}
				return "some"
			}))
	}
	return kit.Frame("laboratory", rows, cols...)
}

// times are the heterogeneous six of the best fits, relative to a homogeneous worker.
func (q *inquiry) times() result.Frame {
	rows := []int{0, 1, 2, 3, 4, 5}
	cols := []kit.Col[int]{kit.Count("worker", "", func(i int) int { return i + 1 })}
	for s, sp := range spaces {
		cols = append(cols, kit.Num(sp.Key, "", kit.AsIs, func(i int) float64 { return q.last[s].lab.Times[i] }))
	}
	return kit.Frame("times", rows, cols...)
}

// anatomy is what one iteration of a model consists of on a laboratory's
// homogeneous worker, in seconds.
type anatomy struct{ compute, host, server, worker, fixed, update float64 }

func (q *inquiry) anatomy(l laboratory, m string) anatomy {
	cfg := l.config(homogeneous, "asp", m, 0)
	c, w := q.costs[m], cfg.Platform.Workers[0]
	bytes := 4 * float64(c.params)
	seconds := func(launch, overhead time.Duration) float64 {
		return c.seconds(&w, cfg.Batch, launch, overhead).Seconds()
	}
	a := anatomy{compute: seconds(cfg.Launch, cfg.Overhead), server: bytes / cfg.Platform.Server.Bandwidth, worker: bytes / w.Bandwidth,
		fixed: 2*l.Hardware.Latency/1e3 + l.Hardware.Decision/1e3, update: 12 * float64(c.params) / cfg.Platform.Server.Memory}
	a.host = a.compute - seconds(0, 0)
	return a
}

// jittered is the share of an undisturbed iteration that jitter acts on.
func (a anatomy) jittered() float64 {
	return a.compute / (a.compute + 2*max(a.server, a.worker) + a.fixed + a.update)
}

// anatomies say what the best fits' iterations consist of.
func (q *inquiry) anatomies() result.Frame {
	type row struct {
		s     int
		model string
		anatomy
	}
	var rows []row
	for s := range spaces {
		for _, m := range models {
			rows = append(rows, row{s, m, q.anatomy(q.last[s].lab, m)})
		}
	}
	ms := func(key string, of func(a anatomy) float64) kit.Col[row] {
		return kit.Num(key, "ms", 2, func(r row) float64 { return 1e3 * of(r.anatomy) })
	}
	qis := func(key, platform string) kit.Col[row] {
		return kit.Num(key, "%", 1, func(r row) float64 { return 100 * q.last[r.s].qis[platform+r.model] })
	}
	return kit.Frame("anatomy", rows, kit.Word("space", "space", func(r row) string { return spaces[r.s].Key }),
		kit.Word("model", "model", func(r row) string { return r.model }), ms("compute", func(a anatomy) float64 { return a.compute }),
		ms("host", func(a anatomy) float64 { return a.host }), ms("server", func(a anatomy) float64 { return a.server }),
		ms("worker", func(a anatomy) float64 { return a.worker }), ms("update", func(a anatomy) float64 { return a.update }),
		ms("fixed", func(a anatomy) float64 { return a.fixed }), kit.Num("jittered", "%", 0, func(r row) float64 { return 100 * r.jittered() }),
		qis("qis", homogeneous), qis("qis_hetero", heterogeneous))
}

// parts is how far a search gets that has to meet a part of the demands.
func (q *inquiry) parts() result.Frame {
	return kit.Frame("alone", q.alone, kit.Word("part", "part", func(l lone) string { return l.Key }),
		kit.Count("count", "", func(l lone) (n int) {
			for _, in := range l.Of {
				if in {
					n++
				}
			}
			return n
		}),
		kit.Num("own", "%", 1, func(l lone) float64 { return typical(l.own) }),
		kit.Num("within", "%", 1, func(l lone) float64 { return typical(l.within) }))
}

// facts are the numbers of the texts: the search, and the best laboratory of the larger space.
func (q *inquiry) facts() []result.Fact {
	w, e, most := &q.last[1], q.size, effortOf("standard")
	a, h, o := q.anatomy(w.lab, "resnet18"), w.lab.Hardware, w.lab.Options
	least, largest := 1.0, 0.0
	for _, share := range w.qis {
		least, largest = min(least, share), max(largest, share)
	}
	smallest := math.Inf(1)
	for _, d := range q.want {
		smallest = min(smallest, d.Ratio)
	}
	longer := math.NaN() // profiles that search as long as standard have none
	if e != most {
		longer = most.runsOf() * float64(most.Full) / (e.runsOf() * float64(e.Full))
	}
	count := func(key string, n int) result.Fact { return kit.Counted(key, "", n) }
	return []result.Fact{count("candidates", q.candidates), count("runs", q.runs), kit.Number("standard.longer", "", 0, longer),
		count("ratios", stated18),
		count("search.seed", searchSeed), count("scan", e.Scan), count("population", e.Population), count("generations", e.Generations),
		count("more", e.More),
		count("alone.generations", e.Alone), count("go_on", goOn), count("finalists", finalists), kit.Counted("search.gradients", "", e.Pushes),
		kit.Counted("full.gradients", "", e.Full),
		count("batch", fullBatch), count("workers", workers), kit.Number("stated.smallest", "", 2, smallest),
		kit.Number("device", "TFLOP/s", kit.AsIs, deviceFLOPS/1e12),
		kit.Whether("same_mean", q.won[0] == q.won[1]), kit.Whether("all_met", max(q.met(0), q.met(1)) == stated18),
		kit.Number("lab.jitter", "%", 0, 100*h.Jitter), kit.Number("tables.jitter", "%", 0, 100*tablesJitter),
		kit.Number("lab.server_link", "Gb/s", kit.AsIs, h.ServerLink), kit.Number("lab.worker_link", "Gb/s", kit.AsIs, h.WorkerLink),
		kit.Number("lab.transfer", "ms", 0, 1e3*max(a.server, a.worker)), kit.Number("lab.compute", "ms", 0, 1e3*a.compute),
		kit.Number("lab.update", "ms", 0, 1e3*a.update),
		kit.Counted("lab.smin", "versions", o.Smin), kit.Counted("lab.smax", "versions", o.Smax), kit.Counted("lab.staleness", "", o.Staleness),
		kit.Counted("lab.lower", "", o.Lower), kit.Counted("lab.upper", "", o.Upper),
		kit.Number("lab.qis.least", "%", 0, 100*least), kit.Number("lab.qis.most", "%", 0, 100*largest)}
}
