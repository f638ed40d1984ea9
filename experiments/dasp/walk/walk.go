// Package walk shows short runs along time: Fig. 2, and a run told event by event.
package walk

import (
	"context"
	"slices"
	"time"

	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
	"gradsync/shared/cluster"
)

// shownPushes counts the gradients that a reader walks through: ten of each worker on average,
// within which all three states occur. The run goes on for as many again, so that the wait of each
// is known.
const shownPushes = 60

// walkThrough tells a short run event by event: who arrives, what Algorithm 1 finds, who waits and
// why, and what each worker holds afterwards.
func walkThrough() exp.Experiment {
	return kit.Inquiry{ID: "dasp/walk", Source: "DASP, §2.1–§2.3", Kind: result.TimingOnly, Profiles: exp.Profiles, Seedless: true,
		Seconds: func(string, int) float64 { return 0.1 },
		Config: func(string) map[string]any {
			cfg := trainingConfig(setup.Load(setup.Heterogeneous), 0)
			return map[string]any{"platform": kit.Platform(cfg.Platform), "options": setup.Options(), "model": cfg.Model,
				"batch": cfg.Batch, "gradients": shownPushes, "run": cfg.MaxPushes}
		},
		Run: runWalk}.Experiment()
}

// runWalk trains the walk's run without arithmetic and fills r.
func runWalk(ctx context.Context, env exp.Env, r *result.Result) error {
	r.Seeds = env.Seeds[:1]
	cfg := trainingConfig(setup.Load(setup.Heterogeneous), env.Seeds[0])
	cfg.Engine, cfg.DataDir = env.Engine, env.DataDir
	out, err := train.Run(ctx, cfg)
	if err != nil {
		return err
	}
	steps, err := witness(out.Log, setup.Options())
	if err != nil {
		return err
	}
	rows := eventRows(out.Log, steps, shownPushes)
	r.Frames = []result.Frame{eventsFrame(rows), totalsFrame(out.Log, rows), bandsFrame(out.Log)}
	r.Figures = []result.Figure{{ID: "window", Form: "gantt", Frame: "bands", X: "from", Y: []string{"to"}, Lane: "worker", State: "state"}}
	r.Facts = factsOf(out.Log, rows)
	if env.Progress != nil {
		env.Progress(1, 1, "walk")
	}
	return nil
}

// trainingConfig returns the walk's run on p.
func trainingConfig(p *cluster.Platform, seed uint64) train.Config {
	cfg := setup.Timing(p, "dasp", "lenet5", seed)
	cfg.MaxPushes, cfg.Warmup = 2*shownPushes, 0
	return cfg
}

// endOf returns the instant at which the last gradient of the walk arrives.
func endOf(l *dasp.Log) time.Duration { return l.Pushes[shownPushes-1].Received }

// eventsFrame lists every event, with what each worker holds afterwards. Workers count from 1.
func eventsFrame(rows []eventRow) result.Frame {
	s := kit.NewSheet("events", "event time/ms.2 worker what:event state:state why:why by held min oldest gap/versions twait/ms.3 "+
		"until/ms.2 until_worker/.0 staleness/versions.0 group/.0 sent/ms.2 newest v1 v2 v3 v4 v5 v6")
	for _, r := range rows {
		used := func(x int64) float64 { return kit.OnlyIf(r.Group > 0, float64(x)) }
		row := []any{r.Event, setup.Milliseconds(r.At), r.Worker + 1, r.What, r.State.String(), r.Why, r.By + 1, r.Held, r.Min, r.Oldest + 1, r.Gap,
			kit.OnlyIf(r.What == whatPush && r.State == dasp.WSS, setup.Milliseconds(r.Wait)), kit.OnlyIf(r.Why == whyWeak, setup.Milliseconds(r.Ends)),
			kit.OnlyIf(r.waitsForWorker(), float64(r.Oldest+1)), used(r.Staleness), used(int64(r.Group)), kit.OnlyIf(r.Answered, setup.Milliseconds(r.Sent)), r.Newest}
		for _, held := range r.After {
			row = append(row, held)
		}
		s.Add(row...)
	}
	return s.Frame
}

