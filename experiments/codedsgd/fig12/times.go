package fig12

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/papers/codedsgd"
)

// Figures 12 and 13 are one experiment on two networks: time per batch against r at 8
// nodes. Everything in this file was fixed before the first run, and so was how it is
// judged, in fig12.go; on what stands without a code no claim is judged.

// uncoded is a way without a code: each block's gradient goes whole from its first holder
// to all nodes that lack it.
type uncoded struct {
	Key     string `json:"key"`
	Method  string `json:"method"`
	Variant string `json:"variant"` // the variant that it is set beside
}

// uncodedWays are all such ways. Unicasts on a switch are left out: the first holders' links, which
// are the same few, would decide the time.
var uncodedWays = []uncoded{
	{"plain-medium", codedsgd.SSGDMulticast, "micro-medium"},
	{"plain-medium-unicast", codedsgd.SSGDUnicast, "micro-medium"},
	{"plain-switch", codedsgd.SSGDMulticast, "micro-switch"},
	{"plain-switch-overlap", codedsgd.SSGDMulticast, "micro-switch-overlap"},
}

// ratiosOf lists the ratios Tcomm/Tcalc, set by the links' bandwidth: a grid, and one percent to both
// sides of the ends that C25 and C26 derive, 1.75, 5.25 and 10.5. After one quick run
// quick was cut for its time, here from 23 ratios to 12 and in iterationsOf from 4 to 2.
func ratiosOf(profile string) []float64 {
	if profile == "quick" {
		return []float64{1, 1.7325, 1.7675, 3, 5.1975, 5.3025, 8, 10.395, 10.605, 16, 30, 50}
	}
	return setup.Pick(profile, []float64{5.1975, 5.3025},
		[]float64{0.5, 1, 1.5, 1.7325, 1.7675, 2, 3, 4, 5, 5.1975, 5.3025, 6, 7, 8, 9, 10, 10.395, 10.605, 12, 16, 20, 30, 50})
}

// iterationsOf returns over how many jittered iterations a profile's times are means, per
// seed.
func iterationsOf(profile string) int {
	if profile == "quick" {
		return 2
	}
	return setup.Pick(profile, 1, timing.Iterations)
}

// byRedundancy holds seconds per batch by r − 1, one per seed.
type byRedundancy []kit.Sample

func (b byRedundancy) means() []float64 {
	return kit.Each(b, func(s kit.Sample) float64 { return stat.Mean(s, nil) })
}

func (b byRedundancy) best() int { return timing.BestOf(b.means()) }

// bests returns the best r of each seed's own times.
func (b byRedundancy) bests() kit.Sample {
	out := make(kit.Sample, len(b[0]))
	for i := range out {
		out[i] = float64(timing.BestOf(kit.Each(b, func(seconds kit.Sample) float64 { return seconds[i] })))
	}
	return out
}

func (b byRedundancy) least() float64 { return b.means()[b.best()-1] }

// ratioPoint is one ratio's best redundancies, where nothing takes time but computing
// and bytes.
type ratioPoint struct {
	Ratio                 float64
	Medium, Switch, Whole int     // simulated
	Exact, Short          int     // by the model
	Real                  float64 // √(n/(n−1)·ρ)
}

// networkTimes holds all times of one network.
type networkTimes struct {
	Net      setup.Network
	Profile  string
	Timed    map[string]byRedundancy // by the keys of timing.Variants and uncodedWays
	Calc     float64                 // Tcalc, seconds
	Comm     float64                 // Tcomm of SSGD with unicasts, micro-blocks, links of the platform
	Ideal    []float64               // simulated by r − 1 without overlap, jitter, latencies and coding: one medium
	OnSwitch []float64               // the same on the switch
	Rivals   []otherMethod
	Sweep    []ratioPoint
}

func (s *networkTimes) ratio() float64 { return s.Comm / s.Calc }

// judged holds the times of the variant that the claims are judged on.
func (s *networkTimes) judged() byRedundancy { return s.Timed[timing.Judged.Key] }

// otherMethod is a method beside which CSSGD is set.
type otherMethod struct {
	Key            string
	Exchange       timing.Exchange
	Medium, Switch float64 // seconds per batch, mean over seeds
	Load           float64 // gradient units of bytes sent, a multicast once
}

func otherMethods() []otherMethod {
	x := func(method string, whole bool) timing.Exchange {
		return timing.Exchange{Method: method, Redundancy: 1, Whole: whole, NoOverlap: true}
	}
	return []otherMethod{
		{Key: "ssgd-unicast-micro", Exchange: x(codedsgd.SSGDUnicast, false)},
		{Key: "ssgd-multicast-micro", Exchange: x(codedsgd.SSGDMulticast, false)},
		{Key: "ssgd-unicast-whole", Exchange: x(codedsgd.SSGDUnicast, true)},
		{Key: "ssgd-multicast-whole", Exchange: x(codedsgd.SSGDMulticast, true)},
		{Key: "ring", Exchange: x(timing.Ring, true)},
	}
}

