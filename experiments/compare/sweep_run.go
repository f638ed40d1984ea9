package compare

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"gradsync/experiments/exp"
	"gradsync/experiments/train"
)

// lap is a run of the sweep, to be filled in.
type lap struct {
	Point   point
	Method  string
	Density float64
	Round   float64 // seconds per N·b samples
}

// laps lists what the sweep runs: all methods densely, the first worker alone, CSSGD were
// coding free, and RingSparse at the further densities among equal workers.
func (s sweepPlan) laps() (out []lap) {
	for _, p := range s.points() {
		for _, m := range sweepMethods() {
			out = append(out, lap{Point: p, Method: m.Key, Density: 1})
		}
		out = append(out, lap{Point: p, Method: alone, Density: 1}, lap{Point: p, Method: uncoded("cssgd"), Density: 1}, lap{Point: p, Method: uncoded("cssgd-most"), Density: 1})
		if p.Set != equalWorkers {
			continue
		}
		for _, d := range s.Densities {
			if d < 1 {
				out = append(out, lap{Point: p, Method: "ringsparse", Density: d})
			}
		}
	}
	return out
}

// sweepMethod finds a method of the sweep.
func sweepMethod(key string) method {
	for _, m := range sweepMethods() {
		if m.Key == key {
			return m
		}
	}
	panic("compare: no method " + key + " in the sweep")
}

// alone is no method: the first worker, the fastest of a spread, computes all N·b samples
// by itself, which is what redundancy r = N comes to. An exchange that takes longer is
// none worth making.
const alone = "alone"

// uncoded names a coded method whose coding is not charged: it competes nowhere, and says
// what the assumed rate of coding decides.
func uncoded(key string) string { return key + freeSuffix }

const freeSuffix = ", coding free"

// single is the run of one worker alone.
func (s sweepPlan) single(p point) train.Config {
	one := p.platform()
	one.Name, one.Workers = "one worker", one.Workers[:1]
	return train.Config{Sync: "ring", Model: p.Model, Platform: one, Batch: p.Nodes * s.Batch, TimingOnly: true, EvalEvery: -1, MaxUpdates: 2, Warmup: 1}
}

// run times one lap.
func (s sweepPlan) run(ctx context.Context, l *lap) error {
	if l.Method == alone {
		out, err := train.Run(ctx, s.single(l.Point))
		if err != nil {
			return fmt.Errorf("compare: one worker alone: %w", err)
		}
		l.Round = out.Iteration.PerUpdate
		return nil
	}
	key, free := strings.CutSuffix(l.Method, freeSuffix)
	m := sweepMethod(key)
	if free {
		o := *m.Coded
		o.Rate, m.Coded = uncharged, &o
	}
	out, err := train.Run(ctx, s.config(m, l.Point, l.Density))
	if err != nil {
		return fmt.Errorf("compare: %s on %+v: %w", m.Title, l.Point, err)
	}
	if l.Round = out.Iteration.PerUpdate; m.Async {
		l.Round = perPush(out.Log) * float64(l.Point.Nodes)
	}
	return nil
}

// sweep runs all laps, several at a time; the order changes no number.
func sweep(ctx context.Context, s sweepPlan, bar *exp.Bar) ([]lap, error) {
	laps := s.laps()
	var mu sync.Mutex
	var first error
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				err := s.run(ctx, &laps[i])
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				bar.Step(fmt.Sprintf("%s, %s, %g Gb/s", laps[i].Point.Model, laps[i].Point.Set, laps[i].Point.Gbps))
				mu.Unlock()
			}
		})
	}
	for i := range laps {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return laps, first
}
