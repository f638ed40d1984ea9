package ring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// overlapGPUs are the sizes whose time lines are drawn: one node, and all.
var overlapGPUs = []int{blogPerNode, blogGPUs}

// overlapPlan is what a profile compares.
type overlapPlan struct {
	Stacks  []stack  `json:"stacks"`
	Buckets []parcel `json:"buckets"`
}

// parcel is how much is exchanged at once: 0 bytes is layer by layer.
type parcel struct {
	Key   string `json:"key"`
	Bytes int    `json:"bytes"`
}

func planOverlap(profile string) overlapPlan {
	p := overlapPlan{Stacks: []stack{deepSpeech(), evenly(300)},
		Buckets: []parcel{{"layer", 0}, {"25MB", 25e6}, {"100MB", 100e6}, {"400MB", 400e6}, {"whole", blogBytes}}}
	if profile == "ci" {
		p.Stacks, p.Buckets = p.Stacks[:1], []parcel{p.Buckets[0], p.Buckets[3], p.Buckets[4]}
	}
	return p
}

// line is one iteration with its time line.
type line struct {
	iteration
	gpus int
	lap  lap
}

// bucketed is one size of buckets on all GPUs.
type bucketed struct {
	Stack          stack
	Bucket         parcel
	Count          int
	Overlap, Plain float64 // milliseconds of an iteration with overlap and without
}

// overlap draws one iteration, and asks how large the pieces should be.
func overlap() exp.Experiment {
	return kit.Inquiry{ID: "ring/overlap", Source: "the blog, Applying the Allreduce to Deep Learning", Kind: result.TimingOnly,
		Profiles: exp.Profiles, Seedless: true, Run: runOverlap,
		Seconds: func(profile string, _ int) float64 {
			if profile == "ci" {
				return 1
			}
			return 5
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planOverlap(profile), "platform": kit.Platform(blogCluster()), "jitter": 0,
				"gpus": overlapGPUs, "single": blogSingle}
		}}.Experiment()
}

func runOverlap(ctx context.Context, env exp.Env, r *result.Result) error {
	plan, p := planOverlap(env.Profile), calm(blogCluster())
	b := exp.Bar{Env: env, Total: float64(2*len(overlapGPUs) + len(plan.Stacks)*len(plan.Buckets))}
	var pairs [][2]line // with overlap and without
	for _, n := range overlapGPUs {
		var pair [2]line
		for i, over := range []bool{true, false} {
			it := iteration{Stack: deepSpeech(), Overlap: over, Steps: 1, Trace: true}
			l, err := it.run(ctx, p, n)
			if err != nil {
				return err
			}
			pair[i] = line{it, n, l}
			b.Step(fmt.Sprintf("time line of %d GPUs", n))
		}
		pairs = append(pairs, pair)
		r.Figures = append(r.Figures, result.Figure{ID: fmt.Sprintf("iteration-%d", n), Form: "gantt", Frame: "bands", Where: map[string]any{"n": n},
			X: "from", Y: []string{"until"}, Lane: "lane", State: "state", Label: "layer"})
	}
	var rows []bucketed
	for _, s := range plan.Stacks {
		for _, size := range plan.Buckets {
			x := bucketed{Stack: s, Bucket: size}
			for i, into := range []*float64{&x.Overlap, &x.Plain} {
				it := iteration{Stack: s, Overlap: i == 0, Bucket: size.Bytes, Steps: 1}
				l, err := it.run(ctx, p, blogGPUs)
				if err != nil {
					return err
				}
				*into, x.Count = 1e3*l.Seconds, len(it.buckets())
			}
			rows = append(rows, x)
			b.Step(s.Key + ", " + size.Key)
		}
	}
	r.Frames = []result.Frame{hiddenFrame(pairs), bucketFrame(rows), lineFrame(pairs)}
	r.Figures = append(r.Figures, result.Figure{ID: "buckets-time", Form: "bar", Frame: "buckets", X: "bucket", Y: []string{"overlap"}, By: []string{"stack"}})
	whole := rows[len(rows)-1]
	fine := rows[len(rows)-len(plan.Buckets)]
	r.Facts = []result.Fact{kit.Counted("gpus", "", blogGPUs), kit.Counted("per_node", "", blogPerNode), kit.Counted("nodes", "", blogGPUs/blogPerNode),
		kit.Number("single", "ms", 0, 1e3*blogSingle), kit.Counted("millions", "", blogParams/1_000_000),
		kit.Counted("exchanges", "", fine.Count), kit.Number("longer", "ms", 1, fine.Plain-whole.Plain)}
	return nil
}

// stretch is one bucket's exchange at GPU 0: its first byte out or in to its last.
type stretch struct {
	name     string
	from, to float64 // seconds
}

// exchanges returns the buckets' stretches at GPU 0, in order.
func (l line) exchanges() []stretch {
	buckets := l.buckets()
	out := make([]stretch, len(buckets))
	for i, b := range buckets {
		out[i] = stretch{name: l.name(b), from: math.Inf(1)}
	}
	for _, s := range l.lap.Trace.Spans {
		if s.Rank != 0 || s.Kind != cluster.SpanSend && s.Kind != cluster.SpanRecv {
			continue
		}
		x := &out[s.Tag]
		x.from, x.to = math.Min(x.from, s.From.Seconds()), math.Max(x.to, s.To.Seconds())
	}
	return out
}

