package bench

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/shared/cluster/mpi"
	_ "gradsync/shared/tensor/engine/asm"
	_ "gradsync/shared/tensor/engine/portable"
)

func TestMain(m *testing.M) {
	if rank() > 0 { // rank 0 prints
		os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	mpi.Exit(m.Run())
}

// work says what a step does, as far as it is counted.
type work struct{ bytes, flop float64 }

// contender opens a case for one contender and calls measure with one step of it, which allocates nothing of its own.
type contender func(tb testing.TB, k keys, by string, measure func(w work, step func() error) error) error

func BenchmarkStep(b *testing.B)     { benchmark(b, "Step", step) }
func BenchmarkGPU(b *testing.B)      { benchmark(b, "GPU", step) }
func BenchmarkProduct(b *testing.B)  { benchmark(b, "Product", gemm) }
func BenchmarkCodec(b *testing.B)    { benchmark(b, "Codec", kernel) }
func BenchmarkCoded(b *testing.B)    { benchmark(b, "Coded", packet) }
func BenchmarkPush(b *testing.B)     { benchmark(b, "Push", push) }
func BenchmarkRing(b *testing.B)     { benchmark(b, "Ring", ring) }
func BenchmarkMPI(b *testing.B)      { benchmark(b, "MPI", ring) }
func BenchmarkMessages(b *testing.B) { benchmark(b, "Messages", messages) }

// foreign are contenders that this program does not hold.
var foreign = regexp.MustCompile("^(pytorch|openblas|openmpi|mpich)")

// benchmark runs the contenders of this program, of every case.
func benchmark(b *testing.B, name string, open contender) {
	q := Find(name)
	for _, c := range q.Cases {
		for _, by := range q.contenders(c) {
			if foreign.MatchString(by) {
				continue
			}
			b.Run(c+"/by="+by, func(b *testing.B) {
				measure := func(w work, step func() error) error { return measured(b, w, step) }
				oktest.Nil(b, open(b, keysOf(c), by, measure))
			})
		}
	}
}

// measured runs a step that does not count, and then as many as -benchtime takes.
func measured(b *testing.B, w work, step func() error) error {
	if err := step(); err != nil {
		return err
	}
	b.SetBytes(int64(w.bytes))
	b.ReportAllocs()
	for b.Loop() {
		if err := step(); err != nil {
			return err
		}
	}
	if w.flop > 0 {
		b.ReportMetric(w.flop*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	}
	if peak := peakBytes(); peak > 0 {
		b.ReportMetric(peak, "peak-B")
	}
	return nil
}

// peakBytes returns this process's largest resident set, 0 where the system does not say. Linux's rusage would inherit
// the parent's across fork.
func peakBytes() (kib float64) {
	status, _ := os.ReadFile("/proc/self/status")
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(line, &kib)
	return 1024 * kib
}
