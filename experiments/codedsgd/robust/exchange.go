package robust

import (
	"context"
	"math/big"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// carrier carries the pieces: one medium or a switch.
type carrier struct {
	Key             string // of the enumeration carrier
	Shared, Overlap bool
	// Rounds tries every way micro-block by micro-block too, in packets that leave as soon
	// as that round is computed. Else a packet has its segments of all micro-blocks.
	Rounds bool
	// Ideal leaves out jitter, latencies and coding: computing, bytes and the order in which
	// packets leave remain. It is a mean over the first timing.Iterations batches, as all times
	// are; until a review of the results it was the first batch alone, which no other overlaps.
	Ideal bool
}

var carriers = []carrier{{Key: "medium", Shared: true}, {Key: "medium-overlap", Shared: true, Overlap: true},
	{Key: "medium-rounds", Shared: true, Overlap: true, Rounds: true}, {Key: "medium-ideal", Shared: true, Overlap: true, Rounds: true, Ideal: true},
	{Key: "switch"}, {Key: "switch-overlap", Overlap: true}, {Key: "switch-rounds", Overlap: true, Rounds: true}}

// overlapped is the carrier on which every rule is timed.
var overlapped = carriers[2]

// setting is one in which ways are compared.
type setting struct {
	N       int
	Ratio   float64 // Tcomm/Tcalc over n
	Carrier carrier
	Rule    string
}

// way is how every piece comes to every node: coded packets or plain messages, at r.
type way struct {
	Method string
	R      int
	Rounds bool
}

// ways lists those on n nodes that a comparison has, unless rounds without them. At r = n
// nothing is sent.
func ways(n int, rounds bool) (out []way) {
	add := func(method string, r int) {
		out = append(out, way{method, r, false})
		if rounds && r < n {
			out = append(out, way{method, r, true})
		}
	}
	for r := 1; r <= n; r++ {
		if r > 1 && r < n {
			add(codedsgd.CSSGD, r)
		}
		add(codedsgd.SSGDMulticast, r)
		if r == 1 {
			add(codedsgd.SSGDUnicast, r)
		}
	}
	return out
}

// timed is a way in a setting.
type timed struct {
	setting
	way
}

// settings lists all that a profile compares.
func (p exchangePlan) settings() (out []setting) {
	for _, n := range p.Nodes {
		for _, c := range carriers {
			for _, ratio := range p.Ratios {
				out = append(out, setting{n, ratio, c, p.Main})
			}
		}
	}
	for _, rule := range codedsgd.Rules() {
		if rule != p.Main {
			out = append(out, setting{p.Anchor, 1, overlapped, rule})
		}
	}
	return out
}

// config returns what timing runs.
func (t timed) config(seed uint64) timing.Config {
	pieces := piecesOf(t.N)
	return timing.Config{Net: setup.DNN, Nodes: t.N, Micro: pieces, Link: t.link(), Shared: t.Carrier.Shared, Ideal: t.Carrier.Ideal, Seed: seed,
		Rule:     ruleOf(t.Rule, pieces),
		Exchange: timing.Exchange{Method: t.Method, Redundancy: t.R, NoOverlap: !t.Carrier.Overlap, Rounds: t.way.Rounds}}
}

// timeAll times every way in every setting, once per seed of the nodes' jitter.
func timeAll(ctx context.Context, env exp.Env, p exchangePlan) (map[timed][]timing.Iteration, error) {
	var all []timed
	for _, s := range p.settings() {
		for _, w := range ways(s.N, s.Carrier.Rounds) {
			all = append(all, timed{s, w})
		}
	}
	seeds := len(env.Seeds)
	its := make([]timing.Iteration, len(all)*seeds)
	err := kit.AtOnce(len(its), func(i int) (err error) {
		its[i], err = timing.Run(ctx, env, all[i/seeds].config(env.Seeds[i%seeds]))
		return err
	})
	out := map[timed][]timing.Iteration{}
	for i, t := range all {
		out[t] = its[i*seeds : (i+1)*seeds]
	}
	return out, err
}

func secondsOf(its []timing.Iteration) kit.Sample {
	return kit.Each(its, func(it timing.Iteration) float64 { return it.Seconds })
}

// compared is a setting with the best way of each kind.
type compared struct {
	setting
	Coded, Plain     way // the best ones
	CodedS, PlainS   kit.Sample
	Multicast, Alone kit.Sample // plain multicast at r = 1, and r = n
}

// compare finds the best ways of every setting.
func compare(p exchangePlan, times map[timed][]timing.Iteration) (out []compared) {
	for _, s := range p.settings() {
		c := compared{setting: s, Multicast: secondsOf(times[timed{s, way{Method: codedsgd.SSGDMulticast, R: 1}}]),
			Alone: secondsOf(times[timed{s, way{Method: codedsgd.SSGDMulticast, R: s.N}}])}
		for _, w := range ways(s.N, s.Carrier.Rounds) {
			sample := secondsOf(times[timed{s, w}])
			best, least := &c.Plain, &c.PlainS
			if w.Method == codedsgd.CSSGD {
				best, least = &c.Coded, &c.CodedS
			}
			if best.R == 0 || sample.Mean().Value < least.Mean().Value {
				*best, *least = w, sample
			}
		}
		out = append(out, c)
	}
	return out
}

// saved returns what the best coded way saves of the best plain one's time, in per cent.
func (c compared) saved() kit.Estimate { return c.CodedS.Over(c.PlainS).Saved() }

// pays tells whether that counts.
func (c compared) pays() bool {
	return c.saved().Against(0) == "above" && c.saved().Value >= leastSaving
}

// plainKey names the best plain way in the enumeration way.
func (c compared) plainKey() string {
	if c.Plain.R == c.N {
		return "alone"
	}
	return c.Plain.Method
}

// link returns the bandwidth of a node's link over the platform's at which the ratio holds.
// A medium has all links' capacity and carries every piece once; on a switch each link brings
// its node (n−1)/n of the pieces.
func (s setting) link() float64 {
	layers, _ := timing.Layers(setup.DNN, s.N)
	work := timing.SampleWork(layers)
	samples := float64(setup.DNN.PerNode)
	work.FLOP, work.Bytes = work.FLOP*samples, work.Bytes*samples
	node := host()
	sent := 4 * float64(piecesOf(s.N)*timing.Elements(layers))
	if !s.Carrier.Shared {
		sent *= float64(s.N - 1)
	}
	return sent / (node.Bandwidth * float64(s.N)) / node.Seconds(work) / (s.Ratio * float64(s.N))
}

// aggregating returns the seconds in which a node aggregates.
func (c compared) aggregating() float64 {
	layers, _ := timing.Layers(setup.DNN, c.N)
	node := host()
	return node.Seconds(ruleOf(c.Rule, piecesOf(c.N)).Work(piecesOf(c.N), timing.Elements(layers)))
}

// bytesFrame lists by n and r what all nodes send, counted, at the first ratio.
func bytesFrame(p exchangePlan, times map[timed][]timing.Iteration) result.Frame {
	f := kit.NewSheet("bytes", "n r pieces coded/MB.1 multicast/MB.1 unicast/MB.1 share/%.1 like/%.1 fewer:bool")
	for _, n := range p.Nodes {
		s := setting{n, p.Ratios[0], carriers[0], p.Main}
		sent := func(method string, r int) float64 { return times[timed{s, way{Method: method, R: r}}][0].Bytes }
		base := sent(codedsgd.SSGDMulticast, 1)
		for r := 2; r < n; r++ {
			coded := sent(codedsgd.CSSGD, r)
			like, _ := codedsgd.LikeForLike(n, r).Float64()
			f.Add(n, r, piecesOf(n), coded/1e6, base/1e6, sent(codedsgd.SSGDUnicast, 1)/1e6, 100*coded/base, 100*like, coded < base)
		}
	}
	return kit.As(result.TimingOnly, f.Frame)
}

func settingsFrame(all []compared) result.Frame {
	const columns = "n ratio link/Gb/s.2 carrier:carrier rule:rule coded_r coded_rounds:bool coded/ms.1 plain:way plain_r best/ms.1 multicast/ms.1 alone/ms.1 " +
		"saved~/%.1 side:side pays:bool"
	node := host()
	return kit.As(result.TimingOnly, kit.Rows("settings", columns, all, func(c compared) []any {
		ms := func(s kit.Sample) float64 { return 1e3 * s.Mean().Value }
		return []any{c.N, c.Ratio, c.link() * 8e-9 * node.Bandwidth, c.Carrier.Key, c.Rule, c.Coded.R, c.Coded.Rounds,
			ms(c.CodedS), c.plainKey(), c.Plain.R, ms(c.PlainS), ms(c.Multicast), ms(c.Alone), c.saved(), c.saved().Against(0), c.pays()}
	}))
}

// rulesFrame lists the settings in which every rule is timed.
func rulesFrame(p exchangePlan, all []compared) result.Frame {
	f := kit.NewSheet("rules", "rule:rule aggregate/ms.1 coded_r coded/ms.1 plain:way plain_r best/ms.1 saved~/%.1 side:side pays:bool")
	for _, rule := range codedsgd.Rules() {
		c := kit.Find(all, func(c compared) bool { return c.setting == setting{p.Anchor, 1, overlapped, rule} })
		f.Add(rule, 1e3*c.aggregating(), c.Coded.R, 1e3*c.CodedS.Mean().Value, c.plainKey(), c.Plain.R, 1e3*c.PlainS.Mean().Value, c.saved(),
			c.saved().Against(0), c.pays())
	}
	return kit.As(result.TimingOnly, f.Frame)
}

// mostNodes bounds the exact check of line.
const mostNodes = 40

// line returns what is sent at r between multicasting every piece (r = 1, load 1) and
// computing all of it alone (r = n, load 0), by a straight line: (n−r)/(n−1). A way whose
// load is not below it is never strictly faster than both if time is computing plus bytes.
func line(n, r int) *big.Rat { return big.NewRat(int64(n-r), int64(n-1)) }

// lineCounts counts n ≤ mostNodes and 1 < r < n, those whose coded load, LikeForLike, is
// below the line, and those on it.
func lineCounts() (pairs, below, on int) {
	for n := 3; n <= mostNodes; n++ {
		for r := 2; r < n; r++ {
			pairs++
			switch codedsgd.LikeForLike(n, r).Cmp(line(n, r)) {
			case -1:
				below++
			case 0:
				on++
			}
		}
	}
	return pairs, below, on
}

// overlapBound returns the r that saves most if computing and sending overlap wholly, and
// what it saves in per cent of the better of multicasting and computing alone. load is the
// share of r = 1's bytes that r sends. The most is at Tcomm/Tcalc = n, where those two are
// equal: below, both take less to send, above, computing alone does not get slower:
//
//	1 − max(r/n, load(r))
func overlapBound(n int, load func(n, r int) *big.Rat) (best int, saved float64) {
	for r := 2; r < n; r++ {
		sent, _ := load(n, r).Float64()
		if s := 100 * (1 - max(float64(r)/float64(n), sent)); best == 0 || s > saved {
			best, saved = r, s
		}
	}
	return best, saved
}

// boundFrame lists overlapBound of the profile's nodes and of many: by coded packets on one
// medium, and on a switch, where receiving binds and no code changes what is received.
func boundFrame(p exchangePlan) result.Frame {
	f := kit.NewSheet("bound", "n medium_r medium/%.1 switch_r switch/%.1")
	nodes := append([]int(nil), p.Nodes...)
	for _, n := range []int{8, 10, 16, 32, 62} {
		if n > nodes[len(nodes)-1] {
			nodes = append(nodes, n)
		}
	}
	for _, n := range nodes {
		mr, m := overlapBound(n, codedsgd.LikeForLike)
		sr, s := overlapBound(n, line)
		f.Add(n, mr, m, sr, s)
	}
	return kit.As(result.Modelled, f.Frame)
}

// exchangeFacts counts where coding pays.
func exchangeFacts(p exchangePlan, times map[timed][]timing.Iteration, all []compared, exact []exactRow) []result.Fact {
	pairs, below, on := lineCounts()
	rows, fewer, off := 0, 0, 0.0
	for _, n := range p.Nodes {
		s := setting{n, p.Ratios[0], carriers[0], p.Main}
		base := times[timed{s, way{Method: codedsgd.SSGDMulticast, R: 1}}][0].Bytes
		for r := 2; r < n; r++ {
			rows++
			share := times[timed{s, way{Method: codedsgd.CSSGD, R: r}}][0].Bytes / base
			like, _ := codedsgd.LikeForLike(n, r).Float64()
			fewer, off = fewer+setup.One(share < 1), max(off, share/like-1)
		}
	}
	facts := kit.Facts("bytes.rows", rows, "bytes.fewer", fewer, "bytes.off/%.2", 100*off, "line.most", mostNodes, "line.pairs", pairs, "line.below", below,
		"line.on", on, "least/%.0", leastSaving, "anchor", p.Anchor, "main:rule", p.Main, "pieces", piecesOf(p.Anchor),
		"seeds.one", len(all[0].CodedS) < 2, "batches", timing.Iterations,
		"exact.same", kit.CountIf(exact, func(e exactRow) bool { return e.Same }), "exact.rows", len(exact))
	main := func(c compared) bool { return c.Rule == p.Main }
	real := func(c compared) bool { return main(c) && !c.Carrier.Ideal }
	facts = append(facts, kit.Facts("settings", kit.CountIf(all, real), "settings.pays", kit.CountIf(all,
		func(c compared) bool { return real(c) && c.pays() }))...)
	for _, k := range carriers {
		here := func(c compared) bool { return main(c) && c.Carrier == k }
		facts = append(facts, kit.Facts("settings."+k.Key, kit.CountIf(all, here),
			"pays."+k.Key, kit.CountIf(all, func(c compared) bool { return here(c) && c.pays() }))...)
	}
	return facts
}

// exactRow is a real exchange of a rule: coded and plain ways and every r must end with the
// same bits, on every node.
type exactRow struct {
	Rule string
	N    int
	Ways int
	Same bool
	Hash string
}

// exactUpdates is the length of the trainings in exactRows.
const exactUpdates = 3

// exactRows trains a small network by every rule over every way of 4 nodes, a third of the
// pieces adversarial. A run in which nodes end with other parameters is an error.
func exactRows(ctx context.Context, env exp.Env) (out []exactRow, err error) {
	const n = 4
	for _, rule := range codedsgd.Rules() {
		row := exactRow{Rule: rule, N: n, Same: true}
		for _, w := range ways(n, true) {
			p := setup.First(setup.Calm(setup.Platform()), n)
			o, err := train.Run(ctx, train.Config{Sync: w.Method, Model: setup.DNN.Model, Width: 1. / 16, DataDir: env.DataDir, Engine: env.Engine, Platform: p,
				Workers: n, Seed: env.Seeds[0], BatchSize: 60, Rate: setup.Rate, MaxUpdates: exactUpdates, EvalEvery: -1, Launch: -1, Overhead: -1,
				CodedSGD: train.CodedSGD{Attack: &train.Attack{Kind: "flipped", Pieces: piecesOf(n) / 3},
					Coded: &codedsgd.Options{Redundancy: w.R, MicroBlocks: piecesOf(n), Rounds: w.Rounds, Rule: ruleOf(rule, piecesOf(n))}}})
			if err != nil {
				return nil, err
			}
			if row.Ways++; row.Hash == "" {
				row.Hash = o.ParamsSHA256
			}
			row.Same = row.Same && o.ParamsSHA256 == row.Hash
		}
		out = append(out, row)
	}
	return out, nil
}

func exactFrame(rows []exactRow) result.Frame {
	return kit.Rows("exact", "rule:rule n ways same hash", rows, func(e exactRow) []any { return []any{e.Rule, e.N, e.Ways, e.Same, e.Hash[:12]} })
}
