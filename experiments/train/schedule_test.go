package train

import (
	"path/filepath"
	"slices"
	"testing"

	"gradsync/experiments/audit"
	"gradsync/internal/oktest"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// A trail is enough to train again without server, workers, policy or clock: what package audit says of its fields,
// carried out line by line, ends in the recorded parameters.
func TestATrailIsTheTraining(t *testing.T) {
	for _, c := range []Config{quick("dasp"), quick("backup")} {
		c.Record, c.Momentum, c.WeightDecay = filepath.Join(t.TempDir(), "run.jsonl"), 0.5, 1e-3
		mustRun(t, c)
		trail := oktest.Must(audit.Read(c.Record))(t)
		h := trail.Header
		m := oktest.Must(model.New(h.Model))(t)
		c.Backend, c.Threads = "native", 1
		s := oktest.Must(openShared(c, m))(t)
		params := make([]float32, m.NumParams())
		m.Init(params, cluster.Stream(h.Seed, -1, "data", "init"))
		if got := ParamsHash(params); got != h.FirstParams || s.set.SHA256 != h.Data.SHA256 {
			t.Fatalf("begins with parameters %.12s on data %.12s, recorded %.12s on %.12s", got, s.set.SHA256, h.FirstParams, h.Data.SHA256)
		}
		versions, pushes := [][]float32{slices.Clone(params)}, map[int64]*audit.Push{}
		opt := dasp.Optimiser{Rate: h.Rate, Momentum: h.Momentum, WeightDecay: h.WeightDecay}
		for _, e := range trail.Events {
			if e.Push != nil {
				pushes[e.Number] = e.Push
			}
			for _, o := range e.Orders {
				if o.Order != "update" || o.Done == 0 {
					continue
				}
				sum := make([]float32, len(params))
				for i, number := range o.Pushes {
					for k, g := range gradientOf(t, s, versions[pushes[number].Held], pushes[number].Batch) {
						if i == 0 {
							sum[k] = g
						} else {
							sum[k] += g
						}
					}
				}
				opt.Step(params, sum, o.Weight)
				versions = append(versions, slices.Clone(params))
			}
		}
		if got := ParamsHash(params); got != trail.End.Params || int64(len(versions))-1 != trail.End.Updates {
			t.Errorf("%s: ends with %.12s after %d updates, recorded %.12s after %d", h.Method, got, len(versions)-1, trail.End.Params, trail.End.Updates)
		}
	}
}

// gradientOf computes the mean-loss gradient of the images of a mini-batch.
func gradientOf(t *testing.T, s *shared, params []float32, images []int) []float32 {
	t.Helper()
	w, err := s.pool.borrow()
	oktest.Nil(t, err)
	defer s.pool.giveBack(w)
	grads := make([]float32, len(params))
	if err = w.fill(s.set, &s.set.Train, images); err == nil {
		_, err = w.stepper.Gradient(params, grads, w.x, w.labels, nil)
	}
	oktest.Nil(t, err)
	return grads
}
