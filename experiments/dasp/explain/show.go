package explain

import (
	"maps"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// show fills r with facts, frames and the figure.
func (q *searcher) show(r *result.Result) {
	r.Facts = append(q.facts(), arguments(q.want, q.full)...)
	r.Frames = []result.Frame{q.closest(), q.ratiosFrame(), q.laboratories(), q.times(), q.parts()}
	r.Figures = []result.Figure{{ID: "fit", Form: "bar", Frame: "ratios", X: "claim", Y: []string{"stated", spaces[0].Key, spaces[1].Key}}}
}

// typical returns a loss as a deviation in per cent, NaN for noLoss.
func typical(x float64) float64 {
	if x >= noLoss {
		return math.NaN()
	}
	return 100 * (math.Exp(x) - 1)
}

// closest says, for each space, how near its best laboratory comes, and from which ratio it is
// furthest.
func (q *searcher) closest() result.Frame {
	s := kit.NewSheet("closest", "space:space mean:mean seeds/%.1 seed/%.1 met claim cluster:platform model:model against:method "+
		"stated/.3 found/.3")
	for i, sp := range spaces {
		w := &q.last[i]
		furthest, factor := worst(w.values(), q.want)
		d, found := q.want[furthest], w.loss < noLoss
		row := []any{sp.Key, meanings[q.won[i]], typical(w.loss), typical(w.fit.Loss), q.met(i), "", "", "", "", d.Ratio, kit.OnlyIf(found, d.Ratio*factor)}
		if found {
			row[5], row[6], row[7], row[8] = d.ID, d.Platform, d.Model, d.Against
		}
		s.Add(row...)
	}
	return s.Frame
}

// values returns the ratios as numbers, 0 for none.
func (w *bestFit) values() (out [stated18]float64) {
	for i, x := range w.ratios {
		out[i] = x.Value
	}
	return out
}

// met counts the ratios of a space's best fit within tolerance.
func (q *searcher) met(s int) (n int) {
	for i, d := range q.want {
		if q.last[s].met(i, d) {
			n++
		}
	}
	return n
}

// met reports whether the ratio of demand i is within the claim's tolerance.
func (w *bestFit) met(i int, d demand) bool {
	return w.ratios[i].N > 0 && math.Abs(w.ratios[i].Value-d.Ratio) <= d.Tolerance
}

// perSpace repeats columns for every space; its key replaces "@".
func perSpace(columns string) (all string) {
	for _, sp := range spaces {
		all += " " + strings.ReplaceAll(columns, "@", sp.Key)
	}
	return all
}

// ratiosFrame lists the 18 stated ratios with each space's best fit, and with the range that the
// whole search gave of each.
func (q *searcher) ratiosFrame() result.Frame {
	s := kit.NewSheet("ratios", "claim cluster:platform model:model against:method stated/.3"+
		perSpace("@~/.3 @_residual/%.1 @_within @_min/.3 @_max/.3 @_reachable"))
	for i, d := range q.want {
		row := []any{d.ID, d.Platform, d.Model, d.Against, d.Ratio}
		for k := range spaces {
			w, seen := &q.last[k], q.seen[q.won[k]][i]
			x := w.ratios[i]
			row = append(row, x, kit.OnlyIf(x.N > 0, 100*(x.Value/d.Ratio-1)), w.met(i, d),
				kit.OnlyIf(seen.Lo > 0, seen.Lo), kit.OnlyIf(seen.Hi > 0, seen.Hi), seen.reached(d))
		}
		s.Add(row...)
	}
	return s.Frame
}

// laboratories lists the best fits' parameters, and how far each can be moved alone.
func (q *searcher) laboratories() result.Frame {
	s := kit.NewSheet("laboratory", "parameter:parameter unit from to"+perSpace("@ @_lo @_hi @_moves:moves"))
	for i, a := range axes {
		row := []any{a.Key, a.Unit, a.Lo, a.Hi}
		for k, sp := range spaces {
			w, slack, moves := &q.last[k], extent{math.NaN(), math.NaN()}, ""
			x := w.fit.X
			if i >= sp.Free {
				x = widened(make([]float64, firstOption))
			}
			if i < len(w.slack) {
				slack, moves = w.slack[i], "some"
				if width := a.coordinate(slack.Hi) - a.coordinate(slack.Lo); width <= 0.25 {
					moves = "pinned"
				} else if width >= 0.9 {
					moves = "loose"
				}
			}
			if i >= sp.Free {
				moves = "fixed"
			}
			row = append(row, a.value(x[i]), slack.Lo, slack.Hi, moves)
		}
		s.Add(row...)
	}
	return s.Frame
}

// times lists the compute times of the best fits' heterogeneous six, relative to a homogeneous
// worker.
func (q *searcher) times() result.Frame {
	s := kit.NewSheet("times", "worker"+perSpace("@"))
	for i := range setup.Workers {
		s.Add(i+1, q.last[0].lab.Times[i], q.last[1].lab.Times[i])
	}
	return s.Frame
}

// iteration returns the seconds of the parts of one iteration of ResNet-18 on laboratory l's homogeneous worker: computation,
// one gradient over the slower of the two links, and the server's update with it.
func (q *searcher) iteration(l laboratory) (compute, transfer, update float64) {
	cfg := l.config(setup.Homogeneous, "asp", "resnet18", 0)
	c, w, server := q.full["resnet18"], cfg.Platform.Workers[0], cfg.Platform.Server
	bytes := 4 * float64(c.Params)
	return c.Seconds(&w, cfg.Batch, cfg.Launch, cfg.Overhead).Seconds(), max(bytes/server.Bandwidth, bytes/w.Bandwidth), 12 * float64(c.Params) / server.Memory
}

// parts lists how well a search fits that has to meet a subset of the demands.
func (q *searcher) parts() result.Frame {
	s := kit.NewSheet("alone", "part:part count own/%.1 within/%.1")
	for _, l := range q.alone {
		s.Add(l.Key, kit.CountIf(l.Of[:], func(in bool) bool { return in }), typical(l.own), typical(l.within))
	}
	return s.Frame
}

// facts returns the numbers of the texts: the search, and the best laboratory of the larger space.
func (q *searcher) facts() []result.Fact {
	w, e, most := &q.last[1], q.size, effortOf("standard")
	compute, transfer, update := q.iteration(w.lab)
	h, o := w.lab.Hardware, w.lab.Options
	lo, hi := kit.Extent(slices.Collect(maps.Values(w.qis)), func(x float64) float64 { return x })
	smallest, _ := kit.Extent(q.want[:], func(d demand) float64 { return d.Ratio })
	longer := math.NaN() // profiles that search as long as standard have none
	if e != most {
		longer = most.runsOf() * float64(most.Full) / (e.runsOf() * float64(e.Full))
	}
	return kit.Facts("candidates", q.candidates, "runs", q.runs, "standard.longer/.0", longer, "ratios", stated18, "search.seed", searchSeed,
		"scan", e.Scan, "population", e.Population, "generations", e.Generations, "more", e.More, "alone.generations", e.Alone, "go_on", goOn,
		"full.gradients", e.Full, "workers", setup.Workers,
		"stated.smallest/.2", smallest, "device/TFLOP/s", deviceFLOPS/1e12, "same_mean", q.won[0] == q.won[1],
		"all_met", max(q.met(0), q.met(1)) == stated18, "lab.jitter/%.0", 100*h.Jitter, "tables.jitter/%.0", 100*tablesJitter,
		"lab.server_link/Gb/s", h.ServerLink, "lab.worker_link/Gb/s", h.WorkerLink, "lab.transfer/ms.0", 1e3*transfer,
		"lab.compute/ms.0", 1e3*compute, "lab.update/ms.0", 1e3*update, "lab.smin/versions", o.Smin, "lab.smax/versions", o.Smax,
		"lab.staleness", o.Staleness, "lab.lower", o.Lower, "lab.upper", o.Upper, "lab.qis.least/%.0", 100*min(lo, 1), "lab.qis.most/%.0", 100*max(hi, 0))
}
