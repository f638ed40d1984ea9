package dasp

import (
	"reflect"
	"slices"
	"testing"

	_ "gradsync/shared/tensor/engine/portable"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
)

// The default thresholds make DASP visit all three states on the heterogeneous
// cluster, FSS in at least 1 % of the pushes, for the model that is trained, at
// full and at the trained batch.
func TestDefaultThresholdsVisitAllStates(t *testing.T) {
	for name, cfg := range map[string]train.Config{
		"batch 64": timing(load(heterogeneous), "dasp", "lenet5", 0),
		"trained":  training(load(heterogeneous), "dasp", 0, sizeOf("quick", "lenet5")),
	} {
		cfg.TimingOnly, cfg.EvalEvery = true, -1
		c, err := cellOf(t.Context(), exp.Env{}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range states {
			if c.Share[s] < leastFSS {
				t.Errorf("%s: share of %s is %.2f %%, want at least %g %%", name, s, 100*c.Share[s], 100*leastFSS)
			}
		}
		if c.Spread > smax+workers-2 {
			t.Errorf("%s: spread %d versions, the re-checked form bounds it by Smax + N − 2 = %d", name, c.Spread, smax+workers-2)
		}
	}
}

// BSP's parameters do not depend on the cluster, so that training once and
// timing twice is exact.
func TestRetimedBSPEqualsTrainedBSP(t *testing.T) {
	s := sizeOf("ci", "lenet5")
	retimed, err := trainedOnce(t.Context(), exp.Env{}, load(heterogeneous), "bsp", 0, s)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := cellOf(t.Context(), exp.Env{}, training(load(heterogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(retimed.Curve, trained.Curve) || retimed.Accuracy != trained.Accuracy {
		t.Errorf("retimed curve %+v %g, trained %+v %g", retimed.Curve, retimed.Accuracy, trained.Curve, trained.Accuracy)
	}
	if !reflect.DeepEqual(retimed.Iteration, trained.Iteration) {
		t.Errorf("retimed iteration %+v, trained %+v", retimed.Iteration, trained.Iteration)
	}
	homo, err := cellOf(t.Context(), exp.Env{}, training(load(homogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(homo.Curve, trained.Curve, func(a, b train.Point) bool { return a.Seconds == b.Seconds }) {
		t.Error("both clusters take the same time: nothing was timed again")
	}
}
