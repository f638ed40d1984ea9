package kernels_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
)

// machine is a device with the kernels, for one test. What it reads back is kept, so
// that two devices can be compared bit for bit.
type machine struct {
	*kernels.Queue
	set *kernels.Set
	t   *testing.T
	d   driver.Driver
	all []unsafe.Pointer
	log [][]byte
}

// onAll runs a test on the emulator and, where they can be had and time allows, on the fake
// driver and on a card: all must give the same bits.
func onAll(t *testing.T, f func(m *machine)) {
	t.Helper()
	emulated := newMachine(t, emulated.New(emulated.Options{Watch: true}))
	f(emulated)
	emulated.close()
	for name, open := range map[string]func(*testing.T) driver.Driver{"fake": openFake, "card": faketest.Card} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, open(t))
			f(m)
			m.close()
			if len(m.log) != len(emulated.log) {
				t.Fatalf("%d results, the emulator has %d", len(m.log), len(emulated.log))
			}
			for i, got := range m.log {
				if want := emulated.log[i]; string(got) != string(want) {
					t.Fatalf("result %d of %d differs from the emulator's: %s", i, len(m.log), firstDifference(got, want))
				}
			}
		})
	}
}

func firstDifference(got, want []byte) string {
	for i := range got {
		if got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d is %#x, not %#x", i, len(got), got[i], want[i])
		}
	}
	return "lengths"
}

func openFake(t *testing.T) driver.Driver {
	t.Helper()
	return faketest.Open(t, faketest.Library(t, fake.Options{}))
}

func newMachine(t *testing.T, d driver.Driver) *machine {
	t.Helper()
	m := &machine{t: t, d: d}
	var err error
	m.set, err = kernels.Load(d)
	m.ok(err)
	m.Queue = m.set.On(0)
	return m
}

func (m *machine) close() {
	m.t.Helper()
	m.clear()
	m.ok(m.set.Close())
	m.ok(m.d.Close())
}

func (m *machine) ok(err error) {
	m.t.Helper()
	must(m.t, err)
}

// clear frees all buffers.
func (m *machine) clear() {
	for _, p := range m.all {
		m.ok(m.d.Free(p))
	}
	m.all = nil
}

// room allocates n elements.
func room[T any](m *machine, n int) unsafe.Pointer {
	m.t.Helper()
	var one T
	p, err := m.d.Alloc(max(n, 1) * int(unsafe.Sizeof(one)))
	m.ok(err)
	m.all = append(m.all, p)
	return p
}

// up allocates and uploads.
func up[T any](m *machine, x []T) unsafe.Pointer {
	m.t.Helper()
	p := room[T](m, len(x))
	if len(x) > 0 {
		m.ok(m.d.Upload(0, p, unsafe.Pointer(unsafe.SliceData(x)), len(x)*int(unsafe.Sizeof(x[0]))))
	}
	return p
}

// down reads n elements and keeps them; which NaN it is does not matter.
func down[T any](m *machine, p unsafe.Pointer, n int) []T {
	m.t.Helper()
	x := make([]T, n)
	if n == 0 {
		return x
	}
	bytes := n * int(unsafe.Sizeof(x[0]))
	m.ok(m.d.Download(0, unsafe.Pointer(unsafe.SliceData(x)), p, bytes))
	kept := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), bytes)...)
	if f, ok := any(x).([]float32); ok {
		for i, v := range f {
			if v != v {
				binary.LittleEndian.PutUint32(kept[4*i:], math.MaxUint32)
			}
		}
	}
	m.log = append(m.log, kept)
	return x
}

func random(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// special replaces some values by those that are easily got wrong.
func special(r *rand.Rand, x []float32) []float32 {
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.SmallestNonzeroFloat32,
		-1e-40, math.MaxFloat32}
	for i := range x {
		if r.IntN(4) == 0 {
			x[i] = odd[r.IntN(len(odd))]
		}
	}
	return x
}

// same compares bits; any NaN stands for a NaN.
func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if w := want[i]; math.Float32bits(v) != math.Float32bits(w) && (v == v || w == w) {
			t.Fatalf("%s: element %d is %g (%#x), want %g (%#x)", what, i, v, math.Float32bits(v), w, math.Float32bits(w))
		}
	}
}

// unit is the largest relative error of one rounding.
const unit = 0x1p-24

// sum is a reference in double precision with what bounds the error of any order.
type sum struct {
	value, abs float64
	terms      int
}

func (s *sum) add(p float64) {
	s.value += p
	s.abs += math.Abs(p)
	s.terms++
}

func (s *sum) bound() float64 { return float64(s.terms+2) * unit * s.abs }

// within compares sums with their references.
func within(t *testing.T, what string, got []float32, want []sum) {
	t.Helper()
	for i, v := range got {
		if w := want[i]; !(math.Abs(float64(v)-w.value) <= w.bound()) {
			t.Fatalf("%s: element %d is %g, want %g within %g", what, i, v, w.value, w.bound())
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
