package train

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/kit"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// lenetParams is LeNet-5's number of parameters: 156 + 2,416 + 48,120 + 10,164 + 850.
const lenetParams = 61706

// rounded returns a platform of n workers whose every cost but the arithmetic is a round number
// for LeNet-5, without jitter:
//
//	message  its bytes and a header of 64 at 246.888 MB/s: 1 ms; latencies of
//	         0.1 + 0.2 and overheads of 0.3 + 0.4 ms: 2 ms alone
//	update   12 bytes a parameter at 740.472 MB/s: 1 ms a gradient
//	decision 5 ms
//
// The workers compute at half the reference device's rate.
func rounded(n int) *cluster.Platform {
	const ms, link = time.Millisecond, (4*lenetParams + 64) * 1000
	worker := cluster.Host{Name: "w", FLOPS: ReferenceFLOPS / 2, Bandwidth: link, Latency: ms / 5, Overhead: 2 * ms / 5}
	server := cluster.Host{Name: "s", FLOPS: 1e12, Memory: 12 * lenetParams * 1000, Bandwidth: link, Latency: ms / 10, Overhead: 3 * ms / 10}
	p := cluster.Uniform(n, worker, &server)
	p.Decision = 5 * ms
	return p
}

// TestCostsOfOneIteration: by hand, one worker, which waits for nobody. The layers are four times five: forward, and
// backward twice as long beside the arithmetic; five layers have parameters.
//
//	pull + overhead + launch · 3 · 5 + arithmetic + push + decision + update
func TestCostsOfOneIteration(t *testing.T) {
	const batch = 8
	m, err := model.New("lenet5")
	if err != nil || len(m.Layers()) != 5 {
		t.Fatalf("LeNet-5 (%v), want five layers with parameters", err)
	}
	infos, flop := m.Layers(), 0.0
	for _, l := range infos {
		flop += batch * (l.ForwardFLOP + l.BackwardFLOP)
	}
	arithmetic := flop / (ReferenceFLOPS / 2)
	for _, c := range []struct {
		name             string
		launch, overhead time.Duration
		beside           float64 // seconds, on a machine of half the reference's rate
	}{
		{"none", -1, -1, 0},
		{"launch", 10 * time.Millisecond, -1, 0.300},
		{"overhead", -1, 7 * time.Millisecond, 0.014},
		{"both", 10 * time.Millisecond, 7 * time.Millisecond, 0.314},
		{"defaults", 0, 0, 2 * (15*25e-6 + 3e-3)}, // 25 µs and 3 ms
	} {
		o := mustRun(t, Config{Sync: "bsp", Model: "lenet5", Platform: rounded(1), Batch: batch, MaxPushes: 4,
			TimingOnly: true, Launch: c.launch, Overhead: c.overhead})
		for i, p := range o.Log.Pushes {
			if got, want := p.Compute.Seconds(), arithmetic+c.beside; math.Abs(got-want) > 1e-7 {
				t.Errorf("%s: push %d computed for %.9g s, want %.9g", c.name, i, got, want)
			}
			if p.Replied > 0 && p.Replied-p.Received != 6*time.Millisecond {
				t.Errorf("%s: push %d answered after %v, want a decision of 5 ms and an update of 1 ms", c.name, i, p.Replied-p.Received)
			}
		}
		if want := 0.002 + arithmetic + c.beside + 0.002 + 0.006; math.Abs(o.Iteration.PerWorker-want) > 1e-7 {
			t.Errorf("%s: iteration of %.9g s, want %.9g", c.name, o.Iteration.PerWorker, want)
		}
	}
}

// TestFixedHost: what the host takes does not depend on the machine's speed, its arithmetic does.
func TestFixedHost(t *testing.T) {
	compute := func(host string, launch, overhead time.Duration) float64 {
		o := mustRun(t, Config{Sync: "bsp", Model: "lenet5", Platform: rounded(1), Batch: 8, MaxPushes: 2, TimingOnly: true, Host: host,
			Launch: launch, Overhead: overhead})
		return o.Log.Pushes[0].Compute.Seconds()
	}
	arithmetic := compute("", -1, -1)
	for host, want := range map[string]float64{HostScaled: 2 * (0.150 + 0.007), HostFixed: 0.150 + 0.007} { // five layers, three launches each
		if got := compute(host, 10*time.Millisecond, 7*time.Millisecond) - arithmetic; math.Abs(got-want) > 1e-7 {
			t.Errorf("host %s: %.9g s beside the arithmetic on a machine of half the speed, want %.9g", host, got, want)
		}
	}
	if _, err := Run(t.Context(), Config{Sync: "bsp", Model: "lenet5", Platform: rounded(1), MaxPushes: 2, Host: "free"}); err == nil ||
		!strings.Contains(err.Error(), `host "free"`) {
		t.Errorf("an unknown host: %v", err)
	}
}

// TestResolvedRunsAlike: what is resolved before the run is timed as what is not, with nothing beside the arithmetic too.
func TestResolvedRunsAlike(t *testing.T) {
	for _, beside := range []time.Duration{-1, 0, 5 * time.Millisecond} {
		c := Config{Sync: "bsp", Model: "lenet5", Platform: rounded(1), MaxPushes: 2, TimingOnly: true, Launch: beside, Overhead: beside}
		resolved := oktest.Must(c.Resolved())(t)
		if want, got := *mustRun(t, c).VirtualSeconds, *mustRun(t, resolved).VirtualSeconds; got != want {
			t.Errorf("launch and overhead %v: %.9g s when resolved before, want %.9g", beside, got, want)
		}
	}
}

