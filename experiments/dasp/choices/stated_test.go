package choices

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gradsync/experiments/dasp/setup"
)

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
