package vec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// By hand: −0 (0x80000000) and 1.5 (0x3fc00000) are elements 1 and 9 of 10.
func TestBitmapForm(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		x := make([]float32, 10)
		x[1], x[9] = float32(math.Copysign(0, -1)), 1.5
		want := []byte{7, 0x02, 0x02, 0, 0, 0, 0x80, 0, 0, 0xc0, 0x3f}
		if got := AppendBitmap([]byte{7}, x); !bytes.Equal(got, want) || cap(got) != len(want) {
			t.Errorf("% x (capacity %d), want % x", got, cap(got), want)
		}
		if CountNonzero(x) != 2 || BitmapBytes(10, 2) != 10 {
			t.Errorf("%d are not +0, %d bytes", CountNonzero(x), BitmapBytes(10, 2))
		}
	})
}

// TestBitmapLosesNothing: the bits come back at every length and density.
func TestBitmapLosesNothing(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		for n := range 201 {
			v := newVectors(n, uint64(n)+1000)
			want := bitmapByHand(v.b)
			if got := AppendBitmap(nil, v.b); !bytes.Equal(got, want) {
				t.Fatalf("n = %d: % x, want % x", n, got, want)
			}
			must(t, FromBitmap(v.a, want))
			if !bytes.Equal(floatBytes(v.a), floatBytes(v.b)) {
				t.Fatalf("n = %d: %v, want %v", n, v.a, v.b)
			}
		}
	})
}

func TestHostileBitmaps(t *testing.T) {
	x := []float32{1, 2, 3}
	for name, wire := range map[string][]byte{
		"nothing": nil, "a bit behind the end": {0x09, 0, 0, 0, 0, 0, 0, 0, 0},
		"a value too few": {0x03, 0, 0, 0, 0}, "a value too many": {0x01, 0, 0, 0, 0, 0, 0, 0, 0},
		"a byte too few": {0x01, 0, 0, 0}, "another length's bytes": make([]byte, 2),
	} {
		if FromBitmap(x, wire) == nil || x[0] != 1 || x[1] != 2 || x[2] != 3 {
			t.Errorf("%s: no error, or changed: %v", name, x)
		}
	}
	if FromBitmap(nil, nil) != nil || FromBitmap(nil, []byte{0}) == nil {
		t.Error("no elements are no bytes")
	}
}

// FuzzBitmap: any bytes are an error for all sets, or the same elements for all,
// which code to the same bytes unless a listed value was +0.
func FuzzBitmap(f *testing.F) {
	for seed := range uint64(8) {
		v := newVectors(int(40*seed), seed)
		f.Add(v.coded, 40*int(seed))
	}
	f.Add([]byte{0xff, 1, 2, 3}, 9)
	f.Add([]byte{0x03, 0, 0, 0x80, 0x3f, 9, 9}, 2)             // a value too few
	f.Add([]byte{0x01, 0, 0, 0x80, 0x3f, 9, 9}, 2)             // two bytes too many
	f.Add([]byte{0x03, 0, 0, 0x80, 0x3f, 0, 0, 0, 0}, 2)       // a listed +0
	f.Add([]byte{0x07, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}, 2) // a bit behind the end
	f.Fuzz(func(t *testing.T, wire []byte, n int) {
		if n < 0 || n > 1<<12 {
			return
		}
		var first []float32
		for _, set := range []isa{portable, avx2, avx512} {
			if !supports(set) {
				continue
			}
			restore := use(set)
			x := make([]float32, n)
			err := FromBitmap(x, wire)
			form := AppendBitmap(nil, x)
			restore()
			if set == portable {
				first = x
			}
			for i := range x {
				if math.Float32bits(x[i]) != math.Float32bits(first[i]) {
					t.Fatalf("%v: element %d is %g, want %g", set, i, x[i], first[i])
				}
			}
			ones := 0
			for i := range 8 * min((n+7)/8, len(wire)) {
				ones += int(wire[i/8] >> (i % 8) & 1)
			}
			if err == nil && (len(wire) != BitmapBytes(n, ones) || ones == CountNonzero(x) && !bytes.Equal(form, wire)) {
				t.Fatalf("%v: % x codes again as % x", set, wire, form)
			}
		}
	})
}

// TestNoAllocation: coding into a buffer with room allocates nothing, and a decoder never does, whatever it is sent.
func TestNoAllocation(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	v, r := newVectors(1000, 5), rand.New(rand.NewPCG(1, 2))
	for i := range v.b {
		v.b[i] *= float32(r.IntN(2))
	}
	wire := make([]byte, 0, BitmapBytes(1000, 1000))
	for name, f := range map[string]func(){
		"AppendBitmap":  func() { wire = AppendBitmap(wire[:0], v.b) },
		"FromBitmap":    func() { _ = FromBitmap(v.a, v.coded) },
		"QuantiseRange": func() { QuantiseRange(v.p, v.a, 100) },
		"AddTo":         func() { AddTo(v.a, v.b) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
