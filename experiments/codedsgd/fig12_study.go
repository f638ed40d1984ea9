package codedsgd

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/papers/codedsgd"
)

// Figures 12 and 13 are one study of two networks: time per batch against r at 8
// nodes. Everything in this file was fixed before the first run, and so was how it is
// judged, in fig12.go; what stands without a code was added after the first runs,
// and no claim is judged on it.

// variant is a way in which the redundancies are timed.
type variant struct {
	Key     string `json:"key"` // of the enumeration setting
	Whole   bool   `json:"whole"`
	Shared  bool   `json:"shared"`
	Overlap bool   `json:"overlap"`
}

// The variants; C10, C11 and C34 are judged on the first: the paper's message model
// on one medium, without overlap, which is what its time model supposes (§3.2.4:
// computing plus communication, the latter linear in the amount of data). Jitter,
// latencies and coding are those of the platform.
var variants = []variant{
	{"micro-medium", false, true, false},
	{"micro-medium-overlap", false, true, true},
	{"micro-switch", false, false, false},
	{"micro-switch-overlap", false, false, true},
	{"whole-medium", true, true, false},
	{"whole-medium-overlap", true, true, true},
	{"whole-switch", true, false, false},
	{"whole-switch-overlap", true, false, true},
}

// plain is a way without a code: each block's gradient goes whole from its first holder
// to all nodes that lack it.
type plain struct {
	Key     string `json:"key"`
	Method  string `json:"method"`
	Variant string `json:"variant"` // the variant that it is set beside
}

// The plain ways. Unicasts on a switch are left out: the first holders' links, which
// are the same few, would be what is timed.
var plains = []plain{
	{"plain-medium", codedsgd.SSGDMulticast, "micro-medium"},
	{"plain-medium-unicast", codedsgd.SSGDUnicast, "micro-medium"},
	{"plain-switch", codedsgd.SSGDMulticast, "micro-switch"},
	{"plain-switch-overlap", codedsgd.SSGDMulticast, "micro-switch-overlap"},
}

// The sweep of Tcomm/Tcalc by the links' bandwidth: a grid, and one percent to both
// sides of the ends that C25 and C26 derive, 1.75, 5.25 and 10.5. After one quick run
// quick was cut for its time, here from 23 ratios to 12 and in iterationsOf from 4 to 2.
func sweepOf(profile string) []float64 {
	if profile == "quick" {
		return []float64{1, 1.7325, 1.7675, 3, 5.1975, 5.3025, 8, 10.395, 10.605, 16, 30, 50}
	}
	return pick(profile, []float64{5.1975, 5.3025},
		[]float64{0.5, 1, 1.5, 1.7325, 1.7675, 2, 3, 4, 5, 5.1975, 5.3025, 6, 7, 8, 9, 10, 10.395, 10.605, 12, 16, 20, 30, 50})
}

// iterationsOf is how many jittered iterations a profile's times are means over, per
// seed.
func iterationsOf(profile string) int {
	if profile == "quick" {
		return 2
	}
	return pick(profile, 1, timedIterations)
}

// byRedundancy holds seconds per batch by r − 1, one per seed.
type byRedundancy []kit.Sample

func (b byRedundancy) means() []float64 {
	return kit.Each(b, func(s kit.Sample) float64 { return meanOf(s) })
}

func (b byRedundancy) best() int { return bestOf(b.means()) }

func (b byRedundancy) least() float64 { return b.means()[b.best()-1] }

// bestOf returns the r with the least time, of equal ones the smallest.
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

// study holds what Figures 12 and 13 know of one network.
type study struct {
	Net      network
	Profile  string
	Timed    map[string]byRedundancy // by the keys of variants and plains
	Calc     float64                 // Tcalc, seconds
	Comm     float64                 // Tcomm of SSGD with unicasts, micro-blocks, links of the platform
	Ideal    []float64               // simulated by r − 1 without overlap, jitter, latencies and coding: one medium
	OnSwitch []float64               // the same on the switch
	Rivals   []rival
	Sweep    []sweepPoint
}

func (s *study) ratio() float64 { return s.Comm / s.Calc }

// judged holds the times of the variant that the claims are judged on.
func (s *study) judged() byRedundancy { return s.Timed[judged.Key] }

type rival struct {
	Key            string
	Exchange       exchange
	Medium, Switch float64 // seconds per batch, mean over seeds
	Load           float64 // gradient units of bytes sent, a multicast once
}

func rivalsOf() []rival {
	x := func(method string, whole bool) exchange {
		return exchange{Method: method, Redundancy: 1, Whole: whole, NoOverlap: true}
	}
	return []rival{
		{Key: "ssgd-unicast-micro", Exchange: x(codedsgd.SSGDUnicast, false)},
		{Key: "ssgd-multicast-micro", Exchange: x(codedsgd.SSGDMulticast, false)},
		{Key: "ssgd-unicast-whole", Exchange: x(codedsgd.SSGDUnicast, true)},
		{Key: "ssgd-multicast-whole", Exchange: x(codedsgd.SSGDMulticast, true)},
		{Key: "ring", Exchange: x(ringMethod, true)},
	}
}

// allRedundancies are 1 to 8: Figure 12's axis.
func allRedundancies() (rs []int) {
	for r := 1; r <= anchor; r++ {
		rs = append(rs, r)
	}
	return rs
}

