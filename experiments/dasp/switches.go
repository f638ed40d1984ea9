package dasp

import (
	"context"
	"slices"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp/rivals"
)

// switchRow changes one reconstruction choice alone.
type switchRow struct {
	key string
	set func(*rivals.Options)
}

// literalFSS is the switch that D59 is judged by.
const literalFSS = "fss-literal"

var switchRows = []switchRow{
	{"default", func(*rivals.Options) {}},
	{"wait-absolute", func(o *rivals.Options) { o.Wait = "absolute" }},
	{"wait-convex", func(o *rivals.Options) { o.Wait = "convex" }},
	{"wait-oldest", func(o *rivals.Options) { o.Wait = "oldest" }},
	{"duration-iteration", func(o *rivals.Options) { o.Duration = "iteration" }},
	{"gap-post", func(o *rivals.Options) { o.Gap = "post" }},
	{literalFSS, func(o *rivals.Options) { o.FSS = "literal" }},
	{"arrivals-join", func(o *rivals.Options) { o.Arrivals = "join" }},
	{"qis-weight-1", func(o *rivals.Options) { o.QISWeight = "1" }},
	{"group-weight-1-n", func(o *rivals.Options) { o.GroupWeight = "1/N" }},
}

// switched is LeNet-5 timed and trained with one switch.
type switched struct{ Timed, Trained cell }

// switches shows each reconstruction choice alone against the default, and judges D59 by
// the literal form. A point is the key of a switch.
func switches() exp.Experiment {
	return kit.Study[string, switched]{ID: "dasp/switches", Source: "ours: Algorithms 1 and 2 are partly lost",
		Kind: result.Trained, Profiles: exp.Profiles,
		Points: func(string) (keys []string) {
			for _, row := range switchRows {
				keys = append(keys, row.key)
			}
			return keys
		},
		Cost: func(profile, key string) (string, float64) {
			s := manyRows(profile)
			return key, 0.05 + s.seconds(s.Pushes)
		},
		Config: func(profile string) map[string]any {
			set := map[string]any{}
			for _, row := range switchRows {
				o := options()
				row.set(&o)
				set[row.key] = o
			}
			return map[string]any{"platform": kit.Platform(load(heterogeneous)), "switches": set, "size": manyRows(profile), "clock_batch": fullBatch}
		},
		Measure: func(ctx context.Context, env exp.Env, key string, seed uint64) (x switched, err error) {
			o := options()
			switchRows[slices.IndexFunc(switchRows, func(r switchRow) bool { return r.key == key })].set(&o)
			run := func(cfg train.Config) (cell, error) {
				cfg.Options = &o
				return cellOf(ctx, env, cfg)
			}
			if x.Timed, err = run(timing(load(heterogeneous), "dasp", "lenet5", seed)); err == nil {
				x.Trained, err = run(training(load(heterogeneous), "dasp", seed, manyRows(env.Profile)))
			}
			return x, err
		},
		Show: showSwitches}.Experiment()
}

func showSwitches(v *kit.View[string, switched]) {
	of := func(pick func(switched) cell) func(switchRow) []cell {
		return func(row switchRow) (cells []cell) {
			for _, x := range v.At(row.key) {
				cells = append(cells, pick(x))
			}
			return cells
		}
	}
	timed, trained := of(func(x switched) cell { return x.Timed }), of(func(x switched) cell { return x.Trained })
	base, names := switchRows[0], []kit.Col[switchRow]{kit.Word("switch", "switch", func(r switchRow) string { return r.key })}

	events := append(names, kit.Word("paper", "evidence", func(r switchRow) string { return r.key }),
		kit.Mean("iteration", "ms", 2, func(r switchRow) kit.Estimate { return mean(timed(r), perIteration).Times(1e3) }),
		kit.Interval("ratio", "", 3, func(r switchRow) kit.Estimate {
			return kit.Each(timed(r), perIteration).Over(kit.Each(timed(base), perIteration))
		}))
	events = append(append(events, shareCols(2, timed)...),
		kit.Count("gap", "versions", func(r switchRow) int64 { return gaps(timed(r)).Max() }),
		kit.Count("spread", "versions", func(r switchRow) int64 { return widestSpread(timed(r)) }))
	v.Frames = []result.Frame{kit.Frame("switches", switchRows, events...),
		kit.Frame("learning", switchRows, append(names, learningCols(manyRows(v.Profile), trained, trained(base))...)...)}
	v.Frames[0].Kind = result.TimingOnly

	kit.MadeOf(v.Result, trained(base)[0].Engine, trained(base)[0].Data)
	intervals := 2 * (len(switchRows) - 1) // of times and of accuracies
	v.Facts = append(sizeFacts(manyRows(v.Profile)), kit.Counted("intervals", "", intervals), kit.Whether("one_seed", len(v.Seeds) == 1))
	v.Claims = []result.Claim{withinSmax(timed(switchRows[slices.IndexFunc(switchRows, func(r switchRow) bool { return r.key == literalFSS })]))}
}

func widestSpread(cells []cell) (widest int64) {
	for _, c := range cells {
		widest = max(widest, c.Spread)
	}
	return widest
}

// withinSmax judges D59 for Algorithm 1 as printed.
func withinSmax(cells []cell) result.Claim {
	widest := widestSpread(cells)
	words := result.Because("D59", "spread", widest, "smax", smax)
	f := claims.Holding(widest <= smax, len(cells), &words)
	f.Cluster, f.Network = heterogeneous, "lenet5"
	f.Notes = []result.Reason{result.Because("D59-literal", "seeds", len(cells), "spread", widest, "smax", smax, "bound", smax+workers-2)}
	return claims.Verdict("D59", f)
}
