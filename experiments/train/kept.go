package train

import (
	"context"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
)

// Kept runs cfg with the engine and the data folder of env and returns keep's reduction of
// its outcome, or what an earlier call or an interrupted command kept of it. One memo
// serves all trainings: the key is cfg, the content of its data set, the type C, and in
// also whatever else decides the numbers (a mask, the file that cfg.Load names). Two
// reductions of the same run to the same type must differ in also.
func Kept[C any](ctx context.Context, env exp.Env, cfg Config, keep func(*Outcome) (C, error), also ...any) (C, error) {
	return KeptBy(ctx, env, cfg, func(cfg Config) (c C, err error) {
		out, err := Run(ctx, cfg)
		if err != nil {
			return c, err
		}
		return keep(out)
	}, also...)
}

// KeptBy is Kept for what is made of more than one run: make gets cfg with the engine, the
// data folder, the progress and, if cfg has a Clock, the checkpoint of env.
func KeptBy[C any](ctx context.Context, env exp.Env, cfg Config, make func(Config) (C, error), also ...any) (out C, err error) {
	cfg.Engine, cfg.DataDir = env.Engine, env.DataDir
	data := ""
	if !cfg.TimingOnly {
		set, err := OpenData(cfg.Data, cfg.DataDir, cfg.Model)
		if err != nil {
			return out, err
		}
		data = set.SHA256
	}
	return kit.Keep(ctx, env, []any{cfg, data, also}, func(state string) (C, error) {
		if cfg.Clock != nil && !cfg.TimingOnly {
			cfg.Checkpoint = state
		}
		if env.Progress != nil {
			cfg.Progress = func(pushes, of int64) { env.Progress(float64(pushes), float64(of), "") }
		}
		return make(cfg)
	})
}