// base returns a setting of the study. C(8,4) = 70 does not divide Q(8) = 56 of the other
// figures: here Q = 280, and five batches' samples are computed at once, so that a
// micro-block has as many samples as there. Times are per batch.
func base(net network, x exchange, shared bool) setting {
	s := setting{Net: net, Nodes: anchor, Exchange: x, Shared: shared}
	if !x.Whole {
		s.Micro = microBlocks(anchor, allRedundancies()...)
		s.Grow = s.Micro / qOf(anchor)
	}
	return s
}

type timer struct {
	ctx context.Context
	env exp.Env
	bar *exp.Bar
}

// seeds returns the seconds per batch of s by seed.
func (t *timer) seeds(s setting) (out kit.Sample, last iteration, err error) {
	for _, s.Seed = range t.env.Seeds {
		s.Steps = iterationsOf(t.env.Profile)
		if last, err = timeSetting(t.ctx, t.env, s); err != nil {
			return nil, last, err
		}
		out = append(out, last.Seconds)
	}
	return out, last, nil
}

func meanOf(x []float64) float64 {
	m, _ := exp.MeanAndHalf(x)
	return m
}

func (t *timer) byRedundancy(net network, method string, v variant) (byRedundancy, error) {
	out := make(byRedundancy, anchor)
	return out, kit.AtOnce(anchor, func(i int) (err error) {
		out[i], _, err = t.seeds(base(net, exchange{Method: method, Redundancy: i + 1, Whole: v.Whole, NoOverlap: !v.Overlap}, v.Shared))
		return err
	})
}

func (t *timer) study(net network) (s study, err error) {
	s = study{Net: net, Profile: t.env.Profile, Timed: map[string]byRedundancy{}}
	for _, v := range variants {
		if s.Timed[v.Key], err = t.byRedundancy(net, codedsgd.CSSGD, v); err != nil {
			return s, err
		}
		t.bar.Step(net.Title + ", " + v.Key)
	}
	if err := t.model(&s); err != nil {
		return s, err
	}
	t.bar.Step(net.Title + ", the time model")
	if s.Rivals, err = t.rivals(net); err != nil {
		return s, err
	}
	for _, p := range plains {
		if s.Timed[p.Key], err = t.byRedundancy(net, p.Method, variantsOf(p.Variant)[0]); err != nil {
			return s, err
		}
	}
	t.bar.Step(net.Title + ", the same without a code")
	for _, ratio := range sweepOf(t.env.Profile) {
		p, err := t.point(net, ratio, s.ratio())
		if err != nil {
			return s, err
		}
		s.Sweep = append(s.Sweep, p)
	}
	return s, nil
}

// model times what the time model is set beside: Tcalc and Tcomm, those of SSGD with
// unicasts of micro-blocks, and CSSGD where nothing else takes time.
func (t *timer) model(s *study) error {
	one := base(s.Net, exchange{Method: codedsgd.SSGDUnicast, Redundancy: 1, NoOverlap: true}, true)
	one.Ideal, one.Steps = true, 1
	it, err := timeSetting(t.ctx, t.env, one)
	if err != nil {
		return err
	}
	s.Calc, s.Comm = it.Compute, it.Seconds-it.Compute
	if !(s.Comm > 0) || math.IsInf(s.Comm, 0) {
		return fmt.Errorf("codedsgd: %s: SSGD's exchange takes %g s", s.Net.Key, s.Comm)
	}
	if s.Ideal, err = t.ideals(s.Net, false, true, s.ratio(), s.ratio()); err == nil {
		s.OnSwitch, err = t.ideals(s.Net, false, false, s.ratio(), s.ratio())
	}
	return err
}

// ideals returns the seconds of CSSGD by r − 1 at a ratio, where nothing takes time but
// computing and bytes; own is the platform's ratio.
func (t *timer) ideals(net network, whole, shared bool, ratio, own float64) ([]float64, error) {
	out := make([]float64, anchor)
	return out, kit.AtOnce(anchor, func(i int) error {
		s := base(net, exchange{Method: codedsgd.CSSGD, Redundancy: i + 1, Whole: whole, NoOverlap: true}, shared)
		if s.Ideal, s.Steps = true, 1; ratio != own {
			s.Link = own / ratio
		}
		it, err := timeSetting(t.ctx, t.env, s)
		out[i] = it.Seconds
		return err
	})
}

func (t *timer) rivals(net network) ([]rival, error) {
	out := rivalsOf()
	layers, _ := layersOf(net, anchor)
	for i := range out {
		x := &out[i]
		for _, shared := range []bool{true, false} {
			seconds, it, err := t.seeds(base(net, x.Exchange, shared))
			if err != nil {
				return nil, err
			}
			if x.Load = it.Bytes / float64(4*elements(layers)); shared {
				x.Medium = meanOf(seconds)
			} else {
				x.Switch = meanOf(seconds)
			}
		}
	}
	t.bar.Step(net.Title + ", the other methods")
	return out, nil
}

// point finds the best redundancies at one ratio.
func (t *timer) point(net network, ratio, own float64) (p sweepPoint, err error) {
	p.Ratio, p.Real = ratio, math.Sqrt(float64(anchor)/float64(anchor-1)*ratio)
	p.Exact, p.Short = forms[0].best(anchor, ratio), forms[1].best(anchor, ratio)
	for _, x := range []struct {
		whole, shared bool
		to            *int
	}{{false, true, &p.Medium}, {false, false, &p.Switch}, {true, true, &p.Whole}} {
		seconds, err := t.ideals(net, x.whole, x.shared, ratio, own)
		if err != nil {
			return p, err
		}
		*x.to = bestOf(seconds)
	}
	t.bar.Step(fmt.Sprintf("%s, Tcomm/Tcalc = %g", net.Title, ratio))
	return p, nil
}
