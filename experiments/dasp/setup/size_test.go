package setup

import (
	"math"
	"testing"
)

// Targets are round numbers.
func TestTargetsAreRound(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard", "paper"} {
		for _, s := range SizesOf(profile) {
			if x := 100 * s.Target; math.Abs(x-math.Round(x)) > 1e-9 {
				t.Errorf("%s: target %g %%", s.Model, x)
			}
		}
	}
}
