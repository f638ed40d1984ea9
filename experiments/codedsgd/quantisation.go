package codedsgd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// The paper's outlook (§4) is to analyse what quantisation does to the loss. Plans,
// arithmetics and what counts as an effect were written before the first run.

// paperRange is what int32's largest number stands for (§3.1).
const paperRange = 10

// arithmetic is how a block's gradient is represented before the sum.
type arithmetic struct {
	Key string `json:"key"` // of the enumeration arithmetic
	// Float: not quantised and not cut, the mean gradient of the whole batch in
	// float32. Else int32 of the range.
	Float bool    `json:"float,omitempty"`
	Range float64 `json:"range,omitempty"`
	// Blocks of the batch: 0 Q(n), −1 n of them; else so many.
	Blocks int `json:"blocks,omitempty"`
}

// bits quantises with the steps of b bits on [−10, 10], 10·2^(1−b). It keeps 32 bits on a
// larger range, so that nothing is clipped.
func bits(b int) arithmetic {
	return arithmetic{Key: fmt.Sprintf("bits-%d", b), Range: paperRange * float64(uint64(1)<<(32-b))}
}

func clipped(limit float64) arithmetic {
	return arithmetic{Key: fmt.Sprintf("range-%g", limit), Range: limit}
}

// bitsOf returns how many bits on ±10 the steps of a range are: 32 for the paper's.
func (a arithmetic) bitsOf() float64 { return 32 - math.Log2(a.Range/paperRange) }

// coarser tells whether a has coarser steps than the paper's, in Q(n) blocks, and so
// clips nothing.
func (a arithmetic) coarser() bool { return a.Range > paperRange && a.Blocks == 0 }

// fineBits are those of the steps with which the order of summation is measured: fine,
// and on ±640, which clips nothing.
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

// arithmetics are what is trained. On ±10 larger blocks clip more; the three fine ones
// differ from float32, and from each other, in the order of float32 sums and next to
// nothing else. (In a first trial of three updates the three on ±10 stood for that
// order: they clip, which was overlooked. The fine ones were put beside them then.)
func arithmetics(profile string) []arithmetic {
	fine := bits(fineBits)
	cut := func(a arithmetic, key string, blocks int) arithmetic {
		a.Key, a.Blocks = a.Key+"-"+key, blocks
		return a
	}
	paper := arithmetic{Key: "paper", Range: paperRange}
	out := []arithmetic{{Key: "float32", Float: true}, paper, cut(paper, "n", -1), cut(paper, "1", 1), fine, cut(fine, "n", -1), cut(fine, "1", 1)}
	if profile == "ci" {
		return append(out, bits(16), bits(8), clipped(0.01))
	}
	if profile == "quick" {
		return append(out, bits(20), bits(16), bits(12), bits(8), clipped(1), clipped(0.1), clipped(0.01))
	}
	return append(out, bits(20), bits(16), bits(14), bits(12), bits(10), bits(8), clipped(1), clipped(0.1), clipped(0.01))
}

// precisionPlan is how a profile trains one network.
type precisionPlan struct {
	Net     network `json:"net"`
	Data    string  `json:"data"`
	Width   float64 `json:"width"`
	Nodes   int     `json:"nodes"` // whose batch and micro-blocks these are
	Updates int64   `json:"updates"`
	Rate    float64 `json:"rate"` // η, the figures'
	Short   int64   `json:"short"`
	Sums    []int   `json:"sums"` // images of the blocks whose largest element is shown
}

// wholeUpdates is the length of quick's trainings before they were cut.
const wholeUpdates = 60

// planPrecision returns a profile's plans.
func planPrecision(profile string) []precisionPlan {
	var out []precisionPlan
	for _, net := range networks() {
		p := precisionPlan{Net: net, Data: net.dataset(profile), Width: 0.125, Nodes: 4, Updates: wholeUpdates,
			Rate: trainingOf(profile, net).Rate, Short: 5, Sums: []int{1, 10, 100, 1000, 2000}}
		switch profile {
		case "quick":
			p.Updates = 40 // cut after a first run, for its time: from wholeUpdates, steps of 14 and 10 bits, and the CNN at width 0.125
			if net.Key == cnn.Key {
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

// clippingRanges are those of the counts of saturation.
var clippingRanges = []float64{10, 1, 0.1}

// decodedPackets is how many random packets are coded and decoded.
const decodedPackets = 100_000

// quantisation asks what quantisation does to the loss.
func quantisation() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/quantisation", Source: "CSSGD, §3.1 and §4", Kind: result.Trained, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			perRun := map[string]float64{"ci": 0.01, "quick": 0.5, "standard": 2, "paper": 700}[profile]
			return 0.4 + perRun*float64(len(networks())*seeds*len(arithmetics(profile)))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plans": planPrecision(profile), "arithmetics": arithmetics(profile), "platform": kit.Platform(referencePlatform()),
				"clipping_ranges": clippingRanges, "packets": decodedPackets, "grid": mappingGrid, "coding_rate": codingRate, "coding_limit": codingLimit}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plans := planPrecision(env.Profile)
			w := &precision{ctx: ctx, env: env, kinds: arithmetics(env.Profile), bar: &exp.Bar{Env: env, Total: float64(len(plans)*(len(env.Seeds)+1) + 2)}}
			m, d := mapping(env.Seeds[0]), decodeRandom(env.Seeds[0], decodedPackets)
			w.bar.Step("mapping and decoding")
			costs, err := codingCosts(ctx, env)
			if err != nil {
				return err
			}
			w.bar.Step("coding")
			var studies []*precisionStudy
			for _, p := range plans {
				s, err := w.study(p)
				if err != nil {
					return err
				}
				studies = append(studies, &s)
				r.Engine = s.Engine
				addData(r, *s.Data)
			}
			r.Facts = slices.Concat(lossFacts(studies, env.Profile), mappingFacts(m), decodeFacts(d), codingFacts(costs))
			r.Frames = []result.Frame{lossFrame(studies), bitsFrame(studies), networksFrame(studies), saturationFrame(studies), sumsFrame(studies),
				wrapFrame(), decodeFrame(d), codingFrame(costs)}
			for _, s := range studies {
				r.Figures = append(r.Figures, result.Figure{ID: "bits-" + s.Plan.Net.Key, Form: "line", Frame: "bits", Where: map[string]any{"model": s.Plan.Net.Model},
					X: "bits", Y: []string{"distance"}, By: []string{"line"}, Log: "y"})
			}
			r.Claims = []result.Claim{judgeMapping(m), judgeCoding(costs)}
			return nil
		}}.Experiment()
}
