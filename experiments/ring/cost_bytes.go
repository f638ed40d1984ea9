package ring

import (
	"context"
	"fmt"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
)

// count is what the ranks of one all-reduce of Elements float32 sent.
type count struct {
	Ranks, Elements int
	Sent            []int64 // payload by rank
	Messages        int64   // of all ranks
	Header          int64   // bytes of frame headers, of all ranks
	Kernel          int64   // bytes above TCP, of all ranks; 0: no kernel carried them
}

func newCount(n, elements int, t *cluster.Trace) count {
	c := count{Ranks: n, Elements: elements}
	for _, s := range t.Sent {
		c.Sent = append(c.Sent, s.Bytes)
		c.Messages += s.Messages
		c.Header += s.Header
	}
	for _, k := range t.Kernel {
		c.Kernel += k
	}
	return c
}

func (c count) total() (sum int64) {
	for _, s := range c.Sent {
		sum += s
	}
	return sum
}

// bounds are the payloads of the ranks that sent least and most.
func (c count) bounds() (least, most int64) {
	least = c.Sent[0]
	for _, s := range c.Sent {
		least, most = min(least, s), max(most, s)
	}
	return least, most
}

// ragged is how far a rank's payload may be from 2(N−1)·K/N: it sends all chunks
// but one, twice, and a chunk is less than one element from K/N.
const ragged = 2 * 4

// wrong says in which way a count is not the formula's, "" if it is.
//
//	Σ_ranks = N · 2(N−1)K/N = 2(N−1)K,  |one rank − 2(N−1)K/N| < 2 elements
func (c count) wrong() string {
	k := 4 * int64(c.Elements)
	if want := 2 * int64(c.Ranks-1) * k; c.total() != want {
		return fmt.Sprintf("N = %d: %d bytes in all, formula %d", c.Ranks, c.total(), want)
	}
	each := formula.RingBytes(c.Ranks, float64(k))
	for rank, s := range c.Sent {
		if d := float64(s) - each; d <= -ragged || d >= ragged {
			return fmt.Sprintf("N = %d: rank %d sends %d bytes, formula %.2f", c.Ranks, rank, s, each)
		}
	}
	return ""
}

func wrongCounts(counts []count) (out []string) {
	for _, c := range counts {
		if w := c.wrong(); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// virtualCounts counts the ring of the blog's 300 million parameters.
func virtualCounts(ctx context.Context, b *exp.Bar) ([]count, error) {
	var out []count
	for n := 1; n <= mostRanks; n++ {
		t, err := onVirtual(ctx, ideal(n, blogLink), n, func(p cluster.Proc) error {
			return collective.RingAllReduceTiming(p, 0, blogParams)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, newCount(n, blogParams, &cluster.Trace{Sent: t.Sent}))
		b.Step(fmt.Sprintf("bytes of %d ranks", n))
	}
	return out, nil
}

// judgeBytes judges B08.
func judgeBytes(plan costPlan, virtual, wires []count) result.Claim {
	c, _ := claims.Get("B08")
	found := c.Value
	note := fmt.Sprintf("counted at every N from 1 to %d in virtual time (K = 1.2 GB) and at N = %s on %s (K = %d bytes): all ranks together send exactly N times it, each rank within two elements of it", mostRanks, listed(plan.Ranks), socketsName, 4*plan.Elements)
	if w := append(wrongCounts(virtual), wrongCounts(wires)...); len(w) > 0 {
		found, note = "another count", w[0]
	}
	return claims.Judge("B08", claims.Evidence{Value: found, Note: note})
}

func bytesTable(counts []count) result.Table {
	t := result.Table{ID: "bytes", Title: "2(N−1)·K/N against counted bytes, K = 1.2 GB", Kind: result.TimingOnly,
		Caption: "Payload of the ring's messages, counted at every rank's link in virtual time, without frame headers. Where N divides 300 million all ranks send the same; elsewhere chunks differ by one element of 4 bytes.",
		Columns: []result.Column{{Key: "n", Title: "GPUs"}, {Key: "formula", Title: "2(N−1)·K/N, bytes"}, {Key: "least", Title: "least of a rank", Unit: "bytes"}, {Key: "most", Title: "most of a rank", Unit: "bytes"},
			{Key: "total", Title: "all ranks", Unit: "bytes"}, {Key: "total_formula", Title: "N times the formula", Unit: "bytes"}, {Key: "messages", Title: "messages"}}}
	for _, c := range counts {
		least, most := c.bounds()
		k := 4 * int64(c.Elements)
		t.Rows = append(t.Rows, []any{c.Ranks, grouped(formula.RingBytes(c.Ranks, float64(k))), least, most, c.total(), 2 * int64(c.Ranks-1) * k, c.Messages})
	}
	return t
}

// listed spells sizes: "1 to 16", or "1, 2, 3, 8".
func listed(ns []int) string {
	last := len(ns) - 1
	if last > 0 && ns[last]-ns[0] == last {
		return fmt.Sprintf("%d to %d", ns[0], ns[last])
	}
	parts := make([]string, len(ns))
	for i, n := range ns {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ", ")
}

// grouped prints x with two decimals and its digits in threes, which a number of a
// result, of nine significant digits, would not keep.
func grouped(x float64) string {
	whole, rest, _ := strings.Cut(fmt.Sprintf("%.2f", x), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "\u202f" + whole[i:]
	}
	return whole + "." + rest
}
