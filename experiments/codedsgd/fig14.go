package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig14 sets the three algorithms side by side over the number of nodes, for the DNN.
func fig14() exp.Experiment {
	return threeAlgorithms("fig14", "Fig. 14", dnn, func(s *school, c course) []result.Claim {
		differs := c.differs()
		return []result.Claim{judgeSSGD("C01", c.on, differs), judgeASGD("C02", c), judgeASGD("C03", c),
			judgeRuns(s.env.Profile, s.env.Seeds), judgeScaling(c.on, dnn, c.rate, c.growth())}
	})
}

// threeAlgorithms is Fig. 14 or 15: ASGD, SSGD Multicast and CSSGD at the better of
// r = 2 and 3.
func threeAlgorithms(id, source string, net network, judge func(*school, course) []result.Claim) exp.Experiment {
	return figure{id: id, title: "ASGD, SSGD and CSSGD at the better of r = 2 and 3, " + net.Title, source: source, nets: []network{net}, depth: toRace,
		fill: func(s *school, res *result.Result, cs []course) error {
			c := cs[0]
			res.Claims = judge(s, c)
			for _, v := range grounds {
				res.Tables = append(res.Tables, c.raceTable(v))
				res.Figures = append(res.Figures, c.raceFigure(v))
			}
			res.Tables = append(res.Tables, c.savingsTable(), c.asgdTable())
			res.Notes = c.raceNotes(source)
			return nil
		}}.experiment()
}
