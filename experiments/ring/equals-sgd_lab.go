package ring

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"

	"gradsync/datasets"
	"gradsync/experiments/result"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// lab trains one network, by one worker or by several, on the same batches.
type lab struct {
	net        equalsNet
	plan       equalsPlan
	model      *model.Model
	engine     tensor.Engine
	engineName string
	set        *datasets.Set
}

func (l *lab) data() *result.Data {
	return &result.Data{Name: l.set.Name, Origin: l.set.Origin, Train: l.set.Train.Len(), Test: l.set.Test.Len(), SHA256: l.set.SHA256, Note: l.set.Note}
}

// batches are the images of every step, for all workers together: consecutive
// pieces of one permutation that the seed fixes.
func (l *lab) batches(seed uint64) [][]int {
	perm := cluster.Stream(seed, -1, "data", "equals-sgd").Perm(l.set.Train.Len())
	out := make([][]int, l.net.Steps)
	for s := range out {
		for i := range l.plan.Batch {
			out[s] = append(out[s], perm[(s*l.plan.Batch+i)%len(perm)])
		}
	}
	return out
}

func (l *lab) start(seed uint64) []float32 {
	w := make([]float32, l.model.NumParams())
	l.model.Init(w, cluster.Stream(seed, -1, "data", "init"))
	return w
}

// pupil computes gradients of batches of one size.
type pupil struct {
	*lab
	space  *model.Workspace
	x      []float32
	labels []uint8
}

func (l *lab) pupil(batch int) *pupil {
	c, h, w := l.model.Input()
	return &pupil{lab: l, space: l.model.NewWorkspace(l.engine, batch, 1), x: make([]float32, batch*c*h*w), labels: make([]uint8, batch)}
}

// gradient writes the gradient of the mean loss of images at w.
func (p *pupil) gradient(w, into []float32, images []int) error {
	c, h, wide := p.model.Input()
	for i, k := range images {
		p.labels[i] = p.set.Train.Labels[k]
	}
	if err := p.set.Fill(p.x, &p.set.Train, images, c, h, wide); err != nil {
		return err
	}
	_, err := p.space.Gradient(w, into, p.x, p.labels, nil)
	return err
}

// path is the parameters after every step, the start first.
type path [][]float32

// alone trains by one worker in one pass over every batch.
func (l *lab) alone(w []float32, batches [][]int) (path, error) {
	p, g := l.pupil(l.plan.Batch), make([]float32, len(w))
	opt := dasp.Optimiser{Rate: l.net.Rate}
	out := path{append([]float32(nil), w...)}
	for _, images := range batches {
		if err := p.gradient(w, g, images); err != nil {
			return nil, err
		}
		opt.Step(w, g, 1)
		out = append(out, append([]float32(nil), w...))
	}
	return out, nil
}

// piecewise trains by one worker that takes each batch in n pieces; sum adds up
// the pieces' gradients into the first argument.
func (l *lab) piecewise(w []float32, batches [][]int, n int, sum func(into []float32, pieces [][]float32)) ([]float32, error) {
	each := l.plan.Batch / n
	p, g := l.pupil(each), make([]float32, len(w))
	opt := dasp.Optimiser{Rate: l.net.Rate}
	pieces := make([][]float32, n)
	for r := range pieces {
		pieces[r] = make([]float32, len(w))
	}
	for _, images := range batches {
		for r := range pieces {
			if err := p.gradient(w, pieces[r], images[r*each:(r+1)*each]); err != nil {
				return nil, err
			}
		}
		sum(g, pieces)
		opt.Step(w, g, 1/float64(n))
	}
	return w, nil
}

// inRankOrder is ((g_0 + g_1) + g_2) + …, the reducer's order.
func inRankOrder(into []float32, pieces [][]float32) {
	copy(into, pieces[0])
	for _, g := range pieces[1:] {
		vec.AddTo(into, g)
	}
}

// inRingOrder sums chunk c from rank c on, ((g_c + g_{c+1}) + …), the ring's.
func inRingOrder(into []float32, pieces [][]float32) {
	n := len(pieces)
	for c := range n {
		lo, hi := collective.Chunk(len(into), n, c)
		copy(into[lo:hi], pieces[c][lo:hi])
		for i := 1; i < n; i++ {
			vec.AddTo(into[lo:hi], pieces[(c+i)%n][lo:hi])
		}
	}
}

