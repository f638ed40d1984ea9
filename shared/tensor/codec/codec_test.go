package codec

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"gradsync/shared/tensor/vec"
)

// odd are bit patterns that arithmetic or a comparison with 0 would lose.
var odd = []uint32{
	0x80000000,             // −0
	0x00000001, 0x80000001, // denormals
	0x7f800001, 0xffc00123, // NaNs, the first signalling
	0x7f800000, 0xff800000, 0x3f800000, 0x7f7fffff,
}

// sprinkled has the share density of elements that are not +0, one in four of these odd.
func sprinkled(r *rand.Rand, n int, density float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		switch {
		case r.Float64() >= density:
		case r.IntN(4) == 0:
			x[i] = math.Float32frombits(odd[r.IntN(len(odd))])
		default:
			x[i] = math.Float32frombits(r.Uint32() | 1)
		}
	}
	return x
}

// blocked has runs of +0 and of values instead.
func blocked(r *rand.Rand, n int) []float32 {
	x := make([]float32, 0, n)
	for len(x) < n {
		length := min(1+int(r.ExpFloat64()*float64([]int{3, 300, 40_000}[r.IntN(3)])), n-len(x))
		x = append(x, sprinkled(r, length, float64(r.IntN(2)))...)
	}
	return x
}

// summands holds −0 often and no NaN: which NaN a sum of two gives is the CPU's.
func summands(r *rand.Rand, n int) []float32 {
	x := sprinkled(r, n, 0.7)
	for i, v := range x {
		if v != v {
			x[i] = math.Float32frombits(0x80000000)
		}
	}
	return x
}

func wordsOf(x []float32) []byte { return vec.AppendBytes(nil, x) }

// check holds c to all that the interface says of one vector.
func check(c Codec, r *rand.Rand, x []float32) error {
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
	y := sprinkled(r, len(x), 1)
	if err := c.Decode(y, wire); err != nil {
		return err
	}
	if !bytes.Equal(wordsOf(y), wordsOf(x)) {
		return fmt.Errorf("decoded %v, want %v", y, x)
	}
	sum := summands(r, len(x))
	want := bytes.Clone(wordsOf(sum))
	plain := make([]float32, len(x))
	_ = vec.FromBytes(plain, want)
	for i, v := range y {
		plain[i] += v
	}
	if err := c.Accumulate(sum, wire); err != nil {
		return err
	}
	if !bytes.Equal(wordsOf(sum), wordsOf(plain)) {
		return fmt.Errorf("accumulated %v, want %v", sum, plain)
	}
	for _, cut := range []int{len(wire) - 1, len(wire) / 2} {
		if cut < 0 || c.ID() == 2 && cut%pair == 0 { // a cut between two pairs is another vector's wire
			continue
		}
		if cut < len(wire) && (c.Decode(y, wire[:cut]) == nil || c.Accumulate(sum, wire[:cut]) == nil) {
			return fmt.Errorf("%d of %d bytes are no error", cut, len(wire))
		}
	}
	if longer := append(bytes.Clone(wire), 0); c.Decode(y, longer) == nil || c.Accumulate(sum, longer) == nil {
		return fmt.Errorf("a byte more than %d is no error", len(wire))
	}
	return nil
}

// Every length to 100, a few around the chunk, a large one; evenly spread and in runs.
func TestCodecs(t *testing.T) {
	lengths := []int{1023, 1024, 1025, 2048, 3 * 1024, 100_000}
	for n := range 101 {
		lengths = append(lengths, n)
	}
	for _, c := range All() {
		r := rand.New(rand.NewPCG(1, uint64(c.ID())))
		for _, n := range lengths {
			for _, d := range []float64{0, 0.01, 0.1, 0.5, 0.9, 1} {
				if err := check(c, r, sprinkled(r, n, d)); err != nil {
					t.Fatalf("%s, %d elements, density %g: %v", c.Name(), n, d, err)
				}
			}
			if err := check(c, r, blocked(r, n)); err != nil {
				t.Fatalf("%s, %d elements in runs: %v", c.Name(), n, err)
			}
		}
	}
}

// A +0 that is not on the wire turns −0 into +0, at every place of a chunk.
func TestAccumulateAddsWhatIsLeftOut(t *testing.T) {
	for _, c := range All() {
		for _, n := range []int{1, 7, 16, 33, 1024, 1500} {
			x := make([]float32, n)
			for i := range x {
				x[i] = math.Float32frombits(0x80000000)
			}
			zeros := make([]float32, n)
			zeros[0] = x[0] // −0 + −0 stays −0
			if err := c.Accumulate(x, c.Append(nil, zeros)); err != nil {
				t.Fatal(err)
			}
			for i, v := range x {
				if want := uint32(0x80000000) * uint32(1-min(i, 1)); math.Float32bits(v) != want {
					t.Fatalf("%s, %d elements: element %d is %#x, want %#x", c.Name(), n, i, math.Float32bits(v), want)
				}
			}
		}
	}
}

// The size promised for evenly spread values is the size of such a vector: within
// 1 % and 8 bytes at 200,000 elements. Densities are met exactly but for the places.
func TestSizeAt(t *testing.T) {
	const n = 200_000
	for _, c := range All() {
		r := rand.New(rand.NewPCG(3, 4))
		for _, d := range []float64{0, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1} {
			x := make([]float32, n)
			for i, at := range r.Perm(n)[:int(math.Round(d*n))] {
				x[at] = float32(i + 1)
			}
			if got, want := c.SizeAt(n, d), float64(c.Size(x)); math.Abs(got-want) > 0.01*want+8 {
				t.Errorf("%s at density %g: %g bytes promised, %g made", c.Name(), d, got, want)
			}
		}
		if got := c.SizeAt(0, 0.5); got != 0 {
			t.Errorf("%s: %g bytes promised for nothing", c.Name(), got)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r := rand.New(rand.NewPCG(5, 6))
	for _, x := range [][]float32{sprinkled(r, 5000, 0.1), blocked(r, 5000)} {
		y := make([]float32, len(x))
		for _, c := range All() {
			wire := c.Append(nil, x)
			for name, f := range map[string]func(){
				"Append":     func() { wire = c.Append(wire[:0:len(wire)], x) },
				"Decode":     func() { _ = c.Decode(y, wire) },
				"Accumulate": func() { _ = c.Accumulate(y, wire) },
				"Size":       func() { c.Size(x) },
			} {
				if got := testing.AllocsPerRun(20, f); got != 0 {
					t.Errorf("%s.%s: %v allocations", c.Name(), name, got)
				}
			}
			if got := testing.AllocsPerRun(20, func() { c.Append(nil, x) }); got != 1 {
				t.Errorf("%s.Append to nothing: %v allocations, want the wire's own", c.Name(), got)
			}
		}
	}
}
