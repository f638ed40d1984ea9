package bench

import (
	"math"
	"math/rand/v2"
	"strings"
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

// What a job's buffers take, by hand, and who counts: all engines and kernels
// at once, no library that may not be there.
func TestMemory(t *testing.T) {
	mlp := Job{Kind: KindStep, Model: "mlp", Threads: 1, Batch: 2, Concurrent: 3}
	deep := Job{Kind: KindStep, Model: "vgg19_bn", Width: 0.125, Image: 16, Batch: 1, Concurrent: 1}
	for _, test := range []struct {
		job  Job
		want float64
	}{
		{Job{Kind: KindGemm, M: 2, N: 3, K: 5}, 4 * (10 + 15 + 6)},
		{Job{Kind: KindVec, Bytes: 64}, 256},
		{mlp, 3 * 4 * (2*669706 + 2*(784+512+512+10))},
	} {
		if got, err := test.job.Memory(); err != nil || got != test.want {
			t.Errorf("%+v: %v, %v; want %v", test.job, got, err, test.want)
		}
	}
	if _, err := deep.Memory(); err == nil || !strings.Contains(err.Error(), "--batch 1") {
		t.Errorf("one image of 1×1 in a batch norm: %v", err)
	}
	deep.Image = 32
	if _, err := deep.Memory(); err != nil {
		t.Errorf("one image of 2×2 in the last batch norm: %v", err)
	}
	product := Job{Kind: KindGemm, M: 1, N: 1, K: 1} // 12 bytes
	for _, test := range []struct {
		contenders []string
		machine    float64
		refused    bool
	}{
		{[]string{"a", "b", OpenBLAS}, 24, false}, {[]string{"a", "b", Gonum}, 35, true}, {[]string{"a", PyTorch}, 12, false},
		{[]string{OpenBLAS}, 11, true}, {[]string{"a", "b"}, 0, false},
	} {
		if err := product.CheckMemory(test.contenders, test.machine); (err != nil) != test.refused {
			t.Errorf("%v in %v bytes: %v", test.contenders, test.machine, err)
		}
	}
	huge := Job{Kind: KindStep, Model: "resnet18", Image: 1 << 40, Batch: 16, Concurrent: 1}
	if err := huge.CheckMemory([]string{"a"}, 1e12); err == nil {
		t.Error("images of 2⁸⁰ pixels fit")
	}
}

// A worker uses as many cores as it has threads and no more than there are; a
// job with more threads is warned of.
func TestCrowded(t *testing.T) {
	for _, test := range []struct {
		threads, concurrent, cores, processors int
		warning                                string
	}{
		{1, 0, 2, 1, ""}, {2, 1, 2, 2, ""}, {1, 2, 2, 2, ""}, {1, 2, 8, 2, ""},
		{3, 0, 2, 2, "3 threads on 2 cores: "}, {1, 2, 1, 1, "2 concurrent steps of 1 thread each on 1 core: "},
		{1 << 40, 1 << 40, 4, 4, " on 4 cores: "},
	} {
		j := Job{Threads: test.threads, Concurrent: test.concurrent}
		if got := j.processors(test.cores); got != test.processors {
			t.Errorf("%+v: %d of %d cores, want %d", j, got, test.cores, test.processors)
		}
		if got := j.Crowded(test.cores); (got == "") != (test.warning == "") || !strings.Contains(got, test.warning) {
			t.Errorf("%+v on %d cores: %q", j, test.cores, got)
		}
	}
}
