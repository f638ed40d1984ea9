// Command products writes the two inner loops of every product of engine asm,
// for AVX-512 and for AVX2 with FMA:
//
//	tile: out[row][vector] (+)= Σ_i a[row][i]·b[i][vector], one chain per lane
//	sums: acc[row][column] (+)= Σ_i a[i][row]·b[i][column], lane by lane
//
// Both read their operands where they lie: step i is at an offset that a table
// gives, rows and columns are a fixed stride apart. One function per tile size.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// set is an instruction set: how many rows its registers hold beside columns
// columns, and how wide they are.
type set struct {
	name  string
	rows  int
	bytes int
	reg   func() reg.VecVirtual
}

// columns is the most vectors of a tile, or columns of a block of sums.
const columns = 3

var sets = []set{
	{"512", 8, 64, func() reg.VecVirtual { return ZMM() }},
	{"2", 4, 32, func() reg.VecVirtual { return YMM() }},
}

func main() {
	ConstraintExpr("amd64")
	for _, s := range sets {
		for rows := 1; rows <= s.rows; rows++ {
			for n := 1; n <= columns; n++ {
				s.tile(rows, n)
				s.sums(rows, n)
			}
		}
	}
	for n := 1; n <= columns; n++ {
		pack(n)
	}
	reduce()
	Generate()
}

// field reads a field of the argument structure into a fresh register.
func field(args reg.Register, at int) reg.GPVirtual {
	r := GP64()
	MOVQ(operand.Mem{Base: args, Disp: at}, r)
	return r
}

// strides addresses rows 0 … 7 that are stride bytes apart: base + {0, 1, 2, 4}
// strides directly, 3 and 6 by a tripled stride, 5 and 7 from base + 1 stride.
type strides struct{ base, next, one, three reg.GPVirtual }

func newStrides(rows int, stride reg.GPVirtual) strides {
	s := strides{base: GP64(), one: stride}
	if rows > 3 {
		s.three = GP64()
		LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, s.three)
	}
	if rows > 5 {
		s.next = GP64()
	}
	return s
}

// move sets the base to from + 4·offset.
func (s strides) move(from, offset reg.GPVirtual) {
	LEAQ(operand.Mem{Base: from, Index: offset, Scale: 4}, s.base)
	if s.next != nil {
		LEAQ(operand.Mem{Base: s.base, Index: s.one, Scale: 1}, s.next)
	}
}

func (s strides) row(i int) operand.Mem {
	m := operand.Mem{Base: s.base, Scale: 1}
	switch i {
	case 1, 2, 4:
		m.Index, m.Scale = s.one, uint8(i)
	case 3, 6:
		m.Index, m.Scale = s.three, uint8(i/3)
	case 5:
		m.Base, m.Index, m.Scale = s.next, s.one, 4
	case 7:
		m.Base, m.Index, m.Scale = s.next, s.three, 2
	}
	if i == 3 && s.three == nil { // three rows or fewer never ask
		panic("row 3 without a tripled stride")
	}
	return m
}

