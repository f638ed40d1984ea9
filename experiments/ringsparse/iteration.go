package ringsparse

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// way is an exchange that competes.
type way struct {
	Key     string             `json:"key"`
	Options ringsparse.Options `json:"options"`
}

// The ways, fixed before the first run. The last two are readings of the printed text.
var ways = []way{
	{"dense", ringsparse.Options{Kinds: "gradients", Codec: "dense"}},
	{"ringsparse", ringsparse.Options{}},
	{"gradients", ringsparse.Options{Kinds: "gradients"}},
	{"weights", ringsparse.Options{Kinds: "weights"}},
	{"all-gather", ringsparse.Options{Exchange: "all-gather"}},
	{"printed", ringsparse.Options{Rule: "printed"}},
	{"layer", ringsparse.Options{Size: "layer"}},
}

func wayOf(key string) way {
	return ways[slices.IndexFunc(ways, func(w way) bool { return w.Key == key })]
}

// lap is one iteration on virtual time.
type lap struct {
	Seconds float64
	Totals  ringsparse.Totals // of all ranks
	Trace   *cluster.Trace
	Choices []ringsparse.Choice // of all ranks, if they were asked for
}

// leg says what is run: a way on some workers with links of gbps.
type leg struct {
	way   way
	gbps  float64
	nodes int
	trace bool
	free  bool                // counting, turning, packing and unpacking take no time
	rates []cluster.CodecRate // nil: the platform's
	// task makes real tasks; nil: a timing-only run.
	task func(rank int) cluster.Task
}

// run runs one iteration of w on the reference platform, rates of codecs charged
// unless they are free.
func (w workload) run(ctx context.Context, l leg) (lap, error) {
	p := withLink(referencePlatform(), l.gbps)
	o := l.way.Options
	o.Bandwidth = l.gbps * gigabit
	if !l.free {
		o.Rates, o.Charge = p.Codecs, true
		if l.rates != nil {
			o.Rates = l.rates
		}
	}
	job := ringsparse.Job{Layers: w.Layers, Rate: 0.05, Steps: 1, Options: o,
		Density: func(layer int) (float64, float64) { return 1, w.Density[layer] }}
	out, err := iterate(ctx, p, virtual.Config{Workers: l.nodes, Trace: l.trace}, job, l.task)
	if err != nil {
		return lap{}, fmt.Errorf("ringsparse: %s, %s, %d ranks: %w", w.Key, l.way.Key, l.nodes, err)
	}
	return out, nil
}

// iterate runs job on every rank, with the rank's task if there are tasks.
func iterate(ctx context.Context, p *cluster.Platform, cfg virtual.Config, job ringsparse.Job, task func(rank int) cluster.Task) (lap, error) {
	logs, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(p cluster.Proc) (*ringsparse.Log, error) {
		mine := job
		if task != nil {
			mine.Task = task(p.Rank())
		}
		return ringsparse.Run(p, mine)
	})
	if err != nil {
		return lap{}, err
	}
	var out lap
	var end time.Duration
	for _, log := range logs {
		out.Totals.Merge(log.Totals)
		out.Choices = append(out.Choices, log.Choices...)
		end = max(end, log.Ends[len(log.Ends)-1])
	}
	out.Seconds, out.Trace = end.Seconds()/float64(len(logs[0].Ends)), trace
	return out, nil
}

// draws makes tasks of random gradients with w's densities.
func (w workload) draws(seed uint64) func(rank int) cluster.Task {
	return drawnTasks(seed, w.Layers, func(l int, g []float32, r *rand.Rand) { scatter(g, w.Row[l], w.Density[l], r) })
}
