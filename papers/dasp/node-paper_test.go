package dasp

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The tests of *_paper_test.go go through section 2 of the paper, one sentence each, quoted in our translation.

const ms = time.Millisecond

// started returns a policy of c's reading, fresh.
func started(t *testing.T, c Config) *policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*policy)
}

// push delivers a gradient and returns a copy of the actions.
func push(p *policy, w int, at, f time.Duration) []Action {
	return slices.Clone(p.Step(Event{Kind: EventPush, Worker: w, At: at, Compute: f}))
}

// answered returns the workers that the actions answer, in order.
func answered(actions []Action) (ws []int) {
	for _, a := range actions {
		if a.Kind == Reply {
			ws = append(ws, a.Workers...)
		}
	}
	return ws
}

// TestSection2Algorithm1Line4StaleNode: "the server manages the state of all nodes and quickly identifies the nodes whose
// parameters lag behind": of whoever is present, but one that is left out, the oldest with the lowest id, as a plain
// search finds it; of nobody the newest version.
func TestSection2Algorithm1Line4StaleNode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := r.IntN(40)
		v, skip := NewView(n), r.IntN(n+1)-1
		v.Newest = 9
		want, at := v.Newest, -1
		for i := range n {
			v.V[i], v.Present[i] = r.Int64N(8), r.IntN(3) > 0
			if v.Present[i] && i != skip && (at < 0 || v.V[i] < want) {
				want, at = v.V[i], i
			}
		}
		vmin, id := v.oldestBut(skip)
		if all, first := v.Oldest(); skip < 0 && (all != vmin || first != id) {
			t.Fatalf("%v: Oldest is %d of node %d, without nobody %d of node %d", v, all, first, vmin, id)
		}
		if vmin != want || id != at {
			t.Fatalf("%v without %d: node %d with version %d, want node %d with %d", v, skip, id, vmin, at, want)
		}
	}
}

// TestSection21VersionAndTimeAreRenewed: "on a gradient of node 1 the server updates the global weights and then the
// node's version, v_1 = v_new + 1, and its last iteration time f_1."
func TestSection21VersionAndTimeAreRenewed(t *testing.T) {
	p := started(t, Config{Workers: 3, Smin: 5, Smax: 9, Alpha: 1})
	push(p, 0, 10*ms, 10*ms)
	push(p, 2, 11*ms, 11*ms)
	push(p, 1, 30*ms, 30*ms)
	if got, want := p.view.V, []int64{1, 3, 2}; !slices.Equal(got, want) || p.view.Newest != 3 {
		t.Errorf("v = %v, newest %d, want %v, 3", got, p.view.Newest, want)
	}
	if got, want := p.view.F, []time.Duration{10 * ms, 30 * ms, 11 * ms}; !slices.Equal(got, want) {
		t.Errorf("f = %v, want %v", got, want)
	}
}

// TestSection21VersionsReplaceIterationCounts: "a node with few iterations, once it has pushed and the model is
// updated, holds newer parameters than others": the slow node, one iteration against three, is not the stale one.
func TestSection21VersionsReplaceIterationCounts(t *testing.T) {
	c := Config{Workers: 2, Smin: 1, Smax: 9, Alpha: 1}
	p := started(t, c)
	push(p, 0, 10*ms, 10*ms)
	push(p, 0, 20*ms, 10*ms)
	push(p, 0, 30*ms, 10*ms) // WSS, T_wait 0: f_1 unknown
	push(p, 1, 31*ms, 31*ms)
	if _, id := p.view.Oldest(); id != 0 {
		t.Errorf("oldest is node %d, want node 0, three iterations ahead", id)
	}
	if d := c.Decide(p.view, 0); d.State != QIS {
		t.Errorf("node 0 is in %v, want QIS", d.State)
	}
}

// TestSection21WaitIsMadeAtRunTime: "from the last iteration times collected at
// run time the minimal wait is made dynamically": it follows f.
func TestSection21WaitIsMadeAtRunTime(t *testing.T) {
	c := Config{Workers: 2, Smin: 1, Smax: 9, Alpha: 0.5}
	v := View{V: []int64{4, 1}, F: []time.Duration{10 * ms, 30 * ms}, Present: []bool{true, true}, Newest: 4}
	before := c.Decide(v, 0).Wait
	v.F[1] = 90 * ms // somebody else uses the machine
	if after := c.Decide(v, 0).Wait; before != 10*ms || after != 40*ms {
		t.Errorf("T_wait = %v, then %v, want 10ms, then 40ms", before, after)
	}
}

// TestJoinStartsAtTheOldest: a joiner is registered at min(v) of the others, its iteration time unknown again.
func TestJoinStartsAtTheOldest(t *testing.T) {
	v := View{V: []int64{7, 0, 5}, F: []time.Duration{ms, ms, ms}, Present: []bool{true, false, true}, Newest: 7}
	v.Join(1)
	if v.V[1] != 5 || v.F[1] != 0 || !v.Present[1] {
		t.Errorf("joined at %d, f = %v, present %v: want 5, 0, true", v.V[1], v.F[1], v.Present[1])
	}
}
