package dasp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// fig2 draws who computes and who waits in which state, from the server's own
// record of a training.
func fig2() exp.Experiment {
	e := exp.Experiment{ID: "dasp/fig2", Title: "Time lines of the parallel states", Source: "DASP, Fig. 2", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 10 }
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := sizeOf("ci", "lenet5")
		s.Data = sizeOf(env.Profile, "lenet5").Data
		res := exp.NewResult(e, env, result.Trained, map[string]any{"platform": load(heterogeneous), "options": options(), "size": s, "seed": env.Seeds[0]})
		res.Seeds = env.Seeds[:1]
		for i, method := range []string{"dasp", "ssp", "asp", "bsp"} {
			cfg := training(load(heterogeneous), method, env.Seeds[0], s)
			cfg.Engine, cfg.DataDir, cfg.EvalEvery = env.Engine, env.DataDir, -1
			out, err := train.Run(ctx, cfg)
			if err != nil {
				return incomplete(res), fmt.Errorf("dasp: fig2: %s: %w", method, err)
			}
			res.Data, res.Engine = out.Data, out.Engine
			res.Figures = append(res.Figures, timeLine(method, out.Log))
			if method == "dasp" {
				c := []cell{reduce(out, false)}
				tab := newStateTable(result.Trained)
				tab.Rows = append(tab.Rows, stateRow("LeNet-5, "+title[heterogeneous], c))
				res.Tables = append(res.Tables, tab)
				if note := stateNote(c); note != "" {
					res.Notes = append(res.Notes, "LeNet-5: "+note)
				}
			}
			if env.Progress != nil {
				env.Progress(float64(i+1), 4, title[method])
			}
		}
		res.Notes = append([]string{"The paper's Fig. 2 is lost; these are the time lines of real LeNet-5 trainings on virtual time, as the server recorded them."}, res.Notes...)
		res.Status = complete
		return res, nil
	}
	return e
}

// lines shown in a time line, from the start.
const iterationsShown = 5 // of the slowest worker

// timeLine draws the start of a training.
func timeLine(method string, l *dasp.Log) result.Figure { return lanes(method, l, shown(l)) }

// lanes draws one lane per worker up to end: the iteration (pull, computation, push),
// then the wait for the server's answer in its state.
func lanes(method string, l *dasp.Log, end time.Duration) result.Figure {
	f := result.Figure{ID: "timeline-" + method, Title: title[method] + ", heterogeneous cluster, LeNet-5", Kind: result.Trained, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "worker"}}
	waits := map[string]int{}
	for w := 0; w < l.Workers; w++ {
		f.Lanes = append(f.Lanes, fmt.Sprintf("worker %d", w+1))
	}
	for _, p := range l.Pushes {
		if p.Received > end || p.Abandoned {
			continue
		}
		state := waitName(method, p)
		label := fmt.Sprintf("iteration %d, version %d → %d, gap %d, %s", p.Step, p.Pulled, p.Applied, p.Gap, state)
		f.Bands = append(f.Bands, result.Band{Lane: p.Worker, From: 1e3 * p.Sent.Seconds(), To: 1e3 * p.Received.Seconds(), State: "compute", Label: label})
		if to := min(p.Replied, end); to > p.Received {
			f.Bands = append(f.Bands, result.Band{Lane: p.Worker, From: 1e3 * p.Received.Seconds(), To: 1e3 * to.Seconds(), State: state, Label: label})
		}
		waits[state]++
	}
	f.Caption = "One lane per worker, fastest device first. “compute” is pull, computation and push; what follows is the wait for the answer" +
		map[bool]string{true: ", by state.", false: "."}[method == "dasp"]
	f.Alt = fmt.Sprintf("%s over %.3g ms, pushes by answer:", title[method], 1e3*end.Seconds())
	for _, name := range []string{"QIS", "WSS", "FSS", "at once", "barrier"} {
		if waits[name] > 0 {
			f.Alt += fmt.Sprintf(" %s %d;", name, waits[name])
		}
	}
	f.Alt = strings.TrimSuffix(f.Alt, ";") + "."
	return f
}

// waitName is the state of a push under DASP, and under a method without states
// whether others held it up.
func waitName(method string, p dasp.Push) string {
	switch {
	case method == "dasp":
		return p.State.String()
	case p.State == 0:
		return "barrier"
	}
	return "at once"
}

// shown is the end of a time line: when the slowest worker has pushed
// iterationsShown times.
func shown(l *dasp.Log) time.Duration {
	n := make([]int, l.Workers)
	for _, p := range l.Pushes {
		n[p.Worker]++
		least := slices.Min(n)
		if least >= iterationsShown {
			return p.Received
		}
	}
	return l.End
}
