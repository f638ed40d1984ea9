package optim

import (
	"runtime"
	"sync"
)

// Large is the number of parameters from which on two threads share a step: fewer take no
// longer than a thread takes to begin.
const Large = 1 << 18

// stretch is how many elements pass through all operations of a step before the next: they
// stay in the cache.
const stretch = 1 << 12

// Pieces calls f for pieces of n elements, which cover them, each once: in order, or, of a
// Large vector where there are cores, by two threads, half each. An update rule knows of an
// element what stands at its index alone, so neither pieces nor threads decide a bit.
func Pieces(n int, f func(lo, hi int)) {
	if n < Large || runtime.GOMAXPROCS(0) < 2 {
		pieces(0, n, f)
		return
	}
	var other sync.WaitGroup
	other.Go(func() { pieces(n/2, n, f) })
	pieces(0, n/2, f)
	other.Wait()
}

func pieces(from, to int, f func(lo, hi int)) {
	for lo := from; lo < to; lo += stretch {
		f(lo, min(lo+stretch, to))
	}
}
