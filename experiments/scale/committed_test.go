package scale

import (
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

var ours = kittest.Paper{List: Experiments, Results: "../results", Engine: kittest.Engine()}

// In profile ci the study is whole, same inputs give the same bytes, and what must be so is: a server's gradients are as old as
// there are other workers, a ring's never are, and no method is worth more than its workers.
func TestResults(t *testing.T) {
	oktest.Slow(t)
	made := ours.Run(t)
	ours.Deterministic(t, made)
	for _, r := range made {
		if r.Status != result.Complete || len(r.Figures) != 2 {
			t.Errorf("%s is %s with %d figures", r.ID, r.Status, len(r.Figures))
		}
		methods, workers := kittest.Cells(t, r, "sizes", "method"), kittest.Cells(t, r, "sizes", "workers")
		worth, stale := kittest.Cells(t, r, "sizes", "worth"), kittest.Cells(t, r, "sizes", "stale")
		for i, m := range methods {
			n, old := float64(workers[i].(int)), stale[i].(float64)
			if w := worth[i].(float64); !(w > 0 && w <= n) {
				t.Errorf("%v with %g workers is worth %g", m, n, w)
			}
			if free := m == "asp" || m == "dasp"; free && !(old > 0.8*(n-1) && old < n) || !free && old != 0 {
				t.Errorf("%v with %g workers: staleness %g", m, n, old)
			}
		}
	}
}

func TestInterruptedExperiments(t *testing.T) { ours.Interrupted(t) }
func TestSecondsAreEstimated(t *testing.T)    { ours.Planned(t) }
