package codedsgd

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// "The amount of data of each node can be adjusted to its performance, within limits
// without effect on the others" (§2.1). Here blocks are cut by the speeds of their
// holders. Patterns, redundancies and nodes were fixed before the first run.

// speedPattern is how fast the 8 nodes are beside the platform's.
type speedPattern struct {
	Key    string    `json:"key"`
	Title  string    `json:"title"`
	Speeds []float64 `json:"speeds"`
}

var speedPatterns = []speedPattern{
	{"one-half", "one at 1/2", []float64{1, 1, 1, 1, 1, 1, 1, 0.5}},
	{"one-fifth", "one at 1/5", []float64{1, 1, 1, 1, 1, 1, 1, 0.2}},
	{"two-kinds", "four at 1/2", []float64{1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}},
	{"mixed", "falling to 0.4", []float64{1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4}},
}

// speedsOf are the redundancies of a profile.
func speedsOf(profile string) []int {
	if profile == "ci" {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 4}
}

// speedRow is a network, a pattern and a redundancy: seconds per batch with equal
// blocks and with blocks by speed, one medium, without and with overlap.
type speedRow struct {
	Net     network
	Pattern speedPattern
	R       int
	Equal   [2]float64 // without overlap, with
	Uneven  [2]float64
	Slowest float64 // seconds that the slowest node computes with equal blocks
	Each    float64 // and every node with blocks by speed
	Held    []int   // samples of each node with blocks by speed, of one batch
}

func (r speedRow) saved(overlap int) float64 { return 1 - r.Uneven[overlap]/r.Equal[overlap] }

// speedRows times all; jitter, latencies and coding are left out, so that what differs
// is the blocks.
func speedRows(ctx context.Context, env exp.Env) ([]speedRow, error) {
	var out []speedRow
	for _, net := range networks() {
		layers, _, err := layersOf(net, anchor)
		if err != nil {
			return nil, err
		}
		one := referencePlatform().Workers[0].Seconds(sampleWork(layers))
		for _, p := range speedPatterns {
			for _, r := range speedsOf(env.Profile) {
				row := speedRow{Net: net, Pattern: p, R: r}
				sum, least := 0.0, p.Speeds[0]
				for _, v := range p.Speeds {
					sum, least = sum+v, min(least, v)
				}
				samples := float64(r * net.batch(anchor))
				row.Slowest, row.Each = one*samples/anchor/least, one*samples/sum
				if row.Held, err = heldBy(net, p.Speeds, r); err != nil {
					return nil, err
				}
				out = append(out, row)
			}
		}
	}
	env = withOneMemo(env)
	return out, each(4*len(out), func(i int) error {
		row, overlap, uneven := &out[i/4], i%2, i/2%2 == 1
		s := base(row.Net, exchange{Method: codedsgd.CSSGD, Redundancy: row.R, NoOverlap: overlap == 0}, true)
		s.Ideal, s.Steps, s.Speeds, s.Uneven = true, 1, row.Pattern.Speeds, uneven
		it, err := timeSetting(ctx, env, s)
		if uneven {
			row.Uneven[overlap] = it.Seconds
		} else {
			row.Equal[overlap] = it.Seconds
		}
		return err
	})
}

// heldBy counts the samples of each node from the assignment and its uneven blocks.
func heldBy(net network, speeds []float64, r int) ([]int, error) {
	a, err := codedsgd.Assign(anchor, r)
	if err != nil {
		return nil, err
	}
	bounds := a.Split(net.batch(anchor), a.Blocks(), speeds)
	held := make([]int, anchor)
	for q := range a.Blocks() {
		for _, node := range a.Holders(q) {
			held[node] += bounds[q+1] - bounds[q]
		}
	}
	return held, nil
}

// exactRow is a real training with uneven blocks: coded and uncoded must end with the
// same bits.
type exactRow struct {
	N, R            int
	Coded, Uncoded  string // sha256 of the parameters
	Even            string // with equal blocks
	Packets, Useful int64
}

func (e exactRow) same() bool { return e.Coded == e.Uncoded && e.Coded != "" }

// exactRows trains a small network for a few updates on n nodes of falling speed.
func exactRows(ctx context.Context, env exp.Env) ([]exactRow, error) {
	var out []exactRow
	for _, n := range []int{3, 4} {
		for _, r := range redundancies {
			if r >= n {
				continue
			}
			row := exactRow{N: n, R: r}
			for _, x := range []struct {
				sync  string
				aware bool
				to    *string
			}{{codedsgd.CSSGD, true, &row.Coded}, {codedsgd.SSGDMulticast, true, &row.Uncoded}, {codedsgd.CSSGD, false, &row.Even}} {
				o, err := train.Run(ctx, exactConfig(env, n, r, x.sync, x.aware))
				if err != nil {
					return nil, fmt.Errorf("codedsgd: %s, %d nodes, r = %d: %w", x.sync, n, r, err)
				}
				if *x.to = o.ParamsSHA256; x.sync == codedsgd.CSSGD && x.aware {
					row.Packets, row.Useful = o.Coded.Totals.Packets, o.Coded.Totals.Useful
				}
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// exactConfig is that training: one exchange per update in earnest.
func exactConfig(env exp.Env, n, r int, sync string, aware bool) train.Config {
	p := firstNodes(calm(referencePlatform()), n)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= float64(1 + i)
	}
	return train.Config{Sync: sync, Model: dnn.Model, Width: 1. / 16, Classes: classes(n), DataDir: env.DataDir, Engine: env.Engine, Platform: p, Workers: n, Seed: env.Seeds[0],
		BatchSize: 100, Rate: 0.2, MaxUpdates: 3, EvalEvery: -1, Launch: -1, Overhead: -1, SpeedAware: aware, Coded: &codedsgd.Options{Redundancy: r}}
}

// speed is what cutting blocks by speed gains.
func speed() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/speed", Title: "Blocks by the speed of their nodes", Source: "CSSGD, §2.1 and §3.2.5", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 1.5 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"patterns": speedPatterns, "redundancies": speedsOf(env.Profile), "nodes": anchor, "more_nodes": moreNodes, "platform": reference, "networks": networks(), "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: 2}
		rows, err := speedRows(ctx, env)
		if err != nil {
			return res, err
		}
		b.Step("timed")
		exact, err := exactRows(ctx, env)
		if err != nil {
			return res, err
		}
		b.Step("decoded")
		res.Tables = []result.Table{speedTable(rows), bestSpeedTable(bestSpeeds(rows)), heldTable(rows), exactTable(exact), moreTable()}
		res.Figures = []result.Figure{speedFigure(rows), moreFigure()}
		res.Notes = speedNotes(rows, exact)
		res.Status = complete
		return res, nil
	}
	return e
}