// tile emits one tile kernel. Its argument is the first field of a tileArgs.
func (s set) tile(rows, n int) {
	TEXT(fmt.Sprintf("tile%s_%dx%d", s.name, rows, n), NOSPLIT, "func(args *int)")
	Doc(fmt.Sprintf("tile%s_%dx%d computes %d rows of %d vectors.", s.name, rows, n, rows, n))
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	acc := make([]reg.VecVirtual, rows*n)
	for i := range acc {
		acc[i] = s.reg()
	}
	flags := field(args, 104)
	TESTQ(operand.U32(1), flags)
	JNZ(operand.LabelRef("resume"))
	bias := field(args, 96)
	for r := range rows {
		VBROADCASTSS(operand.Mem{Base: bias, Disp: 4 * r}, acc[r*n])
		for j := 1; j < n; j++ {
			VMOVAPS(acc[r*n], acc[r*n+j])
		}
	}
	JMP(operand.LabelRef("start"))
	Label("resume")
	s.results(args, rows, n, func(m operand.Mem, r, j int) { VMOVUPS(m, acc[r*n+j]) })
	Label("start")

	count, a := field(args, 0), field(args, 8)
	at := newStrides(rows, field(args, 16))
	aoff, boff := field(args, 24), field(args, 32)
	var b [columns]reg.GPVirtual
	var v [columns]reg.VecVirtual
	for j := range n {
		b[j], v[j] = field(args, 40+8*j), s.reg()
	}
	TESTQ(count, count)
	JZ(operand.LabelRef("done"))
	Label("loop")
	offset := GP64()
	MOVLQSX(operand.Mem{Base: boff}, offset)
	for j := range n {
		VMOVUPS(operand.Mem{Base: b[j], Index: offset, Scale: 4}, v[j])
	}
	MOVLQSX(operand.Mem{Base: aoff}, offset)
	at.move(a, offset)
	x := s.reg()
	for r := range rows {
		if n == 1 && s.bytes == 64 {
			VFMADD231PS_BCST(at.row(r), v[0], acc[r])
			continue
		}
		VBROADCASTSS(at.row(r), x)
		for j := range n {
			VFMADD231PS(x, v[j], acc[r*n+j])
		}
	}
	ADDQ(operand.Imm(4), aoff)
	ADDQ(operand.Imm(4), boff)
	DECQ(count)
	JNZ(operand.LabelRef("loop"))
	Label("done")

	TESTQ(operand.U32(2), flags)
	JZ(operand.LabelRef("store"))
	s.zero(x)
	for i := range acc {
		VMAXPS(acc[i], x, acc[i]) // the second source of two NaNs wins: ours
	}
	Label("store")
	s.results(args, rows, n, func(m operand.Mem, r, j int) { VMOVUPS(acc[r*n+j], m) })
	VZEROUPPER()
	RET()
}

func (s set) zero(x reg.VecVirtual) {
	if s.bytes == 64 {
		VPXORD(x, x, x)
	} else {
		VXORPS(x, x, x)
	}
}

// results visits the outputs of a tile.
func (s set) results(args reg.Register, rows, n int, f func(m operand.Mem, r, j int)) {
	ldc := field(args, 88)
	for j := range n {
		c := field(args, 64+8*j)
		for r := range rows {
			f(operand.Mem{Base: c}, r, j)
			if r+1 < rows {
				ADDQ(ldc, c)
			}
		}
	}
}

