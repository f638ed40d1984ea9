package cost

import (
	"math"

	coded "gradsync/papers/codedsgd/formula"
	sparse "gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster/formula"
)

// Cost holds what one iteration of a method costs: one gradient of every worker.
type Cost struct {
	Compute  float64 // seconds that an ordinary worker computes
	Wait     float64 // seconds that it then waits for the slowest
	Exchange float64 // seconds of the exchange, nothing of it overlapped
	Total    float64 // seconds of the iteration
	Sent     float64 // bytes that the machine that sends most sends, a multicast once
	Received float64 // bytes that the machine that receives most receives
}

// None returns the cost of a method that the setting does not have.
func None() Cost {
	x := math.NaN()
	return Cost{x, x, x, x, x, x}
}

// synchronous returns the cost of a method whose workers all compute, redundantly so
// often, wait for the slowest and then exchange.
func synchronous(s Setting, times int, exchange, sent, received float64) Cost {
	own := float64(times) * s.Compute
	all := own * s.Slowest
	return Cost{Compute: own, Wait: all - own, Exchange: exchange, Total: all + exchange, Sent: sent, Received: received}
}

// BSP returns the cost of a parameter server, one machine more, that waits for all: the single
// reducer among N + 1.
func BSP(s Setting) Cost {
	k := s.Bytes()
	root := formula.NaiveRootBytes(s.Workers+1, k)
	return synchronous(s, 1, formula.NaiveTime(s.Workers+1, k, s.Latency, s.Bandwidth), root, root)
}

// ASP returns the cost of a parameter server that waits for nobody. A worker's turn is its batch and
// a push and pull alone with the server. N gradients take at least
//
//	max( N/Σ 1/turn,  N·K/B )
//
// the workers' rates together, or the server's NIC.
func ASP(s Setting) Cost {
	k, n := s.Bytes(), float64(s.Workers)
	push := formula.NaiveTime(2, k, s.Latency, s.Bandwidth)
	root := formula.NaiveRootBytes(s.Workers+1, k)
	rate := float64((n-1)/(s.Compute+push)) + 1/(float64(s.Compute*s.Slowest)+push)
	total := max(n/rate, root/s.Bandwidth)
	return Cost{Compute: s.Compute, Exchange: push, Total: total, Sent: root, Received: root}
}

func Naive(s Setting) Cost {
	k := s.Bytes()
	root := formula.NaiveRootBytes(s.Workers, k)
	return synchronous(s, 1, formula.NaiveTime(s.Workers, k, s.Latency, s.Bandwidth), root, root)
}

func Ring(s Setting) Cost {
	k := s.Bytes()
	b := formula.RingBytes(s.Workers, k)
	return synchronous(s, 1, formula.RingTime(s.Workers, k, s.Latency, s.Bandwidth), b, b)
}

func HalvingDoubling(s Setting) Cost {
	k := s.Bytes()
	b := formula.HalvingDoublingBytes(s.Workers, k)
	return synchronous(s, 1, formula.HalvingDoublingTime(s.Workers, k, s.Latency, s.Bandwidth), b, b)
}

// Hierarchical has machines of several workers that fill evenly.
func Hierarchical(s Setting) Cost {
	m := s.Workers / s.PerMachine
	if s.PerMachine < 2 || m < 2 || m*s.PerMachine != s.Workers {
		return None()
	}
	k := s.Bytes()
	b := formula.HierarchicalNodeBytes(m, k)
	t := formula.HierarchicalTime(m, s.PerMachine, k, s.Latency, s.Inner, s.Latency, s.Bandwidth)
	return synchronous(s, 1, t, b, b)
}

