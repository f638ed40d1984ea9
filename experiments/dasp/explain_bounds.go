package dasp

import "math"

// longest is the expected largest of n independent log-normal factors of mean 1
// and relative standard deviation cv, which is what a barrier over n equal
// workers waits for if nothing but jitter keeps them apart:
//
//	E[max] = ∫ n·φ(z)·Φ(z)^(n−1)·exp(σz − σ²/2) dz,  σ² = ln(1 + cv²)
//
// by Simpson's rule on ±12 around 0 and σ.
func longest(n int, cv float64) float64 {
	sigma := math.Sqrt(math.Log(1 + float64(cv*cv)))
	const steps = 4000
	lo, hi := -12.0, 12+sigma
	h := (hi - lo) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		z := lo + float64(float64(i)*h)
		below := 0.5 * math.Erfc(-z/math.Sqrt2)
		f := float64(n) * math.Exp(-float64(z*z)/2) / math.Sqrt(2*math.Pi) * math.Pow(below, float64(n-1)) * math.Exp(float64(sigma*z)-float64(sigma*sigma)/2)
		switch {
		case i == 0 || i == steps:
			sum += f
		case i%2 == 1:
			sum += 4 * f
		default:
			sum += 2 * f
		}
	}
	return sum * h / 3
}

// jitterFor is the cv at which longest is the given factor, which must lie in
// (1, longest(n, 10)).
func jitterFor(n int, factor float64) float64 {
	lo, hi := 0.0, 10.0
	for range 60 {
		if mid := (lo + hi) / 2; longest(n, mid) < factor {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// queueing is BSP/ASP without jitter among n equal workers whose computation
// takes c times, and whose update at the server u times, as long as one gradient
// does over the server's link, if the link carries one message after the other,
// as the simulator's does:
//
//	(c + n + 1 + n·u) / max(n, n·u, c + 2 + u)
//
// At a barrier the n copies of the weights leave in turn, the last worker begins
// at n, its gradient is the last to arrive, and the update uses n. Without one
// the link is full (n), the server is busy (n·u), or nobody waits.
func queueing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + m + 1 + float64(m*u)) / max(m, m*u, c+2+u)
}

// sharing is the same if connections share the link evenly, as they do under
// TCP: at a barrier all copies arrive together, and all gradients do.
//
//	(c + 2n + n·u) / max(n, n·u, c + 2 + u)
//
// It is the larger of the two, so what it rules out no queue at the server gives.
func sharing(n int, c, u float64) float64 {
	m := float64(n)
	return (c + 2*m + float64(m*u)) / max(m, m*u, c+2+u)
}

// The most that queues can cost a barrier of six, with link, server and workers
// all equally busy: c = n − 3, u = 1.
var (
	inTurn = queueing(workers, workers-3, 1)
	evenly = sharing(workers, workers-3, 1)
)
