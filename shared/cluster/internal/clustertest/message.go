package clustertest

import (
	"fmt"

	"gradsync/shared/cluster"
)

// body returns a message of rank-distinct bytes.
func body(rank, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(37*rank + 11*i + 5)
	}
	return b
}

func sendDone(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 0 {
			b := body(0, 1000)
			if err := cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{Body: b})); err != nil {
				return err
			}
			clear(b)
			return nil
		}
		var m cluster.Msg
		if err := cluster.Wait(p, p.Irecv(0, 1, &m)); err != nil {
			return err
		}
		return same(m.Body, body(0, 1000))
	})
}

func selfSend(s suite) {
	out := s.ok(2, func(p cluster.Proc) error {
		var m cluster.Msg
		r := p.Irecv(p.Rank(), 1, &m)
		if err := cluster.Wait(p, p.Isend(p.Rank(), 1, &cluster.Msg{Body: body(p.Rank(), 9)}), r); err != nil {
			return err
		}
		return same(m.Body, body(p.Rank(), 9))
	})
	for rank, sent := range out.Trace.Sent {
		if sent != (cluster.Traffic{}) {
			s.Errorf("rank %d sent %+v to itself on the wire", rank, sent)
		}
	}
}

func noOvertaking(s suite) {
	const n = 50
	s.ok(3, func(p cluster.Proc) error {
		if p.Rank() != 0 {
			var reqs []cluster.Req
			for i := range n { // large and small in turn: a small one must not pass
				m := &cluster.Msg{Meta: [4]int64{int64(i)}, Declared: 100000 * (i % 2)}
				reqs = append(reqs, p.Isend(0, 5, m))
			}
			return cluster.Wait(p, reqs...)
		}
		next := make([]int64, p.Size())
		for range 2 * n {
			var m cluster.Msg
			if err := cluster.Wait(p, p.Irecv(cluster.Any, 5, &m)); err != nil {
				return err
			}
			if m.Meta[0] != next[m.From] {
				return fmt.Errorf("message %d of rank %d came where %d was due", m.Meta[0], m.From, next[m.From])
			}
			next[m.From]++
		}
		return nil
	})
}

func postingOrder(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			for i := range 4 {
				if err := cluster.Wait(p, p.Isend(0, cluster.Tag(i%2), &cluster.Msg{Meta: [4]int64{int64(i)}})); err != nil {
					return err
				}
			}
			return nil
		}
		var m [4]cluster.Msg // posted: tag 1 twice, then tag 0 from Any and from 1
		reqs := []cluster.Req{p.Irecv(1, 1, &m[0]), p.Irecv(1, 1, &m[1]), p.Irecv(cluster.Any, 0, &m[2]), p.Irecv(1, 0, &m[3])}
		if err := cluster.Wait(p, reqs...); err != nil {
			return err
		}
		for i, want := range []int64{1, 3, 0, 2} {
			if m[i].Meta[0] != want {
				return fmt.Errorf("receive %d took message %d, want %d", i, m[i].Meta[0], want)
			}
		}
		return nil
	})
}

func anySource(s suite) {
	s.ok(4, func(p cluster.Proc) error {
		if p.Rank() > 0 {
			return cluster.Wait(p, p.Isend(0, 2, &cluster.Msg{Body: body(p.Rank(), 30)}))
		}
		seen := map[int]bool{}
		for range 3 {
			var m cluster.Msg
			if err := cluster.Wait(p, p.Irecv(cluster.Any, 2, &m)); err != nil {
				return err
			}
			if seen[m.From] {
				return fmt.Errorf("two messages from rank %d", m.From)
			}
			seen[m.From] = true
			if err := same(m.Body, body(m.From, 30)); err != nil {
				return err
			}
		}
		return nil
	})
}

func inPlace(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			b := body(1, 64)
			return cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Body: b}), p.Isend(0, 1, &cluster.Msg{Body: b}))
		}
		large, small := make([]byte, 0, 64), make([]byte, 63)
		for _, buf := range [][]byte{large, small} {
			m := cluster.Msg{Body: buf}
			if err := cluster.Wait(p, p.Irecv(1, 1, &m)); err != nil {
				return err
			}
			if err := same(m.Body, body(1, 64)); err != nil {
				return err
			}
			inside := &m.Body[0] == &buf[:1][0]
			if fits := cap(buf) >= 64; inside != fits {
				return fmt.Errorf("capacity %d: received in place %v", cap(buf), inside)
			}
		}
		return nil
	})
}

func meta(s suite) {
	s.ok(3, func(p cluster.Proc) error {
		if p.Rank() != 2 {
			return cluster.Wait(p, p.Isend(2, cluster.Tag(7+p.Rank()), &cluster.Msg{
				From: 99, Tag: 99, Meta: [4]int64{1, -2, 1 << 60, int64(p.Rank())}, Declared: 1000 + p.Rank()}))
		}
		for _, from := range []int{1, 0} {
			var m cluster.Msg
			if err := cluster.Wait(p, p.Irecv(from, cluster.Tag(7+from), &m)); err != nil {
				return err
			}
			want := [4]int64{1, -2, 1 << 60, int64(from)}
			if m.From != from || m.Tag != cluster.Tag(7+from) || m.Meta != want || m.Size() != 1000+from || m.Body != nil {
				return fmt.Errorf("got %+v", m)
			}
		}
		return nil
	})
}

func emptyBody(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		if p.Rank() == 0 {
			return cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{Body: []byte{}, Declared: 7}))
		}
		var m cluster.Msg
		err := cluster.Wait(p, p.Irecv(0, 1, &m))
		if err == nil && (m.Body == nil || m.Size() != 0) {
			err = fmt.Errorf("got %+v, want an empty body", m)
		}
		return err
	})
}

func broadcast(s suite) {
	group := []int{3, 0, 2} // rank 1 is no member
	s.ok(4, func(p cluster.Proc) error {
		if p.Rank() == 1 {
			return nil
		}
		for round := range 3 {
			root := group[round%2]
			m := cluster.Msg{}
			var plain cluster.Msg
			trap := p.Irecv(cluster.Any, 4, &plain)
			if p.Rank() == root {
				m.Body = body(10*round+root, 50)
				m.Meta[0] = int64(round)
			}
			if err := cluster.Wait(p, p.Ibcast(group, root, 4, &m)); err != nil {
				return err
			}
			if m.Meta[0] != int64(round) {
				return fmt.Errorf("round %d got %+v", round, m)
			}
			if err := same(m.Body, body(10*round+root, 50)); err != nil {
				return err
			}
			if trap.Done() {
				return fmt.Errorf("a plain receive took a broadcast")
			}
			p.Cancel(trap)
		}
		return nil
	})
}

func same(got, want []byte) error {
	if string(got) != string(want) {
		return fmt.Errorf("body of %d bytes differs from the %d sent", len(got), len(want))
	}
	return nil
}

func traffic(s suite) {
	out := s.ok(3, func(p cluster.Proc) error {
		if p.Rank() == 0 {
			return cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{Body: body(0, 100)}), p.Isend(2, 1, &cluster.Msg{Declared: 1000}))
		}
		var m cluster.Msg
		return cluster.Wait(p, p.Irecv(0, 1, &m))
	})
	want := cluster.Traffic{Messages: 2, Bytes: 1100, Header: 2 * cluster.HeaderBytes}
	if got := out.Trace.Sent[0]; s.leads() && (got != want || out.Trace.Sent[1] != (cluster.Traffic{}) || out.Trace.BodyBytes() != 1100) {
		s.Errorf("rank 0 sent %+v, want %+v; all: %+v", got, want, out.Trace.Sent)
	}
}
