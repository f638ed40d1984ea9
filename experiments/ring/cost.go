package ring

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/tcp"
)

// costPlan holds what a profile counts on sockets.
type costPlan struct {
	Elements int   `json:"elements"` // a prime, so that chunks are ragged at every N
	Ranks    []int `json:"ranks"`
	// Kernel asks the operating system what it sent. Profile ci does not: its results
	// are compared byte by byte on systems that keep no such count, too.
	Kernel bool `json:"kernel"`
}

// pieceElements is 1 MiB, the size of the messages on sockets.
const pieceElements = 1 << 18

// wireLimit bounds all bytes above TCP, relative to the payload.
const wireLimit = 1.02

func planCost(profile string) costPlan {
	if profile == "ci" {
		return costPlan{Elements: 1<<20 - 3, Ranks: []int{1, 2, 3, 8}}
	}
	return costPlan{Elements: 1<<22 - 3, Kernel: true, Ranks: oneTo(mostRanks)}
}

// cost counts what the ring moves and times what the single reducer costs.
func cost() exp.Experiment {
	return kit.Inquiry{ID: "ring/cost", Source: "the blog, The Communication Problem and Allreduce Communication Cost", Kind: result.Counted,
		Profiles: exp.Profiles, Seedless: true, Run: runCost,
		Seconds: func(profile string, _ int) float64 {
			p, sum := planCost(profile), 0
			for _, n := range p.Ranks {
				sum += 2 * n * p.Elements
			}
			return 0.3 + float64(sum)*4/0.4e9
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"blog_bytes": blogBytes, "blog_link": blogLink, "links": costLinks,
				"sockets": planCost(profile), "piece_elements": pieceElements, "wire_limit": wireLimit}
		}}.Experiment()
}

func runCost(ctx context.Context, env exp.Env, r *result.Result) error {
	plan := planCost(env.Profile)
	b := exp.Bar{Env: env, Total: float64(mostRanks - 1 + len(costLinks) + mostRanks + len(plan.Ranks))}
	times, err := kit.Sweep(&b, oneTo(mostRanks)[1:], func(n int) (costTime, error) { return costAt(ctx, n, blogLink) })
	if err != nil {
		return err
	}
	links, err := kit.Sweep(&b, costLinks, func(l costLink) (costTime, error) {
		two, err := costAt(ctx, 2, l.Bandwidth)
		if err != nil {
			return two, err
		}
		ten, err := costAt(ctx, 10, l.Bandwidth)
		ten.costLink, ten.One = l, two.Gather
		return ten, err
	})
	if err != nil {
		return err
	}
	virtual, err := virtualCounts(ctx, &b)
	if err != nil {
		return err
	}
	wires, err := socketCounts(ctx, plan, &b)
	if err != nil {
		return err
	}
	r.Frames = []result.Frame{kit.As(result.TimingOnly, countFrame("bytes", virtual)), countFrame("sockets", wires), naiveFrame(times), linkFrame(links)}
	r.Figures = []result.Figure{{ID: "naive-time", Form: "line", Frame: "naive", X: "n", Y: []string{"gather_timed", "both_timed", "ring_timed"}}}
	r.Claims = append(judgeTimes(times, links), judgeBytes(plan, virtual, wires))
	r.Facts = append(costFacts(times), countFacts(plan, virtual, wires)...)
	return nil
}

// costLink is one of the links that the blog names.
type costLink struct {
	Claim     string  `json:"claim"`
	Key       string  `json:"key"`
	Bandwidth float64 `json:"bandwidth"` // bytes per second, as the blog states it
	Unit      float64 `json:"unit"`      // of the claim, bytes per second
}

var costLinks = []costLink{{"B06", "internet", 15e6, 1e6}, {"B07", "ethernet", 125e6, 1e6}, {"B03", "example", blogLink, 1e9}}

// costTime is how long the exchanges of the blog's 1.2 GB last on ideal links, in seconds
// of virtual time.
type costTime struct {
	costLink
	Ranks              int
	Gather, Both, Ring float64
	One                float64 // one transfer
}

// got returns the bandwidth that one transfer of 1.2 GB really got.
func (t costTime) got() float64 { return blogBytes / t.One }

func costAt(ctx context.Context, n int, bandwidth float64) (t costTime, err error) {
	seconds, p := stopwatch(ctx, &err), ideal(n, bandwidth)
	t.Ranks, t.Both, t.Ring = n, seconds(p, n, naiveOf(blogParams)), seconds(p, n, ringOf(blogParams))
	t.Gather = seconds(p, n, func(p cluster.Proc) error { return collective.NaiveGatherTiming(p, 0, 0, blogParams) })
	return t, err
}

// The blog's examples of the single reducer.
const fewRanks, manyRanks = 2, 10

