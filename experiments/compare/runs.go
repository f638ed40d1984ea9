package compare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// part is one run in the numbers that the tables need. It is kept in the memo.
type part struct {
	Curve     []train.Point
	Accuracy  float64
	Updates   int64
	Pushes    int64
	Seconds   float64 // virtual, of the whole run
	Iteration float64 // mean between two updates, seconds
	Stale     float64 // mean, versions
	Stalest   int64
	Sent      int64   // bytes, a multicast once
	Delivered int64   // a multicast once per receiver
	By        []int64 // gradients used of each worker
	PerPush   float64 // seconds between two gradients used by a server, after a quarter of the run
	Events    string  // hash of who pushed when, on which version, used by which update
	SHA       string  // of the parameters
	Saturated int64
	Data      *result.Data
	Engine    string
}

// runs makes parts, each once for all experiments of a command.
type runs struct {
	ctx context.Context
	env exp.Env
	bar *exp.Bar

	target float64 // accuracy, once the pilot has set it
}

func (r *runs) get(what string, cfg train.Config) (part, error) {
	cfg.Engine, cfg.DataDir = r.env.Engine, r.env.DataDir
	var p part
	key, err := partKey(cfg)
	if err != nil {
		return p, err
	}
	if r.env.Memo == nil || !r.env.Memo.Load(key, &p) {
		if err := r.ctx.Err(); err != nil {
			return p, err
		}
		out, err := train.Run(r.ctx, cfg)
		if err != nil {
			return p, fmt.Errorf("compare: %s: %w", what, err)
		}
		p = reduce(out)
		if r.env.Memo != nil {
			if err := r.env.Memo.Save(key, p); err != nil {
				return p, err
			}
		}
	}
	if r.bar != nil {
		r.bar.Step(what)
	}
	return p, nil
}

// partKey names a part by everything that decides its numbers; the content of a folder
// of data is one of them.
func partKey(cfg train.Config) (string, error) {
	raw, err := json.Marshal(cfg)
	if err != nil {
		return "", fmt.Errorf("compare: configuration: %w", err)
	}
	if !cfg.TimingOnly {
		set, err := train.OpenData(cfg.Data, cfg.DataDir, cfg.Model)
		if err != nil {
			return "", err
		}
		raw = append(raw, set.SHA256...)
	}
	sum := sha256.Sum256(raw)
	return "compare/part/" + hex.EncodeToString(sum[:]), nil
}

func reduce(o *train.Outcome) part {
	p := part{Curve: o.Curve, Updates: o.Updates, Pushes: o.Pushes, Iteration: o.Iteration.PerUpdate, Stale: o.Staleness.Mean,
		Stalest: o.Staleness.Max, Sent: o.BytesSent, Delivered: o.BytesSent, SHA: o.ParamsSHA256, Data: o.Data, Engine: o.Engine}
	if o.VirtualSeconds != nil {
		p.Seconds = *o.VirtualSeconds
	}
	if o.TestAccuracy != nil {
		p.Accuracy = *o.TestAccuracy
	}
	if o.Coded != nil {
		p.Delivered, p.Saturated = o.Coded.Totals.Delivered, o.Coded.Totals.Saturated
	}
	if o.Log != nil {
		p.By, p.Events = tally(o.Log)
		p.PerPush = perPush(o.Log)
	}
	return p
}

// tally counts the gradients of each worker that were used, and hashes everything that
// an asynchronous method's parameters and times depend on.
func tally(l *dasp.Log) (by []int64, events string) {
	by = make([]int64, l.Workers)
	h := sha256.New()
	for _, p := range l.Pushes {
		if p.Applied > 0 {
			by[p.Worker]++
		}
		fmt.Fprintln(h, p.Worker, p.Step, p.Pulled, p.Applied, p.Sent, p.Received)
	}
	for _, u := range l.Updates {
		fmt.Fprintln(h, u.Version, u.At, u.Workers, u.Weight)
	}
	return by, hex.EncodeToString(h.Sum(nil))
}

// perPush is the mean time between two used gradients after the first quarter of the
// updates; 0 of fewer than two.
func perPush(l *dasp.Log) float64 {
	n := len(l.Updates)
	if n < 2 {
		return 0
	}
	first, last := l.Updates[n/4], l.Updates[n-1]
	if n/4 == n-1 {
		first = l.Updates[0]
	}
	return (last.At - first.At).Seconds() / float64(last.Pushes-first.Pushes)
}
