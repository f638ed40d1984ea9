package setup

// The readings by which trainings are compared, fixed before the first run that uses them.
// Each number of the paper is judged by one reading, the same in every figure and in the
// time model of abstracts; what the other readings give stands beside it.
//
//   - "CSSGD Optimal" (§3.2.5) is CSSGD at the r of 1 … n whose iteration is shortest: §3.2.4,
//     which defines the optimum, restricts r by nothing, and §3.2.5 lets it follow the nodes.
//     Beside it: of r = 2 and 3 alone, the curves of §3.2.2, which leave no choice on two nodes.
//   - A batch is cut into Q(n) micro-blocks, the fewest that serve SSGD and the r drawn: Algorithm
//     2 cuts a batch of n nodes into C(n,r) blocks, a number that grows with n, and L_normal
//     charges that many gradients. An r whose C(n,r) does not divide Q(n) is timed on several
//     batches cut at once, in micro-blocks of the same size (Cut). The paper names no number that is the same for all n. Beside
//     it: as many micro-blocks on any number of nodes (EvenPerBatch), on a medium of all links
//     and on one whose capacity does not grow with the nodes.
//   - C02, C03 and C06 compare like with like: ASGD's gradients are cut as CSSGD's are. Beside
//     it: ASGD that pushes one sum, as it does by itself.
//
// Where a mean over numbers of nodes has a verdict, it is of the first of each.

// Even is the number of micro-blocks that is the same for all n: a multiple of C(n,r) for
// every r up to 8 nodes. No such number serves 9 and 10 nodes below its triple.
const Even = 840

// EvenPerBatch is the number of micro-blocks of one batch where it is the same for all n:
// that of Anchor nodes, on which Tcomm/Tcalc was calibrated. Even are cut of the samples of
// Even/EvenPerBatch batches at once.
var EvenPerBatch = Q(Anchor)

// Choices returns the redundancies of n nodes among which CSSGD Optimal is: all.
func Choices(n int) (rs []int) {
	for r := 1; r <= n; r++ {
		rs = append(rs, r)
	}
	return rs
}

// Drawn returns the redundancies of n nodes whose curves the paper draws.
func Drawn(n int) (rs []int) {
	for _, r := range Redundancies {
		if r <= n {
			rs = append(rs, r)
		}
	}
	return rs
}

// EvenCut returns how many micro-blocks n nodes cut, and of how many batches: Even, or its
// least multiple that serves every r.
func EvenCut(n int) (micro, batches int) {
	micro = Even
	for _, r := range Choices(n) {
		for m := micro; micro%choose(n, r) != 0; {
			micro += m
		}
	}
	return micro, micro / EvenPerBatch
}

// Cut returns the micro-blocks of Q(n) that serve redundancy r too, and of how many batches:
// Q(n) of one, or the fewest of several that every r divides, so that a micro-block has as
// many samples.
func Cut(n, r int) (micro, batches int) {
	q := Q(n)
	if q%choose(n, r) == 0 {
		return q, 1
	}
	micro = MicroBlocks(n, Choices(n)...)
	for m := micro; micro%q != 0; {
		micro += m
	}
	return micro, micro / q
}
