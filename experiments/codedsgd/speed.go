package codedsgd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// "The amount of data of each node can be adjusted to its performance, within limits
// without effect on the others" (§2.1). Here blocks are cut by the speeds of their
// holders. Patterns, redundancies and nodes were fixed before the first run.

// speedPattern is how fast the 8 nodes are beside the platform's.
type speedPattern struct {
	Key    string    `json:"key"` // of the enumeration pattern
	Speeds []float64 `json:"speeds"`
}

var speedPatterns = []speedPattern{
	{"one-half", []float64{1, 1, 1, 1, 1, 1, 1, 0.5}},
	{"one-fifth", []float64{1, 1, 1, 1, 1, 1, 1, 0.2}},
	{"two-kinds", []float64{1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}},
	{"mixed", []float64{1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4}},
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

// furthest returns how many samples a node's load is off r·|F_j|·v/Σv at most.
func furthest(r speedRow) (off float64) {
	sum := 0.0
	for _, v := range r.Pattern.Speeds {
		sum += v
	}
	for i, v := range r.Pattern.Speeds {
		off = max(off, math.Abs(float64(r.Held[i])-float64(r.R*r.Net.batch(anchor))*v/sum))
	}
	return off
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

// exactUpdates is the length of that training.
const exactUpdates = 3

// exactConfig configures that training: one exchange per update in earnest.
func exactConfig(env exp.Env, n, r int, sync string, aware bool) train.Config {
	p := firstNodes(calm(referencePlatform()), n)
	for i := range p.Workers {
		p.Workers[i].FLOPS /= float64(1 + i)
	}
	return train.Config{Sync: sync, Model: dnn.Model, Width: 1. / 16, Classes: classes(n), DataDir: env.DataDir, Engine: env.Engine,
		Platform: p, Workers: n, Seed: env.Seeds[0],
		BatchSize: 100, Rate: 0.2, MaxUpdates: exactUpdates, EvalEvery: -1, Launch: -1, Overhead: -1, SpeedAware: aware, Coded: &codedsgd.Options{Redundancy: r}}
}

// speed asks what cutting blocks by speed gains.
func speed() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/speed", Source: "CSSGD, §2.1 and §3.2.5", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(string, int) float64 { return 1.5 },
		Config: func(profile string) map[string]any {
			return map[string]any{"patterns": speedPatterns, "redundancies": speedsOf(profile), "nodes": anchor, "more_nodes": moreNodes,
				"platform": kit.Platform(referencePlatform()), "networks": networks()}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			bar := exp.Bar{Env: env, Total: 2}
			rows, err := speedRows(ctx, env)
			if err != nil {
				return err
			}
			bar.Step("timed")
			exact, err := exactRows(ctx, env)
			if err != nil {
				return err
			}
			bar.Step("decoded")
			r.Facts = append(speedFacts(rows), exactFacts(rows, exact)...)
			r.Frames = []result.Frame{speedFrame(rows), bestSpeedFrame(bestSpeeds(rows)), heldFrame(rows), exactFrame(exact), moreFrame()}
			r.Figures = []result.Figure{
				{ID: "saved", Form: "line", Frame: "speed", Where: map[string]any{"model": cnn.Model}, X: "r", Y: []string{"saved_overlap"}, By: []string{"pattern"}},
				{ID: "more-nodes", Form: "line", Frame: "more", Where: map[string]any{"model": dnn.Model}, X: "nodes", Y: []string{"r"}, By: []string{"law"}}}
			return nil
		}}.Experiment()
}

// The two ways of each row, without overlap and with, as parts of keys.
var overlaps = []string{"", "_overlap"}

