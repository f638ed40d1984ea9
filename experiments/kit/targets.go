package kit

import "math"

// targets is how many accuracies a convergence time is averaged over.
const targets = 5

// Targets returns the test accuracies that a convergence time is averaged over, the lowest first: as
// many steps apart, up to highest. All are shares.
func Targets(highest, step float64) (out []float64) {
	for i := range targets {
		out = append(out, math.Round(1e6*(highest-float64(float64(targets-1-i)*step)))/1e6)
	}
	return out
}

// mostStep is the step of the experiments' targets: 5 points.
const mostStep = 0.05

// TargetStep returns the step between the targets of a search that names the highest alone: 5 points
// as in the experiments, and of an accuracy below a half a tenth of it, so that the lowest target is never
// below three fifths of the highest. It depends on nothing that was measured.
func TargetStep(highest float64) float64 { return min(mostStep, highest/10) }

// TargetsUpTo returns Targets at the steps of TargetStep.
func TargetsUpTo(highest float64) []float64 { return Targets(highest, TargetStep(highest)) }
