package dasp

import (
	"context"
	"reflect"
	"slices"
	"testing"

	_ "gradsync/shared/tensor/engine/portable"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
)

// testRuns makes cells without a memo.
func testRuns(profile string, seeds ...uint64) *runs {
	return &runs{ctx: context.Background(), env: exp.Env{Profile: profile, Seeds: seeds}}
}

// The default thresholds make DASP visit all three states on the heterogeneous
// cluster, FSS in at least 1 % of the pushes, for the model that is trained, at
// full and at the trained batch.
func TestDefaultThresholdsVisitAllStates(t *testing.T) {
	r := testRuns("ci", 0)
	for name, cfg := range map[string]train.Config{
		"batch 64": timing(load(heterogeneous), "dasp", "lenet5", 0),
		"trained":  training(load(heterogeneous), "dasp", 0, sizeOf("quick", "lenet5")),
	} {
		cfg.TimingOnly, cfg.EvalEvery = true, -1
		c, err := r.get("", 1, cfg)
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
	r := testRuns("ci", 0)
	s := sizeOf("ci", "lenet5")
	retimed, err := trainedOnce(r.ctx, r.env, load(heterogeneous), "bsp", 0, s)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := r.get("", 1, training(load(heterogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(retimed.Curve, trained.Curve) || retimed.Accuracy != trained.Accuracy {
		t.Errorf("retimed curve %+v %g, trained %+v %g", retimed.Curve, retimed.Accuracy, trained.Curve, trained.Accuracy)
	}
	if !reflect.DeepEqual(retimed.Iteration, trained.Iteration) {
		t.Errorf("retimed iteration %+v, trained %+v", retimed.Iteration, trained.Iteration)
	}
	homo, err := r.get("", 1, training(load(homogeneous), "bsp", 0, s))
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(homo.Curve, trained.Curve, func(a, b train.Point) bool { return a.Seconds == b.Seconds }) {
		t.Error("both clusters take the same time: nothing was timed again")
	}
}

// A memo part is named by its data and its whole configuration.
func TestKeysTellConfigurationsApart(t *testing.T) {
	r := testRuns("ci", 0)
	seen := map[string]string{}
	add := func(name string, cfg train.Config) {
		key, err := r.key(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if other, twice := seen[key]; twice {
			t.Errorf("%s and %s share the key %s", name, other, key)
		}
		seen[key] = name
	}
	base := timing(load(homogeneous), "dasp", "resnet18", 1)
	add("base", base)
	other := base
	other.Seed = 2
	add("seed", other)
	other = base
	other.Platform = load(heterogeneous)
	add("platform", other)
	other = base
	o := *base.Options
	o.Wait = "convex"
	other.Options = &o
	add("wait form", other)
	other = base
	other.Sync = "asp"
	add("method", other)
}
