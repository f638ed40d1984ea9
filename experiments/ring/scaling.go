package ring

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// The blog's cluster.
const (
	blogGPUs    = 40
	blogPerNode = 8
	blogSlowest = 6e9  // bytes per second between nodes
	blogWithin  = 10e9 // and within a node
)

// scalingPlan holds what a profile runs.
type scalingPlan struct {
	GPUs  []int `json:"gpus"`
	Steps int   `json:"steps"` // on 40 GPUs
}

// steps returns proportionally more on fewer GPUs, where an iteration is cheap to run and
// its mean over jitter needs them.
func (p scalingPlan) steps(gpus int) int { return p.Steps * min((blogGPUs+gpus-1)/gpus, mostTimes) }

// mostTimes bounds the factor of steps.
const mostTimes = 20

func planScaling(profile string) scalingPlan {
	switch profile {
	case "ci":
		return scalingPlan{GPUs: []int{1, 2, 8, 10, 16, 40}, Steps: 2}
	case "quick":
		return scalingPlan{GPUs: []int{1, 2, 3, 4, 6, 8, 9, 10, 12, 16, 20, 24, 32, 40}, Steps: 3}
	}
	p := scalingPlan{GPUs: oneTo(blogGPUs), Steps: 10}
	if profile == "paper" {
		p.Steps = 300 // as the blog
	}
	return p
}

func blogCluster() *cluster.Platform { return kit.Load("ring40") }

// calm returns p without jitter: the same computation always takes the same time.
func calm(p *cluster.Platform) *cluster.Platform {
	return p.WithHosts(func(h *cluster.Host, _ bool) { h.Jitter = 0 })
}

// scalingPoint is a point: the reference network on a number of GPUs, or another distribution of
// the parameters on all of them, without jitter.
type scalingPoint struct {
	GPUs  int
	Stack string // "": the reference, with jitter
}

func (x scalingPoint) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d GPUs %s", x.GPUs, x.Stack))
}

// scalingSample holds what one seed of a point gave.
type scalingSample struct {
	Overlap, Plain iterationTime // with and without overlap
	Exchange       float64       // seconds of one all-reduce of all parameters alone
	Equal          float64       // the same on equal links without latency, as fast as the slowest of the blog's
}

// scaling runs the blog's iteration on 1 to 40 GPUs.
func scaling() exp.Experiment {
	return kit.Study[scalingPoint, scalingSample]{ID: "ring/scaling", Source: "the blog, Applying the Allreduce to Deep Learning", Kind: result.TimingOnly,
		Profiles: exp.Profiles,
		Points: func(profile string) (out []scalingPoint) {
			for _, n := range planScaling(profile).GPUs {
				out = append(out, scalingPoint{n, ""})
			}
			for _, s := range stacksOf(profile) {
				out = append(out, scalingPoint{blogGPUs, s.Key})
			}
			return out
		},
		Cost: func(profile string, x scalingPoint) (string, float64) {
			if x.Stack != "" {
				return "ring/scaling", 0.15
			}
			return "ring/scaling", float64(2*x.GPUs*(x.GPUs-1)*10*2*planScaling(profile).steps(x.GPUs))/0.7e6 + 0.01
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planScaling(profile), "platform": kit.Platform(blogCluster()), "stacks": stacksOf(profile),
				"single": blogSingle, "batch": blogBatch}
		},
		Once: func(x scalingPoint) bool { return x.Stack != "" },
		Measure: func(ctx context.Context, env exp.Env, x scalingPoint, seed uint64) (scalingSample, error) {
			steps := planScaling(env.Profile).steps(x.GPUs)
			return kit.Keep(ctx, env, []any{"ring/scaling", x, steps, seed}, func(string) (scalingSample, error) {
				if x.Stack != "" { // without jitter no seed matters
					return bothTimes(ctx, calm(blogCluster()), iteration{Stack: stackOf(x.Stack), Steps: 1}, x.GPUs)
				}
				return sampleOf(ctx, x.GPUs, steps, seed)
			})
		},
		Show: showScaling}.Experiment()
}

