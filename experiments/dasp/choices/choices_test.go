package choices

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
)

// The default thresholds make DASP visit all three states on the heterogeneous cluster, FSS in at least 1 % of the
// pushes, for the model that is trained, at full and at the trained batch.
func TestDefaultThresholdsVisitAllStates(t *testing.T) {
	for name, cfg := range map[string]train.Config{
		"batch 64": setup.Timing(setup.Load(setup.Heterogeneous), "dasp", "lenet5", 0),
		"trained":  setup.Training(setup.Load(setup.Heterogeneous), "dasp", 0, setup.SizeOf("quick", "lenet5")),
	} {
		cfg.TimingOnly, cfg.EvalEvery = true, -1
		c := oktest.Must(setup.Run(t.Context(), exp.Env{}, cfg))(t)
		for _, s := range setup.States {
			if c.Share[s] < leastFSS {
				t.Errorf("%s: share of %s is %.2f %%, want at least %g %%", name, s, 100*c.Share[s], 100*leastFSS)
			}
		}
		if c.Spread > setup.Smax+setup.Workers-2 {
			t.Errorf("%s: spread %d versions, the re-checked form bounds it by Smax + N − 2 = %d", name, c.Spread, setup.Smax+setup.Workers-2)
		}
	}
}

func TestPickTakesTheBestMean(t *testing.T) {
	if got := pick([][]float64{{0.2, 0.9}, {0.5, 0.75}, {0.625, 0.625}, {0.6, 0.6}}); got != 1 {
		t.Errorf("picked %d, want the best mean over seeds and of equals the first, 1", got)
	}
}

// The reasons of the platform files name the vendors' peaks that the tables print, and
// every assumption is a number with a unit.
func TestPeaksAreThePlatforms(t *testing.T) {
	for _, name := range []string{setup.Homogeneous, setup.Heterogeneous} {
		p := setup.Load(name)
		for _, h := range p.Workers {
			for _, a := range h.Assumed {
				peak, ok := peaks[h.Name]
				for _, x := range peak {
					if a.Field == "flops" && ok && !strings.Contains(a.Why, trimmed(x)) {
						t.Errorf("%s, %s: the reason has no %g: %s", name, h.Name, x, a.Why)
					}
				}
				if a.Field == "memory" && ok && !strings.Contains(a.Why, trimmed(h.Memory/1e9/reached)+" GB/s") {
					t.Errorf("%s, %s: %g GB/s are not three quarters of what the vendor says: %s", name, h.Name, h.Memory/1e9, a.Why)
				}
			}
		}
		if f := assumptionsFrame(p); len(f.Rows) == 0 || f.Rows[0][f.At("unit")] != "GFLOP/s" {
			t.Errorf("%s: %v", name, f.Rows)
		}
	}
}

func trimmed(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }
