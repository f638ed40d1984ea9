package model

import (
	"math/rand/v2"
	"testing"
)

// overlap tells whether two buffers are alive together and share memory.
func overlap(a, b buffer) bool {
	return a.first <= b.last && b.first <= a.last && a.offset < b.offset+b.size && b.offset < a.offset+a.size
}

// TestPlace: no two buffers alive together overlap, for random lives and for
// the networks; buffers that meet nobody all begin at 0.
func TestPlace(t *testing.T) {
	check := func(what string, buffers []buffer, length int) {
		t.Helper()
		for i, a := range buffers {
			if a.offset%align != 0 || a.offset+a.size > length {
				t.Errorf("%s: buffer %+v in %d", what, a, length)
			}
			for _, b := range buffers[:i] {
				if overlap(a, b) {
					t.Fatalf("%s: %+v and %+v overlap", what, a, b)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		buffers := make([]buffer, 40)
		for i := range buffers {
			first := r.IntN(100)
			buffers[i] = buffer{size: 1 + r.IntN(300), first: first, last: first + r.IntN(30)}
		}
		check("random", buffers, place(buffers))
	}
	for _, name := range Names() {
		m, err := New(name)
		must(t, err)
		p := planOf(&m.graph, true)
		check(name, p.buffers, p.length)
	}
	apart := []buffer{{size: 100, first: 0, last: 3}, {size: 90, first: 4, last: 4}, {size: 80, first: 5, last: 9}}
	if n := place(apart); n != 112 || apart[1].offset != 0 || apart[2].offset != 0 {
		t.Errorf("%d elements for buffers that never meet: %+v", n, apart)
	}
}

// TestPlanReadsWhatWasWritten: along the plan, every buffer that is read still holds what was written for that reader.
// A value or gradient is known by the instruction that made it; in place, the buffer changes its content.
func TestPlanReadsWhatWasWritten(t *testing.T) {
	for _, name := range Names() {
		m, err := New(name)
		must(t, err)
		p := planOf(&m.graph, true)
		holds := make([]int, len(p.buffers)) // buffer → value, or −1−value for its gradient
		holds[p.image] = 0
		expect := func(at, b, want int) {
			t.Helper()
			if holds[b] != want {
				t.Fatalf("%s: instruction %d %+v reads %d from buffer %d, which holds %d", name, at, p.code[at], want, b, holds[b])
			}
		}
		for at, in := range p.code {
			switch in.kind {
			case runForward:
				n := &m.graph.nodes[in.node]
				expect(at, in.x, n.in[0])
				if in.x2 != none {
					expect(at, in.x2, n.in[1])
				}
				holds[in.y] = n.out
			case runLoss:
				expect(at, in.x, m.graph.logits)
			case runMask:
				expect(at, in.y, m.graph.nodes[in.node].out)
			case runParams, runInput:
				n := &m.graph.nodes[in.node]
				if in.x != none {
					expect(at, in.x, n.in[0])
				}
				if in.y != none {
					expect(at, in.y, n.out)
				}
			}
			if in.dx != none {
				holds[in.dx] = -1
			}
		}
	}
}

// TestPlanKeepsSpansApart: what is done at once touches buffers that share no memory.
func TestPlanKeepsSpansApart(t *testing.T) {
	for name, want := range map[string]int{"resnet18": 17, "resnet110": 109, "vgg19_bn": 0} {
		m, err := New(name)
		must(t, err)
		p, spans := planOf(&m.graph, true), 0
		for i, in := range p.code {
			if in.span == 0 {
				continue
			}
			spans++
			touched := map[int]bool{}
			for _, in := range p.code[i : i+in.span] {
				for _, b := range [...]int{in.x, in.x2, in.y, in.dy, in.dx} {
					touched[b] = true
				}
			}
			delete(touched, none)
			for a := range touched {
				for b := range touched {
					if x, y := p.buffers[a], p.buffers[b]; a < b && x.offset < y.offset+y.size && y.offset < x.offset+x.size {
						t.Errorf("%s: buffers %+v and %+v of the span at %d overlap", name, x, y, i)
					}
				}
			}
		}
		if spans != want {
			t.Errorf("%s: %d spans, want %d", name, spans, want)
		}
	}
}

// TestPlanSharesMemory: what training needs beyond the activations that the backward pass reads is one gradient at
// most: they take the place of activations that were read. ResNet-18 on 32×32 keeps the input and output of every norm,
// 2·557,056 elements an image, and the image; one gradient per layer would double that.
func TestPlanSharesMemory(t *testing.T) {
	m, err := New("resnet18")
	must(t, err)
	const widest = 64 * 32 * 32
	kept := 3 * 32 * 32
	for _, n := range m.graph.nodes {
		if n.norm() {
			kept += n.shape.Len() // the convolution's output
			if n.memory.KeepY {
				kept += n.shape.Len()
			}
		}
		if n.relu() {
			kept += n.shape.Len() // the sum, computed over the norm's output
		}
	}
	p := planOf(&m.graph, true)
	t.Logf("%d elements an image, the backward pass reads %d", p.length, kept)
	if p.length < kept || p.length > kept+widest {
		t.Errorf("%d elements an image, want %d and at most %d", p.length, kept, widest)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
