package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig11 is the CNN's traffic to the target over the number of nodes, and the claim on
// both networks' traffic: of the DNN it needs an iteration's bytes alone, for all
// methods make the same updates.
func fig11() exp.Experiment {
	return traffic("fig11", "Fig. 11", cnn, func(s *school, c course) ([]result.Claim, error) {
		all := append([]crossing{}, c.on...)
		for _, n := range schoolingOf(s.env.Profile, dnn).Nodes {
			on, err := s.crossing(dnn, n)
			if err != nil {
				return nil, err
			}
			all = append(all, on)
		}
		return []result.Claim{judgeLess(all)}, nil
	})
}
