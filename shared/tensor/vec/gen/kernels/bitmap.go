package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// count counts the elements of which any bit is set.
func (s set) count() {
	s.kernel("count", "(src *float32, n int) int", "counts the elements that are not +0.")
	src := pointer("src")
	total, c := GP64(), GP32()
	XORQ(total, total)
	zero := s.constant(0)
	loop(func() {
		for _, at := range s.offsets() {
			mask := GP32()
			s.nonzero(src.Offset(at), zero, nil, mask)
			POPCNTL(mask, c)
			ADDQ(c.As64(), total)
		}
	}, src)
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

// nonzero sets mask's bit i where element i at src is not +0, and loads the
// elements into v unless it is nil.
func (s set) nonzero(src Mem, zero, v reg.VecVirtual, mask reg.GPVirtual) {
	if v == nil {
		v = s.vec()
	}
	if s.wide {
		k := K()
		VMOVDQU32(src, v)
		VPTESTMD(v, v, k)
		KMOVW(k, mask)
		return
	}
	equal := YMM()
	VMOVDQU(src, v)
	VPCMPEQD(v, zero, equal)
	VMOVMSKPS(equal, mask)
	XORL(Imm(0xff), mask)
}

const (
	packSignature = "(bitmap *byte, values *byte, src *float32, n int) int"
	packDoc       = "writes the bitmap of what is not +0 and these values; it returns the values' bytes."
)

func packAVX512() {
	s := set{"AVX512", true}
	s.kernel("pack", packSignature, packDoc)
	bitmap, values, src := pointer("bitmap"), pointer("values"), pointer("src")
	begin := GP64()
	MOVQ(values.Base, begin)
	all := GP32()
	MOVL(U32(0xffffffff), all)
	loop(func() {
		v, packed, mask, c, low := ZMM(), ZMM(), GP32(), GP32(), GP32()
		some, first := K(), K()
		VMOVDQU32(src, v)
		VPTESTMD(v, v, some)
		KMOVW(some, mask)
		MOVW(mask.As16(), bitmap)
		VPCOMPRESSD_Z(v, some, packed)
		// Packed in a register, since storing from the instruction is slow on some
		// CPUs; then the packed values are stored, and not a byte behind them.
		POPCNTL(mask, c)
		BZHIL(c, all, low)
		KMOVW(low, first)
		VMOVDQU32(packed, first, values)
		LEAQ(values.Idx(c.As64(), 4), values.Base)
		ADDQ(Imm(2), bitmap.Base)
	}, src)
	VZEROUPPER()
	SUBQ(begin, values.Base)
	Store(values.Base, ReturnIndex(0))
	RET()
}

// table makes a read-only array.
func table(name string, bytes []byte) {
	GLOBL(name, RODATA|NOPTR)
	for i := 0; i < len(bytes); i += 8 {
		var w uint64
		for j := range 8 {
			w |= uint64(bytes[i+j]) << (8 * j)
		}
		DATA(i, U64(w))
	}
}

// tables: for every byte of a bitmap, where lane l of the packed values comes
// from, and which packed value lane l gets (its sign bit: none); and a window
// of which the 8 words from 8−c on are c times all ones.
func tables() {
	var pack, unpack [8 * 256]byte
	for b := range 256 {
		at := 0
		for l := range 8 {
			if b>>l&1 == 0 {
				unpack[8*b+l] = 0x80
				continue
			}
			pack[8*b+at] = byte(l)
			unpack[8*b+l] = byte(bits.OnesCount8(uint8(b & (1<<l - 1))))
			at++
		}
	}
	window := make([]byte, 64)
	for i := range 32 {
		window[i] = 0xff
	}
	table("packTable", pack[:])
	table("unpackTable", unpack[:])
	table("windowTable", window)
}

// address loads the address of a table.
func address(name string) Mem {
	r := GP64()
	LEAQ(NewDataAddr(NewStaticSymbol(name), 0), r)
	return Mem{Base: r}
}

// firstLanes loads a mask of the first c lanes; it uses c up.
func firstLanes(window Mem, c reg.GPVirtual) reg.VecVirtual {
	mask := YMM()
	NEGQ(c.As64())
	VMOVDQU(window.Offset(32).Idx(c.As64(), 4), mask)
	return mask
}

func packAVX2() {
	tables()
	s := set{"AVX2", false}
	s.kernel("pack", packSignature, packDoc)
	bitmap, values, src := pointer("bitmap"), pointer("values"), pointer("src")
	begin := GP64()
	MOVQ(values.Base, begin)
	order, window := address("packTable"), address("windowTable")
	zero := s.constant(0)
	loop(func() {
		for i, at := range s.offsets() {
			v, lanes, mask, c := YMM(), YMM(), GP32(), GP32()
			s.nonzero(src.Offset(at), zero, v, mask)
			MOVB(mask.As8(), bitmap.Offset(i))
			VPMOVZXBD(order.Idx(mask.As64(), 8), lanes)
			VPERMD(v, lanes, v)
			POPCNTL(mask, c)
			next := GP64()
			LEAQ(values.Idx(c.As64(), 4), next)
			VPMASKMOVD(v, firstLanes(window, c), values)
			MOVQ(next, values.Base)
		}
		ADDQ(Imm(2), bitmap.Base)
	}, src)
	VZEROUPPER()
	SUBQ(begin, values.Base)
	Store(values.Base, ReturnIndex(0))
	RET()
}
