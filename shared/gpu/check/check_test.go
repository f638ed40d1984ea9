package check

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/engine/portable"
)

// closing gives a device back when the test ends.
func closing(t *testing.T, d driver.Driver) driver.Driver {
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func emulator(t *testing.T) driver.Driver { return closing(t, emulated.New(emulated.Options{})) }

// all runs every trial.
func all(t *testing.T, d driver.Driver) (names []string, out []Outcome) {
	t.Helper()
	out, err := Kernels(d, portable.New())
	if err != nil {
		t.Fatal(err)
	}
	network, err := Network(d, portable.New())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		names = append(names, strings.Join(o.Kernels, " "))
	}
	return append(names, "lenet5"), append(out, network)
}

// TestEmulated: the interpreter of the PTX does every trial right, and its bits are those of bits.csv, which
// GRADSYNC_RENEW=1 writes.
func TestEmulated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	names, out := all(t, emulator(t))
	text := ""
	for i, o := range out {
		text += fmt.Sprintf("%s,%s\n", names[i], o.Bits)
	}
	if os.Getenv("GRADSYNC_RENEW") != "" {
		if err := os.WriteFile("bits.csv", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		bits = text
	}
	if bits != text {
		t.Errorf("bits.csv has\n%swant\n%s", bits, text)
	}
	for i, o := range out {
		t.Logf("%s: %d values, off by %.1g", names[i], o.Values, o.Off)
		if o.Error != "" || !(o.Off <= Near) || o.Values == 0 {
			t.Errorf("%s: %+v", names[i], o)
		}
	}
}

// TestEveryKernel: the trials run each kernel of the PTX once.
func TestEveryKernel(t *testing.T) {
	var want, got []string
	for _, m := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllStringSubmatch(kernels.PTX(), -1) {
		want = append(want, m[1])
	}
	for _, x := range trials {
		got = append(got, strings.Fields(x.kernels)...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("trials of %v, the PTX has %v", got, want)
	}
}

// TestFake: the fake driver, on which a compiler for the CPU translates the same source, passes with the same bits.
func TestFake(t *testing.T) {
	names, out := all(t, closing(t, faketest.Open(t, faketest.Library(t, fake.Options{}))))
	for i, o := range out {
		if !o.OK() {
			t.Errorf("%s: %+v", names[i], o)
		}
	}
}

// planted is a device whose kernels have a mistake.
type planted struct {
	driver.Driver
	kernel, from, to string
}

func (p planted) Load(ptx string) (driver.Module, error) {
	head, rest, found := strings.Cut(ptx, ".entry "+p.kernel+"(")
	body, tail, whole := strings.Cut(rest, "\n}\n")
	if !found || !whole || !strings.Contains(body, p.from) {
		return 0, fmt.Errorf("%s of %s is not there", p.from, p.kernel)
	}
	return p.Driver.Load(head + ".entry " + p.kernel + "(" + strings.ReplaceAll(body, p.from, p.to) + "\n}\n" + tail)
}

// TestPlanted: a mistake in one kernel is found in its trial and in no other, whether results are wrong or only their
// rounding is.
func TestPlanted(t *testing.T) {
	for _, c := range []planted{
		{kernel: "add", from: "add.rn.f32", to: "sub.rn.f32"}, {kernel: "sub_int32", from: "sub.s32", to: "add.s32"},
		{kernel: "update", from: "mul.rn.f32 \t%f15, %f19, %f7;\n\tsub.rn.f32 \t%f16, %f14, %f15;",
			to: "neg.f32 \t%f15, %f19;\n\tfma.rn.f32 \t%f16, %f15, %f7, %f14;"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			c.Driver = emulator(t)
			out, err := Kernels(c, portable.New())
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range out {
				if o.OK() == slices.Contains(o.Kernels, c.kernel) {
					t.Errorf("%+v", o)
				}
			}
		})
	}
}

// TestCompare: a difference counts as a share of the largest value, at most all of it; NaN beside a number does not pass.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		got, want []float32
		off       float64
	}{{[]float32{1, 4}, []float32{1, 4}, 0}, {[]float32{1, 3}, []float32{1, 4}, 0.25}, {[]float32{1}, []float32{0}, 1},
		{[]float32{float32(math.NaN())}, []float32{1}, 1}, {[]float32{9}, []float32{1}, 1}} {
		b := &bench{sum: sha256.New()}
		if b.compare(c.got, c.want); b.off != c.off {
			t.Errorf("%v beside %v: off by %g, want %g", c.got, c.want, b.off, c.off)
		}
	}
}

// adder is a device of a group that adds in memory; one that is broken adds 1 too much.
type adder struct {
	tensor.Collective
	ranks  int
	broken bool
	mu     sync.Mutex
	all    sync.WaitGroup
	sum    []float32
}

type place struct{ of *adder }

func (a *adder) NewGroup() ([]byte, error) {
	a.all.Add(a.ranks)
	return nil, nil
}
func (a *adder) Join([]byte, int, int) (tensor.Group, error) { return place{a}, nil }
func (a *adder) Make(_ *tensor.Call, n int) []float32        { return make([]float32, n) }
func (a *adder) Upload(_ *tensor.Call, dst, src []float32)   { copy(dst, src) }
func (a *adder) Receive(_ *tensor.Call, dst []float32) error { copy(dst, a.sum); return nil }
func (a *adder) Settle(*tensor.Call) error                   { return nil }
func (a *adder) Release(*tensor.Call) error                  { return nil }
func (place) Close() error                                   { return nil }
func (place) Abort() error                                   { return nil }
func (p place) SumSend(_ *tensor.Call, src []float32) {
	a := p.of
	a.mu.Lock()
	if a.sum == nil {
		a.sum = make([]float32, len(src))
	}
	for i, v := range src {
		a.sum[i] += v
	}
	if a.broken {
		a.sum[7]++
	}
	a.mu.Unlock()
	a.all.Done()
	a.all.Wait()
}

// TestSum: ranks that sum right pass, ranks of which one value is wrong do not.
func TestSum(t *testing.T) {
	for _, broken := range []bool{false, true} {
		a := &adder{ranks: 3, broken: broken}
		if o, err := Sum([]tensor.Collective{a, a, a}); err != nil || o.OK() == broken || o.Values != 3<<20 {
			t.Errorf("broken %t: %+v, %v", broken, o, err)
		}
	}
}
