package model

import (
	"slices"

	"gradsync/shared/tensor/layer"
)

// plan is the order of a step's work and where its buffers lie. A buffer is
// alive from the first instruction that touches it to the last; buffers that are
// never alive together may share memory, so the peak is that of the activations
// the backward pass needs and a few gradients, not of all layers' gradients.
//
// Source: ours: linear-scan register allocation, with buffers for registers
type plan struct {
	code    []instruction
	forward int // code[:forward] computes the logits
	buffers []buffer
	length  int // of the memory, in elements per image
	image   int // the buffer of the input
	logits  int
}

// buffer is memory for one value or gradient: elements per image.
type buffer struct {
	size, offset int
	first, last  int // instructions
}

type kind int

const (
	runForward kind = iota
	runLoss         // dx = gradient of the logits x
	runMask         // dx = dy where y > 0
	runParams       // dw, and dx too if it is a batch norm
	runInput        // dx
	runSum          // dx = dy + x: two gradients of one value
)

// none is the absent buffer.
const none = -1

// instruction names the buffers of one call of a node's op.
type instruction struct {
	kind
	node     int
	x, x2, y int
	dy, dx   int
	span     int // how many, from this one on, a tensor.Fuser does at once; 0: this one alone
}

type planner struct {
	plan
	g      *graph
	values []int // value → buffer
	grads  []int // value → buffer of its gradient so far, or none
	users  []int // buffer → gradients in it that are still to be read
}

// planOf plans one training step; its first half serves inference.
// imported tells that the image is copied into the memory, not the caller's.
func planOf(g *graph, imported bool) plan {
	p := &planner{g: g, values: make([]int, len(g.values)), grads: make([]int, len(g.values))}
	for v := range g.values {
		p.values[v], p.grads[v] = none, none
	}
	p.image = p.buffer(0)
	p.values[0] = p.image
	p.planForward()
	p.forward = len(p.code)
	p.logits = p.values[g.logits]
	d := p.buffer(g.logits)
	p.emit(instruction{kind: runLoss, node: none, x: p.logits, x2: none, y: none, dy: none, dx: d})
	p.grads[g.logits], p.users[d] = d, 1
	for i := len(g.nodes) - 1; i >= 0; i-- {
		p.planBackward(i)
	}
	if !imported {
		p.buffers[p.image].size = 0
	}
	p.join()
	p.length = place(p.buffers)
	p.buffers[p.image].size = g.values[0]
	return p.plan
}

// buffer makes a new one of a value's size.
func (p *planner) buffer(value int) int {
	p.buffers = append(p.buffers, buffer{size: p.g.values[value], first: len(p.code), last: len(p.code)})
	p.users = append(p.users, 0)
	return len(p.buffers) - 1
}

// emit appends an instruction, for whose time its buffers are alive.
func (p *planner) emit(i instruction) {
	for _, b := range [...]int{i.x, i.x2, i.y, i.dy, i.dx} {
		if b != none {
			p.buffers[b].last = len(p.code)
		}
	}
	p.code = append(p.code, i)
}

func (p *planner) planForward() {
	needed := make([]int, len(p.g.values)) // value → last node that reads it
	const backward = 1 << 30
	for i, n := range p.g.nodes {
		for _, v := range n.in {
			if v != none {
				needed[v] = max(needed[v], i)
			}
		}
		if n.memory.KeepX {
			needed[n.in[0]] = backward
		}
		if n.memory.KeepY {
			needed[n.out] = backward
		}
	}
	for i, n := range p.g.nodes {
		y := none
		for _, v := range n.in {
			if y == none && n.memory.YIsX && v > 0 && needed[v] == i {
				y = p.values[v]
			}
		}
		if y == none {
			y = p.buffer(n.out)
		}
		p.values[n.out] = y
		in := instruction{kind: runForward, node: i, x: p.values[n.in[0]], x2: none, y: y, dy: none, dx: none}
		if n.in[1] != none {
			in.x2 = p.values[n.in[1]]
		}
		p.emit(in)
	}
}

// planBackward takes the gradient of node i's output to its inputs.
func (p *planner) planBackward(i int) {
	n := &p.g.nodes[i]
	d := p.grads[n.out]
	p.users[d]--
	blank := instruction{node: i, x: none, x2: none, y: none, dy: none, dx: none}
	if n.relu() {
		mask := blank
		mask.kind, mask.y, mask.dy, mask.dx = runMask, p.values[n.out], d, p.target(d, true, n.out)
		p.emit(mask)
		d = mask.dx
	}
	if n.in[1] != none { // a sum hands its gradient to both
		p.users[d] += 2
		p.contribute(n.in[0], d)
		p.contribute(n.in[1], d)
		return
	}
	work := blank
	work.dy = d
	if n.memory.KeepX {
		work.x = p.values[n.in[0]]
	}
	if n.memory.KeepY {
		work.y = p.values[n.out]
	}
	if n.length > 0 {
		work.kind = runParams
		if n.norm() {
			work.dx = p.target(d, n.memory.DXIsDY, n.in[0])
		}
		p.emit(work)
	}
	if n.in[0] == 0 {
		return // nobody reads the gradient of the image
	}
	if !n.norm() {
		work.kind, work.x = runInput, none
		work.dx = p.target(d, n.memory.DXIsDY, n.in[0])
		p.emit(work)
	}
	p.users[work.dx]++
	p.contribute(n.in[0], work.dx)
}

