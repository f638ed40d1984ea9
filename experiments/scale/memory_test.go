package scale

import (
	"runtime"
	"testing"

	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/race"
)

// A worker takes half of 16 KiB in the midst of a run, so that 60,000 of them, with what is garbage by then, stay below: 4 KiB
// are its own, and its stack keeps to 4 KiB, since the functions in which it waits hold no copy of the whole job. The race
// detector, whose calls in every function make other stacks, is judged by the former alone.
func TestAWorkerTakesLittleMemory(t *testing.T) {
	oktest.Slow(t)
	const n, limit = 2000, 4.0 * 1024
	p := planOf("standard")
	for _, method := range []string{"bsp", "asp", "dasp"} {
		x := point{pair{Model: "resnet18", Gbps: 100}, method, n}
		c, o := p.config(x, p.platform(x.pair, n), 0), rivals.Defaults(n)
		c.Server.Options, c.MaxPushes = &o, 3*n
		held := func() (heap, stack float64) {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // stacks shrink in a first one
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc), float64(m.StackInuse)
		}
		heap, stack := held()
		own, waits := 0.0, 0.0
		c.Progress = func(pushes, _ int64) {
			if pushes >= 2*n && own == 0 {
				h, s := held()
				own, waits = (h-heap)/n, (s-stack)/n
			}
		}
		oktest.Must(train.Run(t.Context(), c))(t)
		t.Logf("%s: %.0f bytes a worker, %.0f of stack", method, own, waits)
		if own <= 0 || own > limit || waits <= 0 || own+waits > 2*limit && !race.Enabled {
			t.Errorf("%s: %.0f bytes a worker, %.0f of stack, at most %.0f each", method, own, waits, limit)
		}
	}
}
