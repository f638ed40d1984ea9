package dasp

import (
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/dasp"
)

// dynOnset names the event that a scenario's figures are drawn around.
func dynOnset(s dynScenario) string {
	if s.Key == "steps" {
		return "a deal of speeds"
	}
	return "the beginning of a burst"
}

// dynWaitFigure draws how many workers wait, around the onsets.
func dynWaitFigure(s dynScenario, c dynCase, g dynGrid) result.Figure {
	f := result.Figure{ID: "waiting-" + s.Key, Title: "Workers that wait around " + dynOnset(s) + ", " + c.title(), Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "iterations since " + dynOnset(s)}, Y: result.Axis{Title: "workers that wait for others"}}
	n := 0
	f.Alt = fmt.Sprintf("Mean number of waiting workers before %s, and at its highest after it:", dynOnset(s))
	for _, method := range methods {
		cells := g[c.title()][s.Key][method]
		line := result.Series{Name: title[method], Group: method}
		var sum []float64
		events := 0
		for _, x := range cells {
			for b := range x.Around {
				if len(sum) <= b {
					sum = append(sum, 0)
				}
				sum[b] += float64(x.Around[b] * float64(x.Onsets))
			}
			events += x.Onsets
		}
		for b := range sum {
			line.X, line.Y = append(line.X, float64(b-dynBefore)+0.5), append(line.Y, sum[b]/float64(max(events, 1)))
		}
		n = max(n, events)
		f.Series = append(f.Series, line)
		before, most, at := 0.0, 0.0, 0.0
		for b, y := range line.Y {
			if b < dynBefore {
				before += y / dynBefore
			} else if y > most {
				most, at = y, line.X[b]
			}
		}
		f.Alt += fmt.Sprintf(" %s %.2f, %.2f after %.1f iterations;", title[method], before, most, at)
	}
	f.Alt = strings.TrimSuffix(f.Alt, ";") + "."
	f.Caption = fmt.Sprintf("Mean over up to %d events of all seeds (a slower method's run, and so a slower method's sum, has more), in windows of one iteration of the median worker. "+
		"Zero is when speeds change. Other workers' changes before and after are in the mean, too. ", n) + dynWhere
	return f
}

// dynStateFigure draws the shares of DASP's states around the onsets.
func dynStateFigure(s dynScenario, c dynCase, g dynGrid) result.Figure {
	f := result.Figure{ID: "states-" + s.Key, Title: "DASP's states around " + dynOnset(s) + ", " + c.title(), Kind: result.TimingOnly, Form: "line",
		X: result.Axis{Title: "iterations since " + dynOnset(s)}, Y: result.Axis{Title: "share of pushes", Unit: "%"},
		Caption: fmt.Sprintf("Pushes that arrive in a window of one iteration, by the state that answered them, all seeds; Smin = %d, Smax = %d versions. ", smin, smax) + dynWhere}
	total := make([]int64, dynBefore+dynAfter)
	var counts [3][]int64
	for i := range counts {
		counts[i] = make([]int64, dynBefore+dynAfter)
		for _, x := range g[c.title()][s.Key]["dasp"] {
			for b, k := range x.States[i] {
				counts[i][b] += k
				total[b] += k
			}
		}
	}
	f.Alt = "Shares in the five iterations before and in the five after:"
	for i, name := range states {
		line := result.Series{Name: name}
		var n, all [2]int64
		for b, k := range counts[i] {
			if total[b] > 0 {
				line.X, line.Y = append(line.X, float64(b-dynBefore)+0.5), append(line.Y, 100*float64(k)/float64(total[b]))
			}
			if side := b / dynBefore; side < 2 {
				n[side] += k
				all[side] += total[b]
			}
		}
		f.Series = append(f.Series, line)
		f.Alt += fmt.Sprintf(" %s %.1f %% and %.1f %%;", name, 100*float64(n[0])/float64(max(all[0], 1)), 100*float64(n[1])/float64(max(all[1], 1)))
	}
	f.Alt = strings.TrimSuffix(f.Alt, ";") + "."
	return f
}

