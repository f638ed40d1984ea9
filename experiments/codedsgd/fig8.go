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
			r.Facts = append(s.facts(), kit.Facts("switch.mean/%.1", meanSaved(s.on, multicast, switched))...)
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

// timeFrame has a row for each variant, number of nodes and method.
func (s *sweep) timeFrame() result.Frame {
	f := kit.NewSheet("time", "setting:setting nodes method:method iteration/ms.1 compute/ms.1 updates±/.1 seconds/s.3 "+
		"saved_multicast/%.1 saved_unicast/%.1 share/.3 idle missed")
	for _, v := range fourVariants {
		for i, on := range s.on {
			of, updates := on.Of[v.Key], s.updates[i]
			for _, x := range compared(on.Nodes) {
				t := of[x].Seconds
				f.Add(v.Key, on.Nodes, x.key(), 1e3*t, 1e3*of[x].Compute, sampleOf(updates).Mean(), meanOf(updates)*t,
					saved(t, of[multicast].Seconds), saved(t, of[unicast].Seconds), t/of[multicast].Seconds, x.Redundancy == on.Nodes, missing(updates))
			}
		}
	}
	return f.Frame
}

// soonerFrame holds where CSSGD is sooner than either SSGD.
func (s *sweep) soonerFrame() result.Frame {
	f := kit.NewSheet("sooner", "setting:setting rival:method method:method nodes")
	for _, v := range fourVariants {
		for _, rival := range []exchange{multicast, unicast} {
			addBelow(f, s.on, v, rival, secondsIn, v.Key, rival.key())
		}
	}
	return f.Frame
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
