package ringsparse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/model"
)

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

// marks are all trainings: [network][form][seed].
type marks struct {
	plan  accuracyPlan
	Seeds []uint64
	of    map[string]map[string][]mark
}

// school makes marks, each once: a finished training is kept in the memo.
type school struct {
	ctx         context.Context
	env         exp.Env
	plan        accuracyPlan
	done, total float64
	engine      string
	data        *result.Data
}

// all trains seed by seed, so that an interruption leaves whole seeds.
func (s *school) all() (marks, error) {
	out := marks{plan: s.plan, of: map[string]map[string][]mark{}}
	for _, seed := range s.env.Seeds {
		one := map[string]map[string]mark{}
		for _, net := range s.plan.Nets {
			got, err := s.seed(net, seed)
			if err != nil {
				return out, err
			}
			one[net.Model] = got
		}
		for _, net := range s.plan.Nets {
			if out.of[net.Model] == nil {
				out.of[net.Model] = map[string][]mark{}
			}
			for _, f := range s.plan.on(net) {
				out.of[net.Model][f.Key] = append(out.of[net.Model][f.Key], one[net.Model][f.Key])
			}
		}
		out.Seeds = append(out.Seeds, seed)
	}
	return out, nil
}

// seed trains every form of one network.
func (s *school) seed(net accuracyNet, seed uint64) (map[string]mark, error) {
	out := map[string]mark{}
	for _, f := range s.plan.on(net) {
		if f.Pruned {
			continue
		}
		var m mark
		err := s.part(fmt.Sprintf("%s, %s, seed %d", net.Title, f.Title, seed), s.plan.config(net, f, seed), f.Key, &m, 1, func(cfg train.Config) (err error) {
			m, err = s.train(cfg)
			return err
		})
		if err != nil {
			return nil, err
		}
		out[f.Key], s.engine = m, m.Engine
		if s.data == nil {
			s.data = m.Data
		}
	}
	if !net.Pruned {
		return out, nil
	}
	pruned := map[string]mark{}
	err := s.part(fmt.Sprintf("%s, pruned, seed %d", net.Title, seed), s.plan.config(net, s.plan.Forms[0], seed), "pruned", &pruned, 2,
		func(cfg train.Config) error { return s.pruned(net, cfg, pruned) })
	for key, m := range pruned {
		out[key] = m
	}
	return out, err
}

// config is a training of a form.
func (p accuracyPlan) config(net accuracyNet, f accuracyForm, seed uint64) train.Config {
	return train.Config{Sync: f.Sync, Model: net.Model, RawPixels: net.Raw, Workers: p.Workers, Platform: withLink(referencePlatform(), p.Link), Seed: seed,
		Batch: p.Batch, Rate: net.Rate, MaxUpdates: net.Updates, EvalEvery: net.Updates * int64(p.Workers) / p.Points, EvalImages: p.EvalImages, RingSparse: f.Options}
}

// part makes v by work, or loads it. weight is how many trainings it is.
func (s *school) part(what string, cfg train.Config, form string, v any, weight float64, work func(cfg train.Config) error) error {
	cfg.Engine, cfg.DataDir = s.env.Engine, s.env.DataDir
	key, err := s.key(cfg, form)
	if err != nil {
		return err
	}
	if s.env.Memo == nil || !s.env.Memo.Load(key, v) {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := work(cfg); err != nil {
			return fmt.Errorf("ringsparse: %s: %w", what, err)
		}
		if s.env.Memo != nil {
			if err := s.env.Memo.Save(key, v); err != nil {
				return err
			}
		}
	}
	each := map[string]float64{"lenet5": 0.0045, "mlp": 0.02}[cfg.Model]
	s.done += weight * (each*float64(cfg.MaxUpdates) + 0.2)
	if s.env.Progress != nil {
		s.env.Progress(s.done, s.total, what)
	}
	return nil
}

// key names a part by everything that decides its numbers.
func (s *school) key(cfg train.Config, form string) (string, error) {
	raw, err := json.Marshal(map[string]any{"config": cfg, "form": form, "plan": s.plan})
	if err != nil {
		return "", fmt.Errorf("ringsparse: configuration: %w", err)
	}
	set, err := train.OpenData(cfg.Data, cfg.DataDir, cfg.Model)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(raw, set.SHA256...))
	return "ringsparse/accuracy/" + hex.EncodeToString(sum[:]), nil
}

func (s *school) train(cfg train.Config) (mark, error) {
	o, err := train.Run(s.ctx, cfg)
	if err != nil {
		return mark{}, err
	}
	m := mark{Accuracy: *o.TestAccuracy, Curve: o.Curve, Seconds: *o.VirtualSeconds, SHA256: o.ParamsSHA256, Bytes: o.BytesSent, Data: o.Data, Engine: o.Engine}
	if o.RingSparse != nil {
		m.Totals, m.Lossy = o.RingSparse.Totals, o.RingSparse.Lossy
	}
	return m, nil
}

// pruned trains densely for half of the updates, prunes, and goes on from there for
// the other half in every pruned form. Nothing else differs between them.
func (s *school) pruned(net accuracyNet, dense train.Config, into map[string]mark) error {
	dir, err := os.MkdirTemp("", "gradsync-pruned")
	if err != nil {
		return fmt.Errorf("ringsparse: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	start := filepath.Join(dir, "start.safetensors")
	dense.MaxUpdates, dense.EvalEvery, dense.Save = net.Updates/2, -1, start
	if _, err := s.train(dense); err != nil {
		return err
	}
	mask, err := pruneFile(start, net.Model, s.plan.Keep)
	if err != nil {
		return err
	}
	for _, f := range s.plan.on(net) {
		if !f.Pruned {
			continue
		}
		cfg := s.plan.config(net, f, dense.Seed)
		cfg.Engine, cfg.DataDir, cfg.Load, cfg.Mask, cfg.MaxUpdates = dense.Engine, dense.DataDir, start, mask, net.Updates-net.Updates/2
		m, err := s.train(cfg)
		if err != nil {
			return err
		}
		into[f.Key] = m
	}
	return nil
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
	var layers []cluster.Layer
	for _, l := range m.Layers() {
		layers = append(layers, cluster.Layer{Offset: l.Offset, Length: l.Length})
	}
	mask := prune(params, layers, keep)
	return mask, train.SaveState(path, m, 0, params, nil)
}
