package ringsparse

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// lossPlan is what a profile converts.
type lossPlan struct {
	Elements int         `json:"elements"`
	Nodes    []int       `json:"nodes"`
	Cells    []lossCell  `json:"cells"`
	Weights  float64     `json:"weights_deviation"`
	Zeros    float64     `json:"zero_share"` // of the entries, the same on all ranks
	Rational rationalSet `json:"rational"`
}

// lossCell is one column: a learning rate and the size of a gradient's entry.
type lossCell struct {
	Rate     float64 `json:"rate"`
	Gradient float64 `json:"gradient"`
}

func (c lossCell) String() string { return fmt.Sprintf("η = %g, g ~ %.0e", c.Rate, c.Gradient) }

func planLoss(profile string) lossPlan {
	p := lossPlan{Elements: 200_000, Nodes: []int{2, 3, 4, 5, 6, 7, 8, 12, 16}, Weights: 0.05, Zeros: 0.5,
		Cells:    []lossCell{{0.1, 1e-2}, {0.1, 1e-4}, {1e-3, 1e-4}},
		Rational: rationalSet{Least: 2, Most: 16, Cases: 200}}
	switch profile {
	case "ci":
		p.Elements = 20_000
	case "standard", "paper":
		p.Elements = 2_000_000
	}
	return p
}

// conversionError measures what turning sums of weights back into gradients costs.
func conversionError() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/conversion-error", Title: "What conversion loses", Source: "the patent, S51", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p := planLoss(profile)
		return 0.1 + float64(p.Elements*16*len(p.Cells)*seeds)*70e-9
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planLoss(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"plan": plan, "ways": lossWays, "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(len(env.Seeds) * len(plan.Cells))}
		found := newLosses(plan)
		for _, seed := range env.Seeds {
			for c := range plan.Cells {
				if err := ctx.Err(); err != nil {
					return res, err
				}
				carry(plan, c, seed, found)
				b.Step(plan.Cells[c].String())
			}
		}
		signs := signErrors(plan, env.Seeds[0])
		exact := identities(plan.Rational, env.Seeds)
		res.Tables = []result.Table{lossTable(found), remedyTable(found), signTable(signs), rationalTable(plan.Rational, exact)}
		res.Figures = []result.Figure{lossFigure(found), falseFigure(found)}
		res.Claims = judgeConversion(plan.Rational, exact, signs)
		res.Notes = lossNotes(found, signs)
		res.Status = complete
		return res, nil
	}
	return e
}
