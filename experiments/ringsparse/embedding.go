package ringsparse

import (
	"math"
	"math/rand/v2"

	"gradsync/shared/cluster"
)

// embeddingNet is an embedding MLP: the mean of a text's token vectors, one hidden
// layer, ten classes. Texts are synthetic: half of a text's tokens are drawn by
// Zipf's law from the class's own ranking of the vocabulary, half from a common one.
type embeddingNet struct {
	Vocabulary int     `json:"vocabulary"`
	Width      int     `json:"width"`
	Hidden     int     `json:"hidden"`
	Classes    int     `json:"classes"`
	Tokens     int     `json:"tokens"` // per text
	Zipf       float64 `json:"zipf"`   // exponent
}

func defaultEmbedding() embeddingNet {
	return embeddingNet{Vocabulary: 5000, Width: 32, Hidden: 64, Classes: 10, Tokens: 20, Zipf: 1.1}
}

// layers are embedding (one row per token), hidden and output, weights then bias. The
// two linear layers are stored row by output.
func (e embeddingNet) layers(batch int) []cluster.Layer {
	lengths := []int{e.Vocabulary * e.Width, e.Hidden * (e.Width + 1), e.Classes * (e.Hidden + 1)}
	flop := []int{e.Tokens * e.Width, 2 * e.Hidden * e.Width, 2 * e.Classes * e.Hidden}
	var out []cluster.Layer
	at := 0
	for i, name := range []string{"embedding", "hidden", "output"} {
		work := cluster.Work{FLOP: float64(batch * flop[i])}
		out = append(out, cluster.Layer{Name: name, Offset: at, Length: lengths[i], Forward: work, Backward: cluster.Work{FLOP: 2 * work.FLOP}})
		at += lengths[i]
	}
	return out
}

// start draws the first parameters: normal, of variance 1 for the embedding and
// 2/inputs for the others; biases are 0.
func (e embeddingNet) start(seed uint64) []float32 {
	r := cluster.Stream(seed, -1, "data", "embedding init")
	var w []float32
	normal := func(n int, scale float64) {
		for range n {
			w = append(w, float32(r.NormFloat64()*scale))
		}
	}
	normal(e.Vocabulary*e.Width, 1)
	normal(e.Hidden*e.Width, math.Sqrt(2/float64(e.Width)))
	w = append(w, make([]float32, e.Hidden)...)
	normal(e.Classes*e.Hidden, math.Sqrt(2/float64(e.Hidden)))
	return append(w, make([]float32, e.Classes)...)
}

// texts is the source of every rank's texts.
type texts struct {
	net  embeddingNet
	seed uint64
	own  [][]int // class's ranking: token of each rank
}

func (e embeddingNet) texts(seed uint64) *texts {
	t := &texts{net: e, seed: seed}
	for c := range e.Classes + 1 { // the last is the common one
		t.own = append(t.own, cluster.Stream(seed, c, "data", "ranking").Perm(e.Vocabulary))
	}
	return t
}

// draw returns one text and its class.
func (t *texts) draw(r *rand.Rand, z *rand.Zipf) (tokens []int, class int) {
	class = r.IntN(t.net.Classes)
	for i := range t.net.Tokens {
		from := class
		if i%2 == 1 {
			from = t.net.Classes
		}
		tokens = append(tokens, t.own[from][z.Uint64()])
	}
	return tokens, class
}
