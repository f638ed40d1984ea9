package ptx

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

// odd are floats that are easily got wrong.
var odd = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e-40, math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 1 << 24, 0x1p-126, 16777217, 2147483520,
}

// operands fills memory for 256 threads: three words each.
func operands(r *rand.Rand, floats bool) []uint32 {
	m := make([]uint32, 3*256)
	for i := range m {
		switch {
		case !floats && r.IntN(3) == 0:
			m[i] = []uint32{0, 1, 31, 32, 33, 1<<31 - 1, 1 << 31, 1<<32 - 1}[r.IntN(8)]
		case floats && r.IntN(2) == 0:
			m[i] = float(odd[r.IntN(len(odd))])
		case floats:
			m[i] = float(float32(r.NormFloat64() * math.Exp2(float64(r.IntN(40)-20))))
		default:
			m[i] = r.Uint32()
		}
	}
	return m
}

// apply runs one instruction on x, y and z (%r3 to %r5, or %f3 to %f5) of every thread.
func apply(t *testing.T, instruction string, memory []uint32) []uint32 {
	t.Helper()
	load := "ld.global.u32 %r3, [%rd2];\nld.global.u32 %r4, [%rd2+1024];\nld.global.u32 %r5, [%rd2+2048];\n" +
		"mov.b32 %f3, %r3;\nmov.b32 %f4, %r4;\nmov.b32 %f5, %r5;\n"
	store := "\nst.global.u32 [%rd2], %r6;"
	if strings.Contains(instruction, "%f6") {
		store = "\nst.global.f32 [%rd2], %f6;"
	}
	out := append([]uint32(nil), memory...)
	if _, err := run(t, load+instruction+store, 1, 1, out); err != nil {
		t.Fatal(err)
	}
	return out[:256]
}

func truth(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// TestIntegers compares instructions with Go's operators.
func TestIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shift := func(y uint32) uint32 { return min(y, 63) }
	for instruction, f := range map[string]func(x, y, z uint32) uint32{
		"add.s32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return x + y },
		"sub.s32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return x - y },
		"mul.lo.s32 %r6, %r3, %r4;":      func(x, y, _ uint32) uint32 { return x * y },
		"mad.lo.s32 %r6, %r3, %r4, %r5;": func(x, y, z uint32) uint32 { return x*y + z },
		"shl.b32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return uint32(uint64(x) << shift(y)) },
		"shr.u32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return uint32(uint64(x) >> shift(y)) },
		"shr.s32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return uint32(int64(int32(x)) >> shift(y)) },
		"min.s32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return uint32(min(int32(x), int32(y))) },
		"max.u32 %r6, %r3, %r4;":         func(x, y, _ uint32) uint32 { return max(x, y) },
		"popc.b32 %r6, %r3;":             func(x, _, _ uint32) uint32 { return uint32(bits.OnesCount32(x)) },
		"not.b32 %r6, %r3;":              func(x, _, _ uint32) uint32 { return ^x },
		"neg.s32 %r6, %r3;":              func(x, _, _ uint32) uint32 { return -x },
		"div.s32 %r6, %r3, %r4;": func(x, y, _ uint32) uint32 {
			if y == 0 {
				return 1<<32 - 1
			}
			return uint32(int64(int32(x)) / int64(int32(y)))
		},
		"rem.s32 %r6, %r3, %r4;": func(x, y, _ uint32) uint32 {
			if y == 0 {
				return 1<<32 - 1
			}
			return uint32(int64(int32(x)) % int64(int32(y)))
		},
		"div.u32 %r6, %r3, %r4;": func(x, y, _ uint32) uint32 {
			if y == 0 {
				return 1<<32 - 1
			}
			return x / y
		},
		"mul.wide.s32 %rd6, %r3, %r4;\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r6, %rd6;": func(x, y, _ uint32) uint32 {
			return uint32(int64(int32(x)) * int64(int32(y)) >> 32)
		},
		"mul.wide.u32 %rd6, %r3, %r4;\nshr.u64 %rd6, %rd6, 32;\ncvt.u32.u64 %r6, %rd6;": func(x, y, _ uint32) uint32 {
			return uint32(uint64(x) * uint64(y) >> 32)
		},
		"cvt.s64.s32 %rd6, %r3;\nshr.s64 %rd6, %rd6, 33;\ncvt.u32.u64 %r6, %rd6;": func(x, _, _ uint32) uint32 {
			return uint32(int64(int32(x)) >> 33)
		},
		"setp.lt.s32 %p1, %r3, %r4;\nselp.u32 %r6, 1, 0, %p1;":                                   func(x, y, _ uint32) uint32 { return truth(int32(x) < int32(y)) },
		"setp.gt.u32 %p1, %r3, %r4;\nselp.u32 %r6, 1, 0, %p1;":                                   func(x, y, _ uint32) uint32 { return truth(x > y) },
		"mov.pred %p1, -1;\nmov.pred %p2, 0;\nxor.pred %p3, %p1, %p2;\nselp.u32 %r6, 1, 0, %p3;": func(_, _, _ uint32) uint32 { return 1 },
		"setp.ge.s32 %p1, %r3, 31;\nselp.b32 %r6, %r4, %r5, %p1;": func(x, y, z uint32) uint32 {
			if int32(x) >= 31 {
				return y
			}
			return z
		},
		"setp.le.u32 %p1, %r3, %r4;\nsetp.ne.s32 %p2, %r3, %r5;\nand.pred %p3, %p1, %p2;\nnot.pred %p4, %p3;\nselp.u32 %r6, 1, 0, %p4;": func(x, y, z uint32) uint32 {
			return truth(!(x <= y && x != z))
		},
		"shfl.sync.bfly.b32 %r6|%p1, %r3, 5, 31, -1;\nxor.b32 %r6, %r6, %r3;\nmov.b32 %r7, 0;\nshfl.sync.bfly.b32 %r7, %r6, 5, 31, -1;\nxor.b32 %r6, %r6, " +
			"%r7;": func(_, _, _ uint32) uint32 { return 0 },
	} {
		memory := operands(r, false)
		for i, got := range apply(t, instruction, memory) {
			x, y, z := memory[i], memory[256+i], memory[512+i]
			if want := f(x, y, z); got != want {
				t.Fatalf("%s of %#x, %#x, %#x: %#x, want %#x", instruction, x, y, z, got, want)
			}
		}
	}
}

