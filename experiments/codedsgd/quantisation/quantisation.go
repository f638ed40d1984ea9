// Package quantisation asks what quantised gradients do to the loss, whether the mapping
// and the code are exact, and how long coding takes. The paper's outlook (§4) is to analyse
// the first. Plans, arithmetics and the bounds of an effect were written before the first
// run.
package quantisation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

// arithmetic is how a block's gradient is represented before the sum.
type arithmetic struct {
	Key string `json:"key"` // of the enumeration arithmetic
	// Float: not quantised and not cut, the mean gradient of the whole batch in
	// float32. Else int32 of the range.
	Float bool    `json:"float,omitempty"`
	Range float64 `json:"range,omitempty"`
	// Blocks is their number in a batch; 0: Q(n), −1: n.
	Blocks int `json:"blocks,omitempty"`
}

// bits quantises with the steps of b bits on [−10, 10], 10·2^(1−b). It keeps 32 bits on a
// larger range, so that nothing is clipped.
func bits(b int) arithmetic {
	return arithmetic{Key: fmt.Sprintf("bits-%d", b), Range: setup.Range * float64(uint64(1)<<(32-b))}
}

func clipped(limit float64) arithmetic {
	return arithmetic{Key: fmt.Sprintf("range-%g", limit), Range: limit}
}

// bitsOf returns how many bits on ±10 the steps of a range are: 32 for the paper's.
func (a arithmetic) bitsOf() float64 { return 32 - math.Log2(a.Range/setup.Range) }

// coarser tells whether a has coarser steps than the paper's, in Q(n) blocks, and so
// clips nothing.
func (a arithmetic) coarser() bool { return a.Range > setup.Range && a.Blocks == 0 }

// fineBits is the resolution at which the order of summation is measured: fine, and on
// ±640, which clips nothing.
const fineBits = 26

// The places of the arithmetics that others are compared with.
const (
	inFloat = iota
	inPaper
	inPaperNodes // one block per node
	inPaperOne   // one block
	inFine
	inFineNodes
	inFineOne
)

// arithmetics lists the arithmetics that are trained. On ±10 larger blocks clip more; the three fine ones
// differ from float32, and from each other, in the order of float32 sums and next to
// nothing else. (In a first trial of three updates the three on ±10 stood for that
// order: they clip, which was overlooked. The fine ones were put beside them then.)
func arithmetics(profile string) []arithmetic {
	fine := bits(fineBits)
	cut := func(a arithmetic, key string, blocks int) arithmetic {
		a.Key, a.Blocks = a.Key+"-"+key, blocks
		return a
	}
	paper := arithmetic{Key: "paper", Range: setup.Range}
	out := []arithmetic{{Key: "float32", Float: true}, paper, cut(paper, "n", -1), cut(paper, "1", 1), fine, cut(fine, "n", -1), cut(fine, "1", 1)}
	if profile == "ci" {
		return append(out, bits(16), bits(8), clipped(0.01))
	}
	if profile == "quick" {
		return append(out, bits(20), bits(16), bits(12), bits(8), clipped(1), clipped(0.1), clipped(0.01))
	}
	return append(out, bits(20), bits(16), bits(14), bits(12), bits(10), bits(8), clipped(1), clipped(0.1), clipped(0.01))
}

// trainingPlan says how a profile trains one network.
type trainingPlan struct {
	Net     setup.Network `json:"net"`
	Data    string        `json:"data"`
	Width   float64       `json:"width"`
	Nodes   int           `json:"nodes"` // whose batch and micro-blocks these are
	Updates int64         `json:"updates"`
	Rate    float64       `json:"rate"` // η, the figures'
	Short   int64         `json:"short"`
	Sums    []int         `json:"sums"` // images of the blocks whose largest element is shown
}

// wholeUpdates is the length of quick's trainings before they were cut.
const wholeUpdates = 60

