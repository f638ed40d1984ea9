package ptx

import (
	"maps"
	"math/bits"
)

// warpSize threads execute together.
const warpSize = 32

type (
	words [warpSize]uint32
	longs [warpSize]uint64
)

var (
	bankWW  = []bank{word, word}
	bankWWW = []bank{word, word, word}
	bankLL  = []bank{long, long}
	bankLLL = []bank{long, long, long}
	bankPPP = []bank{predicate, predicate, predicate}
)

// forms holds what every opcode does; init joins the chapters.
var forms = map[string]form{}

func init() {
	for _, chapter := range []map[string]form{moves(), hot32(), rare32(), all64(), logic(), float32s(), float64s(), conversions()} {
		maps.Copy(forms, chapter)
	}
}

// one32, two32 and three32 make steps of a function of a thread's operands; the opcodes
// that kernels spend their time in have loops of their own.
func one32(f func(x uint32) uint32) form {
	return form{bankWW, func(r []int) step {
		return func(w *warp) {
			o, x := w.word(r[0]), &w.words[r[1]]
			for i := range o {
				o[i] = f(x[i])
			}
			w.keep(r[0])
		}
	}}
}

func two32(f func(x, y uint32) uint32) form {
	return form{bankWWW, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.word(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = f(x[i], y[i])
			}
			w.keep(r[0])
		}
	}}
}

func one64(f func(x uint64) uint64) form {
	return form{bankLL, func(r []int) step {
		return func(w *warp) {
			o, x := w.long(r[0]), &w.longs[r[1]]
			for i := range o {
				o[i] = f(x[i])
			}
			w.keepLong(r[0])
		}
	}}
}

func two64(f func(x, y uint64) uint64) form {
	return form{bankLLL, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.long(r[0]), &w.longs[r[1]], &w.longs[r[2]]
			for i := range o {
				o[i] = f(x[i], y[i])
			}
			w.keepLong(r[0])
		}
	}}
}

// moves copies and chooses.
func moves() map[string]form {
	m := map[string]form{}
	copy32 := form{bankWW, func(r []int) step {
		return func(w *warp) {
			*w.word(r[0]) = w.words[r[1]]
			w.keep(r[0])
		}
	}}
	copy64 := form{bankLL, func(r []int) step {
		return func(w *warp) {
			*w.long(r[0]) = w.longs[r[1]]
			w.keepLong(r[0])
		}
	}}
	choose32 := form{[]bank{word, word, word, predicate}, func(r []int) step {
		return func(w *warp) {
			o, x, y, p := w.word(r[0]), &w.words[r[1]], &w.words[r[2]], w.preds[r[3]]
			for i := range o {
				o[i] = y[i]
				if p>>i&1 != 0 {
					o[i] = x[i]
				}
			}
			w.keep(r[0])
		}
	}}
	choose64 := form{[]bank{long, long, long, predicate}, func(r []int) step {
		return func(w *warp) {
			o, x, y, p := w.long(r[0]), &w.longs[r[1]], &w.longs[r[2]], w.preds[r[3]]
			for i := range o {
				o[i] = y[i]
				if p>>i&1 != 0 {
					o[i] = x[i]
				}
			}
			w.keepLong(r[0])
		}
	}}
	for _, t := range []string{"f32", "u32", "s32", "b32"} {
		m["mov."+t], m["selp."+t] = copy32, choose32
	}
	for _, t := range []string{"f64", "u64", "s64", "b64"} {
		m["mov."+t], m["selp."+t] = copy64, choose64
	}
	for _, space := range []string{"to.global", "to.local", "local"} { // a space is known by the access
		m["cvta."+space+".u64"] = copy64
	}
	return m
}

// hot32 holds the integer instructions of inner loops.
func hot32() map[string]form {
	add := form{bankWWW, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.word(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = x[i] + y[i]
			}
			w.keep(r[0])
		}
	}}
	mul := form{bankWWW, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.word(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = x[i] * y[i]
			}
			w.keep(r[0])
		}
	}}
	mad := form{[]bank{word, word, word, word}, func(r []int) step {
		return func(w *warp) {
			o, x, y, z := w.word(r[0]), &w.words[r[1]], &w.words[r[2]], &w.words[r[3]]
			for i := range o {
				o[i] = x[i]*y[i] + z[i]
			}
			w.keep(r[0])
		}
	}}
	wideSigned := form{[]bank{long, word, word}, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.long(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = uint64(int64(int32(x[i])) * int64(int32(y[i])))
			}
			w.keepLong(r[0])
		}
	}}
	wide := form{[]bank{long, word, word}, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.long(r[0]), &w.words[r[1]], &w.words[r[2]]
			for i := range o {
				o[i] = uint64(x[i]) * uint64(y[i])
			}
			w.keepLong(r[0])
		}
	}}
	return map[string]form{
		"add.s32": add, "add.u32": add, "mul.lo.s32": mul, "mul.lo.u32": mul, "mad.lo.s32": mad, "mad.lo.u32": mad,
		"mul.wide.s32": wideSigned, "mul.wide.u32": wide,
	}
}