// worthwhile is the least exchange that a sentence speaks of, in seconds.
const worthwhile = 1e-3

// first returns when the first exchange worth a millisecond begins at GPU 0.
func (l line) first() float64 {
	first := math.Inf(1)
	for _, x := range l.exchanges() {
		if x.to-x.from >= worthwhile {
			first = math.Min(first, x.from)
		}
	}
	return first
}

// stripe is a band of a time line, in milliseconds.
type stripe struct {
	GPUs               int
	Lane, State, Layer string
	From, To           float64
}

// stripes returns what GPU 0's device and links do.
func (l line) stripes() (out []stripe) {
	lane := map[bool]string{true: "overlap", false: "plain"}[l.Overlap]
	stage, blocks := 0, l.Stack.Blocks
	for _, s := range l.lap.Trace.Spans {
		if s.Rank != 0 || s.Kind != cluster.SpanCompute {
			continue
		}
		x := stripe{l.gpus, "computes-" + lane, "backward", "", 1e3 * s.From.Seconds(), 1e3 * s.To.Seconds()}
		switch {
		case stage == 0:
			x.State = "forward"
		case stage <= len(blocks):
			x.Layer = blocks[len(blocks)-stage].Name
		default:
			x.State = "update"
		}
		out = append(out, x)
		stage++
	}
	for _, x := range l.exchanges() {
		out = append(out, stripe{l.gpus, "exchanges-" + lane, "all-reduce", x.name, 1e3 * x.from, 1e3 * x.to})
	}
	return out
}

// lineFrame holds GPU 0's device and links, with overlap and without.
func lineFrame(pairs [][2]line) result.Frame {
	var rows []stripe
	for _, p := range pairs {
		rows = append(rows, append(p[0].stripes(), p[1].stripes()...)...)
	}
	return kit.Frame("bands", rows, kit.Count("n", "", func(s stripe) int { return s.GPUs }),
		kit.Word("lane", "lane", func(s stripe) string { return s.Lane }), kit.Word("state", "state", func(s stripe) string { return s.State }),
		kit.Word("layer", "", func(s stripe) string { return s.Layer }),
		kit.Num("from", "ms", kit.AsIs, func(s stripe) float64 { return s.From }), kit.Num("until", "ms", kit.AsIs, func(s stripe) float64 { return s.To }))
}

func hiddenFrame(pairs [][2]line) result.Frame {
	num := func(key, unit string, of func(with, without float64) float64) kit.Col[[2]line] {
		return kit.Num(key, unit, 1, func(p [2]line) float64 { return of(1e3*p[0].lap.Seconds, 1e3*p[1].lap.Seconds) })
	}
	return kit.Frame("hidden", pairs, kit.Count("n", "", func(p [2]line) int { return p[0].gpus }),
		num("plain", "ms", func(_, without float64) float64 { return without }), num("overlap", "ms", func(with, _ float64) float64 { return with }),
		kit.Num("first", "ms", 1, func(p [2]line) float64 { return 1e3 * p[0].first() }),
		num("saved", "ms", func(with, without float64) float64 { return without - with }),
		num("exchange", "ms", func(_, without float64) float64 { return without - 1e3*blogSingle }), num("hidden", "%", hidden))
}

// tieWithin is how near two iterations are that tie, in milliseconds.
const tieWithin = 0.05

// standing says how a size does among those of its network: best, tie with the best, worst.
func (b bucketed) standing(rows []bucketed) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(x bucketed) bool { return x.Stack.Key != b.Stack.Key })
	faster := func(x, y bucketed) int { return cmp.Compare(x.Overlap, y.Overlap) }
	best := slices.MinFunc(rows, faster)
	switch {
	case b.Bucket == best.Bucket:
		return "best"
	case math.Abs(b.Overlap-best.Overlap) <= tieWithin:
		return "tie"
	case b.Bucket == slices.MaxFunc(rows, faster).Bucket:
		return "worst"
	}
	return "between"
}

func bucketFrame(rows []bucketed) result.Frame {
	return kit.Frame("buckets", rows, kit.Word("stack", "stack", func(b bucketed) string { return b.Stack.Key }),
		kit.Word("bucket", "bucket", func(b bucketed) string { return b.Bucket.Key }), kit.Count("count", "", func(b bucketed) int { return b.Count }),
		kit.Count("messages", "", func(b bucketed) int { return b.Count * 2 * (blogGPUs - 1) }),
		kit.Num("plain", "ms", 1, func(b bucketed) float64 { return b.Plain }), kit.Num("overlap", "ms", 1, func(b bucketed) float64 { return b.Overlap }),
		kit.Num("hidden", "%", 1, func(b bucketed) float64 { return hidden(b.Overlap, b.Plain) }),
		kit.Word("standing", "standing", func(b bucketed) string { return b.standing(rows) }))
}