func plansOf(profile string) []trainingPlan {
	var out []trainingPlan
	for _, net := range setup.Networks() {
		p := trainingPlan{Net: net, Data: net.Dataset(profile), Width: 0.125, Nodes: 4, Updates: wholeUpdates,
			Rate: setup.Rate, Short: 5, Sums: []int{1, 10, 100, 1000, 2000}}
		switch profile {
		case "quick":
			p.Updates = 40 // cut for its time: from wholeUpdates, steps of 14 and 10 bits, and the CNN at width 0.125
			if net.Key == setup.CNN.Key {
				p.Width = 1. / 16
			}
		case "ci":
			p.Width, p.Nodes, p.Updates, p.Short, p.Sums = 1./16, 2, 3, 1, []int{1, 10, 100}
		case "standard":
			p.Width, p.Nodes, p.Updates, p.Sums = 0.25, 4, 80, []int{1, 10, 100, 1000, 10000}
		case "paper":
			p.Width, p.Nodes, p.Updates, p.Sums = 1, 8, 600, []int{1, 10, 100, 1000, 10000}
		}
		out = append(out, p)
	}
	return out
}

// clippingRanges are the ranges at which saturation is counted.
var clippingRanges = []float64{10, 1, 0.1}

// decodedPackets is how many random packets are coded and decoded.
const decodedPackets = 100_000

// Experiment asks what quantisation does to the loss.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/quantisation", Source: "CSSGD, §3.1 and §4", Kind: result.Trained, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			perRun := map[string]float64{"ci": 0.01, "quick": 0.5, "standard": 2, "paper": 700}[profile]
			return 0.4 + perRun*float64(len(setup.Networks())*seeds*len(arithmetics(profile)))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plans": plansOf(profile), "arithmetics": arithmetics(profile), "platform": kit.Platform(setup.Platform()),
				"clipping_ranges": clippingRanges, "packets": decodedPackets, "grid": mappingGrid, "coding_rate": codingRate, "coding_limit": codingLimit}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plans := plansOf(env.Profile)
			w := &trainer{ctx: ctx, env: env, kinds: arithmetics(env.Profile), bar: &exp.Bar{Env: env, Total: float64(len(plans)*(len(env.Seeds)+1) + 2)}}
			m, d := mapping(env.Seeds[0]), decodeRandom(env.Seeds[0], decodedPackets)
			w.bar.Step("mapping and decoding")
			costs, err := codingCosts(ctx, env)
			if err != nil {
				return err
			}
			w.bar.Step("coding")
			var studies []*trainings
			for _, p := range plans {
				s, err := w.network(p)
				if err != nil {
					return err
				}
				studies = append(studies, &s)
				r.Engine = s.Engine
				setup.AddData(r, *s.Data)
			}
			r.Facts = slices.Concat(lossFacts(studies, env.Profile), mappingFacts(m), decodeFacts(d), codingFacts(costs))
			r.Frames = append(lossFrames(studies), wrapFrame(), decodeFrame(d), codingFrame(costs))
			for _, s := range studies {
				r.Figures = append(r.Figures, result.Figure{ID: "bits-" + s.Plan.Net.Key, Form: "line", Frame: "bits",
					Where: map[string]any{"model": s.Plan.Net.Model}, X: "bits", Y: []string{"distance"}, By: []string{"line"}, Log: "y"})
			}
			r.Claims = []result.Claim{judgeMapping(m), judgeCoding(costs)}
			return nil
		}}.Experiment()
}

// trainer makes the trainings of one command.
type trainer struct {
	ctx   context.Context
	env   exp.Env
	kinds []arithmetic
	bar   *exp.Bar
}

// learnt is the end of one training.
type learnt struct {
	Accuracy  float64 // on all test images
	Loss      float64 // mean cross-entropy of the last evaluation's
	Distance  float64 // of the parameters from float32's, over the way that float32's went
	Saturated int64   // elements of gradients that int32 could not hold
	Elements  int64   // that were quantised
}

// trainings holds all trainings of one network.
type trainings struct {
	Plan   trainingPlan
	Kinds  []arithmetic
	Learnt [][]learnt // by arithmetic, by seed
	// Clipped is the share of saturated elements in the first updates, by cut (Q(n), n,
	// 1), by clipping range.
	Clipped [][]float64
	Cuts    []int
	Largest []float64 // element of a block's gradient at fresh parameters, by Plan.Sums
	Data    *result.Data
	Engine  string
}

