package ring

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// overlapGPUs are the sizes whose time lines are drawn: one node, and all.
var overlapGPUs = []int{blogPerNode, blogGPUs}

// overlapPlan is what a profile compares.
type overlapPlan struct {
	Stacks  []stack `json:"stacks"`
	Buckets []int   `json:"buckets"` // bytes; 0: layer by layer; blogBytes: all at once
}

func planOverlap(profile string) overlapPlan {
	if profile == "ci" {
		return overlapPlan{Stacks: []stack{deepSpeech()}, Buckets: []int{0, 400e6, blogBytes}}
	}
	return overlapPlan{Stacks: []stack{deepSpeech(), evenly(300)}, Buckets: []int{0, 25e6, 100e6, 400e6, blogBytes}}
}

// lineOf is one iteration, with overlap or without, and its time line.
type lineOf struct {
	it   iteration
	gpus int
	lap  lap
}

// bucketed is one size of buckets at 40 GPUs.
type bucketed struct {
	Stack          stack
	Bucket, Count  int
	Overlap, Plain float64 // seconds
}

func (b bucketed) hidden() float64 { return (b.Plain - b.Overlap) / (b.Plain - blogSingle) }

// bucketName spells a size.
func bucketName(bytes int) string {
	switch bytes {
	case 0:
		return "each layer"
	case blogBytes:
		return "all at once"
	}
	return fmt.Sprintf("≥ %d MB", bytes/1e6)
}

// overlap draws one iteration, and asks how large the pieces should be.
func overlap() exp.Experiment {
	e := exp.Experiment{ID: "ring/overlap", Title: "Exchange while computing", Source: "the blog, Applying the Allreduce to Deep Learning", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "ci" {
			return 1
		}
		return 5
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan, p := planOverlap(env.Profile), calm(blogCluster())
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"plan": plan, "platform": p, "gpus": overlapGPUs, "single": blogSingle})
		b := exp.Bar{Env: env, Total: float64(2*len(overlapGPUs) + len(plan.Stacks)*len(plan.Buckets))}
		var pairs [][2]lineOf
		for _, n := range overlapGPUs {
			var pair [2]lineOf
			for i, over := range []bool{true, false} {
				it := iteration{Stack: deepSpeech(), Overlap: over, Steps: 1, Trace: true}
				l, err := it.run(ctx, p, n)
				if err != nil {
					return res, err
				}
				pair[i] = lineOf{it, n, l}
				b.Step(fmt.Sprintf("time line of %d GPUs", n))
			}
			pairs = append(pairs, pair)
			res.Figures = append(res.Figures, overlapLine(pair))
		}
		var rows []bucketed
		for _, s := range plan.Stacks {
			for _, size := range plan.Buckets {
				x := bucketed{Stack: s, Bucket: size}
				for i, into := range []*float64{&x.Overlap, &x.Plain} {
					it := iteration{Stack: s, Overlap: i == 0, Bucket: size, Steps: 1}
					l, err := it.run(ctx, p, blogGPUs)
					if err != nil {
						return res, err
					}
					*into, x.Count = l.Seconds, len(it.buckets())
				}
				rows = append(rows, x)
				b.Step(s.Title + ", " + bucketName(size))
			}
		}
		res.Tables = []result.Table{overlapTable(pairs), bucketTable(rows)}
		res.Figures = append(res.Figures, bucketFigure(plan, rows))
		res.Notes = overlapNotes(pairs, rows)
		res.Status = complete
		return res, nil
	}
	return e
}

func overlapNotes(pairs [][2]lineOf, rows []bucketed) []string {
	var notes []string
	for _, p := range pairs {
		with, without := p[0].lap.Seconds, p[1].lap.Seconds
		first, _ := busy(p[0])
		notes = append(notes, fmt.Sprintf("On %d GPUs an iteration takes %.0f ms with overlap and %.0f ms without: %.0f of %.0f ms of exchange hide behind the backward pass. The first layer with parameters worth sending is ready after %.0f ms.",
			p[0].gpus, 1e3*with, 1e3*without, 1e3*(without-with), 1e3*(without-blogSingle), 1e3*first))
	}
	best, worst := map[string]bucketed{}, map[string]bucketed{}
	var order []string
	for _, r := range rows {
		k := r.Stack.Title
		if _, seen := best[k]; !seen {
			order, best[k], worst[k] = append(order, k), r, r
		}
		if r.Overlap < best[k].Overlap {
			best[k] = r
		}
		if r.Overlap > worst[k].Overlap {
			worst[k] = r
		}
	}
	for _, k := range order {
		a, z := best[k], worst[k]
		notes = append(notes, fmt.Sprintf("Network “%s”, 40 GPUs: the best size of a bucket here is %s (%d messages to start per iteration and GPU, %.1f ms%s), the worst %s (%.1f ms).",
			k, bucketName(a.Bucket), a.Count*2*(blogGPUs-1), 1e3*a.Overlap, tied(rows, a), bucketName(z.Bucket), 1e3*z.Overlap))
	}
	fine, whole := rows[len(rows)-len(rows)/len(order)], rows[len(rows)-1]
	return append(notes, fmt.Sprintf("All at once is no overlap at all: the last gradient closes the bucket. Small buckets begin early and pay latency more often: without overlap %d exchanges take %.1f ms longer than one.", fine.Count, 1e3*(fine.Plain-whole.Plain)))
}

// tieWithin is how near two iterations are that tie, in seconds.
const tieWithin = 0.05e-3

// tied names the other sizes with which the same network takes as long as a.
func tied(rows []bucketed, a bucketed) string {
	var names []string
	for _, r := range rows {
		if r.Stack.Title == a.Stack.Title && r.Bucket != a.Bucket && math.Abs(r.Overlap-a.Overlap) <= tieWithin {
			names = append(names, bucketName(r.Bucket))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it ties with " + strings.Join(names, " and ")
}
