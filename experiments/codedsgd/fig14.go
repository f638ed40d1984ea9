package codedsgd

import (
	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// fig14 sets the three algorithms side by side over the number of nodes, for the DNN.
func fig14() exp.Experiment {
	return threeAlgorithms("fig14", "Fig. 14", dnn, func(c course) []result.Claim {
		differs := c.differs()
		return []result.Claim{judgeSSGD("C01", c.on, differs), judgeASGD("C02", c), judgeASGD("C03", c),
			claims.Judge("C12", claims.Evidence{Value: len(c.asgd), Note: "runs of ASGD on each number of nodes, each with its own seed"}),
			judgeScaling(c.on, dnn, c.rate)}
	})
}

// threeAlgorithms is Fig. 14 or 15: ASGD, SSGD Multicast and CSSGD at its best
// redundancy.
func threeAlgorithms(id, source string, net network, judge func(course) []result.Claim) exp.Experiment {
	return figure{id: id, title: "ASGD, SSGD and CSSGD at its best redundancy, " + net.Title, source: source, nets: []network{net}, depth: toRace,
		fill: func(_ *school, res *result.Result, cs []course) error {
			c := cs[0]
			res.Claims = judge(c)
			for _, v := range grounds {
				res.Tables = append(res.Tables, c.raceTable(v))
				res.Figures = append(res.Figures, c.raceFigure(v))
			}
			res.Tables = append(res.Tables, c.savingsTable(), c.asgdTable())
			res.Notes = c.raceNotes(source)
			return nil
		}}.experiment()
}
