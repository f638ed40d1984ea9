package vec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func (s isa) String() string { return [...]string{"portable", "AVX2", "AVX-512"}[s] }

// use selects a set and returns what undoes it.
func use(set isa) func() {
	was := active
	active = set
	return func() { active = was }
}

// eachSet runs a test once with each set that this machine has.
func eachSet(t *testing.T, test func(t *testing.T)) {
	for _, set := range []isa{portable, avx2, avx512} {
		t.Run(set.String(), func(t *testing.T) {
			if !supports(set) {
				t.Skipf("this machine has no %v, or GRADSYNC_CPU leaves it out", set)
			}
			defer use(set)()
			test(t)
		})
	}
}

// vectors are operands cut out of one arena, each behind and before guard bytes.
type vectors struct {
	arena []byte
	a, b  []float32
	p, q  []int32
	wire  []byte // room for every form of n elements; of any alignment
	coded []byte // the bitmap form of b
}

func newVectors(n int, seed uint64) *vectors {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	v := &vectors{arena: make([]byte, 6*4*n+BitmapBytes(n, n)+1024)}
	for i := range v.arena {
		v.arena[i] = byte(r.Uint32())
	}
	at := 0
	next := func(size, align int) []byte {
		at += 33 + r.IntN(40)
		for uintptr(unsafe.Pointer(&v.arena[at]))%uintptr(align) != 0 {
			at++
		}
		at += size
		return v.arena[at-size : at : at]
	}
	view := func() []float32 { return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(next(4*n, 4)))), n) }
	v.a, v.b = view(), view()
	p, q := view(), view()
	v.p = unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(p))), n)
	v.q = unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(q))), n)
	density := []float64{0, 0.01, 0.1, 0.5, 0.9, 1}[r.IntN(6)]
	for i := range n {
		v.a[i] = anything(r)
		v.b[i] = 0
		if r.Float64() < density {
			v.b[i] = anything(r)
		}
	}
	form := bitmapByHand(v.b)
	v.wire = next(BitmapBytes(n, n), 1)
	v.coded = next(len(form), 1)
	copy(v.coded, form)
	return v
}

// anything draws ordinary values, all bit patterns, and the odd ones.
func anything(r *rand.Rand) float32 {
	switch r.IntN(4) {
	case 0:
		return math.Float32frombits(r.Uint32())
	case 1:
		odd := []uint32{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345, 0x7f800001,
			0x7f7fffff, 0x4f000000, 0xcf000000, 0x3f000000, 0x3fc00000}
		return math.Float32frombits(odd[r.IntN(len(odd))])
	}
	return float32(r.NormFloat64()) * float32(math.Exp2(float64(r.IntN(40)-20)))
}

// bitmapByHand returns the bitmap form written from its definition.
func bitmapByHand(x []float32) []byte {
	form := make([]byte, (len(x)+7)/8)
	for i, v := range x {
		if w := math.Float32bits(v); w != 0 {
			form[i/8] |= 1 << (i % 8)
			form = binary.LittleEndian.AppendUint32(form, w)
		}
	}
	return form
}

