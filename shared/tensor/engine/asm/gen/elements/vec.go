package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vecBytes is the size of 16 lanes.
const vecBytes = 64

// Predicates of VCMPPS.
const (
	unordered = operand.U8(0x03) // either is NaN
	less      = operand.U8(0x11) // first < second, false for NaN
)

// set is an instruction set.
type set struct {
	name string
	wide bool // zmm instead of ymm
}

// vec is 16 lanes in registers or memory.
type vec []operand.Op

// kernel starts a function that keeps none of its arguments.
func (s set) kernel(name, signature, doc string) {
	TEXT(name+s.name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + s.name + " " + doc)
}

func end() {
	VZEROUPPER()
	RET()
}

// fresh returns a vector in new registers.
func (s set) fresh() vec {
	if s.wide {
		return vec{ZMM()}
	}
	return vec{YMM(), YMM()}
}

// at returns the vector in memory at m.
func (s set) at(m operand.Mem) vec {
	if s.wide {
		return vec{m}
	}
	return vec{m, m.Offset(32)}
}

// do applies an instruction register by register; operands in Go's order, the
// destination last.
func do(f func(...operand.Op), ops ...vec) {
	for i := range ops[0] {
		var o [4]operand.Op
		for j, v := range ops {
			o[j] = v[i]
		}
		f(o[:len(ops)]...)
	}
}

// fma does acc += x·y, fnma does acc −= x·y.
func fma(x, y, acc vec)  { do(VFMADD231PS, x, y, acc) }
func fnma(x, y, acc vec) { do(VFNMADD231PS, x, y, acc) }

func (s set) load(m operand.Mem) vec {
	v := s.fresh()
	do(VMOVUPS, s.at(m), v)
	return v
}

func (s set) store(v vec, m operand.Mem) { do(VMOVUPS, v, s.at(m)) }

func (s set) zero() vec {
	v := s.fresh()
	for _, r := range v {
		if s.wide {
			VPXORD(r, r, r)
		} else {
			VXORPS(r, r, r)
		}
	}
	return v
}

// same returns one register in every place: a constant needs no two.
func (s set) same(r reg.VecVirtual) vec {
	if s.wide {
		return vec{r}
	}
	return vec{r, r}
}

// broadcast fills all lanes with a float32 or int32 argument.
func (s set) broadcast(name string) vec {
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := s.register()
	VBROADCASTSS(a.Addr, v)
	return s.same(v)
}

func (s set) register() reg.VecVirtual {
	if s.wide {
		return ZMM()
	}
	return YMM()
}

// nothing returns a constant of zeros.
func (s set) nothing() vec {
	v := s.register()
	if s.wide {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
	return s.same(v)
}

// gate returns d as a ReLU with output y lets it through: d where y > 0, y where it
// is NaN, else 0.
func (s set) gate(y operand.Mem, d, zero vec) vec {
	v, out := s.load(y), s.fresh()
	if s.wide {
		pass, nan := K(), K()
		VCMPPS(less, v[0], zero[0], pass)
		VCMPPS(unordered, v[0], v[0], nan)
		VMOVUPS_Z(d[0], pass, out[0])
		VMOVAPS(v[0], nan, out[0])
		return out
	}
	for i, m := range d {
		pass, nan := YMM(), YMM()
		VCMPPS(less, v[i], zero[i], pass)
		VCMPPS(unordered, v[i], v[i], nan)
		VANDPS(m, pass, out[i])
		VANDPS(v[i], nan, nan)
		VORPS(nan, out[i], out[i])
	}
	return out
}

func pointer(name string) reg.GPVirtual {
	return Load(Param(name).Base(), GP64()).(reg.GPVirtual)
}

func length(name string) reg.GPVirtual {
	return Load(Param(name).Len(), GP64()).(reg.GPVirtual)
}

func number(name string) reg.GPVirtual {
	return Load(Param(name), GP64()).(reg.GPVirtual)
}