// sums emits one kernel of lane-wise sums. Its argument is the first field of a sumArgs.
func (s set) sums(rows, n int) {
	TEXT(fmt.Sprintf("sums%s_%dx%d", s.name, rows, n), NOSPLIT, "func(args *int)")
	Doc(fmt.Sprintf("sums%s_%dx%d sums %d rows times %d columns, lane by lane.", s.name, rows, n, rows, n))
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	acc := make([]reg.VecVirtual, rows*n)
	for i := range acc {
		acc[i] = s.reg()
	}
	out, more := field(args, 56), field(args, 64)
	TESTQ(more, more)
	JNZ(operand.LabelRef("resume"))
	for i := range acc {
		s.zero(acc[i])
	}
	JMP(operand.LabelRef("start"))
	Label("resume")
	for i := range acc {
		VMOVUPS(operand.Mem{Base: out, Disp: 64 * i}, acc[i])
	}
	Label("start")
	count, a := field(args, 0), field(args, 8)
	rowsAt := newStrides(rows, field(args, 16))
	aoff, b := field(args, 24), field(args, 32)
	colsAt := newStrides(n, field(args, 40))
	boff := field(args, 48)
	var v [columns]reg.VecVirtual
	for j := range n {
		v[j] = s.reg()
	}
	TESTQ(count, count)
	JZ(operand.LabelRef("done"))
	Label("loop")
	offset := GP64()
	MOVLQSX(operand.Mem{Base: boff}, offset)
	colsAt.move(b, offset)
	for j := range n {
		VMOVUPS(colsAt.row(j), v[j])
	}
	MOVLQSX(operand.Mem{Base: aoff}, offset)
	rowsAt.move(a, offset)
	x := s.reg()
	for r := range rows {
		VMOVUPS(rowsAt.row(r), x)
		for j := range n {
			VFMADD231PS(x, v[j], acc[r*n+j])
		}
	}
	ADDQ(operand.Imm(4), aoff)
	ADDQ(operand.Imm(4), boff)
	DECQ(count)
	JNZ(operand.LabelRef("loop"))
	Label("done")
	for i := range acc {
		VMOVUPS(acc[i], operand.Mem{Base: out, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}

// pack emits a copy of n columns of vectors to one panel, step by step: what a
// tile kernel reads again and again should lie together. Its argument is the
// first field of a tileArgs; the panel is c[0].
func pack(n int) {
	TEXT(fmt.Sprintf("pack%d", n), NOSPLIT, "func(args *int)")
	Doc(fmt.Sprintf("pack%d copies %d vectors per step to one panel.", n, n))
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	count, boff, panel := field(args, 0), field(args, 32), field(args, 64)
	var b [columns]reg.GPVirtual
	for j := range n {
		b[j] = field(args, 40+8*j)
	}
	TESTQ(count, count)
	JZ(operand.LabelRef("done"))
	Label("loop")
	offset := GP64()
	MOVLQSX(operand.Mem{Base: boff}, offset)
	for j := range n {
		for half := 0; half < 64; half += 32 {
			y := YMM()
			VMOVUPS(operand.Mem{Base: b[j], Index: offset, Scale: 4, Disp: half}, y)
			VMOVUPS(y, operand.Mem{Base: panel, Disp: 64*j + half})
		}
	}
	ADDQ(operand.Imm(uint64(64*n)), panel)
	ADDQ(operand.Imm(4), boff)
	DECQ(count)
	JNZ(operand.LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// reduce emits the fixed tree over 16 lanes: l+(l+8), then 4, 2 and 1 apart;
// eight vectors at a time, then one by one.
func reduce() {
	TEXT("reduce16", NOSPLIT, "func(n int, acc, out *float32)")
	Doc("reduce16 joins the 16 lanes of each of n vectors to one sum.")
	n := Load(Param("n"), GP64()).(reg.GPVirtual)
	acc, out := Load(Param("acc"), GP64()).(reg.GPVirtual), Load(Param("out"), GP64()).(reg.GPVirtual)
	Label("eight")
	CMPQ(n, operand.Imm(8))
	JLT(operand.LabelRef("one"))
	var y [8]reg.VecVirtual
	for i := range y {
		y[i] = YMM()
		VMOVUPS(operand.Mem{Base: acc, Disp: 64 * i}, y[i])
		VADDPS(operand.Mem{Base: acc, Disp: 64*i + 32}, y[i], y[i])
	}
	var z [4]reg.VecVirtual
	for i := range z { // vector i in the low half, i+4 in the high one
		low := YMM()
		z[i] = YMM()
		VPERM2F128(operand.Imm(0x20), y[i+4], y[i], low)
		VPERM2F128(operand.Imm(0x31), y[i+4], y[i], z[i])
		VADDPS(z[i], low, z[i])
	}
	for i := 0; i < 4; i += 2 {
		low := YMM()
		VUNPCKLPD(z[i+1], z[i], low)
		VUNPCKHPD(z[i+1], z[i], z[i+1])
		VADDPS(z[i+1], low, z[i])
	}
	even := YMM()
	VSHUFPS(operand.Imm(0x88), z[2], z[0], even)
	VSHUFPS(operand.Imm(0xdd), z[2], z[0], z[0])
	VADDPS(z[0], even, even)
	VMOVUPS(even, operand.Mem{Base: out})
	ADDQ(operand.U32(512), acc)
	ADDQ(operand.Imm(32), out)
	SUBQ(operand.Imm(8), n)
	JMP(operand.LabelRef("eight"))

	Label("one")
	TESTQ(n, n)
	JZ(operand.LabelRef("done"))
	v, x, t := YMM(), XMM(), XMM()
	VMOVUPS(operand.Mem{Base: acc}, v)
	VADDPS(operand.Mem{Base: acc, Disp: 32}, v, v)
	VEXTRACTF128(operand.Imm(1), v, x)
	VADDPS(x, v.AsX(), x)
	VMOVHLPS(x, x, t)
	VADDPS(t, x, x)
	VMOVSHDUP(x, t)
	VADDSS(t, x, x)
	VMOVSS(x, operand.Mem{Base: out})
	ADDQ(operand.Imm(64), acc)
	ADDQ(operand.Imm(4), out)
	DECQ(n)
	JMP(operand.LabelRef("one"))
	Label("done")
	VZEROUPPER()
	RET()
}
