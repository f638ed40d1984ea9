package train

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gradsync/shared/tensor/model"
)

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
		m, err := model.New("lenet5")
		if err != nil {
			t.Fatal(err)
		}
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
	c, err := quick("bsp").withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.network()
	if err != nil {
		t.Fatal(err)
	}
	s, err := openShared(c, m)
	if err != nil {
		t.Fatal(err)
	}
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
