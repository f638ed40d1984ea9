package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig10 is the CNN's time to the target over the number of nodes.
func fig10() exp.Experiment {
	return timeToTarget("fig10", "Fig. 10", cnn, func(s *school, c course) ([]result.Claim, error) {
		var other []crossing // the DNN's, which are timed alone
		for _, n := range schoolingOf(s.env.Profile, dnn).Nodes {
			on, err := s.crossing(dnn, n)
			if err != nil {
				return nil, err
			}
			other = append(other, on)
		}
		return []result.Claim{judgeMatters(other, c.on)}, nil
	})
}
