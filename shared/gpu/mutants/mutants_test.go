package mutants

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"gradsync/shared/gpu/driver"
	"gradsync/shared/gpu/fake"
	"gradsync/shared/gpu/fake/faketest"
	"gradsync/shared/gpu/internal/emulated"
	"gradsync/shared/gpu/kernels"
	"gradsync/shared/gpu/kernels/clang"
)

// mutant is a patch of one source and what the emulator says of it; a wrong result is the weakest of its findings.
type mutant struct {
	name, file, old, new string
	says                 string // by the emulator
	native               bool   // found on the fake driver too
}

var mutants = []mutant{
	{"a tile is overwritten while others read it", "product.h", "    barrier();\n  }\n", "  }\n", "shared-memory race with the read of", true},
	{"a tile is read before it is whole", "product.h", "    barrier();\n    const int steps", "    const int steps", "shared-memory race with the write of", true},
	{"a row too many is written", "product.h", "if (m < M && n < N)", "if (m <= M && n < N)", "is in no allocation", true},
	{"a window reaches below the map", "product.h", "h >= 0 && h < g.H", "h >= 0 && h <= g.H", "is in no allocation", true},
	{"the last part has too many images", "product.h", "to = smaller(N, from + each)", "to = from + each + 1", "is in no allocation", true},
	{"all parts write to one place", "product.h", "dw + (long)part * OC * taps", "dw", "race in global memory with the write of", true},
	{"a block's sum is read before it is whole", "common.h", "  barrier();\n  T s = 0;", "  T s = 0;", "is read before it is written", true},
	{"a block's next sum begins too early", "common.h", "  barrier(); // part", "  // part", "shared-memory race with the read of", true},
	{"the next channel is summed", "norm.h", "(i / hw * C + c) * hw", "(i / hw * C + c + 1) * hw", "is in no allocation", true},
	{"a pool's gradient misses a window", "pool.h", "p < K ? 0", "p <= K ? 1", "wrong result", true},
	{"the first step keeps an old velocity", "element.h", "if (!first)", "if (first)", "wrong result", true},
	{"values are packed one place late", "codec.h", "values[mine + __builtin_popcount(set & ((1u << lane) - 1))] = word",
		"values[mine + __builtin_popcount(set & ((2u << lane) - 1))] = word", "wrong result", true},
	{"a prefix sum overwrites what is still to be read", "codec.h", "      barrier();\n      sums[t] += other;", "      sums[t] += other;",
		"shared-memory race", true},
	{"some threads leave before a barrier", "codec.h", "    const unsigned set = ballot(word != 0);\n",
		"    const unsigned set = ballot(word != 0);\n    if (block_x() * SEGMENT + piece >= n) return;\n    if (i / WARP * WARP >= n) " +
			"return;\n", "divergent barrier", true},
	{"more words are read than a bitmap has", "codec.h", "at < words ?", "at <= words ?", "is in no allocation", false},
}

// mutated returns the sources with the patch.
func mutated(t *testing.T, m mutant) fstest.MapFS {
	t.Helper()
	sources := fstest.MapFS{}
	must(t, fs.WalkDir(kernels.Sources(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(kernels.Sources(), name)
		if name == m.file {
			if n := strings.Count(string(text), m.old); n != 1 {
				t.Fatalf("%s: the place stands %d times in %s, want once", m.name, n, name)
			}
			text = []byte(strings.Replace(string(text), m.old, m.new, 1))
		}
		sources[name] = &fstest.MapFile{Data: text}
		return err
	}))
	return sources
}

// report says in the log what one way of running kernels says of a mistake, nothing if it does not find it.
func report(t *testing.T, by, says string) {
	t.Helper()
	says, _, _ = strings.Cut(says, "\n")
	for _, mark := range []string{"ptx: ", "fake cuda: "} { // every error of a lost device says the same before it
		if _, after, ok := strings.Cut(says, mark); ok {
			says = after
		}
	}
	t.Logf("%s: %s", by, cmp.Or(says, "not found"))
}

func watched() driver.Driver { return emulated.New(emulated.Options{Watch: true}) }

// right returns the results of the kernels that ship.
func right(t *testing.T) []byte {
	t.Helper()
	out, err := sweep(watched(), kernels.PTX())
	must(t, err)
	return out
}

// TestEmulator finds every mistake and says what it is.
func TestEmulator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	if err := clang.Ready(); err != nil {
		t.Skip(err)
	}
	want := right(t)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, f := range mutated(t, m) {
				must(t, os.WriteFile(filepath.Join(dir, name), f.Data, 0o644))
			}
			ptx, err := clang.Compile(dir)
			must(t, err)
			got, err := sweep(watched(), string(ptx))
			says := verdict(got, err, want)
			report(t, "interpreter", says)
			if !strings.Contains(says, m.says) || says == "" {
				t.Errorf("the emulator says %q, want %q", says, m.says)
			}
		})
	}
}

// openFake builds the fake driver of some sources, or skips.
func openFake(t *testing.T, sources fs.FS, o fake.Options) driver.Driver {
	t.Helper()
	return faketest.Open(t, faketest.Of(t, sources, o))
}

