package codedsgd

import (
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// fig9 and fig11 are the traffic to the target over the number of nodes.
func fig9() exp.Experiment {
	return traffic("fig9", "Fig. 9", dnn, func(*trainer, *sweep) ([]result.Claim, error) { return nil, nil })
}

// fig11 has the claim on both networks' traffic: of the DNN it needs an iteration's
// bytes alone, for all methods make the same updates.
func fig11() exp.Experiment {
	return traffic("fig11", "Fig. 11", cnn, func(t *trainer, s *sweep) ([]result.Claim, error) {
		dnns, err := t.timings(dnn)
		if err != nil {
			return nil, err
		}
		return []result.Claim{judgeLess(sameNet{cnn.Model, s.on}, sameNet{dnn.Model, dnns})}, nil
	})
}

// messageOf returns the message model of a variant, a key of the enumeration messages:
// bytes do not depend on what carries them.
func messageOf(v variant) string {
	if v.Whole {
		return "whole"
	}
	return "micro"
}

// traffic is Fig. 9 or 11: bytes until the target, of all nodes together.
func traffic(id, source string, net network, judge func(*trainer, *sweep) ([]result.Claim, error)) exp.Experiment {
	return figure{id: id, source: source, nets: []network{net}, depth: toTarget,
		show: func(t *trainer, r *result.Result, all []sweep) (err error) {
			s := &all[0]
			if r.Claims, err = judge(t, s); err != nil {
				return err
			}
			idle := 0 // points with r = n, where nothing is sent
			for _, c := range s.on {
				if slices.Contains(redundancies, c.Nodes) {
					idle++
				}
			}
			r.Facts = append(s.facts(), kit.Facts("idle", idle)...)
			r.Frames = []result.Frame{s.trafficFrame(), s.lessFrame(), meansFrame(s.on, bytesIn, multicast)}
			for _, model := range []string{"micro", "whole"} {
				for _, y := range []string{"once", "receivers"} {
					r.Figures = append(r.Figures, result.Figure{ID: "traffic-" + model + "-" + y, Form: "line", Frame: "traffic",
						Where: map[string]any{"messages": model, "idle": false}, X: "nodes", Y: []string{y}, By: []string{"method"}, Log: "y"})
				}
			}
			return nil
		}}.experiment()
}

// trafficFrame has a row for each message model, number of nodes and method.
func (s *sweep) trafficFrame() result.Frame {
	f := kit.NewSheet("traffic", "messages:messages nodes method:method updates/.1 packets once/GB.3 receivers/GB.3 of_multicast/%.1 of_receivers/%.1 idle missed")
	for _, v := range []variant{judged, ethernet} {
		for i, on := range s.on {
			updates, plain := meanOf(s.updates[i]), on.Of[v.Key][multicast]
			for _, x := range compared(on.Nodes) {
				it := on.Of[v.Key][x]
				f.Add(messageOf(v), on.Nodes, x.key(), updates, it.Packets, updates*it.Bytes/1e9, updates*it.Delivered/1e9,
					100*it.Bytes/plain.Bytes, 100*it.Bytes/plain.Delivered, x.Redundancy == on.Nodes, missing(s.updates[i]))
			}
		}
	}
	return f.Frame
}

// lessFrame holds where CSSGD sends less than SSGD Multicast, by how bytes are counted.
func (s *sweep) lessFrame() result.Frame {
	f := kit.NewSheet("less", "messages:messages counted:counted method:method nodes")
	for _, v := range []variant{judged, ethernet} {
		addBelow(f, s.on, v, multicast, bytesIn, messageOf(v), "once")
		addBelow(f, s.on, v, multicast, func(it iteration) float64 { return it.Delivered }, messageOf(v), "receivers")
	}
	return f.Frame
}
