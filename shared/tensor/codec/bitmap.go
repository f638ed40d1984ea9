package codec

import "gradsync/shared/tensor/vec"

// Bitmap is one bit per element, set where it is not +0, then the values of the
// set bits.
//
//	bytes = ⌈n/8⌉ + 4·d·n
//
// Source: S42; the form of US 11544067, "a bitmask section and a compressed data section"
type Bitmap struct{}

func (Bitmap) Name() string { return "bitmap" }

// ID is 1.
func (Bitmap) ID() uint8 { return 1 }

// Size counts once over src.
func (Bitmap) Size(src []float32) int { return vec.BitmapBytes(len(src), vec.CountNonzero(src)) }

// SizeAt is exact if density·n is whole.
func (Bitmap) SizeAt(n int, density float64) float64 {
	return float64(vec.BitmapBytes(n, 0)) + 4*density*float64(n)
}

func (Bitmap) Append(dst []byte, src []float32) []byte { return vec.AppendBitmap(dst, src) }

func (Bitmap) Decode(dst []float32, wire []byte) error { return vec.FromBitmap(dst, wire) }

func (Bitmap) Accumulate(dst []float32, wire []byte) error { return vec.AddBitmap(dst, wire) }
