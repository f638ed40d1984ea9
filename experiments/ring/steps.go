package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The blog draws five GPUs; its statements are held against every size up to 16.
const stepperRanks, mostRanks = 5, 16

// steps records every transfer of the ring and holds it against the blog's text.
func steps() exp.Experiment {
	return kit.Inquiry{ID: "ring/steps", Source: "the blog, The Scatter-Reduce and The Allgather", Kind: result.Counted,
		Profiles: exp.Profiles, Seedless: true, Run: runSteps,
		Seconds: func(string, int) float64 { return 0.1 },
		Config: func(string) map[string]any {
			return map[string]any{"ranks": stepperRanks, "most": mostRanks, "elements_per_chunk": 2, "gantt_bytes": blogBytes, "gantt_link": blogLink}
		}}.Experiment()
}

func runSteps(ctx context.Context, env exp.Env, r *result.Result) error {
	b := exp.Bar{Env: env, Total: mostRanks}
	all, err := kit.Sweep(&b, oneTo(mostRanks), func(n int) (recording, error) { return record(ctx, n) })
	if err != nil {
		return err
	}
	five, broken, sizes := all[stepperRanks-1], map[string][]int{}, map[int]bool{} // the sizes that break a sentence, or any
	for i, rec := range all {
		for _, s := range blogSchedule {
			if !s.holds(rec) {
				broken[s.key], sizes[i] = append(broken[s.key], i+1), true
			}
		}
	}
	bands, err := stepBands(ctx, five)
	if err != nil {
		return err
	}
	r.Frames = []result.Frame{transferFrame(five), stateFrame(five), sentenceFrame(broken), bandFrame(bands)}
	r.Figures = []result.Figure{{ID: "ring-of-five", Form: "gantt", Frame: "bands", X: "from", Y: []string{"until"},
		Lane: "lane", State: "loop", Label: "chunk"}}
	r.Claims = []result.Claim{judgeIterations(broken)}
	busy, end := 0.0, 0.0
	for _, x := range bands {
		busy, end = busy+x.Span.To.Seconds()-x.Span.From.Seconds(), max(end, x.Span.To.Seconds())
	}
	r.Facts = kit.Facts("gpus", stepperRanks, "most", mostRanks, "sentences", len(blogSchedule), "as_stated", len(sizes) == 0,
		"sizes_broken", len(sizes), "messages", len(bands), "steps", len(five.Transfers[0]), "bytes/GB", blogBytes/1e9,
		"chunk/GB", blogBytes/1e9/stepperRanks, "link/GB/s", blogLink/1e9, "seconds/s.2", end, "busy/%.0", 100*busy/(end*stepperRanks))
	return nil
}

// sentence is one statement of the blog about the schedule, and what it asks of every
// exchange and of every GPU; nil asks nothing.
type sentence struct {
	key      string
	exchange func(r recording, i int, t transfer) bool
	gpu      func(r recording, rank int) bool
}

// blogSchedule lists what the blog says of its two loops, in its order. The text prints N for n in
// "sends chunk N": its figures, and baidu-allreduce, have n.
var blogSchedule = []sentence{
	// each GPU makes N−1 exchanges that add and then N−1 that overwrite
	{"iterations", func(r recording, i int, t transfer) bool { return t.adds() == (i < r.ranks()-1) },
		func(r recording, rank int) bool { return len(r.Transfers[rank]) == 2*(r.ranks()-1) }},
	// it sends to its right neighbour only and receives from its left
	{"neighbours", func(r recording, _ int, t transfer) bool { return t.To == r.mod(t.Rank+1) && t.From == r.mod(t.Rank-1) }, nil},
	// in the first exchange GPU n sends chunk n and receives chunk n−1
	{"first", func(r recording, i int, t transfer) bool { return i != 0 || t.moves(r, 0) }, nil},
	// every later exchange sends the chunk that the one before received, and so goes backwards
	{"forward", func(r recording, i int, t transfer) bool {
		return i == 0 || t.Sent.Chunk == r.Transfers[t.Rank][i-1].Received.Chunk
	}, nil},
	// after exchange i of the first loop the received chunk is the sum of i+1 GPUs' chunks
	{"pairs", func(r recording, i int, t transfer) bool {
		return i >= len(r.Transfers[t.Rank])/2 || t.After.count() == i+2
	}, nil},
	// after the first loop each GPU has one chunk with all contributions
	{"complete", nil, func(r recording, rank int) bool {
		return r.complete(rank, min(r.ranks()-1, len(r.States[rank])-1)) == 1
	}},
	// the first exchange of the second loop sends chunk n+1 and receives chunk n
	{"gather", func(r recording, i int, t transfer) bool { return i != r.ranks()-1 || t.moves(r, 1) }, nil},
	// after the second loop every GPU has every chunk with all contributions
	{"all", nil, func(r recording, rank int) bool { return r.complete(rank, len(r.States[rank])-1) == r.ranks() }},
}

