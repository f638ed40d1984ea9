//gradsync:pure

package dasp

import (
	"fmt"
	"math"
	"time"
)

// Config are DASP's parameters and the switches between readings of the paper.
// The zero value of every switch is the default reading.
//
// Source: §2
type Config struct {
	Workers int     // N
	Smin    int64   // lower state threshold, in versions (global updates)
	Smax    int64   // upper state threshold, in versions; Smin < Smax
	Alpha   float64 // α of eq. (1), a weight

	Wait WaitForm // reading of eq. (1)

	// PostUpdateGap tests the version the node is about to hold, not the one it
	// computed its gradient on.
	PostUpdateGap bool
	// LiteralFSS releases an FSS node after one completion of the oldest node,
	// and a WSS node when its time is over, however large the gap then is.
	LiteralFSS bool
	// Join lets QIS arrivals join a group that waits and be answered with it.
	Join        bool
	QISWeight   Scale // default 1/N
	GroupWeight Scale // default 1/K
}

// DefaultConfig returns the default reading for n workers. The thresholds
// scale with n because one round of n workers makes n versions; for the
// paper's 6 workers they are 3 and 6. α = 0.5.
//
// Source: ours: the paper's thresholds and α are lost; with (3, 6) a cluster of unequal GPUs visits all three states
func DefaultConfig(n int) Config {
	lo := int64(n+1) / 2
	return Config{Workers: n, Smin: lo, Smax: max(int64(n), lo+1), Alpha: 0.5}
}

// Validate returns an error of one line if the parameters are out of range.
//
// Source: §2.2
func (c Config) Validate() error {
	switch {
	case c.Workers < 1:
		return fmt.Errorf("dasp: %d workers, want at least 1", c.Workers)
	case c.Smin < 0:
		return fmt.Errorf("dasp: Smin = %d versions, want at least 0: the oldest node must not wait", c.Smin)
	case c.Smax <= c.Smin:
		return fmt.Errorf("dasp: Smax = %d versions, want more than Smin = %d", c.Smax, c.Smin)
	case math.IsNaN(c.Alpha) || math.IsInf(c.Alpha, 0) || c.Alpha < 0:
		return fmt.Errorf("dasp: alpha = %g, want a finite number from 0", c.Alpha)
	case c.Wait == WaitConvex && c.Alpha > 1:
		return fmt.Errorf("dasp: alpha = %g, want at most 1 for the convex form", c.Alpha)
	case int(c.Wait) >= len(waitNames):
		return fmt.Errorf("dasp: unknown T_wait form %d", c.Wait)
	case c.QISWeight > ScaleGroup || c.GroupWeight > ScaleGroup:
		return fmt.Errorf("dasp: unknown gradient weight %d, %d", c.QISWeight, c.GroupWeight)
	}
	return nil
}

// Decision is the outcome of Algorithm 1 for one arrived gradient.
//
// Source: Alg. 1
type Decision struct {
	State State
	Gap   int64         // v_n − v_min, in versions
	Wait  time.Duration // T_wait of eq. (1); WSS only
	Until int           // id_min, the oldest node; −1 when the node itself is alone
}

// Decide is Algorithm 1 for a gradient of node n, without the loop and the
// waiting. It reads v and changes nothing.
//
//	QIS  if v_n − v_min ≤ Smin
//	WSS  if Smin < v_n − v_min ≤ Smax, with T_wait from f_n and f of id_min
//	FSS  otherwise, until id_min completes its iteration
//
// v_n is the version that n computed its gradient on: Algorithm 1 runs before
// Algorithm 2 renews it. With PostUpdateGap it is the version n would be
// handed, v_new + 1. id_min is set for every state (the paper sets it in WSS
// only, line 9, and uses it in FSS, line 15); ties go to the lowest id.
//
// Source: Alg. 1
func (c Config) Decide(v View, n int) Decision {
	vn := v.V[n]              // Alg. 1, line 3: v_n ← IdToV(v, n)
	vmin, idMin := v.Oldest() // Alg. 1, lines 4, 9: v_min ← min(v), id_min
	if c.PostUpdateGap {      // as if lines 7–9 of Algorithm 2 had run
		vn = v.Newest + 1
		vmin, idMin = v.oldestBut(n)
		if idMin < 0 {
			vmin = vn
		}
	}
	d := Decision{Gap: vn - vmin, Until: idMin}
	switch {
	case d.Gap <= c.Smin: // Alg. 1, line 5
		d.State = QIS // Alg. 1, line 6
	case d.Gap <= c.Smax: // Alg. 1, line 7
		d.State = WSS // Alg. 1, line 8
		// Alg. 1, lines 10, 11
		d.Wait = c.Wait.Wait(c.Alpha, v.F[n], v.F[idMin])
	default: // Alg. 1, line 13
		d.State = FSS // Alg. 1, line 14
	}
	return d
}
