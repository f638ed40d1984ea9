package codec

import "gradsync/shared/tensor/vec"

func init() {
	Register(Dense{})
	Register(Bitmap{})
	Register(COO{})
	Register(rle{})
}

// Dense is little-endian IEEE 754 words, four bytes per element.
//
// Source: S42, "direct"
type Dense struct{}

func (Dense) Name() string { return "dense" }

// ID returns 0.
func (Dense) ID() uint8 { return 0 }

// Size returns 4n.
func (Dense) Size(src []float32) int { return vec.Bytes(len(src)) }

// SizeAt returns 4n at any density.
func (Dense) SizeAt(n int, _ float64) float64 { return float64(vec.Bytes(n)) }

func (Dense) Append(dst []byte, src []float32) []byte { return vec.AppendBytes(dst, src) }

func (Dense) Decode(dst []float32, wire []byte) error { return vec.FromBytes(dst, wire) }

func (Dense) Accumulate(dst []float32, wire []byte) error { return vec.AddBytes(dst, wire) }
