package dsspanchor

import (
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
)

// Every push and update is train.Run's, by the same worker in the same state and
// at the same time, to the nanoseconds that a drawn jitter rounds away per layer.
func TestOneStageIsTrainRunPushByPush(t *testing.T) {
	for _, c := range []struct {
		platform, model string
		which           int
	}{{mixedPair, ownModel, 5}, {sixteen, "resnet18", 6}, {mixedPair, "lenet5", 0}} {
		cfg := contestants(int64(len(setup.Load(c.platform).Workers)))[c.which].config(setup.Load(c.platform), c.model, 64, 3)
		want, err := train.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		network := setup.CostsOf(c.model)
		got, err := network.InOneStage(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Pushes) != len(want.Log.Pushes) || len(got.Updates) != len(want.Log.Updates) {
			t.Fatalf("%+v: %d pushes, %d updates; want %d, %d", c, len(got.Pushes), len(got.Updates), len(want.Log.Pushes), len(want.Log.Updates))
		}
		for i, p := range want.Log.Pushes {
			q := got.Pushes[i]
			same := q.Worker == p.Worker && q.Applied == p.Applied && q.State == p.State
			if d := q.Received - p.Received; !same || d.Abs() > 50*time.Microsecond*time.Duration(1+i/64) {
				t.Fatalf("%+v: push %d is %+v, want %+v", c, i, q, p)
			}
		}
	}
}