func speedFrame(rows []speedRow) result.Frame {
	cols := []kit.Col[speedRow]{kit.Word("model", "model", func(r speedRow) string { return r.Net.Model }),
		kit.Word("pattern", "pattern", func(r speedRow) string { return r.Pattern.Key }), kit.Count("r", "", func(r speedRow) int { return r.R }),
		kit.Num("slowest", "ms", 1, func(r speedRow) float64 { return 1e3 * r.Slowest }),
		kit.Num("each", "ms", 1, func(r speedRow) float64 { return 1e3 * r.Each })}
	for i, o := range overlaps {
		cols = append(cols, kit.Num("equal"+o, "ms", 1, func(r speedRow) float64 { return 1e3 * r.Equal[i] }),
			kit.Num("uneven"+o, "ms", 1, func(r speedRow) float64 { return 1e3 * r.Uneven[i] }),
			kit.Num("saved"+o, "%", 1, func(r speedRow) float64 { return 100 * r.saved(i) }))
	}
	return kit.Frame("speed", rows, cols...)
}

// bestSpeed is a network and a pattern, each way at its own best redundancy.
type bestSpeed struct {
	Net           network
	Pattern       speedPattern
	Overlap       int
	REqual, RBest int
	Equal, Uneven float64
}

func (b bestSpeed) saved() float64 { return 1 - b.Uneven/b.Equal }

func bestSpeeds(rows []speedRow) (out []bestSpeed) {
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
	return kit.Frame("best", best, kit.Word("model", "model", func(b bestSpeed) string { return b.Net.Model }),
		kit.Word("pattern", "pattern", func(b bestSpeed) string { return b.Pattern.Key }), kit.Flag("overlap", func(b bestSpeed) bool { return b.Overlap == 1 }),
		kit.Count("r_equal", "", func(b bestSpeed) int { return b.REqual }), kit.Num("equal", "ms", 1, func(b bestSpeed) float64 { return 1e3 * b.Equal }),
		kit.Count("r_uneven", "", func(b bestSpeed) int { return b.RBest }), kit.Num("uneven", "ms", 1, func(b bestSpeed) float64 { return 1e3 * b.Uneven }),
		kit.Num("saved", "%", 1, func(b bestSpeed) float64 { return 100 * b.saved() }))
}

// speedFacts say, without overlap and with it, what blocks by speed gain if each way has
// its best redundancy, what at equal ones, and how often they take longer.
func speedFacts(rows []speedRow) (out []result.Fact) {
	for overlap, o := range []string{"apart", "overlap"} {
		best := slices.DeleteFunc(bestSpeeds(rows), func(b bestSpeed) bool { return b.Overlap != overlap })
		least, most := extremes(best, bestSpeed.saved)
		for key, b := range []bestSpeed{least, most} {
			k := o + "." + []string{"least", "most"}[key]
			out = append(out, kit.Number(k, "%", 0, 100*b.saved()), kit.Finding(k+".model", "model", b.Net.Model), kit.Finding(k+".pattern", "pattern", b.Pattern.Key))
		}
		longer, same := extremes(rows, func(r speedRow) float64 { return r.saved(overlap) })
		n := 0
		for _, r := range rows {
			if r.saved(overlap) < 0 {
				n++
			}
		}
		out = append(out, kit.Number(o+".same", "%", 0, 100*same.saved(overlap)), kit.Finding(o+".same.model", "model", same.Net.Model),
			kit.Finding(o+".same.pattern", "pattern", same.Pattern.Key), kit.Counted(o+".same.r", "", same.R),
			kit.Counted(o+".longer", "", n), kit.Number(o+".longer.most", "%", 0, max(-100*longer.saved(overlap), 0)))
	}
	return append(out, kit.Counted("cases", "", len(rows)))
}

// extremes returns the first of the least and the first of the most by a number.
func extremes[R any](rows []R, of func(R) float64) (least, most R) {
	least, most = rows[0], rows[0]
	for _, r := range rows {
		if of(r) < of(least) {
			least = r
		}
		if of(r) > of(most) {
			most = r
		}
	}
	return least, most
}

