package setup

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

// Way is an exchange that competes.
type Way struct {
	Key     string             `json:"key"`
	Options ringsparse.Options `json:"options"`
}

// The ways, fixed before the first run. The last two are readings of the printed text.
var Ways = []Way{
	{"dense", ringsparse.Options{Kinds: "gradients", Codec: "dense"}},
	{"ringsparse", ringsparse.Options{}},
	{"gradients", ringsparse.Options{Kinds: "gradients"}},
	{"weights", ringsparse.Options{Kinds: "weights"}},
	{"all-gather", ringsparse.Options{Exchange: "all-gather"}},
	{"printed", ringsparse.Options{Rule: "printed"}},
	{"layer", ringsparse.Options{Size: "layer"}},
}

func WayOf(key string) Way {
	return Ways[slices.IndexFunc(Ways, func(w Way) bool { return w.Key == key })]
}

// Iteration holds the time, the bytes and the choices of one iteration on virtual time.
type Iteration struct {
	Seconds float64
	Totals  ringsparse.Totals // of all ranks
	Trace   *cluster.Trace
	Choices []ringsparse.Choice // of all ranks, if they were asked for
}

// Case says what is run: Way on Nodes workers with links of Gbps.
type Case struct {
	Way   Way
	Gbps  float64
	Nodes int
	Trace bool
	Free  bool                // counting, turning, packing and unpacking take no time
	Rates []cluster.CodecRate // nil: the platform's
	// Task makes real tasks; nil: a timing-only run.
	Task func(rank int) cluster.Task
}

// Run runs one iteration of w on the reference platform, rates of codecs charged unless they are
// free.
func (w Network) Run(ctx context.Context, l Case) (Iteration, error) {
	p := WithLink(Platform(), l.Gbps)
	o := l.Way.Options
	o.Bandwidth = l.Gbps * Gigabit
	if !l.Free {
		o.Rates, o.Charge = p.Codecs, true
		if l.Rates != nil {
			o.Rates = l.Rates
		}
	}
	job := ringsparse.Job{Layers: w.Layers, Rate: 0.05, Steps: 1, Options: o,
		Density: func(layer int) (float64, float64) { return 1, w.Density[layer] }}
	out, err := Iterate(ctx, p, virtual.Config{Workers: l.Nodes, Trace: l.Trace}, job, l.Task)
	if err != nil {
		return Iteration{}, fmt.Errorf("ringsparse: %s, %s, %d ranks: %w", w.Key, l.Way.Key, l.Nodes, err)
	}
	return out, nil
}

// Iterate runs job on every rank, with the rank's task if there are tasks.
func Iterate(ctx context.Context, p *cluster.Platform, cfg virtual.Config, job ringsparse.Job, task func(rank int) cluster.Task) (Iteration, error) {
	logs, trace, err := cluster.Run(ctx, virtual.New(p, cfg), func(p cluster.Proc) (*ringsparse.Log, error) {
		mine := job
		if task != nil {
			mine.Task = task(p.Rank())
		}
		return ringsparse.Run(p, mine)
	})
	if err != nil {
		return Iteration{}, err
	}
	var out Iteration
	var end time.Duration
	for _, log := range logs {
		out.Totals.Merge(log.Totals)
		out.Choices = append(out.Choices, log.Choices...)
		end = max(end, log.Ends[len(log.Ends)-1])
	}
	out.Seconds, out.Trace = end.Seconds()/float64(len(logs[0].Ends)), trace
	return out, nil
}

// Draw makes tasks of random gradients with w's densities.
func (w Network) Draw(seed uint64) func(rank int) cluster.Task {
	return DrawnTasks(seed, w.Layers, func(l int, g []float32, r *rand.Rand) { Scatter(g, w.Row[l], w.Density[l], r) })
}
