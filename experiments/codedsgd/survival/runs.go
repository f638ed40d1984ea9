package survival

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// The ways to finish in spite of losses: keys of the enumeration way, but for coded SGD's, which have their r.
const (
	elastic    = "elastic"    // a ring goes on without the lost, with smaller batches
	takeover   = "takeover"   // a ring goes on without the lost, with the same batches
	checkpoint = "checkpoint" // a ring with a checkpoint at Daly's interval
	anew       = "anew"       // a ring begins anew
)

func coded(r int) string { return fmt.Sprintf("coded-%d", r) }

// ways lists all in the order of tables.
func ways() []string {
	return []string{coded(1), coded(2), coded(3), coded(4), elastic, takeover, checkpoint, anew}
}

// simulated tells whether a way's whole run is one of the virtual cluster: else it follows from iteration times.
func simulated(way string) bool { return way != takeover && way != checkpoint && way != anew }

// run is a run of the virtual cluster without arithmetic, by its updates.
type run struct {
	Ends  []time.Duration // of each update
	Bytes float64         // sent by all nodes
}

func (r run) whole() time.Duration { return r.Ends[len(r.Ends)-1] }

// tick is the time of an update but for the first.
func (r run) tick() time.Duration {
	return (r.whole() - r.Ends[0]) / time.Duration(max(len(r.Ends)-1, 1))
}

// config returns what a run on the first nodes is: coded SGD at r, or a ring (r = 0).
func (p plan) config(s setting, r, nodes int, seed uint64, lost []crash) train.Config {
	c := train.Config{Sync: "ring", Model: setup.DNN.Model, Width: p.Width, Platform: s.platform(nodes), Workers: nodes, Seed: seed,
		BatchSize: p.Nodes * p.PerNode, Rate: setup.Rate, MaxUpdates: int64(p.Updates), TimingOnly: true, Launch: -1, Overhead: -1,
		Elastic: train.Elastic{Elastic: true}}
	if r > 0 {
		c.Sync, c.Coded = codedsgd.CSSGD, &codedsgd.Options{Redundancy: r}
	}
	for _, x := range lost {
		c.Crashes = append(c.Crashes, train.Crash{Rank: x.Rank, At: x.At})
	}
	return c
}

// runs keeps the runs of a seed, which settings that differ in restarts or disks alone have in common.
type runs struct {
	guard sync.Mutex
	made  map[string]made
}

// made is how a run went.
type made struct {
	run
	err error
}

// once makes a run if it was not made before.
func (r *runs) once(key string, make func() (run, error)) (run, error) {
	r.guard.Lock()
	m, ok := r.made[key]
	r.guard.Unlock()
	if !ok {
		m.run, m.err = make()
		r.guard.Lock()
		if r.made == nil {
			r.made = map[string]made{}
		}
		r.made[key] = m
		r.guard.Unlock()
	}
	return m.run, m.err
}

// run makes that run.
func (p plan) run(ctx context.Context, s setting, r, nodes int, seed uint64, lost []crash) (run, error) {
	out, err := train.Run(ctx, p.config(s, r, nodes, seed, lost))
	if err != nil {
		return run{}, err
	}
	if len(out.Ends) != p.Updates {
		return run{}, fmt.Errorf("codedsgd/survival: r = %d on %d nodes without %v: %d updates, want %d", r, nodes, lost, len(out.Ends), p.Updates)
	}
	return run{out.Ends, float64(out.BytesSent)}, nil
}

// calm holds the undisturbed runs of a seed on a link, and those that nodes are missing from: from the first instant of
// a run, the last nodes.
type calm struct {
	Ring  run
	Fewer []run         // by the lost: rings of fewer nodes that share the same batch
	Lacks map[int][]run // by r, 0 for the ring's: by the lost, the same run without them
}

// lacking returns the crashes of the last k nodes as a run begins.
func (p plan) lacking(k int) (out []crash) {
	for i := range k {
		out = append(out, crash{p.Nodes - 1 - i, time.Microsecond})
	}
	return out
}

// calm makes these runs.
func (p plan) calm(ctx context.Context, s setting, seed uint64) (c calm, err error) {
	type job struct{ r, nodes, lost int }
	var jobs []job
	for k := range p.Nodes {
		jobs = append(jobs, job{0, p.Nodes - k, 0})
		if k > 0 {
			jobs = append(jobs, job{0, p.Nodes, k})
		}
		for r := max(k+1, 1); r <= judged[len(judged)-1]; r++ {
			jobs = append(jobs, job{r, p.Nodes, k})
		}
	}
	runs := make([]run, len(jobs))
	err = kit.AtOnce(len(jobs), func(i int) (err error) {
		j := jobs[i]
		runs[i], err = p.run(ctx, s, j.r, j.nodes, seed, p.lacking(j.lost))
		return err
	})
	c.Lacks = map[int][]run{}
	for i, j := range jobs {
		if j.r == 0 && j.lost == 0 {
			c.Fewer = append(c.Fewer, runs[i])
		}
		if j.nodes == p.Nodes {
			c.Lacks[j.r] = append(c.Lacks[j.r], runs[i])
		}
	}
	if err == nil {
		c.Ring = c.Fewer[0]
	}
	return c, err
}

// ended is how a job ended in one way.
type ended struct {
	Took     time.Duration
	Beyond   bool    // it had not ended by the cap
	Losses   int     // of nodes, until then
	Restarts int     // of the whole cluster
	Kept     bool    // the last attempt lost no node
	First    bool    // the first attempt ended
	Bytes    float64 // sent; of attempts that failed in proportion to their time
	Computed float64 // gradients, over those of an undisturbed ring
	Written  float64 // bytes of checkpoints
}

