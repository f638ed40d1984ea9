package dasp

import (
	"slices"
	"testing"
	"time"
)

// TestSection22Algorithm1LineByLine: every view of three nodes with versions 0 … 4 and all thresholds
// 0 ≤ Smin < Smax ≤ 4, α = 1/2, beside the lines of Algorithm 1 as they are printed.
func TestSection22Algorithm1LineByLine(t *testing.T) {
	f := []time.Duration{3 * time.Second, 5 * time.Second, 4 * time.Second}
	for code := range int64(125) {
		v := []int64{code % 5, code / 5 % 5, code / 25}
		view := View{V: v, F: f, Present: []bool{true, true, true}, Newest: slices.Max(v)}
		for smin := range int64(4) {
			for smax := smin + 1; smax <= 4; smax++ {
				for n := range v {
					vn, vmin := v[n], min(v[0], v[1], v[2]) // lines 3, 4
					oldest := slices.Index(v, vmin)         // line 9
					state, wait := FSS, time.Duration(0)
					switch {
					case vn-vmin <= smin: // line 5
						state = QIS
					case smin < vn-vmin && vn-vmin <= smax: // line 7
						state, wait = WSS, max((f[oldest]-f[n])/2, 0) // lines 10–12
					}
					c := Config{Workers: 3, Smin: smin, Smax: smax, Alpha: 0.5}
					if d := c.Decide(view, n); d.State != state || d.Gap != vn-vmin || d.Wait != wait || d.Until != oldest {
						t.Errorf("v=%v n=%d Smin=%d Smax=%d: %v, the lines give %v %v %d", v, n, smin, smax, d, state, wait, oldest)
					}
				}
			}
		}
	}
}

// TestSection22QISHasNoBarrier: "QIS sets no barrier: nodes update the global
// model fully asynchronously and begin the next iteration at once."
func TestSection22QISHasNoBarrier(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 9, Smax: 10})
	for i, w := range []int{2, 0, 2, 2, 1, 0} {
		a := push(p, w, time.Duration(i)*ms, ms)
		if len(a) != 2 || a[0].Kind != Apply || !slices.Equal(answered(a), []int{w}) || a[1].State != QIS {
			t.Fatalf("push %d of node %d: %+v", i, w, a)
		}
	}
}

// TestSection22OnlyTheFarNodesWait: "DASP does not force all nodes to synchronise; it only tries to control the nodes
// with a large gap": while node 0 waits in WSS, node 1 goes on.
func TestSection22OnlyTheFarNodesWait(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 1, Smax: 9, Alpha: 1})
	p.view = View{V: []int64{4, 2, 1}, F: []time.Duration{10 * ms, 10 * ms, 50 * ms}, Present: []bool{true, true, true}, Newest: 4}
	if a := push(p, 0, 100*ms, 10*ms); len(answered(a)) != 0 {
		t.Fatalf("node 0 is answered: %+v", a)
	}
	if a := push(p, 1, 101*ms, 10*ms); !slices.Equal(answered(a), []int{1}) {
		t.Fatalf("node 1 is not answered: %+v", a)
	}
}

// TestSection22WeakWaitIsEquation1: "past Smin but not Smax, a delay is set from
// the last iteration times" (Alg. 1, lines 9–12): α·(f_j − f_i), j = id_min.
func TestSection22WeakWaitIsEquation1(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 1, Smax: 9, Alpha: 0.25})
	p.view = View{V: []int64{4, 2, 1}, F: []time.Duration{1, 20 * ms, 50 * ms}, Present: []bool{true, true, true}, Newest: 4}
	a := push(p, 0, 100*ms, 10*ms)
	if len(a) != 1 || a[0].Kind != SetTimer || a[0].At != 110*ms { // 100 + ¼·(50 − 10)
		t.Fatalf("%+v, want a timer at 110ms", a)
	}
	a = slices.Clone(p.Step(Event{Kind: EventTimer, Worker: 0, At: 110 * ms}))
	if !slices.Equal(answered(a), []int{0}) || a[1].State != WSS || a[1].Gap != 3 {
		t.Fatalf("at the end of T_wait: %+v", a)
	}
}

// TestSection22WeakWaitCanBringTheOldestBack: "within the wait the newest node
// may synchronise with the oldest, and its state becomes QIS again."
func TestSection22WeakWaitCanBringTheOldestBack(t *testing.T) {
	p := started(t, Config{Workers: 2, Smin: 1, Smax: 9, Alpha: 0.5})
	p.view = View{V: []int64{4, 1}, F: []time.Duration{10 * ms, 50 * ms}, Present: []bool{true, true}, Newest: 4}
	push(p, 0, 100*ms, 10*ms)                                     // WSS until 120 ms
	push(p, 1, 115*ms, 50*ms)                                     // the oldest comes back in time
	p.Step(Event{Kind: EventTimer, Worker: 0, At: 120 * ms})      // both hold new weights
	if a := push(p, 0, 130*ms, 10*ms); a[len(a)-1].State != QIS { // gap 6 − 5
		t.Errorf("node 0 is not in QIS again: %+v", a)
	}
}

