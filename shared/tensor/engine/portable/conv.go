package portable

import (
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/internal/team"
)

type convForward struct {
	g          tensor.Conv
	packed     []float32
	taps       []int
	x, bias, y []float32
}

func (engine) ConvForward(c *tensor.Call, g tensor.Conv, x, w, bias, y []float32) {
	s := stateOf(c)
	k := g.Taps()
	packed := team.Resize(&s.packed, ceil(g.OutC, 2)*k)
	packPairs(packed, w, g.OutC, k, k, 1)
	s.conv = convForward{g: g, packed: packed, taps: tapOffsets(&s.taps, g), x: x, bias: bias, y: y}
	s.Run(c.Threads, &s.conv, g.N)
}

// Part computes images lo ≤ n < hi.
func (t *convForward) Part(s *scratch, lo, hi int) {
	g, k := t.g, t.g.Taps()
	in, pixels := g.InC*g.H*g.W, g.OutH()*g.OutW()
	panel := team.Resize(&s.panel, 4*k)
	var c [8]float32
	for n := lo; n < hi; n++ {
		image := pad(&s.image, g, t.x[n*in:(n+1)*in])
		y := t.y[n*g.OutC*pixels : (n+1)*g.OutC*pixels]
		for p := 0; p < pixels; p += 4 {
			gather(panel, image, g, t.taps, p)
			for o := 0; o < g.OutC; o += 2 {
				tile(k, t.packed[o*k:], panel, &c)
				rows := min(2, g.OutC-o)
				if t.bias != nil {
					addRows(&c, t.bias[o:o+rows])
				}
				store(y[o*pixels+p:], pixels, rows, min(4, pixels-p), &c)
			}
		}
	}
}

// addRows adds bias[r] to row r of a tile.
func addRows(c *[8]float32, bias []float32) {
	b := bias[0]
	c[0] += b
	c[1] += b
	c[2] += b
	c[3] += b
	if len(bias) == 2 {
		b = bias[1]
		c[4] += b
		c[5] += b
		c[6] += b
		c[7] += b
	}
}

type convData struct {
	g      tensor.Conv
	packed []float32
	taps   []int
	dy, dx []float32
}

func (engine) ConvBackwardData(c *tensor.Call, g tensor.Conv, dy, w, dx []float32) {
	s := stateOf(c)
	k := g.Taps()
	packed := team.Resize(&s.packed, ceil(k, 2)*g.OutC)
	packPairs(packed, w, k, g.OutC, 1, k)
	s.data = convData{g: g, packed: packed, taps: tapOffsets(&s.taps, g), dy: dy, dx: dx}
	s.Run(c.Threads, &s.data, g.N)
}

// Part computes images lo ≤ n < hi: the gradient of every gathered element by
// one product, then each is added back where the forward pass had read it, taps
// in order.
func (t *convData) Part(s *scratch, lo, hi int) {
	g, k := t.g, t.g.Taps()
	in, pixels := g.InC*g.H*g.W, g.OutH()*g.OutW()
	border := paddedOf(g)
	panel := team.Resize(&s.panel, 4*g.OutC)
	col := team.Resize(&s.col, k*pixels)
	var c [8]float32
	for n := lo; n < hi; n++ {
		dy := t.dy[n*g.OutC*pixels : (n+1)*g.OutC*pixels]
		for p := 0; p < pixels; p += 4 {
			packQuad(panel, dy, p, g.OutC, pixels, false)
			for i := 0; i < k; i += 2 {
				tile(g.OutC, t.packed[i*g.OutC:], panel, &c)
				store(col[i*pixels+p:], pixels, min(2, k-i), min(4, pixels-p), &c)
			}
		}
		dx := t.dx[n*in : (n+1)*in]
		image := dx
		if g.Pad > 0 {
			image = team.Resize(&s.image, g.InC*border.h*border.w)
		}
		clear(image)
		scatter(image, col, g, t.taps)
		if g.Pad > 0 {
			unpad(dx, image, g)
		}
	}
}

// scatter adds column element (tap, pixel) to the image element it came from.
func scatter(image, col []float32, g tensor.Conv, taps []int) {
	oh, ow := g.OutH(), g.OutW()
	w := paddedOf(g).w
	for i, at := range taps {
		rows := col[i*oh*ow : (i+1)*oh*ow]
		for y := 0; y < oh; y++ {
			src := rows[y*ow : (y+1)*ow]
			dst := image[at+y*g.Stride*w:]
			if g.Stride == 1 {
				dst = dst[:len(src)]
				for x, v := range src {
					dst[x] += v
				}
				continue
			}
			for x, v := range src {
				dst[x*g.Stride] += v
			}
		}
	}
}

// unpad copies the inside of a padded image.
func unpad(x, image []float32, g tensor.Conv) {
	p := paddedOf(g)
	for c := 0; c < g.InC; c++ {
		for y := 0; y < g.H; y++ {
			from := (c*p.h+y+g.Pad)*p.w + g.Pad
			copy(x[(c*g.H+y)*g.W:(c*g.H+y+1)*g.W], image[from:])
		}
	}
}
