package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func (s set) elementwise() {
	s.kernel("add", "(dst *float32, src *byte, n int)", "adds the n float32 at src to dst.")
	dst, src := pointer("dst"), pointer("src")
	loop(func() {
		for _, at := range s.offsets() {
			v := s.vec()
			VMOVUPS(dst.Offset(at), v)
			VADDPS(src.Offset(at), v, v)
			VMOVUPS(v, dst.Offset(at))
		}
	}, dst, src)
	leave()

	s.kernel("addTo", "(dst *float32, src *byte, n int)", "adds dst to the n float32 at src, and leaves the sum in dst.")
	dst, src = pointer("dst"), pointer("src")
	loop(func() {
		for _, at := range s.offsets() {
			v := s.vec()
			VMOVUPS(src.Offset(at), v)
			VADDPS(dst.Offset(at), v, v)
			VMOVUPS(v, dst.Offset(at))
		}
	}, dst, src)
	leave()

	s.kernel("scale", "(dst *float32, n int, a float32)", "multiplies dst by a.")
	dst = pointer("dst")
	a := s.broadcast("a")
	loop(func() {
		for _, at := range s.offsets() {
			v := s.vec()
			VMULPS(dst.Offset(at), a, v)
			VMOVUPS(v, dst.Offset(at))
		}
	}, dst)
	leave()

	s.kernel("axpy", "(dst *float32, x *float32, n int, a float32)", "adds a·x to dst; the product is rounded first.")
	dst, src = pointer("dst"), pointer("x")
	a = s.broadcast("a")
	loop(func() {
		for _, at := range s.offsets() {
			p, v := s.vec(), s.vec()
			VMULPS(src.Offset(at), a, p)
			VMOVUPS(dst.Offset(at), v)
			VADDPS(p, v, v)
			VMOVUPS(v, dst.Offset(at))
		}
	}, dst, src)
	leave()
}

func (s set) integers() {
	for _, op := range []struct {
		name, doc string
		do        func(...Op)
	}{
		{"addInt", "adds the n int32 at src to dst, modulo 2^32.", VPADDD},
		{"subInt", "subtracts the n int32 at src from dst, modulo 2^32.", VPSUBD},
	} {
		s.kernel(op.name, "(dst *int32, src *byte, n int)", op.doc)
		dst, src := pointer("dst"), pointer("src")
		loop(func() {
			for _, at := range s.offsets() {
				v := s.vec()
				VMOVUPS(dst.Offset(at), v)
				op.do(src.Offset(at), v, v)
				VMOVUPS(v, dst.Offset(at))
			}
		}, dst, src)
		leave()
	}
}