// totalsFrame sums up the same gradients by their state, with the range of gaps of the state and the
// event of its first gradient.
func totalsFrame(l *dasp.Log, events []eventRow) result.Frame {
	s := kit.NewSheet("walk", "state:state from/versions to/versions pushes first waited/ms.2 longest/ms.2 gap/versions.0 staleness/versions.0")
	for _, t := range []struct {
		state    dasp.State
		from, to any
	}{{dasp.QIS, 0, setup.Smin}, {dasp.WSS, setup.Smin + 1, setup.Smax}, {dasp.FSS, setup.Smax + 1, nil}} {
		var pushes, gap, stale int64
		var waited, longest time.Duration
		for _, p := range l.Pushes[:shownPushes] {
			if wait := p.Replied - p.Received; p.State == t.state {
				pushes++
				waited += wait
				longest, gap, stale = max(longest, wait), max(gap, p.Gap), max(stale, p.Applied-1-p.Pulled)
			}
		}
		met := func(x float64) float64 { return kit.OnlyIf(pushes > 0, x) }
		first := slices.IndexFunc(events, func(r eventRow) bool { return r.What == whatPush && r.State == t.state })
		s.Add(t.state.String(), t.from, t.to, pushes, kit.OnlyIf(first >= 0, float64(first+1)), met(setup.Milliseconds(waited)), met(setup.Milliseconds(longest)),
			met(float64(gap)), met(float64(stale)))
	}
	return s.Frame
}

// bandsFrame lists each worker's time, stretch by stretch.
func bandsFrame(l *dasp.Log) result.Frame {
	s := kit.NewSheet("bands", "worker from/ms.2 to/ms.2 state:state iteration pulled applied gap/versions answer:state")
	for _, b := range train.Stretches("dasp", l, endOf(l)) {
		s.Add(b.Worker+1, b.From, b.To, b.State, b.Step, b.Pulled, b.Applied, b.Gap, b.Answer)
	}
	return s.Frame
}

func factsOf(l *dasp.Log, rows []eventRow) []result.Fact {
	var stale, group int64
	for _, r := range rows {
		stale, group = max(stale, r.Staleness), max(group, int64(r.Group))
	}
	return append(setup.Settings(), kit.Facts("span/ms.1", setup.Milliseconds(endOf(l)), "events", len(rows), "gradients", shownPushes,
		"staleness.largest", stale, "group.largest", group)...)
}

// witnessed holds one step of the policy: the event, what Algorithm 1 decided if the event was a
// gradient, the actions, and the versions held before and after.
type witnessed struct {
	dasp.Event
	Decision      dasp.Decision
	Actions       []dasp.Action
	Before, After dasp.View
}

// witnessing is a policy that records its steps.
type witnessing struct {
	dasp.Policy
	config dasp.Config
	steps  []witnessed
}

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

func (w *witnessing) view() dasp.View {
	v := w.Policy.(interface{ View() dasp.View }).View()
	return dasp.View{V: append(v.V[:0:0], v.V...), F: append(v.F[:0:0], v.F...), Present: append(v.Present[:0:0], v.Present...), Newest: v.Newest}
}

// witness returns every step that the policy took in the run of log l. A policy is pure, so it takes
// the same steps again; retrace.Log refuses where it does not.
func witness(l *dasp.Log, o rivals.Options) ([]witnessed, error) {
	config, last := kit.Must(o.Config()), &witnessing{}
	err := retrace.Log(l, func() dasp.Policy {
		last = &witnessing{Policy: kit.Must(dasp.New(config)), config: config}
		return last
	}, kit.Must(o.F()), nil, nil)
	return last.steps, err
}

// The kinds of events.
const (
	whatPush    = "push"    // a gradient arrives and Algorithm 1 decides; QIS is answered at once
	whatTimer   = "timer"   // T_wait is over and the version to hand out is still too far ahead
	whatUsed    = "used"    // a waiting worker's gradient is in another's update
	whatRelease = "release" // a waiting worker is answered
)

// The reasons for which a worker is answered, or not yet.
const (
	whyAtOnce  = "within-smin"
	whyWeak    = "wait"
	whyForce   = "beyond-smax"
	whyZero    = "wait-zero"
	whyOver    = "wait-over"
	whyMoved   = "within-smax-again"
	whyHeld    = "wait-over-beyond-smax"
	whyTooNear = "wait-zero-beyond-smax"
	whyInGroup = "group-of-released"
)

