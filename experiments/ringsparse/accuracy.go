package ringsparse

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
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/tensor/model"
)

// accuracyNet is what is trained, and for how long. The rate was chosen before the
// first run here: of 0.03, 0.1, 0.2, 0.3 and 0.5, on the dense ring and seed 0, the
// largest at which the loss fell at nearly every evaluation.
type accuracyNet struct {
	Model   string  `json:"model"`
	Raw     bool    `json:"raw_pixels"`
	Rate    float64 `json:"rate"`
	Updates int64   `json:"updates"`
	Pruned  bool    `json:"pruned"` // the pruned forms are trained too
}

// accuracyForm is one exchange. Bits says that it promises its base's parameters to
// the bit, as long as no block is sent as weights.
type accuracyForm struct {
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
	accuracyMargin = 0.005 // the 95 % interval of the paired difference lies within ± this
	accuracyMore   = 1.05  // updates to the target over the dense ring's
	accuracyTarget = 0.9   // of the dense ring's final accuracy on the same seed
)

// accuracyThreshold drops two thirds of the gradients' entries, about; it was chosen by
// that share, before any accuracy was looked at.
const accuracyThreshold = 1e-3

const (
	patentForm = "patent"
	denseForm  = "dense"
	orderForm  = "order"
)

func accuracyForms() []accuracyForm {
	sparse := func(o ringsparse.Options) *ringsparse.Options { return &o }
	return []accuracyForm{
		{Key: denseForm, Sync: "ring"},
		{Key: orderForm, Sync: "halving-doubling", Base: denseForm},
		{Key: patentForm, Sync: "ringsparse", Options: sparse(ringsparse.Options{}), Base: denseForm},
		{Key: "gradients", Sync: "ringsparse", Options: sparse(ringsparse.Options{Tie: "gradients"}), Base: denseForm, Bits: true},
		{Key: "printed", Sync: "ringsparse", Options: sparse(ringsparse.Options{Sign: "printed"}), Base: denseForm, Nets: []string{"lenet5"}},
		{Key: "threshold", Sync: "ringsparse", Options: sparse(ringsparse.Options{Threshold: accuracyThreshold}), Base: denseForm},
		{Key: "pruned-dense", Sync: "ringsparse", Options: sparse(ringsparse.Options{Kinds: "gradients", Codec: "dense"}), Pruned: true},
		{Key: "pruned-patent", Sync: "ringsparse", Options: sparse(ringsparse.Options{}), Base: "pruned-dense", Pruned: true},
	}
}

// accuracyPlan is what a profile trains.
type accuracyPlan struct {
	Nets       []accuracyNet  `json:"nets"`
	Forms      []accuracyForm `json:"forms"`
	Workers    int            `json:"workers"`
	Batch      int            `json:"batch"` // per worker
	Link       float64        `json:"link"`  // Gb/s
	Points     int64          `json:"points"`
	EvalImages int            `json:"eval_images"`
	Keep       float64        `json:"keep"` // of a pruned layer's parameters
}

func planAccuracy(profile string) accuracyPlan {
	p := accuracyPlan{Workers: 4, Batch: 16, Link: 1, Points: 10, EvalImages: 1000, Keep: 0.1, Forms: accuracyForms(), Nets: []accuracyNet{
		{Model: "lenet5", Rate: 0.1, Updates: 300},
		{Model: "mlp", Raw: true, Rate: 0.1, Updates: 100, Pruned: true}}}
	switch profile {
	case "ci":
		p.Nets, p.Forms = p.Nets[:1], []accuracyForm{p.Forms[0], p.Forms[2], p.Forms[3]}
		p.Nets[0].Updates, p.Batch, p.Points, p.EvalImages = 4, 4, 2, 100
	case "standard":
		p.Nets[0].Updates, p.Nets[1].Updates = 1500, 400
	case "paper":
		p.Nets[0].Updates, p.Nets[1].Updates = 6000, 6000
	}
	return p
}

// on lists the forms of a network.
func (p accuracyPlan) on(net accuracyNet) (out []accuracyForm) {
	for _, f := range p.Forms {
		if (f.Nets == nil || slices.Contains(f.Nets, net.Model)) && (net.Pruned || !f.Pruned) {
			out = append(out, f)
		}
	}
	return out
}

