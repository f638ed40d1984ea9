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
	"gradsync/shared/cluster/virtual"
)

// The blog draws five GPUs; its statements are held against every size up to 16.
const stepperRanks, mostRanks = 5, 16

// steps records every transfer of the ring and holds it against the blog's text.
func steps() exp.Experiment {
	e := exp.Experiment{ID: "ring/steps", Title: "Every transfer of a ring of five", Source: "the blog, The Scatter-Reduce and The Allgather", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.1 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.Counted, map[string]any{"ranks": stepperRanks, "most": mostRanks, "elements_per_chunk": 2, "gantt_bytes": blogBytes, "gantt_link": blogLink})
		b := exp.Bar{Env: env, Total: mostRanks}
		var five recording
		broken := map[int][]string{}
		for n := 1; n <= mostRanks; n++ {
			r, err := record(ctx, n)
			if err != nil {
				return res, err
			}
			if f := faults(r); len(f) > 0 {
				broken[n] = f
			}
			if n == stepperRanks {
				five = r
			}
			b.Step(fmt.Sprintf("%d ranks", n))
		}
		spans, err := stepSpans(ctx)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{transferTable(five), stateTable(five), sentenceTable(five, broken)}
		res.Figures = []result.Figure{stepFigure(five, spans)}
		res.Claims = []result.Claim{judgeIterations(broken)}
		res.Notes = stepNotes(five, broken)
		res.Status = complete
		return res, nil
	}
	return e
}

// judgeIterations judges B09: broken are the sentences that the recordings of each
// size break.
func judgeIterations(broken map[int][]string) result.Claim {
	c, _ := claims.Get("B09")
	found, note := c.Value, fmt.Sprintf("counted from recorded messages at every N from 1 to %d", mostRanks)
	for n := 1; n <= mostRanks; n++ {
		for _, f := range broken[n] {
			if strings.HasPrefix(f, "iterations") {
				found, note = "another count", fmt.Sprintf("N = %d: %s", n, f)
			}
		}
	}
	return claims.Judge("B09", claims.Evidence{Value: found, Note: note})
}

// stepSpans times the exchange of the blog's 1.2 GB on five ideal links of 1 GB/s:
// [rank][step], when its chunk was on the way.
func stepSpans(ctx context.Context) ([][]cluster.Span, error) {
	_, trace, err := cluster.Run(ctx, virtual.New(ideal(stepperRanks, blogLink), virtual.Config{Trace: true}), func(p cluster.Proc) (struct{}, error) {
		return struct{}{}, collective.RingAllReduceTiming(p, 0, blogParams)
	})
	if err != nil {
		return nil, err
	}
	out := make([][]cluster.Span, stepperRanks)
	for _, s := range trace.Spans {
		if s.Kind == cluster.SpanSend {
			out[s.Rank] = append(out[s.Rank], s)
		}
	}
	return out, nil
}

func stepNotes(r recording, broken map[int][]string) []string {
	sizes := 0
	for n := 1; n <= mostRanks; n++ {
		if len(broken[n]) > 0 {
			sizes++
		}
	}
	first := fmt.Sprintf("The code's ring does what the blog's text says, at every number of GPUs from 1 to %d: its %d sentences on the schedule were held against messages that were recorded on their way.", mostRanks, len(blogSchedule))
	if sizes > 0 {
		first = fmt.Sprintf("The code's ring does not do what the blog's text says at %d of the sizes from 1 to %d; the table names the sentences.", sizes, mostRanks)
	}
	messages := 0
	for _, s := range r.Transfers {
		messages += len(s)
	}
	return []string{first,
		fmt.Sprintf("Five GPUs exchange %d messages in %d steps, all five links at work in every step: no GPU ever waits for another's turn, which is what the single reducer makes them do.", messages, len(r.Transfers[0])),
		"Each chunk makes N−1 hops to be summed and N−1 more to be known: both times it crosses all links of the ring but one. The GPU that completes chunk c is the one to the left of GPU c, so every GPU finishes another chunk.",
		"The translation prints “sends chunk N, receives chunk N−1” for GPU n; with the lower-case n of the figures the sentence is the one recorded here."}
}
