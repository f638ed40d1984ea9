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

// measured is a run on unequal links: a cell, what its waits in WSS were made
// of, and what the server's link took.
type measured struct {
	Cell  setup.Summary
	Waits wssWaits  // DASP only
	Busy  float64   // share of the run in which the server's link carries gradients in
	Queue []float64 // seconds of an iteration spent queueing at the server's link, mean per worker
}

func measuredOf(o *train.Outcome, p *cluster.Platform, opts rivals.Options) (measured, error) {
	c := measured{Cell: setup.Summarise(o, false), Busy: linkBusy(o.Log, p.Server), Queue: linkQueues(o.Log, p)}
	if o.Sync != "dasp" {
		return c, nil
	}
	var err error
	c.Waits, err = countWaits(o.Log, opts, setup.Warmup)
	return c, err
}

// linkBusy is the share of the run that the gradients' bytes occupy the server's link:
//
//	gradients · 4P / bandwidth / length of the run
func linkBusy(l *dasp.Log, server *cluster.Host) float64 {
	bytes := float64(len(l.Pushes)) * 4 * float64(l.Params)
	return bytes / server.Bandwidth / l.End.Seconds()
}

// transferAlone is how long bytes take between the server and a worker that nobody else
// hinders: the latencies, the overheads and the bytes over the smaller bandwidth.
func transferAlone(a, b *cluster.Host, bytes float64) float64 {
	return (a.Latency + b.Latency + a.Overhead + b.Overhead).Seconds() + bytes/min(a.Bandwidth, b.Bandwidth)
}

// linkQueues returns what each worker's iterations last beside the computation and two
// transfers of a worker alone: the queue at the server's link, both directions,
// without the wait for the answer. Pushes of the warm-up are left out.
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

// meanByWorker is each worker's mean iteration in seconds, mean over seeds.
func meanByWorker(cells []measured, of func(measured) []float64) []float64 {
	out := make([]float64, setup.Workers)
	for w := range out {
		for _, c := range cells {
			out[w] += of(c)[w] / float64(len(cells))
		}
	}
	return out
}

func iterationsOf(c measured) []float64 { return c.Cell.Iteration.ByWorker }

// unevenness is the slowest worker's mean iteration over the fastest's, no
// number where a worker never got past the warm-up.
func unevenness(cells []measured) float64 {
	x := meanByWorker(cells, iterationsOf)
	if slices.Min(x) <= 0 {
		return math.NaN()
	}
	return slices.Max(x) / slices.Min(x)
}

// shortWait is the share of the oldest worker's whole iteration below which a
// T_wait counts as next to nothing.
const shortWait = 0.05

// wssWaits are DASP's waits in WSS by what eq. (1) asked for, and its groups.
// Pushes of the warm-up are in none of the first four.
type wssWaits struct {
	WSS    int     // pushes in WSS
	Zero   int     // of them, T_wait = 0
	Short  int     // of them, T_wait < shortWait of the oldest worker's last iteration, the zeros included
	Wait   float64 // Σ T_wait, seconds
	Oldest float64 // Σ the oldest worker's last iteration, transfers included, seconds

	Groups, Members, Solo int // updates of weight 1/K, their gradients, those of K = 1
}

// countWaits retraces a DASP run and repeats Algorithm 1's decisions, but for the
// waits of each worker's first skip pushes.
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

// add joins the waits of several seeds.
func (w *wssWaits) add(x wssWaits) {
	w.WSS, w.Zero, w.Short = w.WSS+x.WSS, w.Zero+x.Zero, w.Short+x.Short
	w.Wait, w.Oldest = w.Wait+x.Wait, w.Oldest+x.Oldest
	w.Groups, w.Members, w.Solo = w.Groups+x.Groups, w.Members+x.Members, w.Solo+x.Solo
}

// allWaits joins the waits of all seeds.
func allWaits(cells []measured) (all wssWaits) {
	for _, c := range cells {
		all.add(c.Waits)
	}
	return all
}

// onlyQIS tells whether nobody is ever made to wait.
func onlyQIS(cells []measured) bool {
	return !slices.ContainsFunc(cells, func(c measured) bool { return c.Cell.Share["QIS"] < 1 })
}
