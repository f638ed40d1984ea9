// Package convergence holds the table and the figures that are made of trainings: Table 2,
// Figures 4 to 11, and 14 and 15. A network's trainings are planned in plan.go, made once
// per command in convergence.go, and shared by all of them.
package convergence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// Experiments lists Table 2 and Figures 4 to 11: trainings on the most nodes, and time and
// traffic to the target.
func Experiments() []exp.Experiment {
	return []exp.Experiment{table2(), fig4(), fig5(), fig6(), fig7(), fig8(), fig9(), fig10(), fig11()}
}

// ThreeAlgorithms lists Figures 14 and 15, which set ASGD, SSGD and CSSGD side by side.
func ThreeAlgorithms() []exp.Experiment { return []exp.Experiment{fig14(), fig15()} }

// scope says how far an exhibit needs the trainings of a network.
type scope int

const (
	atLargest scope = iota // all methods on the largest number of nodes
	toTarget               // and synchronous training to the target on the others
	toRace                 // and ASGD on the others
)

// exhibit is a table or figure that is made of trainings.
type exhibit struct {
	id, source string
	nets       []setup.Network
	scope      scope
	serial     bool // and the networks alone
	show       func(t *trainer, r *result.Result, all []byNodes) error
}

// experiment returns f for the command line. An exhibit needs all its trainings: an
// interrupted one shows nothing, and the finished trainings are kept.
func (f exhibit) experiment() exp.Experiment {
	q := kit.Inquiry{ID: "codedsgd/" + f.id, Source: "CSSGD, " + f.source, Kind: result.Shared, Profiles: exp.Profiles, Seconds: f.seconds,
		Config: func(profile string) map[string]any {
			c := map[string]any{"platform": kit.Platform(setup.Platform()), "redundancies": setup.Redundancies, "optimal": everyR.key,
				"beside": map[string]any{"even": setup.Even, "even_per_batch": setup.EvenPerBatch, "links": setup.Anchor}, "levels_below": levelsBelow,
				"longer": longer}
			for _, net := range f.nets {
				c[net.Key] = planOf(profile, net)
			}
			return c
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			r.Seeds = []uint64{}
			t := &trainer{ctx: ctx, env: env, total: f.seconds(env.Profile, len(env.Seeds))}
			all, err := f.trainAll(t)
			if err != nil {
				return err
			}
			r.Seeds = all[0].seeds
			for _, s := range all {
				if r.Engine = s.ssgd[0].Engine; s.ssgd[0].Data != nil {
					setup.AddData(r, *s.ssgd[0].Data)
				}
			}
			return f.show(t, r, all)
		}}
	e := q.Experiment()
	e.Shares = f.shares
	return e
}

