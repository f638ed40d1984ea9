package entropy

import "gradsync/shared/tensor/vec"

// A share is how much of the bitmap form is left at a density.
type share struct{ density, zstd, s2 float64 }

// shares were counted on 200,000 elements of which the share density was drawn
// from a normal distribution at random places: zstd saves their exponents.
// TestSizeAt counts them again.
var shares = []share{
	{0, 0, 0},
	{0.0001, 0.007, 0.010},
	{0.0002, 0.014, 0.020},
	{0.0005, 0.032, 0.046},
	{0.001, 0.058, 0.086},
	{0.002, 0.106, 0.148},
	{0.005, 0.223, 0.280},
	{0.01, 0.356, 0.426},
	{0.02, 0.527, 0.597},
	{0.03, 0.633, 0.711},
	{0.05, 0.755, 0.851},
	{0.07, 0.818, 0.928},
	{0.1, 0.869, 1},
	{0.2, 0.919, 1},
	{0.3, 0.945, 1},
	{0.5, 0.937, 1},
	{0.7, 0.934, 1},
	{0.9, 0.918, 1},
	{1, 0.898, 1},
}

// overhead is about what a frame or a block says of itself, in bytes.
const overhead = 10

// sizeAt returns the bitmap form's size times the share that is left, linear between
// the densities of shares, and the overhead.
func sizeAt(n int, density float64, left func(share) float64) float64 {
	i := 1
	for i < len(shares)-1 && density > shares[i].density {
		i++
	}
	a, b := shares[i-1], shares[i]
	t := (density - a.density) / (b.density - a.density)
	ratio := float64((1-t)*left(a)) + float64(t*left(b))
	form := float64(vec.BitmapBytes(n, 0)) + 4*density*float64(n)
	return float64(ratio*form) + overhead
}

// SizeAt speaks of values like normally distributed ones: within 4 % and 128 bytes at
// 200,000 elements, 12 % and 128 bytes from 20,000 to a million. What training
// sends may have more structure, and its real size be smaller.
func (zstdCodec) SizeAt(n int, density float64) float64 {
	return sizeAt(n, density, func(s share) float64 { return s.zstd })
}

// SizeAt speaks of values without repetitions: within 4 % and 128 bytes at 200,000
// elements, 12 % and 128 bytes from 20,000 to a million, on amd64.
func (s2Codec) SizeAt(n int, density float64) float64 {
	return sizeAt(n, density, func(s share) float64 { return s.s2 })
}
