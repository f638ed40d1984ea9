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
			r.Facts = append(s.facts(), kit.Counted("idle", "", idle))
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
	gigabytes := func(m methodAt, bytes float64) float64 { return meanOf(s.updates[m.i]) * bytes / 1e9 }
	return kit.Frame("traffic", s.methodsAt([]variant{judged, ethernet}), kit.Word("messages", "messages", func(m methodAt) string { return messageOf(m.v) }),
		kit.Count("nodes", "", func(m methodAt) int { return m.on.Nodes }), kit.Word("method", "method", func(m methodAt) string { return m.x.key() }),
		kit.Num("updates", "", 1, func(m methodAt) float64 { return meanOf(s.updates[m.i]) }),
		kit.Num("packets", "", kit.AsIs, func(m methodAt) float64 { return m.it().Packets }),
		kit.Num("once", "GB", 3, func(m methodAt) float64 { return gigabytes(m, m.it().Bytes) }),
		kit.Num("receivers", "GB", 3, func(m methodAt) float64 { return gigabytes(m, m.it().Delivered) }),
		kit.Num("of_multicast", "%", 1, func(m methodAt) float64 { return 100 * m.it().Bytes / m.of(multicast).Bytes }),
		kit.Num("of_receivers", "%", 1, func(m methodAt) float64 { return 100 * m.it().Bytes / m.of(multicast).Delivered }),
		kit.Flag("idle", func(m methodAt) bool { return m.idle() }),
		kit.Count("missed", "", func(m methodAt) int { return missing(s.updates[m.i]) }))
}

// lessFrame holds where CSSGD sends less than SSGD Multicast, by how bytes are counted.
func (s *sweep) lessFrame() result.Frame {
	var rows []belowRow
	for _, v := range []variant{judged, ethernet} {
		rows = append(append(rows, belowRows(s.on, v, "once", multicast, bytesIn)...),
			belowRows(s.on, v, "receivers", multicast, func(it iteration) float64 { return it.Delivered })...)
	}
	return belowFrame("less", "counted", "counted", rows, kit.Word("messages", "messages", func(b belowRow) string { return messageOf(b.v) }))
}
