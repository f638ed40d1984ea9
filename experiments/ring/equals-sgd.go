package ring

import (
	"context"
	"fmt"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/result"
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
		for i := range p.Nets {
			p.Nets[i].Steps = 100
		}
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
		return 0.2 + sum*float64(seeds)
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planEquals(env.Profile)
		res := newResult(e, env, result.Trained, map[string]any{"plan": plan, "bound": tolerance("B22"), "exact": exactPlan(), "seeds": env.Seeds})
		b := bar{env: env, total: float64(len(plan.Nets) * len(env.Seeds) * (2 + 3*len(plan.Workers)))}
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
		exact, err := exactRows(ctx)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{likenessTable(plan, found), exactTable(exact)}
		res.Figures = []result.Figure{distanceFigure(plan, found)}
		res.Claims = []result.Claim{judgeEquals(found, exact, len(env.Seeds))}
		res.Notes = equalsNotes(found, exact)
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

// likeness is how one run of N workers compares with one worker.
type likeness struct {
	Net     equalsNet
	How     string // ring, naive, or otherBatch
	Workers int
	Seed    uint64
	// SameBits: the parameters are, bit for bit, those of one worker that computes
	// the same pieces of the batch and sums them in the exchange's order.
	SameBits bool
	// Distance by step: ‖w_N − w_1‖ / ‖w_1 − w_0‖ against one pass over the batch.
	Distance []float64
	Largest  float64 // |w_N − w_1| of one parameter, at the end
}

func (l likeness) last() float64 { return l.Distance[len(l.Distance)-1] }

// judgeEquals judges B22 by the networks without batch norm.
func judgeEquals(found []likeness, exact []exactRow, seeds int) result.Claim {
	bits, worst, exactly := true, 0.0, true
	for _, l := range found {
		if l.Net.Norms || l.How == otherBatch {
			continue
		}
		bits = bits && l.SameBits
		for _, d := range l.Distance {
			worst = math.Max(worst, d)
		}
	}
	for _, x := range exact {
		exactly = exactly && x.Same
	}
	value := "equal"
	if !(bits && exactly && worst <= tolerance("B22")) {
		value = "not equal"
	}
	note := fmt.Sprintf("same bits as one worker that sums the same pieces in the same order: %t; same bits as one pass where all sums are exact: %t; against one pass over the whole batch the distance is at most %.1e of the way that training went, the bound was %.0e; networks without batch norm", bits, exactly, worst, tolerance("B22"))
	return claims.Judge("B22", claims.Evidence{Value: value, Seeds: seeds, Note: note})
}

func equalsNotes(found []likeness, exact []exactRow) []string {
	worst, norms, control, bits := 0.0, math.Inf(1), math.Inf(1), 0
	total := 0
	for _, l := range found {
		switch {
		case l.How == otherBatch:
			control = math.Min(control, l.last())
		case l.Net.Norms:
			norms = math.Min(norms, l.last())
		default:
			worst = math.Max(worst, l.last())
		}
		if l.How != otherBatch {
			total++
			if l.SameBits {
				bits++
			}
		}
	}
	same := 0
	for _, x := range exact {
		if x.Same {
			same++
		}
	}
	notes := []string{
		fmt.Sprintf("%d of %d runs of N workers end with the very bits of one worker that goes through the same pieces of the batch and sums them in the ring's, or the reducer's, order. So the exchange itself changes nothing.", bits, total),
		fmt.Sprintf("Against one worker that takes the whole batch in one pass, only the order of the additions differs. Without batch norm that moves the parameters by at most %.1e of the way they have gone since the start; training on other images moves them by at least %.2g of it.", worst, control),
		fmt.Sprintf("Where every sum is exact in float32 there is no order to differ in: %d of %d such runs have the bits of the single pass.", same, len(exact)),
	}
	if !math.IsInf(norms, 1) {
		notes = append(notes, fmt.Sprintf("With batch norm the claim does not hold and cannot: each worker normalises by the mean of its own images. ResNet-18 ends at least %.2g of its way apart from the single worker. The blog does not say so.", norms))
	}
	return notes
}
