package ringsparse

import (
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
)

var _ cluster.Task = (*drawn)(nil)

// Workloads are what they are stated to be: sizes by hand, densities of a real
// gradient with rows of zeros.
func TestWorkloads(t *testing.T) {
	works, err := workloads(exp.Env{Seeds: []uint64{0}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{669_706, 50_000*64 + 65*512 + 513*10, 11_173_962} {
		if got := works[i].params(); got != want {
			t.Errorf("%s has %d parameters, want %d", works[i].Key, got, want)
		}
	}
	mlp, embedding, control := works[0], works[1], works[2]
	if mlp.Density[0] > 0.9 || mlp.Density[0] < 0.3 || mlp.images == nil {
		t.Errorf("the MLP's first layer has density %g", mlp.Density[0])
	}
	// 32,000 entries of the embedding and both dense layers.
	if d := embedding.density(); math.Abs(d-(32_000.+33_280+5_130)/3_238_410) > 1e-12 {
		t.Errorf("embedding: density %g", d)
	}
	if d := control.density(); d != 1 {
		t.Errorf("ResNet-18: density %g", d)
	}
	// Two workers send the embedding as bitmaps of 1 and 1.99 %, the rest twice as it is.
	l, err := embedding.run(t.Context(), leg{way: wayOf("gradients"), gbps: 1, nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	const want = 3_200_000*(2./8+4*(0.01+0.0199)) + 2*4*(33_280+5_130)
	if got := float64(l.Totals.Sent.Bytes); math.Abs(got/want-1) > 1e-4 {
		t.Errorf("embedding: %g bytes, want %g", got, want)
	}
}

// The stacks: a layer of width 1732 has 1732·1733 parameters, 100 of them 300 million.
func TestStacks(t *testing.T) {
	w := newStack(100, 0.1)
	if w.params() != 100*1732*1733 || w.density() < 0.0999 || w.density() > 0.1001 {
		t.Errorf("%d parameters, density %g", w.params(), w.density())
	}
}
