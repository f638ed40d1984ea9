package survival

import "time"

// The loops: what a ring takes that does what no run here does. Its iterations take the time of runs of the virtual
// cluster on the same seed.

// bytes returns those of a checkpoint: the parameters, for there is no momentum. They are those that a ring's bytes
// follow from: 2·(n−1) times the parameters are sent in an update.
func (j job) bytes() float64 {
	return j.Ring.Bytes / float64(j.Updates) / float64(2*(j.Nodes-1))
}

// daly returns Daly's interval of a job, in updates.
func (j job) daly() int { return every(j.write(j.bytes()), j.between, j.Ring.tick(), j.Updates) }

// rewind finishes a job by a ring that writes a checkpoint every k updates and goes on from the last one that is whole,
// on as many nodes, after each loss. With k the number of updates it writes none and begins anew.
func (j job) rewind(k int) (e ended) {
	write, read := j.write(j.bytes()), j.read(j.bytes())
	saved, made := 0, 0
	for attempt := 0; ; attempt++ {
		now, lost := j.restart(attempt), j.crashes(j.seed, attempt, j.between)[0].At
		if saved > 0 {
			now += read
		}
		for u := saved; now <= lost; {
			if u == j.Updates {
				e.Took += now
				e.Kept, e.First = attempt == 0, attempt == 0
				return j.summed(e, made)
			}
			if now += j.duration(u); now > lost {
				break
			}
			u, made = u+1, made+1
			if u%k == 0 && u < j.Updates {
				if now += write; now <= lost {
					saved, e.Written = u, e.Written+j.bytes()
				}
			}
		}
		e.Took, e.Losses, e.Restarts = e.Took+lost+j.share(j.Notice), e.Losses+1, e.Restarts+1
		if e.capped(j).Beyond {
			return j.summed(e, made)
		}
	}
}

// summed adds what the updates made cost.
func (j job) summed(e ended, made int) ended {
	part := float64(made) / float64(j.Updates)
	e.Bytes, e.Computed = j.Ring.Bytes*part, part
	return e.capped(j)
}

// duration returns the time of update u of the undisturbed ring.
func (j job) duration(u int) time.Duration {
	if u == 0 {
		return j.Ring.Ends[0]
	}
	return j.Ring.Ends[u] - j.Ring.Ends[u-1]
}

// takeOver finishes a job by a ring that goes on without the lost: the living compute the whole batch, so that only the
// iteration in which a node is lost is made again. Each of them must have, or be able to read, all data. With the last
// node all is lost.
func (j job) takeOver() (e ended) {
	for attempt := 0; ; attempt++ {
		now, all := j.restart(attempt), j.crashes(j.seed, attempt, j.between)
		made, k, notice := 0, 0, j.share(j.Notice)
		begun := all[0].At > now
		for begun && k < j.Nodes && made < j.Updates {
			now += j.Fewer[k].tick()
			e.Computed += 1 / float64(j.Updates)
			e.Bytes += j.Fewer[k].Bytes / float64(j.Updates)
			if now <= all[k].At {
				made++
				continue
			}
			for now = all[k].At + notice; k < j.Nodes && all[k].At <= now; {
				k++ // who is lost while a loss is noticed is noticed with it
			}
		}
		switch {
		case made == j.Updates:
			e.Took, e.Losses, e.Kept, e.First = e.Took+now, e.Losses+k, k == 0, attempt == 0
			return e.capped(j)
		case begun:
			e.Took, e.Losses = e.Took+now, e.Losses+k
		default:
			e.Took, e.Losses = e.Took+all[0].At+notice, e.Losses+1
		}
		e.Restarts++
		if e = e.capped(j); e.Beyond {
			return e
		}
	}
}
