package quiz

import (
	"context"
	"math/bits"
	"slices"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// message is what one rank sent in one exchange.
type message struct {
	To    int
	Bytes int
	Body  []float32
	Held  []float32 // the rank's whole vector as it sent
}

// watched is a Proc that notes what an exchange sends.
type watched struct {
	cluster.Proc
	x    []float32
	sent []message
	bad  error
}

// Isend notes the message and sends it.
func (w *watched) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	body := make([]float32, len(m.Body)/4)
	if err := vec.FromBytes(body, m.Body); err != nil && w.bad == nil {
		w.bad = err
	}
	w.sent = append(w.sent, message{to, len(m.Body), body, slices.Clone(w.x)})
	return w.Proc.Isend(to, tag, m)
}

// ringOf runs collective.RingAllReduce on one vector per rank and returns what each
// rank sent, by exchange. The vectors become the sum.
func ringOf(vectors [][]float32) ([][]message, error) {
	hosts := cluster.Uniform(len(vectors), cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: 1e9}, nil)
	sent, _, err := cluster.Run(context.Background(), virtual.New(hosts, virtual.Config{}), func(p cluster.Proc) ([]message, error) {
		w := &watched{Proc: p, x: vectors[p.Rank()]}
		if err := collective.RingAllReduce(w, 0, w.x); err != nil {
			return nil, err
		}
		return w.sent, w.bad
	})
	return sent, err
}

// chunk is a chunk on its way: its number, and one bit for each rank whose numbers
// are in it.
type chunk struct {
	Number int
	Ranks  []int
}

// chunksOf runs a ring of n ranks whose vectors have two numbers per chunk c, 2^rank
// and c. Sums of both are exact, so that every message says which chunk it is and
// whose contributions it holds.
func chunksOf(n int) (sent [][]message, chunks [][]chunk, err error) {
	vectors := make([][]float32, n)
	for rank := range vectors {
		for c := range n {
			vectors[rank] = append(vectors[rank], float32(uint32(1)<<rank), float32(c))
		}
	}
	if sent, err = ringOf(vectors); err != nil {
		return nil, nil, err
	}
	chunks = make([][]chunk, n)
	for rank, messages := range sent {
		for _, m := range messages {
			holds := uint32(m.Body[0])
			c := chunk{Number: int(m.Body[1]) / bits.OnesCount32(holds)}
			for i := range n {
				if holds>>i&1 == 1 {
					c.Ranks = append(c.Ranks, i)
				}
			}
			chunks[rank] = append(chunks[rank], c)
		}
	}
	return sent, chunks, nil
}
