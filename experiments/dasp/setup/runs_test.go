package setup

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	_ "gradsync/shared/tensor/engine/portable"
)

// BSP's parameters do not depend on the cluster, so that training once and
// timing twice is exact.
func TestRetimedBSPEqualsTrainedBSP(t *testing.T) {
	s := SizeOf("ci", "lenet5")
	retimed, err := TrainOnce(t.Context(), exp.Env{}, Load(Heterogeneous), "bsp", 0, s)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := Run(t.Context(), exp.Env{}, Training(Load(Heterogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(retimed.Curve, trained.Curve) || retimed.Accuracy != trained.Accuracy {
		t.Errorf("retimed curve %+v %g, trained %+v %g", retimed.Curve, retimed.Accuracy, trained.Curve, trained.Accuracy)
	}
	if !reflect.DeepEqual(retimed.Iteration, trained.Iteration) {
		t.Errorf("retimed iteration %+v, trained %+v", retimed.Iteration, trained.Iteration)
	}
	homo, err := Run(t.Context(), exp.Env{}, Training(Load(Homogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(homo.Curve, trained.Curve, func(a, b train.Point) bool { return a.Seconds == b.Seconds }) {
		t.Error("both clusters take the same time: nothing was timed again")
	}
}

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
