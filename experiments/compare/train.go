package compare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// trainingSize says how a profile trains. Rate comes from dasp/tuning, which found it under BSP.
type trainingSize struct {
	Batch     int     `json:"batch"`     // b, samples per worker and gradient
	Gradients int64   `json:"gradients"` // of b samples, used by a run of any method
	EvalEvery int64   `json:"eval_every"`
	Images    int     `json:"eval_images"` // test images per evaluation on the way
	Data      string  `json:"data"`
	Rate      float64 `json:"rate"`
	Timed     int64   `json:"timed"`  // rounds by which a synchronous method is timed
	Warmup    int64   `json:"warmup"` // of them left out
}

// model is the network that all methods train and are timed with, whole. It has no
// batch norms, whose statistics would differ with the size of a block.
const model = "lenet5"

// trainingSizeOf returns the training of a profile. All were fixed before the first run of any two
// methods beside each other.
func trainingSizeOf(profile string) trainingSize {
	s := trainingSize{Batch: 16, Gradients: 960, EvalEvery: 48, Images: 1000, Rate: 0.2, Timed: 40, Warmup: 4}
	switch profile {
	case "ci":
		s.Gradients, s.EvalEvery, s.Images, s.Timed, s.Warmup = 36, 12, 100, 5, 1
	case "standard":
		s.Batch, s.Gradients, s.EvalEvery, s.Data = 32, 1920, 96, "mnist"
	case "paper":
		s.Batch, s.Gradients, s.EvalEvery, s.Data = 64, 9000, 360, "mnist"
	}
	return s
}

// pilotSeed is of the one run that sets the target; no comparison uses it.
const pilotSeed = 1000

// targetOf returns the target accuracy: the mean of the two evaluations about half of the
// gradients of one BSP run with a seed outside the comparison, rounded down to a whole per
// cent; 0 of a curve that gives none.
func targetOf(pilot []train.Point) float64 {
	n := len(pilot)
	if n < 2 {
		return 0
	}
	mean := (pilot[(n-1)/2].Accuracy + pilot[(n-1)/2+1].Accuracy) / 2
	return float64(int(100*mean+1e-9)) / 100
}

// config returns a run of m on g. Equal samples: a synchronous update uses N·b samples, an
// asynchronous one b with weight 1/N (a group of DASP K·b with 1/K), and all runs use as many
// gradients of b samples.
func (s trainingSize) config(m method, g testbed, seed uint64) train.Config {
	o := options(workers)
	c := train.Config{Sync: m.Sync, Model: model, Data: s.Data, Platform: g.Platform, Workers: workers, Seed: seed,
		Batch: s.Batch, Rate: s.Rate, Launch: -1, Overhead: -1, MaxPushes: s.Gradients, EvalEvery: s.EvalEvery, EvalImages: s.Images,
		Server: train.Server{Options: &o}}
	m.configure(&c)
	if m.Server {
		c.Clock = &train.Clock{} // the run's own network: two passes, the same bits
	}
	return c
}

// rounds returns a run of the rounds by which a synchronous method is timed, with real gradients.
func (s trainingSize) rounds(m method, g testbed, seed uint64) train.Config {
	c := s.config(m, g, seed)
	c.MaxPushes, c.MaxUpdates, c.Warmup, c.EvalEvery, c.Clock = 0, s.Timed, s.Warmup, -1, nil
	return c
}

// timing returns the same run, timing-only.
func (s trainingSize) timing(m method, g testbed, seed uint64) train.Config {
	c := s.config(m, g, seed)
	if !m.Async {
		c = s.rounds(m, g, seed)
	}
	c.TimingOnly, c.EvalEvery, c.Clock = true, -1, nil
	return c
}

// runSummary holds the numbers of one run that the tables need.
type runSummary struct {
	Curve     []train.Point
	Accuracy  float64
	Updates   int64
	Pushes    int64
	Seconds   float64 // virtual, of the whole run
	Iteration float64 // mean between two updates, seconds
	Stale     float64 // mean, versions
	Stalest   int64
	Sent      int64   // bytes, a multicast once
	Delivered int64   // a multicast once per receiver
	By        []int64 // gradients used of each worker
	PerPush   float64 // seconds between two gradients used by a server, after a quarter of the run
	Events    string  // hash of who pushed when, on which version, used by which update
	SHA       string  // of the parameters
	Data      *result.Data
	Engine    string
}

