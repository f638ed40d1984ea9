package ring

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/tcp"
)

// socketsName is what carries the messages of socketCounts.
const socketsName = "TCP sockets"

// sockets is a runtime of n ranks of this process with connections between them on
// the loopback interface; frames of up to 1 MiB.
func sockets(n int) cluster.Runtime {
	return tcp.Loopback(n, tcp.Config{Chunk: 4 * pieceElements})
}

// summand is element i of a rank's vector; sums of 16 ranks are exact.
func summand(rank, i int) float32 { return float32(i%1009 + rank) }

// socketCounts sums real vectors over the plan's sizes and counts what was sent.
func socketCounts(ctx context.Context, plan costPlan, b *exp.Bar) ([]count, error) {
	var out []count
	for _, n := range plan.Ranks {
		_, trace, err := cluster.Run(ctx, sockets(n), func(p cluster.Proc) (struct{}, error) {
			return struct{}{}, sumAndCheck(p, plan.Elements)
		})
		if err != nil {
			return nil, fmt.Errorf("ring: %d ranks on %s: %w", n, socketsName, err)
		}
		c := newCount(n, plan.Elements, trace)
		if !plan.Kernel {
			c.Kernel = 0
		}
		out = append(out, c)
		b.Step(fmt.Sprintf("%s, %d ranks", socketsName, n))
	}
	return out, nil
}

// sumAndCheck all-reduces a vector in pieces of 1 MiB and refuses a wrong sum.
func sumAndCheck(p cluster.Proc, elements int) error {
	x := make([]float32, elements)
	for i := range x {
		x[i] = summand(p.Rank(), i)
	}
	if err := (collective.Ring{Segment: pieceElements}).AllReduce(p, 0, x); err != nil {
		return err
	}
	n := p.Size()
	for i, got := range x {
		if want := float32(n*(i%1009) + n*(n-1)/2); got != want {
			return fmt.Errorf("ring: rank %d, element %d: sum %g, want %g", p.Rank(), i, got, want)
		}
	}
	return nil
}

// wireShare is all bytes above TCP over the payload, rounded up to a thousandth; no
// number without payload or kernel.
func (c count) wireShare() float64 {
	if c.Kernel == 0 || c.total() == 0 {
		return math.NaN()
	}
	return math.Ceil(1000*float64(c.Kernel)/float64(c.total())) / 1000
}

func socketTable(plan costPlan, counts []count) result.Table {
	t := result.Table{ID: "sockets", Title: "The same on " + socketsName, Kind: result.Counted,
		Caption: fmt.Sprintf("Real vectors of %d numbers (a prime, so that chunks are ragged at every N), K = %d bytes, summed on %s in pieces of up to 1 MiB; every sum was checked. Payload: message bodies, counted by the runtime. Kernel: what the operating system says the sockets sent, rounded up to a thousandth.", plan.Elements, 4*plan.Elements, socketsName),
		Columns: []result.Column{{Key: "n", Title: "ranks"}, {Key: "least", Title: "least of a rank", Unit: "bytes"}, {Key: "most", Title: "most of a rank", Unit: "bytes"}, {Key: "total", Title: "payload of all ranks", Unit: "bytes"},
			{Key: "formula", Title: "2(N−1)·K", Unit: "bytes"}, {Key: "messages", Title: "messages"}, {Key: "headers", Title: "frame headers", Unit: "bytes"}, {Key: "wire", Title: "kernel's bytes / payload", Digits: 3}}}
	for _, c := range counts {
		least, most := c.bounds()
		t.Rows = append(t.Rows, []any{c.Ranks, least, most, c.total(), 8 * int64(c.Ranks-1) * int64(c.Elements), c.Messages, c.Header, exp.OrNone(c.wireShare())})
	}
	return t
}

// wireNote says what the kernel counted.
func wireNote(plan costPlan, counts []count) string {
	worst, at := 0.0, 0
	for _, c := range counts {
		if s := c.wireShare(); s > worst {
			worst, at = s, c.Ranks
		}
	}
	if !plan.Kernel {
		return "What the kernel itself counted is not in results of profile ci, as not every system counts; the other profiles have it."
	}
	if at == 0 {
		return fmt.Sprintf("The kernel of this system does not say what it sent over %s.", socketsName)
	}
	found := "within"
	if worst > wireLimit {
		found = "above"
	}
	return fmt.Sprintf("The kernel's own count of bytes sent, frame headers included and what set up the connections left out, is at most %.3f times the payload (N = %d), %s the limit of %.2f that was set before. Headers of TCP and IP are not in it.", worst, at, found, wireLimit)
}
