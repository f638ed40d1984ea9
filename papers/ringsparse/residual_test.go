package ringsparse

import (
	"context"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

type still struct{ params, grads []float32 }

func (s *still) Layers() []cluster.Layer { return []cluster.Layer{{Length: len(s.params)}} }
func (s *still) Params() []float32       { return s.params }
func (s *still) Grads() []float32        { return s.grads }
func (s *still) Grad(int64, func(int)) (float64, error) {
	return 0, nil
}

// Who is given what a step led to keeps what it dropped in that step, for all that it sent of it is in the sum.
func TestWhoIsGivenAStepKeepsWhatItDropped(t *testing.T) {
	for _, logged := range []bool{false, true} {
		rt := virtual.New(cluster.Uniform(3, cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e9}, nil), virtual.Config{Elastic: true})
		_, err := rt.Run(context.Background(), func(p cluster.Proc) ([]byte, error) {
			if p.Rank() == 2 {
				return nil, cluster.ErrCrashed
			}
			task := &still{make([]float32, 4), make([]float32, 4)}
			job := Job{Task: task, Layers: task.Layers(), Rate: 1, Steps: 5, Options: Options{Kinds: "gradients", Codec: "dense", Threshold: 0.5}}
			if logged {
				job.Log = &Log{}
			}
			r, err := job.Options.rules()
			if err != nil {
				return nil, err
			}
			if err := cluster.Sleep(p, time.Millisecond); err != nil {
				return nil, err
			}
			crew, err := collective.NewCrew(p, 1)
			if err != nil {
				return nil, err
			}
			if p.Rank() == 0 {
				_, err := crew.Regroup(1, task.params)
				return nil, err
			}
			got, err := regrouped(p, crew, &job, r, []float32{1, 1, 1, 1}, []float32{7, 7, 7, 7})
			if err == nil && got[0] != 7 {
				t.Errorf("a log of the caller's %v: residual %v after the step was given, want what was dropped in it, 7", logged, got)
			}
			return nil, err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func regrouped(p cluster.Proc, crew *collective.Crew, job *Job, r rules, before, after []float32) ([]float32, error) {
	x, err := newRing(p, crew, job, r)
	if err != nil {
		return nil, err
	}
	x.own.before = before
	copy(x.own.residual, after)
	y, given, err := x.regroup(crew)
	if err != nil || !given {
		return nil, err
	}
	return y.own.residual, nil
}
