package compare

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/platforms"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// sweepPlan is the timing-only grid of compare/when, fixed before its first run.
//
// Its machines are the cards and the server of reference6-equal with their spread of computing times,
// latencies and cost of an iteration; the server's link is twice a worker's. The batch is no machine's
// and stays. With a spread of 20 % one short run decides little: every case is run with five seeds,
// four rounds each, its time is their mean, and an interval says whether the first is told from the
// second. Beside it stands the grid as it was on the former machines, which were taken as steady.
type sweepPlan struct {
	Devices   string    `json:"devices"`     // platform file that workers and server are from
	Steady    bool      `json:"steady"`      // without the file's spread of computing times
	Overhead  float64   `json:"overhead_ms"` // of an iteration beside its layers, on the reference device
	Seeds     []uint64  `json:"seeds"`       // of the spread
	Models    []string  `json:"models"`
	Sets      []string  `json:"sets"`
	Links     []float64 `json:"links"` // Gb/s
	Nodes     []int     `json:"nodes"`
	Batch     int       `json:"batch"`     // samples per worker
	Rounds    int64     `json:"rounds"`    // of synchronous methods; the first is left out
	Async     int64     `json:"async"`     // rounds of asynchronous ones; a quarter is left out
	Densities []float64 `json:"densities"` // of RingSparse's gradients
}

// The sets of workers of the sweep.
const (
	equalWorkers = "equal"
	straggler    = "straggler" // one worker slower
	spread       = "spread"    // speeds spread
)

// How much slower the straggler is, and the slowest of a spread.
const stragglerSlow, spreadSlow = 6, 3.6

// referenceOverhead is the reference's cost of an iteration in ms, as in DASP's tables.
const referenceOverhead = 1

func planSweep(profile string) sweepPlan {
	p := sweepPlan{Devices: equalSet, Overhead: referenceOverhead, Seeds: []uint64{0, 1, 2, 3, 4}, Models: []string{"lenet5", "mlp", "resnet18", "vgg19_bn"},
		Sets: []string{equalWorkers, straggler, spread}, Links: []float64{1, 10, 25, 100}, Nodes: []int{4, 8}, Batch: 64, Rounds: 5, Async: 8,
		Densities: []float64{1, 0.1, 0.01}}
	switch profile {
	case "ci":
		p.Models, p.Links, p.Nodes, p.Seeds = []string{"lenet5", "mlp"}, []float64{1, 100}, []int{4}, []uint64{0, 1}
	case "standard", "paper":
		p.Nodes = []int{3, 4, 6, 8}
	}
	return p
}

// former returns the same grid on the machines that the reference took the place of.
func (s sweepPlan) former() sweepPlan {
	s.Devices, s.Steady, s.Overhead, s.Seeds = formerSet(equalSet), true, train.DefaultOverhead.Seconds()*1e3, []uint64{0}
	s.Rounds, s.Async = 3, 16
	return s
}

// seconds estimates the sweep on two cores.
func (s sweepPlan) seconds() float64 {
	perRun := 0.0
	for _, n := range s.Nodes {
		perRun += 0.0005 * float64(n)
	}
	return perRun * float64(len(s.runs())/len(s.Nodes)*len(s.Seeds))
}

// sweepPoint is a point of the grid.
type sweepPoint struct {
	Model, Set string
	Gbps       float64
	Nodes      int
}

func (p sweepPlan) points() (out []sweepPoint) {
	for _, m := range p.Models {
		for _, s := range p.Sets {
			for _, g := range p.Links {
				for _, n := range p.Nodes {
					out = append(out, sweepPoint{m, s, g, n})
				}
			}
		}
	}
	return out
}

// sweepMethods lists the methods of the trained comparison, each once, and CSSGD with r = n−1, the
// redundancy at which its load is least but for r = n.
func sweepMethods() (out []method) {
	for _, m := range methods() {
		if m.Key != "asgd" && m.Key != "ring-layers" {
			out = append(out, m)
		}
	}
	return append(out, method{Key: "cssgd-most", Document: "codedsgd", Sync: codedsgd.CSSGD, Multicast: true, Coded: coded(codedsgd.CSSGD, -1)})
}

// platform returns the sweep's cluster at p: the plan's cards and server.
func (s sweepPlan) platform(p sweepPoint) *cluster.Platform {
	from, err := platforms.Load(s.Devices)
	if err != nil {
		panic(err) // it is embedded
	}
	base := onLink(from, p.Gbps)
	worker := base.Workers[0]
	worker.Name = "worker-"
	if s.Steady {
		worker.Jitter = 0
	}
	uniform := cluster.Uniform(p.Nodes, worker, base.Server)
	uniform.Decision, uniform.Assumed = base.Decision, base.Assumed
	for i := range uniform.Workers {
		slow := 1.0
		switch {
		case p.Set == straggler && i == p.Nodes-1:
			slow = stragglerSlow
		case p.Set == spread:
			slow = 1 + float64((spreadSlow-1)*float64(i)/float64(p.Nodes-1))
		}
		uniform.Workers[i].FLOPS /= slow
		uniform.Workers[i].Memory /= slow
	}
	uniform.Multicast = true
	uniform.Name = fmt.Sprintf("%d %s, %g Gb/s, multicast", p.Nodes, p.Set, p.Gbps)
	return uniform
}

