package dasp

import (
	"fmt"

	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// linkCell is a run on unequal links: a cell, what its waits in WSS were made
// of, and what the server's link took.
type linkCell struct {
	Cell  cell
	Waits wssWaits  // DASP only
	Busy  float64   // share of the run in which the server's link carries gradients in
	Queue []float64 // seconds of an iteration spent queueing at the server's link, mean per worker
}

// linkGrid holds the cells: [platform][model][form][seed].
type linkGrid map[string]map[string]map[string][]linkCell

// linkGrid runs every form on every platform.
func (r *runs) linkGrid(vs []platforms.Variant) (linkGrid, error) {
	g := linkGrid{}
	for _, v := range vs {
		g[v.Name] = map[string]map[string][]linkCell{}
		for _, m := range models {
			g[v.Name][m] = map[string][]linkCell{}
			for _, f := range formsOn(v) {
				for _, seed := range r.env.Seeds {
					cfg := timing(v.Platform, f.sync, m, seed)
					f.set(cfg.Options)
					c, err := logged(r, "dasp/network/", fmt.Sprintf("%s, %s, %s", v.Name, title[m], f.title), 1, cfg, func(o *train.Outcome) (linkCell, error) {
						return newLinkCell(o, v.Platform, *cfg.Options)
					})
					if err != nil {
						return g, err
					}
					g[v.Name][m][f.key] = append(g[v.Name][m][f.key], c)
				}
			}
		}
	}
	return g, nil
}

func newLinkCell(o *train.Outcome, p *cluster.Platform, opts rivals.Options) (linkCell, error) {
	c := linkCell{Cell: reduce(o, false), Busy: linkBusy(o.Log, p.Server), Queue: linkQueues(o.Log, p)}
	if o.Sync != "dasp" {
		return c, nil
	}
	var err error
	c.Waits, err = countWaits(o.Log, opts, warmup)
	return c, err
}

// linkBusy is the share of the run that the gradients' bytes occupy the server's
// link:
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

// linkQueues is what each worker's iterations last beside the computation and two
// transfers of a worker alone: the queue at the server's link, both directions,
// without the wait for the answer. Pushes of the warm-up are left out.
func linkQueues(l *dasp.Log, p *cluster.Platform) []float64 {
	sum, n, seen := make([]float64, l.Workers), make([]float64, l.Workers), make([]int, l.Workers)
	for _, push := range l.Pushes {
		w := push.Worker
		if seen[w]++; seen[w] <= warmup {
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

// cellsOf returns the cells without what the links add.
func cellsOf(cells []linkCell) []cell {
	out := make([]cell, len(cells))
	for i, c := range cells {
		out[i] = c.Cell
	}
	return out
}

// percentOf is 100·part/of, nil where there is nothing to share.
func percentOf(part, of int) any {
	if of == 0 {
		return nil
	}
	return 100 * float64(part) / float64(of)
}
