package codedsgd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/papers/codedsgd"
)

// Figures 12 and 13 are one study of two networks: time per batch against r at 8
// nodes. Everything in this file was fixed before the first run, and so was how it is
// judged, in fig12_judge.go.

// variant is a way in which the redundancies are timed.
type variant struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Whole   bool   `json:"whole"`
	Shared  bool   `json:"shared"`
	Overlap bool   `json:"overlap"`
}

// The variants; C10, C11 and C34 are judged on the first: the paper's message model
// on one medium, without overlap, which is what its time model supposes (§3.2.4:
// computing plus communication, the latter linear in the amount of data). Jitter,
// latencies and coding are those of the platform.
var variants = []variant{
	{"micro-medium", "micro-blocks, one medium", false, true, false},
	{"micro-medium-overlap", "micro-blocks, one medium, overlap", false, true, true},
	{"micro-switch", "micro-blocks, switch", false, false, false},
	{"micro-switch-overlap", "micro-blocks, switch, overlap", false, false, true},
	{"whole-medium", "whole gradients, one medium", true, true, false},
	{"whole-medium-overlap", "whole gradients, one medium, overlap", true, true, true},
	{"whole-switch", "whole gradients, switch", true, false, false},
	{"whole-switch-overlap", "whole gradients, switch, overlap", true, false, true},
}

// The sweep of Tcomm/Tcalc by the links' bandwidth: a grid, and one percent to both
// sides of the ends that C25 and C26 derive, 1.75, 5.25 and 10.5. After one quick run
// quick was cut for its time, here from 23 ratios to 12 and in iterationsOf from 4 to 2.
func sweepOf(profile string) []float64 {
	switch profile {
	case "ci":
		return []float64{5.1975, 5.3025}
	case "quick":
		return []float64{1, 1.7325, 1.7675, 3, 5.1975, 5.3025, 8, 10.395, 10.605, 16, 30, 50}
	}
	return []float64{0.5, 1, 1.5, 1.7325, 1.7675, 2, 3, 4, 5, 5.1975, 5.3025, 6, 7, 8, 9, 10, 10.395, 10.605, 12, 16, 20, 30, 50}
}

// iterationsOf is how many jittered iterations a profile's times are means over, per
// seed.
func iterationsOf(profile string) int {
	switch profile {
	case "ci":
		return 1
	case "quick":
		return 2
	}
	return timedIterations
}

// timedVariant is a variant's time per batch in seconds by r − 1, mean over seeds.
type timedVariant struct {
	variant
	Seconds [][]float64 // by r − 1, by seed
	Mean    []float64   // by r − 1
}

func (v *timedVariant) best() int { return bestOf(v.Mean) }

// bestOf is the r with the least time, of equal ones the smallest.
func bestOf(seconds []float64) int {
	best := 0
	for i, s := range seconds {
		if s < seconds[best] {
			best = i
		}
	}
	return best + 1
}

// sweepPoint is one ratio's best redundancies, where nothing takes time but computing
// and bytes.
type sweepPoint struct {
	Ratio                 float64
	Medium, Switch, Whole int     // simulated
	Exact, Short          int     // by the model
	Real                  float64 // √(n/(n−1)·ρ)
}

// study is what Figures 12 and 13 know of one network.
type study struct {
	Net      network
	Profile  string
	Variants []timedVariant
	Calc     float64   // Tcalc, seconds
	Comm     float64   // Tcomm of SSGD with unicasts, micro-blocks, links of the platform
	Ideal    []float64 // simulated by r − 1 without overlap, jitter, latencies and coding: one medium
	OnSwitch []float64 // the same on the switch
	Rivals   []rival
	Plain    []timedPlain // at equal redundancy without a code
	Sweep    []sweepPoint
}

func (s *study) ratio() float64 { return s.Comm / s.Calc }

