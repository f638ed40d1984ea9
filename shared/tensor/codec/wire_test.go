package codec

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// By hand: −0 (0x80000000) and 1.5 (0x3fc00000) are elements 1 and 9 of 11.
func TestForms(t *testing.T) {
	x := make([]float32, 11)
	x[1], x[9] = float32(math.Copysign(0, -1)), 1.5
	for name, want := range map[string][]byte{
		"dense": {0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0},
		"bitmap": {0x02, 0x02, 0, 0, 0, 0x80, 0, 0, 0xc0, 0x3f},
		"coo":    {1, 0, 0, 0, 0, 0, 0, 0x80, 9, 0, 0, 0, 0, 0, 0xc0, 0x3f},
		"rle":    {1, 1, 0, 0, 0, 0x80, 7, 1, 0, 0, 0xc0, 0x3f, 1, 0},
	} {
		c, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Append(nil, x); !bytes.Equal(got, want) {
			t.Errorf("%s: % x, want % x", name, got, want)
		}
	}
	var names []string
	for i, c := range All() {
		names = append(names, c.Name())
		if int(c.ID()) != i {
			t.Errorf("%s has ID %d, want %d", c.Name(), c.ID(), i)
		}
		if same, err := ByID(c.ID()); err != nil || same.Name() != c.Name() {
			t.Errorf("ByID(%d) = %v, %v", c.ID(), same, err)
		}
	}
	if !slices.Equal(names, []string{"dense", "bitmap", "coo", "rle"}) {
		t.Errorf("codecs %v", names)
	}
	if _, err := Lookup("morse"); err == nil || !strings.Contains(err.Error(), "known are dense, bitmap, coo, rle") {
		t.Errorf("Lookup(morse): %v", err)
	}
	if _, err := ByID(200); err == nil {
		t.Error("ByID(200) is a codec")
	}
}

// Corrupt wires of three elements, and what is said of them.
func TestCorruptWires(t *testing.T) {
	word := "\x00\x00\x80\x3f"
	for _, c := range []struct {
		codec      Codec
		wire, want string
	}{
		{Bitmap{}, "", "0 bytes, want at least 1"},
		{Bitmap{}, "\x08" + word, "bits behind element 3"},
		{Bitmap{}, "\x03" + word, ""},
		{Bitmap{}, "\x01" + word + word, ""},
		{COO{}, "\x03\x00\x00\x00" + word, "pair 0 has index 3, want one above the last and below 3"},
		{COO{}, "\x01\x00\x00\x00" + word + "\x01\x00\x00\x00" + word, "pair 1 has index 1"},
		{COO{}, "\x01\x00\x00\x00" + word + "\x00\x00\x00\x00" + word, "pair 1 has index 0"},
		{COO{}, "\x01\x00\x00\x80" + word, "pair 0 has index 2147483649"},
		{COO{}, "\x01\x00\x00\x00" + word + "\x02", "9 bytes are no whole number of pairs"},
		{rle{}, "", "no run lengths for the last 3 of 3"},
		{rle{}, "\x80", "no run lengths"},
		{rle{}, "\x03", "no run lengths"},
		{rle{}, "\x04\x00", "runs of 4 and 0, want 3 elements at most"},
		{rle{}, "\x02\x02" + word + word, "runs of 2 and 2, want 3"},
		{rle{}, "\x01\x00\x02\x00", "an empty run 3 elements before the end"},
		{rle{}, "\x00\x01" + word + "\x00\x02" + word + word, "an empty run 2 elements before the end"},
		{rle{}, "\x81\x00\x02" + word + word, "in 3 bytes, want the shortest varints"},
		{rle{}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", "no run lengths"},
		{rle{}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", "no run lengths"},
		{rle{}, "\x01\x02" + word, "4 bytes, want 8 for a run of 2 values"},
		{rle{}, "\x03\x00\x00", "1 bytes behind element 3"},
	} {
		for name, f := range map[string]func([]float32, []byte) error{"Decode": c.codec.Decode, "Accumulate": c.codec.Accumulate} {
			err := f(make([]float32, 3), []byte(c.wire))
			if err == nil || name == "Accumulate" && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s.%s(% x): %v, want %q", c.codec.Name(), name, c.wire, err, c.want)
			}
		}
	}
}

// fuzzDecode: any bytes are an error for both decoders or a vector for both, whose
// own wire decodes to it again; nothing but an error's text is allocated.
func fuzzDecode(f *testing.F, c Codec) {
	for n, x := range [][]float32{nil, {0}, {1, 0, 2}, make([]float32, 300), {0, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}} {
		f.Add(c.Append(nil, x), len(x))
		f.Add(c.Append([]byte{byte(n)}, x), len(x)+1)
	}
	f.Fuzz(func(t *testing.T, wire []byte, n int) {
		if n < 0 || n > 1<<13 {
			return
		}
		x, sum := make([]float32, n), make([]float32, n)
		err := c.Decode(x, wire)
		if again := c.Accumulate(sum, wire); (err == nil) != (again == nil) {
			t.Fatalf("Decode: %v, Accumulate: %v", err, again)
		}
		if err != nil {
			return
		}
		for i, v := range x {
			if s := v + nothing[0]; math.Float32bits(s) != math.Float32bits(sum[i]) && v == v {
				t.Fatalf("element %d: decoded %g, accumulated %g", i, v, sum[i])
			}
		}
		y := make([]float32, n)
		if err := c.Decode(y, c.Append(nil, x)); err != nil || !bytes.Equal(wordsOf(x), wordsOf(y)) {
			t.Fatalf("coded again: %v, %v, want %v", err, y, x)
		}
		if got := testing.AllocsPerRun(1, func() { _ = c.Decode(x, wire); _ = c.Accumulate(x, wire) }); got != 0 {
			t.Fatalf("%v allocations", got)
		}
	})
}

func FuzzDenseDecode(f *testing.F)  { fuzzDecode(f, Dense{}) }
func FuzzBitmapDecode(f *testing.F) { fuzzDecode(f, Bitmap{}) }
func FuzzCOODecode(f *testing.F)    { fuzzDecode(f, COO{}) }
func FuzzRLEDecode(f *testing.F)    { fuzzDecode(f, rle{}) }
