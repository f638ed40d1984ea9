package train

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/platforms"
	"gradsync/internal/oktest"
	"gradsync/shared/tensor/model"
)

func TestReachInterpolates(t *testing.T) {
	curve := []Point{{Pushes: 10, Updates: 1, Seconds: 1, Accuracy: 0.2}, {Pushes: 20, Updates: 3, Seconds: 3, Accuracy: 0.6},
		{Pushes: 30, Updates: 4, Seconds: 4, Accuracy: 0.5}}
	for _, x := range []struct {
		accuracy float64
		want     ToTarget
		ok       bool
	}{
		{0.5, ToTarget{2.5, 17.5, 2.5}, true}, // three quarters of the way from 0.2 to 0.6
		{0.1, ToTarget{1, 10, 1}, true},       // the first evaluation is above it
		{0.6 + 1e-13, ToTarget{3, 20, 3}, true},
		{0.7, ToTarget{}, false},
	} {
		got, ok := Reach(curve, x.accuracy)
		if ok != x.ok || math.Abs(got.Seconds-x.want.Seconds)+math.Abs(got.Pushes-x.want.Pushes)+math.Abs(got.Updates-x.want.Updates) > 1e-9 {
			t.Errorf("%g: %+v %t, want %+v %t", x.accuracy, got, ok, x.want, x.ok)
		}
		or := ReachOr(curve, x.accuracy)
		if none := math.IsNaN(or.Seconds) && math.IsNaN(or.Pushes) && math.IsNaN(or.Updates); ok && or != got || !ok && !none {
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
	p := oktest.Must(platforms.Load("homogeneous6"))(t)
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

// A run whose rate is absurd says that it diverged, and where that was first
// seen; its JSON has null for what is no number, and its parameters are saved.
func TestDivergedRunSaysSo(t *testing.T) {
	for _, sync := range []string{"bsp", "ring"} {
		c := quick(sync)
		c.Rate, c.Save = 1e10, filepath.Join(t.TempDir(), "w")
		o := mustRun(t, c)
		if o.Diverged == nil || o.Diverged.Pushes != 12 || o.Diverged.Updates != 4 || len(o.Curve) == 0 || o.Curve[0].Pushes != 12 {
			t.Fatalf("%s: diverged %+v, curve %+v; want it seen after 12 gradients", sync, o.Diverged, o.Curve)
		}
		if out := text(t, o); !strings.Contains(out, `"loss": null`) || !strings.Contains(out, `"diverged": {`) {
			t.Errorf("%s: the outcome has no null or no divergence:\n%s", sync, out)
		}
		m := oktest.Must(model.New("lenet5"))(t)
		params := make([]float32, m.NumParams())
		if err := LoadState(c.Save, m, c.Width, params, nil); err != nil || ParamsHash(params) != o.ParamsSHA256 || allFinite(params) {
			t.Errorf("%s: saved parameters: %v, all finite: %t", sync, err, allFinite(params))
		}
	}
	c := quick("bsp") // nobody looks on the way
	c.Rate, c.EvalEvery = 1e10, -1
	if o := mustRun(t, c); o.Diverged == nil || o.Diverged.Pushes != o.Pushes {
		t.Errorf("seen at the end alone: %+v of %d pushes", o.Diverged, o.Pushes)
	}
	c = quick("bsp") // no search goes on that cannot end well
	c.Rate, c.TargetAccuracy, c.MaxPushes = 1e10, 0.9, 3600
	if o := mustRun(t, c); o.Diverged == nil || o.Pushes != 12 {
		t.Errorf("search for a target: %+v, %d pushes", o.Diverged, o.Pushes)
	}
	if o := mustRun(t, quick("bsp")); o.Diverged != nil || !strings.Contains(text(t, o), `"diverged": null`) {
		t.Errorf("a sound run diverged: %+v", o.Diverged)
	}
}

// One parameter that no logit shows is enough.
func TestDivergedParameter(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		if !allFinite([]float32{1, 2}) || allFinite([]float32{1, float32(v), 2}) {
			t.Errorf("parameters with %v", v)
		}
	}
	c := oktest.Must(quick("bsp").withDefaults())(t)
	m := oktest.Must(c.network())(t)
	s := oktest.Must(openShared(c, m))(t)
	params := make([]float32, m.NumParams())
	if _, loss, err := s.evaluate(params, 100); err != nil || !finite(loss) {
		t.Errorf("finite parameters: loss %g, %v", loss, err)
	}
	params[m.Params()[1].Offset] = float32(math.Inf(-1)) // a bias that the ReLU behind it hides
	if _, loss, err := s.evaluate(params, 100); err != nil || finite(loss) {
		t.Errorf("a hidden infinite parameter: loss %g, %v", loss, err)
	}
}

// Experiments keep curves as JSON: they come back as they were.
func TestPointRoundTrip(t *testing.T) {
	for _, p := range []Point{{Pushes: 1, Updates: 2, Seconds: 3, Accuracy: 0.4, Loss: 0.5}, {Pushes: 7, Accuracy: 0.1, Loss: math.NaN()}, {Loss: math.Inf(1)}} {
		raw, err := json.Marshal(p)
		var back Point
		if err == nil {
			err = json.Unmarshal(raw, &back)
		}
		if finite(p.Loss) != finite(back.Loss) || err != nil {
			t.Errorf("%+v: %s, back %+v, %v", p, raw, back, err)
		}
		if p.Loss, back.Loss = max(p.Loss, 0), max(back.Loss, 0); finite(p.Loss) && p != back {
			t.Errorf("%+v came back as %+v", p, back)
		}
	}
	if raw, _ := json.Marshal(Point{1, 2, 3, 0.4, 0.5}); string(raw) != `{"pushes":1,"updates":2,"seconds":3,"accuracy":0.4,"loss":0.5}` {
		t.Errorf("a point is %s", raw)
	}
}