// blocksOf returns into how many blocks an arithmetic cuts the batch of n nodes.
func (a arithmetic) blocksOf(n int) int {
	switch a.Blocks {
	case 0:
		return setup.Q(n)
	case -1:
		return n
	}
	return a.Blocks
}

// config configures a training: one node computes all blocks, which gives the parameters
// of any number of nodes.
func (p trainingPlan) config(a arithmetic, seed uint64, env exp.Env) train.Config {
	c := train.Config{Sync: codedsgd.SSGDMulticast, Model: p.Net.Model, Width: p.Width, Classes: setup.Classes(p.Nodes), Data: p.Data,
		DataDir: env.DataDir, Engine: env.Engine,
		Platform: setup.First(setup.Calm(setup.Platform()), 1), Workers: 1, Seed: seed, BatchSize: p.Net.Batch(p.Nodes), Rate: p.Rate,
		MaxUpdates: p.Updates, EvalEvery: p.Updates, EvalImages: 1 << 20, Launch: -1, Overhead: -1}
	if a.Float {
		c.Sync = "ring"
		return c
	}
	c.Coded = &codedsgd.Options{Redundancy: 1, MicroBlocks: a.blocksOf(p.Nodes), Range: a.Range}
	return c
}

func (p trainingPlan) model() *model.Model {
	return kit.Must(model.Build(model.Spec{Name: p.Net.Model, Width: p.Width, Classes: setup.Classes(p.Nodes)}))
}

// trained are one seed's trainings, by arithmetic.
type trained struct {
	Learnt []learnt
	Data   *result.Data
	Engine string
}

// clippedCounts are the clipped shares and the largest elements of one network.
type clippedCounts struct {
	Clipped [][]float64
	Largest []float64
}

func (w *trainer) network(p trainingPlan) (s trainings, err error) {
	s = trainings{Plan: p, Kinds: w.kinds, Learnt: make([][]learnt, len(w.kinds)), Cuts: []int{setup.Q(p.Nodes), p.Nodes, 1}}
	set, err := train.OpenData(p.Data, w.env.DataDir, p.Net.Model)
	if err != nil {
		return s, err
	}
	for _, seed := range w.env.Seeds {
		one, err := kit.Keep(w.ctx, w.env, []any{p, w.kinds, seed, set.SHA256, w.env.Engine}, func(string) (trained, error) { return w.train(p, seed) })
		if err != nil {
			return s, err
		}
		for i, l := range one.Learnt {
			s.Learnt[i] = append(s.Learnt[i], l)
		}
		s.Data, s.Engine = one.Data, one.Engine
		w.bar.Step(fmt.Sprintf("%s, seed %d", p.Net.Title, seed))
	}
	counts, err := kit.Keep(w.ctx, w.env, []any{p, clippingRanges, w.env.Seeds[0], set.SHA256, w.env.Engine}, func(string) (c clippedCounts, err error) {
		if c.Clipped, err = w.saturation(p, s.Cuts); err == nil {
			c.Largest, err = w.largest(p)
		}
		return c, err
	})
	s.Clipped, s.Largest = counts.Clipped, counts.Largest
	w.bar.Step(p.Net.Title + ", saturation")
	return s, err
}

// train runs all arithmetics of one seed; distances are from the first.
func (w *trainer) train(p trainingPlan, seed uint64) (out trained, err error) {
	dir, err := os.MkdirTemp("", "codedsgd")
	if err != nil {
		return out, fmt.Errorf("codedsgd: a folder for parameters: %w", err)
	}
	defer os.RemoveAll(dir)
	m := p.model()
	start := make([]float32, m.NumParams())
	m.Init(start, cluster.Stream(seed, -1, "data", "init"))
	var first []float32
	for _, a := range w.kinds {
		c := p.config(a, seed, w.env)
		c.Save = filepath.Join(dir, a.Key+".safetensors")
		o, err := train.Run(w.ctx, c)
		if err != nil {
			return out, fmt.Errorf("codedsgd: %s, %s: %w", p.Net.Key, a.Key, err)
		}
		params := make([]float32, m.NumParams())
		if err := train.LoadState(c.Save, m, p.Width, params, nil); err != nil {
			return out, err
		}
		if first == nil {
			first = params
		}
		l := learnt{Accuracy: *o.TestAccuracy, Loss: o.Curve[len(o.Curve)-1].Loss, Distance: distance(params, first) / distance(first, start)}
		if o.Coded != nil {
			l.Saturated, l.Elements = o.Coded.Totals.Saturated, o.Updates*int64(a.blocksOf(p.Nodes)*m.NumParams())
		}
		out = trained{append(out.Learnt, l), o.Data, o.Engine}
	}
	return out, nil
}

