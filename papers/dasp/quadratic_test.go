package dasp_test

import (
	"testing"
	"time"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// quadratic is a task whose gradient is known: worker w's loss at step k is ½·‖x − c(w, k)‖², so its gradient is x −
// c(w, k), different for every worker, step and entry.
type quadratic struct {
	worker        int
	params, grads []float32
}

const quadraticSize = 11

func newQuadratic(worker int) *quadratic {
	q := &quadratic{worker: worker, params: make([]float32, quadraticSize), grads: make([]float32, quadraticSize)}
	for i := range q.params {
		q.params[i] = float32(i) / 8
	}
	return q
}

func (q *quadratic) Layers() []cluster.Layer {
	work := cluster.Work{FLOP: 1e6}
	return []cluster.Layer{
		{Name: "a", Offset: 0, Length: 5, Forward: work, Backward: work},
		{Name: "b", Offset: 5, Length: 2, Forward: work, Backward: work},
		{Name: "c", Offset: 7, Length: 4, Forward: work, Backward: work},
	}
}

func (q *quadratic) Params() []float32 { return q.params }
func (q *quadratic) Grads() []float32  { return q.grads }

func (q *quadratic) Grad(step int64, done func(int)) (loss float64, err error) {
	layers := q.Layers()
	for l := len(layers) - 1; l >= 0; l-- {
		for i := layers[l].Offset; i < layers[l].Offset+layers[l].Length; i++ {
			q.grads[i] = q.params[i] - target(q.worker, step, i)
			loss += float64(q.grads[i]*q.grads[i]) / 2
		}
		done(l)
	}
	return loss, nil
}

// target is c(w, k), entry i.
func target(worker int, step int64, i int) float32 {
	return float32((worker*31+int(step)*17+i*7)%101)/50 - 1
}

// gpus are six workers of unequal speed behind 1 Gbit/s links; 6 MFLOP take the first 6 ms.
func gpus(factors ...float64) *cluster.Platform {
	link := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond, Jitter: 0.05}
	server := link
	server.Name, server.Jitter, server.Memory = "server", 0, 1e6 // an update of 1 gradient: 0.13 ms
	p := cluster.Uniform(len(factors), link, &server)
	for i, f := range factors {
		p.Workers[i].FLOPS /= f
	}
	return p
}

// newVirtual is p's virtual cluster with its server.
func newVirtual(p *cluster.Platform) cluster.Runtime {
	return virtual.New(p, virtual.Config{Seed: 1, WithServer: true})
}

// run trains job on p's virtual cluster and returns the server's log. body, if
// not nil, replaces the given ranks' bodies.
func run(t *testing.T, p *cluster.Platform, seed uint64, job func(rank int) dasp.Job,
	body func(p cluster.Proc, job dasp.Job) (*dasp.Log, error)) (*dasp.Log, *cluster.Trace) {
	t.Helper()
	if body == nil {
		body = dasp.Run
	}
	rt := virtual.New(p, virtual.Config{Seed: seed, WithServer: true, Trace: true})
	logs, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) {
		return body(p, job(p.Rank()))
	})
	must(t, err)
	for rank, l := range logs[1:] {
		if l != nil {
			t.Errorf("rank %d returned a log", rank+1)
		}
	}
	return logs[0], trace
}

// training is a job of quadratics under a named policy; weights collects the server's after each update.
func training(t *testing.T, name string, o rivals.Options, pushes int64, weights *[][]float32) func(rank int) dasp.Job {
	return func(rank int) dasp.Job {
		return dasp.Job{
			Policy:    func() dasp.Policy { return mustPolicy(t, name, o) },
			Task:      newQuadratic(rank - 1),
			Rate:      0.3,
			MaxPushes: pushes,
			Decision:  cluster.Work{Fixed: 20 * time.Microsecond},
			OnUpdate: func(_ dasp.Update, params []float32) bool {
				if weights != nil {
					*weights = append(*weights, append([]float32(nil), params...))
				}
				return false
			},
		}
	}
}