// job names the work: a cell of the plan, and a seed.
type job struct {
	plan
	setting
	seed    uint64
	between time.Duration
	calm
	runs *runs
}

// share returns a time from a share of T0.
func (j job) share(x float64) time.Duration { return time.Duration(x * float64(j.Ring.whole())) }

// restart returns the time before an attempt makes its first update.
func (j job) restart(attempt int) time.Duration {
	if attempt == 0 {
		return 0
	}
	return j.share(j.Restart)
}

// within returns crashes on the clock of a run that began offset after its cluster and stops for notice at each loss.
func (j job) within(all []crash, offset time.Duration) (out []crash) {
	last := time.Duration(0)
	for i, x := range all {
		last = max(x.At-offset-time.Duration(i)*j.share(j.Notice), last+time.Microsecond)
		out = append(out, crash{x.Rank, last})
	}
	return out
}

// living returns the gradients that are computed in n updates of time tick with crashes at some times, over those of an
// undisturbed ring: a lost node computes nothing.
func (j job) living(r int, lost []crash, ends []time.Duration) (sum float64) {
	for _, end := range ends {
		alive := j.Nodes
		for _, x := range lost {
			if x.At < end {
				alive--
			}
		}
		sum += float64(alive)
	}
	return sum * float64(r) / float64(j.Nodes*j.Updates)
}

// upTo returns when the updates of an undisturbed run would end until then.
func upTo(r run, until time.Duration) (ends []time.Duration) {
	for _, end := range r.Ends {
		if end <= until {
			ends = append(ends, end)
		}
	}
	return ends
}

// soonest returns a time before which no run at r can end, whatever it loses: attempts whose fatal loss comes sooner are
// not run. Updates without some nodes take longer than whole ones; a tenth is left for jitter.
func (j job) soonest(r int) time.Duration {
	least := j.Lacks[r][0].tick()
	for _, x := range j.Lacks[r] {
		least = min(least, x.tick())
	}
	return least * time.Duration(j.Updates) * 9 / 10
}

// survive runs coded SGD at r, or the elastic ring (r = 0), in the virtual cluster until it ends. The loss that it does
// not survive is the r-th, the ring's the last node's.
func (j job) survive(ctx context.Context, r int) (e ended, err error) {
	fatal := max(r, 1)
	if r == 0 {
		fatal = j.Nodes
	}
	undisturbed := j.Lacks[r][0]
	for attempt := 0; ; attempt++ {
		offset, all := j.restart(attempt), j.crashes(j.seed, attempt, j.between)
		end := all[fatal-1].At
		if lost := j.within(all, offset); all[0].At > offset {
			sent := lost[:fatal]
			if r == 0 {
				sent = lost[:fatal-1] // the last node's loss ends the run: by its time
			}
			out, err := run{}, error(&codedsgd.BlockLostError{})
			if lost[fatal-1].At > j.soonest(r) {
				out, err = j.runs.once(fmt.Sprint(j.Link, r, sent), func() (run, error) { return j.run(ctx, j.setting, r, j.Nodes, j.seed, sent) })
			}
			var block *codedsgd.BlockLostError
			if err != nil && !errors.As(err, &block) {
				return e, err
			}
			k := kit.CountIf(sent, func(x crash) bool { return err == nil && x.At < out.whole() })
			took := time.Duration(0)
			if err == nil {
				took = offset + out.whole() + time.Duration(k)*j.share(j.Notice)
			}
			if err == nil && (r > 0 || took < end) {
				e.Took, e.Losses = e.Took+took, e.Losses+k
				e.Bytes, e.Computed = e.Bytes+out.Bytes, e.Computed+j.living(max(r, 1), lost, out.Ends)
				e.Kept, e.First = k == 0, attempt == 0
				return e.capped(j), nil
			}
			ends := upTo(undisturbed, lost[fatal-1].At)
			e.Bytes += undisturbed.Bytes * float64(len(ends)) / float64(j.Updates)
			e.Computed += j.living(max(r, 1), lost, ends)
			e.Losses += fatal
		} else {
			end = all[0].At // a node is lost while the cluster begins
			e.Losses++
		}
		e.Took, e.Restarts = e.Took+end+j.share(j.Notice), e.Restarts+1
		if e = e.capped(j); e.Beyond {
			return e, nil
		}
	}
}

// capped gives a job up that has not ended by the cap.
func (e ended) capped(j job) ended {
	if most := j.share(j.Cap); e.Took > most {
		e.Took, e.Beyond, e.Kept, e.First = most, true, false, false
	}
	return e
}

// all finishes the job in every way, the intervals of the plan last.
func (j job) all(ctx context.Context) (map[string]ended, error) {
	out := map[string]ended{checkpoint: j.rewind(j.daly()), anew: j.rewind(j.Updates), takeover: j.takeOver()}
	rs := []int{0, 1, 2, 3, 4}
	ends := make([]ended, len(rs))
	err := kit.AtOnce(len(rs), func(i int) (err error) {
		ends[i], err = j.survive(ctx, rs[i])
		return err
	})
	out[elastic] = ends[0]
	for _, r := range rs[1:] {
		out[coded(r)] = ends[r]
	}
	for _, k := range j.Every {
		out[everyKey(k)] = j.rewind(k)
	}
	return out, err
}

// everyKey names a ring with a checkpoint every k updates.
func everyKey(k int) string { return fmt.Sprintf("every-%d", k) }
