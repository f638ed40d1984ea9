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
)

// overlapGPUs are the sizes whose time lines are drawn: one node, and all.
var overlapGPUs = []int{blogPerNode, blogGPUs}

// overlapPlan holds what a profile compares.
type overlapPlan struct {
	Stacks  []stack      `json:"stacks"`
	Buckets []bucketSize `json:"buckets"`
}

// bucketSize is the number of bytes exchanged at once; 0: layer by layer.
type bucketSize struct {
	Key   string `json:"key"`
	Bytes int    `json:"bytes"`
}

func planOverlap(profile string) overlapPlan {
	p := overlapPlan{Stacks: []stack{deepSpeech(), evenly(300)},
		Buckets: []bucketSize{{"layer", 0}, {"25MB", 25e6}, {"100MB", 100e6}, {"400MB", 400e6}, {"whole", blogBytes}}}
	if profile == "ci" {
		p.Stacks, p.Buckets = p.Stacks[:1], []bucketSize{p.Buckets[0], p.Buckets[3], p.Buckets[4]}
	}
	return p
}

// timeLine is one iteration with its time line.
type timeLine struct {
	iteration
	gpus int
	time iterationTime
}

// bucketed is one size of buckets on all GPUs.
type bucketed struct {
	Stack          stack
	Bucket         bucketSize
	Count          int
	Overlap, Plain float64 // milliseconds of an iteration with overlap and without
}

// overlap draws one iteration, and asks how large the pieces should be.
func overlap() exp.Experiment {
	return kit.Inquiry{ID: "ring/overlap", Source: "the blog, Applying the Allreduce to Deep Learning", Kind: result.TimingOnly,
		Profiles: exp.Profiles, Seedless: true, Run: runOverlap,
		Seconds: func(profile string, _ int) float64 {
			return 0.3 * float64(len(planOverlap(profile).Stacks)*len(planOverlap(profile).Buckets))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planOverlap(profile), "platform": kit.Platform(blogCluster()), "jitter": 0,
				"gpus": overlapGPUs, "single": blogSingle}
		}}.Experiment()
}

func runOverlap(ctx context.Context, env exp.Env, r *result.Result) error {
	plan, p := planOverlap(env.Profile), calm(blogCluster())
	b := exp.Bar{Env: env, Total: float64(len(overlapGPUs) + len(plan.Stacks)*len(plan.Buckets))}
	pairs, err := kit.Sweep(&b, overlapGPUs, func(n int) (pair [2]timeLine, err error) {
		for i := range pair {
			pair[i] = timeLine{iteration{Stack: deepSpeech(), Overlap: i == 0, Steps: 1, Trace: true}, n, iterationTime{}}
			if pair[i].time, err = pair[i].run(ctx, p, n); err != nil {
				return pair, err
			}
		}
		return pair, nil
	})
	if err != nil {
		return err
	}
	for _, n := range overlapGPUs {
		r.Figures = append(r.Figures, result.Figure{ID: fmt.Sprintf("iteration-%d", n), Form: "gantt", Frame: "bands", Where: map[string]any{"n": n},
			X: "from", Y: []string{"until"}, Lane: "lane", State: "state", Label: "layer"})
	}
	var rows []bucketed
	for _, s := range plan.Stacks {
		these, err := kit.Sweep(&b, plan.Buckets, func(size bucketSize) (bucketed, error) {
			it := iteration{Stack: s, Bucket: size.Bytes, Steps: 1}
			both, err := bothTimes(ctx, p, it, blogGPUs)
			return bucketed{s, size, len(it.buckets()), withOverlap(both), withPlain(both)}, err
		})
		if err != nil {
			return err
		}
		rows = append(rows, these...)
	}
	r.Frames = []result.Frame{hiddenFrame(pairs), bucketFrame(rows), lineFrame(pairs)}
	r.Figures = append(r.Figures, result.Figure{ID: "buckets-time", Form: "bar", Frame: "buckets", X: "bucket", Y: []string{"overlap"},
		By: []string{"stack"}})
	whole, fine := rows[len(rows)-1], rows[len(rows)-len(plan.Buckets)]
	r.Facts = kit.Facts("gpus", blogGPUs, "per_node", blogPerNode, "nodes", blogGPUs/blogPerNode, "single/ms.0", 1e3*blogSingle,
		"millions", blogParams/1_000_000, "exchanges", fine.Count, "longer/ms.1", fine.Plain-whole.Plain)
	return nil
}

// bands lists what GPU 0 does. Layers are exchanged one by one, in the order of the backward pass.
func (l timeLine) bands() []kit.Band {
	var names []string
	for _, b := range slices.Backward(l.Stack.Layers) {
		names = append(names, b.Name)
	}
	return kit.TimeLine(l.time.Trace, names, names)
}

// first returns when the first exchange of a millisecond or more begins at GPU 0, in
// milliseconds.
func (l timeLine) first() float64 {
	first := math.Inf(1)
	for _, b := range l.bands() {
		if !b.Computes && b.To-b.From >= 1 {
			first = min(first, b.From)
		}
	}
	return first
}

// lineFrame holds GPU 0's device and links, with overlap and without.
func lineFrame(pairs [][2]timeLine) result.Frame {
	s := kit.NewSheet("bands", "n lane:lane state:state layer from/ms until/ms")
	for _, pair := range pairs {
		for i, l := range pair {
			for _, b := range l.bands() {
				lane := map[bool]string{true: "computes", false: "exchanges"}[b.Computes]
				s.Add(l.gpus, lane+[]string{"-overlap", "-plain"}[i], b.State, b.Layer, b.From, b.To)
			}
		}
	}
	return s.Frame
}

func hiddenFrame(pairs [][2]timeLine) result.Frame {
	return kit.Rows("hidden", "n plain/ms.1 overlap/ms.1 first/ms.1 saved/ms.1 exchange/ms.1 hidden/%.1", pairs, func(p [2]timeLine) []any {
		with, plain := 1e3*p[0].time.Seconds, 1e3*p[1].time.Seconds
		return []any{p[0].gpus, plain, with, p[0].first(), plain - with, plain - 1e3*blogSingle, hidden(with, plain)}
	})
}

// tieWithin is how near two iterations are that tie, in milliseconds.
const tieWithin = 0.05

// standing reports how a size does among the sizes of its network: best, tie with the best, worst.
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
	head := "stack:stack bucket:bucket count messages plain/ms.1 overlap/ms.1 hidden/%.1 standing:standing"
	return kit.Rows("buckets", head, rows, func(b bucketed) []any {
		messages := b.Count * 2 * (blogGPUs - 1)
		return []any{b.Stack.Key, b.Bucket.Key, b.Count, messages, b.Plain, b.Overlap, hidden(b.Overlap, b.Plain), b.standing(rows)}
	})
}
