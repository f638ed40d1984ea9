package dasp

import (
	"context"
	"runtime"
	"sync"
)

// evaluator gives laboratories their ratios from short runs, each made once.
type evaluator struct {
	ctx    context.Context
	costs  map[string]costs
	want   [stated18]demand
	pushes int64
	warmup int64

	known      map[runKey]means
	seen       spans
	candidates int
	runs       int
}

func newEvaluator(ctx context.Context, all map[string]costs, pushes, warmup int64) *evaluator {
	return &evaluator{ctx: ctx, costs: all, want: demands(), pushes: pushes, warmup: warmup, known: map[runKey]means{}}
}

// runKey is everything that decides a run: a method's parameters are in it only
// where the method reads them, the compute times only in their cluster.
type runKey struct {
	platform, model, method string
	hardware                hardware
	times                   [6]float64
	options                 [3]float64
}

func keyOf(l laboratory, platform, model, method string) runKey {
	k := runKey{platform: platform, model: model, method: method, hardware: l.Hardware}
	if platform == heterogeneous {
		k.times = l.Times
	}
	switch o := l.Options; method {
	case "ssp":
		k.options = [3]float64{float64(o.Staleness)}
	case "dssp":
		k.options = [3]float64{float64(o.Lower), float64(o.Upper)}
	case "dasp":
		k.options = [3]float64{float64(o.Smin), float64(o.Smax), o.Alpha}
	}
	return k
}

// job is a run to make.
type job struct {
	key runKey
	lab laboratory
}

// ratios returns the ratios of every laboratory for the demands of m. Runs go
// to all processors and come back in the order in which they were asked for.
func (e *evaluator) ratios(labs []laboratory, m mask) ([]ratios, error) {
	var jobs []job
	asked := map[runKey]bool{}
	need := func(l laboratory, d demand, method string) {
		k := keyOf(l, d.Platform, d.model, method)
		if _, ok := e.known[k]; !ok && !asked[k] {
			asked[k] = true
			jobs = append(jobs, job{k, l})
		}
	}
	for _, l := range labs {
		for i, d := range e.want {
			if m[i] {
				need(l, d, "dasp")
				need(l, d, d.against)
			}
		}
	}
	if err := e.make(jobs); err != nil {
		return nil, err
	}
	out := make([]ratios, len(labs))
	for j, l := range labs {
		for i, d := range e.want {
			if !m[i] {
				continue
			}
			ours, base := e.known[keyOf(l, d.Platform, d.model, "dasp")], e.known[keyOf(l, d.Platform, d.model, d.against)]
			for k := range meanings {
				if base[k] > 0 {
					out[j][k][i] = ours[k] / base[k]
				}
			}
		}
		e.seen.add(&out[j])
	}
	e.candidates += len(labs)
	return out, nil
}

// make runs jobs on all processors.
func (e *evaluator) make(jobs []job) error {
	found, errs := make([]means, len(jobs)), make([]error, len(jobs))
	var group sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		group.Go(func() {
			for i := w; i < len(jobs); i += n {
				if errs[i] = e.ctx.Err(); errs[i] == nil {
					found[i], errs[i] = e.one(jobs[i])
				}
			}
		})
	}
	group.Wait()
	for i, j := range jobs {
		if errs[i] != nil {
			return errs[i]
		}
		e.known[j.key] = found[i]
	}
	e.runs += len(jobs)
	return nil
}

func (e *evaluator) one(j job) (means, error) {
	cfg := j.lab.config(j.key.platform, j.key.method, j.key.model, searchSeed)
	cfg.MaxPushes, cfg.Warmup = e.pushes, e.warmup
	log, err := e.costs[j.key.model].inOneStage(e.ctx, cfg)
	if err != nil {
		return means{}, err
	}
	return meansOfLog(log, cfg.Warmup), nil
}

// losses decodes points and scores them by one meaning.
func (e *evaluator) losses(points [][]float64, meaning int, m mask) ([]float64, error) {
	labs := make([]laboratory, len(points))
	for i, x := range points {
		labs[i] = decode(x)
	}
	found, err := e.ratios(labs, m)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(points))
	for i := range found {
		out[i] = loss(found[i][meaning], e.want, m)
	}
	return out, nil
}
