package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// geometry lists the arguments of the pools' kernels, which do one row of outputs:
// the vectors of images per output (groups). In bytes: from one input pixel to
// the next (pitch), to the next row (row), and from the end of one window's first
// pixel to the next window (skip).
const geometry = "groups, pitch, row, skip"

// indices lists what max-pools are told of the plane: the index of the row's first
// corner, the windows' distance and the plane's width.
const indices = "corner, stride, width int32"

// windows walks the outputs of one row. body sees the corner of a window in the
// input and the output's place; next runs after the last group of a window.
type windows struct {
	pitch, row reg.GPVirtual
	corner     reg.GPVirtual
	out        place
}

// mem returns the input pixel at row r, column c of a 2×2 window.
func (w windows) mem(r, c int, sum reg.GPVirtual) operand.Mem {
	m := operand.Mem{Base: w.corner, Scale: 1}
	switch {
	case r == 1 && c == 1:
		m.Index = sum
	case r == 1:
		m.Index = w.row
	case c == 1:
		m.Index = w.pitch
	}
	return m
}

// outputs emits the walk; n is the argument that is laid out like the output.
func outputs(x, n string, body func(w windows), next func()) {
	w := windows{pitch: number("pitch"), row: number("row"), corner: pointer(x), out: place{offset: GP64()}}
	rest := length(n)
	XORQ(w.out.offset, w.out.offset)
	SHLQ(operand.U8(2), rest)
	JZ(operand.LabelRef("done"))
	Label("window")
	group := number("groups")
	Label("group")
	body(w)
	ADDQ(operand.U32(vecBytes), w.corner)
	ADDQ(operand.U32(vecBytes), w.out.offset)
	DECQ(group)
	JNZ(operand.LabelRef("group"))
	if next != nil {
		next()
	}
	skip, err := Param("skip").Resolve()
	if err != nil {
		panic(err)
	}
	ADDQ(skip.Addr, w.corner)
	CMPQ(w.out.offset, rest)
	JLT(operand.LabelRef("window"))
	Label("done")
	end()
}

// taps emits body for every pixel of a size×size window in index order, and down
// between rows.
func (w windows) taps(body func(m operand.Mem), down func()) {
	line, rows := GP64(), number("size")
	MOVQ(w.corner, line)
	Label("row")
	at, columns := GP64(), number("size")
	MOVQ(line, at)
	Label("column")
	body(operand.Mem{Base: at})
	ADDQ(w.pitch, at)
	DECQ(columns)
	JNZ(operand.LabelRef("column"))
	if down != nil {
		down()
	}
	ADDQ(w.row, line)
	DECQ(rows)
	JNZ(operand.LabelRef("row"))
}

// prefer replaces best and where by v and at in the lanes where v is greater or
// NaN: so the first maximum stays, and the last NaN does.
func (s set) prefer(v, at, best, where vec) {
	if s.wide {
		greater, nan := K(), K()
		VCMPPS(less, v[0], best[0], greater)
		VCMPPS(unordered, v[0], v[0], nan)
		KORW(greater, nan, nan)
		VMOVAPS(v[0], nan, best[0])
		VMOVDQA32(at[0], nan, where[0])
		return
	}
	for i := range v {
		greater, nan := YMM(), YMM()
		VCMPPS(less, v[i], best[i], greater)
		VCMPPS(unordered, v[i], v[i], nan)
		VORPS(greater, nan, nan)
		VBLENDVPS(nan, v[i], best[i], best[i])
		VBLENDVPS(nan, at[i], where[i], where[i])
	}
}

// chosen returns d where the window's choice arg is at, else 0.
func (s set) chosen(arg, at, d vec) vec {
	out := s.fresh()
	for i := range out {
		if s.wide {
			k := K()
			VPCMPEQD(arg[i], at[i], k)
			VMOVAPS_Z(d[i], k, out[i])
			continue
		}
		VPCMPEQD(arg[i], at[i], out[i])
		VANDPS(d[i], out[i], out[i])
	}
	return out
}

// plus returns a constant a + b of integers, and step moves a constant.
func (s set) plus(a, b vec) vec {
	v := s.register()
	VPADDD(a[0], b[0], v)
	return s.same(v)
}

func step(v, by vec) { VPADDD(by[0], v[0], v[0]) }

func (s set) copy(v vec) vec {
	out := s.fresh()
	do(VMOVAPS, v, out)
	return out
}

// one returns a constant of integers 1.
func (s set) one() vec {
	v, r, x := s.register(), GP32(), XMM()
	MOVL(operand.U32(1), r)
	VMOVD(r, x)
	VPBROADCASTD(x, v)
	return s.same(v)
}
