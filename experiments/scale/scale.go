// Package scale asks up to how many workers each way of bringing gradients together makes sense:
// every worker keeps its batch, and workers are added until they no longer make a round's samples
// come sooner. All of it is simulated, in virtual time. Rings are computed by the max-plus recurrence of
// collective.MaxPlus, methods with a server by the event engine, which runs the text of server and
// workers.
package scale

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/tensor/model"
)

// Experiments lists them; they are of the document compare.
func Experiments() []exp.Experiment { return []exp.Experiment{scaling()} }

// The criteria, fixed before the first run.
//
// Of a method with N workers, S(N) are the samples it uses per second and S(1) those of one worker
// alone, which exchanges nothing. A worker does half its work as long as S(N)/(N·S(1)) ≥ half. A
// method stops scaling at the first N of the grid from which the workers added up to the next size N'
// bring less than least of what they would do alone:
//
//	(S(N') − S(N)) / ((N' − N)·S(1)) < least
//
// Means over the seeds are compared; sizes above fewSeeds are run with the first seed alone.
const (
	half     = 0.5
	least    = 0.1
	fewSeeds = 10_000
)

// plan holds what a profile runs.
type plan struct {
	Devices  string    `json:"devices"` // platform file that workers and server are from
	Cases    []pair    `json:"cases"`
	Methods  []string  `json:"methods"`
	Workers  []int     `json:"workers"`
	Batch    int       `json:"batch"`       // samples of a worker per round
	Overhead float64   `json:"overhead_ms"` // of an iteration beside its layers
	Rounds   int       `json:"rounds"`      // that a mean is over, after a first one with a server; above fewSeeds workers: one
	Criteria []float64 `json:"criteria"`    // half, least
}

// pair is a network and the links of the workers, whose server has one twice as fast.
type pair struct {
	Model string  `json:"model"`
	Gbps  float64 `json:"gbps"`
}

func planOf(profile string) plan {
	p := plan{Devices: "reference6-equal", Cases: []pair{{"lenet5", 10}, {"resnet18", 100}}, Methods: []string{"ring", "hierarchical", "bsp", "asp", "dasp"},
		Workers: []int{10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000}, Batch: 64, Overhead: 1, Rounds: 3, Criteria: []float64{half, least}}
	if profile == "ci" {
		p.Workers = []int{10, 100, 1000}
	}
	return p
}

// point is one method with a number of workers.
type point struct {
	pair
	Method  string
	Workers int
}

func (x point) String() string {
	return fmt.Sprintf("%s with %d workers, %s at %g Gb/s", x.Method, x.Workers, x.Model, x.Gbps)
}

func (p plan) points() (out []point) {
	for _, n := range p.Workers {
		for _, c := range p.Cases {
			for _, m := range p.Methods {
				out = append(out, point{c, m, n})
			}
		}
	}
	return out
}

// rounds returns how many rounds of n workers a time is the mean of.
func (p plan) rounds(n int) int {
	if n > fewSeeds {
		return 1
	}
	return p.Rounds
}

// platform returns n of the plan's workers and its server on the links of c.
func (p plan) platform(c pair, n int) *cluster.Platform {
	from := kit.Load(p.Devices)
	ratio := from.Server.Bandwidth / from.Workers[0].Bandwidth
	worker, server := from.Workers[0], *from.Server
	worker.Name, worker.Bandwidth, worker.Assumed = "worker-", c.Gbps*1e9/8, nil
	server.Bandwidth = ratio * worker.Bandwidth
	out := cluster.Uniform(n, worker, &server)
	out.Name, out.Decision = fmt.Sprintf("%d workers, %g Gb/s", n, c.Gbps), from.Decision
	return out
}

// config returns the timing-only training of a method on p.
func (p plan) config(x point, platform *cluster.Platform, seed uint64) train.Config {
	n := len(platform.Workers)
	c := train.Config{Sync: x.Method, Model: x.Model, Platform: platform, Workers: n, Batch: p.Batch, TimingOnly: true, EvalEvery: -1, Seed: seed,
		Overhead: time.Duration(p.Overhead * float64(time.Millisecond)), Warmup: 1}
	return c
}

// sample holds what one seed of a point gave.
type sample struct {
	Alone   float64 // seconds in which one worker computes its batch
	Round   float64 // seconds per N·b samples
	Stale   float64 // mean staleness, in updates
	PerRank float64 // bytes that a worker sends per round, on average; it receives as many
	Busiest float64 // bytes that the busiest host sends per round
}

// per returns how many workers alone x is worth.
func (s sample) per(n int) float64 { return float64(n) * s.Alone / s.Round }

