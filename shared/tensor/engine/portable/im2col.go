package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

// padded is the geometry of an image with its border of zeros.
type padded struct {
	h, w int
}

func paddedOf(g tensor.Conv) padded { return padded{g.H + 2*g.Pad, g.W + 2*g.Pad} }

// tapOffsets lists where each filter tap lies in a padded image, relative to
// the output pixel's corner, in the filter's storage order.
func tapOffsets(buf *[]int, g tensor.Conv) []int {
	p := paddedOf(g)
	taps := team.Resize(buf, g.Taps())
	i := 0
	for c := 0; c < g.InC; c++ {
		for y := 0; y < g.KH; y++ {
			for x := 0; x < g.KW; x++ {
				taps[i] = (c*p.h+y)*p.w + x
				i++
			}
		}
	}
	return taps
}

// pad copies one image into a border of zeros; without padding it returns the
// image itself.
func pad(buf *[]float32, g tensor.Conv, x []float32) []float32 {
	if g.Pad == 0 {
		return x
	}
	p := paddedOf(g)
	image := team.Resize(buf, g.InC*p.h*p.w)
	clear(image)
	for c := 0; c < g.InC; c++ {
		for y := 0; y < g.H; y++ {
			to := (c*p.h+y+g.Pad)*p.w + g.Pad
			copy(image[to:to+g.W], x[(c*g.H+y)*g.W:])
		}
	}
	return image
}

// gather writes, for every tap, the four pixels first … first+3 of one image:
// the quadruples that tile and dots read. Pixels past the last are zeros.
func gather(dst, image []float32, g tensor.Conv, taps []int, first int) {
	ow := g.OutW()
	pixels := g.OutH() * ow
	w := paddedOf(g).w
	row, column := first/ow, first%ow
	dst = dst[:4*len(taps)]
	if g.Stride == 1 && column+4 <= ow {
		corner := image[row*w+column:]
		for i, at := range taps {
			*(*[4]float32)(dst[4*i:]) = *(*[4]float32)(corner[at:])
		}
		return
	}
	var corner [4]int
	count := min(4, pixels-first)
	for j := 0; j < count; j++ {
		corner[j] = (first+j)/ow*g.Stride*w + (first+j)%ow*g.Stride
	}
	if count < 4 {
		clear(dst)
		for i, at := range taps {
			for j := 0; j < count; j++ {
				dst[4*i+j] = image[corner[j]+at]
			}
		}
		return
	}
	c0, c1, c2, c3 := image[corner[0]:], image[corner[1]:], image[corner[2]:], image[corner[3]:]
	for i, at := range taps {
		*(*[4]float32)(dst[4*i:]) = [4]float32{c0[at], c1[at], c2[at], c3[at]}
	}
}
