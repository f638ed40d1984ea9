package network

import (
	"math"
	"slices"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// measured keeps a run's summary, its waits in WSS, and the load of the server's link.
type measured struct {
	Summary setup.Summary
	Waits   wssWaits  // DASP only
	Busy    float64   // share of the run in which the server's link carries gradients in
	Queue   []float64 // seconds of an iteration spent queueing at the server's link, mean per worker
}

// measuredOf reduces a run on p with the parameters opts.
func measuredOf(o *train.Outcome, p *cluster.Platform, opts rivals.Options) (measured, error) {
	c := measured{Summary: setup.Summarise(o, false), Busy: linkBusy(o.Log, p.Server), Queue: linkQueues(o.Log, p)}
	if o.Sync != "dasp" {
		return c, nil
	}
	var err error
	c.Waits, err = countWaits(o.Log, opts, setup.Warmup)
	return c, err
}

// linkBusy returns the share of the run in which gradients occupy the server's link:
//
//	gradients · 4P / bandwidth / length of the run
func linkBusy(l *dasp.Log, server *cluster.Host) float64 {
	bytes := float64(len(l.Pushes)) * 4 * float64(l.Params)
	return bytes / server.Bandwidth / l.End.Seconds()
}

// transferAlone returns how long bytes take between the server and a worker that nobody else
// hinders: the latencies, the overheads and the bytes over the smaller bandwidth.
func transferAlone(a, b *cluster.Host, bytes float64) float64 {
	return (a.Latency + b.Latency + a.Overhead + b.Overhead).Seconds() + bytes/min(a.Bandwidth, b.Bandwidth)
}

// linkQueues returns, by worker, the mean seconds that an iteration queues at the server's link in
// both directions: its length without the computation, two transfers alone, and the wait for the
// answer. Pushes of the warm-up are left out.
func linkQueues(l *dasp.Log, p *cluster.Platform) []float64 {
	sum, n, seen := make([]float64, l.Workers), make([]float64, l.Workers), make([]int, l.Workers)
	for _, push := range l.Pushes {
		w := push.Worker
		if seen[w]++; seen[w] <= setup.Warmup {
			continue
		}
		both := 2 * transferAlone(p.Server, &p.Workers[w], 4*float64(l.Params))
		sum[w] += (push.Received - push.Sent - push.Compute).Seconds() - both
		n[w]++
	}
	for w := range sum {
		sum[w] = max(sum[w], 0) / max(n[w], 1)
	}
	return sum
}

// meanByWorker returns what of gives of each worker, the mean over seeds.
func meanByWorker(runs []measured, of func(measured) []float64) []float64 {
	out := make([]float64, setup.Workers)
	for w := range out {
		for _, c := range runs {
			out[w] += of(c)[w] / float64(len(runs))
		}
	}
	return out
}

// iterationsOf returns each worker's mean iteration in seconds.
func iterationsOf(c measured) []float64 { return c.Summary.Iteration.ByWorker }

// unevenness returns the slowest worker's mean iteration over the fastest's, NaN if a worker never
// got past the warm-up.
func unevenness(runs []measured) float64 {
	x := meanByWorker(runs, iterationsOf)
	if slices.Min(x) <= 0 {
		return math.NaN()
	}
	return slices.Max(x) / slices.Min(x)
}

// shortWait is the share of the oldest worker's whole iteration below which a T_wait counts as next
// to nothing.
const shortWait = 0.05

// wssWaits adds up DASP's waits in WSS by what eq. (1) asked for, without the warm-up, and its
// groups, with it.
type wssWaits struct {
	WSS    int     // pushes in WSS
	Zero   int     // of them, T_wait = 0
	Short  int     // of them, T_wait < shortWait of the oldest worker's last iteration, the zeros included
	Wait   float64 // Σ T_wait, seconds
	Oldest float64 // Σ the oldest worker's last iteration, transfers included, seconds

	Groups, Members, Solo int // updates of weight 1/K, their gradients, those of K = 1
}

// countWaits retraces a DASP run, repeats Algorithm 1's decisions and adds up the waits, but for
// each worker's first skip pushes.
func countWaits(l *dasp.Log, o rivals.Options, skip int64) (wssWaits, error) {
	var out wssWaits
	c := kit.Must(o.Config())
	last := make([]time.Duration, l.Workers) // whole iterations
	err := retrace.Log(l, retrace.PolicyOf("dasp", o), kit.Must(o.F()), func(s retrace.Sight) {
		p := l.Pushes[s.Index]
		last[p.Worker] = p.Received - p.Sent
		d := c.Decide(s.View, p.Worker)
		if d.State != dasp.WSS || s.Clocks[p.Worker] <= skip {
			return
		}
		out.WSS++
		out.Wait += d.Wait.Seconds()
		out.Oldest += last[d.Until].Seconds()
		if d.Wait == 0 {
			out.Zero++
		}
		if d.Wait == 0 || d.Wait.Seconds() < shortWait*last[d.Until].Seconds() {
			out.Short++
		}
	}, nil)
	for _, u := range l.Updates {
		if k := len(u.Workers); u.Weight == c.Weight(dasp.WSS, k) {
			out.Groups++
			out.Members += k
			if k == 1 {
				out.Solo++
			}
		}
	}
	return out, err
}

// add adds the waits of another seed.
func (w *wssWaits) add(x wssWaits) {
	w.WSS, w.Zero, w.Short = w.WSS+x.WSS, w.Zero+x.Zero, w.Short+x.Short
	w.Wait, w.Oldest = w.Wait+x.Wait, w.Oldest+x.Oldest
	w.Groups, w.Members, w.Solo = w.Groups+x.Groups, w.Members+x.Members, w.Solo+x.Solo
}

// allWaits adds up the waits of all seeds.
func allWaits(runs []measured) (all wssWaits) {
	for _, c := range runs {
		all.add(c.Waits)
	}
	return all
}

// onlyQIS reports whether every push of every seed is in QIS, so that nobody waits.
func onlyQIS(runs []measured) bool {
	return !slices.ContainsFunc(runs, func(c measured) bool { return c.Summary.Share["QIS"] < 1 })
}