// jitter returns the spread of the plan's computing times.
func (s sweepPlan) jitter() float64 {
	return s.platform(sweepPoint{s.Models[0], equalWorkers, s.Links[0], s.Nodes[0]}).Workers[0].Jitter
}

// config returns the timing-only run of m at p; density is RingSparse's.
func (s sweepPlan) config(m method, p sweepPoint, density float64, seed uint64) train.Config {
	o := options(p.Nodes)
	if m.Coded != nil && m.Coded.Redundancy < 0 {
		all := *m.Coded
		all.Redundancy = p.Nodes - 1
		m.Coded = &all
	}
	c := train.Config{Sync: m.Sync, Model: p.Model, Platform: s.platform(p), Workers: p.Nodes, Batch: s.Batch, TimingOnly: true, EvalEvery: -1,
		Seed: seed, Overhead: s.overhead(), Server: train.Server{Options: &o}}
	m.configure(&c)
	if m.Async {
		c.MaxPushes = s.Async * int64(p.Nodes)
	} else {
		c.MaxUpdates, c.Warmup = s.Rounds, 1
	}
	if m.Sync == "ringsparse" {
		c.Density = density
	}
	return c
}

func (s sweepPlan) overhead() time.Duration {
	return time.Duration(s.Overhead * float64(time.Millisecond))
}

// sweepRun is a run of the sweep, to be filled in.
type sweepRun struct {
	Point   sweepPoint
	Method  string
	Density float64
	Rounds  kit.Sample // seconds per N·b samples, by seed
}

// runs lists what the sweep runs: all methods densely, the first worker alone, CSSGD were
// coding free, and RingSparse at the further densities among equal workers.
func (s sweepPlan) runs() (out []sweepRun) {
	for _, p := range s.points() {
		for _, m := range sweepMethods() {
			out = append(out, sweepRun{Point: p, Method: m.Key, Density: 1})
		}
		out = append(out, sweepRun{Point: p, Method: alone, Density: 1}, sweepRun{Point: p, Method: uncoded("cssgd"), Density: 1},
			sweepRun{Point: p, Method: uncoded("cssgd-most"), Density: 1})
		if p.Set != equalWorkers {
			continue
		}
		for _, d := range s.Densities {
			if d < 1 {
				out = append(out, sweepRun{Point: p, Method: "ringsparse", Density: d})
			}
		}
	}
	return out
}

// sweepMethod finds a method of the sweep.
func sweepMethod(key string) method {
	for _, m := range sweepMethods() {
		if m.Key == key {
			return m
		}
	}
	panic("compare: no method " + key + " in the sweep")
}

// alone is no method: the first worker, the fastest of a spread, computes all N·b samples by
// itself, as it would with redundancy r = N. An exchange that takes longer is none worth making.
const alone = "alone"

// uncoded names a coded method whose coding is not charged: it competes nowhere, and says
// what the assumed rate of coding decides.
func uncoded(key string) string { return key + freeSuffix }

const freeSuffix = "-free"

// single returns the run of one worker alone. It waits for nobody, so that the mean of its spread is
// its time without.
func (s sweepPlan) single(p sweepPoint) train.Config {
	one := s.platform(p)
	one.Name, one.Workers = "one worker", one.Workers[:1]
	one.Workers[0].Jitter = 0
	return train.Config{Sync: "ring", Model: p.Model, Platform: one, Batch: p.Nodes * s.Batch, TimingOnly: true, EvalEvery: -1, MaxUpdates: 2, Warmup: 1,
		Overhead: s.overhead()}
}

// run times one run of the sweep with every seed.
func (s sweepPlan) run(ctx context.Context, l *sweepRun) error {
	if l.Method == alone {
		out, err := train.Run(ctx, s.single(l.Point))
		if err != nil {
			return fmt.Errorf("one worker alone: %w", err)
		}
		for range s.Seeds {
			l.Rounds = append(l.Rounds, out.Iteration.PerUpdate)
		}
		return nil
	}
	key, free := strings.CutSuffix(l.Method, freeSuffix)
	m := sweepMethod(key)
	if free {
		o := *m.Coded
		o.Rate, m.Coded = uncharged, &o
	}
	for _, seed := range s.Seeds {
		out, err := train.Run(ctx, s.config(m, l.Point, l.Density, seed))
		if err != nil {
			return fmt.Errorf("%s on %+v: %w", m.Key, l.Point, err)
		}
		round := out.Iteration.PerUpdate
		if m.Async {
			round = perPush(out.Log) * float64(l.Point.Nodes)
		}
		l.Rounds = append(l.Rounds, round)
	}
	return nil
}

// sweep makes all runs, several at a time; the order changes no number.
func sweep(ctx context.Context, s sweepPlan, bar *exp.Bar) ([]sweepRun, error) {
	runs := s.runs()
	var mu sync.Mutex
	var first error
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				err := s.run(ctx, &runs[i])
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				bar.Step(fmt.Sprintf("%s, %s, %g Gb/s", runs[i].Point.Model, runs[i].Point.Set, runs[i].Point.Gbps))
				mu.Unlock()
			}
		})
	}
	for i := range runs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return runs, first
}
