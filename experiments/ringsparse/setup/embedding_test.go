package setup

import (
	"math"
	"testing"
)

func smallEmbedding() Embedding {
	return Embedding{Vocabulary: 12, Width: 4, Hidden: 6, Classes: 3, Tokens: 4, Zipf: 1.1}
}

// The gradient is the loss's, by central differences, in every layer.
func TestEmbeddingGradient(t *testing.T) {
	e := smallEmbedding()
	x := e.Texts(3).Task(0, 2, e.Start(3))
	nothing := func(int) {}
	if _, err := x.Grad(5, nothing); err != nil {
		t.Fatal(err)
	}
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
		want := (loss(i, w+h) - loss(i, w-h)) / (2 * h)
		if math.Abs(want-float64(g[i])) > 2e-3 {
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

// Rows of tokens that no text holds are exactly +0, the others are not, whatever the
// batch before left in the buffer.
func TestEmbeddingGradientIsRowSparse(t *testing.T) {
	e := smallEmbedding()
	e.Vocabulary = 300
	x := e.Texts(1).Task(0, 2, e.Start(1))
	for step := range int64(3) {
		if _, err := x.Grad(step, func(int) {}); err != nil {
			t.Fatal(err)
		}
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