// together trains by n workers in virtual time, each with its piece of every
// batch, and returns rank 0's path; all ranks must end with the same bits.
func (l *lab) together(ctx context.Context, w0 []float32, batches [][]int, n int, allReduce func(p cluster.Proc, g []float32) error) (path, error) {
	each := l.plan.Batch / n
	out := path{append([]float32(nil), w0...)}
	ends, _, err := cluster.Run(ctx, virtual.New(ideal(n, blogLink), virtual.Config{}), func(p cluster.Proc) ([]byte, error) {
		w, g, q := append([]float32(nil), w0...), make([]float32, len(w0)), l.pupil(each)
		opt := dasp.Optimiser{Rate: l.net.Rate}
		for _, images := range batches {
			mine := images[p.Rank()*each : (p.Rank()+1)*each]
			if err := cluster.Compute(p, cluster.Work{}, func() error { return q.gradient(w, g, mine) }); err != nil {
				return nil, err
			}
			if err := allReduce(p, g); err != nil {
				return nil, err
			}
			opt.Step(w, g, 1/float64(n))
			if p.Rank() == 0 {
				out = append(out, append([]float32(nil), w...))
			}
		}
		return hash(w), nil
	})
	if err != nil {
		return nil, fmt.Errorf("ring: %s by %d workers: %w", l.net.Name, n, err)
	}
	for rank := range ends {
		if string(ends[rank]) != string(ends[0]) {
			return nil, fmt.Errorf("ring: %s by %d workers: rank %d ends with other parameters than rank 0", l.net.Name, n, rank)
		}
	}
	return out, nil
}

// ways are the two exchanges, each with the order of its sums.
var ways = []struct {
	name      string
	allReduce func(p cluster.Proc, g []float32) error
	order     func(into []float32, pieces [][]float32)
}{
	{"ring", func(p cluster.Proc, g []float32) error { return collective.RingAllReduce(p, 0, g) }, inRingOrder},
	{"naive", func(p cluster.Proc, g []float32) error { return collective.NaiveExchange(p, 0, 0, g) }, inRankOrder},
}

// compare trains in every way on one seed.
func (l *lab) compare(ctx context.Context, seed uint64, b *bar) ([]likeness, error) {
	batches := l.batches(seed)
	one, err := l.alone(l.start(seed), batches)
	if err != nil {
		return nil, err
	}
	b.step(l.net.Title + ", one worker")
	other, err := l.alone(l.start(seed), l.batches(seed+1))
	if err != nil {
		return nil, err
	}
	b.step(l.net.Title + ", other images")
	out := []likeness{{Net: l.net, How: otherBatch, Workers: 1, Seed: seed, Distance: distances(other, one), Largest: largest(other, one)}}
	for _, n := range l.plan.Workers {
		for _, way := range ways {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			got, err := l.together(ctx, l.start(seed), batches, n, way.allReduce)
			if err != nil {
				return nil, err
			}
			same, err := l.piecewise(l.start(seed), batches, n, way.order)
			if err != nil {
				return nil, err
			}
			out = append(out, likeness{Net: l.net, How: way.name, Workers: n, Seed: seed,
				SameBits: string(hash(same)) == string(hash(got[len(got)-1])), Distance: distances(got, one), Largest: largest(got, one)})
		}
		b.done++ // one part for the pieces
		b.step(fmt.Sprintf("%s, %d workers", l.net.Title, n))
	}
	return out, nil
}

func hash(w []float32) []byte {
	sum := sha256.Sum256(vec.AppendBytes(nil, w))
	return sum[:]
}

// distances is ‖a_s − b_s‖ / ‖b_s − b_0‖ after every step s.
func distances(a, b path) []float64 {
	out := make([]float64, 0, len(a)-1)
	for s := 1; s < len(a); s++ {
		out = append(out, apart(a[s], b[s])/apart(b[s], b[0]))
	}
	return out
}

// apart is the Euclidean distance.
func apart(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// largest is the largest difference of one parameter at the end.
func largest(a, b path) (most float64) {
	x, y := a[len(a)-1], b[len(b)-1]
	for i := range x {
		most = math.Max(most, math.Abs(float64(x[i])-float64(y[i])))
	}
	return most
}