// TestFloats compares instructions with exact arithmetic, rounded once.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for instruction, f := range map[string]func(x, y, z float32) float32{
		"add.rn.f32 %f6, %f3, %f4;":      func(x, y, _ float32) float32 { return x + y },
		"sub.rn.f32 %f6, %f3, %f4;":      func(x, y, _ float32) float32 { return x - y },
		"mul.rn.f32 %f6, %f3, %f4;":      func(x, y, _ float32) float32 { return x * y },
		"div.rn.f32 %f6, %f3, %f4;":      func(x, y, _ float32) float32 { return x / y },
		"rcp.rn.f32 %f6, %f3;":           func(x, _, _ float32) float32 { return 1 / x },
		"sqrt.rn.f32 %f6, %f3;":          func(x, _, _ float32) float32 { return float32(math.Sqrt(float64(x))) },
		"abs.f32 %f6, %f3;":              func(x, _, _ float32) float32 { return float32(math.Abs(float64(x))) },
		"fma.rn.f32 %f6, %f3, %f4, %f5;": exactFused,
		"cvt.rni.f32.f32 %f6, %f3;":      func(x, _, _ float32) float32 { return float32(math.RoundToEven(float64(x))) },
		"cvt.f64.f32 %fd1, %f3;\ncvt.f64.f32 %fd2, %f4;\ndiv.rn.f64 %fd3, %fd1, %fd2;\ncvt.rn.f32.f64 %f6, %fd3;": func(x, y, _ float32) float32 {
			return float32(float64(x) / float64(y))
		},
		"setp.ltu.f32 %p1, %f3, %f4;\nselp.f32 %f6, %f4, %f5, %p1;": func(x, y, z float32) float32 {
			if !(x >= y) {
				return y
			}
			return z
		},
		"setp.num.f32 %p1, %f3, %f4;\nselp.f32 %f6, 0f3F800000, 0f00000000, %p1;": func(x, y, _ float32) float32 {
			return float32(truth(x == x && y == y))
		},
		"setp.neu.f32 %p1, %f3, %f4;\nsetp.gt.f32 %p2, %f3, %f4;\nor.pred %p3, %p1, %p2;\nselp.f32 %f6, %f3, %f5, %p3;": func(x, y, z float32) float32 {
			if x != y {
				return x
			}
			return z
		},
	} {
		memory := operands(r, true)
		for i, got := range apply(t, instruction, memory) {
			x, y, z := f32(memory[i]), f32(memory[256+i]), f32(memory[512+i])
			if want := f(x, y, z); got != float(want) && !(want != want && got&0x7fffffff == nan32) {
				t.Fatalf("%s of %g, %g, %g: %g, want %g", instruction, x, y, z, f32(got), want)
			}
		}
	}
	memory := operands(r, true)
	for i, got := range apply(t, "cvt.rzi.s32.f32 %r6, %f3;", memory) {
		x, want := float64(f32(memory[i])), int32(0)
		if x == x {
			want = int32(max(min(math.Trunc(x), math.MaxInt32), math.MinInt32))
		}
		if int32(got) != want {
			t.Fatalf("%g is the integer %d, want %d", x, int32(got), want)
		}
	}
}

