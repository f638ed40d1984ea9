package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// equalsNet is a network of the experiment; Norms says that it normalises over
// the batch, for which nobody claims equality.
type equalsNet struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	Width float64 `json:"width,omitempty"`
	Image int     `json:"image,omitempty"`
	Norms bool    `json:"norms"`
	Rate  float64 `json:"rate"`
	Steps int     `json:"steps"`
}

// equalsPlan is what a profile trains.
type equalsPlan struct {
	Nets    []equalsNet `json:"nets"`
	Workers []int       `json:"workers"` // each divides Batch
	Batch   int         `json:"batch"`   // of all workers together
}

func planEquals(profile string) equalsPlan {
	p := equalsPlan{Batch: 48, Workers: []int{2, 3, 8}, Nets: []equalsNet{
		{Name: "mlp", Title: "MLP", Rate: 0.05, Steps: 20},
		{Name: "lenet5", Title: "LeNet-5", Rate: 0.05, Steps: 20},
		{Name: "resnet18", Title: "ResNet-18, 1/16 of its width", Width: 1. / 16, Image: 16, Norms: true, Rate: 0.05, Steps: 5}}}
	switch profile {
	case "ci":
		p.Workers, p.Batch = []int{2, 3}, 24
		p.Nets[0].Steps, p.Nets[1].Steps, p.Nets[2].Steps = 3, 3, 2
	case "standard", "paper":
		p.Workers = []int{2, 3, 4, 8}
		p.Nets[0].Steps, p.Nets[1].Steps, p.Nets[2].Steps = 100, 100, 20
	}
	return p
}

// otherBatch marks the control: one worker on other images. It shows how large the
// distance is between runs that are not the same training.
const otherBatch = "one worker, other images"

// equalsSGD asks whether N workers are one.
func equalsSGD() exp.Experiment {
	e := exp.Experiment{ID: "ring/equals-sgd", Title: "N workers against one", Source: "the blog, The Communication Problem", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p, sum := planEquals(profile), 0.0
		for _, n := range p.Nets {
			cost := map[string]float64{"mlp": 0.2e-3, "lenet5": 0.4e-3, "resnet18": 1e-3}[n.Name]
			sum += cost * float64(n.Steps*p.Batch*(2+3*len(p.Workers)))
		}
		for _, b := range normBatches(profile) {
			sum += 1e-3 * float64(6*b) / float64(max(seeds, 1))
		}
		return 0.2 + sum*float64(seeds)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planEquals(env.Profile)
		res := exp.NewResult(e, env, result.Trained, map[string]any{"plan": plan, "bound": claims.Tolerance("B22"), "exact": exactPlan(), "norm_batches": normBatches(env.Profile), "seeds": env.Seeds})
		b := exp.Bar{Env: env, Total: float64(len(plan.Nets) * len(env.Seeds) * (2 + 3*len(plan.Workers)))}
		var found []likeness
		for _, net := range plan.Nets {
			lab, err := openLab(env, plan, net)
			if err != nil {
				return res, err
			}
			if res.Engine = lab.engineName; !net.Norms {
				res.Data = lab.data()
			}
			for _, seed := range env.Seeds {
				some, err := lab.compare(ctx, seed, &b)
				if err != nil {
					return res, err
				}
				found = append(found, some...)
			}
		}
		last := plan.Nets[len(plan.Nets)-1]
		norms, err := normRows(ctx, env, last)
		if err != nil {
			return res, err
		}
		exact, err := exactRows(ctx)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{likenessTable(plan, found), exactTable(exact), normTable(last, norms)}
		res.Figures = []result.Figure{distanceFigure(plan, found)}
		res.Claims = []result.Claim{judgeEquals(found, exact, len(env.Seeds))}
		res.Notes = append(equalsNotes(found, exact), normNote(norms))
		res.Status = complete
		return res, nil
	}
	return e
}

// openLab opens what all runs of one network share.
func openLab(env exp.Env, plan equalsPlan, net equalsNet) (*lab, error) {
	name := env.Engine
	if name == "" {
		name = "portable"
	}
	engine, err := tensor.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	m, err := model.Build(model.Spec{Name: net.Name, Width: net.Width, Image: net.Image})
	if err != nil {
		return nil, fmt.Errorf("ring: %w", err)
	}
	set, err := train.OpenData("", env.DataDir, net.Name)
	if err != nil {
		return nil, err
	}
	return &lab{net: net, plan: plan, model: m, engine: engine, set: set,
		engineName: fmt.Sprintf("%s (bit class %s)", engine.Name(), engine.Class())}, nil
}
