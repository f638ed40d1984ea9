package tcp

import (
	"errors"
	"sync"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/match"
	"gradsync/shared/cluster/internal/rank"
)

// A message without a body may be announced, its receive posted, and its reader only
// then end it. It is the reader that does: once received, nobody writes to it any more.
func TestEmptyMessagesAreFilledOnce(t *testing.T) {
	for name, h := range map[string]cluster.Header{
		"empty": {From: 1, Tag: 1, Meta: [4]int64{7}}, "declared": {From: 1, Tag: 1, Size: 9, Flags: cluster.FlagDeclared, Meta: [4]int64{7}},
	} {
		cfg := sure(Config{Size: 2, Rendezvous: "127.0.0.1:1"}.checked())(t)
		n := newNode(cfg, 1, nil)
		defer n.cancel()
		p := &peer{n: n, rank: 1}
		l := newLink(n, p, streamOf(nil))
		var m cluster.Msg
		q, early := n.self.NewReq(rank.Receiving), false
		var both sync.WaitGroup
		n.Mu.Lock()
		both.Go(func() {
			if err := errors.Join(l.begin(h), l.body()); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(5 * time.Millisecond)
		both.Go(func() {
			n.Mu.Lock()
			q.Into = &m
			n.self.Receive(q, match.Key{From: 1, Tag: 1})
			if early = m.From == 1; early {
				m.Meta[0] = -1 // as its owner may
			}
			n.Mu.Unlock()
		})
		time.Sleep(5 * time.Millisecond)
		// Missed once more after a millisecond, a lock is handed on in order: to first, to
		// the receive, to the rest of first.
		n.Mu.Unlock()
		n.Mu.Lock()
		time.Sleep(5 * time.Millisecond)
		n.Mu.Unlock()
		both.Wait()
		if early && m.Meta[0] != -1 {
			t.Errorf("%s: filled again after it was received", name)
		}
		if !early && m.Meta[0] != 7 || !q.Done() || m.From != 1 || m.Size() != h.Size {
			t.Errorf("%s: %+v, done %v", name, m, q.Done())
		}
	}
}

// Pieces come in order, one message after the other: what is not the next one has no place.
func TestPiecesOutOfOrderHaveNoPlace(t *testing.T) {
	cfg := sure(Config{Size: 2, Rendezvous: "127.0.0.1:1", Chunk: 10}.checked())(t)
	n := newNode(cfg, 1, nil)
	defer n.cancel()
	p := &peer{n: n, rank: 1}
	n.Mu.Lock()
	defer n.Mu.Unlock()
	more := func(number, off int64, size int) cluster.Header {
		return cluster.Header{From: 1, Tag: 1, Size: size, Piece: 5, Flags: cluster.FlagMore, Meta: [4]int64{number, off}}
	}
	first := cluster.Header{From: 1, Tag: 1, Size: 20, Piece: 10}
	declared := cluster.Header{From: 1, Tag: 1, Size: 9, Flags: cluster.FlagDeclared}
	for i, step := range []struct {
		h    cluster.Header
		fits bool
	}{
		{more(0, 10, 20), false}, // of no message
		{declared, true}, {first, true},
		{first, false}, {declared, false}, {more(0, 10, 20), false}, {more(1, 15, 20), false}, {more(1, 10, 21), false},
		{more(1, 10, 20), true}, {more(1, 10, 20), false}, {more(1, 15, 20), true},
		{more(1, 15, 20), false}, {declared, true},
	} {
		m, piece := p.announce(step.h)
		if (m != nil) != step.fits || m != nil && len(piece) != step.h.Piece {
			t.Fatalf("step %d: %+v, %d bytes; fits %v", i, m, len(piece), step.fits)
		}
		if m != nil {
			p.landed(step.h, m)
		}
	}
	if p.arrived != 3 || p.open != nil {
		t.Errorf("%d messages arrived, %+v is open", p.arrived, p.open)
	}
}