// RingSparse returns the cost of a ring whose every block goes as bitmap and values where S42 says
// so, Tb < Ta. Blocks fill in as they are summed; the N−1 exchanges of all-gather
// carry sums of all N:
//
//	Σ_{k<N−1} (α + min(Ta, Tb(d_k))) + (N−1)·(α + min(Ta, Tb(d_{N−1}))),  d_k = 1 − (1−d)^(k+1)
func RingSparse(s Setting) Cost {
	n := s.Workers
	block := s.Bytes() / float64(n)
	var seconds, bytes float64
	hop := func(k int, times float64) {
		size := sparse.BitmapBytes(block/4, sparse.FillIn(s.Density, k))
		t, b := sparse.Ta(block, s.Bandwidth), block
		if packed := sparse.Tb(block/s.Codec, size, s.Bandwidth, block/s.Codec); packed < t {
			t, b = packed, size
		}
		seconds += float64(times * (s.Latency + t))
		bytes += float64(times * b)
	}
	reduce, gather := sparse.Steps(n)
	for k := range reduce {
		hop(k, 1)
	}
	hop(n-1, float64(gather))
	return synchronous(s, 1, seconds, bytes, bytes)
}

// SSGDUnicast sends every worker's gradient to all others, one by one: N−1 arrive
// over each NIC, as at the single reducer's.
func SSGDUnicast(s Setting) Cost {
	k := s.Bytes()
	b := coded.Normal(s.Workers, 1) / float64(s.Workers) * k
	return synchronous(s, 1, unicast(s), b, b)
}

// SSGDMulticast sends it once; as many arrive.
func SSGDMulticast(s Setting) Cost {
	k := s.Bytes()
	return synchronous(s, 1, unicast(s), k, coded.Left(s.Workers, 1)*k)
}

// unicast returns T_communicate: N−1 gradients over one NIC.
func unicast(s Setting) float64 {
	return formula.NaiveGatherTime(s.Workers, s.Bytes(), s.Latency, s.Bandwidth)
}

// PerBlock returns T_communicate of the paper's time model: SSGD that sends the gradient of
// each of C(N,r) blocks by unicast, (30) over N, one block of every node at a time.
func PerBlock(s Setting) float64 {
	n := s.Workers
	return coded.Choose(n, s.Redundancy) / float64(n) * unicast(s)
}

// CSSGDModel returns the cost by the paper's time model with (19). Its bytes are its
// T_communicate's times (19), as many as (28) lets a node send.
func CSSGDModel(s Setting) Cost {
	n, r := s.Workers, s.Redundancy
	if r > n || coded.Choose(n, r) > Exactly {
		return None()
	}
	ratio := coded.Ratio(n, r)
	sent := float64(coded.Normal(n, r)/float64(n)*s.Bytes()) * ratio
	c := synchronous(s, r, ratio*PerBlock(s), sent, math.NaN())
	c.Total = coded.Time(n, r, s.Compute*s.Slowest, PerBlock(s))
	return c
}

// CSSGD counts what coded SGD sends with one gradient per block, C(N,r) blocks:
// (28) over N, and what (21) says must arrive. Its exchange takes at least as long as
// that takes to arrive over one NIC.
func CSSGD(s Setting) Cost {
	n, r := s.Workers, s.Redundancy
	if r > n || coded.Choose(n, r) > Exactly {
		return None()
	}
	k := s.Bytes()
	arrive := coded.Left(n, r) * k
	t := sparse.Ta(arrive, s.Bandwidth)
	if r < n {
		t += s.Latency
	}
	return synchronous(s, r, t, coded.Coding(n, r)/float64(n)*k, arrive)
}

// Compressed sums what a node can sum before it sends, at depth 1, where nothing is
// coded; (28)'s blocks then cost computation alone. No formula says which machine
// sends most.
func Compressed(s Setting) Cost {
	n, r := s.Workers, s.Redundancy
	if r > n || coded.Choose(n, r) > Exactly {
		return None()
	}
	arrive := coded.SumOnlyReceived(n, r) * s.Bytes()
	t := sparse.Ta(arrive, s.Bandwidth)
	if r < n {
		t += s.Latency
	}
	return synchronous(s, r, t, math.NaN(), arrive)
}

// Exactly bounds what a float64 counts one by one.
const Exactly = 1 << 53
