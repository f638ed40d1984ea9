package dasp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
)

// walkPushes counts the gradients that a reader walks through: ten of each worker on
// average, within which all three states occur. The run goes on for as many again, so
// that the wait of each is known.
const walkPushes = 60

// walk tells a short run event by event: who arrives, what Algorithm 1 finds, who
// waits and why, and what each worker holds afterwards.
func walk() exp.Experiment {
	return kit.Inquiry{ID: "dasp/walk", Source: "DASP, §2.1–§2.3", Kind: result.TimingOnly, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(string, int) float64 { return 0.1 },
		Config: func(string) map[string]any {
			cfg := walkTraining(load(heterogeneous), 0)
			return map[string]any{"platform": kit.Platform(cfg.Platform), "options": options(), "model": cfg.Model,
				"batch": cfg.Batch, "gradients": walkPushes, "run": cfg.MaxPushes}
		},
		Run: walkRun}.Experiment()
}

func walkRun(ctx context.Context, env exp.Env, r *result.Result) error {
	r.Seeds = env.Seeds[:1]
	cfg := walkTraining(load(heterogeneous), env.Seeds[0])
	cfg.Engine, cfg.DataDir = env.Engine, env.DataDir
	out, err := train.Run(ctx, cfg)
	if err != nil {
		return err
	}
	steps, err := witness(out.Log, options())
	if err != nil {
		return err
	}
	rows := walkRows(out.Log, steps, walkPushes)
	r.Frames = []result.Frame{walkEvents(rows), walkTotals(out.Log, rows), bandFrame("bands", "dasp", out.Log, walkEnd(out.Log))}
	r.Figures = []result.Figure{{ID: "window", Form: "gantt", Frame: "bands", X: "from", Y: []string{"to"}, Lane: "worker", State: "state"}}
	r.Facts = walkFacts(out.Log, rows)
	if env.Progress != nil {
		env.Progress(1, 1, "walk")
	}
	return nil
}

func walkTraining(p *cluster.Platform, seed uint64) train.Config {
	cfg := timing(p, "dasp", "lenet5", seed)
	cfg.MaxPushes, cfg.Warmup = 2*walkPushes, 0
	return cfg
}

// walkEnd returns the instant at which the last gradient of the walk arrives.
func walkEnd(l *dasp.Log) time.Duration { return l.Pushes[walkPushes-1].Received }

// walkEvents lists every event with what each worker holds afterwards. Workers count
// from 1.
func walkEvents(rows []walkRow) result.Frame {
	type row = walkRow
	used := func(r row, x int64) float64 { return onlyIf(r.Group > 0, float64(x)) }
	cols := []kit.Col[row]{
		kit.Count("event", "", func(r row) int { return r.Event }),
		kit.Num("time", "ms", 2, func(r row) float64 { return ms(r.At) }),
		kit.Count("worker", "", func(r row) int { return r.Worker + 1 }),
		kit.Word("what", "event", func(r row) string { return r.What }),
		kit.Word("state", "state", func(r row) string { return r.State.String() }),
		kit.Word("why", "why", func(r row) string { return r.Why }),
		kit.Count("by", "", func(r row) int { return r.By + 1 }),
		kit.Count("held", "", func(r row) int64 { return r.Held }),
		kit.Count("min", "", func(r row) int64 { return r.Min }),
		kit.Count("oldest", "", func(r row) int { return r.Oldest + 1 }),
		kit.Count("gap", "versions", func(r row) int64 { return r.Gap }),
		kit.Num("twait", "ms", 3, func(r row) float64 { return onlyIf(r.What == walkPush && r.State == dasp.WSS, ms(r.Wait)) }),
		kit.Num("until", "ms", 2, func(r row) float64 { return onlyIf(r.Why == whyWeak, ms(r.Ends)) }),
		kit.Num("until_worker", "", 0, func(r row) float64 { return onlyIf(r.waitsForWorker(), float64(r.Oldest+1)) }),
		kit.Num("staleness", "versions", 0, func(r row) float64 { return used(r, r.Staleness) }),
		kit.Num("group", "", 0, func(r row) float64 { return used(r, int64(r.Group)) }),
		kit.Num("sent", "ms", 2, func(r row) float64 { return onlyIf(r.Answered, ms(r.Sent)) }),
		kit.Count("newest", "", func(r row) int64 { return r.Newest })}
	for w := range workers {
		cols = append(cols, kit.Count(fmt.Sprintf("v%d", w+1), "", func(r row) int64 { return r.After[w] }))
	}
	return kit.Frame("events", rows, cols...)
}

