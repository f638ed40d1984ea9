// Package accuracy trains networks by the patent's exchange and by others, and compares
// accuracy, convergence and bits. Experiment is its door.
package accuracy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/model"
)

// network holds what is trained, and for how long. The rate was chosen before the first run here:
// of 0.03, 0.1, 0.2, 0.3 and 0.5, on the dense ring and seed 0, the largest at which the loss fell
// at nearly every evaluation.
type network struct {
	Model   string  `json:"model"`
	Raw     bool    `json:"raw_pixels"`
	Rate    float64 `json:"rate"`
	Updates int64   `json:"updates"`
	Pruned  bool    `json:"pruned"` // the pruned forms are trained too
}

// exchangeForm is one way of exchanging gradients. Bits promises its base's parameters to the bit,
// as long as no block is sent as weights.
type exchangeForm struct {
	Key     string              `json:"key"`
	Sync    string              `json:"sync"`
	Options *ringsparse.Options `json:"options,omitempty"`
	Base    string              `json:"base"` // compared with
	Bits    bool                `json:"bits,omitempty"`
	Pruned  bool                `json:"pruned,omitempty"`
	Nets    []string            `json:"nets,omitempty"` // nil: all
}

// Criteria of the patent's claim, stated before the first run. tolerances.csv has how
// much lower the mean may be, and how many more updates the target may take.
const (
	maxUpdates  = 1.05 // updates to the target over the dense ring's
	targetShare = 0.9  // of the dense ring's final accuracy on the same seed
)

// maxDifference is the margin: the 95 % interval of the paired difference lies within ± this.
var maxDifference = claims.Margin("P10")

// sparseThreshold drops two thirds of the gradients' entries, about; it was chosen by
// that share, before any accuracy was looked at.
const sparseThreshold = 1e-3

const (
	patentForm = "patent"
	denseForm  = "dense"
	orderForm  = "order"
)

func exchangeForms() []exchangeForm {
	sparse := func(o ringsparse.Options) *ringsparse.Options { return &o }
	return []exchangeForm{
		{Key: denseForm, Sync: "ring"},
		{Key: orderForm, Sync: "halving-doubling", Base: denseForm},
		{Key: patentForm, Sync: "ringsparse", Options: sparse(ringsparse.Options{}), Base: denseForm},
		{Key: "gradients", Sync: "ringsparse", Options: sparse(ringsparse.Options{Tie: "gradients"}), Base: denseForm, Bits: true},
		{Key: "printed", Sync: "ringsparse", Options: sparse(ringsparse.Options{Sign: "printed"}), Base: denseForm, Nets: []string{"lenet5"}},
		{Key: "threshold", Sync: "ringsparse", Options: sparse(ringsparse.Options{Threshold: sparseThreshold}), Base: denseForm},
		{Key: "pruned-dense", Sync: "ringsparse", Options: sparse(ringsparse.Options{Kinds: "gradients", Codec: "dense"}), Pruned: true},
		{Key: "pruned-patent", Sync: "ringsparse", Options: sparse(ringsparse.Options{}), Base: "pruned-dense", Pruned: true},
	}
}

// trainingPlan holds what a profile trains.
type trainingPlan struct {
	Nets       []network      `json:"nets"`
	Forms      []exchangeForm `json:"forms"`
	Workers    int            `json:"workers"`
	Batch      int            `json:"batch"` // per worker
	Link       float64        `json:"link"`  // Gb/s
	Points     int64          `json:"points"`
	EvalImages int            `json:"eval_images"`
	Keep       float64        `json:"keep"` // of a pruned layer's parameters
}

func planTraining(profile string) trainingPlan {
	p := trainingPlan{Workers: 4, Batch: 16, Link: 1, Points: 10, EvalImages: 1000, Keep: 0.1, Forms: exchangeForms(), Nets: []network{
		{Model: "lenet5", Rate: 0.1, Updates: 300},
		{Model: "mlp", Raw: true, Rate: 0.1, Updates: 100, Pruned: true}}}
	switch profile {
	case "ci":
		p.Nets, p.Forms = p.Nets[:1], []exchangeForm{p.Forms[0], p.Forms[2], p.Forms[3]}
		p.Nets[0].Updates, p.Batch, p.Points, p.EvalImages = 4, 4, 2, 100
	case "standard":
		p.Nets[0].Updates, p.Nets[1].Updates = 1500, 400
	case "paper":
		p.Nets[0].Updates, p.Nets[1].Updates = 6000, 6000
	}
	return p
}

// on lists the forms of a network.
func (p trainingPlan) on(net network) (out []exchangeForm) {
	for _, f := range p.Forms {
		if (f.Nets == nil || slices.Contains(f.Nets, net.Model)) && (net.Pruned || !f.Pruned) {
			out = append(out, f)
		}
	}
	return out
}

// net returns a network by its key.
func (p trainingPlan) net(key string) network {
	return p.Nets[slices.IndexFunc(p.Nets, func(n network) bool { return n.Model == key })]
}

