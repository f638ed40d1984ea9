package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gradsync/shared/tensor"
	"gradsync/shared/tensor/layer"
	"gradsync/shared/tensor/model"
)

// firstNorm returns the moments of what the first batch norm reads, by the reference.
func firstNorm(m *model.Model, params, x []float32, labels []uint8) (mean, unbiased []float64) {
	f := &reference{m: m, params: widened(params)}
	f.loss(widened(x), labels)
	s := f.shapes[0] // both networks begin with a convolution and a norm
	count := float64(f.n * s.H * s.W)
	for c := range s.C {
		mu, inv := f.moments(f.values[0], s, c)
		mean = append(mean, mu)
		unbiased = append(unbiased, (1/(inv*inv)-1e-5)*count/(count-1))
	}
	return mean, unbiased
}

func near(t *testing.T, what string, got float32, want, relative float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= relative*(1+math.Abs(want))) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// onNorms does onEvery for the networks with batch norms, with running statistics.
func onNorms(t *testing.T, f func(t *testing.T, m *model.Model, e tensor.Engine, params, stats []float32)) {
	onEvery(t, func(t *testing.T, m *model.Model, e tensor.Engine, params []float32) {
		if m.NumStats() == 0 {
			t.Skip("no batch norm")
		}
		f(t, m, e, params, freshStats(m))
	})
}

// TestStatsFollowBatches: Gradient moves every statistic, the first norm's by a tenth towards the batch's mean and
// unbiased variance; Observe by what it is told; neither the loss nor a gradient depends on them.
func TestStatsFollowBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	onNorms(t, func(t *testing.T, m *model.Model, e tensor.Engine, params, stats []float32) {
		const n = 4
		x, labels := batch(m, n, 8)
		mean, variance := firstNorm(m, params, x, labels)
		w := m.NewWorkspace(e, n, 1)
		without, grads := make([]float32, len(params)), make([]float32, len(params))
		lossWithout, err := w.Gradient(params, without, x, labels, nil)
		must(t, err)
		w.SetStats(stats)
		loss, err := w.Gradient(params, grads, x, labels, nil)
		if err != nil || loss != lossWithout || !slices.Equal(grads, without) {
			t.Errorf("with statistics the loss is %v and the gradient another; without %v; %v", loss, lossWithout, err)
		}
		ch := len(mean)
		for i := range mean {
			near(t, "running mean", stats[i], 0.1*mean[i], 2e-6)
			near(t, "running variance", stats[ch+i], 0.9+0.1*variance[i], 2e-6)
		}
		if fresh := freshStats(m); slices.ContainsFunc(stats, func(v float32) bool { return v != v }) || m.Stats()[0].Length != ch {
			t.Errorf("statistics %v", stats[:4])
		} else {
			for i := range fresh {
				if fresh[i] == stats[i] {
					t.Fatalf("statistic %d did not move", i)
				}
			}
		}
		must(t, w.Observe(params, x, n, 0.5))
		near(t, "observed mean", stats[0], 0.5*0.1*mean[0]+0.5*mean[0], 2e-6)
	})
}

// TestObserveAverages: momentum 1/(k+1) leaves the mean over the batches, whatever stood there before.
func TestObserveAverages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second: make test has it")
	}
	onNorms(t, func(t *testing.T, m *model.Model, e tensor.Engine, params, stats []float32) {
		deepOnOne(t, m, e)
		w := m.NewWorkspace(e, 3, 1)
		w.SetStats(stats)
		var mean, variance float64
		for k := range 4 {
			x, labels := batch(m, 3, uint64(k))
			mu, v := firstNorm(m, params, x, labels)
			mean, variance = mean+mu[1]/4, variance+v[1]/4
			must(t, w.Observe(params, x, 3, 1/float32(k+1)))
		}
		near(t, "mean", stats[1], mean, 2e-6)
		near(t, "variance", stats[m.Stats()[1].Offset+1], variance, 2e-6)
	})
}