// rival is another method beside CSSGD.
type rival struct {
	Title          string
	Exchange       exchange
	Medium, Switch float64 // seconds per batch, mean over seeds
	Load           float64 // gradient units of bytes sent, a multicast once
}

func rivalsOf() []rival {
	x := func(method string, r int, whole bool) exchange {
		return exchange{Method: method, Redundancy: r, Whole: whole, NoOverlap: true}
	}
	return []rival{
		{Title: "SSGD unicast, micro-blocks", Exchange: x(codedsgd.SSGDUnicast, 1, false)},
		{Title: "SSGD multicast, micro-blocks", Exchange: x(codedsgd.SSGDMulticast, 1, false)},
		{Title: "SSGD unicast, one sum per node", Exchange: x(codedsgd.SSGDUnicast, 1, true)},
		{Title: "SSGD multicast, one sum per node", Exchange: x(codedsgd.SSGDMulticast, 1, true)},
		{Title: "ring all-reduce", Exchange: x(ringMethod, 1, true)},
	}
}

// allRedundancies are 1 to 8: Figure 12's axis.
func allRedundancies() (rs []int) {
	for r := 1; r <= anchor; r++ {
		rs = append(rs, r)
	}
	return rs
}

// base is a setting of the study. C(8,4) = 70 does not divide Q(8) = 56 of the other
// figures: here Q = 280, and five batches' samples are computed at once, so that a
// micro-block has as many samples as there. Times are per batch.
func base(net network, x exchange, shared bool) setting {
	s := setting{Net: net, Nodes: anchor, Exchange: x, Shared: shared}
	if !x.Whole {
		s.Micro = microBlocks(anchor, allRedundancies()...)
		s.Grow = s.Micro / microBlocks(anchor, redundancies...)
	}
	return s
}

// ideal is base of CSSGD, where nothing takes time but computing and bytes.
func ideal(net network, r int, whole, shared bool, ratio, own float64) setting {
	s := base(net, exchange{Method: codedsgd.CSSGD, Redundancy: r, Whole: whole, NoOverlap: true}, shared)
	s.Ideal, s.Steps = true, 1
	if ratio != own {
		s.Link = own / ratio
	}
	return s
}

// studies times what a figure needs.
type studies struct {
	ctx context.Context
	env exp.Env
	bar *exp.Bar
}

// time is one setting's seconds per batch.
func (w *studies) time(s setting) (float64, error) {
	it, err := timeSetting(w.ctx, w.env, s)
	return it.Seconds, err
}

// seeds are the seconds per batch of s by seed.
func (w *studies) seeds(s setting) ([]float64, iteration, error) {
	var out []float64
	var last iteration
	for _, seed := range w.env.Seeds {
		s.Seed, s.Steps = seed, iterationsOf(w.env.Profile)
		it, err := timeSetting(w.ctx, w.env, s)
		if err != nil {
			return nil, it, err
		}
		out, last = append(out, it.Seconds), it
	}
	return out, last, nil
}

func meanOf(x []float64) float64 {
	m, _ := exp.MeanAndHalf(x)
	return m
}

func (w *studies) variant(net network, v variant) (timedVariant, error) {
	out := timedVariant{variant: v, Seconds: make([][]float64, anchor)}
	err := each(anchor, func(i int) (err error) {
		x := exchange{Method: codedsgd.CSSGD, Redundancy: i + 1, Whole: v.Whole, NoOverlap: !v.Overlap}
		out.Seconds[i], _, err = w.seeds(base(net, x, v.Shared))
		return err
	})
	if err != nil {
		return out, err
	}
	for _, seconds := range out.Seconds {
		out.Mean = append(out.Mean, meanOf(seconds))
	}
	w.bar.Step(net.Title + ", " + v.Title)
	return out, nil
}

