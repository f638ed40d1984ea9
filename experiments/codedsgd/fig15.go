package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig15 sets the three algorithms side by side over the number of nodes, for the CNN.
func fig15() exp.Experiment {
	return threeAlgorithms("fig15", "Fig. 15", cnn, func(_ *school, c course) []result.Claim {
		differs := c.differs()
		return []result.Claim{judgeSSGD("C04", c.on, differs), judgeSSGD("C05", c.on, differs), judgeASGD("C06", c)}
	})
}