// scaling returns the study.
func scaling() exp.Experiment {
	return kit.Study[point, sample]{ID: "compare/scale", Source: "ours", Kind: result.TimingOnly, Profiles: []string{"ci", "quick"},
		Points: func(profile string) []point { return planOf(profile).points() },
		Cost: func(_ string, x point) (string, float64) {
			n := float64(x.Workers)
			return "compare/scale", map[string]float64{"ring": 7e-9 * n * n, "hierarchical": 1.2e-5 * n, "dasp": 3e-9*n*n + 1e-4*n}[x.Method] + 1e-4*n
		},
		Config: func(profile string) map[string]any {
			p := planOf(profile)
			return map[string]any{"plan": p, "platform": kit.Platform(kit.Load(p.Devices))}
		},
		Once: func(x point) bool { return x.Workers > fewSeeds },
		Measure: func(ctx context.Context, env exp.Env, x point, seed uint64) (sample, error) {
			p := planOf(env.Profile)
			return kit.Keep(ctx, env, []any{"compare/scale", p.Devices, p.Batch, p.Overhead, p.rounds(x.Workers), x, seed}, func(string) (sample, error) {
				return p.measure(ctx, x, seed)
			})
		},
		Show: show}.Experiment()
}

// measure runs one point.
func (p plan) measure(ctx context.Context, x point, seed uint64) (s sample, err error) {
	one := p.platform(x.pair, 1)
	one.Workers[0].Jitter = 0 // it waits for nobody, so that its mean is its time without
	single := p.config(point{x.pair, "ring", 1}, one, seed)
	single.MaxUpdates = 2
	out, err := train.Run(ctx, single)
	if err != nil {
		return s, err
	}
	s.Alone = out.Iteration.PerUpdate
	m, err := model.New(x.Model)
	if err != nil {
		return s, err
	}
	s.PerRank, s.Busiest = traffic(x, m.NumParams())
	if x.Method == "ring" || x.Method == "hierarchical" {
		s.Round, err = p.ring(ctx, x, m.NumParams(), s.Alone, seed)
		return s, err
	}
	s.Round, s.Stale, err = p.served(ctx, x, seed)
	return s, err
}

// ring returns the mean time of a round: all workers begin to compute at one instant, each takes
// as long as its jitter says, and the exchange of n parameters follows as soon as a worker and those that
// it waits for are there. The round ends with the last of them.
func (p plan) ring(ctx context.Context, x point, n int, alone float64, seed uint64) (mean float64, err error) {
	platform := p.platform(x.pair, x.Workers)
	m, err := collective.NewMaxPlus(platform, cluster.HeaderBytes)
	if err != nil {
		return 0, err
	}
	from := make([]int64, x.Workers)
	for round := range p.rounds(x.Workers) {
		for i := range from {
			draw := cluster.Stream(seed, i, fmt.Sprint(round), "scale/jitter")
			from[i] = int64(math.Round(1e12 * alone * platform.Workers[i].DrawJitter(draw)))
		}
		var ends []int64
		if x.Method == "ring" {
			ends, err = m.Ring(ctx, n, from)
		} else {
			// Equal links often leave the order of two messages open. That moves single ranks, and not the
			// last of them: TestRoundsEndAsByEvents of collective.
			ends, _, err = m.Hierarchical(ctx, perNode(x.Workers), n, from)
		}
		if err != nil {
			return 0, err
		}
		mean += 1e-12 * float64(slices.Max(ends)) / float64(p.rounds(x.Workers))
	}
	return mean, nil
}

// perNode returns the greatest divisor of n up to its root: the two levels then have about as many
// steps each.
func perNode(n int) int {
	for k := int(math.Sqrt(float64(n))); ; k-- {
		if n%k == 0 {
			return k
		}
	}
}

// served returns the time in which as many gradients as there are workers are used, and the mean
// staleness. The first round is left out.
func (p plan) served(ctx context.Context, x point, seed uint64) (round, stale float64, err error) {
	c := p.config(x, p.platform(x.pair, x.Workers), seed)
	o := rivals.Defaults(x.Workers)
	c.Server.Options = &o
	c.MaxPushes = int64(x.Workers) * int64(p.rounds(x.Workers)+1)
	out, err := train.Run(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	ups := out.Log.Updates
	last := ups[len(ups)-1]
	first := slices.IndexFunc(ups, func(u dasp.Update) bool { return u.Pushes >= int64(x.Workers) })
	used := last.Pushes - ups[first].Pushes
	if used == 0 {
		return 0, 0, fmt.Errorf("%v: no gradient was used after the first round", x)
	}
	return (last.At - ups[first].At).Seconds() / float64(used) * float64(x.Workers), out.Staleness.Mean, nil
}

// traffic returns the bytes of bodies that a worker sends in a round, on average, and those of the
// host that sends most.
func traffic(x point, params int) (perRank, busiest float64) {
	n, whole := float64(x.Workers), 4*float64(params)
	switch x.Method {
	case "ring":
		perRank = 2 * (n - 1) / n * whole
		return perRank, perRank
	case "hierarchical":
		g := float64(perNode(x.Workers))
		perRank = 2*(g-1)/g*whole + 2*(n/g-1)/n*whole
		return perRank, perRank
	}
	return whole, n * whole // the server answers every gradient with the weights
}
