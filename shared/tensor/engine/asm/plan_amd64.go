package asm

import "gradsync/shared/tensor"

// A plan holds what depends on a convolution's geometry alone: which taps meet
// which output, and where. Plans are made once per shape and kept in the Call.
type plan struct {
	classes []class
	tiles   []tile
	block   int // reduction channels of one table
}

// class is the set of outputs that the same taps reach: the inside of the image,
// its edges and corners, and with a stride the phases of the input's gradient.
type class struct {
	taps       int     // per reduction channel
	aoff, boff []int32 // block × taps steps: channel after channel, tap after tap
	vecs       []spot
}

// spot is one vector of outputs: where its first tap reads x, relative to the
// reduction channel's plane, and where it lies in y, relative to the row's.
type spot struct{ x, y int32 }

// tile is up to columns vectors of one class.
type tile struct{ class, first, n int32 }

// blockSteps is about how many steps of a sum one table holds, so that a packed
// panel of three vectors (36 KiB) stays in the first-level cache. It changes
// no sum's order: a chain continues from one block to the next.
const blockSteps = 192

// tap is one filter tap as a class sees it: offsets of the weight and of x.
type tap struct{ a, b int }

// finish builds the tables and tiles. aStep and bStep are the distances of two
// reduction channels, depth is how many there are.
func (p *plan) finish(taps [][]tap, depth, aStep, bStep int) {
	most := 1
	for _, t := range taps {
		most = max(most, len(t))
	}
	p.block = min(depth, max(1, blockSteps/most))
	for i, list := range taps {
		c := &p.classes[i]
		c.taps = len(list)
		for d := range p.block {
			for _, t := range list {
				c.aoff = append(c.aoff, int32(d*aStep+t.a))
				c.boff = append(c.boff, int32(d*bStep+t.b))
			}
		}
		for first := 0; first < len(c.vecs); first += columns {
			p.tiles = append(p.tiles, tile{int32(i), int32(first), int32(min(columns, len(c.vecs)-first))})
		}
	}
}

// span is the range of taps, lo ≤ k < hi, that one row or column of outputs
// reads inside the image, and the first of the inputs it reads.
type span struct{ lo, hi, at int }

// forwardSpan returns the span of output o along one axis.
func forwardSpan(o, size, kernel, stride, pad int) span {
	lo := max(0, pad-o*stride)
	hi := min(kernel, size+pad-o*stride)
	return span{lo, max(lo, hi), o*stride - pad + lo}
}

// forwardPlan lays out y = x ∗ w.
func forwardPlan(g tensor.Conv) *plan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &plan{}
	var taps [][]tap
	known := map[[4]int]int{}
	for oy := range g.OutH() {
		v := forwardSpan(oy, g.H, g.KH, g.Stride, g.Pad)
		for ox := range g.OutW() {
			u := forwardSpan(ox, g.W, g.KW, g.Stride, g.Pad)
			key := [4]int{v.lo, v.hi, u.lo, u.hi}
			id, ok := known[key]
			if !ok {
				id = len(taps)
				known[key] = id
				taps = append(taps, windowTaps(g, v, u, pitch))
				p.classes = append(p.classes, class{})
			}
			x := 0
			if v.hi > v.lo && u.hi > u.lo {
				x = (v.at*g.W + u.at) * pitch
			}
			p.classes[id].add(x, (oy*g.OutW()+ox)*pitch, pitch)
		}
	}
	p.finish(taps, g.InC, g.KH*g.KW, g.H*g.W*pitch)
	return p
}

// add appends the vectors of one pixel.
func (c *class) add(x, y, pitch int) {
	for lane := 0; lane < pitch; lane += tensor.Lanes {
		c.vecs = append(c.vecs, spot{int32(x + lane), int32(y + lane)})
	}
}

func windowTaps(g tensor.Conv, v, u span, pitch int) []tap {
	var list []tap
	for kh := v.lo; kh < v.hi; kh++ {
		for kw := u.lo; kw < u.hi; kw++ {
			list = append(list, tap{kh*g.KW + kw, ((kh-v.lo)*g.W + kw - u.lo) * pitch})
		}
	}
	return list
}

// reach is one tap through which an output's gradient comes back along one axis.
type reach struct{ k, o int }

// reaches lists, in order of the taps, the outputs that read input i.
func reaches(i, outs, kernel, stride, pad int) []reach {
	var list []reach
	for k := range kernel {
		if o := i + pad - k; o >= 0 && o%stride == 0 && o/stride < outs {
			list = append(list, reach{k, o / stride})
		}
	}
	return list
}

// backwardPlan lays out dx from dy: every input gathers from the outputs that
// read it, so that no two threads add to one place.
func backwardPlan(g tensor.Conv) *plan {
	pitch := tensor.BatchInner.Pitch(g.N)
	p := &plan{}
	var taps [][]tap
	known := map[[6]int]int{}
	for y := range g.H {
		v := reaches(y, g.OutH(), g.KH, g.Stride, g.Pad)
		for x := range g.W {
			u := reaches(x, g.OutW(), g.KW, g.Stride, g.Pad)
			key, at := [6]int{}, 0
			var list []tap
			if len(v) > 0 && len(u) > 0 {
				// Consecutive taps are a stride apart: first, last and count say all.
				key = [6]int{v[0].k, v[len(v)-1].k, len(v), u[0].k, u[len(u)-1].k, len(u)}
				at = (v[0].o*g.OutW() + u[0].o) * pitch
			}
			id, ok := known[key]
			if !ok {
				for _, a := range v {
					for _, b := range u {
						list = append(list, tap{a.k*g.KW + b.k, ((a.o-v[0].o)*g.OutW() + b.o - u[0].o) * pitch})
					}
				}
				id = len(taps)
				known[key] = id
				taps = append(taps, list)
				p.classes = append(p.classes, class{})
			}
			p.classes[id].add(at, (y*g.W+x)*pitch, pitch)
		}
	}
	p.finish(taps, g.OutC, g.Taps(), g.OutH()*g.OutW()*pitch)
	return p
}

// linearPlan lays out y = w·x: one class, one tap. aStep is the distance of two
// reduction steps in the weights.
func linearPlan(n, depth, aStep int) *plan {
	pitch := tensor.BatchInner.Pitch(n)
	p := &plan{classes: make([]class, 1)}
	p.classes[0].add(0, 0, pitch)
	p.finish([][]tap{{{0, 0}}}, depth, aStep, pitch)
	return p
}

// overlapPlan lays out rows of length columns, at least one vector, over depth
// images in one block: the last vector ends with the row and repeats some of
// the one before it, with the same bits.
func overlapPlan(width, depth int) *plan {
	p := &plan{classes: make([]class, 1)}
	for at := 0; at < width; at += tensor.Lanes {
		from := int32(min(at, width-tensor.Lanes))
		p.classes[0].vecs = append(p.classes[0].vecs, spot{from, from})
	}
	p.finish([][]tap{{{0, 0}}}, depth, 1, width)
	if p.block < depth {
		c := &p.classes[0]
		for d := p.block; d < depth; d++ {
			c.aoff, c.boff = append(c.aoff, int32(d)), append(c.boff, int32(d*width))
		}
		p.block = depth
	}
	return p
}

// innerPlan lays out n of wide vectors side by side.
func innerPlan(wide, n, depth, aStep int) *plan {
	p := &plan{classes: make([]class, 1)}
	p.classes[0].add(0, 0, n*tensor.Lanes)
	p.finish([][]tap{{{0, 0}}}, depth, aStep, wide*tensor.Lanes)
	return p
}