// TestAdjustment: DASP pays where a wait begins and where it ends, whether the run is recorded or not;
// answers in QIS cost nothing, and no other method pays.
func TestAdjustment(t *testing.T) {
	const adjust = 3 * time.Millisecond
	run := func(sync string, smin int64, adjustment time.Duration, record string) []dasp.Push {
		o := rivals.Options{Smin: smin, Smax: smin + 1, Adjustment: adjustment}
		p := rounded(4)
		p.Workers[3].FLOPS /= 8
		return mustRun(t, Config{Sync: sync, Model: "lenet5", Platform: p, Batch: 8, MaxPushes: 40, TimingOnly: true,
			Server: Server{Options: &o, Record: record}}).Log.Pushes
	}
	for _, c := range []struct {
		sync string
		smin int64
	}{{"asp", 1}, {"ssp", 1}, {"dasp", 49}} { // as far as 49 versions ahead all is QIS
		if got, want := run(c.sync, c.smin, adjust, ""), run(c.sync, c.smin, 0, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, Smin %d: %v, without a cost %v", c.sync, c.smin, got, want)
		}
	}
	free, dear := run("dasp", 1, 0, ""), run("dasp", 1, adjust, "")
	waits := func(p dasp.Push) bool { return p.State == dasp.FSS && p.Replied-p.Received > 20*time.Millisecond }
	at, later := slices.IndexFunc(free, waits), slices.IndexFunc(dear, waits)
	if at < 0 || later != at || dear[at].Received != free[at].Received || dear[at].Replied-free[at].Replied != adjust {
		t.Errorf("the first long wait is push %d, with a cost %d, and ends not %v later, its beginning being over: %v, %v", at, later, adjust, free, dear)
	}
	if recorded := run("dasp", 1, adjust, filepath.Join(t.TempDir(), "record")); !reflect.DeepEqual(recorded, dear) {
		t.Errorf("recorded: %v, want %v", recorded, dear)
	}
	rec := &recorder{Policy: kit.Must(rivals.New("dasp", rivals.Options{Workers: 2, Smin: 1, Smax: 2, Alpha: 0.5}))}
	if rec.Step(dasp.Event{Kind: dasp.EventPush}); rec.Decided().State != dasp.QIS {
		t.Errorf("a recorder tells the server %+v of a push in QIS", rec.Decided())
	}
}

// TestLease: the second of two workers takes far longer than the lease. Without
// one its gradients are used; with one the first goes on alone, even at BSP's
// barrier, and every late gradient is refused; with one that nobody keeps the
// run ends in an error.
func TestLease(t *testing.T) {
	for _, sync := range []string{"bsp", "dasp"} {
		used := func(lease time.Duration) (by [2]int) {
			p := rounded(2)
			p.Workers[1].FLOPS /= 20 // 6 ms · 20
			o := mustRun(t, Config{Sync: sync, Model: "lenet5", Platform: p, Batch: 4, MaxPushes: 40, TimingOnly: true, Server: Server{Lease: lease}})
			for _, push := range o.Log.Pushes {
				if push.Applied > 0 {
					by[push.Worker]++
				}
			}
			return by
		}
		if by := used(0); by[1] == 0 {
			t.Errorf("%s: without a lease the slow worker's gradients used are %v", sync, by)
		}
		if by := used(60 * time.Millisecond); by != [2]int{40, 0} {
			t.Errorf("%s: with a lease of 60 ms the gradients used are %v, want 40 of the first alone", sync, by)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := Config{Sync: "dasp", Model: "lenet5", Platform: rounded(2), MaxPushes: 40, TimingOnly: true, Server: Server{Lease: time.Millisecond}}
	if _, err := Run(ctx, c); err == nil || !strings.Contains(err.Error(), "all 2 workers have left") {
		t.Errorf("with a lease that nobody keeps: error %v", err)
	}
}

// TestDuration: f reaches Algorithm 1 in the reading asked for. Both workers compute alike, the second behind a link of
// a fortieth: by compute time the first has nobody to wait for in WSS, by whole iterations it has.
func TestDuration(t *testing.T) {
	longest := func(duration string) (wait time.Duration) {
		p := rounded(2)
		p.Decision, p.Workers[1].Bandwidth = 0, p.Workers[1].Bandwidth/40
		o := rivals.Options{Smin: 1, Smax: 50, Alpha: 0.5, Duration: duration}
		out := mustRun(t, Config{Sync: "dasp", Model: "lenet5", Platform: p, Batch: 4, MaxPushes: 60, TimingOnly: true, Server: Server{Options: &o}})
		if out.StateShare["WSS"] < 0.1 {
			t.Fatalf("duration %q: %v of pushes in WSS, want the case to occur", duration, out.StateShare["WSS"])
		}
		for _, push := range out.Log.Pushes {
			if push.Worker == 0 && push.Replied > 0 && push.State.String() == "WSS" {
				wait = max(wait, push.Replied-push.Received)
			}
		}
		return wait
	}
	byDefault, compute, iteration := longest(""), longest("compute"), longest("iteration")
	if byDefault != compute || compute > 10*time.Millisecond || iteration < 30*time.Millisecond {
		t.Errorf("longest wait in WSS: %v by default, %v with compute, %v with iteration", byDefault, compute, iteration)
	}
}
