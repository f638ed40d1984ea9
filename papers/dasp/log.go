//gradsync:pure

package dasp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"time"
)

// What the server records of a run, and the numbers that the paper's tables are made of.

// Update is one global model update (one version).
//
// Source: Alg. 2, line 7
type Update struct {
	Version int64 // 1 for the first
	At      time.Duration
	Workers []int   // whose gradients it used, in summation order
	Pushes  int64   // gradients used so far, this update included
	Weight  float64 // factor of each gradient: 1/N or 1/K, eq. (2)
}

// Push is the life of one gradient, seen from the server.
//
// Source: ours: what the paper's tables are computed from
type Push struct {
	Worker    int
	Step      int64         // the worker's own count, from 0
	Pulled    int64         // version the gradient was computed on
	Applied   int64         // version it became part of
	Gap       int64         // v_n − v_min that Decide saw (QIS, WSS, FSS policies)
	Clock     int64         // the worker's clock minus the slowest clock, at arrival
	State     State         // QIS for policies without states when not delayed
	Sent      time.Duration // reply with the weights it was computed on left the server
	Received  time.Duration // gradient complete at the server
	Replied   time.Duration // server began to send the next weights; Replied−Received is the wait
	Compute   time.Duration // the worker's forward and backward pass, as it measured it
	Loss      float64       // mini-batch loss; 0 in a timing-only run
	Abandoned bool          // dropped (backup workers) or never answered (end of run)
}

// Log is the server's record of a run: one Push per gradient in order of
// arrival, one Update per version.
//
// Source: ours: what the paper's tables are computed from
type Log struct {
	Workers int
	Params  int // P: a gradient or the weights are 4·P bytes
	Pushes  []Push
	Updates []Update
	Bytes   int64         // bodies sent by all ranks up to End: weights and gradients
	End     time.Duration // the server's last action
	Lost    []int         // workers whose ranks were lost, in that order, on a cluster.Survivor
}

// Stats holds a run in numbers. Only Bytes counts pushes of the warm-up, only
// Dropped counts abandoned pushes.
//
// Source: §3.1
type Stats struct {
	Pushes    int64 // gradients used and answered
	Dropped   int64 // gradients received and never used
	Updates   int64 // global updates (versions)
	Iteration IterationTime
	States    []StateStats // QIS, WSS, FSS, and last the waits of methods without states
	Staleness Histogram    // version at apply − version at pull, in updates
	Gap       Histogram    // v_n − v_min that Algorithm 1 saw, in versions
	Clock     Histogram    // the worker's clock − the slowest clock, in pushes
	Bytes     int64        // bodies on the wire, both directions, warm-up included
}

// IterationTime is the mean iteration time in seconds by its three readings;
// the paper does not say which is its own. An iteration lasts from the weights'
// leaving the server to the next weights' leaving it: transfers, computation
// and waits.
//
//	PerWorker  mean over workers of the worker's mean iteration
//	PerPush    mean over all iterations, so that fast workers count more often
//	PerUpdate  time between two versions
//
// A reading without data is 0.
//
// Source: Table 4
type IterationTime struct {
	PerWorker, PerPush, PerUpdate float64
	ByWorker                      []float64 // each worker's mean, 0 if it has none
}

// StateStats counts the pushes that one state answered.
//
// Source: §2.2
type StateStats struct {
	State   State // 0: delayed by a method without states
	Pushes  int64
	Share   float64 // of all pushes
	Seconds float64 // from the gradient's arrival to its answer, all together
}

// Stats returns the log in numbers, without the first warmup pushes of each
// worker, and without the updates before the last worker was past them.
//
// Source: §3.1
func (l *Log) Stats(warmup int64) Stats {
	s := Stats{Bytes: l.Bytes}
	for _, state := range [...]State{QIS, WSS, FSS, 0} {
		s.States = append(s.States, StateStats{State: state})
	}
	sum, count := make([]time.Duration, l.Workers), make([]int64, l.Workers)
	seen := make([]int64, l.Workers)
	var warm time.Duration // the last worker's warm-up ends
	for _, p := range l.Pushes {
		if seen[p.Worker]++; seen[p.Worker] <= warmup {
			warm = max(warm, p.Received)
			continue
		}
		if p.Applied == 0 && p.Abandoned {
			s.Dropped++
			continue
		}
		if p.Abandoned { // the run ended before its answer
			continue
		}
		s.Pushes++
		s.Staleness.add(p.Applied - 1 - p.Pulled)
		s.Gap.add(p.Gap)
		s.Clock.add(p.Clock)
		sum[p.Worker] += p.Replied - p.Sent
		count[p.Worker]++
		st := &s.States[(int(p.State)+3)%4]
		st.Pushes++
		st.Seconds += (p.Replied - p.Received).Seconds()
	}
	for i := range s.States {
		s.States[i].Share = ratio(float64(s.States[i].Pushes), s.Pushes)
	}
	s.Iteration = iterationTime(sum, count)
	s.Updates, s.Iteration.PerUpdate = l.perUpdate(warm)
	return s
}

