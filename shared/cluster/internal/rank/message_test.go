package rank_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

const (
	early = 0                // receives are posted after all messages have come
	late  = 20 * time.Second // receives are posted, then messages come
)

// Messages of one sender and tag are taken in the order in which they were sent, by receives in the order in which they
// were posted; other tags do not hold them up. A receive from Any takes the oldest message of its tag, whoever sent it.
func TestMatchingOrder(t *testing.T) {
	from := func(r int, tag cluster.Tag) match.Key { return match.Key{From: r, Tag: tag} }
	for name, c := range map[string]struct {
		keys []match.Key
		want []took // rank 1 sends 1, 2, 3 by tag 7 and 4 by tag 8, then rank 2 sends 5, 6 by tag 7
	}{
		"one sender and tag":     {[]match.Key{from(1, 7), from(1, 7), from(1, 7)}, []took{{1, 1}, {1, 2}, {1, 3}}},
		"another tag first":      {[]match.Key{from(1, 8), from(1, 7), from(1, 7)}, []took{{1, 4}, {1, 1}, {1, 2}}},
		"the later sender first": {[]match.Key{from(2, 7), from(1, 7), from(2, 7), from(1, 7)}, []took{{2, 5}, {1, 1}, {2, 6}, {1, 2}}},
		"any": {[]match.Key{from(cluster.Any, 7), from(cluster.Any, 7), from(cluster.Any, 7), from(cluster.Any, 7)},
			[]took{{1, 1}, {1, 2}, {1, 3}, {2, 5}}},
		"any between": {[]match.Key{from(1, 7), from(cluster.Any, 7), from(1, 7), from(cluster.Any, 7), from(2, 7)},
			[]took{{1, 1}, {1, 2}, {1, 3}, {2, 5}, {2, 6}}},
		"any of the other tag": {[]match.Key{from(cluster.Any, 8), from(cluster.Any, 7)}, []took{{1, 4}, {1, 1}}},
	} {
		for _, begin := range []time.Duration{early, late} {
			within(t, func(t *testing.T) {
				ok(t)(newBench(3, rank.Config{}).run(func(p cluster.Proc) error {
					if begin == early {
						if err := cluster.Sleep(p, late); err != nil {
							return err
						}
					}
					got, err := receive(p, c.keys...)
					if err == nil && !slices.Equal(got, c.want) {
						t.Errorf("%s, messages after %v: took %v, want %v", name, begin, got, c.want)
					}
					return err
				}, func(p cluster.Proc) error {
					return errors.Join(cluster.Sleep(p, begin+time.Second), send(p, 0, 7, 1), send(p, 0, 7, 2), send(p, 0, 8, 4), send(p, 0, 7, 3))
				}, func(p cluster.Proc) error {
					return errors.Join(cluster.Sleep(p, begin+2*time.Second), send(p, 0, 7, 5), send(p, 0, 7, 6))
				}))
			})
		}
	}
}

// A broadcast is taken by broadcasts' receives alone, and a plain message by plain ones.
func TestABroadcastIsNoPlainMessage(t *testing.T) {
	within(t, func(t *testing.T) {
		group := []int{0, 1}
		ok(t)(newBench(2, rank.Config{}).run(func(p cluster.Proc) error {
			return errors.Join(cluster.Wait(p, p.Ibcast(group, 0, 7, &cluster.Msg{Body: []byte{1}})), send(p, 1, 7, 2))
		}, func(p cluster.Proc) error {
			var plain, cast cluster.Msg
			r := p.Irecv(cluster.Any, 7, &plain)
			err := cluster.Wait(p, r, p.Ibcast(group, 0, 7, &cast))
			if err == nil && (plain.Body[0] != 2 || cast.Body[0] != 1) {
				t.Errorf("plain receive took %v, the broadcast's %v", plain.Body, cast.Body)
			}
			return err
		}))
	})
}

