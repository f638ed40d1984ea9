package dasp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// dying is a worker that computes `pushes` gradients and is gone, silently, with the next weights unread.
func dying(p cluster.Proc, job dasp.Job, pushes int64) (*dasp.Log, error) {
	q := job.Task.(*quadratic)
	for step := range pushes {
		var in cluster.Msg
		if err := cluster.Wait(p, p.Irecv(0, dasp.TagWeights, &in)); err != nil {
			return nil, err
		}
		began := p.Now()
		if err := cluster.Compute(p, cluster.Work{FLOP: 6e6}, nil); err != nil {
			return nil, err
		}
		out := cluster.Msg{Meta: dasp.PushMeta(step, in.Meta[1], p.Now()-began, 1), Body: make([]byte, 4*len(q.params))}
		if err := cluster.Wait(p, p.Isend(0, dasp.TagPush, &out)); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// leased is training with a lease of 100 ms: the slowest iteration takes 20.
func leased(t *testing.T, name string, pushes int64) func(int) dasp.Job {
	job := training(t, name, rivals.Defaults(4), pushes, nil)
	return func(rank int) dasp.Job {
		j := job(rank)
		j.Lease = 100 * time.Millisecond
		return j
	}
}

// TestADeadWorkerBlocksNobody: under every method, worker 2 dies after three
// gradients; after its lease the others go on to the end.
func TestADeadWorkerBlocksNobody(t *testing.T) {
	for _, name := range rivals.Names() {
		l, _ := run(t, gpus(1, 3, 2, 1), 1, leased(t, name, 200), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
			if p.Rank() == 3 {
				return dying(p, job, 3)
			}
			return dasp.Run(p, job)
		})
		count := make([]int, 4)
		for _, p := range l.Pushes {
			count[p.Worker]++
		}
		if count[2] != 3 || count[0] < 30 || count[1] < 10 || count[3] < 30 {
			t.Errorf("%s: pushes per worker %v", name, count)
		}
		if l.End > 5*time.Second {
			t.Errorf("%s: took %v", name, l.End)
		}
	}
}

// TestWithoutALeaseTheDeadBlock: only the lease saves the others. Without it
// BSP's barrier is never complete, and the run fails by name instead of hanging.
func TestWithoutALeaseTheDeadBlock(t *testing.T) {
	job := training(t, "bsp", rivals.Defaults(4), 200, nil)
	rt := virtual.New(gpus(1, 3, 2, 1), virtual.Config{Seed: 1, WithServer: true})
	_, _, err := cluster.Run(context.Background(), rt, func(p cluster.Proc) (*dasp.Log, error) {
		if p.Rank() == 3 {
			return dying(p, job(p.Rank()), 3)
		}
		return dasp.Run(p, job(p.Rank()))
	})
	if err == nil {
		t.Error("the run ended although worker 2 is missing in its barrier")
	}
}

// TestALateJoinerFreezesNobody: worker 1 wakes up after 500 ms, long after its lease. The others did not wait for it;
// its gradient on version 0 is not used; then it takes part with the newest weights.
func TestALateJoinerFreezesNobody(t *testing.T) {
	for _, name := range rivals.Names() {
		l, _ := run(t, gpus(1, 1, 2, 1), 1, leased(t, name, 400), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
			if p.Rank() == 2 {
				if err := cluster.Sleep(p, 500*time.Millisecond); err != nil {
					return nil, err
				}
			}
			return dasp.Run(p, job)
		})
		checkLog(t, l)
		before, joined, after := 0, 0, 0
		for _, p := range l.Pushes {
			if name == "ssp" && p.Clock > 4 { // s + 1: the joiner is not the slowest by itself
				t.Errorf("worker %d is %d clocks ahead", p.Worker, p.Clock)
			}
			switch {
			case p.Worker != 1 && p.Received > 100*time.Millisecond && p.Received < 500*time.Millisecond:
				before++
			case p.Worker == 1 && p.Step == 0:
				joined++
				if !p.Abandoned || p.Applied != 0 || p.Clock > 1 {
					t.Errorf("%s: its stale gradient: %+v", name, p)
				}
			case p.Worker == 1 && p.Applied > 0:
				after++
				if p.Step == 1 && p.Pulled == 0 {
					t.Errorf("%s: it goes on with version 0", name)
				}
			}
		}
		if before < 50 || joined != 1 || after < 5 {
			t.Errorf("%s: %d pushes of others before, %d stale, %d after", name, before, joined, after)
		}
	}
}

