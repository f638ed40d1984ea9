package formula

import (
	"math"
	"math/bits"
)

// RingPipelinedTime returns the seconds of a ring all-reduce of equal chunks on
// equal links, each chunk cut into P equal pieces that are forwarded as they
// arrive. With t = K/(N·P·B), the time of one piece:
//
//	2(N−1)·max(P·t, α + t) + min(α, (P−1)·t)
//
// From P·t = α + t on, the NICs never pause and α is paid once; RingTime is
// P = 1.
//
// Source: ours: the blog's ring in the α–β model, pieces one after another on each NIC
func RingPipelinedTime(n int, k float64, pieces int, alpha, b float64) float64 {
	if n <= 1 || pieces < 1 {
		return 0
	}
	t := k / (float64(n) * float64(pieces) * b)
	return float64(2*float64(n-1)*max(float64(pieces)*t, alpha+t)) + min(alpha, float64(pieces-1)*t)
}

// HalvingDoublingBytes returns the bytes that the busiest rank sends in an
// all-reduce by recursive halving and doubling. With P the highest power of two
// not above N:
//
//	2(P−1)·K/P, and K more if N > P
//
// At N = P it is every rank's, and the ring's.
//
// Source: ours: Rabenseifner's all-reduce, for comparison
func HalvingDoublingBytes(n int, k float64) float64 {
	p := power(n)
	bytes := RingBytes(p, k)
	if n > p {
		bytes += k
	}
	return bytes
}

// HalvingDoublingTime returns the seconds of an all-reduce by recursive halving
// and doubling on equal links:
//
//	2·log₂P·α + 2(P−1)/P·K/B, and 2α + 5K/(2B) more if N > P
//
// The 5/2 are K to the partner and K back, and the half that a rank without a
// folded one sends at once, which takes its turn at a partner that still
// receives.
//
// Source: ours: Rabenseifner's all-reduce in the α–β model
func HalvingDoublingTime(n int, k, alpha, b float64) float64 {
	p := power(n)
	seconds := float64(2*math.Log2(float64(p))*alpha) + RingBytes(p, k)/b
	if n > p {
		seconds += float64(2*alpha) + 2.5*k/b
	}
	return seconds
}

// power is the highest power of two not above n, 1 for n ≤ 1.
func power(n int) int { return 1 << (bits.Len(uint(max(n, 1))) - 1) }

// HierarchicalBytes returns the bytes each rank sends in a two-level ring
// all-reduce over M nodes of G ranks:
//
//	2(G−1)·K/G within its node + 2(M−1)·K/(G·M) between nodes = 2(N−1)·K/N,  N = G·M
//
// Source: ours: the two-level ring, for comparison
func HierarchicalBytes(nodes, perNode int, k float64) float64 {
	return RingBytes(nodes*perNode, k)
}

// HierarchicalNodeBytes returns the bytes that the G ranks of a node together
// send to other nodes in a two-level ring all-reduce over M nodes:
//
//	2(M−1)·K/M
//
// A single ring that visits node after node sends 2(N−1)·K/N, a little more.
//
// Source: ours: the two-level ring, for comparison
func HierarchicalNodeBytes(nodes int, k float64) float64 { return RingBytes(nodes, k) }

// HierarchicalTime returns the seconds of a two-level ring all-reduce over M
// equal nodes of G equal ranks. Messages within a node take α and B;
// the G rings between nodes share each node's NIC of
// B′ bytes per second and latency α′, one message after another, which is a ring
// of M with G pieces:
//
//	2(G−1)·(α + K/(G·B)) + RingPipelinedTime(M, K, G, α′, B′)
//
// Source: ours: the two-level ring in the α–β model
func HierarchicalTime(nodes, perNode int, k, alpha, b, alphaNodes, bNodes float64) float64 {
	return RingTime(perNode, k, alpha, b) + RingPipelinedTime(nodes, k, perNode, alphaNodes, bNodes)
}
