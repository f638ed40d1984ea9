// Package speed asks what cutting blocks by the speed of their holders gains.
package speed

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// "The amount of data of each node can be adjusted to its performance, within limits
// without effect on the others" (§2.1). Here blocks are cut by the speeds of their
// holders. Patterns, redundancies and nodes were fixed before the first run.

// pattern is how fast the 8 nodes are beside the platform's.
type pattern struct {
	Key    string    `json:"key"` // of the enumeration pattern
	Speeds []float64 `json:"speeds"`
}

func (p pattern) sum() (sum float64) {
	for _, v := range p.Speeds {
		sum += v
	}
	return sum
}

var patterns = []pattern{
	{"one-half", []float64{1, 1, 1, 1, 1, 1, 1, 0.5}},
	{"one-fifth", []float64{1, 1, 1, 1, 1, 1, 1, 0.2}},
	{"two-kinds", []float64{1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}},
	{"mixed", []float64{1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4}},
}

func speedsOf(profile string) []int { return setup.Pick(profile, []int{1, 3}, []int{1, 2, 3, 4}) }

// timedCase is a network, a pattern and a redundancy: seconds per batch with equal
// blocks and with blocks by speed, one medium, without and with overlap.
type timedCase struct {
	Net     setup.Network
	Pattern pattern
	R       int
	Equal   [2]float64 // without overlap, with
	Uneven  [2]float64
	Slowest float64 // seconds that the slowest node computes with equal blocks
	Each    float64 // and every node with blocks by speed
	Held    []int   // samples of each node with blocks by speed, of one batch
}

func (r timedCase) saved(overlap int) float64 { return 1 - r.Uneven[overlap]/r.Equal[overlap] }

// longer tells whether blocks by speed take longer, as far as the printed saving shows.
func (r timedCase) longer(overlap int) bool { return math.Round(1e3*r.saved(overlap)) < 0 }

// timeRows times all; jitter, latencies and coding are left out, so that the blocks alone
// differ.
func timeRows(ctx context.Context, env exp.Env) (out []timedCase, err error) {
	for _, net := range setup.Networks() {
		layers, _ := timing.Layers(net, setup.Anchor)
		one := setup.Platform().Workers[0].Seconds(timing.SampleWork(layers))
		for _, p := range patterns {
			for _, r := range speedsOf(env.Profile) {
				work := one * float64(r*net.Batch(setup.Anchor))
				out = append(out, timedCase{Net: net, Pattern: p, R: r, Held: heldBy(net, p.Speeds, r),
					Slowest: work / setup.Anchor / slices.Min(p.Speeds), Each: work / p.sum()})
			}
		}
	}
	return out, kit.AtOnce(4*len(out), func(i int) error {
		row, overlap, uneven := &out[i/4], i%2, i/2%2 == 1
		s := timing.Anchored(row.Net, timing.Exchange{Method: codedsgd.CSSGD, Redundancy: row.R, NoOverlap: overlap == 0}, true)
		s.Ideal, s.Steps, s.Speeds, s.Uneven = true, 1, row.Pattern.Speeds, uneven
		it, err := timing.Run(ctx, env, s)
		if uneven {
			row.Uneven[overlap] = it.Seconds
		} else {
			row.Equal[overlap] = it.Seconds
		}
		return err
	})
}

// heldBy counts the samples of each node from the assignment and its uneven blocks.
func heldBy(net setup.Network, speeds []float64, r int) []int {
	a := kit.Must(codedsgd.Assign(setup.Anchor, r))
	bounds, held := a.Split(net.Batch(setup.Anchor), a.Blocks(), speeds), make([]int, setup.Anchor)
	for q := range a.Blocks() {
		for _, node := range a.Holders(q) {
			held[node] += bounds[q+1] - bounds[q]
		}
	}
	return held
}

// furthest returns how many samples a node's load is off r·|F_j|·v/Σv at most.
func furthest(r timedCase) (off float64) {
	for i, v := range r.Pattern.Speeds {
		off = max(off, math.Abs(float64(r.Held[i])-float64(r.R*r.Net.Batch(setup.Anchor))*v/r.Pattern.sum()))
	}
	return off
}

// exactRow is a real training with uneven blocks: coded and uncoded must end with the
// same bits.
type exactRow struct {
	N, R           int
	Coded, Uncoded string // sha256 of the parameters
	Even           string // with equal blocks
	Packets        int64
}

func (e exactRow) same() bool { return e.Coded == e.Uncoded && e.Coded != "" }

// exactRows trains a small network for a few updates on n nodes of falling speed.
func exactRows(ctx context.Context, env exp.Env) (out []exactRow, err error) {
	for n := 3; n <= 4; n++ {
		for _, r := range setup.Redundancies {
			if r >= n {
				continue
			}
			run := func(sync string, aware bool) *train.Outcome {
				o, e := train.Run(ctx, exactConfig(env, n, r, sync, aware))
				if e != nil {
					err = fmt.Errorf("codedsgd: %s, %d nodes, r = %d: %w", sync, n, r, e)
					return &train.Outcome{}
				}
				return o
			}
			coded, uncoded, even := run(codedsgd.CSSGD, true), run(codedsgd.SSGDMulticast, true), run(codedsgd.CSSGD, false)
			if err != nil {
				return nil, err
			}
			out = append(out, exactRow{n, r, coded.ParamsSHA256, uncoded.ParamsSHA256, even.ParamsSHA256, coded.Coded.Totals.Packets})
		}
	}
	return out, nil
}

// exactUpdates is the length of that training.
const exactUpdates = 3

