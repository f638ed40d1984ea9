package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/dasp/rivals"
)

// switchRow changes one reconstruction choice alone.
type switchRow struct {
	name, paper string // paper: what speaks for this reading
	set         func(*rivals.Options)
}

// literalFSS is the switch that D59 is judged by.
const literalFSS = "FSS literal: one completion"

var switchRows = []switchRow{
	{"default", "as in “Differences from the paper”", func(*rivals.Options) {}},
	{"T_wait = α·|f_i − f_j|", "eq. (1) is lost", func(o *rivals.Options) { o.Wait = "absolute" }},
	{"T_wait = α·f_i + (1−α)·f_j", "“α is a weight”", func(o *rivals.Options) { o.Wait = "convex" }},
	{"T_wait = α·f_j", "eq. (1) is lost", func(o *rivals.Options) { o.Wait = "oldest" }},
	{"f with both transfers", "§1 names unequal networks", func(o *rivals.Options) { o.Duration = "iteration" }},
	{"gap after the update", "§2.2: “the node with the newest version waits”", func(o *rivals.Options) { o.Gap = "post" }},
	{literalFSS, "Alg. 1, line 15", func(o *rivals.Options) { o.FSS = "literal" }},
	{"QIS arrivals join a group", "§2.3: “gradients received during the delay”", func(o *rivals.Options) { o.Arrivals = "join" }},
	{"QIS weight 1", "eq. (2) is lost", func(o *rivals.Options) { o.QISWeight = "1" }},
	{"group weight 1/N", "eq. (2) is lost", func(o *rivals.Options) { o.GroupWeight = "1/N" }},
}

// switches shows each reconstruction choice alone against the default, and
// judges D59 by the literal form.
func switches() exp.Experiment {
	e := exp.Experiment{ID: "dasp/switches", Title: "What each reconstruction choice changes", Source: "ours: Algorithms 1 and 2 are partly lost", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		s := manyRows(profile)
		return float64(len(switchRows)*seeds) * (0.05 + s.seconds(s.Pushes))
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := manyRows(env.Profile)
		r := &runs{ctx: ctx, env: env, total: float64(len(switchRows)*len(env.Seeds)) * (1 + s.seconds(s.Pushes))}
		res := exp.NewResult(e, env, result.Trained, map[string]any{"platform": load(heterogeneous), "options": options(), "size": s, "seeds": env.Seeds, "clock_batch": fullBatch, "switches": switchNames()})
		timed, learned := newSwitchTables(s, len(env.Seeds))
		var base switched
		for i, row := range switchRows {
			x, err := r.switchCells(row, s)
			if err != nil {
				return incomplete(res), err
			}
			if i == 0 {
				base = x
			}
			res.Data, res.Engine = x.trained[0].Data, x.trained[0].Engine
			timed.Rows = append(timed.Rows, x.timing(row, base))
			learned.Rows = append(learned.Rows, x.learning(row, base, s))
			if row.name == literalFSS {
				res.Claims = append(res.Claims, withinSmax(x.timed, widestSpread(x.timed)))
			}
		}
		res.Tables, res.Notes, res.Status = []result.Table{timed, learned}, switchNotes(learned), complete
		return res, nil
	}
	return e
}

// switchNames is what the result records of the switches.
func switchNames() (out []string) {
	for _, row := range switchRows {
		out = append(out, row.name)
	}
	return out
}

// switched are the runs of one switch, a seed each.
type switched struct{ timed, trained []cell }

// switchCells times and trains LeNet-5 for every seed.
func (r *runs) switchCells(row switchRow, s size) (x switched, err error) {
	o := options()
	row.set(&o)
	for _, seed := range r.env.Seeds {
		cfg := timing(load(heterogeneous), "dasp", "lenet5", seed)
		cfg.Options = &o
		c, err := r.get("timing: "+row.name, 1, cfg)
		if err != nil {
			return x, err
		}
		x.timed = append(x.timed, c)
		cfg = training(load(heterogeneous), "dasp", seed, s)
		cfg.Options = &o
		if c, err = r.get("training: "+row.name, s.seconds(s.Pushes), cfg); err != nil {
			return x, err
		}
		x.trained = append(x.trained, c)
	}
	return x, nil
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
