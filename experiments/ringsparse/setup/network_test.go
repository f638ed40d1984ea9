package setup

import (
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/portable"
)

var _ cluster.Task = (*drawn)(nil)

// Networks are as they are stated: sizes by hand, densities of a real
// gradient with rows of zeros.
func TestNetworks(t *testing.T) {
	works, err := Networks(exp.Env{Seeds: []uint64{0}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{669_706, 50_000*64 + 65*512 + 513*10, 11_173_962} {
		if got := works[i].NumParams(); got != want {
			t.Errorf("%s has %d parameters, want %d", works[i].Key, got, want)
		}
	}
	mlp, embedding, control := works[0], works[1], works[2]
	if mlp.Density[0] > 0.9 || mlp.Density[0] < 0.3 || mlp.images == nil {
		t.Errorf("the MLP's first layer has density %g", mlp.Density[0])
	}
	// 32,000 entries of the embedding and both dense layers.
	if d := embedding.MeanDensity(); math.Abs(d-(32_000.+33_280+5_130)/3_238_410) > 1e-12 {
		t.Errorf("embedding: density %g", d)
	}
	if d := control.MeanDensity(); d != 1 {
		t.Errorf("ResNet-18: density %g", d)
	}
	// Two workers send the embedding as bitmaps of 1 and 1.99 %, the rest twice as it is.
	l, err := embedding.Run(t.Context(), Case{Way: WayOf("gradients"), Gbps: 1, Nodes: 2})
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
	w := Stack(100, 0.1)
	if w.NumParams() != 100*1732*1733 || w.MeanDensity() < 0.0999 || w.MeanDensity() > 0.1001 {
		t.Errorf("%d parameters, density %g", w.NumParams(), w.MeanDensity())
	}
}