func (f exhibit) trainAll(t *trainer) ([]byNodes, error) {
	var out []byNodes
	if f.serial { // all that has one node, side by side
		var requests []request
		for _, net := range f.nets {
			p := planOf(t.env.Profile, net)
			seeds := p.seedsOf(t.env.Seeds)
			requests = append(append(requests, p.synchronousRequests(p.most(), seeds, 0)...), p.serialRequests(seeds)...)
		}
		if _, err := t.all(requests); err != nil {
			return nil, err
		}
	}
	for _, net := range f.nets {
		s, err := t.byNodes(net, f.scope)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// partsOf names the parts of exp.Experiment.Shares: whoever plans several exhibits counts each once.
func partsOf(net setup.Network) [4]string {
	return [4]string{net.Key + ", largest", net.Key + ", to the target", net.Key + ", ASGD", net.Key + ", alone"}
}

// othersShare estimates the cost of the trainings on fewer nodes, which have fewer classes and
// end at the target, as a share of the cost of those on the largest number of nodes.
const othersShare = 0.4

func (f exhibit) shares(profile string, seeds int) map[string]float64 {
	out := map[string]float64{}
	for _, net := range f.nets {
		p, names := planOf(profile, net), partsOf(net)
		used := min(cmp.Or(p.Seeds, seeds), seeds)
		n, runs := p.most(), max(p.Runs, used)
		one := float64(used) * costOf(p.synchronous(n, 0))
		async := float64(runs) * costOf(p.asynchronous(n, 0, p.Updates))
		out[names[0]] = one + async + costOf(p.wholeConfig(0)) + costOfTiming(n)
		if f.scope >= toTarget {
			out[names[1]] = one * othersShare
			for _, fewer := range p.Nodes[:len(p.Nodes)-1] {
				out[names[1]] += costOfTiming(fewer)
			}
		}
		if f.scope >= toRace {
			out[names[2]] = async * othersShare
		}
		if f.serial {
			out[names[3]] = float64(used) * costOf(p.serial(n, 0))
		}
	}
	return out
}

func (f exhibit) seconds(profile string, seeds int) float64 {
	total, parts := 0.2, f.shares(profile, seeds)
	for _, net := range f.nets {
		for _, part := range partsOf(net) {
			total += parts[part]
		}
	}
	return total
}

// costOfTiming estimates the seconds of timing all exchanges of n nodes: their packets are C(n,r+1)(r+1)
// for each r.
func costOfTiming(n int) float64 { return 2e-3 * math.Exp(0.9*float64(n)) }

// costOf estimates what a training adds to a run, in seconds on two cores of 2023 with engine asm,
// where trainings run side by side. Micro-blocks are small passes with a gradient each, and cost
// more than batches.
func costOf(c train.Config) float64 {
	per := map[string][2]float64{setup.DNN.Model: {28e-6, 85e-6}, setup.CNN.Model: {280e-6, 400e-6}}[c.Model]
	images := max(float64(c.BatchSize)*float64(c.MaxUpdates), float64(c.Batch)*float64(c.MaxPushes))
	each := per[0]
	if c.Coded != nil {
		each = per[1]
	}
	return 0.01 + float64(each*images*cmp.Or(c.Width, 1))
}

// trainer makes the trainings that an exhibit needs, each once per command.
type trainer struct {
	ctx context.Context
	env exp.Env

	mu          sync.Mutex // guards done
	done, total float64
}

// request is a training with its name in the progress.
type request struct {
	what string
	cfg  train.Config
}

// all makes several trainings, as many at once as there are cores: a synchronous one
// has one node and keeps one of them busy. Results are in the order of the requests, and
// no training knows of another.
func (t *trainer) all(requests []request) ([]trajectory, error) {
	out := make([]trajectory, len(requests))
	return out, kit.AtOnce(len(requests), func(i int) (err error) {
		out[i], err = t.get(requests[i])
		return err
	})
}

// get makes one training, or takes it from an earlier exhibit or an interrupted command.
func (t *trainer) get(j request) (trajectory, error) {
	env := t.env
	env.Progress = nil // several at once: each is told when it is whole
	out, err := train.Kept(t.ctx, env, j.cfg, func(o *train.Outcome) (trajectory, error) { return trajectoryOf(o), nil })
	if err != nil {
		return out, fmt.Errorf("codedsgd: %s: %w", j.what, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += costOf(j.cfg)
	if t.env.Progress != nil {
		t.env.Progress(min(t.done, t.total), t.total, j.what)
	}
	return out, nil
}

// synchronousRequests returns the trainings of all seeds on n nodes, up to a target; 0: whole.
func (s plan) synchronousRequests(n int, seeds []uint64, target float64) (out []request) {
	for _, seed := range seeds {
		cfg := s.synchronous(n, seed)
		cfg.TargetAccuracy = target
		out = append(out, request{fmt.Sprintf("%s, %d nodes, synchronous, seed %d", s.Net.Title, n, seed), cfg})
	}
	return out
}

func (s plan) serialRequests(seeds []uint64) (out []request) {
	for _, seed := range seeds {
		out = append(out, request{fmt.Sprintf("%s alone, seed %d", s.Net.Title, seed), s.serial(s.most(), seed)})
	}
	return out
}

// asynchronous trains ASGD on n nodes as often as the plan says; runs beyond the
// seeds take seeds of their own.
func (t *trainer) asynchronous(p plan, n int, seeds []uint64, updates int64) ([]trajectory, error) {
	var requests []request
	for i := range max(p.Runs, len(seeds)) {
		requests = append(requests, request{fmt.Sprintf("%s, %d nodes, ASGD, run %d", p.Net.Title, n, i+1), p.asynchronous(n, runSeed(seeds, i), updates)})
	}
	return t.all(requests)
}

// runSeed returns the seed of ASGD's run i: the seeds themselves, then others.
func runSeed(seeds []uint64, i int) uint64 {
	if i < len(seeds) {
		return seeds[i]
	}
	return seeds[i%len(seeds)] + 10_000*uint64(i/len(seeds))
}

// largest holds a network's trainings on the largest number of nodes, all of them whole.
type largest struct {
	plan   plan
	seeds  []uint64
	ssgd   []trajectory // per seed: SSGD and CSSGD
	asgd   []trajectory // per run, seeds in turn
	top    iterations
	picked pickedLevel // of the paper's rule, in its message model
	target float64     // a share
	whole  trajectory  // of the first seed, with one summed gradient per node: as many blocks as nodes, quantised in larger sums
}

// largest trains on the largest number of nodes, times the exchanges there, and
// chooses the target.
func (t *trainer) largest(net setup.Network) (largest, error) {
	p := planOf(t.env.Profile, net)
	w := largest{plan: p, seeds: p.seedsOf(t.env.Seeds)}
	n := p.most()
	var err error
	if w.ssgd, err = t.all(p.synchronousRequests(n, w.seeds, 0)); err != nil {
		return w, err
	}
	if w.asgd, err = t.asynchronous(p, n, w.seeds, p.Updates); err != nil {
		return w, err
	}
	if w.top, err = t.time(net, n); err != nil {
		return w, err
	}
	w.picked = pickLevel(w.curves(timing.Judged))
	w.target = cmp.Or(p.Target, float64(w.picked.Picked)/100)
	w.whole, err = t.get(request{fmt.Sprintf("%s, %d nodes, whole gradients", net.Title, n), p.wholeConfig(w.seeds[0])})
	return w, err
}

// wholeConfig configures the training of whole gradients: the first part of the
// synchronous one on the most nodes, a block for each.
func (s plan) wholeConfig(seed uint64) train.Config {
	c := s.synchronous(s.most(), seed)
	c.Coded.MicroBlocks, c.MaxUpdates = s.most(), s.Updates/s.Part
	return c
}

// time times every exchange that is compared on n nodes, at full width.
func (t *trainer) time(net setup.Network, n int) (iterations, error) {
	c := iterations{Nodes: n, Of: map[string]map[timing.Exchange]timing.Iteration{}}
	for _, v := range timedVariants {
		c.Of[v.Key] = map[timing.Exchange]timing.Iteration{}
		for _, x := range synchronous(setup.Choices(n)) {
			var err error
			if c.Of[v.Key][x], err = timing.Run(t.ctx, t.env, v.On(net, n, x)); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// byNodes holds a network's trainings on every number of nodes, to the target.
type byNodes struct {
	largest
	on      []iterations // per number of nodes
	updates [][]float64  // to the target, [nodes][seed]; NaN: not reached
	ends    [][]float64  // of ASGD, seconds to the target, [nodes][run]; NaN: not reached
	rate    []float64    // samples per second of ASGD, by nodes, the mean of rates
	rates   [][]float64  // the same of every run, [nodes][run]
	stale   []float64    // mean staleness of ASGD, by nodes
}

// byNodes trains as far as d says: below the largest number of nodes up to the target.
func (t *trainer) byNodes(net setup.Network, d scope) (s byNodes, err error) {
	if s.largest, err = t.largest(net); err != nil || d < toTarget {
		return s, err
	}
	for _, n := range s.plan.Nodes {
		runs, largest := s.ssgd, n == s.plan.most()
		if !largest {
			if runs, err = t.all(s.plan.synchronousRequests(n, s.seeds, s.target)); err != nil {
				return s, err
			}
		}
		var updates []float64
		for _, run := range runs {
			updates = append(updates, updatesTo(run.Curve, s.target))
		}
		on, err := t.time(net, n)
		if err != nil {
			return s, err
		}
		s.updates, s.on = append(s.updates, updates), append(s.on, on)
		if d < toRace {
			continue
		}
		if runs = s.asgd; !largest {
			if runs, err = t.lengthen(s, n, updates); err != nil {
				return s, err
			}
		}
		s.race(runs)
	}
	return s, nil
}

// race adds ASGD's runs on a number of nodes.
func (s *byNodes) race(runs []trajectory) {
	var at, rates, stale []float64
	for _, run := range runs {
		at = append(at, secondsTo(run.Curve, s.target))
		last := run.Curve[len(run.Curve)-1]
		rates = append(rates, float64(last.Pushes)*float64(s.plan.Net.PerNode)/last.Seconds)
		stale = append(stale, run.Staleness)
	}
	s.ends, s.rates = append(s.ends, at), append(s.rates, rates)
	s.rate, s.stale = append(s.rate, stat.Mean(rates, nil)), append(s.stale, stat.Mean(stale, nil))
}

// longer bounds ASGD's runs below the largest number of nodes: longer times as many
// updates as synchronous training took, then twice that, until every run reaches the
// target or is as long as on the largest.
const longer = 3

func (t *trainer) lengthen(s byNodes, n int, synchronous []float64) ([]trajectory, error) {
	length := s.plan.Updates
	if most := slices.Max(synchronous); !math.IsNaN(most) { // NaN: not every seed reached it
		length = min(length, longer*int64(math.Ceil(most))+1)
	}
	for {
		runs, err := t.asynchronous(s.plan, n, s.seeds, length)
		if err != nil || length == s.plan.Updates {
			return runs, err
		}
		if !slices.ContainsFunc(runs, func(run trajectory) bool { return run.best() < s.target }) {
			return runs, nil
		}
		length = min(2*length, s.plan.Updates)
	}
}
