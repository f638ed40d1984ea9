package dasp

import (
	"context"
	"slices"
	"strconv"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// iterationsShown is how often the slowest worker pushes in a time line.
const iterationsShown = 5

// stretch is a part of a worker's time: an iteration (pull, computation, push), or the wait
// for the server's answer in its state.
type stretch struct {
	Worker                     int
	From, To                   float64 // ms
	State                      string
	Step, Pulled, Applied, Gap int64
	answer                     string // the state of its push
}

// timeline is the start of a training, as the server recorded it.
type timeline struct {
	Cell      cell
	End       float64 // ms
	Stretches []stretch
	Answers   map[string]int // pushes by the state of their answer
}

// fig2 draws who computes and who waits in which state.
func fig2() exp.Experiment {
	shown := []string{"dasp", "ssp", "asp", "bsp"}
	trained := func(profile string) size {
		s := sizeOf("ci", "lenet5")
		s.Data = sizeOf(profile, "lenet5").Data
		return s
	}
	return kit.Study[string, timeline]{ID: "dasp/fig2", Source: "DASP, Fig. 2", Kind: result.Trained, Profiles: exp.Profiles, Seeds: firstSeed,
		Points: func(string) []string { return shown },
		Cost:   func(string, string) (string, float64) { return "time lines", 2.5 },
		Config: func(profile string) map[string]any {
			return map[string]any{"platform": kit.Platform(load(heterogeneous)), "options": options(), "size": trained(profile)}
		},
		Measure: func(ctx context.Context, env exp.Env, method string, seed uint64) (timeline, error) {
			cfg := training(load(heterogeneous), method, seed, trained(env.Profile))
			cfg.EvalEvery = -1
			return train.Kept(ctx, env, cfg, func(o *train.Outcome) (timeline, error) {
				end := shownUntil(o.Log)
				line := timeline{reduce(o, false), ms(end), stretches(method, o.Log, end), map[string]int{}}
				for _, s := range line.Stretches {
					if s.State == "compute" {
						line.Answers[s.answer]++
					}
				}
				return line, nil
			})
		},
		Show: func(v *kit.View[string, timeline]) { showTimelines(v, shown) }}.Experiment()
}

func showTimelines(v *kit.View[string, timeline], shown []string) {
	bands := kit.NewSheet("bands", "method:method worker:worker from/ms to/ms state:state label")
	lines, answers := kit.NewSheet("lines", "method:method end/ms.1"), kit.NewSheet("answers", "method:method state:state n")
	states := kit.NewSheet("states", "platform:platform model:model"+stateColumns)
	states.Add(stateCells([]cell{v.At("dasp")[0].Cell}, heterogeneous, "lenet5")...)
	for _, m := range shown {
		line := v.At(m)[0]
		kit.MadeOf(v.Result, line.Cell.Engine, line.Cell.Data)
		for _, s := range line.Stretches {
			bands.Add(m, strconv.Itoa(s.Worker+1), s.From, s.To, s.State, []any{s.Step, s.Pulled, s.Applied, s.Gap})
		}
		lines.Add(m, line.End)
		for _, s := range []string{"QIS", "WSS", "FSS", "at-once", "barrier"} {
			if n := line.Answers[s]; n > 0 {
				answers.Add(m, s, n)
			}
		}
		v.Figures = append(v.Figures, result.Figure{ID: "timeline-" + m, Form: "gantt", Frame: "bands", Where: map[string]any{"method": m},
			X: "from", Y: []string{"to"}, Lane: "worker", State: "state", Label: "label"})
	}
	v.Facts = settings()
	v.Frames = []result.Frame{bands.Frame, lines.Frame, answers.Frame, states.Frame}
}

// stretches returns the parts of all workers' time up to end.
func stretches(method string, l *dasp.Log, end time.Duration) (all []stretch) {
	for _, p := range l.Pushes {
		if p.Received > end || p.Abandoned {
			continue
		}
		s := stretch{p.Worker, ms(p.Sent), ms(p.Received), "compute", p.Step, p.Pulled, p.Applied, p.Gap, answer(method, p)}
		all = append(all, s)
		if to := min(p.Replied, end); to > p.Received {
			s.From, s.To, s.State = s.To, ms(to), s.answer
			all = append(all, s)
		}
	}
	return all
}

// answer is the state of a push under DASP, and under a method without states whether
// others held it up.
func answer(method string, p dasp.Push) string {
	switch {
	case method == "dasp":
		return p.State.String()
	case p.State == 0:
		return "barrier"
	}
	return "at-once"
}

// shownUntil is the end of a time line: when the slowest worker has pushed iterationsShown
// times.
func shownUntil(l *dasp.Log) time.Duration {
	n := make([]int, l.Workers)
	for _, p := range l.Pushes {
		n[p.Worker]++
		if slices.Min(n) >= iterationsShown {
			return p.Received
		}
	}
	return l.End
}