func (r recording) ranks() int { return len(r.Transfers) }

func (r recording) mod(rank int) int { return (rank + r.ranks()) % r.ranks() }

// complete counts rank's chunks that hold all contributions before step at.
func (r recording) complete(rank, at int) int {
	return kit.CountIf(r.States[rank][at], func(h holding) bool { return h.count() == r.ranks() })
}

// moves reports whether t sends the chunk `ahead` of its GPU and receives the one before.
func (t transfer) moves(r recording, ahead int) bool {
	return t.Sent.Chunk == r.mod(t.Rank+ahead) && t.Received.Chunk == r.mod(t.Rank+ahead-1)
}

// holds reports whether a recording is as the sentence says.
func (s sentence) holds(r recording) bool {
	for rank, steps := range r.Transfers {
		if s.gpu != nil && !s.gpu(r, rank) {
			return false
		}
		for i, t := range steps {
			if s.exchange != nil && !s.exchange(r, i, t) {
				return false
			}
		}
	}
	return true
}

// judgeIterations judges B09: broken are the sizes that break each sentence.
func judgeIterations(broken map[string][]int) result.Claim {
	bad := broken["iterations"]
	found := claims.Identity(len(bad) == 0, result.Because("B09-other", "sizes", bad))
	return claims.Verdict("B09", found, result.Because("B09", "most", mostRanks))
}

// timedTransfer is a transfer with the time that its chunk was on the way.
type timedTransfer struct {
	transfer
	Span cluster.Span
}

// stepBands times the exchange of the blog's 1.2 GB on five ideal links of 1 GB/s.
func stepBands(ctx context.Context, r recording) (out []timedTransfer, err error) {
	t, err := onCluster(ctx, ideal(stepperRanks, blogLink), virtual.Config{Trace: true}, ringOf(blogParams))
	for rank := range r.Transfers {
		step := 0
		for _, s := range t.Spans {
			if s.Rank == rank && s.Kind == cluster.SpanSend {
				out = append(out, timedTransfer{r.Transfers[rank][step], s})
				step++
			}
		}
	}
	return out, err
}

// loopOf returns the half of an all-reduce of n GPUs that a step belongs to.
func loopOf(n, step int) string {
	switch {
	case step < 0:
		return "start"
	case step < n-1:
		return "reduce-scatter"
	}
	return "all-gather"
}

// transferFrame lists every transfer.
func transferFrame(r recording) result.Frame {
	s := kit.NewSheet("transfers", "step gpu loop:loop sends sent_holds to receives from how:how holds")
	for step := range r.Transfers[0] {
		for rank := range r.Transfers {
			t, how := r.Transfers[rank][step], "overwrites"
			if t.adds() {
				how = "adds"
			}
			s.Add(t.Step, t.Rank, loopOf(r.ranks(), t.Step), t.Sent.Chunk, t.Sent.Holds.String(), t.To, t.Received.Chunk, t.From, how, t.After.String())
		}
	}
	return s.Frame
}

// stateFrame lists what all chunks hold after each step; −1 is before the first.
func stateFrame(r recording) result.Frame {
	head := "step loop:loop gpu"
	for c := range r.Transfers {
		head += fmt.Sprintf(" chunk%d", c)
	}
	s := kit.NewSheet("states", head)
	for at := range r.States[0] {
		for rank := range r.States {
			row := []any{at - 1, loopOf(r.ranks(), at-1), rank}
			for _, h := range r.States[rank][at] {
				row = append(row, h.String())
			}
			s.Add(row...)
		}
	}
	return s.Frame
}

// sentenceFrame holds the blog's sentences against the recordings.
func sentenceFrame(broken map[string][]int) result.Frame {
	return kit.Rows("sentences", "sentence:sentence stated:bool broken", blogSchedule, func(s sentence) []any {
		return []any{s.key, len(broken[s.key]) == 0, len(broken[s.key])}
	})
}

// bandFrame returns the frame of when each chunk is on which link.
func bandFrame(bands []timedTransfer) result.Frame {
	return kit.As(result.TimingOnly, kit.Rows("bands", "lane gpu step loop:loop chunk holds to from/s until/s", bands, func(x timedTransfer) []any {
		return []any{fmt.Sprintf("GPU-%d", x.Rank), x.Rank, x.Step, loopOf(stepperRanks, x.Step), x.Sent.Chunk, x.Sent.Holds.String(), x.To,
			x.Span.From.Seconds(), x.Span.To.Seconds()}
	}))
}
