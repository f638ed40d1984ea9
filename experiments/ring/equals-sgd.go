package ring

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// equalsNet is a network of the experiment; Norms says that it normalises over the batch,
// for which nobody claims equality.
type equalsNet struct {
	Name  string  `json:"name"`
	Width float64 `json:"width,omitempty"`
	Image int     `json:"image,omitempty"`
	Norms bool    `json:"norms"`
	Rate  float64 `json:"rate"`
	Steps int     `json:"steps"`
}

// equalsPlan holds what a profile trains.
type equalsPlan struct {
	Nets    []equalsNet `json:"nets"`    // the last is the one with batch norm
	Workers []int       `json:"workers"` // each divides Batch
	Batch   int         `json:"batch"`   // of all workers together
	// Norms are the batches, for two workers together, at which batch norm is looked at.
	Norms []int `json:"norm_batches"`
}

func planEquals(profile string) equalsPlan {
	p := equalsPlan{Batch: 48, Workers: []int{2, 3, 8}, Norms: []int{16, 48, 192, 768}, Nets: []equalsNet{
		{Name: "mlp", Rate: 0.05, Steps: 20},
		{Name: "lenet5", Rate: 0.05, Steps: 20},
		{Name: "resnet18", Width: 1. / 16, Image: 16, Norms: true, Rate: 0.05, Steps: 5}}}
	switch profile {
	case "ci":
		p.Workers, p.Batch, p.Norms = []int{2, 3}, 24, []int{16, 48}
		p.Nets[0].Steps, p.Nets[1].Steps, p.Nets[2].Steps = 3, 3, 2
	case "standard", "paper":
		p.Workers = []int{2, 3, 4, 8}
		p.Nets[0].Steps, p.Nets[1].Steps, p.Nets[2].Steps = 100, 100, 20
	}
	return p
}

// trainingCase is a point: a network trained in every way, or one step of it by two workers at
// another batch, or the task in which every sum is exact.
type trainingCase struct {
	Net   string
	Batch int // 0: the plan's
}

func (x trainingCase) String() string {
	if x.Batch > 0 {
		return fmt.Sprintf("%s, batch %d", x.Net, x.Batch)
	}
	return x.Net
}

// exactTask is the case without a network.
const exactTask = "exact"

// trainingResult holds what one seed of a lesson gave.
type trainingResult struct {
	Engine string
	Data   *result.Data
	Runs   []likeness
	Exact  []exactRun
}

// otherBatch marks the control: one worker on other images. It shows how large the
// distance is between runs that are not the same training.
const otherBatch = "other"

// equalsSGD returns the experiment that asks whether N workers are one.
func equalsSGD() exp.Experiment {
	return kit.Study[trainingCase, trainingResult]{ID: "ring/equals-sgd", Source: "the blog, The Communication Problem", Kind: result.Trained,
		Profiles: exp.Profiles,
		Points: func(profile string) (out []trainingCase) {
			p := planEquals(profile)
			for _, n := range p.Nets {
				out = append(out, trainingCase{n.Name, 0})
			}
			for _, b := range p.Norms {
				out = append(out, trainingCase{p.Nets[len(p.Nets)-1].Name, b})
			}
			return append(out, trainingCase{exactTask, 0})
		},
		Cost: func(profile string, x trainingCase) (string, float64) {
			p, cost := planEquals(profile), map[string]float64{"mlp": 0.2e-3, "lenet5": 0.4e-3, "resnet18": 1e-3, exactTask: 0.1e-3}[x.Net]
			if x.Batch > 0 {
				return "ring/equals-sgd", cost * float64(6*x.Batch)
			}
			return "ring/equals-sgd", cost * float64(p.net(x.Net).Steps*p.Batch*(2+3*len(p.Workers)))
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planEquals(profile), "bound": claims.Tolerance("B22"), "exact": map[string]any{
				"batch": exactImages, "parameters": exactLength, "steps": exactSteps, "rate": exactRate, "workers": exactWorkers}}
		},
		Once:    func(x trainingCase) bool { return x.Batch > 0 || x.Net == exactTask },
		Measure: learn,
		Show:    showEquals}.Experiment()
}

