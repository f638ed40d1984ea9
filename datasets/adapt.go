package datasets

import (
	"fmt"
	"strings"
)

// adaptation says how one image is changed to fit a model's input: padded with
// black, then halved by averaging 2×2 pixels, then repeated over channels.
type adaptation struct {
	srcC, srcH, srcW int
	pad              int  // black pixels on each side
	halve            bool // 2×2 mean
	dstC             int  // srcC, or a multiple of it when srcC is 1
}

// Adaptation reports in words how images of this set are changed to fit a model with input c×h×w;
// "" means not at all. These changes exist: 28×28 padded to 32×32 with black, 32×32 (padded or
// not) halved to 16×16 by 2×2 means, one channel repeated to three. Anything else is an error.
func (s *Set) Adaptation(c, h, w int) (note string, err error) {
	a, err := adapt(s.Train.C, s.Train.H, s.Train.W, c, h, w)
	if err != nil {
		return "", fmt.Errorf("datasets: %s: %w", s.Name, err)
	}
	return a.String(), nil
}

// adapt chooses the change from one shape to another.
func adapt(srcC, srcH, srcW, c, h, w int) (adaptation, error) {
	a := adaptation{srcC: srcC, srcH: srcH, srcW: srcW, dstC: c}
	fail := func() error {
		return fmt.Errorf("no adaptation of %d×%d×%d images to input %d×%d×%d (height×width×channels)", srcH, srcW, srcC, h, w, c)
	}
	if c != srcC && !(srcC == 1 && c == 3) {
		return a, fail()
	}
	switch {
	case h == srcH && w == srcW:
	case srcH == 28 && srcW == 28 && h == 32 && w == 32:
		a.pad = 2
	case srcH == 28 && srcW == 28 && h == 16 && w == 16:
		a.pad, a.halve = 2, true
	case srcH == 32 && srcW == 32 && h == 16 && w == 16:
		a.halve = true
	default:
		return a, fail()
	}
	return a, nil
}

// String reports the change in words, "" for none.
func (a adaptation) String() string {
	var did []string
	h, w := a.srcH+2*a.pad, a.srcW+2*a.pad
	if a.pad > 0 {
		did = append(did, fmt.Sprintf("padded to %d×%d", h, w))
	}
	if a.halve {
		did = append(did, fmt.Sprintf("halved to %d×%d by 2×2 means", h/2, w/2))
	}
	if a.dstC != a.srcC {
		did = append(did, fmt.Sprintf("repeated to %d channels", a.dstC))
	}
	if len(did) == 0 {
		return ""
	}
	words := did[0]
	if n := len(did) - 1; n > 0 {
		words = strings.Join(did[:n], ", ") + " and " + did[n]
	}
	return fmt.Sprintf("%d×%d×%d %s", a.srcH, a.srcW, a.srcC, words)
}

// fillOne writes one adapted, normalised image. Padding is black (byte 0) before
// normalisation, as the border of MNIST images is.
func (s *Set) fillOne(dst []float32, img []byte, a adaptation) {
	h, w := a.srcH+2*a.pad, a.srcW+2*a.pad
	if a.halve {
		h, w = h/2, w/2
	}
	plane := h * w
	for c := range a.srcC {
		src, out := img[c*a.srcH*a.srcW:(c+1)*a.srcH*a.srcW], dst[c*plane:(c+1)*plane]
		if a.halve {
			s.fillHalved(out, src, a, c)
		} else {
			s.fillWhole(out, src, a, c)
		}
	}
	for c := a.srcC; c < a.dstC; c++ {
		copy(dst[c*plane:(c+1)*plane], dst[:plane])
	}
}

// fillWhole writes one channel at its own resolution.
func (s *Set) fillWhole(out []float32, src []byte, a adaptation, c int) {
	table := s.whole[c]
	w := a.srcW + 2*a.pad
	if a.pad > 0 {
		for i := range out {
			out[i] = table[0]
		}
	}
	for y := range a.srcH {
		row := out[(y+a.pad)*w+a.pad:]
		for x, v := range src[y*a.srcW : (y+1)*a.srcW] {
			row[x] = table[v]
		}
	}
}

// fillHalved writes one channel at half its (padded) resolution.
func (s *Set) fillHalved(out []float32, src []byte, a adaptation, c int) {
	table := s.halved[c]
	h, w := (a.srcH+2*a.pad)/2, (a.srcW+2*a.pad)/2
	at := func(y, x int) int {
		y, x = y-a.pad, x-a.pad
		if y < 0 || x < 0 || y >= a.srcH || x >= a.srcW {
			return 0
		}
		return int(src[y*a.srcW+x])
	}
	for y := range h {
		for x := range w {
			out[y*w+x] = table[at(2*y, 2*x)+at(2*y, 2*x+1)+at(2*y+1, 2*x)+at(2*y+1, 2*x+1)]
		}
	}
}