// sampleOf times the reference network on n GPUs.
func sampleOf(ctx context.Context, n, steps int, seed uint64) (x scalingSample, err error) {
	p, s := blogCluster(), deepSpeech()
	if x, err = bothTimes(ctx, p, iteration{Stack: s, Steps: steps, Seed: seed}, n); err != nil {
		return x, err
	}
	seconds := stopwatch(ctx, &err)
	x.Exchange, x.Equal = seconds(p, n, ringOf(s.params())), seconds(ideal(n, blogSlowest), n, ringOf(s.params()))
	return x, err
}

// bothTimes times an iteration on the first n GPUs of p, with overlap and without.
func bothTimes(ctx context.Context, p *cluster.Platform, it iteration, n int) (x scalingSample, err error) {
	it.Overlap = true
	if x.Overlap, err = it.run(ctx, p, n); err != nil {
		return x, err
	}
	it.Overlap = false
	x.Plain, err = it.run(ctx, p, n)
	x.Overlap.Trace, x.Plain.Trace = nil, nil
	return x, err
}

// scalingData holds what frames, facts and claims are made of.
type scalingData struct {
	at     func(scalingPoint) []scalingSample
	gpus   []int
	stacks []stack
	seeds  int
}

func showScaling(v *kit.View[scalingPoint, scalingSample]) {
	x := scalingData{v.At, planScaling(v.Profile).GPUs, stacksOf(v.Profile), len(v.Seeds)}
	v.Frames = []result.Frame{x.scaling(), x.distributions(), layerFrame(deepSpeech())}
	v.Figures = []result.Figure{
		{ID: "throughput", Form: "line", Frame: "scaling", X: "n", Y: []string{"ideal", "throughput", "throughput_plain"}},
		{ID: "iteration", Form: "line", Frame: "scaling", X: "n", Y: []string{"overlap", "plain", "exchange"}}}
	v.Claims = x.claims(deepSpeech())
	v.Facts = x.facts()
}

// withOverlap returns the milliseconds of an iteration with overlap, withPlain without, and saved
// what overlap saves.
func withOverlap(p scalingSample) float64 { return 1e3 * p.Overlap.Seconds }
func withPlain(p scalingSample) float64   { return 1e3 * p.Plain.Seconds }
func saved(p scalingSample) float64       { return withPlain(p) - withOverlap(p) }

// of returns the estimate of a quantity on n GPUs.
func (x scalingData) of(n int, of func(scalingSample) float64) kit.Estimate {
	return kit.Each(x.at(scalingPoint{n, ""}), of).Mean()
}

// rate returns the mean throughput of n GPUs with overlap, plainRate without, in samples
// per second.
func (x scalingData) rate(n int) float64 {
	return x.of(n, func(p scalingSample) float64 { return samplesPerSecond(n, p.Overlap) }).Value
}

func samplesPerSecond(n int, t iterationTime) float64 { return float64(n*blogBatch) / t.Seconds }

func (x scalingData) plainRate(n int) float64 {
	return x.of(n, func(p scalingSample) float64 { return samplesPerSecond(n, p.Plain) }).Value
}

// calm returns the iteration of another distribution on all GPUs.
func (x scalingData) calm(s stack) scalingSample { return x.at(scalingPoint{blogGPUs, s.Key})[0] }

// hidden returns the share of the exchange that overlap hides, in per cent.
func hidden(with, without float64) float64 {
	return 100 * (without - with) / (without - 1e3*blogSingle)
}

