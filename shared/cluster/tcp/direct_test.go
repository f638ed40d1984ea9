package tcp_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/tcp"
)

// A large body goes from the sender's buffer to the posted one: neither end
// allocates anything of its size. One that comes before its receive does not.
func TestNoCopyOnTheWay(t *testing.T) {
	const size = 32 << 20
	_, err := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 1 << 20}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		var word cluster.Msg
		if p.Rank() == 0 {
			body := bytes.Repeat([]byte{1, 2, 3, 4}, size/4)
			if err := cluster.Wait(p, p.Isend(1, 4, &cluster.Msg{}), p.Irecv(1, 1, &word)); err != nil { // its receive is posted
				return nil, err
			}
			return nil, cluster.Wait(p, p.Isend(1, 2, &cluster.Msg{Body: body}), p.Irecv(1, 3, &word))
		}
		buf := make([]byte, size)
		m := cluster.Msg{Body: buf}
		r := p.Irecv(0, 2, &m)
		if err := cluster.Wait(p, p.Irecv(0, 4, &word)); err != nil { // rank 0 has made its body
			return nil, err
		}
		before := allocated()
		if err := errors.Join(cluster.Wait(p, p.Isend(0, 1, &word)), cluster.Wait(p, r)); err != nil {
			return nil, err
		}
		if got := allocated() - before; got > size/8 {
			return nil, fmt.Errorf("%d bytes allocated for a body of %d", got, size)
		}
		if &m.Body[0] != &buf[0] || !bytes.Equal(m.Body, bytes.Repeat([]byte{1, 2, 3, 4}, size/4)) {
			return nil, errors.New("the body is elsewhere, or another")
		}
		return nil, cluster.Wait(p, p.Isend(0, 3, &word))
	})
	must(t, err)
}

// A message of many pieces may come before its receive, in part or as a whole,
// and into a buffer that is large enough or not.
func TestEarlyMessages(t *testing.T) {
	const size = 1<<20 + 7
	_, err := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 10_000}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		r := cluster.Stream(1, 0, "", "body")
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(r.Uint32())
		}
		for round := range 20 {
			if p.Rank() == 0 {
				if err := cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{Body: body}), p.Isend(1, 2, &cluster.Msg{Body: body[:9]})); err != nil {
					return nil, err
				}
				continue
			}
			var m, small cluster.Msg
			if round%2 == 0 {
				m.Body = make([]byte, 0, size)
			}
			time.Sleep(time.Duration(round%5) * 100 * time.Microsecond)
			if err := cluster.Wait(p, p.Irecv(0, 2, &small), p.Irecv(0, 1, &m)); err != nil {
				return nil, err
			}
			if !bytes.Equal(m.Body, body) || !bytes.Equal(small.Body, body[:9]) {
				return nil, fmt.Errorf("round %d: another body", round)
			}
		}
		return nil, nil
	})
	must(t, err)
}

// Emulated computation lasts at least its host's time.
func TestEmulateTakesTheHostsTime(t *testing.T) {
	rt := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 1 << 20, Hosts: hosts(2), Emulate: true})
	out, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		return nil, cluster.Compute(p, cluster.Work{FLOP: 8e6}, func() error { return nil }) // at 1e9 flop/s
	})
	if err != nil || out.Elapsed < 8*time.Millisecond {
		t.Fatalf("%v after %v", err, out.Elapsed)
	}
}

