package dasp_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gradsync/papers/dasp"
	"gradsync/papers/dasp/formula"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/race"
)

// TestWeightsAreThoseOfTheLog: for every method, the weights after each update are, bit for bit, those that the log's
// own account of versions, workers, order and factors gives. So replies carry exactly the version recorded, each
// gradient is used once, and sums go in the order stated.
func TestWeightsAreThoseOfTheLog(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for _, name := range rivals.Names() {
		t.Run(name, func(t *testing.T) {
			var weights [][]float32
			o := rivals.Defaults(6)
			l, _ := run(t, gpus(1, 1.2, 1.4, 1.6, 1.9, 3.6), 1, training(t, name, o, 300, &weights), nil)
			checkLog(t, l)
			replay(t, l, weights)
		})
	}
}

// replay recomputes the weights after each update from the log and compares.
func replay(t *testing.T, l *dasp.Log, weights [][]float32) {
	t.Helper()
	want := newQuadratic(0).params
	history := [][]float32{slices.Clone(want)} // by version
	used := make([]bool, len(l.Pushes))
	for _, u := range l.Updates {
		sum := make([]float32, quadraticSize)
		for k, w := range u.Workers {
			i := slices.IndexFunc(l.Pushes, func(p dasp.Push) bool { return p.Worker == w && p.Applied == u.Version })
			if i < 0 || used[i] {
				t.Fatalf("version %d: worker %d's gradient is missing or used twice", u.Version, w)
			}
			used[i] = true
			for e, x := range history[l.Pushes[i].Pulled] {
				if g := x - target(w, l.Pushes[i].Step, e); k == 0 {
					sum[e] = g
				} else {
					sum[e] += g
				}
			}
		}
		step := float32(0.3 * u.Weight)
		for e := range want {
			want[e] -= float32(step * sum[e])
		}
		if !slices.Equal(want, weights[u.Version-1]) {
			t.Fatalf("version %d: weights %v, want %v", u.Version, weights[u.Version-1], want)
		}
		history = append(history, slices.Clone(want))
	}
}