// net returns a network by its key.
func (p accuracyPlan) net(key string) accuracyNet {
	return p.Nets[slices.IndexFunc(p.Nets, func(n accuracyNet) bool { return n.Model == key })]
}

// form finds a form of a network by its key; ok is false if the network is not trained
// with it.
func (p accuracyPlan) form(net, key string) (f accuracyForm, ok bool) {
	list := p.on(p.net(net))
	i := slices.IndexFunc(list, func(f accuracyForm) bool { return f.Key == key })
	if i < 0 {
		return f, false
	}
	return list[i], true
}

// trial is one point: a network trained by an exchange.
type trial struct{ Net, Form string }

func (p accuracyPlan) trials() (out []trial) {
	for _, net := range p.Nets {
		for _, f := range p.on(net) {
			out = append(out, trial{net.Model, f.Key})
		}
	}
	return out
}

// accuracy asks for the patent's benefit: what becomes of accuracy and convergence.
func accuracy() exp.Experiment {
	return kit.Study[trial, mark]{ID: "ringsparse/accuracy", Source: "the patent, benefits", Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(profile string) []trial { return planAccuracy(profile).trials() },
		Cost: func(profile string, t trial) (string, float64) {
			each := map[string]float64{"lenet5": 0.0045, "mlp": 0.02}[t.Net]
			return "ringsparse/accuracy", each*float64(planAccuracy(profile).net(t.Net).Updates) + 0.2
		},
		Config: func(profile string) map[string]any {
			plan := planAccuracy(profile)
			return map[string]any{"plan": plan, "platform": kit.Platform(withLink(referencePlatform(), plan.Link)), "margin": accuracyMargin,
				"lower": claims.Tolerance("P10"), "more": accuracyMore, "target": accuracyTarget}
		},
		Measure: func(ctx context.Context, env exp.Env, t trial, seed uint64) (mark, error) {
			plan := planAccuracy(env.Profile)
			net := plan.net(t.Net)
			f, _ := plan.form(t.Net, t.Form)
			if !f.Pruned {
				return train.Kept(ctx, env, plan.config(net, f, seed), newMark, "ringsparse/accuracy")
			}
			pruned := func(cfg train.Config) (map[string]mark, error) { return plan.pruned(ctx, net, cfg) }
			marks, err := train.KeptBy(ctx, env, plan.config(net, plan.Forms[0], seed), pruned, "ringsparse/accuracy, pruned", plan)
			return marks[t.Form], err
		},
		Show: showAccuracy,
	}.Experiment()
}

// mark is one finished training.
type mark struct {
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

func newMark(o *train.Outcome) (mark, error) {
	m := mark{Accuracy: *o.TestAccuracy, Curve: o.Curve, Seconds: *o.VirtualSeconds, SHA256: o.ParamsSHA256, Bytes: o.BytesSent,
		Data: o.Data, Engine: o.Engine}
	if o.RingSparse != nil {
		m.Totals, m.Lossy = o.RingSparse.Totals, o.RingSparse.Lossy
	}
	return m, nil
}

// config returns a training of a form.
func (p accuracyPlan) config(net accuracyNet, f accuracyForm, seed uint64) train.Config {
	return train.Config{Sync: f.Sync, Model: net.Model, RawPixels: net.Raw, Workers: p.Workers, Seed: seed,
		Platform: withLink(referencePlatform(), p.Link), Batch: p.Batch, Rate: net.Rate, MaxUpdates: net.Updates,
		EvalEvery: net.Updates * int64(p.Workers) / p.Points, EvalImages: p.EvalImages, RingSparse: f.Options}
}

// pruned trains densely for half of the updates, prunes, and goes on from there for
// the other half in every pruned form. Nothing else differs between them.
func (p accuracyPlan) pruned(ctx context.Context, net accuracyNet, dense train.Config) (map[string]mark, error) {
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
	out := map[string]mark{}
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
		if out[f.Key], err = newMark(o); err != nil {
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
	mask := prune(params, layersOf(m, 0), keep)
	return mask, train.SaveState(path, m, 0, params, nil)
}
