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
)

const ms = time.Millisecond

// rounded is a platform whose every cost is a round number, without jitter, for a model of 984 parameters:
//
//	message  0.1 + 0.2 latencies, 0.3 + 0.4 overheads, 4·984 B and a header
//	         of 64 at 4 MB/s: 2 ms alone
//	worker   4 MFLOP forward, 8 backward at 1 GFLOP/s: 12 ms
//	update   12·984·k bytes at 11.808 MB/s: k ms (2·984·k FLOP take less)
//	decision 5 ms
func rounded(workers int, f dasp.DurationForm, policy func() dasp.Policy) (*cluster.Platform, func(int) dasp.Job) {
	worker := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 4e6, Latency: ms / 5, Overhead: 2 * ms / 5}
	server := cluster.Host{Name: "s", FLOPS: 1e9, Memory: 11.808e6, Bandwidth: 4e6, Latency: ms / 10, Overhead: 3 * ms / 10}
	return cluster.Uniform(workers, worker, &server), func(int) dasp.Job {
		return dasp.Job{Policy: policy, F: f, MaxPushes: int64(3 * workers), Decision: cluster.Work{Fixed: 5 * ms},
			Layers: []cluster.Layer{{Name: "a", Length: 984, Forward: cluster.Work{FLOP: 4e6}, Backward: cluster.Work{FLOP: 8e6}}}}
	}
}

// TestCostsOfOneIteration: by hand, one worker. The weights leave at 0, arrive after 2 ms, 12 ms later the gradient
// leaves, 2 ms later it is there: 16 ms. Then the decision, 5 ms, and the update of one gradient, 1 ms.
func TestCostsOfOneIteration(t *testing.T) {
	p, job := rounded(1, dasp.DurationCompute, func() dasp.Policy { return mustPolicy(t, "bsp", rivals.Defaults(1)) })
	l, _ := run(t, p, 1, job, nil)
	if len(l.Pushes) != 3 {
		t.Fatalf("%d pushes, want 3", len(l.Pushes))
	}
	for i, got := range l.Pushes {
		start := time.Duration(i) * 22 * ms
		want := dasp.Push{Step: int64(i), Pulled: int64(i), Applied: int64(i + 1), State: dasp.QIS,
			Sent: start, Received: start + 16*ms, Replied: start + 22*ms, Compute: 12 * ms}
		if i == 2 { // the run ends with the update, unanswered
			want.Replied, want.State, want.Abandoned = 0, 0, true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("push %d: %s", i, diff)
		}
		if at := l.Updates[i].At; at != start+22*ms {
			t.Errorf("update %d at %v, want %v", i+1, at, start+22*ms)
		}
	}
	if it := l.Stats(0).Iteration; it.PerWorker != 0.022 {
		t.Errorf("iteration of %g s, want 0.022", it.PerWorker)
	}
}

// TestCostsOfAGroup: a barrier of two. Each arrival costs a decision, one after
// the other, and the update of both gradients 2 ms.
func TestCostsOfAGroup(t *testing.T) {
	p, job := rounded(2, dasp.DurationCompute, func() dasp.Policy { return mustPolicy(t, "bsp", rivals.Defaults(2)) })
	l, _ := run(t, p, 1, job, nil)
	first, second := l.Pushes[0], l.Pushes[1]
	if second.Received <= first.Received || second.Received > first.Received+5*ms {
		t.Fatalf("the gradients come at %v and %v, want the second while the first is decided on", first.Received, second.Received)
	}
	want := first.Received + 5*ms + 5*ms + 2*ms
	if l.Updates[0].At != want || first.Replied != want || second.Replied != want {
		t.Errorf("update at %v, answers at %v and %v, want %v", l.Updates[0].At, first.Replied, second.Replied, want)
	}
}

// spy notes f of every push on its way to a policy.
type spy struct {
	dasp.Policy
	f [][]time.Duration // by worker
}

func (s *spy) Step(ev dasp.Event) []dasp.Action {
	if ev.Kind == dasp.EventPush {
		s.f[ev.Worker] = append(s.f[ev.Worker], ev.Compute)
	}
	return s.Policy.Step(ev)
}

// TestDurationIsCountedAsAsked: f of the one worker above is its 12 ms, or the 16 ms from the weights' leaving to the
// gradient's arrival, without the server's 6 ms; the log's Compute is the worker's own either way.
func TestDurationIsCountedAsAsked(t *testing.T) {
	for form, want := range map[dasp.DurationForm]time.Duration{dasp.DurationCompute: 12 * ms, dasp.DurationIteration: 16 * ms} {
		s := &spy{Policy: mustPolicy(t, "dasp", rivals.Defaults(1)), f: make([][]time.Duration, 1)}
		p, job := rounded(1, form, func() dasp.Policy { return s })
		l, _ := run(t, p, 1, job, nil)
		if diff := cmp.Diff([]time.Duration{want, want, want}, s.f[0]); diff != "" {
			t.Errorf("%v: f differs: %s", form, diff)
		}
		if l.Pushes[1].Compute != 12*ms {
			t.Errorf("%v: the log says the worker computed %v", form, l.Pushes[1].Compute)
		}
	}
}

// TestDurationSeesSlowLinks: two workers that compute alike, the second behind a link of a fortieth. The first runs
// ahead into WSS. By its compute time the second is no slower, so T_wait = 0; by the whole iteration it is, and the
// first waits.
func TestDurationSeesSlowLinks(t *testing.T) {
	for _, form := range []dasp.DurationForm{dasp.DurationCompute, dasp.DurationIteration} {
		o := rivals.Defaults(2)
		o.Smin, o.Smax, o.Alpha = 1, 50, 0.5
		p, job := rounded(2, form, func() dasp.Policy { return mustPolicy(t, "dasp", o) })
		p.Workers[1].Bandwidth /= 40 // 40 ms a message
		l, _ := run(t, p, 1, func(rank int) dasp.Job { j := job(rank); j.MaxPushes, j.Decision = 60, cluster.Work{}; return j }, nil)
		weak, waited := 0, time.Duration(0)
		for _, push := range l.Pushes {
			if push.State == dasp.WSS && push.Worker == 0 && push.Replied > 0 {
				weak++
				waited = max(waited, push.Replied-push.Received)
			}
		}
		if weak < 5 {
			t.Fatalf("%v: the fast worker was in WSS %d times, want the case to occur", form, weak)
		}
		// The other's iteration has two slow messages more: T_wait is near half of 2·39 ms.
		if long := waited > 30*ms; long != (form == dasp.DurationIteration) {
			t.Errorf("%v: the longest wait in WSS is %v", form, waited)
		}
	}
}

// TestTooShortALeaseEnds: a lease of 60 ms for iterations of 16, 61 and 65 ms. Of the two slow workers one is always
// back when the other's lease ends, so the barrier waits for ever for gradients that come too late: an error says so.
func TestTooShortALeaseEnds(t *testing.T) {
	p, job := rounded(3, dasp.DurationCompute, func() dasp.Policy { return mustPolicy(t, "bsp", rivals.Defaults(3)) })
	p.Workers[1].FLOPS *= 12. / 57
	p.Workers[2].FLOPS *= 12. / 61
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _, err := cluster.Run(ctx, newVirtual(p), func(p cluster.Proc) (*dasp.Log, error) {
		j := job(p.Rank())
		j.Decision, j.Lease, j.MaxPushes = cluster.Work{}, 60*ms, 200
		return dasp.Run(p, j)
	})
	if err == nil || !strings.Contains(err.Error(), "lease of 60ms is too short: workers joined anew 7 times at version 1") {
		t.Errorf("error %v", err)
	}
}
