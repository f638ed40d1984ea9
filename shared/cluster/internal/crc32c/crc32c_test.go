package crc32c

import (
	"hash/crc32"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// Texts of all lengths about the bounds of blocks, wherever they stand, have the sums of hash/crc32, whatever came before them.
func TestUpdate(t *testing.T) {
	if !wide && !narrow {
		t.Log("this processor has no products of polynomials in 256 bits or more: hash/crc32 does everything")
	}
	testUpdate(t)
}

func testUpdate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]byte, 3<<20)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	check := func(b []byte) {
		for _, sum := range []uint32{0, 1, ^uint32(0), r.Uint32()} {
			if got, want := Update(sum, b), crc32.Update(sum, castagnoli, b); got != want {
				t.Fatalf("%d bytes after %#x: %#x, want %#x", len(b), sum, got, want)
			}
		}
	}
	for n := range 6 * block {
		check(all[n%67 : n%67+n])
	}
	for _, n := range []int{block + pass, 2*block + pass, block + 2*pass, 2*block + 2*pass} {
		for d := -3; d <= 3; d++ {
			check(all[n%67 : n%67+n+d])
		}
	}
	for range 50 {
		from := r.IntN(len(all))
		check(all[from : from+r.IntN(len(all)-from)])
	}
	check(make([]byte, 5000))
	// Every bit of a text counts.
	text, step := all[:least+block+3], 1
	if narrow {
		text, step = all[:2*block+pass+3], 61
	}
	want := Update(0, text)
	for i := 0; i < 8*len(text); i += step {
		text[i/8] ^= 1 << (i % 8)
		if Update(0, text) == want {
			t.Fatalf("bit %d does not count", i)
		}
		text[i/8] ^= 1 << (i % 8)
	}
}

// The Castagnoli CRC of nine digits is in every list of check values (RFC 3720, B.4, has that of zeros).
func TestKnown(t *testing.T) {
	if got := Update(0, []byte("123456789")); got != 0xe3069283 {
		t.Errorf("%#x", got)
	}
	if got := Update(0, make([]byte, 32)); got != 0x8a9136aa {
		t.Errorf("%#x", got)
	}
}

// A sum is made for every message: none allocates. One goroutine makes them, and nothing is collected meanwhile.
func TestUpdateAllocatesNothing(t *testing.T) { allocatesNothing(t) }

func allocatesNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, n := range []int{2 * least, block + 2*pass} {
		text := make([]byte, n)
		if made := testing.AllocsPerRun(100, func() { Update(0, text) }); made != 0 {
			t.Errorf("%v allocations for a sum of %d bytes, want 0", made, n)
		}
	}
}