func (x scalingData) scaling() result.Frame {
	head := "n nodes equal/ms.1 exchange/ms.1 plain±/ms.1 overlap±/ms.1 saved±/ms.1 throughput/samples/s.0 throughput_plain/samples/s.0 " +
		"ideal/samples/s.0 speedup/.2 efficiency/%.1"
	one := x.rate(1)
	return kit.Rows("scaling", head, x.gpus, func(n int) []any {
		nodes := (n + blogPerNode - 1) / blogPerNode // filled one after another
		alone, equal := func(p scalingSample) float64 { return 1e3 * p.Exchange }, func(p scalingSample) float64 { return 1e3 * p.Equal }
		return []any{n, nodes, x.of(n, equal).Value, x.of(n, alone).Value, x.of(n, withPlain), x.of(n, withOverlap), x.of(n, saved),
			x.rate(n), x.plainRate(n), float64(n) * one, x.rate(n) / one, 100 * x.rate(n) / one / float64(n)}
	})
}

// distributions shows how much overlaps by where the parameters are, and whether that gives
// the blog's ranges.
func (x scalingData) distributions() result.Frame {
	head := "stack:stack layers why:why big/%.0 big_work/%.0 plain/ms.1 overlap/ms.1 saved/ms.1 hidden/%.0 iteration_inside:bool " +
		"saved_inside:bool both:bool"
	return kit.Rows("distributions", head, x.stacks, func(s stack) []any {
		p := x.calm(s)
		iteration, gain := inRange("B14", withOverlap(p)).Where == "inside", inRange("B16", saved(p)).Where == "inside"
		return []any{s.Key, len(s.Layers), s.Key, s.Big, s.Work, withPlain(p), withOverlap(p), saved(p),
			hidden(withOverlap(p), withPlain(p)), iteration, gain, iteration && gain}
	})
}

func layerFrame(s stack) result.Frame {
	return kit.As(result.Stated, kit.Rows("layers", "layer params share/%.2 work/%.2", s.Layers, func(b layerCost) []any {
		return []any{b.Name, b.Params, 100 * float64(b.Params) / float64(s.params()), 100 * b.Cost / s.cost()}
	}))
}

// position says where a number lies beside a claim's range.
type position struct {
	Lo, Hi, Off float64
	Where       string // below, inside, above
}

// inRange sets x beside the range "a-b" that a claim states.
func inRange(id string, x float64) (p position) {
	c, _ := claims.Get(id)
	if _, err := fmt.Sscanf(c.Value, "%g-%g", &p.Lo, &p.Hi); err != nil {
		panic("ring: " + id + " is no range: " + err.Error())
	}
	switch p.Where = "inside"; {
	case x < p.Lo:
		p.Where, p.Off = "below", p.Lo-x
	case x > p.Hi:
		p.Where, p.Off = "above", x-p.Hi
	}
	return p
}

// r2 returns R² of the line through the throughputs from 2 GPUs on, seed by seed.
func (x scalingData) r2() kit.Estimate {
	out := make(kit.Sample, x.seeds)
	for seed := range out {
		var xs, ys []float64
		for _, n := range x.gpus {
			if n >= 2 {
				xs, ys = append(xs, float64(n)), append(ys, samplesPerSecond(n, x.at(scalingPoint{n, ""})[seed].Overlap))
			}
		}
		a, b := stat.LinearRegression(xs, ys, nil, false)
		out[seed] = stat.RSquared(xs, ys, nil, a, b)
	}
	return out.Mean()
}

// growth returns the time of an iteration on all GPUs over that on midGPUs, paired by seed.
func (x scalingData) growth() kit.Estimate {
	times := func(n int) kit.Sample { return kit.Each(x.at(scalingPoint{n, ""}), withOverlap) }
	return times(blogGPUs).Over(times(midGPUs))
}

// edge returns the last number of GPUs inside a node and the first outside.
func (x scalingData) edge() (inside, outside int) {
	i := slices.IndexFunc(x.gpus, func(n int) bool { return n > blogPerNode })
	return x.gpus[i-1], x.gpus[i]
}

// leastR2 is the part of B17's criterion that is no tolerance.
const leastR2 = 0.99

// midGPUs and tenGPUs are where B17 and B18 begin to compare with all.
const midGPUs, tenGPUs = 16, 10