func (p equalsPlan) net(name string) equalsNet {
	if i := slices.IndexFunc(p.Nets, func(n equalsNet) bool { return n.Name == name }); i >= 0 {
		return p.Nets[i]
	}
	return equalsNet{Name: name, Steps: exactSteps}
}

func learn(ctx context.Context, env exp.Env, x trainingCase, seed uint64) (out trainingResult, err error) {
	if x.Net == exactTask {
		out.Exact, err = exactRuns(ctx)
		return out, err
	}
	plan := planEquals(env.Profile)
	net := plan.net(x.Net)
	if x.Batch > 0 {
		net.Steps, plan.Workers, plan.Batch = 1, []int{2}, x.Batch
	}
	l, err := openLab(env, plan, net)
	if err != nil {
		return out, err
	}
	return kit.Keep(ctx, env, []any{"ring/equals-sgd", plan, net, seed, l.Made, l.Set.SHA256}, func(string) (trainingResult, error) {
		runs, err := l.compare(ctx, seed)
		return trainingResult{Engine: l.Made, Data: l.Data(), Runs: runs}, err
	})
}

// sameness is one row of the comparison: a network, an exchange, a number of workers; the
// runs are its seeds.
type sameness []likeness

// most returns the largest number over seeds.
func (s sameness) most(of func(likeness) float64) (x float64) {
	for _, l := range s {
		x = math.Max(x, of(l))
	}
	return x
}

func (s sameness) worst() float64 { return s.most(likeness.last) }

// at returns the largest distance after step i, over seeds.
func (s sameness) at(i int) float64 { return s.most(func(l likeness) float64 { return l.Distance[i] }) }

func (s sameness) bits() bool {
	return !slices.ContainsFunc(s, func(l likeness) bool { return !l.SameBits })
}

func (s sameness) control() bool { return s[0].How == otherBatch }

// equals holds what the frames are made of.
type equals struct {
	*kit.View[trainingCase, trainingResult]
	plan equalsPlan
	rows []sameness // in the order of the plan
}

func showEquals(v *kit.View[trainingCase, trainingResult]) {
	e := equals{View: v, plan: planEquals(v.Profile)}
	for _, n := range e.plan.Nets {
		seeds, data := v.At(trainingCase{n.Name, 0}), (*result.Data)(nil)
		for i := range seeds[0].Runs {
			var s sameness
			for _, x := range seeds {
				s = append(s, x.Runs[i])
			}
			e.rows = append(e.rows, s)
		}
		if !n.Norms {
			data = seeds[0].Data
		}
		kit.MadeOf(v.Result, seeds[0].Engine, data)
	}
	exact := v.At(trainingCase{exactTask, 0})[0].Exact
	v.Frames = []result.Frame{e.likeness(), e.agreement(), exactFrame(exact), e.norms()}
	v.Figures = []result.Figure{{ID: "distance", Form: "line", Frame: "agreement", X: "step", Y: []string{"digits"}, By: []string{"net", "how"}}}
	v.Claims = []result.Claim{judgeEquals(e.rows, exact, len(v.Seeds))}
	first, last := e.plan.Norms[0], e.plan.Norms[len(e.plan.Norms)-1]
	v.Facts = append(equalsFacts(e.rows, exact), kit.Facts("batch", e.plan.Batch, "workers", e.most(), "bound", claims.Tolerance("B22"),
		"narrower/.0", 1/e.normed().Width, "norms_first", first, "norms_last", last,
		"norms_shrink", e.step(last, "ring") < e.step(first, "ring"))...)
}

// normed returns the network with batch norm, most are the most workers.
func (e equals) normed() equalsNet { return e.plan.Nets[len(e.plan.Nets)-1] }
func (e equals) most() int         { return e.plan.Workers[len(e.plan.Workers)-1] }

// likeness returns one row per network, exchange and number of workers: the worst over seeds.
func (e equals) likeness() result.Frame {
	return kit.Rows("likeness", "net:model how:exchange n steps bits:bool distance largest", e.rows, func(s sameness) []any {
		bits := fmt.Sprint(s.bits())
		if s.control() {
			bits = ""
		}
		largest := s.most(func(l likeness) float64 { return l.Largest })
		return []any{s[0].Net, s[0].How, s[0].Workers, len(s[0].Distance), bits, s.worst(), largest}
	})
}

