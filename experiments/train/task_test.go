package train

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/datasets"
)

func TestShardsAreDisjointAndCover(t *testing.T) {
	const images, workers = 1003, 7 // not divisible
	count := make([]int, images)
	for w := range workers {
		own := shard(images, 5, w, workers)
		if n := len(own); n != images/workers && n != images/workers+1 {
			t.Errorf("worker %d has %d images of %d, want a seventh", w, n, images)
		}
		for _, i := range own {
			count[i]++
		}
		if slices.IsSorted(own) {
			t.Errorf("worker %d's images stand in the set's order: %v…", w, own[:5])
		}
	}
	for i, n := range count {
		if n != 1 {
			t.Errorf("image %d belongs to %d workers, want 1", i, n)
		}
	}
	if cmp.Equal(shard(images, 5, 0, workers), shard(images, 6, 0, workers)) {
		t.Error("another seed gives the same share")
	}
}

func tinyTask(seed uint64, worker int) *task {
	set := datasets.Synthetic(datasets.SyntheticConfig{})
	return newTask(&shared{set: set, batch: 8}, seed, worker, 3, make([]float32, 4))
}

// Mini-batch number k depends on the seed, the worker and k alone: asking in
// another order, as a method that stops and resumes would, gives the same.
func TestBatchesDependOnTheNumberAlone(t *testing.T) {
	a, b := tinyTask(1, 0), tinyTask(1, 0)
	perEpoch := int64(len(a.own) / a.batch)
	var forward [][]int
	for k := range 3 * perEpoch {
		forward = append(forward, slices.Clone(a.indices(k)))
	}
	for k := 3*perEpoch - 1; k >= 0; k-- {
		if diff := cmp.Diff(forward[k], b.indices(k)); diff != "" {
			t.Fatalf("batch %d asked for in another order differs:\n%s", k, diff)
		}
	}
	first := slices.Concat(forward[:perEpoch]...)
	second := slices.Concat(forward[perEpoch : 2*perEpoch]...)
	if cmp.Equal(first, second) {
		t.Error("the second epoch has the first one's order")
	}
	for name, epoch := range map[string][]int{"first": first, "second": second} {
		seen := map[int]bool{}
		for _, i := range epoch {
			if seen[i] || !slices.Contains(a.own, i) {
				t.Fatalf("%s epoch: image %d comes twice or belongs to another worker", name, i)
			}
			seen[i] = true
		}
	}
	if cmp.Equal(first, slices.Concat(tinyTaskEpoch(2, 0)...)) || cmp.Equal(first, slices.Concat(tinyTaskEpoch(1, 1)...)) {
		t.Error("another seed or worker gives the same batches")
	}
}

func tinyTaskEpoch(seed uint64, worker int) (out [][]int) {
	task := tinyTask(seed, worker)
	for k := range int64(len(task.own) / task.batch) {
		out = append(out, slices.Clone(task.indices(k)))
	}
	return out
}

func TestJudge(t *testing.T) {
	best, nll := classify([]float32{1, 3, 3, 2}, 3)
	// −log(e² / (e¹ + 2e³ + e²)), by Python's math module.
	if best != 1 || math.Abs(nll-1.9175757955891974) > 1e-12 {
		t.Errorf("judge = %d, %.16g; want the first of the largest, 1, and ln(e¹+2e³+e²) − 2", best, nll)
	}
}
