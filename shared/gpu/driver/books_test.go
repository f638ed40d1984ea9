package driver

import (
	"errors"
	"testing"
	"unsafe"
)

// TestBooksOfReusedMemory: an address that was given back and taken again at once, before the
// call that gave it back has returned, is on the books; one that could not be given back stays.
func TestBooksOfReusedMemory(t *testing.T) {
	b, p := newBooks(), unsafe.Pointer(new(int))
	b.take(b.pinned, p, 8)
	if err := b.freePinned(p, func() error { b.take(b.pinned, p, 16); return nil }); err != nil {
		t.Fatal(err)
	}
	if b.pinned[p] != 16 {
		t.Errorf("%d bytes are listed, want the 16 that were taken meanwhile", b.pinned[p])
	}
	broken := errors.New("broken")
	if err := b.freePinned(p, func() error { return broken }); !errors.Is(err, broken) || b.pinned[p] != 16 {
		t.Errorf("%v, %d bytes are listed, want 16", err, b.pinned[p])
	}
	if err := b.freePinned(p, func() error { return nil }); err != nil || len(b.pinned) != 0 {
		t.Errorf("%v, %v", err, b.pinned)
	}
	var e *Error
	if err := b.freePinned(p, func() error { return nil }); !errors.As(err, &e) || e.Code != codeInvalid {
		t.Errorf("given back twice: %v", err)
	}
}