// agreement gives the worst agreement by step for the most workers on a ring, and of the
// control, in decimal digits; none where nothing differs.
func (e equals) agreement() result.Frame {
	out := kit.NewSheet("agreement", "net:model how:exchange step digits/.1")
	for _, s := range e.rows {
		if !s.control() && (s[0].How != "ring" || s[0].Workers != e.most()) {
			continue
		}
		for i := range s[0].Distance {
			if d := s.at(i); d > 0 {
				out.Add(s[0].Net, s[0].How, i+1, -math.Log10(d))
			}
		}
	}
	return out.Frame
}

// norms returns one step of the network with batch norm by two workers, at every batch.
func (e equals) norms() result.Frame {
	return kit.Rows("norms", "batch each distance/.2 other/.2", e.plan.Norms, func(batch int) []any {
		return []any{batch, batch / 2, e.step(batch, "ring"), e.step(batch, otherBatch)}
	})
}

// step returns the distance from one worker of one step of the network with batch norm.
func (e equals) step(batch int, how string) float64 {
	runs := e.At(trainingCase{e.normed().Name, batch})[0].Runs
	return runs[slices.IndexFunc(runs, func(l likeness) bool { return l.How == how })].last()
}

func exactFrame(rows []exactRun) result.Frame {
	return kit.Rows("exact", "how:exchange n same:bool", rows, func(x exactRun) []any { return []any{x.How, x.Workers, x.Same} })
}

// judgeEquals judges B22 by the networks without batch norm, each by its worst step.
func judgeEquals(rows []sameness, exact []exactRun, seeds int) result.Claim {
	bits, worst, bound := true, 0.0, claims.Tolerance("B22")
	var parts []result.Part
	for _, s := range rows {
		if s[0].Norms || s.control() {
			continue
		}
		if n := len(parts); n == 0 || parts[n-1].Of["model"] != s[0].Net {
			parts = append(parts, result.Part{Of: map[string]string{"model": s[0].Net}, Samples: make([]float64, len(s))})
		}
		part, most := &parts[len(parts)-1], 0.0
		for i, l := range s {
			part.Samples[i] = max(part.Samples[i], slices.Max(l.Distance))
			most = max(most, part.Samples[i])
		}
		holds := s.bits() && most <= bound && (part.Holds == nil || *part.Holds)
		part.Value, part.Holds = most, &holds
		bits, worst = bits && s.bits(), max(worst, most)
	}
	exactly := !slices.ContainsFunc(exact, func(x exactRun) bool { return !x.Same })
	f := claims.Identity(bits && exactly && worst <= bound, result.Because("B22-not-equal"))
	f.Seeds, f.Parts = seeds, parts
	return claims.Verdict("B22", f, result.Because("B22-bits", "yes", bits), result.Because("B22-exact", "yes", exactly),
		result.Because("B22-distance", "worst", worst, "bound", bound), result.Because("B22-scope"))
}

// equalsFacts returns the numbers of sentences: of the last step, but for worst_step, the largest
// distance after any step, by which B22 is judged.
func equalsFacts(rows []sameness, exact []exactRun) []result.Fact {
	worst, step, norms, control, apart := 0.0, 0.0, math.Inf(1), math.Inf(1), math.Inf(1)
	bits, total := 0, 0
	for _, s := range rows {
		for _, l := range s {
			switch {
			case s.control() && l.Norms:
				apart = math.Min(apart, l.last())
			case s.control():
				control = math.Min(control, l.last())
			case l.Norms:
				norms = math.Min(norms, l.last())
			default:
				worst, step = math.Max(worst, l.last()), math.Max(step, slices.Max(l.Distance))
			}
		}
		if !s.control() {
			total, bits = total+len(s), bits+kit.CountIf(s, func(l likeness) bool { return l.SameBits })
		}
	}
	same := kit.CountIf(exact, func(x exactRun) bool { return x.Same })
	return kit.Facts("runs", total, "bits", bits, "all_bits", bits == total, "worst", worst, "control/.2", control, "norms/.1", norms,
		"norms_control/.1", apart, "exact", len(exact), "exact_same", same, "exact_length", exactLength, "exact_images", exactImages,
		"exact_steps", exactSteps, "worst_step", step)
}
