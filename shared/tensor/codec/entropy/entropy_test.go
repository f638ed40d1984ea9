package entropy

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"gradsync/shared/tensor/codec"
	"gradsync/shared/tensor/vec"
)

var codecs = []codec.Codec{zstdCodec{}, s2Codec{}}

// sprinkled has the share density of elements that are not +0: any bits, or normally distributed values.
func sprinkled(r *rand.Rand, n int, density float64, normal bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		switch {
		case r.Float64() >= density:
		case normal:
			x[i] = float32(0.01 * r.NormFloat64())
		default:
			x[i] = math.Float32frombits(r.Uint32() &^ (r.Uint32() & 0x7fffffff)) // −0 and denormals too
		}
	}
	return x
}

func wordsOf(x []float32) []byte { return vec.AppendBytes(nil, x) }

// check compares c with the bitmap, which has tests of its own.
func check(c codec.Codec, r *rand.Rand, x []float32) error {
	prefix := []byte{7, 8, 9}
	wire := c.Append(bytes.Clone(prefix), x)
	if !bytes.HasPrefix(wire, prefix) {
		return fmt.Errorf("Append changed what was there: % x", wire[:3])
	}
	wire = wire[3:]
	if got := c.Size(x); got != len(wire) {
		return fmt.Errorf("Size %d, but Append writes %d bytes", got, len(wire))
	}
	tight := make([]byte, 3, 3+len(wire))
	if got := c.Append(tight, x); &got[0] != &tight[0] || !bytes.Equal(got[3:], wire) {
		return fmt.Errorf("%d bytes into room for them: moved, or other bytes", len(wire))
	}
	y := sprinkled(r, len(x), 1, true)
	a, b := sprinkled(r, len(x), 0.7, true), make([]float32, len(x))
	copy(b, a)
	if err := c.Decode(y, wire); err != nil {
		return err
	}
	if !bytes.Equal(wordsOf(y), wordsOf(x)) {
		return fmt.Errorf("decoded %v, want %v", y, x)
	}
	form := codec.Bitmap{}.Append(nil, x)
	if err, want := c.Accumulate(a, wire), (codec.Bitmap{}).Accumulate(b, form); err != nil || want != nil {
		return fmt.Errorf("%v, %v", err, want)
	}
	if !bytes.Equal(wordsOf(a), wordsOf(b)) {
		return fmt.Errorf("accumulated %v, want %v", a, b)
	}
	for _, cut := range []int{len(wire) - 1, len(wire) / 2} {
		if c.Decode(y, wire[:cut]) == nil && len(x) > 0 {
			return fmt.Errorf("%d of %d bytes are no error", cut, len(wire))
		}
	}
	if longer := make([]float32, len(x)+9); c.Decode(longer, wire) == nil || c.Accumulate(longer, wire) == nil {
		return fmt.Errorf("the wire of %d elements is one of %d", len(x), len(longer))
	}
	if len(x) > 8 && (c.Decode(y[:len(x)-9], wire) == nil || c.Accumulate(y[:len(x)-9], wire) == nil) {
		return fmt.Errorf("the wire of %d elements is one of %d", len(x), len(x)-9)
	}
	return nil
}

func TestCodecs(t *testing.T) {
	lengths := []int{1023, 1024, 1025, 100_000}
	for n := range 101 {
		lengths = append(lengths, n)
	}
	for _, c := range codecs {
		r := rand.New(rand.NewPCG(1, uint64(c.ID())))
		for _, n := range lengths {
			for _, d := range []float64{0, 0.01, 0.1, 0.5, 1} {
				if err := check(c, r, sprinkled(r, n, d, n%2 == 0)); err != nil {
					t.Fatalf("%s, %d elements, density %g: %v", c.Name(), n, d, err)
				}
			}
		}
	}
}

// The registry names both by ID, and both beat the bitmap where zeros are many.
func TestRegistered(t *testing.T) {
	x := sprinkled(rand.New(rand.NewPCG(1, 2)), 100_000, 0.01, true)
	for id, name := range map[uint8]string{4: "bitmap+zstd", 5: "bitmap+s2"} {
		c, err := codec.ByID(id)
		if err != nil || c.Name() != name {
			t.Fatalf("ByID(%d) = %v, %v", id, c, err)
		}
		if got, bitmap := c.Size(x), (codec.Bitmap{}).Size(x); 2*got > bitmap {
			t.Errorf("%s: %d bytes of a bitmap's %d", name, got, bitmap)
		}
	}
}

// Same vector, same bytes: after any other vector, and from many goroutines.
func TestSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x := sprinkled(r, 30_000, 0.05, true)
	for _, c := range codecs {
		fresh := c.Append(nil, x)
		for n := range 20 {
			c.Append(nil, sprinkled(r, 1+n*n*300, float64(n)/19, true))
			if !bytes.Equal(c.Append(nil, x), fresh) {
				t.Fatalf("%s: other bytes after %d other vectors", c.Name(), n+1)
			}
		}
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				y := make([]float32, len(x))
				for range 10 {
					if wire := c.Append(nil, x); !bytes.Equal(wire, fresh) || c.Decode(y, wire) != nil || !bytes.Equal(wordsOf(y), wordsOf(x)) {
						t.Errorf("%s: other bytes beside other goroutines", c.Name())
					}
				}
			})
		}
		group.Wait()
	}
}

// The bounds that SizeAt's comments state.
func TestSizeAt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, c := range codecs {
		if c.ID() == (s2Codec{}).ID() && runtime.GOARCH != "amd64" {
			continue // as its comment says
		}
		for n, bound := range map[int]float64{20_000: 0.12, 200_000: 0.04, 1_000_000: 0.12} {
			for _, d := range []float64{0, 0.0003, 0.003, 0.01, 0.04, 0.1, 0.15, 0.25, 0.4, 0.6, 0.8, 0.95, 1} {
				x := sprinkled(rand.New(rand.NewPCG(9, uint64(n))), n, d, true)
				got, want := c.SizeAt(n, float64(vec.CountNonzero(x))/float64(n)), float64(c.Size(x))
				if math.Abs(got-want) > bound*want+128 {
					t.Errorf("%s, %d elements at density %g: %.0f bytes promised, %.0f made", c.Name(), n, d, got, want)
				}
			}
		}
	}
}
