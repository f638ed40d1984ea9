package ring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// gradient writes the gradient of the mean loss over a worker's images of a step, the
// first of which is number from of the step's.
type gradient func(w, into []float32, step, from int) error

// training is a training by plain SGD that one worker or several go through.
type training struct {
	start        []float32
	steps, batch int // batch: images a step, of all workers together
	rate         float64
	// workers returns the gradient of workers that take n images at once each, and what gives
	// back their memory.
	workers func(n int) (gradient, func() error)
}

// path is the parameters after every step, the start first.
type path [][]float32

func (p path) last() []float32 { return p[len(p)-1] }

// ways are the two exchanges, each with the order of its sums.
var ways = []struct {
	name      string
	allReduce func(p cluster.Proc, g []float32) error
	order     func(into []float32, pieces [][]float32)
}{
	{"ring", func(p cluster.Proc, g []float32) error { return collective.RingAllReduce(p, 0, g) }, inRingOrder},
	{"naive", func(p cluster.Proc, g []float32) error { return collective.NaiveExchange(p, 0, 0, g) }, inRankOrder},
}

// inRankOrder returns ((g_0 + g_1) + g_2) + …, the reducer's order.
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

// alone trains by one worker that takes each batch in n pieces, one after another, and
// adds up their gradients by sum; one piece is a pass over the whole batch.
func (c training) alone(n int, sum func(into []float32, pieces [][]float32)) (out path, err error) {
	w, g := slices.Clone(c.start), make([]float32, len(c.start))
	grad, closed := c.workers(c.batch / n)
	defer func() { err = cmp.Or(err, closed()) }()
	opt, pieces := dasp.Optimiser{Rate: c.rate}, make([][]float32, n)
	out = path{c.start}
	for step := range c.steps {
		for r := range pieces {
			pieces[r] = make([]float32, len(w))
			if err := grad(w, pieces[r], step, r*c.batch/n); err != nil {
				return nil, err
			}
		}
		sum(g, pieces)
		opt.Step(w, g, 1/float64(n))
		out = append(out, slices.Clone(w))
	}
	return out, nil
}