// get runs c and summarises it, once for all experiments of a command.
func get(ctx context.Context, env exp.Env, c train.Config) (runSummary, error) {
	return train.Kept(ctx, env, c, func(o *train.Outcome) (runSummary, error) { return reduce(o), nil })
}

func reduce(o *train.Outcome) runSummary {
	p := runSummary{Curve: o.Curve, Updates: o.Updates, Pushes: o.Pushes, Iteration: o.Iteration.PerUpdate, Stale: o.Staleness.Mean,
		Stalest: o.Staleness.Max, Sent: o.BytesSent, Delivered: o.BytesSent, SHA: o.ParamsSHA256, Data: o.Data, Engine: o.Engine}
	if o.VirtualSeconds != nil {
		p.Seconds = *o.VirtualSeconds
	}
	if o.TestAccuracy != nil {
		p.Accuracy = *o.TestAccuracy
	}
	if o.Coded != nil {
		p.Delivered = o.Coded.Totals.Delivered
	}
	if o.Log != nil {
		p.By, p.Events = usedPushes(o.Log)
		p.PerPush = perPush(o.Log)
	}
	return p
}

// usedPushes counts the gradients of each worker that were used, and hashes everything that
// an asynchronous method's parameters and times depend on.
func usedPushes(l *dasp.Log) (by []int64, events string) {
	by = make([]int64, l.Workers)
	h := sha256.New()
	for _, p := range l.Pushes {
		if p.Applied > 0 {
			by[p.Worker]++
		}
		fmt.Fprintln(h, p.Worker, p.Step, p.Pulled, p.Applied, p.Sent, p.Received)
	}
	for _, u := range l.Updates {
		fmt.Fprintln(h, u.Version, u.At, u.Workers, u.Weight)
	}
	return by, hex.EncodeToString(h.Sum(nil))
}

// perPush returns the mean time between two used gradients after the first quarter of the
// updates; 0 of fewer than two.
func perPush(l *dasp.Log) float64 {
	n := len(l.Updates)
	if n < 2 {
		return 0
	}
	first, last := l.Updates[n/4], l.Updates[n-1]
	if n/4 == n-1 {
		first = l.Updates[0]
	}
	return (last.At - first.At).Seconds() / float64(last.Pushes-first.Pushes)
}

// trajectories returns the synchronous trainings that differ: their parameters do not depend on
// the cluster, so that one run serves every testbed.
func trajectories() (out []method) {
	for _, m := range methods() {
		if m.Trajectory == m.Key {
			out = append(out, m)
		}
	}
	return out
}

// trajectory trains m, one of the trajectories.
func trajectory(ctx context.Context, env exp.Env, m method, seed uint64) (runSummary, error) {
	return get(ctx, env, trainingSizeOf(env.Profile).config(m, testbedOf(equalSet, links[0]), seed))
}

// runTimes holds what a seed's runs of one method on one testbed gave.
type runTimes struct {
	Timed   runSummary // of a synchronous method: its rounds; else its training
	Compute []float64  // seconds that each worker computes for a round
	Shared  string     // asynchronous method that did the same, push by push
}

// measure times or trains m on g. Of asynchronous methods, seen names by its events the one
// that was trained.
func measure(ctx context.Context, env exp.Env, m method, g testbed, seed uint64, seen map[string]string) (t runTimes, err error) {
	s := trainingSizeOf(env.Profile)
	if t.Compute, err = computing(ctx, env, m, g, s); err != nil {
		return t, err
	}
	c := s.timing(m, g, seed)
	if m.Sync == "ringsparse" { // what it sends depends on real zeros
		c = s.rounds(m, g, seed)
	}
	if t.Timed, err = get(ctx, env, c); err != nil || !m.Async {
		return t, err
	}
	if t.Shared = seen[t.Timed.Events]; t.Shared == "" {
		seen[t.Timed.Events] = m.Key
	} else {
		m = methodOf(t.Shared)
	}
	t.Timed, err = get(ctx, env, s.config(m, g, seed))
	return t, err
}

