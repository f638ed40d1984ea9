package codedsgd

import (
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// fig13 is the CNN's time per batch against the redundancy.
func fig13() exp.Experiment {
	return redundancyStudy("codedsgd/fig13", "Redundancy and the time of a batch, CNN", "CSSGD, Fig. 13", cnn, bestCNN,
		func(_ *studies, s *study) ([]result.Claim, error) {
			return []result.Claim{judgeBest("C11", s), judgeRange("C26", bestCNN, s)}, nil
		})
}
