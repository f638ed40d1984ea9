package codedsgd

import "gradsync/experiments/exp"

// fig7 is the choice of the CNN's benchmark accuracy.
func fig7() exp.Experiment { return benchmark("fig7", "Fig. 7", "C08", cnn) }