// TestSection22Algorithm1Line15ForceWaitsForTheOldest: "once the gap is past Smax, an explicit barrier makes the newest
// node synchronise with the oldest" (line 15): no time and no other node releases it.
func TestSection22Algorithm1Line15ForceWaitsForTheOldest(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 1, Smax: 4, Alpha: 1})
	p.view = View{V: []int64{6, 2, 1}, F: []time.Duration{10 * ms, 10 * ms, 50 * ms}, Present: []bool{true, true, true}, Newest: 6}
	if a := push(p, 0, 100*ms, 10*ms); len(a) != 0 {
		t.Fatalf("FSS: %+v, want no order at all", a)
	}
	if a := p.Step(Event{Kind: EventTimer, Worker: 0, At: time.Hour}); len(a) != 0 {
		t.Fatalf("time released it: %+v", a)
	}
	if a := push(p, 1, 101*ms, 10*ms); !slices.Equal(answered(a), []int{1}) {
		t.Fatalf("another node released it: %+v", a)
	}
	if a := push(p, 2, 102*ms, 50*ms); !slices.Equal(answered(a), []int{2, 0}) || a[3].State != FSS || a[3].Gap != 5 {
		t.Fatalf("the oldest completed: %+v", a)
	}
}

// TestSection22StalenessStaysWithinSmax: "FSS keeps the staleness of all nodes within Smax." The literal algorithm does
// not; the re-check keeps it for what WSS and FSS hand out. Same events, both readings.
func TestSection22StalenessStaysWithinSmax(t *testing.T) {
	for _, literal := range []bool{false, true} {
		p := started(t, Config{Workers: 4, Smin: 1, Smax: 3, LiteralFSS: literal})
		p.view = View{V: []int64{6, 5, 1, 2}, F: make([]time.Duration, 4), Present: []bool{true, true, true, true}, Newest: 6}
		push(p, 0, 10*ms, ms)      // gap 5: FSS until node 2 completes
		a := push(p, 2, 11*ms, ms) // node 3 still holds 2
		if gap := p.view.V[0] - 2; literal != slices.Contains(answered(a), 0) || literal && gap != 6 {
			t.Errorf("literal %v: node 0 answered %v, %d versions ahead", literal, answered(a), gap)
		}
	}
}

// TestSection22QISKeepsDifferencesWithinSmin: "QIS keeps version differences between workers within Smin." It is so of
// the gap that Algorithm 1 tests, the gap of the version that the gradient was computed on; the version handed out in
// answer may be farther ahead. With the post-update gap it is the same number, so the sentence is true of both. Five
// nodes, Smin = 2; node 4 never comes back.
func TestSection22QISKeepsDifferencesWithinSmin(t *testing.T) {
	const smin = 2
	for _, c := range []struct {
		post   bool
		tested []int64 // Gap of each answer
		handed []int64 // of each answer, v_n − min(v) right after it
	}{
		// Nobody holds more than version 2 before its first push, so five pushes make five versions, all in QIS.
		{false, []int64{0, 0, 0, 0, 1}, []int64{1, 2, 3, 4, 5}},
		// Versions 1 and 2 are within Smin; who would be handed 3 waits.
		{true, []int64{1, 2}, []int64{1, 2}},
	} {
		p := started(t, Config{Workers: 5, Smin: smin, Smax: 9, Alpha: 1, PostUpdateGap: c.post})
		p.view.F[4] = time.Hour // node 4 is slow and known to be
		var tested, handed []int64
		for i, w := range []int{0, 1, 2, 3, 0} {
			if p.nodes[w].waiting {
				continue
			}
			for _, a := range push(p, w, time.Duration(i+1)*ms, ms) {
				if a.Kind == Reply && a.State == QIS {
					tested, handed = append(tested, a.Gap), append(handed, p.view.V[w]-p.view.V[4])
				}
			}
		}
		if !slices.Equal(tested, c.tested) || !slices.Equal(handed, c.handed) {
			t.Errorf("post-update gap %v: gaps tested %v, handed out %v; want %v, %v", c.post, tested, handed, c.tested, c.handed)
		}
		if far := slices.Max(handed) > smin; slices.Max(tested) > smin || far == c.post {
			t.Errorf("post-update gap %v: largest gap tested %d, handed out %d, Smin %d", c.post, slices.Max(tested), slices.Max(handed), smin)
		}
	}
}
