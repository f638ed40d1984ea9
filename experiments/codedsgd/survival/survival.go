package survival

import (
	"context"
	"math"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// point says whether trainings are made in earnest, or everything is timed.
type point struct{ Earnest bool }

// cells hold the measurements of a seed: all settings, or its trainings.
type cells struct {
	Settings map[string]cell
	trainings
}

// cell holds the measurements of a seed in a setting.
type cell struct {
	Calm  calm
	Daly  []int              // by the time between losses
	Ended []map[string]ended // likewise, by way
}

// Experiment asks what survival costs.
func Experiment() exp.Experiment {
	return kit.Study[point, cells]{ID: "codedsgd/survival", Source: "CSSGD, beyond the paper: redundancy against losses, beside checkpoints",
		Kind: result.TimingOnly, Profiles: profiles, Own: ownSeeds,
		Points: func(string) []point { return []point{{false}, {true}} },
		Cost: func(profile string, p point) (string, float64) {
			each := setup.Pick(profile, 0.3, 3.)
			return "codedsgd/survival", each
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planOf(profile), "judged": judged, "margin": margin, "disk_rate": diskRate, "disk_sync": diskSync,
				"latest": latest, "platform": kit.Platform(setup.Platform()), "network": setup.DNN}
		},
		Measure: measure, Show: show}.Experiment()
}

func measure(ctx context.Context, env exp.Env, at point, seed uint64) (c cells, err error) {
	p := planOf(env.Profile)
	if at.Earnest {
		c.trainings, err = p.train(ctx, env, seed)
		return c, err
	}
	key := []any{"codedsgd/survival", p, seed, kit.Platform(setup.Platform()), diskRate, diskSync, train.CodingRate}
	c.Settings, err = kit.Keep(ctx, env, key, func(string) (map[string]cell, error) { return p.finish(ctx, seed) })
	return c, err
}

// finish finishes all jobs of a seed in every way.
func (p plan) finish(ctx context.Context, seed uint64) (map[string]cell, error) {
	out, links, done := map[string]cell{}, map[float64]calm{}, &runs{}
	for _, s := range p.Settings {
		calm, ok := links[s.Link]
		if !ok {
			var err error
			if calm, err = p.calm(ctx, s, seed); err != nil {
				return nil, err
			}
			links[s.Link] = calm
		}
		c := cell{calm, make([]int, len(p.Between)), make([]map[string]ended, len(p.Between))}
		err := kit.AtOnce(len(p.Between), func(i int) (err error) {
			j := job{plan: p, setting: s, seed: seed, calm: calm, runs: done}
			j.between = j.share(p.Between[i])
			c.Daly[i] = j.daly()
			c.Ended[i], err = j.all(ctx)
			return err
		})
		if err != nil {
			return nil, err
		}
		out[s.Key] = c
	}
	return out, nil
}

// times returns how long a way took in a cell, in T0.
func times(cells []cell, at int, way string) (out kit.Times) {
	for _, c := range cells {
		e := c.Ended[at][way]
		out = append(out, kit.Time{At: float64(e.Took) / float64(c.Calm.Ring.whole()), Beyond: e.Beyond})
	}
	return out
}

// mean returns the mean of some number of a way's ends.
func mean(cells []cell, at int, way string, of func(cell, ended) float64) kit.Estimate {
	return kit.Each(cells, func(c cell) float64 { return of(c, c.Ended[at][way]) }).Mean()
}

// share returns how many of a way's runs, in per cent, are so.
func share(cells []cell, at int, way string, is func(ended) bool) float64 {
	return kit.ShareOf(kit.CountIf(cells, func(c cell) bool { return is(c.Ended[at][way]) }), len(cells))
}

// took returns the mean time with its interval; without one where a run had not ended by the cap, which bounds it, and
// nothing where none had.
func took(t kit.Times) kit.Estimate {
	e := t.Bounds().Mean()
	if t.Missed() == len(t) {
		return kit.Estimate{}
	}
	if t.Missed() > 0 {
		e.CI = nil
	}
	return e
}

// sameBits reports whether a run that has ended has the undisturbed one's bits. Coded SGD's are compared in earnest
// (bitsFrame); a run from a checkpoint or anew repeats the same computations on as many nodes; a ring of fewer nodes
// sums in another order.
func sameBits(way string, e ended) bool {
	if way == elastic || way == takeover {
		return !e.Beyond && e.Kept
	}
	return !e.Beyond
}

// compared returns how r compares with a rival in a cell, and on which side of 1 that lies, with all of the plan's
// comparisons at once.
func (p plan) compared(cells []cell, at, r int, rival string) (kit.Estimate, string) {
	t, base := times(cells, at, coded(r)), times(cells, at, rival)
	e := t.OverOf(base, p.comparisons())
	switch {
	case len(t) < 2:
		return e, "alone"
	case t.Missed()+base.Missed() > 0:
		return e, t.Beside(base).AgainstOf(p.comparisons())
	}
	return e, e.Against(1)
}

// answer sums up a cell: yes if one r is sooner, no if all are later.
func answer(sides []string) string {
	later := 0
	for _, s := range sides {
		switch s {
		case "below":
			return "yes"
		case "above":
			later++
		case "alone":
			return "alone"
		}
	}
	if later == len(sides) {
		return "no"
	}
	return "cannot"
}

// rivals lists the questions' rivals by the questions' keys.
var rivals = []struct{ Key, Way string }{{"redundancy", coded(1)}, {"anew", anew}, {"checkpoint", checkpoint}, {"takeover", takeover}}

// first returns the chance that a run of some updates ends before as many of n nodes are lost as ticks has numbers. An
// update takes ticks[k], in mean times between losses of n nodes, when k are lost. One in which a node is lost is made
// again: with k lost an update ends with the chance
//
//	q_k = e^(−(n−k)/n·ticks[k])
//
// Source: ours: lives are exponential, so that only the number of the living matters
func first(n, updates int, ticks []float64) (sum float64) {
	at := make([]float64, len(ticks)+1) // by the lost
	at[0] = 1
	for range updates {
		for k, tick := range ticks {
			ends := float64(at[k] * math.Exp(-float64(n-k)/float64(n)*tick))
			at[k], at[k+1] = ends, at[k+1]+(at[k]-ends)
		}
	}
	for _, p := range at[:len(ticks)] {
		sum += p
	}
	return sum
}

// breakEven returns the restart, in T0, from which checkpoints cost as much as computing in slower T0 without one, both
// with m between losses and to first order: a checkpoint costs √(2w/m), and each of 1/m losses a restart and a notice.
//
//	m·(slower − 1 − √(2w/m)) − notice
//
// It leaves out that redundancy too may begin anew, and is so in its favour.
func breakEven(slower, w, m, notice float64) float64 {
	work := slower - 1 - math.Sqrt(2*w/m)
	return max(float64(m*work)-notice, 0)
}