// operations are all that have kernels. What they return is compared, too.
var operations = []struct {
	name  string
	exact bool // else an element may be another NaN
	run   func(v *vectors, r *rand.Rand) any
}{
	{"AddTo", false, func(v *vectors, _ *rand.Rand) any { AddTo(v.a, v.b); return nil }},
	{"Scale", false, func(v *vectors, r *rand.Rand) any { Scale(anything(r), v.a); return nil }},
	{"AxpyTo", false, func(v *vectors, r *rand.Rand) any { AxpyTo(v.a, anything(r), v.b); return nil }},
	{"AppendBytes", true, func(v *vectors, _ *rand.Rand) any { return AppendBytes(v.wire[:0], v.a) }},
	{"FromBytes", true, func(v *vectors, _ *rand.Rand) any { return FromBytes(v.a, v.wire[len(v.wire)-4*len(v.a):]) }},
	{"AddBytes", false, func(v *vectors, _ *rand.Rand) any { return AddBytes(v.a, v.wire[len(v.wire)-4*len(v.a):]) }},
	{"AddToBytes", false, func(v *vectors, _ *rand.Rand) any { return AddToBytes(v.a, v.wire[len(v.wire)-4*len(v.a):]) }},
	{"CountNonzero", true, func(v *vectors, _ *rand.Rand) any { return CountNonzero(v.b) }},
	{"AppendBitmap", true, func(v *vectors, _ *rand.Rand) any { return AppendBitmap(v.wire[:0], v.b) }},
	{"AppendBitmap tight", true, func(v *vectors, _ *rand.Rand) any { return AppendBitmap(v.wire[:0:len(v.coded)], v.b) }},
	{"FromBitmap", true, func(v *vectors, _ *rand.Rand) any { return FromBitmap(v.a, v.coded) }},
	{"QuantiseRange", true, func(v *vectors, r *rand.Rand) any { return QuantiseRange(v.p, v.a, limits[r.IntN(len(limits))]) }},
	{"AddInt32Wide", true, func(v *vectors, r *rand.Rand) any {
		wide := make([]int64, len(v.p)+2)
		for i := range wide {
			wide[i] = int64(r.Uint64())
		}
		AddInt32Wide(wide[1:len(wide)-1], v.p)
		return fmt.Sprint(wide)
	}},
	{"AddInt32", true, func(v *vectors, _ *rand.Rand) any { AddInt32(v.p, v.q); return nil }},
	{"SubInt32", true, func(v *vectors, _ *rand.Rand) any { SubInt32(v.p, v.q); return nil }},
	{"AddInt32Bytes", true, func(v *vectors, _ *rand.Rand) any { return AddInt32Bytes(v.p, v.wire[len(v.wire)-4*len(v.p):]) }},
	{"AppendInt32", true, func(v *vectors, _ *rand.Rand) any { return AppendInt32(v.wire[:0], v.p) }},
	{"FromInt32", true, func(v *vectors, _ *rand.Rand) any { return FromInt32(v.p, v.wire[len(v.wire)-4*len(v.p):]) }},
	{"Transpose", true, func(v *vectors, r *rand.Rand) any { return transposeSome(v, r) }},
}

// transposeSome transposes what fits, with strides longer than the rows.
func transposeSome(v *vectors, r *rand.Rand) any {
	n := len(v.a)
	rows := 1 + r.IntN(40)
	columns := n / (rows + 3)
	from, to := columns+r.IntN(3), rows+r.IntN(4)
	if columns < 1 || (columns-1)*to+rows > n || (rows-1)*from+columns > n {
		return nil
	}
	Transpose(v.a, to, v.b, from, rows, columns)
	return [4]int{rows, columns, from, to}
}

// limits of QuantiseRange: 0.1 lies between two float32, 1e39 beyond the largest.
var limits = []float64{10, 640, 0.1, 1e-30, 1e39, 0x1p-149, 1}

// sameAsPortable runs one operation on equal operands, first in Go.
func sameAsPortable(t rapid.TB, set isa, op, n int, seed uint64) {
	o := operations[op]
	run := func(set isa) (*vectors, string) {
		defer use(set)()
		v := newVectors(n, seed)
		return v, fmt.Sprint(o.run(v, rand.New(rand.NewPCG(seed, 1))))
	}
	want, wantOut := run(portable)
	got, gotOut := run(set)
	if gotOut != wantOut {
		t.Fatalf("%s %v, n = %d, seed %d: returned %s, want %s", o.name, set, n, seed, gotOut, wantOut)
	}
	if !o.exact {
		for i := range got.a {
			if got.a[i] != got.a[i] && want.a[i] != want.a[i] {
				got.a[i] = want.a[i]
			}
		}
	}
	if !bytes.Equal(got.arena, want.arena) {
		at := slices.IndexFunc(got.a, func(x float32) bool { return x != x }) // a hint only
		t.Fatalf("%s %v, n = %d, seed %d: memory differs (first NaN of a at %d)\n got %v\nwant %v", o.name, set, n, seed, at, got.a, want.a)
	}
}

// TestKernelsEqualGo: every operation, every length, with guard bytes around all operands and slices of any alignment.
func TestKernelsEqualGo(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		set := active
		for op := range operations {
			for n := range 201 {
				sameAsPortable(t, set, op, n, uint64(n))
			}
		}
	})
}

func TestKernelsEqualGoAtRandom(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		set := active
		rapid.Check(t, func(t *rapid.T) {
			op, n := rapid.IntRange(0, len(operations)-1).Draw(t, "operation"), rapid.IntRange(0, 3000).Draw(t, "n")
			sameAsPortable(t, set, op, n, rapid.Uint64().Draw(t, "seed"))
		})
	})
}
