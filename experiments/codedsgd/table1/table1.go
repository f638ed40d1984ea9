// Package table1 holds Table 1: the ten nodes and the tasks as we assume them.
package table1

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"gradsync/datasets"
	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// fewest and most are the node counts of the paper's figures (§3.2.5: "within 10
// nodes"; §3.1 begins at two).
const fewest, most = 2, 10

// Experiment lists the ten nodes as we assume them, beside what the paper does state.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/table1", Source: "CSSGD, Table 1", Kind: result.Stated, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(profile string, _ int) float64 {
			return map[string]float64{"ci": 0.5, "quick": 0.5, "standard": 5, "paper": 5}[profile] // the last two read both sets
		},
		Config: func(string) map[string]any {
			return map[string]any{"platform": kit.Platform(setup.Platform()), "networks": setup.Networks(),
				"redundancies": setup.Redundancies, "nodes": []int{fewest, most}}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			p := setup.Platform()
			var all []task
			for _, w := range setup.Networks() {
				set, err := train.OpenData(w.Dataset(env.Profile), env.DataDir, w.Model)
				if err != nil {
					return err
				}
				setup.AddData(r, result.Data{Name: set.Name, Origin: set.Origin, Train: set.Train.Len(), Test: set.Test.Len(), SHA256: set.SHA256, Note: set.Note})
				for n := fewest; n <= most; n++ {
					all = append(all, taskOf(w, n, env.Profile, set))
				}
			}
			rho := calibration(p)
			r.Frames = []result.Frame{hosts(p), tasks(all), calibrationFrame(rho), assumptions(p)}
			r.Claims = []result.Claim{judgeNodes(env.Profile, p), judgeClasses(all)}
			r.Facts = table1Facts(p, all, rho)
			return nil
		}}.Experiment()
}

// judgeNodes judges C09 by the largest cluster on which this profile trains. It is the paper's
// protocol: a profile of fewer nodes has not run it, which is no finding about the paper.
func judgeNodes(profile string, p *cluster.Platform) result.Claim {
	most := 0
	for _, net := range setup.Networks() {
		most = max(most, slices.Max(net.Nodes(profile)))
	}
	f := claims.Number(float64(most), nil, nil, 0)
	f.Input = true
	if stated, _ := claims.Get("C09"); f.Values[0] < stated.Numbers()[0] {
		f = claims.Found{Missing: []result.Reason{result.Because("C09-fewer", "most", most)}}
	}
	f.Notes = []result.Reason{result.Because("C09-profile"), result.Because("C09", "nodes", len(p.Workers), "server", p.Server != nil)}
	return claims.Verdict("C09", f)
}

// task is the task of one network on n nodes as a training is configured: its classes, the
// outputs of its network and the labels of its images.
type task struct {
	Network       setup.Network
	Nodes         int
	Classes       int // of the configuration
	Logits        int // of the network built for it
	Labels        int // that occur in the training and in the test images
	Train, Test   int // images
	Batch, Micros int
}

// taskOf reads the task off the configuration of trainings on a number of nodes.
func taskOf(w setup.Network, nodes int, profile string, set *datasets.Set) task {
	cfg := configOf(w, codedsgd.CSSGD, nodes, profile)
	own := kit.Must(set.FirstClasses(cfg.Classes))
	return task{Network: w, Nodes: cfg.Workers, Classes: cfg.Classes, Logits: w.Build(nodes).Classes(), Train: own.Train.Len(), Test: own.Test.Len(),
		Labels: min(distinct(own.Train.Labels), distinct(own.Test.Labels)), Batch: cfg.BatchSize, Micros: setup.Q(nodes)}
}

// configOf returns how a training of w on n nodes of the reference begins, as the paper
// fixes it: n classes, a batch with the same samples for every node, CPU nodes that spend
// nothing beside their arithmetic. Options, rate, length and seed are left out.
func configOf(w setup.Network, method string, nodes int, profile string) train.Config {
	c := train.Config{Sync: method, Model: w.Model, Data: w.Dataset(profile), Classes: setup.Classes(nodes),
		Platform: setup.Platform(), Workers: nodes, Launch: -1, Overhead: -1}
	if slices.Contains(codedsgd.Methods(), method) {
		c.BatchSize = w.Batch(nodes)
	} else {
		c.Batch = w.PerNode // ASGD: each node's own
	}
	return c
}

func distinct(labels []uint8) int {
	seen := map[uint8]bool{}
	for _, l := range labels {
		seen[l] = true
	}
	return len(seen)
}

// wrong reports whether a task is not of as many classes as there are nodes, in anything
// that knows of classes.
func (t task) wrong() bool {
	return t.Classes != t.Nodes || t.Logits != t.Nodes || t.Labels != t.Nodes
}

// judgeClasses judges C24 on the configurations of all trainings.
func judgeClasses(all []task) result.Claim {
	if i := slices.IndexFunc(all, task.wrong); i >= 0 {
		t := all[i]
		return claims.Verdict("C24", claims.Identity(false,
			result.Because("C24-other", "network", t.Network.Key, "nodes", t.Nodes, "classes", t.Classes, "logits", t.Logits, "labels", t.Labels)))
	}
	f := claims.Identity(true, result.Reason{})
	f.Input = true
	f.Notes = []result.Reason{result.Because("C24", "fewest", fewest, "most", most)}
	return claims.Verdict("C24", f)
}

