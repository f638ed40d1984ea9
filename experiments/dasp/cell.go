package dasp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// cell is one run in the numbers that tables and figures need.
type cell struct {
	Iteration train.IterationTime
	Share     map[string]float64 // of pushes: QIS, WSS, FSS, held
	Seconds   map[string]float64 // waited, by the same
	Gap       train.Distribution
	Staleness train.Distribution
	Spread    int64     // largest v_new − min(v)
	Updates   []float64 // seconds of each version; timing-only BSP runs alone
	Curve     []train.Point
	Accuracy  float64 // of the final parameters on all test images
	Data      *result.Data
	Engine    string
}

// runs makes cells, each once: a finished one is kept in the experiment's memo.
type runs struct {
	ctx   context.Context
	env   exp.Env
	done  float64 // in units of the experiment's plan
	total float64
}

// get runs cfg, or loads what an earlier call or an interrupted command left.
// cost is its share of the progress.
func (r *runs) get(what string, cost float64, cfg train.Config) (cell, error) {
	env, start := r.env, r.done
	env.Progress = func(n, of float64, _ string) { r.report(start+cost*n/max(of, 1), what) }
	c, err := cellOf(r.ctx, env, cfg)
	if err != nil {
		return c, fmt.Errorf("dasp: %s: %w", what, err)
	}
	r.done += cost
	r.report(r.done, what)
	return c, nil
}

// cellOf runs cfg, or returns what an earlier call or an interrupted command kept of it.
func cellOf(ctx context.Context, env exp.Env, cfg train.Config) (cell, error) {
	return train.Kept(ctx, env, cfg, func(o *train.Outcome) (cell, error) { return reduce(o, cfg.TimingOnly && cfg.Sync == "bsp"), nil })
}

// key names a part by everything that decides its numbers. A directory of data
// counts, because what lies there decides which images a run sees.
func (r *runs) key(cfg train.Config) (string, error) {
	raw, err := json.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("dasp: configuration: %w", err)
	}
	data := ""
	if !cfg.TimingOnly {
		set, err := train.OpenData(cfg.Data, cfg.DataDir, cfg.Model)
		if err != nil {
			return "", err
		}
		data = set.SHA256
	}
	sum := sha256.Sum256(append(raw, data...))
	return "dasp/cell/" + hex.EncodeToString(sum[:]), nil
}

func (r *runs) report(done float64, what string) {
	if r.env.Progress != nil {
		r.env.Progress(done, r.total, what)
	}
}

func reduce(o *train.Outcome, updates bool) cell {
	c := cell{Iteration: o.Iteration, Share: o.StateShare, Seconds: o.StateSeconds, Gap: o.Gap,
		Staleness: o.Staleness, Spread: o.Log.Spread().Max(), Curve: o.Curve, Data: o.Data, Engine: o.Engine}
	if o.TestAccuracy != nil {
		c.Accuracy = *o.TestAccuracy
	}
	if updates {
		for _, u := range o.Log.Updates {
			c.Updates = append(c.Updates, u.At.Seconds())
		}
	}
	return c
}
