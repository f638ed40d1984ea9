package codedsgd

import (
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
)

// ringRun is synchronous SGD by ring all-reduce, timing-only: every rank sums the
// gradient of its share of the batch, and the ring sums those, layer by layer as the
// backward pass leaves them.
func ringRun(p cluster.Proc, job codedsgd.Job) (*codedsgd.Log, error) {
	last, share := len(job.Layers)-1, float64(job.Batch)/float64(p.Size())
	times := func(w cluster.Work) cluster.Work {
		return cluster.Work{FLOP: share * w.FLOP, Bytes: share * w.Bytes}
	}
	var forward cluster.Work
	stages := make([]cluster.Work, 1, last+2)
	for i := last; i >= 0; i-- {
		l := job.Layers[i]
		forward.FLOP += l.Forward.FLOP
		forward.Bytes += l.Forward.Bytes
		stages = append(stages, times(l.Backward))
	}
	stages[0] = times(forward)
	log := &codedsgd.Log{}
	for range job.Steps {
		reqs := p.Start(nil, stages...)
		if job.Options.NoOverlap {
			if err := cluster.Wait(p, reqs...); err != nil {
				return nil, err
			}
		}
		for i := last; i >= 0; i-- {
			if err := cluster.Wait(p, reqs[1+last-i]); err != nil {
				return nil, err
			}
			if err := collective.RingAllReduceTiming(p, cluster.Tag(i), job.Layers[i].Length); err != nil {
				return nil, err
			}
		}
		log.Ends = append(log.Ends, p.Now())
	}
	return log, nil
}