// exactConfig configures that training: one exchange per update in earnest.
func exactConfig(env exp.Env, n, r int, sync string, aware bool) train.Config {
	p := setup.First(setup.Calm(setup.Platform()), n)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= float64(1 + i)
	}
	return train.Config{Sync: sync, Model: setup.DNN.Model, Width: 1. / 16, Classes: setup.Classes(n), DataDir: env.DataDir, Engine: env.Engine,
		Platform: p, Workers: n, Seed: env.Seeds[0], BatchSize: 100, Rate: setup.Rate,
		MaxUpdates: exactUpdates, EvalEvery: -1, Launch: -1, Overhead: -1,
		CodedSGD: train.CodedSGD{SpeedAware: aware, Coded: &codedsgd.Options{Redundancy: r}}}
}

// Experiment asks what cutting blocks by speed gains.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/speed", Source: "CSSGD, §2.1", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(string, int) float64 { return 1.5 },
		Config: func(profile string) map[string]any {
			return map[string]any{"patterns": patterns, "redundancies": speedsOf(profile), "nodes": setup.Anchor,
				"platform": kit.Platform(setup.Platform()), "networks": setup.Networks()}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			bar := exp.Bar{Env: env, Total: 2}
			rows, err := timeRows(ctx, env)
			if err != nil {
				return err
			}
			bar.Step("timed")
			exact, err := exactRows(ctx, env)
			if err != nil {
				return err
			}
			bar.Step("decoded")
			r.Facts = exactFacts(rows, exact)
			r.Frames = []result.Frame{speedFrame(rows), bestSpeedFrame(bestSpeeds(rows)), heldFrame(rows), exactFrame(exact)}
			r.Figures = []result.Figure{{ID: "saved", Form: "line", Frame: "speed", Where: map[string]any{"model": setup.CNN.Model}, X: "r",
				Y: []string{"saved_overlap"}, By: []string{"pattern"}}}
			return nil
		}}.Experiment()
}

func speedFrame(rows []timedCase) result.Frame {
	const columns = "model:model pattern:pattern r slowest/ms.1 each/ms.1 equal/ms.1 uneven/ms.1 saved/%.1 " +
		"equal_overlap/ms.1 uneven_overlap/ms.1 saved_overlap/%.1 longer longer_overlap"
	return kit.Rows("speed", columns, rows, func(r timedCase) []any {
		return []any{r.Net.Model, r.Pattern.Key, r.R, 1e3 * r.Slowest, 1e3 * r.Each, 1e3 * r.Equal[0], 1e3 * r.Uneven[0], 100 * r.saved(0),
			1e3 * r.Equal[1], 1e3 * r.Uneven[1], 100 * r.saved(1), r.longer(0), r.longer(1)}
	})
}

// bestSpeed is a network and a pattern, each way at its own best redundancy.
type bestSpeed struct {
	Net           setup.Network
	Pattern       pattern
	Overlap       int
	REqual, RBest int
	Equal, Uneven float64
}

func (b bestSpeed) saved() float64 { return 1 - b.Uneven/b.Equal }

func bestSpeeds(rows []timedCase) (out []bestSpeed) {
	for overlap := range 2 {
		for i, r := range rows {
			if i == 0 || r.Net.Key != rows[i-1].Net.Key || r.Pattern.Key != rows[i-1].Pattern.Key {
				out = append(out, bestSpeed{Net: r.Net, Pattern: r.Pattern, Overlap: overlap, REqual: r.R, RBest: r.R, Equal: r.Equal[overlap],
					Uneven: r.Uneven[overlap]})
			}
			b := &out[len(out)-1]
			if x := r.Equal[overlap]; x < b.Equal {
				b.Equal, b.REqual = x, r.R
			}
			if x := r.Uneven[overlap]; x < b.Uneven {
				b.Uneven, b.RBest = x, r.R
			}
		}
	}
	return out
}

func bestSpeedFrame(best []bestSpeed) result.Frame {
	return kit.Rows("best", "model:model pattern:pattern overlap r_equal equal/ms.1 r_uneven uneven/ms.1 saved/%.1", best, func(b bestSpeed) []any {
		return []any{b.Net.Model, b.Pattern.Key, b.Overlap == 1, b.REqual, 1e3 * b.Equal, b.RBest, 1e3 * b.Uneven, 100 * b.saved()}
	})
}

// exactFacts counts the trainings that decode exactly, and how far a node's samples are off
// its share at most.
func exactFacts(rows []timedCase, exact []exactRow) []result.Fact {
	off, same := 0.0, kit.CountIf(exact, exactRow.same)
	for _, r := range rows {
		off = max(off, furthest(r))
	}
	return kit.Facts("same", same, "exact", len(exact), "all_same", same == len(exact), "exact.updates", exactUpdates, "off/.1", off, "near", off < 10,
		"nodes", setup.Anchor, "batch", setup.DNN.Batch(setup.Anchor))
}

// heldFrame holds each node's samples, for the DNN.
func heldFrame(rows []timedCase) result.Frame {
	f := kit.NewSheet("held", "pattern:pattern r node_0 node_1 node_2 node_3 node_4 node_5 node_6 node_7 off/samples.1")
	for _, r := range rows {
		if r.Net.Key == setup.DNN.Key {
			h := r.Held
			f.Add(r.Pattern.Key, r.R, h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], furthest(r))
		}
	}
	return kit.As(result.Counted, f.Frame)
}

func exactFrame(rows []exactRow) result.Frame {
	short := func(hash string) string { return hash[:min(12, len(hash))] }
	return kit.As(result.Trained, kit.Rows("exact", "n r packets coded uncoded same even", rows, func(e exactRow) []any {
		return []any{e.N, e.R, e.Packets, short(e.Coded), short(e.Uncoded), e.same(), short(e.Even)}
	}))
}
