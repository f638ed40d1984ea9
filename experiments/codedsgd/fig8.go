package codedsgd

import (
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fig8 and fig10 are the time to the target over the number of nodes.
func fig8() exp.Experiment {
	return timeToTarget("fig8", "Fig. 8", dnn, func(_ *trainer, s *sweep) ([]result.Claim, error) {
		return []result.Claim{judgeFaster(s.on), judgeMulticast(s.on)}, nil
	})
}

func fig10() exp.Experiment {
	return timeToTarget("fig10", "Fig. 10", cnn, func(t *trainer, s *sweep) ([]result.Claim, error) {
		dnns, err := t.timings(dnn)
		if err != nil {
			return nil, err
		}
		return []result.Claim{judgeMatters(dnns, s.on)}, nil
	})
}

// timings times a network's exchanges alone, without its training.
func (t *trainer) timings(net network) (out []timing, err error) {
	for _, n := range trainingOf(t.env.Profile, net).Nodes {
		on, err := t.timing(net, n)
		if err != nil {
			return nil, err
		}
		out = append(out, on)
	}
	return out, nil
}

// timeToTarget is Fig. 8 or 10: SSGD with unicast and with multicast, CSSGD with
// r = 2 and r = 3.
func timeToTarget(id, source string, net network, judge func(*trainer, *sweep) ([]result.Claim, error)) exp.Experiment {
	return figure{id: id, source: source, nets: []network{net}, depth: toTarget,
		show: func(t *trainer, r *result.Result, all []sweep) (err error) {
			s := &all[0]
			if r.Claims, err = judge(t, s); err != nil {
				return err
			}
			r.Facts = append(s.facts(), switchFacts(s.on)...)
			r.Frames = []result.Frame{s.timeFrame(), s.soonerFrame(), betterFrame(s.on), meansFrame(s.on, secondsIn, multicast, unicast),
				loadFrame(s.on), s.wholeFrame()}
			for _, v := range fourVariants {
				f := result.Figure{Form: "line", Frame: "time", Where: map[string]any{"setting": v.Key}, X: "nodes", By: []string{"method"}, Log: "y"}
				if v.Key == judged.Key || v.Key == ethernet.Key {
					f.ID, f.Y = "times-"+v.Key, []string{"seconds"}
					r.Figures = append(r.Figures, f)
				}
				f.ID, f.Y = "share-"+v.Key, []string{"share"}
				r.Figures = append(r.Figures, f)
			}
			return nil
		}}.experiment()
}

// methodAt is a method on a number of nodes, in a variant.
type methodAt struct {
	i  int // place of the number of nodes
	on timing
	v  variant
	x  exchange
}

func (s *sweep) methodsAt(variants []variant) (out []methodAt) {
	for _, v := range variants {
		for i, on := range s.on {
			for _, x := range compared(on.Nodes) {
				out = append(out, methodAt{i, on, v, x})
			}
		}
	}
	return out
}

func (m methodAt) it() iteration                { return m.on.Of[m.v.Key][m.x] }
func (m methodAt) of(rival exchange) iteration  { return m.on.Of[m.v.Key][rival] }
func (m methodAt) idle() bool                   { return m.x.Redundancy == m.on.Nodes }
func (m methodAt) saved(rival exchange) float64 { return saved(m.it().Seconds, m.of(rival).Seconds) }

// timeFrame has a row for each variant, number of nodes and method.
func (s *sweep) timeFrame() result.Frame {
	return kit.Frame("time", s.methodsAt(fourVariants), kit.Word("setting", "setting", func(m methodAt) string { return m.v.Key }),
		kit.Count("nodes", "", func(m methodAt) int { return m.on.Nodes }), kit.Word("method", "method", func(m methodAt) string { return m.x.key() }),
		kit.Num("iteration", "ms", 1, func(m methodAt) float64 { return 1e3 * m.it().Seconds }),
		kit.Num("compute", "ms", 1, func(m methodAt) float64 { return 1e3 * m.it().Compute }),
		kit.Half("updates", "", 1, func(m methodAt) kit.Estimate { return sampleOf(s.updates[m.i]).Mean() }),
		kit.Num("seconds", "s", 3, func(m methodAt) float64 { return meanOf(s.updates[m.i]) * m.it().Seconds }),
		kit.Num("saved_multicast", "%", 1, func(m methodAt) float64 { return m.saved(multicast) }),
		kit.Num("saved_unicast", "%", 1, func(m methodAt) float64 { return m.saved(unicast) }),
		kit.Num("share", "", 3, func(m methodAt) float64 { return m.it().Seconds / m.of(multicast).Seconds }),
		kit.Flag("idle", func(m methodAt) bool { return m.idle() }),
		kit.Count("missed", "", func(m methodAt) int { return missing(s.updates[m.i]) }))
}

// soonerFrame holds where CSSGD is sooner than either SSGD.
func (s *sweep) soonerFrame() result.Frame {
	var rows []belowRow
	for _, v := range fourVariants {
		for _, rival := range []exchange{multicast, unicast} {
			rows = append(rows, belowRows(s.on, v, rival.key(), rival, secondsIn)...)
		}
	}
	return belowFrame("sooner", "rival", "method", rows, kit.Word("setting", "setting", func(b belowRow) string { return b.v.Key }))
}

// missing counts the runs that do not reach the target.
func missing(x []float64) (n int) {
	for _, v := range x {
		if math.IsNaN(v) {
			n++
		}
	}
	return n
}