// judgeTimes judges B04 and B05 by the direction that the blog counts, and the links that
// the platform takes over.
func judgeTimes(times, links []costTime) (out []result.Claim) {
	for i, t := range []costTime{times[fewRanks-2], times[manyRanks-2]} {
		out = append(out, claims.Verdict([]string{"B04", "B05"}[i], claims.Found{Values: []float64{t.Gather}},
			result.Because("gather-alone"), result.Because("gather-both", "both", t.Both, "ring", t.Ring)))
	}
	for _, l := range links {
		out = append(out, taken(l.Claim, l.got()/l.Unit, result.Because("taken-over", "gigabytes", blogBytes/1e9, "hop", "")))
	}
	return out
}

// naiveFrame sets both readings of the single reducer beside their closed forms.
func naiveFrame(times []costTime) result.Frame {
	head := "n gather/s.3 gather_timed/s.3 both/s.3 both_timed/s.3 ring/s.3 ring_timed/s.3"
	return kit.As(result.TimingOnly, kit.Rows("naive", head, times, func(t costTime) []any {
		return []any{t.Ranks, formula.NaiveGatherTime(t.Ranks, blogBytes, 0, blogLink), t.Gather,
			formula.NaiveTime(t.Ranks, blogBytes, 0, blogLink), t.Both, formula.RingTime(t.Ranks, blogBytes, 0, blogLink), t.Ring}
	}))
}

func linkFrame(links []costTime) result.Frame {
	head := "link:link stated/MB/s.0 got/MB/s.3 one/s.2 naive10/s.1 ring10/s.2"
	return kit.As(result.TimingOnly, kit.Rows("links", head, links, func(t costTime) []any {
		return []any{t.Key, t.Bandwidth / 1e6, t.got() / 1e6, t.One, t.Both, t.Ring}
	}))
}

func costFacts(times []costTime) []result.Fact {
	many := times[manyRanks-2]
	return kit.Facts("few", fewRanks, "many", manyRanks, "bytes/GB", blogBytes/1e9, "link/GB/s", blogLink/1e9, "millions", blogParams/1_000_000,
		"limit/s.1", 2*blogBytes/blogLink, "of_reducer/%.0", 100*many.Ring/many.Both)
}

// countFacts returns the facts whether every byte is accounted for, and what the kernel counted.
func countFacts(plan costPlan, virtual, wires []byteCount) []result.Fact {
	worst, at := math.NaN(), math.NaN()
	for _, c := range wires {
		if s := c.wireShare(); !math.IsNaN(s) && !(s <= worst) {
			worst, at = s, float64(c.Ranks)
		}
	}
	kernel := "within"
	switch {
	case !plan.Kernel:
		kernel = "not-asked"
	case math.IsNaN(worst):
		kernel = "silent"
	case worst > wireLimit:
		kernel = "above"
	}
	apart := 0.0 // elements of a rank from 2(N−1)·K/N
	for _, c := range slices.Concat(virtual, wires) {
		for _, s := range c.Sent {
			apart = max(apart, math.Abs(float64(s)-c.each())/4)
		}
	}
	return kit.Facts("fewest", oneTo(mostRanks)[0], "apart/.1", apart, "most", mostRanks, "sizes", len(plan.Ranks), "sockets", plan.Ranks[len(plan.Ranks)-1],
		"accounted", wrongCount(virtual, wires) == nil, "elements", plan.Elements, "elements_bytes/bytes", 4*plan.Elements,
		"header/bytes", cluster.HeaderBytes, "kernel:kernel", kernel, "wire/.3", worst, "wire_at/.0", at, "wire_limit/.2", wireLimit)
}

// byteCount holds what the ranks of one all-reduce of Elements float32 sent.
type byteCount struct {
	Ranks, Elements int
	Sent            []int64 // payload by rank
	Messages        int64   // of all ranks
	Header          int64   // bytes of frame headers, of all ranks
	Kernel          int64   // bytes above TCP, of all ranks; 0: no kernel carried them
}

