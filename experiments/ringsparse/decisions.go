package ringsparse

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
)

// decisionCase is a model whose blocks are decided about.
type decisionCase struct {
	Key   string  `json:"key"`
	Title string  `json:"title"`
	Short string  `json:"-"`     // under a bar
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

// decisionCases are written down before the first run.
func decisionCases() []decisionCase {
	mlp := decisionCase{Key: "mlp", Title: "MLP, raw pixels", Short: "MLP, raw", Model: "mlp", Raw: true, Batch: 16, Rate: 0.05}
	normal := mlp
	normal.Key, normal.Title, normal.Short, normal.Raw = "mlp-normalised", "MLP, normalised pixels", "MLP, norm.", false
	pruned := mlp
	pruned.Key, pruned.Title, pruned.Short, pruned.Pruned, pruned.Keep = "pruned", "pruned MLP", "pruned", true, 0.1
	both := pruned
	both.Key, both.Title, both.Short, both.MaskGradient = "pruned-both", "pruned MLP, gradient masked", "pruned, g too", true
	return []decisionCase{mlp, normal,
		{Key: "embedding", Title: "embedding MLP", Short: "embedding", Model: "embedding", Batch: 16, Rate: 0.05},
		{Key: "resnet18", Title: "ResNet-18, 1/16 of its width", Short: "ResNet-18", Model: "resnet18", Width: 1. / 16, Image: 16, Batch: 16, Rate: 0.05},
		pruned, both}
}

// decisionPlan is what a profile runs.
type decisionPlan struct {
	Cases []decisionCase `json:"cases"`
	Ranks []int          `json:"ranks"`
	Ties  []string       `json:"ties"` // the patent's first
	// Alone are the rivals that send one kind, run for the cases of AloneOf.
	Alone   []string `json:"alone"`
	AloneOf string   `json:"alone_of"`
	Link    float64  `json:"link"`  // Gb/s; B of S42
	Other   float64  `json:"other"` // Gb/s; the same blocks decided about again
	Steps   int64    `json:"steps"`
	Dense   int64    `json:"dense"` // steps before pruning
}

func planDecisions(profile string) decisionPlan {
	p := decisionPlan{Cases: decisionCases(), Ranks: []int{4, 8}, Ties: []string{"weights", "gradients"},
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

// optionsOf are the readings in which c runs: both kinds with every tie rule, and the
// rivals of its.
func (p decisionPlan) optionsOf(c decisionCase) (out []ringsparse.Options) {
	for _, tie := range p.Ties {
		out = append(out, ringsparse.Options{Tie: tie})
	}
	if c.Key == p.AloneOf {
		for _, kinds := range p.Alone {
			out = append(out, ringsparse.Options{Kinds: kinds})
		}
	}
	return out
}

// runsOf is how many runs one seed makes.
func (p decisionPlan) runsOf() (n int) {
	for _, c := range p.Cases {
		n += len(p.Ranks) * len(p.optionsOf(c))
	}
	return n
}

// decided is one run: what was chosen on every rank.
type decided struct {
	Case   decisionCase
	Ranks  int
	Kinds  string // what may be sent; "": both
	Tie    string
	Seed   uint64
	Steps  int64
	Layers []cluster.Layer
	Totals ringsparse.Totals // of all ranks
	Shares [][][2]share      // [layer][hop][link], of all ranks' choices
	Broken int               // choices that do not follow S41
	First  string            // one of them
	Replay int               // choices whose bytes are not what again says
	Seen   zeros             // of all local steps
	Params []byte
}

// decisions asks what is chosen, and why.
func decisions() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/decisions", Title: "What is chosen, and by which rule", Source: "the patent, S41, S42 and S52", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p := planDecisions(profile)
		steps := 0.0
		for _, n := range p.Ranks {
			steps += float64(n) / float64(len(p.Ranks)) * float64(p.Steps) * float64(p.runsOf())
		}
		return 0.3 + 0.008*float64(seeds)*steps
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan, p := planDecisions(env.Profile), referencePlatform()
		res := exp.NewResult(e, env, result.Trained, map[string]any{"plan": plan, "platform": p, "embedding": defaultEmbedding(), "candidates": candidateNames, "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(plan.runsOf() * len(env.Seeds))}
		var all []decided
		for _, c := range plan.Cases {
			for _, seed := range env.Seeds {
				runs, err := decideCase(ctx, env, plan, c, seed, res, &b)
				if err != nil {
					return res, err
				}
				all = append(all, runs...)
			}
		}
		f := findings{plan: plan, runs: all, seeds: len(env.Seeds)}
		f.finish(res)
		res.Status = complete
		return res, nil
	}
	return e
}
