package compare

import (
	"fmt"

	result "gradsync/experiments/result1"
)

// ruleTable states what was held equal and what could not be.
func (s *study) ruleTable() result.Table {
	t := result.Table{ID: "rules", Title: "What is equal, and what cannot be", Kind: result.Stated,
		Caption: "Fixed before the first run of two methods beside each other, but for what a row says was changed after looking: the coding charged, and the times of synchronous methods.",
		Columns: []result.Column{{Key: "what", Title: "what"}, {Key: "rule", Title: "rule"}}}
	w := s.Grounds[0].Platform.Workers
	speeds := fmt.Sprintf("%.3g", w[0].FLOPS/1e9)
	if last := w[len(w)-1]; last.FLOPS != w[0].FLOPS {
		speeds += fmt.Sprintf(" to %.3g", last.FLOPS/1e9)
	}
	for _, r := range [][2]string{
		{"network and data", "LeNet-5 without batch norm (their statistics would differ with the size of a block), " + s.Data.Name + ", the same first parameters for a seed"},
		{"cluster", fmt.Sprintf("%s, CPU nodes of %s GFLOP/s with 5 %% jitter, links of %g and %g Gb/s, full duplex, one switch; a server of the same link for BSP, ASP, SSP, DSSP, DASP, ASGD, a seventh machine that the others do not have",
			clusterTitle[s.Set], speeds, links[0], links[1])},
		{"multicast", "assumed: the switch copies a multicast to its receivers, so that it leaves its sender once; every receiver still takes it in over its own link"},
		{"samples per update", fmt.Sprintf("synchronous: N·b = %d per update; asynchronous: b = %d per gradient with weight 1/N, so that N gradients are worth one synchronous update; DASP's groups K·b with 1/K. All runs use %d gradients of b samples", workers*s.Size.Batch, s.Size.Batch, s.Size.Gradients)},
		{"learning rate", fmt.Sprintf("%g for all, times the mean gradient; found under BSP alone (dasp/tuning), which may favour synchronous methods; no momentum", s.Size.Rate)},
		{"which samples", "BSP, the other methods of the server, naive, ring and RingSparse: every worker from its own sixth of the set. Methods of coded SGD: consecutive pieces of one order of the whole set, because several nodes hold a block. The same set, other batches: coded SGD's curves differ from BSP's by chance alone"},
		{"redundancy", "CSSGD and sums of redundant blocks, r = 2, compute every sample twice, and pay for it; with six nodes the latter codes nothing (its depth t is 1): it is CSSGD's data with sums in place of coding"},
		{"coding", "coded SGD's quantising, adding and subtracting of int32 pass at 2 GB/s, RingSparse's counting and packing at the rates of platform sparse32; both assumed. Methods that code nothing (SSGD; sums of redundant blocks at t = 1) are charged none, as they could send floats, as many bytes. Changed after a run of profile quick: a first version charged them too, which decided all that SSGD did on fast links"},
		{"messages", "ring and naive exchange fuse layers to 1 MiB (here: one message); RingSparse and coded SGD go layer by layer, as written; the server's methods send all layers in one message"},
		{"parameters of methods", "SSP s = 3 and DSSP [3, 15] clocks, DASP Smin 3, Smax 6 versions, α = 0.5, as in DASP's tables; none tuned here"},
		{"target", targetRule + fmt.Sprintf(": %.0f %%", 100*s.Target)},
		{"time to target", "the first crossing, linear between evaluations; evaluations cost no time"},
		{"times of synchronous methods", fmt.Sprintf("the mean round of a timing-only run of %d rounds (RingSparse: as many with real gradients), the first ones left out, times the update's number; the update at which the target is reached is that of BSP's training for all, since all make the same update but for rounding and the choice of samples. A first version took each method's own training; a look at profile ci, before any other profile had run, showed that the chance of the samples then decides between equal methods", s.Size.Timed)},
	} {
		t.Rows = append(t.Rows, []any{r[0], r[1]})
	}
	return t
}