// TestTheRunEndsWithoutTheSleeper: a worker that wakes up when all is over finds
// Stop and goes; the server has not waited for it.
func TestTheRunEndsWithoutTheSleeper(t *testing.T) {
	var slept time.Duration
	l, _ := run(t, gpus(1, 1, 2, 1), 1, leased(t, "dasp", 100), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
		if p.Rank() != 2 {
			return dasp.Run(p, job)
		}
		if err := cluster.Sleep(p, time.Hour); err != nil {
			return nil, err
		}
		l, err := dasp.Run(p, job)
		slept = p.Now()
		return l, err
	})
	if l.End > 2*time.Second || slept < time.Hour {
		t.Errorf("server ended at %v, the sleeper at %v", l.End, slept)
	}
}

// stopped is the server's Proc on a host that is stopped for a second just before it sends weights to worker 1 at 50 ms.
type stopped struct {
	cluster.Proc
	over bool
}

func (p *stopped) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if to == 2 && !p.over && p.Now() >= 50*time.Millisecond {
		p.over = true
		_ = cluster.Sleep(p.Proc, time.Second)
	}
	return p.Proc.Isend(to, tag, m)
}

// TestAStoppedServerBlamesNobody: a lease begins when the weights have left. The server is stopped in between, for longer
// than a lease: worker 1, which has not got them, is not left out for it.
func TestAStoppedServerBlamesNobody(t *testing.T) {
	for _, name := range rivals.Names() {
		was := 0
		l, _ := run(t, gpus(1, 1, 2, 1), 1, leased(t, name, 100), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
			if p.Rank() == 0 {
				policy := job.Policy
				job.Policy = func() dasp.Policy { return &leavers{policy(), &was} }
				p = &stopped{Proc: p}
			}
			return dasp.Run(p, job)
		})
		if was > 0 || l.End < time.Second {
			t.Errorf("%s: %d workers were left out until %v", name, was, l.End)
		}
	}
}

// leavers is a policy that counts who is left out.
type leavers struct {
	dasp.Policy
	n *int
}

func (p *leavers) Step(ev dasp.Event) []dasp.Action {
	if ev.Kind == dasp.EventLeave {
		*p.n++
	}
	return p.Policy.Step(ev)
}

// TestAllDead: when every lease has run out the server says so.
func TestAllDead(t *testing.T) {
	job, rt := leased(t, "asp", 200), virtual.New(gpus(1, 1, 1, 1), virtual.Config{Seed: 1, WithServer: true})
	_, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) {
		if p.Rank() > 0 {
			return dying(p, job(p.Rank()), 3)
		}
		return dasp.Run(p, job(p.Rank()))
	})
	if err == nil || !strings.Contains(err.Error(), "all 4 workers have left at version 12") {
		t.Errorf("error %v", err)
	}
}

// watched is the server's Proc: every wait must include the receive for pushes.
type watched struct {
	cluster.Proc
	t       *testing.T
	receive cluster.Req
	waits   int
}

func (p *watched) Irecv(from int, tag cluster.Tag, into *cluster.Msg) cluster.Req {
	p.receive = p.Proc.Irecv(from, tag, into)
	return p.receive
}

func (p *watched) WaitAny(until time.Duration, reqs ...cluster.Req) (int, error) {
	p.waits++
	listens := false
	for _, r := range reqs {
		listens = listens || r == p.receive
	}
	if !listens {
		p.t.Errorf("at %v the server waits for %d requests, none of them the next push", p.Now(), len(reqs))
	}
	return p.Proc.WaitAny(until, reqs...)
}

// TestTheReceiveLoopNeverWaits: whatever the server waits for, an update, a
// T_wait, the end of FSS, it hears the next gradient meanwhile.
func TestTheReceiveLoopNeverWaits(t *testing.T) {
	for _, name := range rivals.Names() {
		l, _ := run(t, gpus(1, 1.2, 1.4, 6), 1, leased(t, name, 100), func(p cluster.Proc, job dasp.Job) (*dasp.Log, error) {
			if p.Rank() > 0 {
				return dasp.Run(p, job)
			}
			w := &watched{Proc: p, t: t}
			l, err := dasp.Run(w, job)
			if w.waits < len(l.Pushes) {
				t.Errorf("%s: %d waits for %d pushes", name, w.waits, len(l.Pushes))
			}
			return l, err
		})
		checkLog(t, l)
	}
}

