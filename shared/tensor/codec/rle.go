package codec

import (
	"encoding/binary"
	"math"

	"gradsync/shared/tensor/vec"
)

// rle (run lengths) is runs of +0 and of everything else in turns: how many +0
// (0 in the first run only), how many values (0 in the last only), both as
// LEB128 varints, and the values as little-endian words. It suits zeros that
// come in rows and blocks.
//
//	bytes ≈ 4·d·n + 2·d·(1−d)·n if zeros are spread evenly, 4·d·n if they are not
//
// Source: S42; ours: the patent leaves the compression algorithm open
type rle struct{}

func (rle) Name() string { return "rle" }

// ID returns 3.
func (rle) ID() uint8 { return 3 }

// Size walks over src's runs.
func (rle) Size(src []float32) int {
	size, runs := 0, newRuns(src)
	for i := 0; i < len(src); {
		from := runs.next() // of values, behind zeros
		to := runs.next()
		size += varint(from-i) + varint(to-from) + 4*(to-from)
		i = to
	}
	return size
}

// SizeAt takes every element as +0 with probability 1 − d on its own. A pair of
// runs begins in front and at every +0 behind a value, d(1−d)(n−1) + 1 times; the
// lengths are geometric, and a varint is a byte longer from 2⁷, 2¹⁴, … on.
func (rle) SizeAt(n int, density float64) float64 {
	if n <= 0 {
		return 0
	}
	d, z := density, 1-density
	runs := float64(d*z)*float64(n-1) + 1
	each := 2.0
	for limit := 128.0; limit <= float64(n); limit *= 128 {
		each += math.Pow(z, limit-1) + math.Pow(d, limit-1)
	}
	return float64(runs*each) + 4*d*float64(n)
}

// Append writes src run by run. If dst has no room for the longest form, it
// finds the size first.
func (c rle) Append(dst []byte, src []float32) []byte {
	// A run of zeros and the values behind it take at most 4 bytes per element,
	// but for the first run and for lengths of 2²¹ and more.
	if most := 4*len(src) + 16 + len(src)>>16; cap(dst)-len(dst) < most {
		dst = room(dst, c.Size(src))
	}
	out, at, runs := dst[:cap(dst)], len(dst), newRuns(src)
	for i := 0; i < len(src); {
		from := runs.next()
		to := runs.next()
		at += binary.PutUvarint(out[at:], uint64(from-i))
		at += binary.PutUvarint(out[at:], uint64(to-from))
		if to-from < shortRun {
			for _, v := range src[from:to] {
				binary.LittleEndian.PutUint32(out[at:], math.Float32bits(v))
				at += 4
			}
		} else {
			at = len(vec.AppendBytes(out[:at], src[from:to]))
		}
		i = to
	}
	return out[:at]
}

func (rle) Decode(dst []float32, wire []byte) error {
	n, rest := len(dst), wire
	for len(dst) > 0 {
		zeros, values, head, err := nextRun(n, len(dst), rest)
		if err != nil {
			return err
		}
		rest = rest[head:]
		if zeros <= 2*shortRun && len(dst) >= 2*shortRun {
			*(*[2 * shortRun]float32)(dst) = [2 * shortRun]float32{} // what is behind the zeros is written next
		} else {
			clear(dst[:zeros])
		}
		dst = dst[zeros:]
		if values < shortRun {
			for i := range dst[:values] {
				dst[i] = wordAt(rest, i)
			}
		} else if err := vec.FromBytes(dst[:values], rest[:4*values]); err != nil {
			return err
		}
		dst, rest = dst[values:], rest[4*values:]
	}
	return endRLE(n, rest)
}

func (rle) Accumulate(dst []float32, wire []byte) error {
	n, rest := len(dst), wire
	for len(dst) > 0 {
		zeros, values, head, err := nextRun(n, len(dst), rest)
		if err != nil {
			return err
		}
		rest = rest[head:]
		addZeros(dst[:zeros])
		dst = dst[zeros:]
		if values < shortRun {
			for i := range dst[:values] {
				dst[i] += wordAt(rest, i)
			}
		} else if err := vec.AddBytes(dst[:values], rest[:4*values]); err != nil {
			return err
		}
		dst, rest = dst[values:], rest[4*values:]
	}
	return endRLE(n, rest)
}
