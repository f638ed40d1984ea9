package playground

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"gradsync/internal/oktest"
)

const asset = "../assets/playground.wasm.gz"

// committed unpacks the module that the page holds; toolchain wrote it.
func committed(t *testing.T) (packed, module []byte, toolchain string) {
	t.Helper()
	packed = oktest.Must(os.ReadFile(asset))(t)
	z := oktest.Must(gzip.NewReader(bytes.NewReader(packed)))(t)
	module = oktest.Must(io.ReadAll(z))(t)
	return packed, module, z.Comment
}

// The committed module is made of the present source.
func TestModuleIsOfThisSource(t *testing.T) {
	packed, _, toolchain := committed(t)
	if toolchain != runtime.Version() {
		t.Skipf("the committed module was built by %s, this is %s: bytes are not compared", toolchain, runtime.Version())
	}
	out := filepath.Join(t.TempDir(), "again.gz")
	if log, err := exec.Command("go", "run", "./pack", "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	again, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, packed) {
		t.Errorf("%s (%d bytes) is not what this source gives (%d bytes): run go generate ./reports/playground", asset, len(packed), len(again))
	}
}

// instance runs the committed module without a browser.
func instance(t *testing.T) api.Module {
	t.Helper()
	_, module, _ := committed(t)
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	return oktest.Must(r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions("_initialize")))(t)
}

// arguments returns a setting as the exports take it.
func arguments(s Setting) []uint64 {
	out := []uint64{api.EncodeI32(int32(s.Workers)), api.EncodeI32(int32(s.PerMachine)), api.EncodeI32(int32(s.Redundancy))}
	for _, x := range []float64{s.Parameters, s.Bandwidth, s.Inner, s.Latency, s.Compute, s.Slowest, s.Density, s.Codec} {
		out = append(out, api.EncodeF64(x))
	}
	return out
}

// multiply returns a product and a sum that a compiler may join and round once.
//
//go:noinline
func multiply(x, y, z float64) float64 { return x*y + z }

// The page's numbers are this program's: every export over a grid of settings, bit by bit. Where the processor rounds a
// product and a sum once, package math itself may differ in its last bits.
func TestModuleGivesTheSameBits(t *testing.T) {
	oktest.Slow(t)
	m := instance(t)
	const x = 1 + 1./(1<<27)
	fused := multiply(x, x, -(1+1./(1<<26))) != 0
	if fused {
		t.Log("this processor fuses: numbers are compared to 1e-12, not bit by bit")
	}
	same := func(what string, at int, s Setting, call []uint64, native float64) {
		got, err := m.ExportedFunction(what).Call(context.Background(), call...)
		if err != nil {
			t.Fatalf("%s(%d): %v", what, at, err)
		}
		page := api.DecodeF64(got[0])
		if math.IsNaN(page) && math.IsNaN(native) || fused && math.Abs(page-native) <= 1e-12*math.Abs(native) {
			return
		}
		if math.Float64bits(page) != math.Float64bits(native) {
			t.Errorf("%s(%d) of %+v: %v in the page, %v here", what, at, s, page, native)
		}
	}
	numbers := 0
	for _, s := range grid() {
		a := arguments(s)
		for i := -1; i <= len(Methods()); i++ {
			for q := Quantity(-1); q <= quantities; q++ {
				call := append([]uint64{api.EncodeI32(int32(i)), api.EncodeI32(int32(q))}, a...)
				native := Of(i, q, s)
				same("of", i, s, call, native)
				if !math.IsNaN(native) {
					numbers++
				}
			}
		}
		for f := Fact(-1); f <= facts; f++ {
			same("about", int(f), s, append([]uint64{api.EncodeI32(int32(f))}, a...), About(f, s))
		}
	}
	if numbers < 10000 {
		t.Errorf("%d numbers compared, want thousands", numbers)
	}
}

// grid returns settings over all ranges, and one out of every range.
func grid() (out []Setting) {
	i := 0
	pick := func(xs ...float64) float64 { i++; return xs[i*7%11%len(xs)] }
	for _, n := range []int{2, 3, 6, 10, 40, 64, 255} {
		for _, r := range []int{1, 2, 3, 8} {
			for _, k := range []float64{1, 61706, 3e8, 7.3e9} {
				for _, d := range []float64{0, 0.003, 0.1, 0.77, 1} {
					out = append(out, Setting{Workers: n, PerMachine: int(pick(1, 2, 8, 5)), Redundancy: r, Parameters: k, Bandwidth: pick(1.25e7, 1.25e9, 6e9, 1e8/3),
						Inner: pick(1e10, 3e11/7), Latency: pick(0, 1e-6, 5e-5, 0.02), Compute: pick(0, 0.013, 0.4, 7), Slowest: pick(1, 1.2, 3.6, 10), Density: d,
						Codec: pick(2e9, 3e8, 13.6e9)})
				}
			}
		}
	}
	good := out[len(out)-1]
	for _, spoil := range []func(*Setting){
		func(s *Setting) { s.Workers = 1 }, func(s *Setting) { s.Workers = mostWorkers + 1 }, func(s *Setting) { s.PerMachine = 0 },
		func(s *Setting) { s.Redundancy = 0 },
		func(s *Setting) { s.Parameters = 0 }, func(s *Setting) { s.Bandwidth = math.Inf(1) }, func(s *Setting) { s.Inner = math.NaN() },
		func(s *Setting) { s.Latency = -1 },
		func(s *Setting) { s.Compute = math.NaN() }, func(s *Setting) { s.Slowest = 0.5 }, func(s *Setting) { s.Density = 1.5 }, func(s *Setting) { s.Codec = -1 },
	} {
		bad := good
		spoil(&bad)
		out = append(out, bad)
	}
	return out
}