func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// saturation counts in the first updates the elements that each range cannot hold, by cut.
func (w *trainer) saturation(p trainingPlan, cuts []int) ([][]float64, error) {
	var out [][]float64
	for _, cut := range cuts {
		var row []float64
		for _, limit := range clippingRanges {
			c := p.config(arithmetic{Range: limit, Blocks: cut}, w.env.Seeds[0], w.env)
			c.MaxUpdates, c.EvalEvery = p.Short, -1
			o, err := train.Run(w.ctx, c)
			if err != nil {
				return nil, fmt.Errorf("codedsgd: %s, range %g: %w", p.Net.Key, limit, err)
			}
			row = append(row, float64(o.Coded.Totals.Saturated)/float64(p.Short*int64(cut*p.model().NumParams())))
		}
		out = append(out, row)
	}
	return out, nil
}

// largest returns the largest element of the gradient of the first images, a sum, at fresh
// parameters and with ten classes.
func (w *trainer) largest(p trainingPlan) ([]float64, error) {
	var out []float64
	for _, images := range p.Sums {
		g, err := train.Gradient(train.GradConfig{Name: p.Net.Model, Width: p.Width, Seed: w.env.Seeds[0], Data: p.Data, DataDir: w.env.DataDir,
			Engine: w.env.Engine, To: images})
		if err != nil {
			return nil, err
		}
		most := 0.0
		for _, v := range g.Grads {
			most = max(most, math.Abs(float64(v)))
		}
		out = append(out, most*float64(images))
	}
	return out, nil
}

func (s *trainings) of(kind int, f func(l learnt) float64) kit.Sample {
	return kit.Each(s.Learnt[kind], f)
}

func lossOf(l learnt) float64 { return l.Loss }

// lossGap returns how much more loss an arithmetic ends with than float32.
func (s *trainings) lossGap(kind int) kit.Estimate {
	return s.of(kind, lossOf).Minus(s.of(inFloat, lossOf))
}

func (s *trainings) distance(kind int) float64 {
	return stat.Mean(s.of(kind, func(l learnt) float64 { return l.Distance }), nil)
}

// order returns the largest distance of the three fine arithmetics, which the order of
// summation makes.
func (s *trainings) order() float64 {
	return max(s.distance(inFine), s.distance(inFineNodes), s.distance(inFineOne))
}

// saturated returns the share of elements that were clipped.
func (s *trainings) saturated(kind int) float64 {
	return stat.Mean(s.of(kind, func(l learnt) float64 { return float64(l.Saturated) / float64(max(l.Elements, 1)) }), nil)
}

// moves tells whether an arithmetic leads elsewhere: more than twice as far from
// float32's parameters as the order of summation does.
func (s *trainings) moves(kind int) bool { return s.distance(kind) > 2*s.order() }

// leastLoss is the share of the loss from which a difference counts.
const leastLoss = 0.01

// seen names the difference of an arithmetic's loss from float32's that the seeds show:
// "other", "small" (below leastLoss), "none", or "alone", of one seed.
func (s *trainings) seen(kind int) string {
	e := s.lossGap(kind)
	switch size := math.Abs(e.Value); {
	case e.CI == nil:
		return "alone"
	case !(size > e.Half()):
		return "none"
	case size >= leastLoss*stat.Mean(s.of(inFloat, lossOf), nil):
		return "other"
	}
	return "small"
}

// cause names the cause that moved the parameters further from float32's than the order of
// summation does: the "range" or the "steps"; "clipped" or "nothing" if they did not move.
func (s *trainings) cause() string {
	found := [2]bool{s.moves(inPaper), s.saturated(inPaper) > 0}
	return map[[2]bool]string{{true, true}: "range", {true, false}: "steps", {false, true}: "clipped", {}: "nothing"}[found]
}

