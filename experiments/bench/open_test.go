package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

// OpenBLAS is called with the right arguments: its product is the sum of
// products, at sizes that no two arguments share.
func TestOpenBLASMultiplies(t *testing.T) {
	const m, n, k = 5, 7, 3
	sgemm, facts, err := openBLAS(1)
	if err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	a, b, out := normal(r, m*k), normal(r, k*n), make([]float32, m*n)
	sgemm(m, n, k, a, b, out)
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			if got := float64(out[i*n+j]); math.Abs(got-want) > 1e-5 {
				t.Errorf("out[%d][%d] = %v, want %v", i, j, got, want)
			}
		}
	}
	if len(facts) != 1 {
		t.Errorf("facts %q", facts)
	}
}

// Every kernel in the list opens and does something to its buffers' worth of
// bytes; an unknown one does not.
func TestKernels(t *testing.T) {
	if len(Kernels()) != len(kernels) {
		t.Errorf("%d kernels listed, %d known", len(Kernels()), len(kernels))
	}
	for _, name := range Kernels() {
		task, err := Open(Job{Kind: KindVec, Contender: name, Threads: 1, Bytes: 64 << 10})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := task.Run(2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if task.Bytes < 64<<10 || task.Bytes > 256<<10 {
			t.Errorf("%s moves %g bytes of 65536", name, task.Bytes)
		}
	}
	if _, err := Open(Job{Kind: KindVec, Contender: "shuffle", Threads: 1, Bytes: 64}); err == nil {
		t.Error("a kernel that does not exist opened")
	}
	if _, err := Open(Job{Kind: "sleep"}); err == nil {
		t.Error("a kind that does not exist opened")
	}
}

// The work of a step by hand: mlp has 784·512 + 512·512 + 512·10 multiply-adds
// forward, as many for weights, and for inputs all but the first.
func TestWorkByHand(t *testing.T) {
	got, err := Job{Kind: KindStep, Model: "mlp", Batch: 2, Concurrent: 3}.FLOP()
	if want := 6 * 2.0 * (3*(784*512+512*512+512*10) - 784*512); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := (Job{Kind: KindStep, Model: "alexnet", Batch: 1, Concurrent: 1}).FLOP(); err == nil {
		t.Error("the work of a network that does not exist")
	}
}
