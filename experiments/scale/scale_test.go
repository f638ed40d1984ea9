package scale

import (
	"math"
	"testing"

	"gradsync/experiments/kit"
	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// The bytes of a round are those that an exchange sends.
func TestTrafficIsWhatIsSent(t *testing.T) {
	const n, params = 12, 12_000
	p := planOf("ci")
	for method, exchange := range map[string]func(cluster.Proc) error{
		"ring":         func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 0, params) },
		"hierarchical": func(p cluster.Proc) error { return collective.HierarchicalTiming(p, 0, perNode(n), params) },
	} {
		_, trace, err := cluster.Run(t.Context(), virtual.New(p.platform(p.Cases[0], n), virtual.Config{}), func(p cluster.Proc) (struct{}, error) {
			return struct{}{}, exchange(p)
		})
		oktest.Nil(t, err)
		per, _ := traffic(point{p.Cases[0], method, n}, params)
		kittest.Near(t, method+": bytes of a worker", per, float64(trace.BodyBytes())/n, 1e-9*per)
	}
}

// ended returns where a method stops that is worth those many workers at 10, 100, 1,000 ….
func ended(worth ...float64) end {
	var of []row
	for i, w := range worth {
		r := row{point: point{Method: "ring", Workers: int(math.Pow(10, float64(i+1)))}, Per: kit.Sample{w}.Mean(), Added: math.NaN()}
		if i > 0 {
			r.Added = (w - worth[i-1]) / float64(r.Workers-of[i-1].Workers)
		}
		of = append(of, r)
	}
	return endOf(of)
}

func TestEndOfAMethod(t *testing.T) {
	for _, c := range []struct {
		worth       []float64
		half, stops int
		best        float64
		at          int
		whatItIs    string
	}{
		{[]float64{9, 80, 500}, 1000, 0, 500, 1000, "all scale"},
		{[]float64{9, 40, 300}, 10, 0, 300, 1000, "less than half from 100 on"},
		{[]float64{9, 17.9, 300}, 10, 10, 300, 1000, "the step to 100 adds 8.9 of 90"},
		{[]float64{9, 18.1, 18}, 10, 100, 18.1, 100, "the step to 1,000 adds nothing"},
		{[]float64{4, 3, 2}, 0, 10, 4, 10, "never half"},
	} {
		if e := ended(c.worth...); e.Half != c.half || e.Stops != c.stops || e.Best != c.best || e.At != c.at {
			t.Errorf("%s: %+v, want %+v", c.whatItIs, e, c)
		}
	}
}

func TestNodesOfTheTwoLevelRing(t *testing.T) {
	for n, want := range map[int]int{1: 1, 10: 2, 30: 5, 100: 10, 1000: 25, 10_000: 100, 30_000: 150, 100_000: 250, 7: 1} {
		if got := perNode(n); got != want {
			t.Errorf("%d workers in nodes of %d, want %d", n, got, want)
		}
	}
}