// lossFrames lists, of each network, its training with what was found, every arithmetic's
// effect on it, the distance by step, and by block the elements that a range cannot hold and
// the largest of a block's gradient. unseen are the smallest and
// the largest difference in loss that the seeds would show, over the coarser steps.
func lossFrames(studies []*trainings) []result.Frame {
	loss := kit.NewSheet("loss", "model:model arithmetic:arithmetic blocks images/.1 step accuracy/%.2 loss/.4 "+
		"gap± distance/% saturated/% moves seen:seen coarser on_ten")
	distance := kit.NewSheet("bits", "model:model line:line bits/.0 distance/%")
	nets := kit.NewSheet("networks", "model:model key data:data width nodes batch updates rate cause:cause order/% unseen_least unseen_most "+
		"images largest/.2 first_clipped outside_micro/%.2 outside_one/%.2")
	saturation := kit.NewSheet("saturation", "model:model blocks images/.1 outside_10/%.4 outside_1/%.4 outside_0.1/%.4")
	sums := kit.NewSheet("sums", "model:model images largest/.2 clipped")
	for _, s := range studies {
		p, model, paper, bits, batch := s.Plan, s.Plan.Net.Model, s.Kinds[inPaper].bitsOf(), 0.0, s.Plan.Net.Batch(s.Plan.Nodes)
		least, most := math.Inf(1), 0.0
		for i, a := range s.Kinds {
			row := []any{model, a.Key, nil, nil, nil, 100 * stat.Mean(s.of(i, func(l learnt) float64 { return l.Accuracy }), nil),
				stat.Mean(s.of(i, lossOf), nil), kit.Estimate{}, nil, nil, false, nil, a.coarser(), a.Range == setup.Range}
			if !a.Float {
				blocks := a.blocksOf(p.Nodes)
				row[2], row[3], row[4] = blocks, float64(batch)/float64(blocks), a.Range/codedsgd.Top
				row[7], row[8], row[9], row[10], row[11] = s.lossGap(i), 100*s.distance(i), 100*s.saturated(i), s.moves(i), s.seen(i)
			}
			loss.Add(row...)
			if a.coarser() {
				bits = a.bitsOf()
				distance.Add(model, "unclipped", bits, 100*s.distance(i))
				half := s.lossGap(i).Half()
				least, most = min(least, half), max(most, half)
			}
		}
		distance.Add(model, "order", bits, 100*s.order())
		distance.Add(model, "order", paper, 100*s.order())
		distance.Add(model, "paper", paper, 100*s.distance(inPaper))
		for i, cut := range s.Cuts {
			c := s.Clipped[i]
			saturation.Add(model, cut, float64(batch)/float64(cut), 100*c[0], 100*c[1], 100*c[2])
		}
		first, last := any(nil), len(p.Sums)-1
		for i, images := range p.Sums {
			clips := s.Largest[i] > setup.Range
			if clips && first == nil {
				first = images
			}
			sums.Add(model, images, s.Largest[i], clips)
		}
		nets.Add(model, p.Net.Key, s.Data.Name, p.Width, p.Nodes, batch, p.Updates, p.Rate, s.cause(), 100*s.order(), least, most,
			p.Sums[last], s.Largest[last], first, 100*s.Clipped[0][1], 100*s.Clipped[len(s.Clipped)-1][1])
	}
	return []result.Frame{loss.Frame, distance.Frame, nets.Frame, saturation.Frame, sums.Frame}
}

// lossFacts tells how the arithmetics are compared.
func lossFacts(studies []*trainings, profile string) []result.Fact {
	s := studies[0]
	return kit.Facts("fine.bits", fineBits, "fine.range", s.Kinds[inFine].Range, "fine.coarser", 1<<(32-fineBits), "counts/%", 100*leastLoss,
		"paper.step", setup.Range/float64(codedsgd.Top), "cut", profile == "quick", "updates.whole", wholeUpdates,
		"one-seed", len(s.Learnt[inFloat]) < 2, "short", s.Plan.Short)
}
