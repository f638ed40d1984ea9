package train

import (
	"math"
	"slices"
	"testing"

	"gradsync/internal/oktest"
)

// A search for an accuracy has the same evaluations and so the same time whatever bounds the run: the shorter run's
// curve is the beginning of the longer one's.
func TestTimeToTargetDependsOnNoBound(t *testing.T) {
	oktest.Slow(t)
	c := quick("asp")
	c.Rate, c.EvalEvery, c.TargetAccuracy, c.EvalImages = 0.02, 0, 0.9, 50 // 0.9 is never had
	var curves [][]Point
	for _, bound := range []func(*Config){
		func(c *Config) { c.MaxPushes = 120 }, func(c *Config) { c.MaxPushes = 240 },
		func(c *Config) { c.MaxPushes, c.MaxUpdates = 0, 150 },
	} {
		b := c
		bound(&b)
		o := mustRun(t, b)
		if o.Search.Every != TargetEvery || o.Search.MeanSeconds != nil || o.Search.FirstSeconds != nil {
			t.Errorf("%+v, want a search every %d gradients that finds nothing", *o.Search, TargetEvery)
		}
		curves = append(curves, o.Curve)
	}
	if n := []int{len(curves[0]), len(curves[1]), len(curves[2])}; !slices.Equal(n, []int{4, 8, 5}) {
		t.Fatalf("%v evaluations, want one every 30 gradients: 4, 8, 5", n)
	}
	for _, x := range curves {
		if !slices.Equal(x[:4], curves[0]) {
			t.Error("another bound gives other evaluations")
		}
	}
	c.TargetAccuracy = curves[1][3].Accuracy
	var found []float64
	for _, pushes := range []int64{150, 600} {
		c.MaxPushes = pushes
		s := mustRun(t, c).Search
		if s.MeanSeconds == nil || s.FirstSeconds == nil {
			t.Fatalf("%d gradients: %+v, want a time to %v", pushes, *s, c.TargetAccuracy)
		}
		found = append(found, *s.MeanSeconds, *s.FirstSeconds)
	}
	if found[0] != found[2] || found[1] != found[3] {
		t.Errorf("times %v with 150 gradients, %v with 600", found[:2], found[2:])
	}
}

// By hand: a curve from 0.5 after 1 s to 0.75 after 2 s has 0.55, 0.6, 0.65, 0.7 and 0.75 after 1.2, 1.4, 1.6, 1.8 and 2 s.
func TestSearchByHand(t *testing.T) {
	c := Config{TargetAccuracy: 0.75, EvalEvery: 30}
	s := searched(&c, []Point{{Seconds: 1, Accuracy: 0.5}, {Seconds: 2, Accuracy: 0.75}})
	if want := math.Pow(1.2*1.4*1.6*1.8*2, 0.2); math.Abs(*s.MeanSeconds-want) > 1e-12 || *s.FirstSeconds != 2 {
		t.Errorf("mean %v, first %v, want %v and 2", *s.MeanSeconds, *s.FirstSeconds, want)
	}
	c.TargetAccuracy = 0.8
	if s := searched(&c, []Point{{Seconds: 2, Accuracy: 0.75}}); s.MeanSeconds != nil || s.FirstSeconds != nil {
		t.Error("an accuracy that is never had has a time")
	}
	if searched(&Config{}, nil) != nil {
		t.Error("a run without a target searched")
	}
}
