// Package formula holds the closed forms of exchange costs. N is the number of
// ranks, K the bytes of one gradient, α (alpha) the latency of a message in
// seconds and B the bandwidth of a NIC in bytes per second.
//
// It imports math only, so that it also runs in a browser.
package formula

import "math"

// RingBytes returns the bytes each rank sends, and receives, in a ring
// all-reduce:
//
//	2(N−1)·K/N
//
// It is 0 for N ≤ 1 and tends to 2K.
//
// Source: §1.3, the blog's "Data Transferred"
func RingBytes(n int, k float64) float64 {
	if n <= 1 {
		return 0
	}
	return 2 * float64(n-1) * k / float64(n)
}

// RingTime returns the seconds of a ring all-reduce of equal chunks on equal
// links:
//
//	2(N−1)·(α + K/(N·B))
//
// Source: §1.3, with the latency term of the α–β model
func RingTime(n int, k, alpha, b float64) float64 {
	if n <= 1 {
		return 0
	}
	return 2 * float64(n-1) * (alpha + k/(float64(n)*b))
}

// NaiveRootBytes returns the bytes that the single reducer receives, and that
// it sends back:
//
//	(N−1)·K
//
// Source: §1.3, the blog's single reducer
func NaiveRootBytes(n int, k float64) float64 { return float64(max(n-1, 0)) * k }

// NaiveTime returns the seconds of gathering to one reducer and sending the
// sum back, with the reducer's NIC as the bottleneck in both directions:
//
//	2·(α + (N−1)·K/B)
//
// The latencies of one direction overlap; the bytes do not.
//
// Source: §1.3, the blog's linear cost, in both directions
func NaiveTime(n int, k, alpha, b float64) float64 {
	if n <= 1 {
		return 0
	}
	return 2 * (alpha + NaiveRootBytes(n, k)/b)
}

// NaiveGatherTime returns the seconds of NaiveTime's first half, which is what
// the blog counts (10.8 s for nine senders of 1.2 s each):
//
//	α + (N−1)·K/B
//
// Source: §1.3
func NaiveGatherTime(n int, k, alpha, b float64) float64 { return NaiveTime(n, k, alpha, b) / 2 }

// BreakEven returns the gradient size K in bytes above which the ring beats the
// single reducer: 0 for N = 2, where it always does, +Inf for N ≤ 1.
//
//	2(N−1)(α + K/(N·B)) < 2(α + (N−1)K/B)  ⇔  K > α·B·N(N−2)/(N−1)²
//
// Source: ours: from RingTime and NaiveTime
func BreakEven(n int, alpha, b float64) float64 {
	if n <= 1 {
		return math.Inf(1)
	}
	m := float64(n)
	return alpha * b * m * (m - 2) / ((m - 1) * (m - 1))
}
