package train

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gradsync/experiments/platforms"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// without trains six workers of which some crash.
func without(t *testing.T, sync string, crashes ...Crash) (*Outcome, error) {
	t.Helper()
	return Run(context.Background(), elasticConfig(t, sync, nil, crashes...))
}

// elasticConfig returns the training that without makes, changed.
func elasticConfig(t *testing.T, sync string, change func(*Config), crashes ...Crash) Config {
	t.Helper()
	p := oktest.Must(platforms.Load("heterogeneous6"))(t)
	cfg := Config{Engine: quick(sync).Engine, Sync: sync, Model: "mlp", Width: 0.125, Platform: p, Seed: 1, Batch: 4, MaxUpdates: 20, EvalEvery: -1,
		Elastic: Elastic{Elastic: true, Crashes: crashes}}
	switch sync {
	case "ring":
		cfg.Momentum = 0.9
	case codedsgd.CSSGD:
		cfg.BatchSize, cfg.Coded = 40, &codedsgd.Options{Redundancy: 3}
	case "dasp", "ssp":
		cfg.MaxUpdates = 60
	}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

// TestTrainingsGoOnWithoutTheLost: each method makes all updates without the ranks that crash, which the outcome names;
// coded SGD with the parameters of the run that loses nobody, until a block has no living holder.
func TestTrainingsGoOnWithoutTheLost(t *testing.T) {
	oktest.Slow(t)
	crashes := []Crash{{2, 60 * time.Millisecond}, {4, 61 * time.Millisecond}, {1, 62 * time.Millisecond}}
	for _, sync := range []string{"ring", "ringsparse", "naive", codedsgd.CSSGD, "bsp", "ssp", "dasp"} {
		whole, err := without(t, sync)
		if err != nil {
			t.Fatalf("%s: %v", sync, err)
		}
		for n := 1; n <= 3; n++ {
			out, err := without(t, sync, crashes[:n]...)
			if sync == codedsgd.CSSGD && n == 3 {
				if err == nil || !strings.Contains(err.Error(), "block 11 is lost with all nodes that compute it, [1 2 4]") {
					t.Errorf("%s without three: %v", sync, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s without %d: %v", sync, n, err)
				continue
			}
			if want := []int{2, 4, 1}[:n]; !slices.Equal(out.Lost, want) || out.Updates != whole.Updates {
				t.Errorf("%s: lost %v and made %d updates, want %v and %d", sync, out.Lost, out.Updates, want, whole.Updates)
			}
			if same := out.ParamsSHA256 == whole.ParamsSHA256; same != (sync == codedsgd.CSSGD) {
				t.Errorf("%s without %d: the parameters of the run that loses nobody: %v", sync, n, same)
			}
		}
	}
}

// TestARunThatReachedItsTargetLosesARank: whoever is lost while the others end at the target accuracy, they all end there.
func TestARunThatReachedItsTargetLosesARank(t *testing.T) {
	oktest.Slow(t)
	run := func(at time.Duration) *Outcome {
		out, err := Run(context.Background(), elasticConfig(t, "ring", func(c *Config) {
			c.Data, c.TargetAccuracy, c.EvalEvery, c.EvalImages = "synthetic", 0.01, 12, 50
		}, Crash{3, at}))
		if err != nil || out.Updates != 2 {
			t.Fatalf("without rank 3 from %v on: %+v, %v", at, out, err)
		}
		return out
	}
	end, lost := time.Duration(*run(time.Hour).VirtualSeconds*1e9), 0
	for k := range time.Duration(24) {
		lost += len(run(end - k*20*time.Microsecond).Lost)
	}
	if lost == 0 || lost == 24 {
		t.Errorf("rank 3 was lost in %d of 24 runs, want some, and some that end before", lost)
	}
}

// TestElasticRefuses says what cannot be, and that nobody has the server's weights.
func TestElasticRefuses(t *testing.T) {
	oktest.Slow(t)
	if _, err := without(t, "bsp", Crash{0, 60 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "the server, rank 0, is lost") {
		t.Errorf("without the server: %v", err)
	}
	p := cluster.Uniform(2, cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e8}, nil)
	for want, change := range map[string]func(*Config){
		"not elastic":      func(c *Config) { c.Crashes = []Crash{{1, 1}} },
		"an elastic job":   func(c *Config) { c.Runtime, c.TCP = "tcp", &tcp.Config{Size: 2, Elastic: true} },
		"groups are fixed": func(c *Config) { c.Elastic.Elastic, c.Sync, c.PerNode = true, "hierarchical", 2 },
		"ssgd-unicast does not go on without a rank: of coded SGD's": func(c *Config) { c.Elastic.Elastic, c.Sync, c.BatchSize = true, "ssgd-unicast", 40 },
		"ssgd-multicast does not go on":                              func(c *Config) { c.Elastic.Elastic, c.Sync, c.BatchSize = true, "ssgd-multicast", 40 },
		"compressed does not go on":                                  func(c *Config) { c.Elastic.Elastic, c.Sync, c.BatchSize = true, "compressed", 40 },
		"a crash of rank 2":                                          func(c *Config) { c.Elastic = Elastic{true, []Crash{{2, 1}}} },
		"more than 0s":                                               func(c *Config) { c.Elastic = Elastic{true, []Crash{{1, 0}}} },
	} {
		c := Config{Sync: "ring", Model: "mlp", Platform: p, MaxUpdates: 1}
		change(&c)
		if _, err := c.Resolved(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTheProbeOfTheLostIsCountedApart: bytes_sent has no probe of ringsparse, that of a rank which is lost later neither.
func TestTheProbeOfTheLostIsCountedApart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second of its own clock: make test has it")
	}
	for at := 300 * time.Millisecond; ; at *= 2 { // on a busy machine rank 1 may be lost while it probes: later, then
		out, err := Run(t.Context(), elasticConfig(t, "ringsparse", func(c *Config) {
			c.Runtime, c.Emulate, c.MaxUpdates, c.Host, c.Overhead = "local", true, 1, HostFixed, 2*at // rank 1 is lost before it sends a gradient
		}, Crash{1, at}))
		if at < time.Minute && (err != nil || out.RingSparse.ProbeBytes < 6*2*probeBytes) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d bytes, probe %d, %.2f s", out.BytesSent, out.RingSparse.ProbeBytes, out.WallSeconds)
		if !slices.Equal(out.Lost, []int{1}) || out.RingSparse.ProbeBytes < 6*2*probeBytes || out.BytesSent >= 2*probeBytes { // no rank probes with less
			t.Errorf("without %v: %d bytes were sent, %d of the probe", out.Lost, out.BytesSent, out.RingSparse.ProbeBytes)
		}
		return
	}
}

// TestTCPGoesOnWithoutTheLost: over sockets, with the bits of virtual time.
func TestTCPGoesOnWithoutTheLost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	slow := func(c *Config) { c.Engine = "portable" }
	whole, err := Run(t.Context(), elasticConfig(t, codedsgd.CSSGD, slow))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), elasticConfig(t, codedsgd.CSSGD, func(c *Config) {
		slow(c)
		c.Runtime = "tcp"
		first := sync.OnceFunc(func() { time.Sleep(100 * time.Millisecond) }) // so that no machine ends before ranks are lost
		c.Progress = func(int64, int64) { first() }
	}, Crash{0, 30 * time.Millisecond},
		Crash{3, 60 * time.Millisecond}))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(out.Lost); !slices.Equal(out.Lost, []int{0, 3}) || out.ParamsSHA256 != whole.ParamsSHA256 {
		t.Errorf("%.12s without %v, want %.12s without ranks 0 and 3", out.ParamsSHA256, out.Lost, whole.ParamsSHA256)
	}
}

// TestSurvivorsAgree: living ranks that end with different parameters are an error, which names the rank, whatever the lost had.
func TestSurvivorsAgree(t *testing.T) {
	r := &runner{cfg: Config{Sync: "ring", Workers: 3}, out: &Outcome{Lost: []int{0}}}
	if err := r.endings([]ending{{Hash: "a"}, {Hash: "b"}, {Hash: "a"}}, 0); err == nil || !strings.Contains(err.Error(), "of rank 2 differ from the first's") {
		t.Errorf("%v, want rank 2 named", err)
	}
	for _, lost := range [][]int{nil, {1}, {0, 1}} {
		r := &runner{cfg: Config{Sync: "ring", Workers: 3}, out: &Outcome{Lost: lost}}
		if err := r.endings([]ending{{Hash: "a"}, {Hash: "b"}, {Hash: "a"}}, 0); (err == nil) != (lost != nil) {
			t.Errorf("without %v: %v", lost, err)
		}
		first := len(lost) / 2 * 2 // 0, 0 and 2
		for rank := range 3 {
			if r.cfg.TCP = &(tcp.Config{Rank: rank}); r.leads() != (rank == first) {
				t.Errorf("without %v rank %d speaks for the run: %v", lost, rank, r.leads())
			}
		}
	}
}
