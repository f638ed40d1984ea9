package ring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// holding is which ranks' contributions a chunk holds, one bit each.
type holding uint32

func (h holding) count() int { return bits.OnesCount32(uint32(h)) }

// String spells a holding: "0+4".
func (h holding) String() string {
	var out []string
	for rank := range 32 {
		if h>>rank&1 == 1 {
			out = append(out, strconv.Itoa(rank))
		}
	}
	return strings.Join(out, "+")
}

// piece is a chunk as it was found in a message or in a rank's vector.
type piece struct {
	Chunk int
	Holds holding
}

// transfer holds what one rank did in one step: sent a piece to its right, received one from its
// left, and what its own chunk of that number held before and after.
type transfer struct {
	Rank, Step     int
	To, From       int
	Sent, Received piece
	Before, After  holding
}

// adds reports whether the step added what came to what was there, else it put
// what came in its place.
func (t transfer) adds() bool { return t.After != t.Received.Holds }

// marked returns rank's vector of two numbers per chunk: 2^rank and the chunk's own number. Sums
// of both are exact, so any chunk on its way tells whose contributions it holds (the bits of the
// first) and which chunk it is (the second over the count of contributions).
func marked(ranks, rank int) []float32 {
	x := make([]float32, 2*ranks)
	for c := range ranks {
		x[2*c], x[2*c+1] = float32(uint32(1)<<rank), float32(c)
	}
	return x
}

// decode reads the mark of a chunk.
func decode(x []float32) (piece, error) {
	if len(x) != 2 || x[0] < 1 || x[0] != float32(math.Trunc(float64(x[0]))) {
		return piece{}, fmt.Errorf("ring: %v is no marked chunk", x)
	}
	h := holding(uint32(x[0]))
	c := float64(x[1]) / float64(h.count())
	if c != math.Trunc(c) {
		return piece{}, fmt.Errorf("ring: %v is no chunk of %d contributions", x, h.count())
	}
	return piece{Chunk: int(c), Holds: h}, nil
}

// notes are of every message of one rank's exchange.
type notes struct {
	rank    int
	x       []float32 // the vector that is summed
	seen    []transfer
	states  [][]holding // of x's chunks: at the start of every step, and at the end
	arrived int
	err     error
}

// state decodes every chunk of the rank's vector.
func (s *notes) state() []holding {
	out := make([]holding, len(s.x)/2)
	for c := range out {
		out[c] = holding(uint32(s.x[2*c]))
	}
	return out
}

// read returns the chunk of a message.
func (s *notes) read(m *cluster.Msg) (p piece) {
	x := make([]float32, len(m.Body)/4)
	err := vec.FromBytes(x, m.Body)
	if err == nil {
		p, err = decode(x)
	}
	s.err = cmp.Or(s.err, err)
	return p
}

// sent begins a step: what is sent was received in the step before.
func (s *notes) sent(to []int, m *cluster.Msg) {
	s.states = append(s.states, s.state())
	s.seen = append(s.seen, transfer{Rank: s.rank, Step: len(s.seen), To: to[0], From: -1, Sent: s.read(m)})
}

// received notes what came before the exchange uses it.
func (s *notes) received(m *cluster.Msg) {
	if p := s.read(m); s.arrived < len(s.seen) {
		s.seen[s.arrived].Received, s.seen[s.arrived].From = p, m.From
	}
	s.arrived++
}

// finish fills in what the chunks held before and after each step.
func (s *notes) finish() ([]transfer, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.arrived != len(s.seen) {
		return nil, fmt.Errorf("ring: rank %d sent %d messages and received %d", s.rank, len(s.seen), s.arrived)
	}
	s.states = append(s.states, s.state())
	for i := range s.seen {
		c := s.seen[i].Received.Chunk
		s.seen[i].Before, s.seen[i].After = s.states[i][c], s.states[i+1][c]
	}
	return s.seen, nil
}

// recording holds what the ranks of one all-reduce did: [rank][step], and what their chunks held:
// [rank][before step, and at the end][chunk].
type recording struct {
	Transfers [][]transfer
	States    [][][]holding
}

// record runs collective.RingAllReduce on n ranks and notes every transfer.
func record(ctx context.Context, n int) (recording, error) {
	r := recording{make([][]transfer, n), make([][][]holding, n)}
	_, err := virtual.New(ideal(n, blogLink), virtual.Config{}).Run(ctx, func(p cluster.Proc) ([]byte, error) {
		s := &notes{rank: p.Rank(), x: marked(n, p.Rank())}
		if err := collective.RingAllReduce(&kit.Spy{Proc: p, Sent: s.sent, Received: s.received}, 0, s.x); err != nil {
			return nil, err
		}
		seen, err := s.finish()
		r.Transfers[s.rank], r.States[s.rank] = seen, s.states
		return nil, err
	})
	return r, err
}
