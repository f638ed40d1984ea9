package ring

import (
	"testing"

	"gradsync/experiments/kit/kittest"
	"gradsync/internal/oktest"
)

var blog = kittest.Paper{List: Experiments, Letters: "B", Rows: 22, Results: "../results", Engine: kittest.Engine()}

// Every number and sentence of the blog has exactly one verdict, and same inputs give same
// bytes, also of what really ran on sockets.
func TestResults(t *testing.T) {
	oktest.Slow(t)
	made := blog.Run(t)
	blog.Judged(t, made)
	blog.Deterministic(t, made)
}

func TestInterruptedExperiments(t *testing.T) { blog.Interrupted(t) }
func TestSecondsAreEstimated(t *testing.T)    { blog.Planned(t) }