// target returns where an op may write the gradient of value v, given d: over it,
// unless somebody else still reads it.
func (p *planner) target(d int, inPlace bool, v int) int {
	if inPlace && p.users[d] == 0 {
		return d
	}
	return p.buffer(v)
}

// contribute adds the gradient in buffer d, counted among its users, to value v.
func (p *planner) contribute(v, d int) {
	before := p.grads[v]
	if v == 0 || before == none {
		p.grads[v] = d
		return
	}
	p.users[d]--
	p.users[before]--
	var to int
	switch {
	case p.users[d] == 0:
		to = d
	case p.users[before] == 0:
		to = before
	default:
		to = p.buffer(v)
	}
	p.emit(instruction{kind: runSum, node: none, x: before, x2: none, y: none, dy: d, dx: to})
	p.grads[v], p.users[to] = to, 1
}

// join finds what a tensor.Fuser does at once, and keeps those instructions' buffers
// alive through all of them.
func (p *planner) join() {
	for i := 0; i < len(p.code); i++ {
		n := p.sumForward(i)
		if n == 0 {
			n = p.sumBackward(i)
		}
		if n == 0 {
			continue
		}
		p.code[i].span = n
		for _, in := range p.code[i : i+n] {
			for _, b := range [...]int{in.x, in.x2, in.y, in.dy, in.dx} {
				if b != none {
					p.buffers[b].first, p.buffers[b].last = min(p.buffers[b].first, i), max(p.buffers[b].last, i+n-1)
				}
			}
		}
		i += n - 1
	}
}

// sumForward returns 2 if instruction i is a batch norm whose output only the next
// one reads, a sum with a ReLU; else 0.
func (p *planner) sumForward(i int) int {
	if i+1 >= p.forward || !p.norm(i, runForward, false) {
		return 0
	}
	in, next := p.code[i], p.code[i+1]
	n := &p.g.nodes[next.node]
	reads := (next.x == in.y) != (next.x2 == in.y)
	if n.in[1] == none || !n.relu() || !reads || next.y != in.y && p.buffers[in.y].last > i+1 {
		return 0
	}
	return 2
}

// sumBackward returns the length of a run from i on that takes a gradient through a
// ReLU to a batch norm: a sum of its two parts, or none; the mask, but for a batch norm
// with its own; the batch norm. It is 0 if there are less than two.
func (p *planner) sumBackward(i int) int {
	at := i
	if p.code[at].kind == runSum && at+1 < len(p.code) && p.code[at+1].dy == p.code[at].dx {
		at++
	}
	if p.code[at].kind != runMask {
		if at > i && p.norm(at, runParams, true) {
			return at - i + 1
		}
		return 0
	}
	if at+1 < len(p.code) && p.norm(at+1, runParams, false) && p.code[at+1].dy == p.code[at].dx {
		return at - i + 2
	}
	return 0
}

// norm tells whether instruction i is that kind of a batch norm, with a ReLU or without.
func (p *planner) norm(i int, k kind, relu bool) bool {
	if p.code[i].kind != k {
		return false
	}
	l, ok := p.g.nodes[p.code[i].node].layer.(layer.BatchNorm)
	return ok && l.ReLU == relu
}

// align is the granularity of buffers, in elements per image: with it, every
// buffer of an image-major batch begins at a whole vector too.
const align = 16

// place gives every buffer its offset so that buffers alive at one time do not
// overlap, and returns the length of it all: the largest first, each at the
// lowest place that is free for its whole life.
func place(buffers []buffer) int {
	order := make([]int, len(buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return buffers[j].size - buffers[i].size })
	var placed []int // by offset
	length := 0
	for _, i := range order {
		b := &buffers[i]
		size := (b.size + align - 1) / align * align
		b.offset = 0
		for _, j := range placed {
			o := buffers[j]
			if o.last < b.first || b.last < o.first {
				continue
			}
			if b.offset+size <= o.offset {
				break
			}
			b.offset = max(b.offset, o.offset+(o.size+align-1)/align*align)
		}
		at, _ := slices.BinarySearchFunc(placed, b.offset, func(j, offset int) int {
			if buffers[j].offset <= offset {
				return -1
			}
			return 1
		})
		placed = slices.Insert(placed, at, i)
		length = max(length, b.offset+size)
	}
	return length
}