// study is all of one network.
func (w *studies) study(net network) (s study, err error) {
	s.Net, s.Profile = net, w.env.Profile
	for _, v := range variants {
		t, err := w.variant(net, v)
		if err != nil {
			return s, err
		}
		s.Variants = append(s.Variants, t)
	}
	if s.Calc, s.Comm, err = w.parts(net); err != nil {
		return s, err
	}
	if s.Ideal, err = w.ideals(net, false, true, s.ratio(), s.ratio()); err != nil {
		return s, err
	}
	if s.OnSwitch, err = w.ideals(net, false, false, s.ratio(), s.ratio()); err != nil {
		return s, err
	}
	w.bar.Step(net.Title + ", the time model")
	if s.Rivals, err = w.rivals(net); err != nil {
		return s, err
	}
	if s.Plain, err = w.plains(net); err != nil {
		return s, err
	}
	for _, ratio := range sweepOf(w.env.Profile) {
		p, err := w.point(net, ratio, s.ratio())
		if err != nil {
			return s, err
		}
		s.Sweep = append(s.Sweep, p)
	}
	return s, nil
}

// parts are Tcalc and Tcomm: those of SSGD with unicasts of micro-blocks.
func (w *studies) parts(net network) (calc, comm float64, err error) {
	one := base(net, exchange{Method: codedsgd.SSGDUnicast, Redundancy: 1, NoOverlap: true}, true)
	one.Ideal, one.Steps = true, 1
	it, err := timeSetting(w.ctx, w.env, one)
	if err != nil {
		return 0, 0, err
	}
	calc, comm = it.Compute, it.Seconds-it.Compute
	if !(comm > 0) || math.IsInf(comm, 0) {
		return 0, 0, fmt.Errorf("codedsgd: %s: SSGD's exchange takes %g s", net.Key, comm)
	}
	return calc, comm, nil
}

// ideals are the seconds of CSSGD by r − 1 at a ratio; own is the platform's.
func (w *studies) ideals(net network, whole, shared bool, ratio, own float64) ([]float64, error) {
	out := make([]float64, anchor)
	return out, each(anchor, func(i int) (err error) {
		out[i], err = w.time(ideal(net, i+1, whole, shared, ratio, own))
		return err
	})
}

func (w *studies) rivals(net network) ([]rival, error) {
	out := slices.Clone(rivalsOf())
	layers, _, err := layersOf(net, anchor)
	if err != nil {
		return nil, err
	}
	for i := range out {
		x := &out[i]
		for _, shared := range []bool{true, false} {
			seconds, it, err := w.seeds(base(net, x.Exchange, shared))
			if err != nil {
				return nil, err
			}
			x.Load = it.Bytes / float64(4*elements(layers))
			if shared {
				x.Medium = meanOf(seconds)
			} else {
				x.Switch = meanOf(seconds)
			}
		}
	}
	w.bar.Step(net.Title + ", the other methods")
	return out, nil
}

// point is the best redundancies at one ratio.
func (w *studies) point(net network, ratio, own float64) (p sweepPoint, err error) {
	p.Ratio, p.Real = ratio, math.Sqrt(float64(anchor)/float64(anchor-1)*ratio)
	p.Exact, p.Short = modelBest(forms[0], ratio), modelBest(forms[1], ratio)
	for _, x := range []struct {
		whole, shared bool
		to            *int
	}{{false, true, &p.Medium}, {false, false, &p.Switch}, {true, true, &p.Whole}} {
		seconds, err := w.ideals(net, x.whole, x.shared, ratio, own)
		if err != nil {
			return p, err
		}
		*x.to = bestOf(seconds)
	}
	w.bar.Step(fmt.Sprintf("%s, Tcomm/Tcalc = %g", net.Title, ratio))
	return p, nil
}

// modelBest is the best redundancy of 8 nodes by a form of the model.
func modelBest(f form, ratio float64) int {
	var t []float64
	for _, r := range allRedundancies() {
		t = append(t, f.batch(anchor, r, ratio))
	}
	return bestOf(t)
}
