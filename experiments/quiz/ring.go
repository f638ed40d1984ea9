package quiz

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"gradsync/experiments/kit"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

var ringMakers = []maker{{"ring.sends", ringSends}, {"ring.receives", ringReceives}, {"ring.holds", ringHolds},
	{"ring.complete", ringComplete}, {"ring.values", ringValues},
	{"ring.bytes", ringBytes}, {"ring.ragged", ringRagged}, {"ring.seconds", ringSeconds}, {"ring.naive", ringNaive}, {"ring.break-even", ringBreakEven}}

// drawExchange draws a ring, a rank and an exchange of one of the given loops.
func drawExchange(d draw, loops int) (n, rank, k int) {
	n = d.from(3, 7)
	return n, d.IntN(n), d.from(1, loops*(n-1))
}

// exchanged says how exchange k of the sender follows from the first exchange of its loop, both as they were recorded.
func exchanged(chunks [][]chunk, rank, sender, k int) (number int, says facts) {
	n := len(chunks)
	first, at := chunks[sender][0].Number, k
	if k >= n {
		first, at = chunks[sender][n-1].Number, k-n+1
	}
	number = chunks[sender][k-1].Number
	return number, facts{"N": n, "i": rank, "k": k, "sender": sender, "gather": k >= n, "first": first, "at": at, "chunk": number}
}

func ringSends(d draw) (expected, facts) {
	n, rank, k := drawExchange(d, 2)
	sent, chunks := chunksOf(n)
	c, says := exchanged(chunks, rank, rank, k)
	to := sent[rank][k-1].To
	says["to"] = to
	return sequence(c, to), says
}

func ringReceives(d draw) (expected, facts) {
	n, rank, k := drawExchange(d, 2)
	sent, chunks := chunksOf(n)
	from := slices.IndexFunc(sent, func(m []message) bool { return m[k-1].To == rank })
	c, says := exchanged(chunks, rank, from, k)
	return sequence(c, from), says
}

func ringHolds(d draw) (expected, facts) {
	n, rank, k := drawExchange(d, 1)
	_, chunks := chunksOf(n)
	next := chunks[rank][k] // what came in exchange k, with the rank's own term, goes on in exchange k+1
	return set(next.Ranks), facts{"N": n, "i": rank, "k": k, "chunk": next.Number, "ranks": next.Ranks}
}

func ringComplete(d draw) (expected, facts) {
	n := d.from(3, 9)
	rank := d.IntN(n)
	_, chunks := chunksOf(n)
	c := chunks[rank][n-1]
	return whole(int64(c.Number), none), facts{"N": n, "i": rank, "chunk": c.Number, "ranks": c.Ranks}
}

func ringValues(d draw) (expected, facts) {
	n := d.from(3, 4)
	rank, k := d.IntN(n), d.from(1, n-1)
	vectors, drawn := make([][]float32, n), make([][]float32, n)
	for i := range vectors {
		vectors[i] = d.small(n)
		drawn[i] = slices.Clone(vectors[i])
	}
	held := ringOf(vectors)[rank][k].Held // as the next exchange begins
	return sequence(held...), facts{"N": n, "i": rank, "k": k, "x": drawn, "held": held}
}

func ringBytes(d draw) (expected, facts) {
	n := d.from(2, 12)
	k := n * d.from(2, 90) * 1000
	each := formula.RingBytes(n, float64(k))
	return whole(int64(each), bytes), facts{"N": n, "K": k, "exchanges": 2 * (n - 1), "chunk": k / n, "each": each}
}

func ringRagged(d draw) (expected, facts) {
	n := d.from(3, 6)
	length := n*d.from(1, 5) + d.from(1, n-1)
	rank := d.IntN(n)
	vectors := make([][]float32, n)
	var sizes []int
	for i := range vectors {
		vectors[i] = make([]float32, length)
		lo, hi := collective.Chunk(length, n, i)
		sizes = append(sizes, hi-lo)
	}
	total := 0
	var each []int
	for _, m := range ringOf(vectors)[rank] {
		each = append(each, m.Bytes)
		total += m.Bytes
	}
	return whole(int64(total), bytes), facts{"N": n, "L": length, "i": rank, "sizes": sizes, "element": vec.Bytes(1), "each": each, "total": total}
}

// link draws a bandwidth in bytes per second and a latency in seconds, and says them.
func link(d draw, n int) (b, alpha float64, says facts) {
	b, alpha = float64(d.from(1, 10))*1e8, float64(d.from(1, 20))*1e-4
	return b, alpha, facts{"N": n, "B": b, "delay": 1e3 * alpha, "exchanges": 2 * (n - 1)}
}

func ringSeconds(d draw) (expected, facts) {
	n := d.from(2, 10)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha, says := link(d, n)
	t := formula.RingTime(n, float64(k), alpha, b)
	says["K"], says["wire"], says["time"] = k, 1e3*float64(k/n)/b, t
	return about(t, seconds), says
}

func ringNaive(d draw) (expected, facts) {
	n := d.from(3, 12)
	k := n * d.from(1, 60) * 1_000_000
	b, alpha, says := link(d, n)
	t := formula.NaiveTime(n, float64(k), alpha, b)
	says["K"], says["wire"], says["time"], says["ring"] = k, 1e3*float64(k)/b, t, formula.RingTime(n, float64(k), alpha, b)
	return about(t, seconds), says
}

func ringBreakEven(d draw) (expected, facts) {
	n := d.from(3, 10)
	b, alpha, says := link(d, n)
	k := formula.BreakEven(n, alpha, b)
	says["both"], says["over"], says["under"], says["even"] = alpha*b, n*(n-2), (n-1)*(n-1), k
	return about(k, bytes), says
}

// message holds what one rank sent in one exchange.
type message struct {
	To    int
	Bytes int
	Body  []float32
	Held  []float32 // the rank's whole vector as it sent
}

// ringOf runs collective.RingAllReduce on one vector per rank and returns what each
// rank sent, by exchange. The vectors become the sum.
func ringOf(vectors [][]float32) [][]message {
	hosts := cluster.Uniform(len(vectors), cluster.Host{Name: "gpu", FLOPS: 1e12, Bandwidth: 1e9}, nil)
	sent, _, err := cluster.Run(context.Background(), virtual.New(hosts, virtual.Config{}), func(p cluster.Proc) (sent []message, bad error) {
		x := vectors[p.Rank()]
		note := func(to []int, m *cluster.Msg) {
			body := make([]float32, len(m.Body)/4)
			bad = cmp.Or(bad, vec.FromBytes(body, m.Body))
			sent = append(sent, message{to[0], len(m.Body), body, slices.Clone(x)})
		}
		err := collective.RingAllReduce(&kit.Spy{Proc: p, Sent: note}, 0, x)
		return sent, cmp.Or(err, bad)
	})
	return kit.Must(sent, err)
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
func chunksOf(n int) (sent [][]message, chunks [][]chunk) {
	vectors := make([][]float32, n)
	for rank := range vectors {
		for c := range n {
			vectors[rank] = append(vectors[rank], float32(uint32(1)<<rank), float32(c))
		}
	}
	sent, chunks = ringOf(vectors), make([][]chunk, n)
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
	return sent, chunks
}