// TestSameSeedSameLog: twice, and with one or two ranks computing at once.
func TestSameSeedSameLog(t *testing.T) {
	job := training(t, "dasp", rivals.Defaults(4), 150, nil)
	var logs []*dasp.Log
	for _, cores := range []int{1, 1, 2, 7} {
		rt := virtual.New(gpus(1, 3, 2, 1), virtual.Config{Seed: 5, WithServer: true, Cores: cores})
		l, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.Run(p, job(p.Rank())) })
		must(t, err)
		logs = append(logs, l[0])
	}
	for _, l := range logs[1:] {
		if diff := cmp.Diff(logs[0], l); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestEnds: a run ends at its push, its update or when OnUpdate says so, and no later.
func TestEnds(t *testing.T) {
	base := training(t, "backup", rivals.Defaults(4), 0, nil)
	for _, c := range []struct {
		name            string
		change          func(*dasp.Job)
		updates, pushes int64
	}{
		{"pushes", func(j *dasp.Job) { j.MaxPushes = 10 }, 4, 12}, // three a round
		{"updates", func(j *dasp.Job) { j.MaxUpdates = 7 }, 7, 21},
		{"target", func(j *dasp.Job) { j.OnUpdate = func(u dasp.Update, _ []float32) bool { return u.Version == 5 } }, 5, 15},
	} {
		l, _ := run(t, gpus(1, 3, 2, 1), 1, func(rank int) dasp.Job { j := base(rank); c.change(&j); return j }, nil)
		if last := l.Updates[len(l.Updates)-1]; last.Version != c.updates || last.Pushes != c.pushes || last.At != l.End {
			t.Errorf("%s: ends with %+v at %v, want version %d after %d pushes", c.name, last, l.End, c.updates, c.pushes)
		}
	}
}

// TestNoGradientAfterStop: a worker that hears Stop while it computes keeps its
// gradient to itself; the Byes that follow have no body.
func TestNoGradientAfterStop(t *testing.T) {
	l, trace := run(t, gpus(1, 3, 2, 1), 1, training(t, "asp", rivals.Defaults(4), 50, nil), nil)
	byes := 0
	for _, s := range trace.Spans {
		if s.Kind != cluster.SpanSend || s.Rank == 0 || s.From < l.End+time.Millisecond {
			continue
		}
		if byes++; s.Bytes > 0 {
			t.Errorf("rank %d sends %d bytes at %v, after the end at %v", s.Rank, s.Bytes, s.From, l.End)
		}
	}
	if byes < 2 {
		t.Errorf("only %d workers computed at the end: the test sees nothing", byes)
	}
}

// alarmed is a policy that answers worker 0 only with worker 1's next push, and
// sets an alarm for 0 that must not ring once 0 is answered.
type alarmed struct {
	t       *testing.T
	waiting bool
}

func (*alarmed) Name() string { return "alarmed" }

func (a *alarmed) Step(ev dasp.Event) []dasp.Action {
	one := []int{ev.Worker}
	switch {
	case ev.Kind == dasp.EventTimer:
		a.t.Errorf("at %v worker %d's alarm rings although it was answered", ev.At, ev.Worker)
		return nil
	case ev.Worker == 0:
		a.waiting = true
		return []dasp.Action{{Kind: dasp.Apply, Workers: one, Weight: 1},
			{Kind: dasp.SetTimer, Workers: one, At: ev.At + 13*time.Millisecond}}
	}
	out := []dasp.Action{{Kind: dasp.Apply, Workers: one, Weight: 1}, {Kind: dasp.Reply, Workers: one, State: dasp.QIS}}
	if a.waiting {
		a.waiting = false
		out = append(out, dasp.Action{Kind: dasp.Reply, Workers: []int{0}, State: dasp.WSS})
	}
	return out
}

// TestAnsweredTimersAreSilent: worker 1 pushes every 7 ms, so the alarm of 13 ms
// is always early enough to be cancelled.
func TestAnsweredTimersAreSilent(t *testing.T) {
	base := training(t, "asp", rivals.Defaults(2), 60, nil)
	l, _ := run(t, gpus(3, 1), 1, func(rank int) dasp.Job {
		j := base(rank)
		j.Policy = func() dasp.Policy { return &alarmed{t: t} }
		return j
	}, nil)
	checkLog(t, l)
}

// TestBadJobs: each is one line, on every rank.
func TestBadJobs(t *testing.T) {
	good := training(t, "asp", rivals.Defaults(1), 5, nil)
	for want, change := range map[string]func(*dasp.Job){
		"no end":          func(j *dasp.Job) { j.MaxPushes, j.OnUpdate = 0, nil },
		"no policy":       func(j *dasp.Job) { j.Policy = nil },
		"no layers":       func(j *dasp.Job) { j.Task = nil },
		"lease of -1s":    func(j *dasp.Job) { j.Lease = -time.Second },
		"duration form 2": func(j *dasp.Job) { j.F = 2 },
		"cover 5":         func(j *dasp.Job) { j.Layers = j.Task.Layers()[:1] },
	} {
		rt := virtual.New(gpus(1), virtual.Config{Seed: 1, WithServer: true})
		_, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) {
			j := good(p.Rank())
			change(&j)
			return dasp.Run(p, j)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