// TestInferenceNormalisesByStats: with the statistics of a batch, its variances made biased again, the logits equal
// what training computes for it; and an image's logits do not depend on the others in the batch.
func TestInferenceNormalisesByStats(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	onNorms(t, func(t *testing.T, m *model.Model, e tensor.Engine, params, stats []float32) {
		deepOnOne(t, m, e)
		const n = 18
		x, labels := batch(m, n, 9)
		f := &reference{m: m, params: widened(params)}
		f.loss(widened(x), labels)
		w := m.NewWorkspace(e, n, 2)
		w.SetStats(stats)
		must(t, w.Observe(params, x, n, 1))
		at := 0
		for i, s := range m.Steps() {
			if _, norm := s.Layer.(layer.BatchNorm); norm {
				count := float32(n * f.shapes[i].H * f.shapes[i].W)
				variance := m.Stats()[at+1]
				for j := range variance.Length {
					stats[variance.Offset+j] *= (count - 1) / count
				}
				at += 2
			}
		}
		kept := slices.Clone(stats)
		all, err := w.Logits(params, x, n)
		if err != nil || !slices.Equal(stats, kept) {
			t.Fatalf("inference moved the statistics: %v", err)
		}
		for i, want := range f.values[len(f.values)-1] {
			near(t, "logit", all[i], want, 1e-4)
		}
		last := slices.Clone(all[17*10:])
		for i, z := range sure(w.Logits(params, x[17*len(x)/n:], 1))(t) {
			near(t, "logit of one image", z, float64(last[i]), 1e-4)
		}
	})
}

// TestInferenceGradient: loss and gradient with the statistics as constants agree
// with the float64 computation, for one image too; the statistics stay.
func TestInferenceGradient(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test has it")
	}
	onNorms(t, func(t *testing.T, m *model.Model, e tensor.Engine, params, stats []float32) {
		deepOnOne(t, m, e)
		w := m.NewWorkspace(e, 17, 2)
		grads := make([]float32, len(params))
		for _, n := range []int{5, 1, 17} {
			x, labels := batch(m, n, 11)
			if _, err := w.InferenceGradient(params, grads, x, labels); err == nil {
				t.Fatal("a gradient in inference without statistics")
			}
			w.SetStats(stats)
			if n > 1 {
				if err := w.Observe(params, x, n, 0.5); err != nil { // neither fresh nor the batch's
					t.Fatal(err)
				}
			}
			kept := slices.Clone(stats)
			loss, err := w.InferenceGradient(params, grads, x, labels)
			if err != nil || !slices.Equal(stats, kept) {
				t.Fatalf("inference moved the statistics: %v", err)
			}
			w.SetStats(nil)
			f := &reference{m: m, params: widened(params), stats: widened(stats)}
			want, d := f.loss(widened(x), labels)
			near(t, "loss", float32(loss), want, 1e-5)
			compareGradients(t, m, grads, f.backward(widened(x), d))
		}
	})
}

// TestStatsErrors: what cannot work says why.
func TestStatsErrors(t *testing.T) {
	m, e, params := open(t, "vgg19_bn")
	x, labels := batch(m, 2, 1)
	w := m.NewWorkspace(e, 2, 1)
	grads := make([]float32, len(params))
	expect := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one that says %q", err, what)
		}
	}
	_, err := w.Logits(params, x, 2)
	expect("SetStats first", err)
	expect("SetStats first", w.Observe(params, x, 2, 0.1))
	_, err = w.Gradient(params, grads, x[:len(x)/2], labels[:1], nil)
	expect("features.41", err) // the first norm of 1×1
	w.SetStats(make([]float32, 7))
	_, err = w.Gradient(params, grads, x, labels, nil)
	expect("statistics, the buffer 7", err)
	w.SetStats(freshStats(m))
	expect("momentum of 2", w.Observe(params, x, 2, 2))
	expect("features.41", w.Observe(params, x[:len(x)/2], 1, 0.5))
	if _, err := w.Logits(params, x[:len(x)/2], 1); err != nil {
		t.Errorf("inference on one image: %v", err)
	}
}

// TestStateRoundTrip: parameters and statistics leave together and come back; one without the other is refused.
func TestStateRoundTrip(t *testing.T) {
	m, _, params := open(t, "resnet18")
	stats := freshStats(m)
	for i := range stats {
		stats[i] += float32(i)
	}
	state := append(m.Tensors(params), m.StatTensors(stats)...)
	slices.Reverse(state)
	p, s := make([]float32, len(params)), make([]float32, len(stats))
	if err := m.SetState(p, s, state); err != nil || !slices.Equal(p, params) || !slices.Equal(s, stats) {
		t.Errorf("round trip: %v", err)
	}
	if m.SetTensors(p, state) == nil || m.SetState(p, s, m.Tensors(params)) == nil || m.SetState(p, s[1:], state) == nil {
		t.Error("a state that does not fit was accepted")
	}
}
