package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
)

func TestReachInterpolates(t *testing.T) {
	curve := []Point{{Pushes: 10, Updates: 1, Seconds: 1, Accuracy: 0.2}, {Pushes: 20, Updates: 3, Seconds: 3, Accuracy: 0.6},
		{Pushes: 30, Updates: 4, Seconds: 4, Accuracy: 0.5}}
	for _, x := range []struct {
		accuracy float64
		want     Crossing
		ok       bool
	}{
		{0.5, Crossing{2.5, 17.5, 2.5}, true}, // three quarters of the way from 0.2 to 0.6
		{0.1, Crossing{1, 10, 1}, true},       // the first evaluation is above it
		{0.6 + 1e-13, Crossing{3, 20, 3}, true},
		{0.7, Crossing{}, false},
	} {
		got, ok := Reach(curve, x.accuracy)
		if ok != x.ok || math.Abs(got.Seconds-x.want.Seconds)+math.Abs(got.Pushes-x.want.Pushes)+math.Abs(got.Updates-x.want.Updates) > 1e-9 {
			t.Errorf("%g: %+v %t, want %+v %t", x.accuracy, got, ok, x.want, x.ok)
		}
		if or := ReachOr(curve, x.accuracy); ok && or != got || !ok && !(math.IsNaN(or.Seconds) && math.IsNaN(or.Pushes) && math.IsNaN(or.Updates)) {
			t.Errorf("%g: or %+v", x.accuracy, or)
		}
	}
}

// shelf is a memo in memory that keeps what a file would: JSON.
type shelf map[string][]byte

func (s shelf) Load(key string, v any) bool {
	raw, ok := s[key]
	return ok && json.Unmarshal(raw, v) == nil
}

func (s shelf) Save(key string, v any) (err error) { s[key], err = json.Marshal(v); return err }

func (s shelf) State(string) string { return "" }

// A run is made once for its configuration, type and what is given besides; nothing is
// kept of a failure, and a command that was ended begins no more.
func TestKeptIsMadeOnce(t *testing.T) {
	p, err := platforms.Load("homogeneous6")
	if err != nil {
		t.Fatal(err)
	}
	memo, made := shelf{}, 0
	env := exp.Env{Engine: "portable", Memo: memo}
	cfg := Config{Sync: "asp", Model: "lenet5", Platform: p, TimingOnly: true, MaxPushes: 60}
	get := func(ctx context.Context, seed uint64, fail error, also ...any) (int, error) {
		cfg := cfg
		cfg.Seed = seed
		return KeptBy(ctx, env, cfg, func(c Config) (int, error) {
			if made++; c.Engine != "portable" || c.Seed != seed {
				t.Errorf("made of engine %q, seed %d", c.Engine, c.Seed)
			}
			return 10 + made, fail
		}, also...)
	}
	broken := errors.New("broken")
	if _, err := get(t.Context(), 0, broken); !errors.Is(err, broken) || len(memo) != 0 {
		t.Errorf("after a failure: %v, %d parts kept", err, len(memo))
	}
	for i, c := range []struct {
		seed uint64
		also []any
		want int
	}{{0, nil, 12}, {0, nil, 12}, {1, nil, 13}, {0, []any{"mask"}, 14}, {0, nil, 12}} {
		if got, err := get(t.Context(), c.seed, nil, c.also...); got != c.want || err != nil {
			t.Errorf("call %d: %d (%v), want %d", i, got, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := get(ended, 2, nil); !errors.Is(err, context.Canceled) || made != 4 {
		t.Errorf("after the end: %v, made %d times", err, made)
	}
	if got, err := get(ended, 0, nil); got != 12 || err != nil {
		t.Errorf("what is kept after the end: %d (%v)", got, err)
	}
	n, err := Kept(t.Context(), env, cfg, func(o *Outcome) (int64, error) { return o.Pushes, nil })
	if err != nil || n < 60 {
		t.Errorf("a run of %d pushes (%v), want at least 60", n, err)
	}
}
