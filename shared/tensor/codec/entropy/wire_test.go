package entropy

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// bombs returns 16 MiB of zeros in a few bytes.
func bombs(t testing.TB) map[codec.Codec][]byte {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 16<<20)
	return map[codec.Codec][]byte{zstdCodec{}: e.EncodeAll(zeros, nil), s2Codec{}: s2.Encode(nil, zeros)}
}

// most returns the bytes that a decoder may allocate: the form of n elements, and coders of a fixed size.
func most(n int) uint64 { return uint64(2*vec.BitmapBytes(n, n)) + 2<<20 }

// A wire that claims more than n elements need is refused before it is expanded.
func TestBombs(t *testing.T) {
	const n = 1000
	for c, wire := range bombs(t) {
		var err error
		if got := allocated(func() { err = c.Decode(make([]float32, n), wire) }); err == nil || got > most(n) {
			t.Errorf("%s: %d bytes allocated, %v", c.Name(), got, err)
		}
		if !strings.HasPrefix(err.Error(), "entropy: "+c.Name()+": ") {
			t.Error(err)
		}
	}
}

// A call allocates a workspace at most, and usually nothing.
func TestAllocation(t *testing.T) {
	x := make([]float32, 50_000)
	for i := range x {
		if i%10 == 0 {
			x[i] = float32(i)
		}
	}
	for _, c := range codecs {
		wire, y := c.Append(nil, x), make([]float32, len(x))
		for name, f := range map[string]func(){
			"Append": func() { wire = c.Append(wire[:0], x) },
			"Decode": func() { _ = c.Decode(y, wire) },
		} {
			f()
			if got := allocated(func() {
				for range 50 {
					f()
				}
			}) / 50; got > most(len(x)) {
				t.Errorf("%s.%s: %d bytes a call", c.Name(), name, got)
			}
		}
	}
}

func fuzzDecode(f *testing.F, c codec.Codec) {
	for _, x := range [][]float32{nil, {0}, {1, 0, 2}, make([]float32, 300)} {
		f.Add(c.Append(nil, x), len(x))
		f.Add(c.Append(nil, x), len(x)+1)
	}
	f.Add(bombs(f)[c], 100)
	f.Fuzz(func(t *testing.T, wire []byte, n int) {
		if n < 0 || n > 1<<13 {
			return
		}
		x, sum := make([]float32, n), make([]float32, n)
		var err, again error
		if got := allocated(func() { err, again = c.Decode(x, wire), c.Accumulate(sum, wire) }); got > 2*most(n) {
			t.Fatalf("%d bytes allocated for %d elements", got, n)
		}
		if (err == nil) != (again == nil) {
			t.Fatalf("Decode: %v, Accumulate: %v", err, again)
		}
		if err != nil {
			return
		}
		y := make([]float32, n)
		if err := c.Decode(y, c.Append(nil, x)); err != nil || !bytes.Equal(wordsOf(x), wordsOf(y)) {
			t.Fatalf("coded again: %v, %v, want %v", err, y, x)
		}
	})
}

func FuzzZstdDecode(f *testing.F) { fuzzDecode(f, zstdCodec{}) }
func FuzzS2Decode(f *testing.F)   { fuzzDecode(f, s2Codec{}) }
