package dasp

import (
	"slices"
	"testing"
	"time"
)

// TestSection23Equation2: "Δw is (1/N)·g in QIS, and the mean over the K nodes whose
// gradients the server received during the delay in WSS and FSS."
func TestSection23Equation2(t *testing.T) {
	c := Config{Workers: 8}
	for _, x := range []struct {
		state State
		k     int
		want  float64
	}{{QIS, 1, 1. / 8}, {WSS, 1, 1}, {WSS, 3, 1. / 3}, {FSS, 5, 1. / 5}} {
		if got := c.Weight(x.state, x.k); got != x.want {
			t.Errorf("%v of %d: weight %g, want %g", x.state, x.k, got, x.want)
		}
	}
}

// TestSection23Equation2GroupIsOneUpdate: K counts the gradients that wait together, the
// waiter's own included, and they make one version, not K.
func TestSection23Equation2GroupIsOneUpdate(t *testing.T) {
	p := started(t, Config{Workers: 4, Smin: 1, Smax: 4})
	p.view = View{V: []int64{6, 7, 1, 7}, F: make([]time.Duration, 4), Present: []bool{true, true, true, true}, Newest: 7}
	push(p, 1, 10*ms, ms)
	push(p, 0, 11*ms, ms)
	push(p, 3, 12*ms, ms)
	a := push(p, 2, 13*ms, ms) // QIS, then the group of three
	if len(a) != 6 || !slices.Equal(a[2].Workers, []int{0, 1, 3}) || a[2].Weight != 1./3 || p.view.Newest != 9 {
		t.Fatalf("%+v, version %d: want a group [0 1 3] of weight 1/3, version 9", a, p.view.Newest)
	}
}

// TestAlgorithm2Line7: w ← w − γ·Δw, bit by bit, in float32.
func TestAlgorithm2Line7(t *testing.T) {
	w, sum, o := []float32{1, -2, 0.5}, []float32{3, 4, -8}, Optimiser{Rate: 0.5}
	o.Step(w, sum, 0.25)
	if want := []float32{0.625, -2.5, 1.5}; !slices.Equal(w, want) {
		t.Errorf("w = %v, want %v", w, want)
	}
}

// TestOptimiserOptions: momentum 1/2 and weight decay 1/4 over two steps, by
// hand: u = 1.25, w = 0.375; then u = 0.625 + 1.09375, w = −0.484375.
func TestOptimiserOptions(t *testing.T) {
	w, o := []float32{1}, Optimiser{Rate: 0.5, Momentum: 0.5, WeightDecay: 0.25}
	for _, want := range []float32{0.375, -0.484375} {
		if o.Step(w, []float32{2}, 0.5); w[0] != want {
			t.Fatalf("w = %g, want %g", w[0], want)
		}
	}
}

// TestAlgorithm2Line9IsTheVersionSent: "send the new weights to n, then renew n's version atomically": whoever is
// answered holds the newest version, nobody else's changes.
func TestAlgorithm2Line9IsTheVersionSent(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 5, Smax: 9})
	for i, w := range []int{1, 1, 0, 2, 1} {
		before := slices.Clone(p.view.V)
		push(p, w, time.Duration(i)*ms, ms)
		before[w] = p.view.Newest
		if !slices.Equal(p.view.V, before) || p.view.Newest != int64(i+1) {
			t.Fatalf("push %d of node %d: v = %v, want %v", i, w, p.view.V, before)
		}
	}
}
