package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/papers/dasp/rivals"
)

// switchRow changes one reconstruction choice alone.
type switchRow struct {
	name, paper string // paper: what speaks for this reading
	set         func(*rivals.Options)
}

var switchRows = []switchRow{
	{"default", "as in “Differences from the paper”", func(*rivals.Options) {}},
	{"T_wait = α·|f_i − f_j|", "eq. (1) is lost", func(o *rivals.Options) { o.Wait = "absolute" }},
	{"T_wait = α·f_i + (1−α)·f_j", "“α is a weight”", func(o *rivals.Options) { o.Wait = "convex" }},
	{"T_wait = α·f_j", "eq. (1) is lost", func(o *rivals.Options) { o.Wait = "oldest" }},
	{"f with both transfers", "§1 names unequal networks", func(o *rivals.Options) { o.Duration = "iteration" }},
	{"gap after the update", "§2.2: “the node with the newest version waits”", func(o *rivals.Options) { o.Gap = "post" }},
	{"FSS literal: one completion", "Alg. 1, line 15", func(o *rivals.Options) { o.FSS = "literal" }},
	{"QIS arrivals join a group", "§2.3: “gradients received during the delay”", func(o *rivals.Options) { o.Arrivals = "join" }},
	{"QIS weight 1", "eq. (2) is lost", func(o *rivals.Options) { o.QISWeight = "1" }},
	{"group weight 1/N", "eq. (2) is lost", func(o *rivals.Options) { o.GroupWeight = "1/N" }},
}

// switches shows each reconstruction choice alone against the default, and
// judges D59 by the literal form.
func switches() exp.Experiment {
	e := exp.Experiment{ID: "dasp/switches", Title: "What each reconstruction choice changes", Source: "ours: Algorithms 1 and 2 are partly lost", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		s := sizeOf(profile)
		return float64(len(switchRows)) * (0.1*float64(seeds) + trainSeconds(s, switchPushes(s)))
	}
	e.Run = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := sizeOf(env.Profile)
		n := switchPushes(s)
		r := &runs{ctx: ctx, env: env, total: float64(len(switchRows)) * (float64(len(env.Seeds)) + float64(n)/100)}
		res := newResult(e, env, result.Trained, map[string]any{"platform": load(heterogeneous), "options": options(),
			"size": s, "gradients": n, "rate": rate, "seeds": env.Seeds})
		t := switchTable(env.Seeds[0], n)
		for _, row := range switchRows {
			cells, trained, err := r.switchCells(row, s, n)
			if err != nil {
				return incomplete(res), err
			}
			res.Data, res.Engine = trained.Data, trained.Engine
			it, _ := meanAndHalf(values(cells, perIteration))
			line := append([]any{row.name, row.paper, 1e3 * it}, stateRow("", cells)[1:4]...)
			widest := widestSpread(cells)
			t.Rows = append(t.Rows, append(line, gaps(cells).Max(), widest, 100*trained.Accuracy))
			if row.name == "FSS literal: one completion" {
				res.Claims = append(res.Claims, withinSmax(cells, widest))
			}
		}
		res.Tables, res.Status = []result.Table{t}, complete
		return res, nil
	}
	return e
}

// switchPushes is how many gradients a switch's training uses: a quarter run.
func switchPushes(s size) int64 { return s.Pushes / 4 }

func switchTable(seed uint64, n int64) result.Table {
	return result.Table{ID: "switches", Title: "One switch at a time, heterogeneous cluster", Kind: result.Trained,
		Caption: fmt.Sprintf("LeNet-5. Times, states and gaps: timing-only at batch 64, all seeds. Accuracy: trained, after %d gradients, seed %d: one run, so early that "+
			"an engine's roundings alone have moved it by up to 25 points; it ranks nothing. "+
			"The default has Smin = %d, Smax = %d, α = %g.", n, seed, smin, smax, alpha),
		Columns: []result.Column{{Key: "switch", Title: "switch"}, {Key: "paper", Title: "what speaks for it"},
			{Key: "iteration", Title: "iteration per worker", Unit: "ms", Digits: 2},
			{Key: "QIS", Title: "QIS", Unit: "%", Digits: 2}, {Key: "WSS", Title: "WSS", Unit: "%", Digits: 2}, {Key: "FSS", Title: "FSS", Unit: "%", Digits: 2},
			{Key: "gap", Title: "largest gap", Unit: "versions"}, {Key: "spread", Title: "largest spread", Unit: "versions"},
			{Key: "accuracy", Title: "accuracy", Unit: "%", Digits: 2}}}
}

// switchCells times LeNet-5 for every seed and trains LeNet-5 for the first.
func (r *runs) switchCells(row switchRow, s size, n int64) ([]cell, cell, error) {
	o := options()
	row.set(&o)
	var cells []cell
	for _, seed := range r.env.Seeds {
		cfg := timing(load(heterogeneous), "dasp", "lenet5", seed)
		cfg.Options = &o
		c, err := r.get("timing: "+row.name, 1, cfg)
		if err != nil {
			return nil, c, err
		}
		cells = append(cells, c)
	}
	cfg := training(heterogeneous, "dasp", r.env.Seeds[0], s)
	cfg.Options, cfg.MaxPushes, cfg.EvalEvery = &o, n, -1
	trained, err := r.get("training: "+row.name, float64(n)/100, cfg)
	return cells, trained, err
}

func widestSpread(cells []cell) (widest int64) {
	for _, c := range cells {
		widest = max(widest, c.Spread)
	}
	return widest
}

// withinSmax judges D59 for Algorithm 1 as printed.
func withinSmax(cells []cell, widest int64) result.Claim {
	return holds("D59", widest <= smax, len(cells), fmt.Sprintf("%d versions at Smax = %d", widest, smax), fmt.Sprintf("Algorithm 1 as printed, LeNet-5, %d seeds: the largest spread is %d versions at Smax = %d; "+
		"with the re-check (the default) v_i − min(v) ≤ Smax holds right after every WSS and FSS answer, and the spread never exceeds Smax + N − 2 = %d",
		len(cells), widest, smax, smax+workers-2))
}