// A body goes into the receive's own buffer if that is large enough; else the receive keeps the packet's buffer, and
// gets a new one only for a body that came in parts. Buffers that nobody keeps are recycled.
func TestWhereABodyGoes(t *testing.T) {
	body := []byte{1, 2, 3, 4}
	parts := func() *rank.Packet {
		return &rank.Packet{Size: 4, Parts: []rank.Part{{Off: 2, B: []byte{3, 4}}, {Off: 0, B: []byte{1, 2}}}}
	}
	whole := func() *rank.Packet { return &rank.Packet{Size: 4, Body: slices.Clone(body)} }
	for name, c := range map[string]struct {
		p        *rank.Packet
		own      []byte // the receive's buffer
		want     []byte
		recycled int
	}{
		"whole, in place":          {whole(), make([]byte, 9), body, 1},
		"whole, kept":              {whole(), make([]byte, 3), body, 0},
		"whole, no buffer":         {whole(), nil, body, 0},
		"parts, in place":          {parts(), make([]byte, 0, 4), body, 2},
		"parts, no buffer":         {parts(), nil, body, 2},
		"nothing, in place":        {&rank.Packet{}, make([]byte, 3), []byte{}, 0},
		"nothing, no buffer":       {&rank.Packet{}, nil, []byte{}, 0},
		"a size, and its buffer":   {&rank.Packet{Size: 2, Declared: true}, make([]byte, 3), nil, 0},
		"a size, and no buffer":    {&rank.Packet{Size: 2, Declared: true}, nil, nil, 0},
		"last part where it stays": {&rank.Packet{Size: 4, Body: []byte{0, 0, 3, 4}, Parts: []rank.Part{{Off: 0, B: []byte{1, 2}}}}, nil, body, 1},
	} {
		for _, posted := range []bool{false, true} {
			b := newBench(2, rank.Config{})
			m := cluster.Msg{Body: c.own, Declared: 99, From: 5}
			p := *c.p
			p.Key, p.Meta, p.Body = match.Key{From: 1, Tag: 3}, [4]int64{8, 9}, slices.Clone(c.p.Body)
			kept := p.Body
			q := b.ranks[0].NewReq(rank.Receiving)
			q.Into, b.recycled = &m, nil
			b.Mu.Lock()
			if posted {
				b.ranks[0].Receive(q, match.Key{From: cluster.Any, Tag: 3})
				b.ranks[0].Arrive(&p)
				p.Whole = true
				b.ranks[0].Finish(&p)
			} else {
				p.Whole = true
				b.ranks[0].Arrive(&p)
				b.ranks[0].Receive(q, match.Key{From: cluster.Any, Tag: 3})
			}
			b.Mu.Unlock()
			declared := 0
			if c.want == nil {
				declared = 2
			}
			if !q.Done() || q.Peer != 1 || m.From != 1 || m.Tag != 3 || m.Meta != p.Meta || m.Declared != declared {
				t.Errorf("%s, posted first %v: done %v, peer %d, %+v", name, posted, q.Done(), q.Peer, m)
			}
			if !bytes.Equal(m.Body, c.want) || (m.Body == nil) != (c.want == nil) || len(b.recycled) != c.recycled {
				t.Errorf("%s, posted first %v: body %v, want %v; %d buffers recycled, want %d", name, posted, m.Body, c.want, len(b.recycled), c.recycled)
			}
			if fits := cap(c.own) >= 4; len(m.Body) > 0 && (fits && &m.Body[0] != &c.own[:1][0] || !fits && kept != nil && &m.Body[0] != &kept[0]) {
				t.Errorf("%s, posted first %v: the body was copied into a buffer that nobody asked for", name, posted)
			}
		}
	}
}

// A receive that is posted while its message arrives is done when all of it is here.
func TestAReceiveInTheMiddleOfAMessage(t *testing.T) {
	b := newBench(1, rank.Config{})
	p := &rank.Packet{Key: match.Key{Tag: 3}, Size: 2, Parts: []rank.Part{{B: []byte{1}}}}
	var m cluster.Msg
	q := b.ranks[0].NewReq(rank.Receiving)
	q.Into = &m
	b.Mu.Lock()
	b.ranks[0].Arrive(p)
	b.ranks[0].Receive(q, match.Key{Tag: 3})
	b.Mu.Unlock()
	if q.Done() || m.Body != nil || p.Recv != q {
		t.Errorf("after half of the message: done %v, %+v", q.Done(), m)
	}
	b.Mu.Lock()
	p.Parts, p.Whole = append(p.Parts, rank.Part{Off: 1, B: []byte{2}}), true
	b.ranks[0].Finish(p)
	b.Mu.Unlock()
	if !q.Done() || !bytes.Equal(m.Body, []byte{1, 2}) {
		t.Errorf("after all of it: done %v, %+v", q.Done(), m)
	}
}

// A cancelled receive takes nothing: its message goes to the next. Cancel does nothing to a receive that is done.
func TestCancel(t *testing.T) {
	within(t, func(t *testing.T) {
		ok(t)(newBench(1, rank.Config{}).run(func(p cluster.Proc) error {
			var a, b, c cluster.Msg
			first, second, third := p.Irecv(0, 7, &a), p.Irecv(cluster.Any, 7, &b), p.Irecv(0, 7, &c)
			p.Cancel(second)
			if err := errors.Join(send(p, 0, 7, 1), send(p, 0, 7, 2), cluster.Wait(p, first, third)); err != nil {
				return err
			}
			p.Cancel(first)
			if !errors.Is(second.Err(), cluster.ErrCancelled) || first.Err() != nil || a.Body[0] != 1 || b.Body != nil || c.Body[0] != 2 {
				t.Errorf("received %v, %v (%v), %v (%v)", a.Body, b.Body, second.Err(), c.Body, first.Err())
			}
			return nil
		}))
	})
}