// TestFake finds all mistakes but those that need a watch on every address. Each runs in
// a process of its own, which a wild pointer may end.
func TestFake(t *testing.T) {
	if os.Getenv("GRADSYNC_LONG") == "" {
		t.Skip("builds a driver per mistake, a minute: make gpu-mutants runs it")
	}
	if _, err := fake.Build(kernels.Sources()); errors.Is(err, fake.ErrMissing) {
		t.Skip(err)
	}
	want := right(t)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			built, err := fake.Build(mutated(t, m))
			must(t, err)
			file := filepath.Join(t.TempDir(), "results")
			child := exec.Command(os.Args[0], "-test.run=^TestChild$")
			child.Env = append(os.Environ(), "GRADSYNC_MUTANT="+built, "GRADSYNC_MUTANT_RESULTS="+file)
			said, err := child.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, firstLine(said))
			}
			got, _ := os.ReadFile(file) // without results the child's error counts
			says := verdict(got, err, want)
			report(t, "fake driver", says)
			if found := says != ""; found != m.native {
				t.Errorf("found by the fake driver: %t (%s), want %t", found, says, m.native)
			}
			_ = os.Remove(built) // a temporary file
		})
	}
}

// firstLine returns what a child's output says of a fault: the fake driver's own words, those of an error, or a signal.
func firstLine(out []byte) string {
	for _, mark := range []string{"fake cuda: ", "gpu: ", "SIG"} {
		for _, line := range strings.Split(string(out), "\n") {
			if i := strings.Index(line, mark); i >= 0 {
				return strings.TrimSpace(line[i:])
			}
		}
	}
	return ""
}

// TestChild sweeps a built driver for TestFake.
func TestChild(t *testing.T) {
	built := os.Getenv("GRADSYNC_MUTANT")
	if built == "" {
		t.Skip("runs as a child of TestFake")
	}
	l, err := fake.New(built, t.TempDir(), fake.Options{})
	must(t, err)
	d, err := driver.Open(l.Path, 0)
	must(t, err)
	got, err := sweep(d, kernels.PTX())
	must(t, err)
	must(t, os.WriteFile(os.Getenv("GRADSYNC_MUTANT_RESULTS"), got, 0o644))
}

// TestFreedBuffer: a kernel that is given memory which has been freed.
func TestFreedBuffer(t *testing.T) {
	check := func(t *testing.T, by string, d driver.Driver) {
		set, err := kernels.Load(d)
		must(t, err)
		p, err := d.Alloc(4000)
		must(t, err)
		must(t, d.Free(p))
		q := set.On(0)
		first, says := errors.Join(q.ReLU(1000, p, p), d.Sync(0)), ""
		if first != nil {
			says = first.Error()
		}
		report(t, by, says)
		var e *driver.Error
		if !errors.As(first, &e) || !e.Lost() || e.Call != "cuLaunchKernel" || !strings.Contains(e.Error(), "--device cpu") {
			t.Fatalf("%v, want a lost device", first)
		}
		if _, err := d.Alloc(100); !errors.Is(err, e) {
			t.Errorf("then: %v, want the first error again", err)
		}
	}
	t.Run("emulator", func(t *testing.T) { check(t, "interpreter", watched()) })
	t.Run("fake", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds: make test has it")
		}
		check(t, "fake driver", openFake(t, kernels.Sources(), fake.Options{}))
	})
}

// TestMissingWait: a download that does not wait for the kernel whose result it brings is wrong each time on a lazy
// device, and right with the wait. The emulator does the work of a call before the next and cannot tell.
func TestMissingWait(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	check := func(t *testing.T, by string, d driver.Driver, without float32) {
		says := ""
		for _, wait := range []bool{true, false, true, false} {
			got, want := download(t, d, wait), map[bool]float32{true: 14, false: without}[wait]
			if got != want {
				t.Errorf("with the wait: %t: %g, want %g", wait, got, want)
			}
			if !wait && got != 14 {
				says = fmt.Sprintf("wrong result: %g, not 14", got)
			}
		}
		report(t, by, says)
	}
	t.Run("emulator", func(t *testing.T) { check(t, "interpreter", watched(), 14) })
	t.Run("fake", func(t *testing.T) {
		check(t, "fake driver", openFake(t, kernels.Sources(), fake.Options{Lazy: true}), 7)
	})
}

// download returns the sum of 7 and 7, which one stream computes and another brings, with
// a wait of the latter or without.
func download(t *testing.T, d driver.Driver, wait bool) float32 {
	t.Helper()
	try := func(err error) {
		t.Helper()
		must(t, err)
	}
	set, err := kernels.Load(d)
	try(err)
	compute, err := d.Stream()
	try(err)
	transfer, err := d.Stream()
	try(err)
	mark, err := d.Event()
	try(err)
	host, err := d.Pinned(400)
	try(err)
	x, err := d.Alloc(400)
	try(err)
	try(d.Fill(0, x, 0x40e00000, 100)) // 7
	try(d.Sync(0))
	try(set.On(compute).Add(100, x, x, x, false))
	try(d.Record(mark, compute))
	if wait {
		try(d.Wait(transfer, mark))
	}
	try(d.Download(transfer, host, x, 400))
	try(d.Sync(transfer))
	got := unsafe.Slice((*float32)(host), 100)[99]
	try(d.Sync(compute))
	return got
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
