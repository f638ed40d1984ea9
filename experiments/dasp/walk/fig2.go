package walk

import (
	"context"
	"strconv"

	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// timeline is the start of a training, as the server recorded it.
type timeline struct {
	Summary   setup.Summary
	End       float64 // ms
	Stretches []train.Stretch
	Answers   map[string]int // pushes by the state of their answer
}

// Experiments returns the walk and Fig. 2.
func Experiments() []exp.Experiment { return []exp.Experiment{walkThrough(), fig2()} }

// fig2 draws who computes, and who waits in which state.
func fig2() exp.Experiment {
	shown := []string{"dasp", "ssp", "asp", "bsp"}
	trained := func(profile string) setup.Size {
		s := setup.SizeOf("ci", "lenet5")
		s.Data = setup.SizeOf(profile, "lenet5").Data
		return s
	}
	return kit.Study[string, timeline]{ID: "dasp/fig2", Source: "DASP, Fig. 2", Kind: result.Trained, Profiles: exp.Profiles, Seeds: setup.FirstSeed,
		Points: func(string) []string { return shown },
		Cost:   func(string, string) (string, float64) { return "time lines", 2.5 },
		Config: func(profile string) map[string]any {
			return map[string]any{"platform": kit.Platform(setup.Load(setup.Heterogeneous)), "options": setup.Options(), "size": trained(profile)}
		},
		Measure: func(ctx context.Context, env exp.Env, method string, seed uint64) (timeline, error) {
			cfg := setup.Training(setup.Load(setup.Heterogeneous), method, seed, trained(env.Profile))
			cfg.EvalEvery = -1
			return train.Kept(ctx, env, cfg, func(o *train.Outcome) (timeline, error) {
				end := train.ShownUntil(o.Log)
				line := timeline{setup.Summarise(o, false), setup.Milliseconds(end), train.Stretches(method, o.Log, end), map[string]int{}}
				for _, s := range line.Stretches {
					if s.State == "compute" {
						line.Answers[s.Answer]++
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
	states := kit.NewSheet("states", "platform:platform model:model"+setup.StateColumns)
	states.Add(setup.StateCells([]setup.Summary{v.At("dasp")[0].Summary}, setup.Heterogeneous, "lenet5")...)
	for _, m := range shown {
		line := v.At(m)[0]
		kit.MadeOf(v.Result, line.Summary.Engine, line.Summary.Data)
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
	v.Facts = setup.Settings()
	v.Frames = []result.Frame{bands.Frame, lines.Frame, answers.Frame, states.Frame}
}
