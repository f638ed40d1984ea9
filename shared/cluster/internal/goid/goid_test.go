package goid

import (
	"runtime"
	"testing"
)

// deep uses stack, so that the goroutine's stack is copied.
func deep(n int) uint64 {
	var pad [256]byte
	if n == 0 {
		return Get() + uint64(pad[0])
	}
	return deep(n-1) + uint64(pad[n%256])
}

// A goroutine keeps its number, whatever it does; no two that live share one.
func TestGoroutinesDiffer(t *testing.T) {
	const n = 100
	ids, gate := make(chan uint64), make(chan struct{})
	for range n {
		go func() {
			first := Get()
			for range 50 {
				runtime.Gosched()
				if got := deep(200); got != first {
					t.Errorf("number %d, then %d", first, got)
				}
			}
			ids <- first
			<-gate
		}()
	}
	seen := map[uint64]bool{Get(): true}
	for range n {
		seen[<-ids] = true
	}
	close(gate)
	if len(seen) != n+1 || seen[0] {
		t.Errorf("%d numbers of %d goroutines: %v", len(seen), n+1, seen)
	}
}
