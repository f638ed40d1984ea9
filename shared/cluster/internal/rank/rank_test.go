package rank_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// bench is a Core with the ranks of a whole run, and their Network: it hands
// every message over at once, and counts it as one frame.
type bench struct {
	*rank.Core
	ranks    []*rank.Rank
	recycled [][]byte // of packets that Finish ended
	stalls   int
}

// newBench returns n ranks that compute 1000 flop/s. The run ends with the first failure, or when no rank can go on.
func newBench(n int, cfg rank.Config) *bench {
	b := &bench{}
	cfg.Size = n
	cfg.Fail = func(r int, op string, err error) { b.Stop(&cluster.AbortError{Rank: r, Op: op, Err: err}) }
	cfg.Stalled = func() {
		b.stalls++
		if w := b.Waiters(); len(w) > 0 {
			b.Stop(&cluster.AbortError{Rank: -1, Op: "deadlock", Err: &cluster.DeadlockError{Waiters: w}})
		}
	}
	b.Core = rank.New(cfg)
	for i := range n {
		b.ranks = append(b.ranks, b.Join(i, cluster.Host{FLOPS: 1000}, b))
	}
	return b
}

func (b *bench) Send(t *rank.Thread, q *rank.Req, m *cluster.Msg) { b.hand(t, q, m, false, q.Peer) }

func (b *bench) Broadcast(t *rank.Thread, q *rank.Req, others []int, m *cluster.Msg) {
	b.hand(t, q, m, true, others...)
}

func (b *bench) hand(t *rank.Thread, q *rank.Req, m *cluster.Msg, bcast bool, members ...int) {
	err := t.Enter()
	defer b.Mu.Unlock()
	for _, to := range members {
		if err == nil {
			b.ranks[to].Hand(match.Key{From: t.Rank(), Tag: q.Tag, Bcast: bcast}, m, slices.Clone(m.Body))
			b.ranks[t.Rank()].Count(m, 1)
		}
	}
	q.Complete(err)
}

func (b *bench) Recycle(p *rank.Packet) {
	if p.Body != nil {
		b.recycled = append(b.recycled, p.Body)
	}
	for _, x := range p.Parts {
		b.recycled = append(b.recycled, x.B)
	}
}

// run runs a body per rank and returns what the run left.
func (b *bench) run(bodies ...func(cluster.Proc) error) (cluster.Outcome, error) {
	b.Mu.Lock()
	for i, body := range bodies {
		b.ranks[i].Run(func(p cluster.Proc) ([]byte, error) { return []byte{byte(10 + i)}, body(p) })
	}
	b.Mu.Unlock()
	b.Group.Wait()
	return b.Outcome()
}

// within runs f with a clock that stands while anything runs: what takes no time takes none, and instants are exact.
func within(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// ok fails the test if a run failed.
func ok(t *testing.T) func(out cluster.Outcome, err error) cluster.Outcome {
	return func(out cluster.Outcome, err error) cluster.Outcome {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// send sends one byte.
func send(p cluster.Proc, to int, tag cluster.Tag, b byte) error {
	return cluster.Wait(p, p.Isend(to, tag, &cluster.Msg{Body: []byte{b}}))
}

// took is one message as it was received.
type took struct {
	from int
	body byte
}

// receive posts a receive per key and returns what each took.
func receive(p cluster.Proc, keys ...match.Key) ([]took, error) {
	msgs, reqs := make([]cluster.Msg, len(keys)), make([]cluster.Req, len(keys))
	for i, k := range keys {
		reqs[i] = p.Irecv(k.From, k.Tag, &msgs[i])
	}
	out := make([]took, len(keys))
	err := cluster.Wait(p, reqs...)
	for i := range msgs {
		if err == nil {
			out[i] = took{msgs[i].From, msgs[i].Body[0]}
		}
	}
	return out, err
}
