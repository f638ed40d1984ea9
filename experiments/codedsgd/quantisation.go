package codedsgd

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// The paper's outlook (§4) is to analyse what quantisation does to the loss. Plans,
// arithmetics and what counts as an effect were written before the first run.

// paperRange is what int32's largest number stands for (§3.1).
const paperRange = 10

// arithmetic is how a block's gradient is represented before the sum.
type arithmetic struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	// Float: not quantised and not cut, the mean gradient of the whole batch in
	// float32. Else int32 of the range.
	Float bool    `json:"float,omitempty"`
	Range float64 `json:"range,omitempty"`
	// Blocks of the batch: 0 Q(n), −1 n of them; else so many.
	Blocks int `json:"blocks,omitempty"`
}

// bits has the steps of so many bits on [−10, 10], 10·2^(1−bits), by a larger range at
// 32 bits, which clips nothing.
func bits(b int) arithmetic {
	return arithmetic{Key: fmt.Sprintf("bits-%d", b), Title: fmt.Sprintf("steps of %d bits", b), Range: paperRange * float64(uint64(1)<<(32-b))}
}

func clipped(limit float64) arithmetic {
	return arithmetic{Key: fmt.Sprintf("range-%g", limit), Title: fmt.Sprintf("int32 on ±%g", limit), Range: limit}
}

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
	cut := func(a arithmetic, key, title string, blocks int) arithmetic {
		a.Key, a.Title, a.Blocks = a.Key+"-"+key, a.Title+", "+title, blocks
		return a
	}
	paper := arithmetic{Key: "paper", Title: "int32 on ±10 (the paper)", Range: paperRange}
	out := []arithmetic{{Key: "float32", Title: "float32, not quantised", Float: true}, paper, cut(paper, "n", "n blocks", -1), cut(paper, "1", "one block", 1),
		fine, cut(fine, "n", "n blocks", -1), cut(fine, "1", "one block", 1)}
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
	Sums    []int   `json:"sums"`           // images of the blocks whose largest element is shown
	Note    string  `json:"note,omitempty"` // for the caption
}

func planPrecision(profile string) []precisionPlan {
	var out []precisionPlan
	for _, net := range networks() {
		p := precisionPlan{Net: net, Data: net.dataset(profile), Width: 0.125, Nodes: 4, Updates: 60, Rate: schoolingOf(profile, net).Rate, Short: 5, Sums: []int{1, 10, 100, 1000, 2000}}
		switch profile {
		case "quick":
			p.Updates, p.Note = 40, " (Cut after a first run, for its time: from 60 updates, steps of 14 and 10 bits, and the CNN at width 0.125.)"
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

// decodedPackets are as many random packets as are coded and decoded.
const decodedPackets = 100_000

func quantisation() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/quantisation", Title: "What quantisation does to the loss", Source: "CSSGD, §3.1 and §4", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		perRun := map[string]float64{"ci": 0.01, "quick": 0.5, "standard": 2, "paper": 700}[profile]
		return 0.4 + perRun*float64(len(networks())*seeds*len(arithmetics(profile)))
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plans, kinds := planPrecision(env.Profile), arithmetics(env.Profile)
		res := exp.NewResult(e, env, result.Trained, map[string]any{"plans": plans, "arithmetics": kinds, "platform": reference, "clipping_ranges": clippingRanges,
			"packets": decodedPackets, "grid": mappingGrid, "coding_rate": codingRate, "coding_limit": codingLimit, "seeds": env.Seeds})
		w := &precision{ctx: ctx, env: env, kinds: kinds, bar: &exp.Bar{Env: env, Total: float64(len(plans)*(len(env.Seeds)+1) + 2)}}
		m, d := mapping(env.Seeds[0]), decodeRandom(env.Seeds[0], decodedPackets)
		w.bar.Step("mapping and decoding")
		costs, err := codingCosts(ctx, env)
		if err != nil {
			return res, err
		}
		w.bar.Step("coding")
		var studies []precisionStudy
		for _, p := range plans {
			s, err := w.study(p)
			if err != nil {
				return res, err
			}
			studies = append(studies, s)
			if !slices.ContainsFunc(res.Datasets, func(d result.Data) bool { return d.Name == s.Data.Name }) {
				res.Datasets = append(res.Datasets, *s.Data)
			}
			res.Engine = s.Engine
		}
		if res.Data = studies[0].Data; len(res.Datasets) == 1 {
			res.Datasets = nil
		}
		for i := range studies {
			res.Tables = append(res.Tables, lossTable(&studies[i]))
		}
		res.Tables = append(res.Tables, saturationTable(studies), sumsTable(studies), wrapTable(), decodeTable(d), mappingTable(m), codingTable(costs))
		for i := range studies {
			res.Figures = append(res.Figures, bitsFigure(&studies[i]))
		}
		res.Claims = []result.Claim{judgeMapping(m), judgeCoding(costs)}
		res.Notes = quantisationNotes(studies, m, d, costs)
		res.Status = complete
		return res, nil
	}
	return e
}
