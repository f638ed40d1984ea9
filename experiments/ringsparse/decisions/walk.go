package decisions

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/model"
	"gradsync/shared/tensor/vec"
)

// taskSource makes the tasks of one case and seed. engine and data say by what and on what images
// are trained.
type taskSource struct {
	start  []float32
	layers []cluster.Layer
	// tasks returns what makes the task of each of a number of ranks, and what gives back their memory.
	tasks  func(ranks int) (task func(rank int) cluster.Task, closed func() error)
	engine string
	data   *result.Data
}

func (c modelCase) open(env exp.Env, seed uint64) (taskSource, error) {
	if c.Model == "embedding" {
		t, start := setup.DefaultEmbedding().Texts(seed), setup.DefaultEmbedding().Start(seed)
		return taskSource{start: start, layers: setup.DefaultEmbedding().Layers(c.Batch),
			tasks: func(int) (func(int) cluster.Task, func() error) {
				return func(rank int) cluster.Task { return t.Task(rank, c.Batch, start) }, func() error { return nil }
			}}, nil
	}
	s, err := setup.OpenImages(env, model.Spec{Name: c.Model, Width: c.Width, Image: c.Image}, c.Raw, c.Batch)
	if err != nil {
		return taskSource{}, err
	}
	start := s.Start(seed)
	return taskSource{start: start, layers: s.ClusterLayers(), engine: s.Made, data: s.Data(),
		tasks: func(ranks int) (func(int) cluster.Task, func() error) {
			t := s.Tasks(seed, ranks, start)
			return t.Task, t.Close
		}}, nil
}

// decided is one run: what was chosen on every rank.
type decided struct {
	Ranks  int
	Steps  int64
	Layers []cluster.Layer
	Totals ringsparse.Totals  // of all ranks
	Shares [][][2]choiceSum   // [layer][hop][link], of all ranks' choices
	Broken int                // choices that do not follow S41
	First  *ringsparse.Choice // one of them
	Replay int                // choices whose bytes are not what again says
	Seen   zeros              // of all local steps
	Engine string
	Data   *result.Data
	params []byte
}

// walkOptions says how a walk goes.
type walkOptions struct {
	ranks   int
	steps   int64
	links   [2]float64 // bytes per second that the choices are tallied for
	options ringsparse.Options
}

// walk trains o.steps steps in virtual time, every rank from src.start. All ranks must
// end with the same bits.
func walk(ctx context.Context, src taskSource, mask []bool, c modelCase, seed uint64, o walkOptions) (decided, error) {
	type end struct {
		Log    ringsparse.Log
		Seen   zeros
		Hash   string
		Params []byte // of rank 0
	}
	d := decided{Ranks: o.ranks, Steps: o.steps, Layers: src.layers, Engine: src.engine, Data: src.data}
	rt := virtual.New(setup.WithLink(setup.Platform(), 1), virtual.Config{Seed: seed, Workers: o.ranks})
	task, closed := src.tasks(o.ranks)
	ends, _, err := cluster.Run(ctx, rt, func(p cluster.Proc) (end, error) {
		w := &watched{Task: task(p.Rank()), rate: c.Rate, mask: mask, maskGradient: c.MaskGradient}
		log, err := ringsparse.Run(p, ringsparse.Job{Task: w, Rate: c.Rate, Steps: o.steps, Mask: mask, Options: o.options})
		if err != nil {
			return end{}, err
		}
		e := end{Log: *log, Seen: w.seen, Hash: train.ParamsHash(w.Params())}
		if p.Rank() == 0 {
			e.Params = vec.AppendBytes(nil, w.Params())
		}
		return e, nil
	})
	if err = cmp.Or(err, closed()); err != nil {
		return d, fmt.Errorf("ringsparse: %s on %d ranks: %w", c.Key, o.ranks, err)
	}
	for rank, e := range ends {
		if e.Hash != ends[0].Hash {
			return d, fmt.Errorf("ringsparse: %s on %d ranks: rank %d ends with other parameters than rank 0", c.Key, o.ranks, rank)
		}
		d.tally(e.Log.Choices, o)
		d.Totals.Merge(e.Log.Totals)
		d.Seen.add(e.Seen)
	}
	d.params = ends[0].Params
	return d, nil
}

// watched is a task whose gradients are looked at before they are exchanged: how many
// entries of the local W′ and of g are +0.
type watched struct {
	cluster.Task
	rate         float64
	mask         []bool
	maskGradient bool // g ← mask·g, as pruned training usually does
	seen         zeros
	local        []float32
}

// zeros counts entries of local steps.
type zeros struct {
	Entries, Weights, Gradients int64
	// WeightsAlone are zero in W′ and not in g: what S41 needs to take weights for
	// being sparser.
	WeightsAlone int64
}

func (z *zeros) add(o zeros) {
	z.Entries += o.Entries
	z.Weights += o.Weights
	z.Gradients += o.Gradients
	z.WeightsAlone += o.WeightsAlone
}

func (w *watched) Grad(step int64, done func(int)) (float64, error) {
	loss, err := w.Task.Grad(step, func(int) {})
	if err != nil {
		return loss, err
	}
	g := w.Grads()
	if w.maskGradient {
		ringsparse.Project(g, w.mask)
	}
	if w.local == nil {
		w.local = make([]float32, len(g))
	}
	ringsparse.LocalStep(w.local, w.Params(), g, w.rate, ringsparse.Descent)
	ringsparse.Project(w.local, w.mask)
	w.seen.add(countZeros(w.local, g))
	for l := len(w.Layers()) - 1; l >= 0; l-- {
		done(l)
	}
	return loss, nil
}

// countZeros compares the zeros of a local step with its gradient's.
func countZeros(local, g []float32) (z zeros) {
	z.Entries = int64(len(g))
	for i, v := range local {
		switch w, d := isZero(v), isZero(g[i]); {
		case w && d:
			z.Weights, z.Gradients = z.Weights+1, z.Gradients+1
		case w:
			z.Weights, z.WeightsAlone = z.Weights+1, z.WeightsAlone+1
		case d:
			z.Gradients++
		}
	}
	return z
}

func isZero(v float32) bool { return math.Float32bits(v) == 0 }