// walkTotal sums up the gradients of a state.
type walkTotal struct {
	state          dasp.State
	first          any // event of the first of them
	from, to       any // gaps that the state is for, in versions
	pushes         int64
	gap, stale     int64
	waited, longer time.Duration
}

// walkTotals sums up the same gradients by the state that they were found in.
func walkTotals(l *dasp.Log, events []walkRow) result.Frame {
	rows := []walkTotal{{state: dasp.QIS, from: 0, to: smin}, {state: dasp.WSS, from: smin + 1, to: smax}, {state: dasp.FSS, from: smax + 1}}
	for i := range rows {
		t := &rows[i]
		for _, p := range l.Pushes[:walkPushes] {
			if wait := p.Replied - p.Received; p.State == t.state {
				t.pushes++
				t.waited += wait
				t.longer, t.gap, t.stale = max(t.longer, wait), max(t.gap, p.Gap), max(t.stale, p.Applied-1-p.Pulled)
			}
		}
		if first := slices.IndexFunc(events, func(r walkRow) bool { return r.What == walkPush && r.State == t.state }); first >= 0 {
			t.first = first + 1
		}
	}
	met := func(of func(walkTotal) float64) func(walkTotal) float64 {
		return func(t walkTotal) float64 { return onlyIf(t.pushes > 0, of(t)) }
	}
	return kit.Frame("walk", rows,
		kit.Word("state", "state", func(t walkTotal) string { return t.state.String() }),
		kit.Any("from", "versions", func(t walkTotal) any { return t.from }),
		kit.Any("to", "versions", func(t walkTotal) any { return t.to }),
		kit.Count("pushes", "", func(t walkTotal) int64 { return t.pushes }),
		kit.Any("first", "", func(t walkTotal) any { return t.first }),
		kit.Num("waited", "ms", 2, met(func(t walkTotal) float64 { return ms(t.waited) })),
		kit.Num("longest", "ms", 2, met(func(t walkTotal) float64 { return ms(t.longer) })),
		kit.Num("gap", "versions", 0, met(func(t walkTotal) float64 { return float64(t.gap) })),
		kit.Num("staleness", "versions", 0, met(func(t walkTotal) float64 { return float64(t.stale) })))
}

// walkFacts say how long the walk is, and how far it goes.
func walkFacts(l *dasp.Log, rows []walkRow) []result.Fact {
	var stale, group int64
	for _, r := range rows {
		stale, group = max(stale, r.Staleness), max(group, int64(r.Group))
	}
	return slices.Concat(settings(), []result.Fact{kit.Number("span", "ms", 1, ms(walkEnd(l)))},
		named("", "events", len(rows), "gradients", walkPushes, "staleness.largest", stale, "group.largest", group))
}

// band is a stretch of a worker's time: an iteration (pull, computation, push), or the
// wait for the server's answer in its state.
type band struct {
	dasp.Push
	from, to      time.Duration
	state, answer string
}

// bandFrame holds each worker's time up to end, band by band.
func bandFrame(id, method string, l *dasp.Log, end time.Duration) result.Frame {
	var all []band
	for _, p := range l.Pushes {
		if p.Received > end || p.Abandoned {
			continue
		}
		state := waitName(method, p)
		all = append(all, band{p, p.Sent, p.Received, "compute", state})
		if to := min(p.Replied, end); to > p.Received {
			all = append(all, band{p, p.Received, to, state, state})
		}
	}
	return kit.Frame(id, all,
		kit.Count("worker", "", func(b band) int { return b.Worker + 1 }),
		kit.Num("from", "ms", 2, func(b band) float64 { return ms(b.from) }),
		kit.Num("to", "ms", 2, func(b band) float64 { return ms(b.to) }),
		kit.Word("state", "state", func(b band) string { return b.state }),
		kit.Count("iteration", "", func(b band) int64 { return int64(b.Step) }),
		kit.Count("pulled", "", func(b band) int64 { return b.Pulled }),
		kit.Count("applied", "", func(b band) int64 { return b.Applied }),
		kit.Count("gap", "versions", func(b band) int64 { return b.Gap }),
		kit.Word("answer", "state", func(b band) string { return b.answer }))
}
