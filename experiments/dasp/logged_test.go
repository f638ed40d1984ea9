package dasp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gradsync/experiments/train"
)

// shelf is a memo in memory that keeps what a file would: JSON.
type shelf map[string][]byte

func (s shelf) Load(key string, v any) bool {
	raw, ok := s[key]
	return ok && json.Unmarshal(raw, v) == nil
}

func (s shelf) Save(key string, v any) (err error) { s[key], err = json.Marshal(v); return err }

func (s shelf) State(string) string { return "" }

// A part is made once for its kind and configuration, an error is kept of none,
// and a command that was ended begins no more.
func TestKeptIsMadeOnce(t *testing.T) {
	r := testRuns("ci", 0)
	memo := shelf{}
	r.env.Memo, r.env.Engine = memo, "portable"
	var progress []float64
	r.env.Progress = func(done, _ float64, _ string) { progress = append(progress, done) }
	cfg := timing(load(homogeneous), "asp", "lenet5", 0)
	made := 0
	get := func(kind string, seed uint64, fail error) (int, error) {
		cfg := cfg
		cfg.Seed = seed
		return kept(r, kind, "the part", 2, cfg, func(c train.Config) (int, error) {
			if made++; c.Engine != "portable" || c.Seed != seed {
				t.Errorf("made of engine %q, seed %d", c.Engine, c.Seed)
			}
			return 10 + made, fail
		})
	}
	broken := errors.New("broken")
	if _, err := get("a/", 0, broken); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the part") || len(memo) != 0 || len(progress) != 0 {
		t.Errorf("after a failure: %v, %d parts kept, progress %v", err, len(memo), progress)
	}
	for i, c := range []struct {
		kind string
		seed uint64
		want int
	}{{"a/", 0, 12}, {"a/", 0, 12}, {"b/", 0, 13}, {"a/", 1, 14}, {"a/", 0, 12}} {
		if got, err := get(c.kind, c.seed, nil); got != c.want || err != nil {
			t.Errorf("call %d: %d (%v), want %d", i, got, err, c.want)
		}
	}
	if made != 4 || len(memo) != 3 || len(progress) != 5 || progress[4] != 10 {
		t.Errorf("made %d times, %d kept, progress %v", made, len(memo), progress)
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	r.ctx = ctx
	if _, err := get("c/", 0, nil); !errors.Is(err, context.Canceled) || made != 4 {
		t.Errorf("after the end: %v, made %d times", err, made)
	}
	if got, err := get("a/", 0, nil); got != 12 || err != nil {
		t.Errorf("what is kept after the end: %d (%v)", got, err)
	}
}

// logged reduces the run of the configuration that it was given.
func TestLoggedRunsTheConfiguration(t *testing.T) {
	r := testRuns("ci", 0)
	cfg := timing(load(homogeneous), "ssp", "lenet5", 0)
	cfg.MaxPushes, cfg.Warmup = 60, 0
	n, err := logged(r, "", "a run", 1, cfg, func(o *train.Outcome) (int, error) {
		if o.Sync != "ssp" {
			t.Errorf("a run of %s", o.Sync)
		}
		return len(o.Log.Pushes), nil
	})
	if err != nil || n < 60 {
		t.Errorf("%d pushes (%v), want at least 60", n, err)
	}
	cfg.Sync = "none"
	if _, err := logged(r, "", "a run", 1, cfg, func(*train.Outcome) (int, error) { return 0, nil }); err == nil || !strings.Contains(err.Error(), "a run: ") {
		t.Errorf("no such method: %v", err)
	}
}
