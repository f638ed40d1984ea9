// Package cost evaluates the documents' cost formulas of a method for one setting. It
// computes nothing of its own but sums: every time and size is a function of
// shared/cluster/formula or of a paper's formula package, which `gradsync verify`
// compares with counts and exact rationals. The playground compiles it to WebAssembly,
// so it imports formulas and math only.
package cost

import "math"

// Setting is a cluster and a network to train. N workers are equal but for one.
type Setting struct {
	Workers    int     // N ≥ 2
	PerMachine int     // workers of one machine, G ≥ 1; only the two-level ring has them
	Redundancy int     // workers that compute each block of a batch, r ≥ 1
	Parameters float64 // of the network, four bytes each
	Bandwidth  float64 // of every NIC, bytes per second and direction
	Inner      float64 // between workers of one machine, bytes per second
	Latency    float64 // seconds per message, between any two
	Compute    float64 // seconds that a worker computes per batch without redundancy
	Slowest    float64 // the slowest worker's time over the others', h ≥ 1
	Density    float64 // share of a worker's gradient that is not zero, 0 to 1
	Codec      float64 // bytes of dense gradient per second, packing and unpacking alike
}

// Bytes returns the bytes of one gradient:
//
//	K = 4·parameters
func (s Setting) Bytes() float64 { return 4 * s.Parameters }

// Valid reports whether every value is in its range and finite.
func (s Setting) Valid() bool {
	for _, x := range []float64{s.Parameters, s.Bandwidth, s.Inner, s.Codec} {
		if !(x > 0) || math.IsInf(x, 0) {
			return false
		}
	}
	for _, x := range []float64{s.Latency, s.Compute} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return false
		}
	}
	return s.Workers >= 2 && s.Workers <= MostWorkers && s.PerMachine >= 1 && s.Redundancy >= 1 &&
		s.Slowest >= 1 && !math.IsInf(s.Slowest, 0) && s.Density >= 0 && s.Density <= 1
}

// MostWorkers bounds N, for the sparse ring is a sum over its steps.
const MostWorkers = 4096
