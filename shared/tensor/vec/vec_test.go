package vec

import (
	"bytes"
	"math"
	"testing"
)

func TestBytesAreLittleEndianIEEE754(t *testing.T) {
	// By hand: 1.5 = 0x3fc00000, −2 = 0xc0000000.
	b := AppendBytes([]byte{9}, []float32{1.5, -2})
	if !bytes.Equal(b, []byte{9, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}) {
		t.Fatalf("% x", b)
	}
	x := []float32{10, 20}
	if err := AddBytes(x, b[1:]); err != nil || x[0] != 11.5 || x[1] != 18 {
		t.Fatalf("%v, %v", x, err)
	}
	if err := FromBytes(x, b[1:]); err != nil || x[0] != 1.5 || x[1] != -2 {
		t.Fatalf("%v, %v", x, err)
	}
}

func TestWrongLengthsAreErrorsAndChangeNothing(t *testing.T) {
	x := []float32{1, 2}
	for _, n := range []int{0, 7, 9} {
		if AddBytes(x, make([]byte, n)) == nil || AddToBytes(x, make([]byte, n)) == nil || FromBytes(x, make([]byte, n)) == nil || x[0] != 1 || x[1] != 2 {
			t.Errorf("%d bytes for 2 elements: %v", n, x)
		}
	}
}

func TestEveryBitPatternComesBack(t *testing.T) {
	for bits := uint64(0); bits < 1<<32; bits += 65537 * 3 {
		v := []float32{math.Float32frombits(uint32(bits))}
		var w [1]float32
		if err := FromBytes(w[:], AppendBytes(nil, v)); err != nil || math.Float32bits(w[0]) != uint32(bits) {
			t.Fatalf("%#x came back as %#x, %v", bits, math.Float32bits(w[0]), err)
		}
	}
}

// By hand: the product 16777215·16777215 rounds to 2^48 − 2^25 (float32 has 24
// bits), so adding −2^48 gives −2^25; a fused multiply-add would give 1 − 2^25.
func TestAxpyRoundsTheProduct(t *testing.T) {
	x, y := []float32{16777215}, []float32{-(1 << 48)}
	AxpyTo(y, 16777215, x)
	if y[0] != -(1 << 25) {
		t.Errorf("%g, want %g", y[0], float64(-(1 << 25)))
	}
	AddTo(y, []float32{3})
	Scale(0.5, y)
	// −2^25 + 3 is a tie between −2^25 + 2 and + 4: to even, + 4.
	if y[0] != -(1<<24)+2 {
		t.Errorf("after AddTo and Scale: %g", y[0])
	}
}

func TestAddToPanicsOnLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	AddTo(make([]float32, 2), make([]float32, 3))
}

// A view is the wire form, in the vector's own memory, and ends where it does.
func TestView(t *testing.T) {
	x := []float32{1, -0.5, float32(math.Inf(1)), 4}
	v := View(x[1:3])
	if v == nil {
		t.Skip("this machine's words are not the wire's")
	}
	if string(v) != string(AppendBytes(nil, x[1:3])) || cap(v) != 8 {
		t.Fatalf("%x, capacity %d", v, cap(v))
	}
	copy(v, AppendBytes(nil, []float32{7, 8}))
	if x[0] != 1 || x[1] != 7 || x[2] != 8 || x[3] != 4 {
		t.Errorf("%v", x)
	}
	if e := View(nil); e == nil || len(e) != 0 {
		t.Errorf("the view of nothing is %v", e)
	}
}

// Floats is the inverse of View: the same memory. What it cannot show as elements is nil.
func TestFloats(t *testing.T) {
	x := []float32{1, -0.5, float32(math.Inf(1)), 4}
	v := View(x)
	if v == nil {
		t.Skip("this machine's words are not the wire's")
	}
	if back := Floats(v[4:12]); len(back) != 2 || cap(back) != 2 || &back[0] != &x[1] {
		t.Fatalf("%v, capacity %d, of other memory", back, cap(back))
	}
	for name, bad := range map[string][]byte{"begins within a word": v[1:9], "ends within an element": v[:7]} {
		if got := Floats(bad); got != nil {
			t.Errorf("%s: %v, want nil", name, got)
		}
	}
	if e := Floats(v[:0]); e == nil || len(e) != 0 {
		t.Errorf("no bytes: %v, want no elements", e)
	}
}

// Of two NaNs AddBytes keeps dst's, quiet, and AddToBytes wire's, in every set; one that meets a number stays.
func TestSumsOfNaNs(t *testing.T) {
	const n = 2*block + 5
	bits := func(b uint32) float32 { return math.Float32frombits(b) }
	for _, set := range []isa{portable, avx2, avx512} {
		if !supports(set) {
			continue
		}
		restore := use(set)
		for name, add := range map[string]func([]float32, []byte) error{"AddBytes": AddBytes, "AddToBytes": AddToBytes} {
			mine, theirs, want := make([]float32, n), make([]float32, n), make([]uint32, n)
			for i := range n {
				a, b := uint32(0x7f800001+2*i), uint32(0xffc00000+2*i) // a is a signalling NaN
				if want[i] = a | 1<<22; name == "AddToBytes" {
					want[i] = b
				}
				mine[i], theirs[i] = bits(a), bits(b)
				switch i % 3 {
				case 1:
					mine[i], want[i] = 1, b
				case 2:
					theirs[i], want[i] = 1, a|1<<22
				}
			}
			must(t, add(mine, AppendBytes(nil, theirs)))
			for i, v := range mine {
				if got := math.Float32bits(v); got != want[i] {
					t.Errorf("%s, %v: element %d is %#x, want %#x", name, set, i, got, want[i])
				}
			}
		}
		restore()
	}
}