// form finds a form of a network by its key; ok is false if the network is not trained
// with it.
func (p trainingPlan) form(net, key string) (f exchangeForm, ok bool) {
	list := p.on(p.net(net))
	i := slices.IndexFunc(list, func(f exchangeForm) bool { return f.Key == key })
	if i < 0 {
		return f, false
	}
	return list[i], true
}

// point is a network trained by an exchange.
type point struct{ Net, Form string }

func (p trainingPlan) points() (out []point) {
	for _, net := range p.Nets {
		for _, f := range p.on(net) {
			out = append(out, point{net.Model, f.Key})
		}
	}
	return out
}

// Experiment returns the experiment that asks for the patent's benefit: what becomes of accuracy
// and convergence.
func Experiment() exp.Experiment {
	return kit.Study[point, training]{ID: "ringsparse/accuracy", Source: "the patent, benefits", Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(profile string) []point { return planTraining(profile).points() },
		Cost: func(profile string, t point) (string, float64) {
			each := map[string]float64{"lenet5": 0.0045, "mlp": 0.02}[t.Net]
			return "ringsparse/accuracy", each*float64(planTraining(profile).net(t.Net).Updates) + 0.2
		},
		Config: func(profile string) map[string]any {
			plan := planTraining(profile)
			return map[string]any{"plan": plan, "platform": kit.Platform(setup.WithLink(setup.Platform(), plan.Link)), "margin": maxDifference,
				"lower": claims.Tolerance("P10"), "more": maxUpdates, "target": targetShare}
		},
		Measure: func(ctx context.Context, env exp.Env, t point, seed uint64) (training, error) {
			plan := planTraining(env.Profile)
			net := plan.net(t.Net)
			f, _ := plan.form(t.Net, t.Form)
			if !f.Pruned {
				return train.Kept(ctx, env, plan.config(net, f, seed), newTraining, "ringsparse/accuracy")
			}
			pruned := func(cfg train.Config) (map[string]training, error) { return plan.pruned(ctx, net, cfg) }
			trainings, err := train.KeptBy(ctx, env, plan.config(net, plan.Forms[0], seed), pruned, "ringsparse/accuracy, pruned", plan)
			return trainings[t.Form], err
		},
		Show: show,
	}.Experiment()
}

// training holds the numbers of one finished training.
type training struct {
	Accuracy float64 // of the final parameters on all test images
	Curve    []train.Point
	Seconds  float64 // virtual
	SHA256   string
	Totals   ringsparse.Totals
	Bytes    int64
	Lossy    bool
	Data     *result.Data
	Engine   string
}

func newTraining(o *train.Outcome) (training, error) {
	m := training{Accuracy: *o.TestAccuracy, Curve: o.Curve, Seconds: *o.VirtualSeconds, SHA256: o.ParamsSHA256, Bytes: o.BytesSent,
		Data: o.Data, Engine: o.Engine}
	if o.RingSparse != nil {
		m.Totals, m.Lossy = o.RingSparse.Totals, o.RingSparse.Lossy
	}
	return m, nil
}

// config returns a training of a form.
func (p trainingPlan) config(net network, f exchangeForm, seed uint64) train.Config {
	return train.Config{Sync: f.Sync, Model: net.Model, RawPixels: net.Raw, Workers: p.Workers, Seed: seed,
		Platform: setup.WithLink(setup.Platform(), p.Link), Batch: p.Batch, Rate: net.Rate, MaxUpdates: net.Updates,
		EvalEvery: net.Updates * int64(p.Workers) / p.Points, EvalImages: p.EvalImages, AllReduce: train.AllReduce{RingSparse: f.Options}}
}

// pruned trains densely for half of the updates, prunes, and goes on from there for
// the other half in every pruned form. Nothing else differs between them.
func (p trainingPlan) pruned(ctx context.Context, net network, dense train.Config) (map[string]training, error) {
	dir, err := os.MkdirTemp("", "gradsync-pruned")
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	start := filepath.Join(dir, "start.safetensors")
	dense.MaxUpdates, dense.EvalEvery, dense.Save, dense.Progress = net.Updates/2, -1, start, nil
	if _, err := train.Run(ctx, dense); err != nil {
		return nil, err
	}
	mask, err := pruneFile(start, net.Model, p.Keep)
	if err != nil {
		return nil, err
	}
	out := map[string]training{}
	for _, f := range p.on(net) {
		if !f.Pruned {
			continue
		}
		cfg := p.config(net, f, dense.Seed)
		cfg.Engine, cfg.DataDir, cfg.Load, cfg.Mask, cfg.MaxUpdates = dense.Engine, dense.DataDir, start, mask, net.Updates-net.Updates/2
		o, err := train.Run(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if out[f.Key], err = newTraining(o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pruneFile prunes the parameters in a file of the named network.
func pruneFile(path, name string, keep float64) ([]bool, error) {
	m, err := model.New(name)
	if err != nil {
		return nil, fmt.Errorf("ringsparse: %w", err)
	}
	params := make([]float32, m.NumParams())
	if err := train.LoadState(path, m, 0, params, nil); err != nil {
		return nil, err
	}
	mask := setup.Prune(params, setup.LayersOf(m, 0), keep)
	return mask, train.SaveState(path, m, 0, params, nil)
}