// timer times the settings of one command.
type timer struct {
	ctx context.Context
	env exp.Env
	bar *exp.Bar
}

// seeds returns the seconds per batch of s by seed.
func (t *timer) seeds(s timing.Config) (out kit.Sample, last timing.Iteration, err error) {
	for _, s.Seed = range t.env.Seeds {
		s.Steps = iterationsOf(t.env.Profile)
		if last, err = timing.Run(t.ctx, t.env, s); err != nil {
			return nil, last, err
		}
		out = append(out, last.Seconds)
	}
	return out, last, nil
}

func (t *timer) byRedundancy(net setup.Network, method string, v timing.Variant) (byRedundancy, error) {
	out := make(byRedundancy, setup.Anchor)
	return out, kit.AtOnce(setup.Anchor, func(i int) (err error) {
		out[i], _, err = t.seeds(timing.Anchored(net, timing.Exchange{Method: method, Redundancy: i + 1, Whole: v.Whole, NoOverlap: !v.Overlap}, v.Shared))
		return err
	})
}

func (t *timer) network(net setup.Network) (s networkTimes, err error) {
	s = networkTimes{Net: net, Profile: t.env.Profile, Timed: map[string]byRedundancy{}}
	for _, v := range timing.Variants {
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
	for _, p := range uncodedWays {
		if s.Timed[p.Key], err = t.byRedundancy(net, p.Method, timing.VariantOf(p.Variant)); err != nil {
			return s, err
		}
	}
	t.bar.Step(net.Title + ", the same without a code")
	for _, ratio := range ratiosOf(t.env.Profile) {
		p, err := t.point(net, ratio, s.ratio())
		if err != nil {
			return s, err
		}
		s.Sweep = append(s.Sweep, p)
	}
	return s, nil
}

// model times what the time model is set beside: Tcalc and Tcomm of SSGD with unicasts of
// micro-blocks, and CSSGD where nothing else takes time.
func (t *timer) model(s *networkTimes) error {
	one := timing.Anchored(s.Net, timing.Exchange{Method: codedsgd.SSGDUnicast, Redundancy: 1, NoOverlap: true}, true)
	one.Ideal, one.Steps = true, 1
	it, err := timing.Run(t.ctx, t.env, one)
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
func (t *timer) ideals(net setup.Network, whole, shared bool, ratio, own float64) ([]float64, error) {
	out := make([]float64, setup.Anchor)
	return out, kit.AtOnce(setup.Anchor, func(i int) error {
		s := timing.Anchored(net, timing.Exchange{Method: codedsgd.CSSGD, Redundancy: i + 1, Whole: whole, NoOverlap: true}, shared)
		if s.Ideal, s.Steps = true, 1; ratio != own {
			s.Link = own / ratio
		}
		it, err := timing.Run(t.ctx, t.env, s)
		out[i] = it.Seconds
		return err
	})
}

func (t *timer) rivals(net setup.Network) ([]otherMethod, error) {
	out := otherMethods()
	layers, _ := timing.Layers(net, setup.Anchor)
	for i := range out {
		x := &out[i]
		for _, shared := range []bool{true, false} {
			seconds, it, err := t.seeds(timing.Anchored(net, x.Exchange, shared))
			if err != nil {
				return nil, err
			}
			if x.Load = it.Bytes / float64(4*timing.Elements(layers)); shared {
				x.Medium = stat.Mean(seconds, nil)
			} else {
				x.Switch = stat.Mean(seconds, nil)
			}
		}
	}
	t.bar.Step(net.Title + ", the other methods")
	return out, nil
}

// point finds the best redundancies at one ratio.
func (t *timer) point(net setup.Network, ratio, own float64) (p ratioPoint, err error) {
	p.Ratio, p.Real = ratio, math.Sqrt(float64(setup.Anchor)/float64(setup.Anchor-1)*ratio)
	p.Exact, p.Short = timing.Exact.Best(setup.Anchor, ratio), timing.Short.Best(setup.Anchor, ratio)
	for _, x := range []struct {
		whole, shared bool
		to            *int
	}{{false, true, &p.Medium}, {false, false, &p.Switch}, {true, true, &p.Whole}} {
		seconds, err := t.ideals(net, x.whole, x.shared, ratio, own)
		if err != nil {
			return p, err
		}
		*x.to = timing.BestOf(seconds)
	}
	t.bar.Step(fmt.Sprintf("%s, Tcomm/Tcalc = %g", net.Title, ratio))
	return p, nil
}
