// Command kernels writes package vec's amd64 kernels: every one for AVX2 and for
// AVX-512. A turn of a loop takes block elements, so callers pass multiples of
// block and do the rest in Go.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// block is the number of 32-bit elements of one turn: one zmm or two ymm.
const block = 16

// set is an instruction set.
type set struct {
	name string
	wide bool // zmm instead of ymm
}

func (s set) vec() reg.VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

// offsets lists the byte offsets of a block's registers.
func (s set) offsets() []int {
	if s.wide {
		return []int{0}
	}
	return []int{0, 32}
}

// kernel starts a function of this set, named name + set.
func (s set) kernel(name, signature, doc string) {
	TEXT(name+s.name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + s.name + " " + doc)
}

func pointer(name string) Mem { return Mem{Base: Load(Param(name), GP64())} }

// broadcast loads a float32 or int32 argument into every lane.
func (s set) broadcast(name string) reg.VecVirtual {
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.vec()
	VBROADCASTSS(a.Addr, v)
	return v
}

// constant fills every lane with the same 32 bits.
func (s set) constant(bits uint32) reg.VecVirtual {
	r, x, v := GP32(), XMM(), s.vec()
	MOVL(U32(bits), r)
	VMOVD(r, x)
	VPBROADCASTD(x, v)
	return v
}

// loop runs body once per block of the n elements and advances the pointers by
// a block of 32-bit elements.
func loop(body func(), pointers ...Mem) {
	n := Load(Param("n"), GP64())
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	body()
	for _, p := range pointers {
		ADDQ(Imm(4*block), p.Base)
	}
	SUBQ(Imm(block), n)
	JNZ(LabelRef("loop"))
	Label("done")
}

func leave() {
	VZEROUPPER()
	RET()
}

func main() {
	for _, s := range []set{{"AVX2", false}, {"AVX512", true}} {
		s.elementwise()
		s.integers()
		s.fixed()
		s.wideSum()
		s.count()
	}
	packAVX2()
	packAVX512()
	unpackAVX2()
	unpackAVX512()
	transpose(8)
	transpose(16)
	features()
	Generate()
}