// exactFacts count the trainings that decode exactly, how far a node's samples are off
// its share at most, and where r* goes with more nodes.
func exactFacts(rows []speedRow, exact []exactRow) []result.Fact {
	off, same := 0.0, 0
	for _, r := range rows {
		off = max(off, furthest(r))
	}
	for _, e := range exact {
		if e.same() {
			same++
		}
	}
	return []result.Fact{kit.Counted("same", "", same), kit.Counted("exact", "", len(exact)), kit.Counted("exact.updates", "", exactUpdates),
		kit.Number("off", "", 1, off), kit.Whether("near", off < 10), kit.Counted("nodes", "", anchor), kit.Counted("nodes.most", "", moreNodes[len(moreNodes)-1]),
		kit.Counted("batch", "", dnn.batch(anchor)), kit.Number("ratio.dnn", "", kit.AsIs, statedRatios[0]), kit.Number("ratio.cnn", "", kit.AsIs, statedRatios[1]),
		kit.Counted("stated.dnn", "", bestDNN), kit.Counted("stated.cnn", "", bestCNN)}
}

// heldFrame holds each node's samples, for the DNN.
func heldFrame(rows []speedRow) result.Frame {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r speedRow) bool { return r.Net.Key != dnn.Key })
	cols := []kit.Col[speedRow]{kit.Word("pattern", "pattern", func(r speedRow) string { return r.Pattern.Key }),
		kit.Count("r", "", func(r speedRow) int { return r.R })}
	for node := range anchor {
		cols = append(cols, kit.Count(fmt.Sprintf("node_%d", node), "", func(r speedRow) int { return r.Held[node] }))
	}
	f := kit.Frame("held", rows, append(cols, kit.Num("off", "samples", 1, furthest))...)
	f.Kind = result.Counted
	return f
}

func exactFrame(rows []exactRow) result.Frame {
	short := func(key string, of func(exactRow) string) kit.Col[exactRow] {
		return kit.Word(key, "", func(e exactRow) string { return of(e)[:min(12, len(of(e)))] })
	}
	f := kit.Frame("exact", rows, kit.Count("n", "", func(e exactRow) int { return e.N }), kit.Count("r", "", func(e exactRow) int { return e.R }),
		kit.Count("packets", "", func(e exactRow) int64 { return e.Packets }), short("coded", func(e exactRow) string { return e.Coded }),
		short("uncoded", func(e exactRow) string { return e.Uncoded }), kit.Flag("same", exactRow.same), short("even", func(e exactRow) string { return e.Even }))
	f.Kind = result.Trained
	return f
}

// moreNodes are the sizes for which the time model's best redundancy is shown.
var moreNodes = []int{2, 4, 6, 8, 10, 12, 16, 20, 24, 32}

// bestAt returns the best redundancy of n nodes by the exact form at a ratio.
func bestAt(n int, ratio float64) int {
	var t []float64
	for r := 1; r <= n; r++ {
		t = append(t, forms[0].batch(n, r, ratio))
	}
	return bestOf(t)
}

// statedRatios put r* = 3 and 2 at 8 nodes: the middles of the ranges, in the exact form.
var statedRatios = []float64{7.875, 3.5}

// moreFrame carries both ratios to other numbers of nodes by each law of the abstracts'
// page but for our own Q(n).
func moreFrame() result.Frame {
	type row struct {
		l     law
		net   network
		ratio float64
		n     int
	}
	var rows []row
	for _, l := range laws[:4] {
		for i, net := range networks() {
			for _, n := range moreNodes {
				rows = append(rows, row{l, net, l.at(n, statedRatios[i]), n})
			}
		}
	}
	f := kit.Frame("more", rows, kit.Word("law", "law", func(r row) string { return r.l.Key }),
		kit.Word("model", "model", func(r row) string { return r.net.Model }),
		kit.Count("nodes", "", func(r row) int { return r.n }), kit.Count("r", "", func(r row) int { return bestAt(r.n, r.ratio) }),
		kit.Num("saved", "%", 0, func(r row) float64 { return 100 * forms[0].saving(r.n, r.ratio) }))
	f.Kind = result.Modelled
	return f
}
