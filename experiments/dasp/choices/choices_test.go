package choices

import (
	"errors"
	"testing"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// On the real data training reaches its floors, and a network that stays below is told.
func TestFloorsAreReached(t *testing.T) {
	study, at := accuracy(), map[setup.Size][]setup.Summary{}
	for i, s := range longer("standard") {
		at[s] = []setup.Summary{{Accuracy: floors[s.Model] + 0.01*float64(i-1), Data: &result.Data{Name: "x", Train: 1000}}}
	}
	v := kit.NewView(&result.Result{Profile: "standard"}, at)
	study.Show(v)
	f := v.Frame("floors")
	for i, row := range f.Rows {
		if row[f.At("reached")] != (i > 0) {
			t.Errorf("%v: reached %v", row, i > 0)
		}
	}
	r, err := result.Read(result.Path("../../results", study.ID, "standard"))
	if errors.Is(err, result.ErrSchema) {
		t.Skip("the committed result is of the first version")
	}
	if err != nil {
		t.Fatal(err)
	}
	f = r.Frame("floors")
	for _, row := range f.Rows {
		if row[f.At("reached")] != true {
			t.Errorf("%v: below the floor", row)
		}
	}
	if len(f.Rows) != len(floors) || len(r.Data) != 2 || r.Data[0].Train != 60000 || r.Data[1].Train != 50000 {
		t.Errorf("%d networks on %+v, want %d on the whole of MNIST and CIFAR-10", len(f.Rows), r.Data, len(floors))
	}
}

// The default thresholds make DASP visit all three states on the heterogeneous
// cluster, FSS in at least 1 % of the pushes, for the model that is trained, at
// full and at the trained batch.
func TestDefaultThresholdsVisitAllStates(t *testing.T) {
	for name, cfg := range map[string]train.Config{
		"batch 64": setup.Timing(setup.Load(setup.Heterogeneous), "dasp", "lenet5", 0),
		"trained":  setup.Training(setup.Load(setup.Heterogeneous), "dasp", 0, setup.SizeOf("quick", "lenet5")),
	} {
		cfg.TimingOnly, cfg.EvalEvery = true, -1
		c, err := setup.Run(t.Context(), exp.Env{}, cfg)
		if err != nil {
			t.Fatal(err)
		}
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
