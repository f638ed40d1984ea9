package convergence

import (
	"slices"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// The stop rule of standard goes on until every interval that it judges is narrow, or to twenty
// seeds; other profiles stop at once.
func TestStopRule(t *testing.T) {
	if got := ownSeeds("quick"); !slices.Equal(got, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("quick has the seeds %v", got)
	}
	if n := len(ownSeeds("standard")); n != 10 || len(ownSeeds("ci")) != 3 {
		t.Errorf("standard has %d seeds, ci %v", n, ownSeeds("ci"))
	}
	// spread is how far apart DASP's times are from one seed to the next; with none all intervals have no width.
	made := func(profile string, seeds int, spread float64, missed bool) *view {
		cells := map[point][]setup.Summary{}
		var numbers []uint64
		for i := range seeds {
			numbers = append(numbers, uint64(i))
		}
		for _, p := range every(profile, onFig4...) {
			s := setup.SizeOf(profile, p.Model)
			for i := range seeds {
				each := map[string]float64{"bsp": 2, "asp": 1.5, "ssp": 1.4, "dssp": 1.3, "dasp": 1}[p.Method]
				if p.Method == "dasp" && i%2 == 0 {
					each *= 1 + spread
				}
				top := s.Target
				if missed && p.Method == "dasp" && i == 0 {
					top -= 0.01
				}
				c := curve(each, 0.2, top)
				c.Digest = p.String()
				cells[p] = append(cells[p], c)
			}
		}
		return kit.NewView(&result.Result{Profile: profile, Seeds: numbers}, cells)
	}
	for _, c := range []struct {
		name, profile string
		seeds         int
		spread        float64
		missed, want  bool
	}{
		{"narrow", "standard", 10, 0.01, false, true}, {"wide", "standard", 10, 0.5, false, false},
		{"wide, and twenty", "standard", 20, 0.5, false, true}, {"a missed target", "standard", 19, 0.01, true, false},
		{"quick", "quick", 5, 0.5, true, true},
	} {
		if got := enough(made(c.profile, c.seeds, c.spread, c.missed), onTable7); got != c.want {
			t.Errorf("%s: enough %v, want %v", c.name, got, c.want)
		}
	}
}