// eventRow holds one event. Versions, gaps and staleness are in updates; -1 is none.
type eventRow struct {
	Event     int // counts from 1
	At        time.Duration
	Worker    int
	What, Why string
	By        int // whose gradient or timer caused it
	Held      int64
	dasp.Decision
	Ends            time.Duration // WSS: when T_wait is over
	Min             int64
	Oldest          int
	Staleness       int64
	Group           int // K
	After           []int64
	Newest          int64
	Sent            time.Duration // the weights leave the server
	Answered, Waits bool
}

// openPush holds a worker's latest push, which may wait.
type openPush struct {
	row   eventRow
	index int // in the log
	group int
}

// eventRows turns the policy's steps into rows, up to the arrival of a number of pushes.
func eventRows(l *dasp.Log, steps []witnessed, pushes int) (rows []eventRow) {
	open := make([]openPush, l.Workers)
	arrived := 0
	for _, s := range steps {
		if s.Kind == dasp.EventPush {
			if arrived == pushes {
				break
			}
			n := s.Worker
			row := eventRow{At: s.At, Worker: n, By: n, What: whatPush, Held: s.Before.V[n], Decision: s.Decision, Staleness: -1}
			open[n] = openPush{index: arrived, row: row}
			arrived++
		}
		rows = append(rows, stepRows(l, s, open)...)
	}
	for i := range rows {
		rows[i].Event = i + 1
	}
	return rows
}

// stepRows returns the rows of one step, in the order of its actions.
func stepRows(l *dasp.Log, s witnessed, open []openPush) (rows []eventRow) {
	held, newest := slices.Clone(s.Before.V), s.Before.Newest
	add := func(r eventRow) {
		r.After, r.Newest = slices.Clone(held), newest
		r.Min, r.Oldest = s.Before.Oldest() // what Algorithm 1 compared with
		if r.What != whatPush {
			v := s.Before
			v.V = held
			r.Min, r.Oldest = v.Oldest()
		}
		rows = append(rows, r)
	}
	own := open[s.Worker].row
	switch {
	case s.Kind == dasp.EventTimer && !answers(s.Actions, s.Worker):
		own.At, own.What, own.Why = s.At, whatTimer, whyHeld
		add(own)
	case s.Kind == dasp.EventPush && s.Decision.State != dasp.QIS:
		own.Why, own.Waits = whyForce, true
		if s.Decision.State == dasp.WSS {
			own.Why, own.Ends = whyWeak, s.At+s.Decision.Wait
			if s.Decision.Wait <= 0 && !answers(s.Actions, s.Worker) {
				own.Why = whyTooNear
			}
		}
		open[s.Worker].row = own
		add(own)
	}
	for _, a := range s.Actions {
		switch a.Kind {
		case dasp.Apply:
			newest++
			for _, w := range a.Workers {
				open[w].group = len(a.Workers)
				if !answers(s.Actions, w) {
					used := open[w].row
					used.At, used.By, used.What, used.Why = s.At, s.Worker, whatUsed, whyInGroup
					used.Group, used.Staleness = len(a.Workers), newest-1-used.Held
					add(used)
				}
			}
		case dasp.Reply:
			for _, w := range a.Workers {
				held[w] = newest
				add(answered(l, s, open[w]))
			}
		}
	}
	return rows
}

// answered returns the row of an answer: of a push answered at once, or of a release.
func answered(l *dasp.Log, s witnessed, o openPush) eventRow {
	r, p := o.row, l.Pushes[o.index]
	r.Group, r.Staleness, r.Sent, r.Answered = o.group, p.Applied-1-p.Pulled, p.Replied, true
	if r.Waits {
		r.At, r.By, r.What, r.Waits = s.At, s.Worker, whatRelease, false
	}
	switch {
	case r.What == whatPush:
		r.Why = whyAtOnce
	case r.State == dasp.WSS && s.Worker == r.Worker && s.Kind == dasp.EventTimer:
		r.Why = whyOver
	case r.State == dasp.WSS && s.Worker == r.Worker:
		r.Why = whyZero
	default:
		r.Why = whyMoved
	}
	return r
}

// answers reports whether one of the actions answers worker w.
func answers(actions []dasp.Action, w int) bool {
	return slices.ContainsFunc(actions, func(a dasp.Action) bool { return a.Kind == dasp.Reply && slices.Contains(a.Workers, w) })
}

// waitsForWorker reports whether r waits for the oldest worker, not for an instant.
func (r eventRow) waitsForWorker() bool {
	return r.Why == whyForce || r.Why == whyHeld || r.Why == whyTooNear
}