// claims judges B01, B02, B10 and B13–B18.
func (x scalingData) claims(s stack) []result.Claim {
	one, forty := x.of(1, withOverlap), x.at(scalingPoint{blogGPUs, ""})[0]
	layers := result.Because("our-layers")
	gigabytes := 4 * float64(s.params()) / 1e9
	single := claims.Number(one.Value, one.CI, one.Samples, one.N)
	single.Differs, single.Input = []result.Reason{input}, true
	return []result.Claim{taken("B01", float64(s.params()), layers), taken("B02", gigabytes, layers),
		claims.Verdict("B10", claims.Found{Values: []float64{float64(forty.Overlap.Bytes) / 1e9}},
			result.Because("B10", "gpus", blogGPUs), result.Because("B10-limit", "limit", 2*blogBytes/1e9)),
		claims.Verdict("B13", claims.Found{Values: []float64{1e3 * forty.Exchange}}, result.Because("B13", "gpus", blogGPUs, "gigabytes", gigabytes),
			result.Because("B13-blog", "limit", 2*blogBytes/1e9, "link", blogSlowest/1e9)),
		claims.Verdict("B15", single, result.Because("B15", "ms", 1e3*blogSingle)),
		x.ranged("B14", withOverlap), x.ranged("B16", saved), x.linear(), x.constant()}
}

// ranged judges B14 or B16, a range, by its bounds: the interval lies inside, outside, or over one of
// them. The claim states numbers, so that one inside is within. Its parts are the other distributions,
// which decide nothing.
func (x scalingData) ranged(id string, of func(scalingSample) float64) result.Claim {
	e := x.of(blogGPUs, of)
	p := inRange(id, e.Value)
	f := claims.Number(e.Value, e.CI, e.Samples, e.N)
	f.Range = &[2]float64{p.Lo, p.Hi}
	least, most, inside := math.Inf(1), math.Inf(-1), []string{}
	for _, s := range x.stacks {
		ms := of(x.calm(s))
		in := inRange(id, ms).Where == "inside"
		if least, most = math.Min(least, ms), math.Max(most, ms); in {
			inside = append(inside, s.Key)
		}
		f.Parts = append(f.Parts, kit.Part(ms, in, "stack", s.Key))
	}
	with := x.of(blogGPUs, withOverlap).Value
	return claims.Verdict(id, f, result.Because("by-bounds", "where", p.Where, "off", p.Off),
		result.Because(id, "with", with, "plain", x.of(blogGPUs, withPlain).Value, "single", 1e3*blogSingle,
			"estimate", stated("B13"), "arithmetic", 1e3*blogSingle+stated("B13")-with),
		result.Because("stacks-range", "stacks", len(x.stacks), "least", least, "most", most), result.Because("stacks-inside", "inside", inside))
}

// stated returns the number that a claim states.
func stated(id string) float64 {
	c, _ := claims.Get(id)
	return c.Numbers()[0]
}

// work returns how many single GPUs all of them are worth.
func (x scalingData) work() float64 {
	return blogGPUs * x.of(1, withOverlap).Value / x.of(blogGPUs, withOverlap).Value
}

// blogEfficiency returns the least and the most per cent of the ideal throughput that the blog's own
// times give all its GPUs, if each keeps its batch.
func blogEfficiency() (least, most float64) {
	r := inRange("B14", 0)
	return 1e5 * blogSingle / r.Hi, 1e5 * blogSingle / r.Lo
}

