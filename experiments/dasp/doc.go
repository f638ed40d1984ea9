// Package dasp regenerates the tables and figures of the DASP paper, one file
// each, and the two choices the paper leaves open: thresholds and learning
// rate.
//
// Timing-only tables (table4, table5, thresholds) send the same messages and
// take the same decisions as a training, at the papers' full model sizes,
// without the arithmetic. The others train LeNet-5 with real gradients on
// virtual time.
package dasp
