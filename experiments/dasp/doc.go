// Package dasp regenerates the tables and figures of the DASP paper, and what the paper
// leaves open: trainings.go has the convergence times and accuracy curves (Tables 6 and 7,
// Figs. 3 and 4), timing.go the iteration times (Tables 4 and 5), timelines.go Fig. 2,
// stated.go the assumptions in place of the lost Tables 1 to 3, choices.go thresholds,
// learning rates and floors. The others are inquiries of our own.
//
// Timing-only tables send the same messages and take the same decisions as a training, at
// the papers' full model sizes, without the arithmetic. Trainings keep the full networks'
// clock and compute the gradients of networks that two cores can train.
package dasp