// rare32 holds the others. A division by zero gives all ones, as on a card.
func rare32() map[string]form {
	signed := func(f func(x, y int32) int32) form {
		return two32(func(x, y uint32) uint32 { return uint32(f(int32(x), int32(y))) })
	}
	sub := two32(func(x, y uint32) uint32 { return x - y })
	return map[string]form{
		"sub.s32": sub, "sub.u32": sub,
		"div.s32": signed(func(x, y int32) int32 {
			if y == 0 {
				return -1
			}
			return x / y
		}),
		"rem.s32": signed(func(x, y int32) int32 {
			if y == 0 {
				return -1
			}
			return x % y
		}),
		"div.u32": two32(func(x, y uint32) uint32 {
			if y == 0 {
				return 1<<32 - 1
			}
			return x / y
		}),
		"rem.u32": two32(func(x, y uint32) uint32 {
			if y == 0 {
				return 1<<32 - 1
			}
			return x % y
		}),
		"min.s32":  signed(func(x, y int32) int32 { return min(x, y) }),
		"max.s32":  signed(func(x, y int32) int32 { return max(x, y) }),
		"min.u32":  two32(func(x, y uint32) uint32 { return min(x, y) }),
		"max.u32":  two32(func(x, y uint32) uint32 { return max(x, y) }),
		"neg.s32":  one32(func(x uint32) uint32 { return -x }),
		"not.b32":  one32(func(x uint32) uint32 { return ^x }),
		"popc.b32": one32(func(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }),
		"and.b32":  two32(func(x, y uint32) uint32 { return x & y }),
		"or.b32":   two32(func(x, y uint32) uint32 { return x | y }),
		"xor.b32":  two32(func(x, y uint32) uint32 { return x ^ y }),
		"shl.b32":  two32(func(x, y uint32) uint32 { return x << y }), // Go and PTX agree beyond 31
		"shr.u32":  two32(func(x, y uint32) uint32 { return x >> y }),
		"shr.s32":  two32(func(x, y uint32) uint32 { return uint32(int32(x) >> y) }),
	}
}

func all64() map[string]form {
	add := form{bankLLL, func(r []int) step {
		return func(w *warp) {
			o, x, y := w.long(r[0]), &w.longs[r[1]], &w.longs[r[2]]
			for i := range o {
				o[i] = x[i] + y[i]
			}
			w.keepLong(r[0])
		}
	}}
	sub := two64(func(x, y uint64) uint64 { return x - y })
	mul := two64(func(x, y uint64) uint64 { return x * y })
	shift := func(f func(x uint64, n uint32) uint64) form {
		return form{[]bank{long, long, word}, func(r []int) step {
			return func(w *warp) {
				o, x, n := w.long(r[0]), &w.longs[r[1]], &w.words[r[2]]
				for i := range o {
					o[i] = f(x[i], n[i])
				}
				w.keepLong(r[0])
			}
		}}
	}
	return map[string]form{
		"add.s64": add, "add.u64": add, "sub.s64": sub, "sub.u64": sub, "mul.lo.s64": mul, "mul.lo.u64": mul,
		"and.b64": two64(func(x, y uint64) uint64 { return x & y }),
		"or.b64":  two64(func(x, y uint64) uint64 { return x | y }),
		"xor.b64": two64(func(x, y uint64) uint64 { return x ^ y }),
		"neg.s64": one64(func(x uint64) uint64 { return -x }),
		"shl.b64": shift(func(x uint64, n uint32) uint64 { return x << n }),
		"shr.u64": shift(func(x uint64, n uint32) uint64 { return x >> n }),
		"shr.s64": shift(func(x uint64, n uint32) uint64 { return uint64(int64(x) >> n) }),
	}
}

// logic works on predicates, all threads at once.
func logic() map[string]form {
	two := func(f func(x, y uint32) uint32) form {
		return form{bankPPP, func(r []int) step {
			return func(w *warp) { w.setPred(r[0], f(w.preds[r[1]], w.preds[r[2]])) }
		}}
	}
	return map[string]form{
		"and.pred": two(func(x, y uint32) uint32 { return x & y }),
		"or.pred":  two(func(x, y uint32) uint32 { return x | y }),
		"xor.pred": two(func(x, y uint32) uint32 { return x ^ y }),
		"mov.pred": {bankPPP[:2], func(r []int) step {
			return func(w *warp) { w.setPred(r[0], w.preds[r[1]]) }
		}},
		"not.pred": {bankPPP[:2], func(r []int) step {
			return func(w *warp) { w.setPred(r[0], ^w.preds[r[1]]) }
		}},
	}
}
