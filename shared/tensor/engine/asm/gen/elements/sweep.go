package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// place is where a sweep stands.
type place struct {
	offset reg.GPVirtual
	disp   int
	mask   operand.Mem
}

// of returns the vector at this place of a buffer.
func (p place) of(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: p.offset, Scale: 1, Disp: p.disp}
}

// sweep emits body for every vector of n elements, a multiple of 16, in blocks of
// unroll: vector i runs as i mod unroll. Masked, it also walks round the argument
// mask, whose length must be a multiple of a block.
func sweep(n reg.GPVirtual, unroll int, masked bool, body func(i int, p place)) {
	block := operand.U32(unroll * vecBytes)
	offset := GP64()
	XORQ(offset, offset)
	var first, mask, last reg.GPVirtual
	if masked {
		first, last, mask = pointer("mask"), length("mask"), GP64()
		LEAQ(operand.Mem{Base: first, Index: last, Scale: 4}, last)
		MOVQ(first, mask)
	}
	at := func(i int) place {
		p := place{offset: offset, disp: i * vecBytes}
		if masked {
			p.mask = operand.Mem{Base: mask, Disp: i * vecBytes}
		}
		return p
	}
	SHLQ(operand.U8(2), n)
	SUBQ(block, n)
	JLT(operand.LabelRef("rest"))
	Label("loop")
	for i := range unroll {
		body(i, at(i))
	}
	ADDQ(block, offset)
	if masked {
		ADDQ(block, mask)
		CMPQ(mask, last)
		CMOVQEQ(first, mask)
	}
	CMPQ(offset, n)
	JLE(operand.LabelRef("loop"))
	Label("rest")
	ADDQ(block, n)
	SUBQ(offset, n)
	for i := range unroll - 1 {
		CMPQ(n, operand.U32((i+1)*vecBytes))
		JLT(operand.LabelRef("done"))
		Comment(fmt.Sprintf("vector %d of an incomplete block", i))
		body(i, at(i))
	}
	Label("done")
}

// join adds the accumulators in pairs, 0 with 1 and 2 with 3, then the pairs, and
// stores the 16 lanes at acc.
func (s set) join(sums []vec, acc operand.Mem) {
	for gap := 1; gap < len(sums); gap *= 2 {
		for i := 0; i < len(sums); i += 2 * gap {
			do(VADDPS, sums[i+gap], sums[i], sums[i])
		}
	}
	s.store(sums[0], acc)
}

func (s set) zeros(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = s.zero()
	}
	return v
}