// iterationTime returns the readings that are means over pushes.
func iterationTime(sum []time.Duration, count []int64) (t IterationTime) {
	var all time.Duration
	var pushes, workers int64
	for w, d := range sum {
		mean := ratio(d.Seconds(), count[w])
		t.ByWorker = append(t.ByWorker, mean)
		if count[w] > 0 {
			t.PerWorker += mean
			workers++
		}
		all += d
		pushes += count[w]
	}
	t.PerWorker = ratio(t.PerWorker, workers)
	t.PerPush = ratio(all.Seconds(), pushes)
	return t
}

// perUpdate counts the updates after the warm-up and returns the mean seconds
// between them.
func (l *Log) perUpdate(warm time.Duration) (n int64, seconds float64) {
	var first, last time.Duration
	for _, u := range l.Updates {
		if u.At < warm {
			continue
		}
		if n == 0 {
			first = u.At
		}
		last = u.At
		n++
	}
	return n, ratio((last - first).Seconds(), n-1)
}

// ratio returns x/n, 0 without data.
func ratio(x float64, n int64) float64 {
	if n <= 0 {
		return 0
	}
	return x / float64(n)
}

// Spread returns how far the newest version was ahead of the oldest one that a
// worker held, at each version: entry x of the result counts the versions with
//
//	v_new − min(v) = x
//
// after the answers that carried that version. A worker counts up to the
// version last handed to it as far as the log knows, so neither a dead worker
// nor the iterations under way at the end do.
//
// Source: §2.2
func (l *Log) Spread() Histogram {
	handed := l.handed()
	at := make([]int, l.Workers) // w holds handed[w][at[w]]
	var h Histogram
	for v := int64(1); v <= int64(len(l.Updates)); v++ {
		oldest := int64(-1)
		for w, versions := range handed {
			for at[w]+1 < len(versions) && versions[at[w]+1] <= v {
				at[w]++
			}
			last := at[w]+1 == len(versions)
			if held := versions[at[w]]; (!last || held == v) && (oldest < 0 || held < oldest) {
				oldest = held
			}
		}
		if oldest >= 0 {
			h.add(v - oldest)
		}
	}
	return h
}

// handed lists the versions that each worker computed on, in order.
func (l *Log) handed() [][]int64 {
	versions := make([][]int64, l.Workers)
	for w := range versions {
		versions[w] = []int64{0}
	}
	for _, p := range l.Pushes {
		if last := versions[p.Worker]; last[len(last)-1] != p.Pulled {
			versions[p.Worker] = append(last, p.Pulled)
		}
	}
	return versions
}

// Digest returns a SHA-256, in hex, of what happened in the run: of every push when it arrived and
// was answered, which version it held and which it became part of; of every update when, of
// whose gradients, with which weight. It leaves out what a method noted of its reasons (gap,
// clock, state). Two methods with equal digests did exactly the same: given the same seed, also
// the parameters they train are equal.
//
// Source: ours: where two methods never differ there is nothing to compare
func (l *Log) Digest() string {
	var all []byte
	put := func(values ...int64) {
		for _, v := range values {
			all = binary.LittleEndian.AppendUint64(all, uint64(v))
		}
	}
	put(int64(l.Workers), int64(l.Params), l.Bytes, int64(l.End), int64(len(l.Pushes)), int64(len(l.Updates)))
	for _, p := range l.Pushes {
		abandoned := int64(0)
		if p.Abandoned {
			abandoned = 1
		}
		put(int64(p.Worker), p.Step, p.Pulled, p.Applied, int64(p.Sent), int64(p.Received), int64(p.Replied), abandoned)
	}
	for _, u := range l.Updates {
		put(u.Version, int64(u.At), u.Pushes, int64(math.Float64bits(u.Weight)), int64(len(u.Workers)))
		for _, w := range u.Workers {
			put(int64(w))
		}
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}

// Histogram counts how often each whole number from 0 occurred: entry x is the
// count of x.
//
// Source: ours: staleness and gaps are whole numbers, so nothing is binned away
type Histogram []int64

// add counts x once. It panics if x is negative.
//
// Source: ours: see Histogram
func (h *Histogram) add(x int64) {
	for int64(len(*h)) <= x {
		*h = append(*h, 0)
	}
	(*h)[x]++
}

// total returns how many numbers were counted.
//
// Source: ours: see Histogram
func (h Histogram) total() (n int64) {
	for _, c := range h {
		n += c
	}
	return n
}

// Mean returns the arithmetic mean, 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Mean() float64 {
	var sum int64
	for x, c := range h {
		sum += int64(x) * c
	}
	return ratio(float64(sum), h.total())
}

// Max returns the largest number counted, 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Max() int64 { return max(int64(len(h))-1, 0) }

// Quantile returns the least x such that at least the fraction q of the
// numbers is at most x; q in [0, 1]. It returns 0 without data.
//
// Source: ours: see Histogram
func (h Histogram) Quantile(q float64) int64 {
	need := q * float64(h.total())
	var n int64
	for x, c := range h {
		if n += c; c > 0 && float64(n) >= need {
			return int64(x)
		}
	}
	return h.Max()
}
