package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"gradsync/shared/tensor/vec"
)

// shortRun is below what a call that moves a run costs more than a loop.
const shortRun = 16

// runs finds where a vector changes between +0 and anything else, in 64 bits of
// its bitmap at a time.
type runs struct {
	src   []float32
	word  int    // the next word of the vector's bitmap
	edges uint64 // of the word before: a one where its bit differs from the one before it
	last  uint64 // the bit before the next word; zeros precede a vector
	mask  [chunk / 8]byte
	form  [chunk/8 + 4*chunk]byte
}

// newRuns begins in front of src, among zeros: a value there is a change at 0.
func newRuns(src []float32) runs { return runs{src: src} }

// next returns the index of the next change, the vector's length behind the last.
func (r *runs) next() int {
	for r.edges == 0 {
		i := 64 * r.word
		if i >= len(r.src) {
			return len(r.src)
		}
		if i%chunk == 0 {
			part := r.src[i:min(i+chunk, len(r.src))]
			copy(r.mask[:], vec.AppendBitmap(r.form[:0], part)[:vec.BitmapBytes(len(part), 0)])
		}
		w := binary.LittleEndian.Uint64(r.mask[i%chunk/8:])
		r.edges = w ^ (w<<1 | r.last)
		r.last = w >> 63
		r.word++
	}
	at := 64*(r.word-1) + bits.TrailingZeros64(r.edges)
	r.edges &= r.edges - 1
	return min(at, len(r.src)) // bits behind the vector are those of the chunk before
}

// varint returns the length of n as a LEB128 varint.
func varint(n int) int { return (bits.Len64(uint64(n)|1) + 6) / 7 }

// nextRun reads a run's lengths and how many bytes they take, of a vector of n
// elements of which left are to come. The run's elements and bytes are there.
func nextRun(n, left int, wire []byte) (zeros, values, head int, err error) {
	if len(wire) >= 2 && wire[0]|wire[1] < 0x80 { // as almost always
		zeros, values = int(wire[0]), int(wire[1])
		if zeros > 0 && values > 0 && zeros+values <= left && 4*values <= len(wire)-2 {
			return zeros, values, 2, nil
		}
	}
	z, a := binary.Uvarint(wire)
	v, b := binary.Uvarint(wire[max(a, 0):])
	if a <= 0 || b <= 0 || z > math.MaxInt/8 || v > math.MaxInt/8 {
		return 0, 0, 0, fmt.Errorf("codec: rle: no run lengths for the last %d of %d elements", left, n)
	}
	zeros, values, head = int(z), int(v), a+b
	switch {
	case head != varint(zeros)+varint(values):
		err = fmt.Errorf("codec: rle: run lengths %d and %d in %d bytes, want the shortest varints", zeros, values, head)
	case zeros == 0 && left < n || values == 0 && zeros < left:
		err = fmt.Errorf("codec: rle: an empty run %d elements before the end", left)
	case zeros > left || values > left-zeros:
		err = fmt.Errorf("codec: rle: runs of %d and %d, want %d elements at most", zeros, values, left)
	case 4*values > len(wire)-head:
		err = fmt.Errorf("codec: rle: %d bytes, want %d for a run of %d values", len(wire)-head, 4*values, values)
	}
	return zeros, values, head, err
}

func endRLE(n int, rest []byte) error {
	if len(rest) > 0 {
		return fmt.Errorf("codec: rle: %d bytes behind element %d", len(rest), n)
	}
	return nil
}

// nothing is a chunk of +0.
var nothing [chunk]float32

// addZeros adds +0 to every element: −0 becomes +0.
func addZeros(x []float32) {
	if len(x) < shortRun {
		for i := range x {
			x[i] += nothing[0]
		}
		return
	}
	for len(x) > 0 {
		k := min(chunk, len(x))
		vec.AddTo(x[:k], nothing[:k])
		x = x[k:]
	}
}

// wordAt decodes word i of wire.
func wordAt(wire []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(wire[4*i:]))
}
