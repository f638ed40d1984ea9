package ring

import (
	"context"
	"fmt"

	"gradsync/datasets"
	result "gradsync/experiments/result1"
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
