package versions

import (
	"testing"
	"time"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
)

// The promises of a run are counted here from its pushes alone: a worker holds the version of its next gradient, the
// versions of who waits apart. By the version that Algorithm 1 tests QIS is within Smin.
func TestPromises(t *testing.T) {
	cfg := setup.OnReference(setup.Heterogeneous, "dasp", "lenet5", 0)
	out := oktest.Must(train.Run(t.Context(), cfg))(t)
	got := oktest.Must(keepPromises(out.Log, *cfg.Options))(t)
	var want promises
	pushes := out.Log.Pushes
	last := map[int]dasp.State{}
	for i, p := range pushes {
		if p.Abandoned {
			continue
		}
		want.WSS += one(last[p.Worker] == dasp.WSS)
		want.Return += one(last[p.Worker] == dasp.WSS && p.State == dasp.QIS)
		if last[p.Worker] = p.State; p.State != dasp.QIS {
			continue
		}
		want.QIS++
		if p.Gap > cfg.Options.Smin {
			t.Errorf("push %d: a tested gap of %d in QIS", i, p.Gap)
		}
		wide := false
		for _, q := range pushes[i+1:] { // the first of each other worker that is under way
			wide = wide || q.Worker != p.Worker && q.Sent < p.Received && p.Applied-q.Pulled > cfg.Options.Smin
		}
		want.Wider += one(wide)
	}
	got.Among = 0
	if got.QIS != want.QIS || got.WSS != want.WSS || got.Return != want.Return || want.WSS == 0 || got.QIS == 0 {
		t.Errorf("%+v, counted by hand %+v", got, want)
	}
	if got.Wider < want.Wider { // who waits holds an old version, which its next gradient does not show
		t.Errorf("%d answers leave a larger gap, by the gradients under way alone %d", got.Wider, want.Wider)
	}
	// By hand: two workers compute three seconds of the four that they have.
	by := &dasp.Log{Workers: 2, End: 2 * time.Second, Pushes: []dasp.Push{{Compute: 2 * time.Second}, {Compute: time.Second}}}
	if share := busyShare(by); share != 0.75 {
		t.Errorf("workers compute %g of their time, want 0.75", share)
	}
}
