package ringsparse

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gradsync/shared/cluster"
)

// embeddingTask is one rank's training on texts that nobody else sees.
type embeddingTask struct {
	*texts
	rank, batch   int
	parts         []cluster.Layer
	params, grads []float32
	mean, hidden  []float32
	dmean, dh     []float32
	logits        []float64
}

func (t *texts) task(rank, batch int, start []float32) *embeddingTask {
	e := t.net
	return &embeddingTask{texts: t, rank: rank, batch: batch, parts: e.layers(batch),
		params: append([]float32(nil), start...), grads: make([]float32, len(start)),
		mean: make([]float32, e.Width), hidden: make([]float32, e.Hidden),
		dmean: make([]float32, e.Width), dh: make([]float32, e.Hidden), logits: make([]float64, e.Classes)}
}

func (x *embeddingTask) Layers() []cluster.Layer { return x.parts }
func (x *embeddingTask) Params() []float32       { return x.params }
func (x *embeddingTask) Grads() []float32        { return x.grads }

// Grad is the gradient of the mean cross-entropy of batch texts. Rows of tokens that
// are in none of them stay +0.
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

// add is dst += a·x, every product rounded before it is added.
func add(dst, x []float32, a float32) {
	for i, v := range x {
		dst[i] += float32(a * v)
	}
}

// dot is Σ w_i·x_i over x.
func dot(w, x []float32) (sum float32) {
	for i, v := range x {
		sum += float32(w[i] * v)
	}
	return sum
}