func newCount(n, elements int, t *cluster.Trace) byteCount {
	c := byteCount{Ranks: n, Elements: elements}
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

func (c byteCount) total() (sum int64) {
	for _, s := range c.Sent {
		sum += s
	}
	return sum
}

// want returns the payload of all ranks by the formula, N · 2(N−1)K/N = 2(N−1)K.
func (c byteCount) want() int64 { return 2 * int64(c.Ranks-1) * 4 * int64(c.Elements) }

// each returns the payload of one rank by the formula.
func (c byteCount) each() float64 { return formula.RingBytes(c.Ranks, 4*float64(c.Elements)) }

// ragged is how far a rank's payload may be from 2(N−1)·K/N: it sends all chunks but one,
// twice, and a chunk is less than one element from K/N.
const ragged = 2 * 4

// wrong reports in which way a count is not the formula's, nil if it is:
//
//	Σ_ranks = N · 2(N−1)K/N = 2(N−1)K,  |one rank − 2(N−1)K/N| < 2 elements
func (c byteCount) wrong() *result.Reason {
	bad := func(code string, rank int, sent int64, want float64) *result.Reason {
		r := result.Because(code, "n", c.Ranks, "rank", rank, "sent", float64(sent), "want", want)
		return &r
	}
	if c.total() != c.want() {
		return bad("B08-total", -1, c.total(), float64(c.want()))
	}
	for rank, s := range c.Sent {
		if d := float64(s) - c.each(); d <= -ragged || d >= ragged {
			return bad("B08-rank", rank, s, c.each())
		}
	}
	return nil
}

// wrongCount returns the first fault, nil if nothing is.
func wrongCount(lists ...[]byteCount) *result.Reason {
	for _, c := range slices.Concat(lists...) {
		if w := c.wrong(); w != nil {
			return w
		}
	}
	return nil
}

// virtualCounts counts the ring of the blog's 300 million parameters.
func virtualCounts(ctx context.Context, b *exp.Bar) ([]byteCount, error) {
	return kit.Sweep(b, oneTo(mostRanks), func(n int) (byteCount, error) {
		t, err := onVirtual(ctx, ideal(n, blogLink), n, ringOf(blogParams))
		return newCount(n, blogParams, &cluster.Trace{Sent: t.Sent}), err
	})
}

// judgeBytes judges B08.
func judgeBytes(plan costPlan, virtual, wires []byteCount) result.Claim {
	if w := wrongCount(virtual, wires); w != nil {
		return claims.Verdict("B08", claims.Identity(false, *w))
	}
	return claims.Verdict("B08", claims.Identity(true, result.Reason{}), result.Because("B08", "most", mostRanks, "gigabytes", blogBytes/1e9,
		"sizes", len(plan.Ranks), "last", plan.Ranks[len(plan.Ranks)-1], "bytes", 4*plan.Elements))
}

// countFrame sets counted bytes beside the formula's; where sockets carried them, with
// headers and the kernel's own count.
func countFrame(id string, counts []byteCount) result.Frame {
	head := "n formula/bytes least/bytes most/bytes total/bytes total_formula/bytes messages"
	if id == "sockets" {
		head += " headers/bytes wire/.3"
	}
	return kit.Rows(id, head, counts, func(c byteCount) []any {
		row := []any{c.Ranks, int64(math.Round(c.each())), slices.Min(c.Sent), slices.Max(c.Sent), c.total(), c.want(), c.Messages, c.Header, c.wireShare()}
		return row[:len(strings.Fields(head))]
	})
}

// socketCounts sums real vectors over the plan's sizes, in frames of up to 1 MiB over the
// loopback interface, and counts what was sent.
func socketCounts(ctx context.Context, plan costPlan, b *exp.Bar) ([]byteCount, error) {
	return kit.Sweep(b, plan.Ranks, func(n int) (c byteCount, err error) {
		_, trace, err := cluster.Run(ctx, tcp.Loopback(n, tcp.Config{Chunk: 4 * pieceElements}), func(p cluster.Proc) (struct{}, error) {
			return struct{}{}, sumAndCheck(p, plan.Elements)
		})
		if err != nil {
			return c, fmt.Errorf("%d ranks on TCP sockets: %w", n, err)
		}
		if c = newCount(n, plan.Elements, trace); !plan.Kernel {
			c.Kernel = 0
		}
		return c, nil
	})
}

// sumAndCheck all-reduces a vector in pieces of 1 MiB and refuses a wrong sum; sums of up to 16
// ranks are exact.
func sumAndCheck(p cluster.Proc, elements int) error {
	x := make([]float32, elements)
	for i := range x {
		x[i] = float32(i%1009 + p.Rank())
	}
	if err := (collective.Ring{Segment: pieceElements}).AllReduce(p, 0, x); err != nil {
		return err
	}
	n := p.Size()
	for i, got := range x {
		if want := float32(n*(i%1009) + n*(n-1)/2); got != want {
			return fmt.Errorf("rank %d, element %d: sum %g, want %g", p.Rank(), i, got, want)
		}
	}
	return nil
}

// wireShare returns all bytes above TCP over the payload, rounded up to a thousandth; no
// number without payload or kernel.
func (c byteCount) wireShare() float64 {
	if c.Kernel == 0 || c.total() == 0 {
		return math.NaN()
	}
	return math.Ceil(1000*float64(c.Kernel)/float64(c.total())) / 1000
}
