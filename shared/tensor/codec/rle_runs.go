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

// zeroRun is how many +0 x begins with.
func zeroRun(x []float32) int {
	i := 0
	for ; i+8 <= len(x); i += 8 {
		b := x[i : i+8 : i+8]
		if math.Float32bits(b[0])|math.Float32bits(b[1])|math.Float32bits(b[2])|math.Float32bits(b[3])|
			math.Float32bits(b[4])|math.Float32bits(b[5])|math.Float32bits(b[6])|math.Float32bits(b[7]) != 0 {
			break
		}
	}
	for ; i < len(x); i++ {
		if math.Float32bits(x[i]) != 0 {
			break
		}
	}
	return i
}

// valueRun is how many elements that are not +0 x begins with.
func valueRun(x []float32) int {
	for i, v := range x {
		if math.Float32bits(v) == 0 {
			return i
		}
	}
	return len(x)
}

// varint is the length of n as a LEB128 varint.
func varint(n int) int { return (bits.Len64(uint64(n)|1) + 6) / 7 }

// runHead reads the lengths of a run and how many bytes they take; 0 if they are
// no varints or more than any vector has.
func runHead(wire []byte) (zeros, values, head int) {
	if len(wire) >= 2 && wire[0]|wire[1] < 0x80 {
		return int(wire[0]), int(wire[1]), 2
	}
	z, a := binary.Uvarint(wire)
	if a <= 0 || z > math.MaxInt/8 {
		return 0, 0, 0
	}
	v, b := binary.Uvarint(wire[a:])
	if b <= 0 || v > math.MaxInt/8 {
		return 0, 0, 0
	}
	return int(z), int(v), a + b
}

// validRun checks a run of a vector of n elements, of which left are to come,
// before a wire's last `bytes`.
func validRun(n, left, zeros, values, head, bytes int) error {
	switch {
	case head == 0:
		return fmt.Errorf("codec: rle: no run lengths for the last %d of %d elements", left, n)
	case head != varint(zeros)+varint(values):
		return fmt.Errorf("codec: rle: run lengths %d and %d in %d bytes, want the shortest varints", zeros, values, head)
	case zeros == 0 && left < n || values == 0 && zeros < left:
		return fmt.Errorf("codec: rle: an empty run %d elements before the end", left)
	case zeros > left || values > left-zeros:
		return fmt.Errorf("codec: rle: runs of %d and %d, want %d elements at most", zeros, values, left)
	case 4*values > bytes-head:
		return fmt.Errorf("codec: rle: %d bytes, want %d for a run of %d values", bytes-head, 4*values, values)
	}
	return nil
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