// TestWeightsOnRealGoroutines: the same on the wall clock, where arrival is anybody's guess but the log's account still
// holds; and BSP, whose order is fixed, gives the bits that virtual time gives.
func TestWeightsOnRealGoroutines(t *testing.T) {
	updates := race.Less[int64](60, 20)
	for _, name := range rivals.Names() {
		t.Run(name, func(t *testing.T) {
			var virtually, really [][]float32
			p, o := gpus(1, 1.2, 1.9, 3.6), rivals.Defaults(4)
			t.Parallel()
			run(t, p, 1, training(t, name, o, updates, &virtually), nil)
			job := training(t, name, o, updates, &really)
			rt := local.New(p, local.Config{Seed: 1, WithServer: true, Emulate: true})
			logs, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*dasp.Log, error) { return dasp.Run(p, job(p.Rank())) })
			if err != nil {
				t.Fatal(err)
			}
			checkLog(t, logs[0])
			replay(t, logs[0], really)
			if diff := cmp.Diff(virtually, really); name == "bsp" && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// checkLog checks what every log must hold.
func checkLog(t *testing.T, l *dasp.Log) {
	t.Helper()
	var used int64
	for i, u := range l.Updates {
		used += int64(len(u.Workers))
		if u.Version != int64(i+1) || u.Pushes != used || i > 0 && u.At < l.Updates[i-1].At {
			t.Errorf("update %d: %+v, %d gradients before", i, u, used)
		}
	}
	for i, p := range l.Pushes {
		switch {
		case p.Received < p.Sent+p.Compute, p.Replied != 0 && p.Replied < p.Received, p.Received > l.End:
			t.Errorf("push %d: times out of order: %+v", i, p)
		case p.Applied != 0 && p.Applied <= p.Pulled:
			t.Errorf("push %d: applied in version %d, pulled %d", i, p.Applied, p.Pulled)
		case i > 0 && p.Received < l.Pushes[i-1].Received:
			t.Errorf("push %d is out of order of arrival", i)
		case p.Clock < 0 || p.Gap < 0:
			t.Errorf("push %d: clock %d, gap %d", i, p.Clock, p.Gap)
		}
	}
}

// TestStatesAreVisited: on six unlike GPUs and with the default thresholds the server's pushes are in all three states,
// QIS is answered within the server's own work, and the groups' weights are 1/K.
func TestStatesAreVisited(t *testing.T) {
	l, _ := run(t, gpus(1, 1.2, 1.4, 1.6, 1.9, 3.6), 1, training(t, "dasp", rivals.Defaults(6), 600, nil), nil)
	s := l.Stats(5)
	for _, st := range s.States[:3] {
		if st.Share < 0.01 {
			t.Errorf("%v in %.2f %% of pushes, want at least 1", st.State, 100*st.Share)
		}
	}
	if wait := s.States[0].Seconds / float64(s.States[0].Pushes); wait > 0.002 {
		t.Errorf("QIS is answered after %.1f ms, want only the server's work", 1000*wait)
	}
	for _, u := range l.Updates {
		if k := len(u.Workers); k > 1 && u.Weight != 1/float64(k) || k == 1 && u.Weight != 1 && u.Weight != 1./6 {
			t.Errorf("version %d: weight %g of %d gradients", u.Version, u.Weight, k)
		}
	}
	if s.States[3].Pushes != 0 || s.Iteration.PerWorker <= s.Iteration.PerPush || s.Iteration.PerPush <= s.Iteration.PerUpdate {
		t.Errorf("held %d, iteration %+v", s.States[3].Pushes, s.Iteration)
	}
}

// TestSpreadOnTheServer: the default reading keeps the spread within Smax + N − 2
// on the server too, as its policy does; ASP on the same workers does not.
func TestSpreadOnTheServer(t *testing.T) {
	p, o := gpus(1, 1, 1, 1, 1, 9), rivals.Defaults(6)
	adaptive, _ := run(t, p, 1, training(t, "dasp", o, 600, nil), nil)
	free, _ := run(t, p, 1, training(t, "asp", o, 600, nil), nil)
	bound := formula.SpreadBound(o.Smax, 6)
	if a, f := adaptive.Spread().Max(), free.Spread().Max(); a > bound || f <= bound {
		t.Errorf("largest spread %d with DASP, %d with ASP, bound %d", a, f, bound)
	}
}

// TestBSPDoesNotDependOnTheCluster: unlike and equal workers, other seeds, other
// jitter: the same weights after each round, to the last bit.
func TestBSPDoesNotDependOnTheCluster(t *testing.T) {
	var a, b [][]float32
	o := rivals.Defaults(4)
	run(t, gpus(1, 3, 2, 1), 1, training(t, "bsp", o, 80, &a), nil)
	run(t, gpus(1, 1, 1, 1), 9, training(t, "bsp", o, 80, &b), nil)
	if diff := cmp.Diff(a, b); diff != "" || len(a) != 20 {
		t.Errorf("%d rounds, %s", len(a), diff)
	}
}

// TestTimingOnly: without a task the same events happen at the same instants.
func TestTimingOnly(t *testing.T) {
	for _, name := range []string{"bsp", "dasp"} {
		p := gpus(1, 3, 2, 1)
		with := training(t, name, rivals.Defaults(4), 120, nil)
		without := func(rank int) dasp.Job {
			j := with(rank)
			j.Layers, j.Task = j.Task.Layers(), nil
			return j
		}
		a, _ := run(t, p, 3, with, nil)
		b, _ := run(t, p, 3, without, nil)
		for i := range a.Pushes {
			a.Pushes[i].Loss = 0
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestBytes: the log counts the bytes of the trace, bodies only: N first
// weights, a gradient per push, weights per answer.
func TestBytes(t *testing.T) {
	l, trace := run(t, gpus(1, 3, 2, 1), 1, training(t, "asp", rivals.Defaults(4), 50, nil), nil)
	answers := int64(0)
	for _, p := range l.Pushes {
		if p.Replied > 0 {
			answers++
		}
	}
	want := 4 * quadraticSize * (4 + int64(len(l.Pushes)) + answers)
	var sent int64
	for _, s := range trace.Spans {
		if s.Kind == cluster.SpanRecv && s.Rank == 0 && s.To <= l.End || s.Kind == cluster.SpanSend && s.Rank == 0 {
			sent += int64(s.Bytes)
		}
	}
	if l.Bytes != want || sent != want {
		t.Errorf("log has %d bytes, trace %d, want %d", l.Bytes, sent, want)
	}
}
