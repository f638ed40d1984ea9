// Package decisions asks what RingSparse chooses, and why: which kind and which form every block
// of a real training travels in, hop by hop. Experiment is its door.
package decisions

import (
	"context"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/vec"
)

// modelCase is a model whose blocks are decided about.
type modelCase struct {
	Key   string  `json:"key"`
	Model string  `json:"model"` // of package model, or "embedding"
	Width float64 `json:"width,omitempty"`
	Image int     `json:"image,omitempty"`
	Raw   bool    `json:"raw,omitempty"`
	Batch int     `json:"batch"` // per rank
	Rate  float64 `json:"rate"`
	// Pruned trains densely first, then keeps Keep of every layer by magnitude and goes
	// on with that mask; MaskGradient applies it to the local gradient too.
	Pruned       bool    `json:"pruned,omitempty"`
	Keep         float64 `json:"keep,omitempty"`
	MaskGradient bool    `json:"mask_gradient,omitempty"`
}

// modelCases lists the cases, which were written down before the first run.
func modelCases() []modelCase {
	mlp := modelCase{Key: "mlp", Model: "mlp", Raw: true, Batch: setup.MLPBatch, Rate: 0.05}
	normal, pruned := mlp, mlp
	normal.Key, normal.Raw = "mlp-normalised", false
	pruned.Key, pruned.Pruned, pruned.Keep = "pruned", true, 0.1
	both := pruned
	both.Key, both.MaskGradient = "pruned-both", true
	return []modelCase{mlp, normal,
		{Key: "embedding", Model: "embedding", Batch: 16, Rate: 0.05},
		{Key: "resnet18", Model: "resnet18", Width: 1. / 16, Image: 16, Batch: 16, Rate: 0.05},
		pruned, both}
}

// decisionPlan holds what a profile runs.
type decisionPlan struct {
	Cases []modelCase `json:"cases"`
	Ranks []int       `json:"ranks"`
	Ties  []string    `json:"ties"` // the patent's first
	// Alone are the rivals that send one kind, run for the case AloneOf.
	Alone   []string `json:"alone"`
	AloneOf string   `json:"alone_of"`
	Link    float64  `json:"link"`  // Gb/s; B of S42
	Other   float64  `json:"other"` // Gb/s; the same blocks decided about again
	Steps   int64    `json:"steps"`
	Dense   int64    `json:"dense"` // steps before pruning
}

func planDecisions(profile string) decisionPlan {
	p := decisionPlan{Cases: modelCases(), Ranks: []int{4, 8}, Ties: []string{"weights", "gradients"},
		Alone: []string{"weights", "gradients"}, AloneOf: "pruned", Link: 1, Other: 10, Steps: 10, Dense: 20}
	switch profile {
	case "ci":
		p.Ranks, p.Steps, p.Dense = []int{3}, 1, 1
		for i := range p.Cases {
			p.Cases[i].Batch = 4
		}
	case "standard", "paper":
		p.Steps, p.Dense = 30, 100
	}
	return p
}

func (p decisionPlan) find(key string) modelCase {
	return p.Cases[slices.IndexFunc(p.Cases, func(c modelCase) bool { return c.Key == key })]
}

// point is a case on some ranks with one reading of the patent.
type point struct {
	Case  string
	Ranks int
	Tie   string
	Only  string // the one kind that may be sent; "": both
}

// both lists the runs that may send both kinds.
func (p decisionPlan) both() (out []point) {
	for _, c := range p.Cases {
		for _, n := range p.Ranks {
			for _, tie := range p.Ties {
				out = append(out, point{Case: c.Key, Ranks: n, Tie: tie})
			}
		}
	}
	return out
}

func (p decisionPlan) points() []point {
	out := p.both()
	for _, n := range p.Ranks {
		for _, kind := range p.Alone {
			out = append(out, point{Case: p.AloneOf, Ranks: n, Only: kind})
		}
	}
	return out
}

// Experiment returns the experiment that asks what is chosen, and why.
func Experiment() exp.Experiment {
	return kit.Study[point, decided]{ID: "ringsparse/decisions", Source: "the patent, S41, S42 and S52", Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(profile string) []point { return planDecisions(profile).points() },
		Cost: func(profile string, r point) (string, float64) {
			return "ringsparse/decisions", 0.008 * float64(r.Ranks) * float64(planDecisions(profile).Steps)
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planDecisions(profile), "platform": kit.Platform(setup.Platform()),
				"embedding": setup.DefaultEmbedding(), "candidates": candidateNames}
		},
		Measure: func(ctx context.Context, env exp.Env, r point, seed uint64) (decided, error) {
			plan := planDecisions(env.Profile)
			src, err := plan.find(r.Case).open(env, seed)
			if err != nil {
				return decided{}, err
			}
			key := []any{"ringsparse/decisions", plan, r, seed, src.engine, src.data}
			return kit.Keep(ctx, env, key, func(string) (decided, error) { return decide(ctx, env, plan, src, r, seed) })
		},
		Show: show,
	}.Experiment()
}

// decide trains one run; a pruned case is trained densely first.
func decide(ctx context.Context, env exp.Env, plan decisionPlan, src taskSource, r point, seed uint64) (decided, error) {
	c := plan.find(r.Case)
	var mask []bool
	if c.Pruned {
		key := []any{"ringsparse/decisions, dense", plan, c, seed, src.engine, src.data}
		dense, err := kit.Keep(ctx, env, key, func(string) ([]byte, error) {
			d, err := walk(ctx, src, nil, c, seed, walkOptions{ranks: plan.Ranks[0], steps: plan.Dense,
				options: ringsparse.Options{Kinds: "gradients", Codec: "dense"}})
			return d.params, err
		})
		if err == nil {
			err = vec.FromBytes(src.start, dense)
		}
		if err != nil {
			return decided{}, err
		}
		mask = setup.Prune(src.start, src.layers, c.Keep)
	}
	return walk(ctx, src, mask, c, seed, walkOptions{ranks: r.Ranks, steps: plan.Steps, links: [2]float64{plan.Link * setup.Gigabit, plan.Other * setup.Gigabit},
		options: ringsparse.Options{Tie: r.Tie, Kinds: r.Only, Bandwidth: plan.Link * setup.Gigabit, Rates: setup.Platform().Codecs,
			Codecs: candidateNames, LogChoices: true}})
}
