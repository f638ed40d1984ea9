package codedsgd

import "gradsync/experiments/exp"

// fig5 is the CNN's accuracy over time under the three algorithms.
func fig5() exp.Experiment { return accuracyOverTime("fig5", "Fig. 5", cnn) }
