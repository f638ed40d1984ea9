package setup

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gradsync/shared/cluster"
)

// Embedding is an embedding MLP: the mean of a text's token vectors, one hidden layer, ten
// classes. Texts are synthetic: half of a text's tokens are drawn by Zipf's law from the class's
// own ranking of the vocabulary, half from a common one.
type Embedding struct {
	Vocabulary int     `json:"vocabulary"`
	Width      int     `json:"width"`
	Hidden     int     `json:"hidden"`
	Classes    int     `json:"classes"`
	Tokens     int     `json:"tokens"` // per text
	Zipf       float64 `json:"zipf"`   // exponent
}

func DefaultEmbedding() Embedding {
	return Embedding{Vocabulary: 5000, Width: 32, Hidden: 64, Classes: 10, Tokens: 20, Zipf: 1.1}
}

// Layers lists the layers: embedding (one row per token), hidden and output, weights then bias.
// The two linear layers are stored row by output.
func (e Embedding) Layers(batch int) []cluster.Layer {
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

// Start draws the first parameters: normal, of variance 1 for the embedding and 2/inputs for the
// others; biases are 0.
func (e Embedding) Start(seed uint64) []float32 {
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

// Texts is the source of every rank's texts.
type Texts struct {
	net  Embedding
	seed uint64
	own  [][]int // class's ranking: token of each rank
}

func (e Embedding) Texts(seed uint64) *Texts {
	t := &Texts{net: e, seed: seed}
	for c := range e.Classes + 1 { // the last is the common one
		t.own = append(t.own, cluster.Stream(seed, c, "data", "ranking").Perm(e.Vocabulary))
	}
	return t
}

// draw returns one text and its class.
func (t *Texts) draw(r *rand.Rand, z *rand.Zipf) (tokens []int, class int) {
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

// embeddingTask is one rank's training on texts that nobody else sees.
type embeddingTask struct {
	*Texts
	vectors
	rank, batch  int
	mean, hidden []float32
	dmean, dh    []float32
	logits       []float64
}

func (t *Texts) Task(rank, batch int, start []float32) *embeddingTask {
	e := t.net
	return &embeddingTask{Texts: t, vectors: newVectors(e.Layers(batch), start), rank: rank, batch: batch,
		mean: make([]float32, e.Width), hidden: make([]float32, e.Hidden),
		dmean: make([]float32, e.Width), dh: make([]float32, e.Hidden), logits: make([]float64, e.Classes)}
}

// Grad computes the gradient of the mean cross-entropy of batch texts. Rows of tokens that are in
// none of them stay +0.
func (x *embeddingTask) Grad(step int64, done func(int)) (loss float64, err error) {
	r := cluster.Stream(x.seed, x.rank, "data", "texts "+strconv.FormatInt(step, 10))
	z := rand.NewZipf(r, x.net.Zipf, 1, uint64(x.net.Vocabulary-1))
	clear(x.grads)
	for range x.batch {
		tokens, class := x.draw(r, z)
		loss += x.text(tokens, class) / float64(x.batch)
	}
	for l := len(x.parts) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// text adds one text's part of the gradient and returns its loss.
func (x *embeddingTask) text(tokens []int, class int) float64 {
	e, w, g := x.net, x.params, x.grads
	h, o := x.parts[1].Offset, x.parts[2].Offset
	clear(x.mean)
	for _, t := range tokens {
		add(x.mean, w[t*e.Width:(t+1)*e.Width], 1/float32(len(tokens)))
	}
	for i := range x.hidden {
		x.hidden[i] = max(dot(w[h+i*e.Width:], x.mean)+w[h+e.Hidden*e.Width+i], 0)
	}
	for c := range x.logits {
		x.logits[c] = float64(dot(w[o+c*e.Hidden:], x.hidden) + w[o+e.Classes*e.Hidden+c])
	}
	loss := softmax(x.logits, class)
	clear(x.dh)
	for c, d := range x.logits { // p − [c = class]
		d := float32(d) / float32(x.batch)
		add(x.dh, w[o+c*e.Hidden:o+(c+1)*e.Hidden], d)
		add(g[o+c*e.Hidden:o+(c+1)*e.Hidden], x.hidden, d)
		g[o+e.Classes*e.Hidden+c] += d
	}
	clear(x.dmean)
	for i, d := range x.dh {
		if x.hidden[i] <= 0 {
			continue
		}
		add(x.dmean, w[h+i*e.Width:h+(i+1)*e.Width], d)
		add(g[h+i*e.Width:h+(i+1)*e.Width], x.mean, d)
		g[h+e.Hidden*e.Width+i] += d
	}
	for _, t := range tokens {
		add(g[t*e.Width:(t+1)*e.Width], x.dmean, 1/float32(len(tokens)))
	}
	return loss
}

// softmax makes of logits p − [c = class] and returns −log p[class].
func softmax(z []float64, class int) float64 {
	top, sum := z[0], 0.0
	for _, v := range z {
		top = max(top, v)
	}
	loss := top - z[class]
	for c, v := range z {
		z[c] = math.Exp(v - top)
		sum += z[c]
	}
	for c := range z {
		z[c] /= sum
	}
	z[class]--
	return loss + math.Log(sum)
}

// add computes dst += a·x, every product rounded before it is added.
func add(dst, x []float32, a float32) {
	for i, v := range x {
		dst[i] += float32(a * v)
	}
}

// dot returns Σ w_i·x_i over x.
func dot(w, x []float32) (sum float32) {
	for i, v := range x {
		sum += float32(w[i] * v)
	}
	return sum
}