// exactFused is x·y + z in exact arithmetic, rounded once.
func exactFused(x, y, z float32) float32 {
	for _, v := range []float32{x, y, z} {
		if v != v || math.IsInf(float64(v), 0) {
			return float32(float64(x)*float64(y) + float64(z))
		}
	}
	exact := func(v float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(v)) }
	p := exact(x)
	p.Mul(p, exact(y)).Add(p, exact(z))
	if p.Sign() == 0 {
		return x*y + z // the sign of a zero
	}
	v, _ := p.Float32()
	return v
}

// TestFused: where two roundings would go wrong, there is one.
func TestFused(t *testing.T) {
	r, slow := rand.New(rand.NewPCG(5, 6)), 0
	for range 200_000 {
		x, y := float32(1+r.Float64()), float32(1+r.Float64())
		z := float32(math.Ldexp(1+r.Float64(), r.IntN(60)-30))
		switch r.IntN(3) {
		case 0: // the sum ends near the middle between two floats
			x, y, z = 1, float32(math.Ldexp(1, -24))*(1+float32(r.IntN(3)-1)*0x1p-23), 1+float32(r.IntN(2))*0x1p-23
		case 1: // below the normal numbers
			x, y, z = x*0x1p-70, y*0x1p-70, z*0x1p-120
		}
		if r.IntN(2) == 0 {
			z = -z
		}
		if !roundsTwice(math.Float64bits(float64(x)*float64(y) + float64(z))) {
			slow++
		}
		if got, want := fused(x, y, z), float(exactFused(x, y, z)); got != want {
			t.Fatalf("%g·%g + %g = %g, want %g", x, y, z, f32(got), f32(want))
		}
	}
	if slow < 10_000 {
		t.Errorf("only %d cases needed the slow way", slow)
	}
}

// TestMemoryTypes: loads widen by sign or by zeros, stores take the low bytes.
func TestMemoryTypes(t *testing.T) {
	memory := make([]uint32, 256)
	memory[0] = 0x80818283
	body := `
	setp.ne.s32 %p1, %r1, 0;
	@%p1 ret;
	ld.global.u8 %rs1, [%rd1+1];
	cvt.u32.u16 %r3, %rs1;
	st.global.u32 [%rd1+4], %r3;
	ld.global.s32 %rd6, [%rd1];
	st.global.u64 [%rd1+8], %rd6;
	ld.global.u32 %rd7, [%rd1];
	st.global.u64 [%rd1+16], %rd7;
	st.global.u8 [%rd1+24], %rs1;
	st.global.f32 [%rd1+28], 0f3F800000;
	ld.global.f64 %fd1, [%rd1+8];
	st.global.f64 [%rd1+32], %fd1;
	ld.global.v2.u32 {%r4, %r5}, [%rd1+8];
	st.global.v4.u32 [%rd1+48], {%r5, %r4, %r5, 9};
	`
	if _, err := run(t, body, 1, 1, memory); err != nil {
		t.Fatal(err)
	}
	want := []uint32{0x80818283, 0x82, 0x80818283, 0xffffffff, 0x80818283, 0, 0x82, 0x3f800000, 0x80818283, 0xffffffff, 0, 0, 0xffffffff, 0x80818283,
		0xffffffff, 9}
	for i, w := range want {
		if memory[i] != w {
			t.Errorf("word %d is %#x, want %#x", i, memory[i], w)
		}
	}
}

// TestLocal: every thread has memory of its own, new in every block.
func TestLocal(t *testing.T) {
	memory := make([]uint32, 512)
	body := `
	mov.u64 %rd6, l;
	cvta.local.u64 %SP, %rd6;
	cvta.to.local.u64 %rd7, %SP;
	ld.local.u32 %r4, [%rd7+4];
	st.local.u32 [%rd7+8], %r1;
	bar.sync 0;
	ld.local.u32 %r3, [l+8];
	st.global.u32 [%rd2], %r3;
	st.global.u32 [%rd2+1024], %r4;
	st.local.u32 [%rd7+4], %r1;
	`
	if _, err := run(t, body, 3, 1, memory); err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		if memory[i] != uint32(i) || memory[256+i] != 1<<32-1 {
			t.Fatalf("thread %d: %#x, and before it wrote %#x", i, memory[i], memory[256+i])
		}
	}
}
