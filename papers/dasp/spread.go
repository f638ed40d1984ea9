//gradsync:pure

package dasp

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
			h.Add(v - oldest)
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