// allocated returns the bytes of all objects that were made on the heap.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Bodies that are given away come back as bodies that arrive: two ranks that give each other theirs, round after
// round, allocate few, whether the receive is there first or the message. One is made where the other's comes
// before one's own is written.
func TestGivenBodiesAreUsedAgain(t *testing.T) {
	const size, warm, rounds = 4 << 20, 4, 20
	_, err := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 256 << 10}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		own := bytes.Repeat([]byte{byte(p.Rank())}, size)
		var before uint64
		for round := range warm + rounds {
			if round == warm {
				before = allocated()
			}
			var m cluster.Msg
			var in cluster.Req
			if p.Rank() == 0 { // its receive is posted first, that of rank 1 after the message has come
				in = p.Irecv(1, 1, &m)
			}
			out := p.Isend(1-p.Rank(), 1, &cluster.Msg{Body: own, Given: true})
			if p.Rank() == 1 {
				if err := cluster.Sleep(p, 5*time.Millisecond); err != nil {
					return nil, err
				}
				in = p.Irecv(0, 1, &m)
			}
			if err := cluster.Wait(p, out, in); err != nil {
				return nil, err
			}
			if own = m.Body; len(own) != size || own[0] != own[size-1] || int(own[0]) != (p.Rank()+round+1)%2 {
				return nil, fmt.Errorf("round %d: %d bytes, %d … %d", round, len(own), own[0], own[len(own)-1])
			}
		}
		if got := allocated() - before; got > rounds*size/2 {
			return nil, fmt.Errorf("%d bytes allocated in %d rounds of two bodies of %d", got, rounds, size)
		}
		return nil, nil
	})
	must(t, err)
}

// A body that begins to arrive in memory kept for bodies, before its receive is posted, is whole in the
// receive's own buffer in the end.
func TestEarlyBodiesInKeptMemory(t *testing.T) {
	const size, rounds = 8 << 20, 12
	_, err := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 64 << 10}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
		room := make([]byte, size)
		for round := range rounds {
			var m cluster.Msg
			if p.Rank() == 0 { // what rank 1 gave comes into no buffer, and goes back
				body := bytes.Repeat([]byte{byte(round), byte(round + 1)}, size/2)
				if err := cluster.Wait(p, p.Irecv(1, 1, &m), p.Isend(1, 2, &cluster.Msg{Body: body})); err != nil {
					return nil, err
				}
				continue
			}
			if err := cluster.Wait(p, p.Isend(0, 1, &cluster.Msg{Body: make([]byte, size), Given: true})); err != nil {
				return nil, err
			}
			if err := cluster.Sleep(p, time.Duration(round)*300*time.Microsecond); err != nil {
				return nil, err
			}
			m.Body = room
			if err := cluster.Wait(p, p.Irecv(0, 2, &m)); err != nil {
				return nil, err
			}
			if &m.Body[0] != &room[0] || !bytes.Equal(m.Body, bytes.Repeat([]byte{byte(round), byte(round + 1)}, size/2)) {
				return nil, fmt.Errorf("round %d: the body is elsewhere, or not whole", round)
			}
		}
		return nil, nil
	})
	must(t, err)
}

// Pieces that come before their receive lie in memory that is kept: round after round none is made for them, whatever their size.
func TestEarlyPiecesLieInKeptMemory(t *testing.T) {
	const warm, rounds = 4, 30
	for _, size := range []int{20 << 10, 150 << 10, 512 << 10} {
		_, err := tcp.Loopback(2, tcp.Config{Timeout: never, Chunk: 1 << 20}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			room, body := make([]byte, size), bytes.Repeat([]byte{3}, size)
			var before uint64
			for round := range warm + rounds {
				if round == warm {
					before = allocated()
				}
				var m cluster.Msg
				if p.Rank() == 0 {
					body[0] = byte(round)
					if err := cluster.Wait(p, p.Isend(1, 1, &cluster.Msg{Body: body}), p.Irecv(1, 2, &m)); err != nil {
						return nil, err
					}
					continue
				}
				if err := cluster.Sleep(p, 2*time.Millisecond); err != nil {
					return nil, err
				}
				m.Body = room
				if err := cluster.Wait(p, p.Irecv(0, 1, &m), p.Isend(0, 2, &cluster.Msg{})); err != nil {
					return nil, err
				}
				if len(m.Body) != size || &m.Body[0] != &room[0] || m.Body[0] != byte(round) || m.Body[size-1] != 3 {
					return nil, fmt.Errorf("round %d: another body", round)
				}
			}
			if got := allocated() - before; got > uint64(rounds*size/2) {
				return nil, fmt.Errorf("%d bytes allocated in %d rounds of bodies of %d", got, rounds, size)
			}
			return nil, nil
		})
		must(t, err)
	}
}
