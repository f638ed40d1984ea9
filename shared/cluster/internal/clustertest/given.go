package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"gradsync/shared/cluster"
)

// given: bodies given away arrive, in the receiver's buffer or as its body, whatever their size;
// those kept beside them stay the sender's.
func given(s suite) {
	sizes := []int{0, 1, 64, 5000, 20_000, 300_001, 3 << 20}
	s.ok(3, func(p cluster.Proc) error {
		if p.Rank() == 0 {
			for i, n := range sizes {
				for _, to := range []int{1, 0} {
					m := &cluster.Msg{Body: body(i, n), Meta: [4]int64{int64(i)}, Given: true}
					kept := &cluster.Msg{Body: body(i+1, n)}
					var self cluster.Msg
					reqs := []cluster.Req{p.Isend(to, 1, m), p.Isend(2, 1, kept)}
					if to == 0 {
						reqs = append(reqs, p.Irecv(0, 1, &self))
					}
					if m.Body != nil {
						return errors.New("a body that was given away is still in its message")
					}
					if err := cluster.Wait(p, reqs...); err != nil {
						return err
					}
					if err := same(kept.Body, body(i+1, n)); err != nil {
						return fmt.Errorf("a body that was kept: %w", err)
					}
					if to == 0 {
						if err := same(self.Body, body(i, n)); err != nil {
							return fmt.Errorf("to oneself: %w", err)
						}
					}
				}
			}
			return nil
		}
		for i, n := range sizes {
			for round := range p.Rank() {
				m := cluster.Msg{Body: make([]byte, 0, n*(i%2))} // every second one has room
				room := m.Body[:cap(m.Body)]
				if err := cluster.Wait(p, p.Irecv(0, 1, &m)); err != nil {
					return err
				}
				if err := same(m.Body, body(i+p.Rank()-1, n)); err != nil {
					return fmt.Errorf("%d bytes, round %d: %w", n, round, err)
				}
				if n > 0 && i%2 == 1 && &m.Body[0] != &room[0] {
					return fmt.Errorf("%d bytes: not received in place", n)
				}
			}
		}
		return nil
	})
}

// handedOn: a body that was received is the receiver's to write to and to give away again; around a ring of ranks
// the same few bodies carry all messages, and none is ever in two hands.
func handedOn(s suite) {
	for _, n := range []int{300, 40_000} {
		s.ok(3, func(p cluster.Proc) error { return hand(p, n) })
		s.ok(3, func(p cluster.Proc) error {
			p, check := poisoned(p)
			return errors.Join(hand(p, n), check())
		})
	}
}

// hand hands bodies of n equal bytes around; each rank adds one to every byte.
func hand(p cluster.Proc, n int) error {
	const rounds = 12
	right, left := (p.Rank()+1)%3, (p.Rank()+2)%3
	own := bytes.Repeat([]byte{byte(p.Rank() + 1)}, n)
	for round := range rounds {
		var m cluster.Msg
		r := p.Irecv(left, 1, &m)
		if err := cluster.Wait(p, p.Isend(right, 1, &cluster.Msg{Body: own, Given: true}), r); err != nil {
			return err
		}
		own = m.Body
		if want := byte((p.Rank()-round-1+3*rounds)%3 + 1 + round); own[0] != want || !bytes.Equal(own, bytes.Repeat(own[:1], n)) {
			return fmt.Errorf("round %d: %d … %d, want %d", round, own[0], own[n-1], want)
		}
		for i := range own {
			own[i]++
		}
	}
	return nil
}

// poison fills bodies that were given away: as float32 it is NaN.
const poison = 0xFF

// poisoned returns p with the promise of cluster.Msg.Given kept to the letter: a body that was given away
// holds no numbers any more, so that who reads it finds NaN, and check returns an error if somebody has
// written to one since. Bodies arrive in memory of their own.
func poisoned(p cluster.Proc) (lent cluster.Proc, check func() error) {
	x := &poisoner{Proc: p}
	return x, x.check
}

type poisoner struct {
	cluster.Proc
	given [][]byte
}

func (x *poisoner) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if m.Given && m.Body != nil {
		old := m.Body[:cap(m.Body)]
		m.Body = slices.Clone(m.Body)
		for i := range old {
			old[i] = poison
		}
		x.given = append(x.given, old)
	}
	return x.Proc.Isend(to, tag, m)
}

func (x *poisoner) check() error {
	for k, b := range x.given {
		if i := slices.IndexFunc(b, func(c byte) bool { return c != poison }); i >= 0 {
			return fmt.Errorf("clustertest: rank %d wrote to byte %d of body %d after it had given it away", x.Rank(), i, k)
		}
	}
	return nil
}

// misuse: a body used after it was given away is found.
func misuse(s suite) {
	s.ok(2, func(p cluster.Proc) error {
		p, check := poisoned(p)
		var m cluster.Msg
		r := p.Irecv(1-p.Rank(), 1, &m)
		mine := body(p.Rank(), 100)
		if err := cluster.Wait(p, p.Isend(1-p.Rank(), 1, &cluster.Msg{Body: mine, Given: true}), r); err != nil {
			return err
		}
		if err := same(m.Body, body(1-p.Rank(), 100)); err != nil {
			return err
		}
		if err := check(); err != nil {
			return fmt.Errorf("nobody has written yet: %w", err)
		}
		if mine[7] != poison || mine[99] != poison {
			return errors.New("who reads a body that was given away finds its numbers")
		}
		if mine[7] = 0; check() == nil {
			return errors.New("who writes to a body that was given away is not found")
		}
		return nil
	})
}

// Handed checks a runtime whose ranks share their memory: a body that is given away is not copied, the
// receiver's is the sender's memory, unless it brought its own. One that is kept is copied.
//
// Source: ours: the host's share of a push is one copy, not nine
func Handed(t *testing.T, make Make) {
	var sent [3]*byte
	suite{T: t, make: make}.ok(2, func(p cluster.Proc) error {
		for k := range sent {
			m := &cluster.Msg{Body: []byte{1, 2, 3}, Given: k < 2}
			if p.Rank() == 0 {
				sent[k] = &m.Body[0]
				if err := cluster.Wait(p, p.Isend(1, 1, m), p.Irecv(1, 2, &cluster.Msg{})); err != nil {
					return err
				}
				continue
			}
			if m.Body = nil; k == 1 {
				m.Body = []byte("its own room")
			}
			if err := cluster.Wait(p, p.Irecv(0, 1, m)); err != nil {
				return err
			}
			if handed := &m.Body[0] == sent[k]; handed != (k == 0) || string(m.Body) != "\x01\x02\x03" {
				return fmt.Errorf("message %d: %v, the sender's memory: %v", k, m.Body, handed)
			}
			if err := cluster.Wait(p, p.Isend(0, 2, &cluster.Msg{})); err != nil {
				return err
			}
		}
		return nil
	})
}