// linear judges B17 by two parts, each with its interval over seeds.
func (x scalingData) linear() result.Claim {
	in, out := x.edge()
	least, most := blogEfficiency()
	r2, growth := x.r2(), x.growth()
	words := result.Because("B17-found", "r2", r2.Value, "times", x.work())
	straight := claims.AtLeast(r2.CI, leastR2)
	part := func(e kit.Estimate, finding, criterion string) result.Part {
		p := kit.Part(e.Value, false, "criterion", criterion)
		p.CI95, p.Samples = e.CI, e.Samples
		return claims.Mark(p, finding)
	}
	f := claims.OfParts([]result.Part{part(r2, straight, "r2"), part(growth, claims.AtMost(growth.CI, 1+claims.Tolerance("B17")), "growth")}, x.seeds, &words)
	return claims.Verdict("B17", f, result.Because("B17", "gpus", blogGPUs, "times", x.work(), "efficiency", 100*x.work()/blogGPUs,
		"blog_least", least, "blog_most", most, "straight", straight == claims.Holds),
		result.Because("B17-growth", "gpus", blogGPUs, "growth", 100*(growth.Value-1), "mid", midGPUs),
		result.Because("B17-edge", "in", in, "in_rate", x.rate(in), "out", out, "out_rate", x.rate(out), "drops", x.rate(out) < x.rate(in)))
}

// constant judges B18 by the all-reduce alone, on equal links.
func (x scalingData) constant() result.Claim {
	equal := func(n int) float64 { return x.at(scalingPoint{n, ""})[0].Equal }
	worst, last := 0.0, x.gpus[len(x.gpus)-1]
	for _, n := range x.gpus {
		if n >= 2 {
			worst = math.Max(worst, equal(n))
		}
	}
	words := result.Because("B18-found", "factor", equal(last)/equal(2), "from", 2, "to", last)
	f := claims.Holding(worst <= (1+claims.Tolerance("B18"))*equal(2), 0, &words)
	return claims.Verdict("B18", f, result.Because("B18", "two", 1e3*equal(2), "worst", 1e3*worst, "link", blogSlowest/1e9, "ten", tenGPUs, "last", last,
		"growth", 100*(equal(last)/equal(tenGPUs)-1), "reducer", 100*(float64(last-1)/float64(tenGPUs-1)-1)))
}

func (x scalingData) facts() []result.Fact {
	bySaved := func(a, b stack) int { return cmp.Compare(saved(x.calm(a)), saved(x.calm(b))) }
	least, most := slices.MinFunc(x.stacks, bySaved), slices.MaxFunc(x.stacks, bySaved)
	in, out := x.edge()
	grown := func(n int) float64 { return x.of(n, withOverlap).Value - x.of(x.gpus[0], withOverlap).Value }
	facts := kit.Facts("gpus", blogGPUs, "per_node", blogPerNode, "nodes", blogGPUs/blogPerNode, "batch", blogBatch, "single/ms.0", 1e3*blogSingle,
		"within/GB/s.0", blogWithin/1e9, "between/GB/s.0", blogSlowest/1e9, "jitter/%.0", 100*blogCluster().Workers[0].Jitter,
		"millions", blogParams/1_000_000, "ours", deepSpeech().params(), "estimate/ms.0", stated("B13"), "reference:stack", deepSpeech().Key,
		"recurrent", dsLayers, "units", dsUnits, "channels", dsChannels, "letters", dsLetters, "least:stack", least.Key, "most:stack", most.Key,
		"work/.1", x.work(), "r2/.4", x.r2().Value, "straight", claims.AtLeast(x.r2().CI,
			leastR2) == claims.Holds, "edge_in", in, "edge_out", out, "edge_drops", x.rate(out) < x.rate(in), "mid", midGPUs,
		"grown/%.0", 100*grown(midGPUs)/grown(x.gpus[len(x.gpus)-1]), "paper_steps", planScaling("paper").Steps)
	for i, of := range []func(scalingSample) float64{withOverlap, saved} {
		id := []string{"B14", "B16"}[i]
		r := inRange(id, x.of(blogGPUs, of).Value)
		facts = append(facts, kit.Facts(id+".lo/ms.0", r.Lo, id+".hi/ms.0", r.Hi, id+".where:where", r.Where, id+".off/ms.0", r.Off)...)
	}
	lo, hi := blogEfficiency()
	return append(facts, kit.Facts("blog_efficiency.least/%.0", lo, "blog_efficiency.most/%.0", hi)...)
}