// hosts lists the groups of hosts that are alike: from one name to another.
func hosts(p *cluster.Platform) result.Frame {
	f := kit.NewSheet("nodes", "host last count flops/GFLOP/s.1 jitter/%.1 link/Gb/s.1 latency/µs.1 overhead/µs.1 used:used")
	shown := func(h cluster.Host) [5]float64 {
		return [5]float64{h.FLOPS / 1e9, 100 * h.Jitter, h.Bandwidth * 8 / 1e9, 1e6 * h.Latency.Seconds(), 1e6 * h.Overhead.Seconds()}
	}
	add := func(h cluster.Host, last string, count int, used string) {
		x := shown(h)
		f.Add(h.Name, last, count, x[0], x[1], x[2], x[3], x[4], used)
	}
	for i, first := 0, 0; i < len(p.Workers); i++ {
		if i+1 == len(p.Workers) || shown(p.Workers[first]) != shown(p.Workers[i+1]) {
			add(p.Workers[first], p.Workers[i].Name, i-first+1, "all-methods")
			first = i + 1
		}
	}
	if p.Server != nil {
		add(*p.Server, p.Server.Name, 1, "asgd-alone")
	}
	return f.Frame
}

// tasks lists the tasks of all trainings.
func tasks(all []task) result.Frame {
	return kit.As(result.Counted, kit.Rows("tasks", "network:network nodes classes logits train test batch micro", all, func(t task) []any {
		return []any{t.Network.Key, t.Nodes, t.Labels, t.Logits, t.Train, t.Test, t.Batch, t.Micros}
	}))
}

// calibrationFrame lists how speed and link were chosen.
func calibrationFrame(all []calibrated) result.Frame {
	const columns = "network:network parameters flop/MFLOP.2 pernode calc/ms.1 comm/ms.1 ratio/.2 best from/.2 to/.2 inside"
	return kit.As(result.Modelled, kit.Rows("calibration", columns, all, func(r calibrated) []any {
		return []any{r.Network.Key, r.Parameters, r.FLOP / 1e6, r.Network.PerNode, 1e3 * r.Calc, 1e3 * r.Comm, r.value(), r.Best, r.Low, r.High, r.inside()}
	}))
}

// assumptions lists each value that was chosen, with how sure we are; hosts that
// share a reason share a row. The reasons are the report's words.
func assumptions(p *cluster.Platform) result.Frame {
	type row struct {
		cluster.Assumption
		first, last string
	}
	var rows []row
	add := func(who string, list []cluster.Assumption) {
		for _, a := range list {
			if i := slices.IndexFunc(rows, func(x row) bool { return x.Assumption == a }); i >= 0 {
				rows[i].last = who
			} else {
				rows = append(rows, row{a, who, who})
			}
		}
	}
	for _, h := range p.Workers {
		add(h.Name, h.Assumed)
	}
	if p.Server != nil {
		add(p.Server.Name, p.Server.Assumed)
	}
	add("cluster", p.Assumed)
	f := kit.NewSheet("assumptions", "who last value chosen unit confidence:confidence")
	for _, x := range rows {
		number, unit, _ := strings.Cut(x.Value, " ")
		chosen, err := strconv.ParseFloat(number, 64)
		if err != nil {
			chosen = math.NaN()
		}
		f.Add(x.first, x.last, x.Field, chosen, strings.Replace(unit, "us", "µs", 1), x.Confidence)
	}
	return f.Frame
}

func table1Facts(p *cluster.Platform, all []task, rho []calibrated) []result.Fact {
	faults, last := kit.CountIf(all, task.wrong), all[len(all)-1]
	return kit.Facts("calibrated", setup.Anchor, "micro", setup.Q(setup.Anchor),
		"inside", !slices.ContainsFunc(rho, func(r calibrated) bool { return !r.inside() }),
		"nodes", len(p.Workers), "server", p.Server != nil, "multicast", p.Multicast,
		"speed/GFLOP/s", p.Workers[0].FLOPS/1e9, "link/Gb/s", p.Workers[0].Bandwidth*8/1e9, "fewest", fewest, "most", most,
		"classes", faults == 0, "faults", faults, "tasks", len(all), "batch", last.Batch, "batch.nodes", last.Nodes)
}

// calibrated is communication over computation of one network in the paper's own time
// model, T = r·Tcalc + (n−r)/((n−1)·r)·Tcomm.
type calibrated struct {
	Network    setup.Network
	Parameters int
	FLOP       float64 // per sample, forward and backward
	Calc       float64 // Tcalc: seconds for |F_j|/n samples on one node
	Comm       float64 // Tcomm: seconds for (n−1)·Q/n whole gradients on one link
	Best       int     // the redundancy that the paper found best
	Low, High  float64 // between them Best is best
}

func (r calibrated) value() float64 { return r.Comm / r.Calc }

func (r calibrated) inside() bool { return r.Low <= r.value() && r.value() <= r.High }

// calibration sets both networks' ratios on p beside the ranges that the paper's
// best redundancies at 8 nodes imply.
func calibration(p *cluster.Platform) (out []calibrated) {
	for _, w := range setup.Networks() {
		m, host := w.Build(setup.Anchor), p.Workers[0]
		r := calibrated{Network: w, Parameters: m.NumParams(), Best: w.Best}
		for _, l := range m.Layers() {
			r.FLOP += l.ForwardFLOP + l.BackwardFLOP
		}
		r.Calc = float64(w.PerNode) * r.FLOP / host.FLOPS
		r.Comm = float64((setup.Anchor-1)*setup.Q(setup.Anchor)/setup.Anchor) * 4 * float64(r.Parameters) / host.Bandwidth
		r.Low, r.High = timing.Exact.Ratios(r.Best)
		out = append(out, r)
	}
	return out
}
