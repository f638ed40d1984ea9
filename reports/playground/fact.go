package playground

import (
	"math"

	"gradsync/experiments/method/cost"

	coded "gradsync/papers/codedsgd/formula"
	dasp "gradsync/papers/dasp/formula"
	sparse "gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster/formula"
)

// Fact is a number of a setting beside the methods' costs.
type Fact int32

// The facts that the page shows.
const (
	GradientBytes   Fact = iota // K
	RingPaysAbove               // K above which the ring beats the single reducer
	FilledDensity               // of the sum of all N gradients
	BitmapSize                  // bytes of one gradient as bitmap and values
	COOSize                     // bytes of one gradient as coordinates and values
	BitmapBreakEven             // density below which the bitmap is sooner there; ≤ 0: never
	Blocks                      // C(N, r), into which coded SGD cuts a batch
	BestRedundancy              // r of the least time by the paper's model, at that many blocks
	DASPWait                    // seconds that DASP makes an ordinary worker wait for the slowest, Eq. (1)
	DASPSpread                  // versions that the newest can be ahead of the oldest
	facts
)

// What DASP's rule needs beside a setting: our defaults.
const (
	daspAlpha = 0.5 // α of Eq. (1)
	daspSmax  = 6   // Smax
)

// About returns a fact, NaN where the setting is out of range or has none.
func About(f Fact, s Setting) float64 {
	if !s.Valid() {
		return math.NaN()
	}
	n, k := s.Workers, s.Bytes()
	switch f {
	case GradientBytes:
		return k
	case RingPaysAbove:
		return formula.BreakEven(n, s.Latency, s.Bandwidth)
	case FilledDensity:
		return sparse.FillIn(s.Density, n-1)
	case BitmapSize:
		return sparse.BitmapBytes(s.Parameters, s.Density)
	case COOSize:
		return sparse.COOBytes(s.Parameters, s.Density)
	case BitmapBreakEven:
		return sparse.BitmapBreakEven(s.Bandwidth, s.Codec, s.Codec)
	case Blocks:
		return coded.Choose(n, s.Redundancy)
	case BestRedundancy:
		if s.Redundancy > n || coded.Choose(n, s.Redundancy) > cost.Exactly {
			return math.NaN()
		}
		return float64(coded.Best(n, s.Compute*s.Slowest, cost.PerBlock(s)))
	case DASPWait:
		// f_i and f_j are iteration times, each a turn alone with the server.
		push := formula.NaiveTime(2, k, s.Latency, s.Bandwidth)
		return dasp.WaitDifference(daspAlpha, s.Compute+push, float64(s.Compute*s.Slowest)+push)
	case DASPSpread:
		return float64(dasp.SpreadBound(daspSmax, n))
	}
	return math.NaN()
}