// computing returns how long each worker of g computes for a round of m, without jitter,
// from a run of each by itself: redundant samples are charged.
func computing(ctx context.Context, env exp.Env, m method, g testbed, s trainingSize) (out []float64, err error) {
	env.Progress = nil
	for w, h := range g.Platform.Workers {
		batch := m.redundancy() * s.Batch
		if m.Aware {
			batch = bySpeed(g.Platform, workers*s.Batch)[w]
		}
		h.Jitter = 0
		alone := &cluster.Platform{Name: "one " + h.Name, Workers: []cluster.Host{h}}
		p, err := get(ctx, env, train.Config{Sync: "ring", Model: model, Platform: alone, Batch: batch, Rate: s.Rate, MaxUpdates: 2,
			TimingOnly: true, EvalEvery: -1, Launch: -1, Overhead: -1})
		if err != nil {
			return nil, err
		}
		out = append(out, p.Iteration)
	}
	return out, nil
}

// bySpeed returns how many samples of a batch each worker gets where they go by speed.
func bySpeed(p *cluster.Platform, batch int) (out []int) {
	a, err := codedsgd.Assign(len(p.Workers), 1)
	if err != nil {
		panic(err) // redundancy 1 is always in range
	}
	var speeds []float64
	for _, w := range p.Workers {
		speeds = append(speeds, w.FLOPS)
	}
	bounds := a.Split(batch, a.Blocks(), speeds)
	for i := range p.Workers {
		out = append(out, bounds[i+1]-bounds[i])
	}
	return out
}

// homeRow is an exchange of a network on which RingSparse may be at home.
type homeRow struct {
	Gbps              float64
	Network, Method   string
	How               string  // result.Trained: with the zeros of real gradients
	Round, OverLayers float64 // seconds; over the ring's that also goes layer by layer
	Sent              float64 // bytes of all workers, per round
}

// homeDensity is the share of a worker's gradient that is not zero where it is stated.
const homeDensity = 0.01

// home times ring and RingSparse on the dense network, on the MLP on raw pixels, whose
// black ones give real zeros, and on gradients of a stated density.
func home(ctx context.Context, env exp.Env, g testbed, seed uint64) (out []homeRow, err error) {
	s := trainingSizeOf(env.Profile)
	for _, network := range []string{"lenet5", "mlp-raw", "mlp-stated"} {
		layers := 0.0
		for _, k := range []string{"ring", "ring-layers", "ringsparse"} {
			row, c := homeRow{Gbps: g.Gbps, Network: network, Method: k, How: result.TimingOnly}, s.rounds(methodOf(k), g, seed)
			if network != "lenet5" {
				c.Model = "mlp"
			}
			if k == "ringsparse" && network != "mlp-stated" {
				row.How, c.RawPixels = result.Trained, network == "mlp-raw"
			} else {
				c.TimingOnly = true
			}
			if k == "ringsparse" && network == "mlp-stated" {
				c.Density = homeDensity
			}
			p, err := get(ctx, env, c)
			if err != nil {
				return nil, err
			}
			if row.Round, row.Sent = p.Iteration, float64(p.Sent)/float64(p.Updates); k == "ring-layers" {
				layers = row.Round
			} else if k == "ringsparse" {
				row.OverLayers = row.Round / layers
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// paperRow is an exchange in coded SGD's own message model.
type paperRow struct {
	Gbps                   float64
	Method                 string
	Round, Sent, Delivered float64
}

// paperBlocks is Q of that model with six nodes, lcm(C(6,1), C(6,2)): every method sends
// the gradient of each of the micro-blocks by itself.
const paperBlocks = 30

// paper times the exchanges of coded SGD in its message model, timing-only.
func paper(ctx context.Context, env exp.Env, g testbed, seed uint64) (out []paperRow, err error) {
	for _, k := range []string{"ssgd-unicast", "ssgd-multicast", "cssgd"} {
		m := methodOf(k)
		m.Coded = &codedsgd.Options{Method: m.Sync, Redundancy: m.redundancy(), MicroBlocks: paperBlocks}
		p, err := get(ctx, env, trainingSizeOf(env.Profile).timing(m, g, seed))
		if err != nil {
			return nil, err
		}
		n := float64(p.Updates)
		out = append(out, paperRow{g.Gbps, k, p.Iteration, float64(p.Sent) / n, float64(p.Delivered) / n})
	}
	return out, nil
}
