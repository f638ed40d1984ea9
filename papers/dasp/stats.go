//gradsync:pure

package dasp

import "time"

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
		s.Staleness.Add(p.Applied - 1 - p.Pulled)
		s.Gap.Add(p.Gap)
		s.Clock.Add(p.Clock)
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
