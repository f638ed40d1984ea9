package scale

import (
	"runtime"
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/race"
)

// A worker takes half of 16 KiB in the midst of a run, so that 60,000 of them, with what is garbage by then, stay below: its
// stack keeps to 4 KiB, since the functions in which it waits hold no copy of the whole job.
func TestAWorkerTakesLittleMemory(t *testing.T) {
	oktest.Slow(t)
	const n = 6000
	limit := 8.0 * 1024
	if race.Enabled { // its calls in every function make a stack of 4 KiB one of 8
		limit += 4 << 10
	}
	p := planOf("standard")
	for _, method := range []string{"bsp", "asp", "dasp"} {
		x := point{pair{Model: "resnet18", Gbps: 100}, method, n}
		c, o := p.config(x, p.platform(x.pair, n), 0), rivals.Defaults(n)
		c.Server.Options, c.MaxPushes = &o, 3*n
		held := func() float64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // stacks shrink in a first one
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc + m.StackInuse)
		}
		before, most := held(), 0.0
		c.Progress = func(pushes, _ int64) {
			if pushes >= 2*n && most == 0 {
				most = (held() - before) / n
			}
		}
		oktest.Must(train.Run(t.Context(), c))(t)
		t.Logf("%s: %.0f bytes a worker", method, most)
		if most <= 0 || most > limit {
			t.Errorf("%s: %.0f bytes a worker, at most %.0f", method, most, limit)
		}
	}
}
