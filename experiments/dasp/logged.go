package dasp

import (
	"fmt"

	"gradsync/experiments/train"
)

// kept is what make makes of cfg, or what an earlier call or an interrupted
// command left of it; kind tells the memo which of a run's numbers these are, and
// cost is the part's share of the progress.
func kept[T any](r *runs, kind, what string, cost float64, cfg train.Config, make func(train.Config) (T, error)) (T, error) {
	cfg.Engine, cfg.DataDir = r.env.Engine, r.env.DataDir
	var t T
	key, err := r.key(cfg)
	if err != nil {
		return t, err
	}
	key = kind + key
	if r.env.Memo == nil || !r.env.Memo.Load(key, &t) {
		if err := r.ctx.Err(); err != nil {
			return t, err
		}
		if t, err = make(cfg); err != nil {
			return t, fmt.Errorf("dasp: %s: %w", what, err)
		}
		if r.env.Memo != nil {
			if err := r.env.Memo.Save(key, t); err != nil {
				return t, err
			}
		}
	}
	r.done += cost
	r.report(r.done, what)
	return t, nil
}

// logged is runs.get for what only the server's log says: of makes a T from a
// run's outcome.
func logged[T any](r *runs, kind, what string, cost float64, cfg train.Config, of func(*train.Outcome) (T, error)) (T, error) {
	return kept(r, kind, what, cost, cfg, func(cfg train.Config) (t T, err error) {
		out, err := train.Run(r.ctx, cfg)
		if err != nil {
			return t, err
		}
		return of(out)
	})
}