// together trains by n workers in virtual time, each with its piece of every batch, and
// returns rank 0's path; all ranks must end with the same bits.
func (c training) together(ctx context.Context, n int, allReduce func(p cluster.Proc, g []float32) error) (out path, err error) {
	out = path{c.start}
	grad, closed := c.workers(c.batch / n)
	defer func() { err = cmp.Or(err, closed()) }()
	ends, _, err := cluster.Run(ctx, virtual.New(ideal(n, blogLink), virtual.Config{}), func(p cluster.Proc) (string, error) {
		w, g := slices.Clone(c.start), make([]float32, len(c.start))
		opt := dasp.Optimiser{Rate: c.rate}
		for step := range c.steps {
			if err := cluster.Compute(p, cluster.Work{}, func() error { return grad(w, g, step, p.Rank()*c.batch/n) }); err != nil {
				return "", err
			}
			if err := allReduce(p, g); err != nil {
				return "", err
			}
			opt.Step(w, g, 1/float64(n))
			if p.Rank() == 0 {
				out = append(out, slices.Clone(w))
			}
		}
		return train.ParamsHash(w), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%d workers: %w", n, err)
	}
	for rank := range ends {
		if ends[rank] != ends[0] {
			return nil, fmt.Errorf("%d workers: rank %d ends with other parameters than rank 0", n, rank)
		}
	}
	return out, nil
}

// likeness says how one run of N workers compares with one worker.
type likeness struct {
	Net     string
	Norms   bool
	How     string // ring, naive, or otherBatch
	Workers int
	// SameBits: the parameters are, bit for bit, as one worker has them that computes the same
	// pieces of the batch and sums them in the exchange's order.
	SameBits bool
	// Distance by step: ‖w_N − w_1‖ / ‖w_1 − w_0‖ against one pass over the batch.
	Distance []float64
	Largest  float64 // |w_N − w_1| of one parameter, at the end
}

func (l likeness) last() float64 { return l.Distance[len(l.Distance)-1] }

// against compares a path with one worker's.
func (l likeness) against(got, one path) likeness {
	for s := 1; s < len(got); s++ {
		l.Distance = append(l.Distance, apart(got[s], one[s])/apart(one[s], one[0]))
	}
	for i, x := range one.last() {
		l.Largest = math.Max(l.Largest, math.Abs(float64(got.last()[i])-float64(x)))
	}
	return l
}

// apart returns the Euclidean distance.
func apart(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

func sameBits(a, b path) bool { return train.ParamsHash(a.last()) == train.ParamsHash(b.last()) }

// lab holds what all trainings of one network share.
type lab struct {
	train.Images
	net  equalsNet
	plan equalsPlan
}

func openLab(env exp.Env, plan equalsPlan, net equalsNet) (lab, error) {
	x, err := train.OpenImages(env, model.Spec{Name: net.Name, Width: net.Width, Image: net.Image})
	return lab{x, net, plan}, err
}

// training returns the training from one seed's parameters on another's images: consecutive pieces
// of one permutation.
func (l lab) training(seed, images uint64) training {
	perm := cluster.Stream(images, -1, "data", "equals-sgd").Perm(l.Set.Train.Len())
	return training{l.Start(seed), l.net.Steps, l.plan.Batch, l.net.Rate, func(n int) (gradient, func() error) {
		g := l.Gradients(n)
		return func(w, into []float32, step, from int) error {
			taken := make([]int, n)
			for i := range taken {
				taken[i] = perm[(step*l.plan.Batch+from+i)%len(perm)]
			}
			_, err := g.Mean(w, into, taken, nil)
			return err
		}, g.Close
	}}
}

// compare trains in every way on one seed.
func (l lab) compare(ctx context.Context, seed uint64) ([]likeness, error) {
	c := l.training(seed, seed)
	one, err := c.alone(1, inRankOrder)
	if err != nil {
		return nil, err
	}
	other, err := l.training(seed, seed+1).alone(1, inRankOrder)
	if err != nil {
		return nil, err
	}
	out := []likeness{likeness{Net: l.net.Name, Norms: l.net.Norms, How: otherBatch, Workers: 1}.against(other, one)}
	for _, n := range l.plan.Workers {
		for _, way := range ways {
			got, err := c.together(ctx, n, way.allReduce)
			if err != nil {
				return nil, fmt.Errorf("%s by %w", l.net.Name, err)
			}
			pieces, err := c.alone(n, way.order)
			if err != nil {
				return nil, err
			}
			x := likeness{Net: l.net.Name, Norms: l.net.Norms, How: way.name, Workers: n, SameBits: sameBits(pieces, got)}
			out = append(out, x.against(got, one))
		}
	}
	return out, nil
}

// The exact task: w is drawn to the mean of integer vectors, loss ½‖w − x‖². With a
// batch and numbers of workers that are powers of two and a rate of ½, every sum,
// mean and step has fewer than 24 significant bits, so that float32 rounds nothing.
const (
	exactImages = 32 // per step
	exactLength = 37 // of w: ragged chunks at every N
	exactSteps  = 6
	exactRate   = 0.5
)

var exactWorkers = []int{1, 2, 4, 8, 16}

var exactCourse = training{make([]float32, exactLength), exactSteps, exactImages, exactRate, func(n int) (gradient, func() error) {
	return func(w, into []float32, step, from int) error {
		for i := range into {
			sum := float32(0)
			for k := from; k < from+n; k++ {
				sum += w[i] - float32((i*31+k*57+step*101)%256)
			}
			into[i] = sum / float32(n)
		}
		return nil
	}, func() error { return nil }
}}

// exactRun is one run of the exact task.
type exactRun struct {
	How     string
	Workers int
	Same    bool // as one pass, bit for bit
}

// exactRuns runs the exact task in every way.
func exactRuns(ctx context.Context) (out []exactRun, err error) {
	one, err := exactCourse.alone(1, inRankOrder)
	for _, n := range exactWorkers {
		for _, way := range ways {
			if err != nil {
				return nil, err
			}
			var got path
			if got, err = exactCourse.together(ctx, n, way.allReduce); err == nil {
				out = append(out, exactRun{How: way.name, Workers: n, Same: sameBits(got, one)})
			}
		}
	}
	return out, err
}
