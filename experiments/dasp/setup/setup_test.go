package setup

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

// Each reduction is judged against the model, baseline and cluster that claims.csv names.
func TestReductionClaimsMatchTheTable(t *testing.T) {
	name, n := map[string]string{"lenet5": "LeNet-5", "resnet18": "ResNet-18", "vgg19_bn": "VGG19_BN"}, 0
	for platform, words := range map[string]string{Homogeneous: "homogeneous cluster", Heterogeneous: "heterogeneous cluster"} {
		for _, r := range Reductions(platform) {
			c, ok := claims.Get(r.ID)
			if !ok || c.Baseline != strings.ToUpper(r.Against) || !strings.HasPrefix(c.Conditions, words+"; "+name[r.Model]+";") {
				t.Errorf("%s is judged for %s against %s on %s; the row says %s, %s", r.ID, r.Model, r.Against, platform, c.Baseline, c.Conditions)
			}
			n++
		}
	}
	if n != 18 {
		t.Errorf("%d reductions, the paper states 18", n)
	}
}

// BSP's parameters do not depend on the cluster, so that training once and timing twice is exact.
func TestRetimedBSPEqualsTrainedBSP(t *testing.T) {
	oktest.Slow(t)
	s := SizeOf("ci", "lenet5")
	s.Batch, s.Pushes = 2, 48 // two evaluations
	env := exp.Env{Engine: kittest.Engine()}
	retimed := oktest.Must(TrainOnce(t.Context(), env, Load(Heterogeneous), "bsp", 0, s))(t)
	trained := oktest.Must(Run(t.Context(), env, Training(Load(Heterogeneous), "bsp", 0, s)))(t)
	if !slices.Equal(retimed.Curve, trained.Curve) || retimed.Accuracy != trained.Accuracy {
		t.Errorf("retimed curve %+v %g, trained %+v %g", retimed.Curve, retimed.Accuracy, trained.Curve, trained.Accuracy)
	}
	if !reflect.DeepEqual(retimed.Iteration, trained.Iteration) {
		t.Errorf("retimed iteration %+v, trained %+v", retimed.Iteration, trained.Iteration)
	}
	homo := oktest.Must(Run(t.Context(), env, Training(Load(Homogeneous), "bsp", 0, s)))(t)
	if slices.EqualFunc(homo.Curve, trained.Curve, func(a, b train.Point) bool { return a.Seconds == b.Seconds }) {
		t.Error("both clusters take the same time: nothing was timed again")
	}
}

// Targets are round numbers.
func TestTargetsAreRound(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard", "paper"} {
		for _, s := range SizesOf(profile) {
			all := s.Targets()
			for _, x := range all {
				if x = 100 * x; math.Abs(x-math.Round(x)) > 1e-9 || x <= 10 {
					t.Errorf("%s: target %g %%", s.Model, x)
				}
			}
			if len(all) != 5 || all[4] != s.Target || !slices.IsSorted(all) || all[0] == all[1] {
				t.Errorf("%s: targets %v, want five up to %g", s.Model, all, s.Target)
			}
		}
	}
}

func TestVisits(t *testing.T) {
	for share, want := range map[[3]float64]string{{1, 0, 0}: QISAlone, {0.9, 0.1, 0}: neverFSS, {0.9, 0, 0.1}: neverWSS, {0.8, 0.1, 0.1}: allStates} {
		other := map[string]float64{"QIS": share[0], "WSS": share[1], "FSS": share[2]}
		if got := Visits([]Summary{{Share: map[string]float64{"QIS": 1}}, {Share: other}}); got != want {
			t.Errorf("shares %v: %s, want %s", share, got, want)
		}
	}
}
