package dasp

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// show puts facts, frames and the figure into r.
func (q *inquiry) show(r *result.Result) {
	r.Facts = append(q.facts(), arguments(q.want, q.costs)...)
	r.Frames = []result.Frame{q.closest(), q.best(), q.ratiosFrame(), q.laboratories(), q.times(),
		kit.As(result.Modelled, q.anatomies()), q.parts()}
	r.Figures = []result.Figure{{ID: "fit", Form: "bar", Frame: "ratios", X: "claim", Y: []string{"stated", spaces[0].Key, spaces[1].Key}}}
}

// typical is a loss as a deviation in per cent; NaN where there is none.
func typical(x float64) float64 {
	if x >= noLoss {
		return math.NaN()
	}
	return 100 * (math.Exp(x) - 1)
}

// closest is how near the best laboratory of each space comes, and which ratio it is furthest
// from.
func (q *inquiry) closest() result.Frame {
	s := kit.NewSheet("closest", "space:space mean:mean seeds/%.1 seed/%.1 met claim cluster:platform model:model against:method "+
		"stated/.3 found/.3")
	for i, sp := range spaces {
		w := &q.last[i]
		furthest, factor := worst(w.values(), q.want)
		d, found := q.want[furthest], w.loss < noLoss
		row := []any{sp.Key, meanings[q.won[i]], typical(w.loss), typical(w.fit.Loss), q.met(i), "", "", "", "", d.Ratio, kit.OnlyIf(found, d.Ratio*factor)}
		if found {
			row[5], row[6], row[7], row[8] = d.id, d.Platform, d.model, d.against
		}
		s.Add(row...)
	}
	return s.Frame
}

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
	s := kit.NewSheet("best", "space:space mean:mean search/%.1 full/%.1 polished/%.1 seeds/%.1 claim worst/%.1")
	for i, sp := range spaces {
		for k, meaning := range meanings {
			end, won := q.fits[i][k], k == q.won[i]
			furthest, factor := worst(end.Full[k], q.want)
			id, numbers := q.want[furthest].id, end.FullLoss < noLoss
			if !numbers {
				id = "" // some ratio is no number
			}
			s.Add(sp.Key, meaning, typical(end.Loss), typical(end.FullLoss), kit.OnlyIf(won, typical(q.last[i].fit.Loss)),
				kit.OnlyIf(won, typical(q.last[i].loss)), id, kit.OnlyIf(numbers, 100*(factor-1)))
		}
	}
	return s.Frame
}

// perSpace repeats columns for every space, whose key stands for "@".
func perSpace(columns string) (all string) {
	for _, sp := range spaces {
		all += " " + strings.ReplaceAll(columns, "@", sp.Key)
	}
	return all
}

