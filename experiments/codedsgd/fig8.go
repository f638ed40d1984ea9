package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig8 is the DNN's time to the target over the number of nodes.
func fig8() exp.Experiment {
	return timeToTarget("fig8", "Fig. 8", dnn, func(_ *school, c course) ([]result.Claim, error) {
		return []result.Claim{judgeFaster(c.on), judgeMulticast(c.on)}, nil
	})
}

// timeToTarget is Fig. 8 or 10: SSGD with unicast and with multicast, CSSGD with
// r = 2 and r = 3.
func timeToTarget(id, source string, net network, judge func(*school, course) ([]result.Claim, error)) exp.Experiment {
	return figure{id: id, title: "Time to the benchmark accuracy, " + net.Title, source: source, nets: []network{net}, depth: toTarget,
		fill: func(s *school, res *result.Result, cs []course) (err error) {
			c := cs[0]
			if res.Claims, err = judge(s, c); err != nil {
				return err
			}
			for _, v := range grounds {
				if v.Key == judged.Key || v.Key == ethernet.Key {
					res.Figures = append(res.Figures, c.timeFigure(v))
				}
				res.Figures = append(res.Figures, c.shareFigure(v))
				res.Tables = append(res.Tables, c.timeTable(v))
			}
			res.Tables = append(res.Tables, c.whole.table())
			res.Notes = c.timeNotes(source)
			return nil
		}}.experiment()
}
