package train

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/platforms"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// without trains six workers of which some crash.
func without(t *testing.T, sync string, crashes ...Crash) (*Outcome, error) {
	t.Helper()
	p, err := platforms.Load("heterogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Sync: sync, Model: "mlp", Width: 0.125, Platform: p, Seed: 1, Batch: 4, MaxUpdates: 20, EvalEvery: -1,
		Elastic: Elastic{Elastic: true, Crashes: crashes}}
	switch sync {
	case "ring":
		cfg.Momentum = 0.9
	case codedsgd.CSSGD:
		cfg.BatchSize, cfg.Coded = 40, &codedsgd.Options{Redundancy: 3}
	case "dasp", "ssp":
		cfg.MaxUpdates = 60
	}
	return Run(context.Background(), cfg)
}

// TestTrainingsGoOnWithoutTheLost: each method makes all updates without the ranks that crash, which the outcome names;
// coded SGD with the parameters of the run that loses nobody, until a block has no living holder.
func TestTrainingsGoOnWithoutTheLost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
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

// TestElasticRefuses says what cannot be, and that nobody has the server's weights.
func TestElasticRefuses(t *testing.T) {
	if _, err := without(t, "bsp", Crash{0, 60 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "the server, rank 0, is lost") {
		t.Errorf("without the server: %v", err)
	}
	p := cluster.Uniform(2, cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e8}, nil)
	for want, change := range map[string]func(*Config){
		"not elastic":         func(c *Config) { c.Crashes = []Crash{{1, 1}} },
		"of virtual or local": func(c *Config) { c.Elastic.Elastic, c.Runtime = true, "tcp" },
		"groups are fixed":    func(c *Config) { c.Elastic.Elastic, c.Sync, c.PerNode = true, "hierarchical", 2 },
		"a crash of rank 2":   func(c *Config) { c.Elastic = Elastic{true, []Crash{{2, 1}}} },
		"more than 0s":        func(c *Config) { c.Elastic = Elastic{true, []Crash{{1, 0}}} },
	} {
		c := Config{Sync: "ring", Model: "mlp", Platform: p, MaxUpdates: 1}
		change(&c)
		if _, err := c.Resolved(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
