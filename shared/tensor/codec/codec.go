// Package codec turns vectors of float32 into wire bytes and back, without
// loss: every form keeps every bit, and what it leaves out is the bit pattern of
// +0 alone. Codecs hold no state; any number of goroutines may use one.
//
//	0 dense  1 bitmap  2 coo  3 rle    here
//	4 bitmap+zstd  5 bitmap+s2         in codec/entropy, which the command line links
package codec

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Codec is one wire form of a vector. The number of elements is not part of the
// wire: both sides know it.
//
// Source: ours: the patent leaves the compression algorithm open (S42)
type Codec interface {
	// Name returns the codec's name on the command line and in results.
	Name() string
	// ID returns the codec's number in a frame header; it never changes.
	ID() uint8
	// Size returns how many bytes Append would append for src.
	Size(src []float32) int
	// SizeAt returns the expected size for n elements of which the share density
	// is not +0 and spread evenly: timing-only runs send it.
	SizeAt(n int, density float64) float64
	// Append appends the wire form of src to dst.
	Append(dst []byte, src []float32) []byte
	// Decode overwrites dst. An error leaves dst undefined; wire of any content is
	// an error or a vector, never a panic, and allocates O(len(dst)) at most.
	Decode(dst []float32, wire []byte) error
	// Accumulate adds the decoded vector to dst, with the bits of Decode and a sum
	// of every element: elements left out are x + (+0), which turns −0 into +0. (As
	// in package vec, which NaN a sum of two NaNs gives is left to the CPU.) An error
	// leaves dst undefined.
	Accumulate(dst []float32, wire []byte) error
}

var (
	mu  sync.Mutex
	all []Codec // by ID
)

// Register adds a codec. A name or ID that is taken is a programmer's mistake
// and panics.
//
// Source: ours: codecs of other libraries are linked by the command line only
func Register(c Codec) {
	mu.Lock()
	defer mu.Unlock()
	for _, o := range all {
		if o.ID() == c.ID() || o.Name() == c.Name() {
			panic(fmt.Sprintf("codec: %s (%d) is taken by %s (%d)", c.Name(), c.ID(), o.Name(), o.ID()))
		}
	}
	all = append(all, c)
	slices.SortFunc(all, func(a, b Codec) int { return int(a.ID()) - int(b.ID()) })
}

// All lists the codecs in the order of their IDs.
//
// Source: ours
func All() []Codec {
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(all)
}

// Lookup returns the codec of a name.
//
// Source: ours
func Lookup(name string) (Codec, error) {
	var names []string
	for _, c := range All() {
		if c.Name() == name {
			return c, nil
		}
		names = append(names, c.Name())
	}
	return nil, fmt.Errorf("codec: no codec %q: known are %s", name, strings.Join(names, ", "))
}

// ByID returns the codec that a frame header names.
//
// Source: ours
func ByID(id uint8) (Codec, error) {
	for _, c := range All() {
		if c.ID() == id {
			return c, nil
		}
	}
	return nil, fmt.Errorf("codec: no codec with ID %d", id)
}
