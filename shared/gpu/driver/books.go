package driver

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// books lists all that a program has taken and not given back.
type books struct {
	mu     sync.Mutex
	memory map[unsafe.Pointer]int
	pinned map[unsafe.Pointer]int
	counts map[string]int // of streams, events, modules, graphs
}

func newBooks() *books {
	return &books{memory: map[unsafe.Pointer]int{}, pinned: map[unsafe.Pointer]int{}, counts: map[string]int{}}
}

func (b *books) take(of map[unsafe.Pointer]int, p unsafe.Pointer, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of[p] = bytes
}

// drop strikes memory off and lets give give it back; has is false if it was not there. It is struck
// off first: the address may be somebody else's before give returns. If give fails it stays listed.
func (b *books) drop(of map[unsafe.Pointer]int, p unsafe.Pointer, give func() error) (has bool, err error) {
	b.mu.Lock()
	bytes, has := of[p]
	delete(of, p)
	b.mu.Unlock()
	if !has {
		return false, nil
	}
	if err := give(); err != nil {
		b.take(of, p, bytes)
		return true, err
	}
	return true, nil
}

// free strikes device memory off when give has given it back.
func (b *books) free(p unsafe.Pointer, give func() error) error {
	has, err := b.drop(b.memory, p, give)
	if !has {
		return Failed("cuMemFree", codeInvalid, fmt.Sprintf("nothing is allocated at %p", p))
	}
	return err
}

// freePinned does free for the host's memory.
func (b *books) freePinned(p unsafe.Pointer, give func() error) error {
	has, err := b.drop(b.pinned, p, give)
	if !has {
		return Failed("cuMemFreeHost", codeInvalid, fmt.Sprintf("%p is not pinned", p))
	}
	return err
}

func (b *books) count(kind string, by int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts[kind] += by
}

// open says what has not been given back, nil if all has.
func (b *books) open() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for what, of := range map[string]map[unsafe.Pointer]int{"device": b.memory, "pinned": b.pinned} {
		total := 0
		for _, n := range of {
			total += n
		}
		if len(of) > 0 {
			list = append(list, fmt.Sprintf("%s memory ×%d (%s)", what, len(of), sizeText(total)))
		}
	}
	for kind, n := range b.counts {
		if n != 0 {
			list = append(list, fmt.Sprintf("%s ×%d", kind, n))
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return fmt.Errorf("gpu: not given back: %s", strings.Join(list, ", "))
}
