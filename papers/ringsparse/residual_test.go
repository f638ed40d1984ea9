package ringsparse

import (
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
)

// still is a task that computes nothing.
type still struct{ params, grads []float32 }

func (s *still) Layers() []cluster.Layer                { return []cluster.Layer{{Length: len(s.params)}} }
func (s *still) Params() []float32                      { return s.params }
func (s *still) Grads() []float32                       { return s.grads }
func (s *still) Grad(int64, func(int)) (float64, error) { return 0, nil }

// TestWhoIsGivenAStepKeepsWhatItDropped: rank 2 is lost, rank 0 has made the step and gives it to rank 1, which had dropped
// 7 in it and 1 before it. The sum that rank 0 has lacks the 7, so that they belong to the next gradient.
func TestWhoIsGivenAStepKeepsWhatItDropped(t *testing.T) {
	for _, logged := range []bool{false, true} {
		given := false
		rt := virtual.New(cluster.Uniform(3, cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1e9}, nil), virtual.Config{Elastic: true})
		_, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
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
			crew, err := collective.NewCrew(p, cluster.Tag(len(job.Layers)))
			if err != nil {
				return nil, err
			}
			if p.Rank() == 0 {
				_, err := crew.Regroup(1, task.params)
				return nil, err
			}
			x, err := newRing(p, crew, &job, r)
			if err != nil {
				return nil, err
			}
			x.own.before = []float32{1, 1, 1, 1}
			copy(x.own.residual, []float32{7, 7, 7, 7})
			y, made, err := x.regroup(crew)
			if err != nil {
				return nil, err
			}
			if given = made; y.own.residual[0] != 7 || y.log.Residual[0] != 7 {
				t.Errorf("a log of the caller's %v: residual %v, in the log %v, want 7", logged, y.own.residual, y.log.Residual)
			}
			return nil, nil
		})
		if err != nil || !given {
			t.Errorf("a log of the caller's %v: given %v, %v", logged, given, err)
		}
	}
}