// A receive whose message has begun to arrive cannot be withdrawn: Cancel returns when it has come to its end.
func TestCancelWaitsForAMessageThatHasBegun(t *testing.T) {
	within(t, func(t *testing.T) {
		b := newBench(1, rank.Config{})
		p := &rank.Packet{Key: match.Key{Tag: 7}, Size: 1, Body: []byte{5}}
		ok(t)(b.run(func(proc cluster.Proc) error {
			var m cluster.Msg
			q := proc.Irecv(0, 7, &m)
			b.Mu.Lock()
			b.ranks[0].Arrive(p)
			b.Mu.Unlock()
			proc.Go("awake", func(p cluster.Proc) error { return cluster.Sleep(p, time.Minute) })
			b.Group.Go(func() {
				time.Sleep(3 * time.Second)
				b.Mu.Lock()
				defer b.Mu.Unlock()
				p.Whole = true
				b.ranks[0].Finish(p)
			})
			proc.Cancel(q)
			if now := proc.Now(); !q.Done() || q.Err() != nil || m.Body[0] != 5 || now != 3*time.Second {
				t.Errorf("after %v: done %v, %v, %+v", now, q.Done(), q.Err(), m)
			}
			return nil
		}))
	})
}

// A freed request is used by a later operation as a new one; one that is not done, or that is no message's, is not taken.
func TestFreedRequestsAreUsedAgain(t *testing.T) {
	within(t, func(t *testing.T) {
		ok(t)(newBench(1, rank.Config{}).run(func(p cluster.Proc) error {
			var a, b, c, d cluster.Msg
			open, got := p.Irecv(0, 8, &d), p.Irecv(0, 7, &a)
			work := p.Start(nil, cluster.Work{})[0]
			if err := errors.Join(send(p, 0, 7, 1), cluster.Wait(p, got, work)); err != nil {
				return err
			}
			cluster.Free(p, open, got, work, got, nil)
			again, other := p.Irecv(cluster.Any, 7, &b), p.Irecv(0, 7, &c)
			if again != got || other == got || other == open || other == work {
				t.Errorf("got %p %p of the freed %p, %p (open), %p (a computation)", again, other, got, open, work)
			}
			if again.Done() || again.Err() != nil || open.Done() || !work.Done() {
				t.Errorf("after Free: done %v, %v, %v", again.Done(), open.Done(), work.Done())
			}
			if err := errors.Join(send(p, 0, 7, 2), send(p, 0, 7, 3), send(p, 0, 8, 4), cluster.Wait(p, other, again, open)); err != nil {
				return err
			}
			if a.Body[0] != 1 || b.Body[0] != 2 || c.Body[0] != 3 || d.Body[0] != 4 {
				t.Errorf("received %v, %v, %v, %v", a.Body, b.Body, c.Body, d.Body)
			}
			return nil
		}))
	})
}

// What a freed request was leaves no trace in what it is next: a receive that it becomes can be cancelled, and a wait for it tells
// its own operation and tag.
func TestAReusedRequestIsNew(t *testing.T) {
	within(t, func(t *testing.T) {
		b := newBench(2, rank.Config{})
		_, err := b.run(func(p cluster.Proc) error {
			var a, c cluster.Msg
			got := p.Irecv(1, 7, &a)
			if err := cluster.Wait(p, got); err != nil {
				return err
			}
			cluster.Free(p, got)
			again := p.Irecv(cluster.Any, 8, &c)
			p.Cancel(again)
			if err := cluster.Wait(p, again); again != got || !errors.Is(err, cluster.ErrCancelled) {
				t.Errorf("%p of the freed %p ends with %v, want %v", again, got, err, cluster.ErrCancelled)
			}
			cluster.Free(p, again)
			sent := p.Isend(0, 9, &cluster.Msg{Body: []byte{5}})
			if err := cluster.Wait(p, sent); sent != got || err != nil {
				t.Errorf("%p of the freed %p ends with %v", sent, got, err)
			}
			cluster.Free(p, sent)
			return cluster.Wait(p, p.Irecv(cluster.Any, 6, &a)) // nobody sends it
		}, func(p cluster.Proc) error { return send(p, 0, 7, 1) })
		var dead *cluster.DeadlockError
		if want := (cluster.Waiter{Op: "recv", Peer: cluster.Any, Tag: 6}); !errors.As(err, &dead) || !slices.Equal(dead.Waiters, []cluster.Waiter{want}) {
			t.Errorf("%v, want a wait %+v", err, want)
		}
	})
}
