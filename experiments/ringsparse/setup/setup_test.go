package setup

import (
	"fmt"
	"math"
	"testing"

	"gradsync/experiments/exp"
	"gradsync/internal/oktest"
	"gradsync/shared/cluster"
	_ "gradsync/shared/tensor/engine/portable"
)

var _ cluster.Task = (*drawn)(nil)

// Networks are as they are stated: sizes by hand, densities of a real gradient with rows of zeros.
func TestNetworks(t *testing.T) {
	oktest.Slow(t)
	works := oktest.Must(Networks(exp.Env{Seeds: []uint64{0}}))(t)
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
	l := oktest.Must(embedding.Run(t.Context(), Case{Way: WayOf("gradients"), Gbps: 1, Nodes: 2}))(t)
	const want = 3_200_000*(2./8+4*(0.01+0.0199)) + 2*4*(33_280+5_130)
	if got := float64(l.Totals.Sent.Bytes); math.Abs(got/want-1) > 1e-4 {
		t.Errorf("embedding: %g bytes, want %g", got, want)
	}
}

// The stacks: a layer of width 1732 has 1732·1733 parameters, 100 of them 300 million.
func TestStacks(t *testing.T) {
	if w := Stack(100, 0.1); w.NumParams() != 100*1732*1733 || w.MeanDensity() < 0.0999 || w.MeanDensity() > 0.1001 {
		t.Errorf("%d parameters, density %g", w.NumParams(), w.MeanDensity())
	}
}

// By hand: two layers, the largest quarter and half of each, signs ignored, of equals the first, dropped ones +0.
func TestPrune(t *testing.T) {
	layers := []cluster.Layer{{Offset: 0, Length: 4}, {Offset: 4, Length: 3}}
	for _, c := range []struct {
		keep         float64
		mask, params string
	}{
		{0.25, "[false true false false true false false]", "[0 -3 0 0 5 0 0]"},
		{0.5, "[true true false false true true false]", "[2 -3 0 0 5 -5 0]"}, // ⌈1.5⌉ = 2 of the second
		{1, "[true true true true true true true]", "[2 -3 -1 2 5 -5 1]"},
	} {
		params := []float32{2, -3, -1, 2, 5, -5, 1}
		mask := Prune(params, layers, c.keep)
		if fmt.Sprint(mask) != c.mask || fmt.Sprint(params) != c.params {
			t.Errorf("keep %g: %v %v, want %s %s", c.keep, mask, params, c.mask, c.params)
		}
		for i, keep := range mask {
			if !keep && math.Float32bits(params[i]) != 0 {
				t.Errorf("entry %d is %g, want +0", i, params[i])
			}
		}
	}
}

func smallEmbedding() Embedding {
	return Embedding{Vocabulary: 12, Width: 4, Hidden: 6, Classes: 3, Tokens: 4, Zipf: 1.1}
}

// The gradient is the loss's, by central differences, in every layer.
func TestEmbeddingGradient(t *testing.T) {
	e := smallEmbedding()
	x := e.Texts(3).Task(0, 2, e.Start(3))
	nothing := func(int) {}
	oktest.Must(x.Grad(5, nothing))(t)
	g := append([]float32(nil), x.Grads()...)
	loss := func(i int, at float32) float64 {
		keep := x.params[i]
		x.params[i] = at
		l, _ := x.Grad(5, nothing)
		x.params[i] = keep
		return l
	}
	const h = 1e-2
	nonzero := 0
	for i := range g {
		w := x.params[i]
		if want := (loss(i, w+h) - loss(i, w-h)) / (2 * h); math.Abs(want-float64(g[i])) > 2e-3 {
			t.Errorf("entry %d: %g, by differences %g", i, g[i], want)
		}
		if g[i] != 0 {
			nonzero++
		}
	}
	if nonzero < 20 {
		t.Errorf("only %d entries of the gradient are not zero", nonzero)
	}
}

// Rows of tokens that no text holds are exactly +0, the others are not, whatever the batch before left in the buffer.
func TestEmbeddingGradientIsRowSparse(t *testing.T) {
	e := smallEmbedding()
	e.Vocabulary = 300
	x := e.Texts(1).Task(0, 2, e.Start(1))
	for step := range int64(3) {
		oktest.Must(x.Grad(step, func(int) {}))(t)
		rows := 0
		for token := range e.Vocabulary {
			z := 0
			for _, v := range x.grads[token*e.Width : (token+1)*e.Width] {
				if math.Float32bits(v) == 0 {
					z++
				}
			}
			if z < e.Width {
				rows++
			}
		}
		if most := x.batch * e.Tokens; rows < 1 || rows > most {
			t.Errorf("step %d: %d rows are not zero, want 1 to %d", step, rows, most)
		}
	}
}

// Ranks and steps see different texts, and the same ones again when asked again.
func TestEmbeddingTextsAreTheRanksOwn(t *testing.T) {
	e := smallEmbedding()
	loss := func(rank int, step int64) float64 {
		l, _ := e.Texts(2).Task(rank, 3, e.Start(2)).Grad(step, func(int) {})
		return l
	}
	if loss(0, 0) != loss(0, 0) {
		t.Error("the same batch has two losses")
	}
	if loss(0, 0) == loss(1, 0) || loss(0, 0) == loss(0, 1) {
		t.Error("two ranks or two steps have the same texts")
	}
}