// The time lines' window, in iterations from the first burst after the warm-up.
const dynLineBefore, dynLineAfter = 2, 14

// dynTimeLines draws the first seed's first burst under DASP and SSP.
func (r *runs) dynTimeLines() ([]result.Figure, error) {
	var out []result.Figure
	s := dynScenarioOf("bursts")
	cfg := dynConfig(dynCase{Model: "lenet5"}, s.Base, r.env.Profile)
	pace, err := r.dynPaceOf(cfg.Platform, cfg)
	if err != nil {
		return nil, err
	}
	cfg.Seed = r.env.Seeds[0]
	plan := s.plan(pace, cfg.Seed, dynHorizon*float64(cfg.MaxPushes/workers)*pace.Unit)
	first := dynFirst(plan.Onsets, warmup*pace.Unit)
	cfg.Platform = plan.on(cfg.Platform)
	for _, method := range []string{"dasp", "ssp"} {
		cfg.Sync = method
		o, err := train.Run(r.ctx, cfg)
		if err != nil {
			return nil, fmt.Errorf("dasp: time line of %s: %w", method, err)
		}
		out = append(out, dynTimeLine(method, o.Log, plan, first.At-float64(dynLineBefore*pace.Unit), first.At+float64(dynLineAfter*pace.Unit)))
	}
	return out, nil
}

// dynFirst is the earliest onset from `from` on.
func dynFirst(onsets []dynEvent, from float64) (first dynEvent) {
	found := false
	for _, e := range onsets {
		if e.At >= from && (!found || e.At < first.At) {
			first, found = e, true
		}
	}
	return first
}

// dynTimeLine draws one lane per worker between two instants, in milliseconds.
func dynTimeLine(method string, l *dasp.Log, plan dynSchedule, from, to float64) result.Figure {
	f := result.Figure{ID: "burst-" + method, Title: title[method] + " in a burst, LeNet-5", Kind: result.TimingOnly, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "worker"}}
	slowed := make([]string, l.Workers)
	for _, e := range plan.Onsets {
		if e.At < to && e.Until > from {
			slowed[e.Worker] += fmt.Sprintf(", slowed from %.0f to %.0f ms", 1e3*e.At, 1e3*e.Until)
		}
	}
	for w, s := range slowed {
		f.Lanes = append(f.Lanes, fmt.Sprintf("worker %d%s", w+1, s))
	}
	waits, pushes := 0.0, 0
	for _, p := range l.Pushes {
		if p.Abandoned || p.Replied.Seconds() <= from || p.Sent.Seconds() >= to {
			continue
		}
		state := waitName(method, p)
		label := fmt.Sprintf("iteration %d, version %d → %d, clock gap %d, %s", p.Step, p.Pulled, p.Applied, p.Clock, state)
		band := func(a, b float64, state string) {
			if a, b = max(a, from), min(b, to); b > a {
				f.Bands = append(f.Bands, result.Band{Lane: p.Worker, From: 1e3 * a, To: 1e3 * b, State: state, Label: label})
				if state == "WSS" || state == "FSS" || state == "barrier" {
					waits += float64(1e3 * (b - a))
				}
			}
		}
		band(p.Sent.Seconds(), p.Received.Seconds(), "compute")
		band(p.Received.Seconds(), p.Replied.Seconds(), state)
		if at := p.Received.Seconds(); at >= from && at < to {
			pushes++
		}
	}
	f.Caption = "The first burst after the warm-up, first seed; one lane per worker. “compute” is pull, computation and push; what follows is the wait for the answer."
	f.Alt = fmt.Sprintf("%s from %.0f to %.0f ms: %d gradients arrive, workers wait %.0f ms for others in sum.", title[method], 1e3*from, 1e3*to, pushes, waits)
	for w, s := range slowed {
		if s != "" {
			f.Alt += fmt.Sprintf(" Worker %d is%s.", w+1, strings.TrimPrefix(s, ","))
		}
	}
	return f
}
