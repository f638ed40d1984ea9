package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// walkPushes is how many gradients a reader walks through: ten of each worker on
// average, within which all three states occur. The run goes on for as many again, so
// that the wait of each is known.
const walkPushes = 60

// walk tells a short run event by event: who arrives, what Algorithm 1 finds, who
// waits and why, and what each worker holds afterwards.
func walk() exp.Experiment {
	e := exp.Experiment{ID: "dasp/walk", Title: "DASP, event by event", Source: "DASP, §2.1–§2.3", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.1 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		platform := load(heterogeneous)
		cfg := walkTraining(platform, env.Seeds[0])
		cfg.Engine, cfg.DataDir = env.Engine, env.DataDir
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"platform": platform, "options": options(), "model": cfg.Model,
			"batch": cfg.Batch, "gradients": walkPushes, "run": cfg.MaxPushes, "seed": env.Seeds[0]})
		res.Seeds = env.Seeds[:1]
		out, err := train.Run(ctx, cfg)
		if err != nil {
			return incomplete(res), fmt.Errorf("dasp: walk: %w", err)
		}
		steps, err := witness(out.Log, options())
		if err != nil {
			return incomplete(res), err
		}
		c, err := options().Config()
		if err != nil {
			return incomplete(res), err
		}
		rows := walkRows(out.Log, steps, walkPushes)
		res.Tables = []result.Table{walkTable(platform, rows, c), walkTotals(out.Log, c)}
		res.Figures = []result.Figure{walkFigure(out.Log)}
		res.Notes = walkNotes(out.Log, rows)
		res.Status = complete
		if env.Progress != nil {
			env.Progress(1, 1, "walk")
		}
		return res, nil
	}
	return e
}

func walkTraining(p *cluster.Platform, seed uint64) train.Config {
	cfg := timing(p, "dasp", "lenet5", seed)
	cfg.MaxPushes, cfg.Warmup = 2*walkPushes, 0
	return cfg
}

// witnessed is one step of the policy: what reached it, what Algorithm 1 found if
// that was a gradient, what was ordered, and the versions held before and after.
type witnessed struct {
	dasp.Event
	Decision      dasp.Decision
	Actions       []dasp.Action
	Before, After dasp.View
}

// witnessing is a policy that writes down its steps.
type witnessing struct {
	dasp.Policy
	config dasp.Config
	steps  []witnessed
}

// Step consumes one event.
func (w *witnessing) Step(e dasp.Event) []dasp.Action {
	s := witnessed{Event: e, Before: w.view()}
	if e.Kind == dasp.EventPush {
		v := w.view()
		v.Finished(e.Worker, e.Compute) // Algorithm 1, line 2
		s.Decision = w.config.Decide(v, e.Worker)
	}
	actions := w.Policy.Step(e)
	for _, a := range actions {
		a.Workers = append([]int{}, a.Workers...)
		s.Actions = append(s.Actions, a)
	}
	s.After = w.view()
	w.steps = append(w.steps, s)
	return actions
}

// view is a copy of what the policy knows of the nodes.
func (w *witnessing) view() dasp.View {
	v := w.Policy.(interface{ View() dasp.View }).View()
	return dasp.View{V: append(v.V[:0:0], v.V...), F: append(v.F[:0:0], v.F...), Present: append(v.Present[:0:0], v.Present...), Newest: v.Newest}
}

// witness returns every step of the policy in the run that l is the log of: a policy
// is pure, so it takes the same steps again, and retrace refuses where it does not.
func witness(l *dasp.Log, o rivals.Options) ([]witnessed, error) {
	config, err := o.Config()
	if err != nil {
		return nil, err
	}
	f, err := o.F()
	if err != nil {
		return nil, err
	}
	var last *witnessing
	fresh := func() (dasp.Policy, error) {
		p, err := dasp.New(config)
		last = &witnessing{Policy: p, config: config}
		return last, err
	}
	if err := retrace(l, fresh, f, nil, nil); err != nil {
		return nil, err
	}
	return last.steps, nil
}
