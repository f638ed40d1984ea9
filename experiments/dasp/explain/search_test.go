package explain

import (
	"errors"
	"math"
	"testing"

	"gradsync/internal/oktest"
)

// bowl has its least value, 0, at (0.3, 0.3, …) and is narrow across.
func bowl(points [][]float64) ([]float64, error) {
	out := make([]float64, len(points))
	for i, x := range points {
		for a, u := range x {
			d := u - 0.3
			if a > 0 {
				d += 2 * (x[a-1] - 0.3)
			}
			out[i] += d * d
		}
		out[i] = math.Sqrt(out[i])
	}
	return out, nil
}

func TestEvolve(t *testing.T) {
	start := hypercube(spaces[1], 40)
	first, _ := bowl(start)
	before, err := objective(bowl).evolve("test", start, 0)
	if err != nil || before.Loss != first[least(first)] {
		t.Errorf("no generations: %v, %v; want the best of the start, %g", before.Loss, err, first[least(first)])
	}
	last := before.Loss
	for _, n := range []int{20, 100, 400} {
		f, err := objective(bowl).evolve("test", start, n)
		if err != nil || f.Loss > last {
			t.Errorf("%d generations end at %g (%v), fewer at %g", n, f.Loss, err, last)
		}
		last = f.Loss
	}
	if last > 0.05*before.Loss {
		t.Errorf("400 generations end at %g of a start of %g", last, before.Loss)
	}
	broken := errors.New("broken")
	if _, err := objective(func([][]float64) ([]float64, error) { return nil, broken }).evolve("test", start, 1); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestPolishAndSlack(t *testing.T) {
	sphere := objective(func(points [][]float64) ([]float64, error) {
		out := make([]float64, len(points))
		for i, x := range points {
			out[i] = 0.1 + math.Pow(x[0]-0.35, 2) // x[1] does nothing
		}
		return out, nil
	})
	if f, err := sphere.polish([]float64{0.9, 0.5}, 40); err != nil || math.Abs(f.X[0]-0.35) > 0.001 || f.X[1] != 0.5 {
		t.Errorf("polished to %+v, %v", f, err)
	}
	// 10 % of 0.1 is reached at 0.1 to either side: steps of 1/32 and 1/16 stay below, 1/8 does not.
	slack := oktest.Must(sphere.slack([]float64{0.35, 0.5}))(t)
	want := extent{axes[0].value(0.35 - 1./16), axes[0].value(0.35 + 1./16)}
	if slack[0] != want || slack[1] != (extent{axes[1].Lo, axes[1].Hi}) {
		t.Errorf("slack %+v, want %+v and the whole second axis", slack, want)
	}
}

func TestReflected(t *testing.T) {
	for u, want := range map[float64]float64{0.25: 0.25, -0.25: 0.25, 1.25: 0.75, -3: 0, 1: 1} {
		if got := reflected(u); got != want {
			t.Errorf("reflected(%g) = %g, want %g", u, got, want)
		}
	}
}

func TestBestOf(t *testing.T) {
	points := [][]float64{{0}, {1}, {2}, {3}}
	got := bestOf(points, []float64{2, 1, noLoss, 1}, 3)
	if len(got) != 3 || got[0][0] != 1 || got[1][0] != 3 || got[2][0] != 0 {
		t.Errorf("best of 2 1 - 1: %v", got)
	}
	if len(bestOf(points, []float64{1, 2, 3, 4}, 9)) != 4 {
		t.Error("more than there are")
	}
}

// TestSearchRecovers: ratios that a laboratory of the space made are found
// again, though not its very parameters: several laboratories share them.
func TestSearchRecovers(t *testing.T) {
	oktest.Slow(t)
	all := fullSizes()
	e := newEvaluator(t.Context(), all, 90, 3)
	x := hypercube(spaces[0], 7)[0]
	x[7] = 0.75 // jitter 0.53
	m := subsets()[1].Of
	truth := oktest.Must(e.ratios([]laboratory{decode(x)}, m))(t)
	for i := range e.want {
		e.want[i].Ratio = truth[0][0][i]
	}
	if l := loss(truth[0][0], e.want, m); l != 0 {
		t.Fatalf("the laboratory itself has a loss of %g", l)
	}
	score := e.objective(0, m)
	start := hypercube(spaces[0], 16)
	first := oktest.Must(score(start))(t)
	f := oktest.Must(score.evolve("test", start, 12))(t)
	scanned := first[least(first)]
	t.Logf("scan %.3f, evolution %.3f, %d runs", scanned, f.Loss, e.runs)
	if f.Loss > 0.05 || f.Loss > 0.7*scanned {
		t.Errorf("found a loss of %.3f, the scan had %.3f", f.Loss, scanned)
	}
	for i, in := range m {
		if in && !e.seen[0][i].reached(e.want[i]) {
			t.Errorf("%s = %.3f is not in the range of all candidates, %+v", e.want[i].ID, e.want[i].Ratio, e.seen[0][i])
		}
	}
}