// ratiosFrame sets the 18 ratios beside the best fit of each space, and beside what the whole search
// gave of each by itself.
func (q *inquiry) ratiosFrame() result.Frame {
	s := kit.NewSheet("ratios", "claim cluster:platform model:model against:method stated/.3"+
		perSpace("@~/.3 @_residual/%.1 @_within @_min/.3 @_max/.3 @_reachable"))
	for i, d := range q.want {
		row := []any{d.id, d.Platform, d.model, d.against, d.Ratio}
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

// laboratories are the best fits' parameters, and how far each can be moved alone.
func (q *inquiry) laboratories() result.Frame {
	s := kit.NewSheet("laboratory", "parameter:parameter unit from to"+perSpace("@ @_lo @_hi @_moves:moves"))
	for i, a := range axes {
		row := []any{a.Key, a.Unit, a.Lo, a.Hi}
		for k, sp := range spaces {
			w, slack, moves := &q.last[k], span{math.NaN(), math.NaN()}, ""
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

// times are the heterogeneous six of the best fits, relative to a homogeneous worker.
func (q *inquiry) times() result.Frame {
	s := kit.NewSheet("times", "worker"+perSpace("@"))
	for i := range workers {
		s.Add(i+1, q.last[0].lab.Times[i], q.last[1].lab.Times[i])
	}
	return s.Frame
}

// anatomy holds the parts of one iteration of a model on a laboratory's
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

// anatomies say what the best fits' iterations consist of; jitter acts on the jittered share
// of an undisturbed one.
func (q *inquiry) anatomies() result.Frame {
	s := kit.NewSheet("anatomy", "space:space model:model compute/ms.2 host/ms.2 server/ms.2 worker/ms.2 update/ms.2 fixed/ms.2 "+
		"jittered/%.0 qis/%.1 qis_hetero/%.1")
	for i, sp := range spaces {
		for _, m := range models {
			a, qis := q.anatomy(q.last[i].lab, m), q.last[i].qis
			jittered := a.compute / (a.compute + 2*max(a.server, a.worker) + a.fixed + a.update)
			s.Add(sp.Key, m, 1e3*a.compute, 1e3*a.host, 1e3*a.server, 1e3*a.worker, 1e3*a.update, 1e3*a.fixed,
				100*jittered, 100*qis[homogeneous+m], 100*qis[heterogeneous+m])
		}
	}
	return s.Frame
}

// parts is how far a search gets that has to meet a part of the demands.
func (q *inquiry) parts() result.Frame {
	s := kit.NewSheet("alone", "part:part count own/%.1 within/%.1")
	for _, l := range q.alone {
		s.Add(l.Key, kit.CountIf(l.Of[:], func(in bool) bool { return in }), typical(l.own), typical(l.within))
	}
	return s.Frame
}

// facts are the numbers of the texts: the search, and the best laboratory of the larger space.
func (q *inquiry) facts() []result.Fact {
	w, e, most := &q.last[1], q.size, effortOf("standard")
	a, h, o := q.anatomy(w.lab, "resnet18"), w.lab.Hardware, w.lab.Options
	lo, hi := kit.Extent(slices.Collect(maps.Values(w.qis)), func(x float64) float64 { return x })
	smallest, _ := kit.Extent(q.want[:], func(d demand) float64 { return d.Ratio })
	longer := math.NaN() // profiles that search as long as standard have none
	if e != most {
		longer = most.runsOf() * float64(most.Full) / (e.runsOf() * float64(e.Full))
	}
	return kit.Facts("candidates", q.candidates, "runs", q.runs, "standard.longer/.0", longer, "ratios", stated18, "search.seed", searchSeed,
		"scan", e.Scan, "population", e.Population, "generations", e.Generations, "more", e.More, "alone.generations", e.Alone, "go_on", goOn,
		"finalists", finalists, "search.gradients", e.Pushes, "full.gradients", e.Full, "batch", fullBatch, "workers", workers,
		"stated.smallest/.2", smallest, "device/TFLOP/s", deviceFLOPS/1e12, "same_mean", q.won[0] == q.won[1],
		"all_met", max(q.met(0), q.met(1)) == stated18, "lab.jitter/%.0", 100*h.Jitter, "tables.jitter/%.0", 100*tablesJitter,
		"lab.server_link/Gb/s", h.ServerLink, "lab.worker_link/Gb/s", h.WorkerLink, "lab.transfer/ms.0", 1e3*max(a.server, a.worker),
		"lab.compute/ms.0", 1e3*a.compute, "lab.update/ms.0", 1e3*a.update, "lab.smin/versions", o.Smin, "lab.smax/versions", o.Smax,
		"lab.staleness", o.Staleness, "lab.lower", o.Lower, "lab.upper", o.Upper, "lab.qis.least/%.0", 100*min(lo, 1), "lab.qis.most/%.0", 100*max(hi, 0))
}

// longest is the expected largest of n independent log-normal factors of mean 1
// and relative standard deviation cv, which is what a barrier over n equal
// workers waits for if nothing but jitter keeps them apart:
//
//	E[max] = ∫ n·φ(z)·Φ(z)^(n−1)·exp(σz − σ²/2) dz,  σ² = ln(1 + cv²)
//
// by Simpson's rule on ±12 around 0 and σ.
func longest(n int, cv float64) float64 {
	sigma := math.Sqrt(math.Log(1 + float64(cv*cv)))
	const steps = 4000
	lo, hi := -12.0, 12+sigma
	h := (hi - lo) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		z := lo + float64(float64(i)*h)
		below := 0.5 * math.Erfc(-z/math.Sqrt2)
		f := float64(n) * math.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi) * math.Pow(below,
			float64(n-1)) * math.Exp(float64(sigma*z)-float64(sigma*sigma)/2)
		switch {
		case i == 0 || i == steps:
			sum += f
		case i%2 == 1:
			sum += 4 * f
		default:
			sum += 2 * f
		}
	}
	return sum * h / 3
}

// jitterFor is the cv at which longest is the given factor, which must lie in
// (1, longest(n, 10)).
func jitterFor(n int, factor float64) float64 {
	lo, hi := 0.0, 10.0
	for range 60 {
		if mid := (lo + hi) / 2; longest(n, mid) < factor {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// queueing is BSP/ASP without jitter among n equal workers whose computation takes c times, and
// whose update at the server u times, as long as one gradient does over the server's link, if
// the link carries one message after the other, as the simulator's does:
//
//	(c + n + 1 + n·u) / max(n, n·u, c + 2 + u)
//
// At a barrier the n copies of the weights leave in turn, the last worker begins at n, its
// gradient is the last to arrive, and the update uses n. Without one the link is full (n), the
// server is busy (n·u), or nobody waits.
func queueing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + m + 1 + float64(m*u)) / max(m, m*u, c+2+u)
}

// sharing is the same if connections share the link evenly, as they do under
// TCP: at a barrier all copies arrive together, and all gradients do.
//
//	(c + 2n + n·u) / max(n, n·u, c + 2 + u)
//
// It is the larger of the two, so what it rules out no queue at the server gives.
func sharing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + 2*m + float64(m*u)) / max(m, m*u, c+2+u)
}

// The most that queues can cost a barrier of six, with link, server and workers
// all equally busy: c = n − 3, u = 1.
var (
	inTurn = queueing(workers, workers-3, 1)
	evenly = sharing(workers, workers-3, 1)
)

// weights returns how much VGG-19-BN moves and computes, ResNet-18 being 1, the latter on a
// homogeneous worker of the tables.
func weights(all map[string]costs) (bytes, compute float64) {
	host := load(homogeneous).Workers[0]
	seconds := func(m string) float64 {
		return all[m].seconds(&host, fullBatch, train.DefaultLaunch, train.DefaultOverhead).Seconds()
	}
	return float64(all["vgg19_bn"].params) / float64(all["resnet18"].params), seconds("vgg19_bn") / seconds("resnet18")
}

// jittering is BSP/ASP of a network whose steady part, links and all, is s and
// whose computation c is m times as long at a barrier:
//
//	(m·c + s) / (c + s)
func jittering(m, c, s float64) float64 { return (float64(m*c) + s) / (c + s) }

// byJitter returns the largest ratio that jitter gives ResNet-18 where it gives VGG-19-BN the
// stated one, vgg, and the m at which it does: per m, which cannot exceed the number of
// workers, VGG-19-BN's ratio fixes how much is steady.
func byJitter(vgg float64, all map[string]costs) (most, at float64) {
	bytes, compute := weights(all)
	for i := 1; i <= 1000; i++ {
		m := vgg + float64((workers-vgg)*float64(i)/1000)
		steady := compute * (m - vgg) / (vgg - 1) // of VGG-19-BN, ResNet-18's computation being 1
		if x := jittering(m, 1, steady/bytes); x > most {
			most, at = x, m
		}
	}
	return most, at
}

// byQueue returns the largest ratios that queueing gives ResNet-18, in turn and evenly, wherever
// it gives VGG-19-BN no more than vgg.
func byQueue(vgg float64, all map[string]costs) (turn, even float64) {
	bytes, compute := weights(all)
	k := compute / bytes
	for i := range 301 {
		for j := range 301 {
			c, u := 0.01*math.Pow(1e5, float64(i)/300), 0.01*math.Pow(1e4, float64(j)/300)
			if queueing(workers, k*c, u) <= vgg {
				turn = max(turn, queueing(workers, c, u))
			}
			if sharing(workers, k*c, u) <= vgg {
				even = max(even, sharing(workers, c, u))
			}
		}
	}
	return turn, even
}

// tablesJitter is the relative standard deviation of a computation on the tables' clusters.
const tablesJitter = 0.05

// arguments returns what the stated ratios need of any cluster, by arithmetic alone; the words
// are the notebook's.
func arguments(want [stated18]demand, all map[string]costs) []result.Fact {
	r := map[string]float64{}
	for _, d := range want {
		r[d.Platform+d.model+d.against] = d.Ratio
	}
	res, vgg, lenet := 1/r[homogeneous+"resnet18bsp"], 1/r[homogeneous+"vgg19_bnbsp"], 1/r[homogeneous+"lenet5bsp"]
	bytes, compute := weights(all)
	most, at := byJitter(vgg, all)
	turn, even := byQueue(vgg, all)
	x := r[heterogeneous+"resnet18bsp"]
	faster := func(bsp float64) float64 { // than the slowest, if its time is 1 and BSP's is bsp: the five others
		return 1 / ((float64(x*bsp*workers) - 1) / (workers - 1))
	}
	return kit.Facts("bsp.resnet18/.2", res, "bsp.vgg19_bn/.2", vgg, "bsp.lenet5/.2", lenet,
		"jitter.needed/.2", jitterFor(workers, res), "jitter.tables/.2", tablesJitter, "jitter.longest/.2", longest(workers, tablesJitter),
		"queue.turn/.2", queueing(workers, workers-2, 0), "queue.even/.2", sharing(workers, workers-2, 0), "queue.slower/.0", workers-2.,
		"queue.turn.update/.2", inTurn, "queue.even.update/.2", evenly, "queue.slower.update/.0", workers-3.,
		"jittered.vgg19_bn/%.0", 100*(vgg-1)/(res-1), "jittered.lenet5/%.0", 100*(lenet-1)/(res-1),
		"weights.compute/.2", compute, "weights.bytes/.2", bytes, "both.jitter/.2", most, "both.jitter.at/.2", at,
		"both.turn/.2", turn, "both.even/.2", even,
		"straggler.stated/.3", x, "straggler.faster/.1", faster(1), "straggler.faster.queued/.1", faster(evenly),
		"straggler.faster.pushes/.1", (workers/x-1)/(workers-1),
		"ssp.stated/.3", x/r[heterogeneous+"resnet18ssp"], "ssp.turn/.3", 1/inTurn, "ssp.even/.3", 1/evenly,
		"dssp.stated/.3", r[heterogeneous+"resnet18ssp"]/r[heterogeneous+"resnet18dssp"], "dssp.iterations/.0", float64(perWorker),
		"dssp.lead/.0", float64(dsspUpper), "dssp.gain/.2", float64(perWorker)/(perWorker+dsspUpper), "update.stated/.3", 1/lenet)
}
