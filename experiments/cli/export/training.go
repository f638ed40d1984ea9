package export

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gradsync/experiments/result"
	"gradsync/experiments/tensorboard"
	"gradsync/experiments/train"
)

// BeginTraining makes the folder of cfg's run below dir and begins its event file. It
// returns nil without a dir and, in a job of several processes, on all ranks but 0.
func BeginTraining(dir string, cfg train.Config) (*tensorboard.Writer, error) {
	if dir == "" || cfg.TCP != nil && cfg.TCP.Rank != 0 {
		return nil, nil
	}
	name, err := runName(cfg)
	if err != nil {
		return nil, err
	}
	w, err := tensorboard.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("train: --tensorboard: %w", err)
	}
	hyper, err := asMap(cfg)
	if err != nil {
		w.Discard()
		return nil, err
	}
	w.Text("hyper-parameters", markdown(hyper))
	return w, nil
}

// runName names a run by its main parameters and eight digits of the hash of all, so that
// the same command has the same name.
func runName(cfg train.Config) (string, error) {
	hash, err := result.ConfigHash(cfg)
	if err != nil {
		return "", err
	}
	return folder(fmt.Sprintf("%s-%s-%s-%dworkers-%s-seed%d-%s", cfg.Sync, cfg.Model, cfg.Platform.Name, cfg.Workers, cfg.Runtime, cfg.Seed, hash[:8])), nil
}

// EndTraining writes the outcome and returns the file's path; "" without a writer.
func EndTraining(w *tensorboard.Writer, o *train.Outcome) (string, error) {
	if w == nil {
		return "", nil
	}
	plain, err := asMap(o)
	if err != nil {
		w.Discard()
		return "", err
	}
	delete(plain, "curve")        // below
	delete(plain, "wall_seconds") // never the same
	w.Text("outcome", markdown(plain))
	testEvents(w, o.Curve)
	if o.Log != nil {
		serverEvents(w, o)
	}
	end := updateEvents(w, updateTimes(o))
	known := "seed workers batch width image data norm_statistics" // before the run
	if o.Log == nil {
		known += " staleness gap clock" // 0 without a server
	}
	for _, k := range strings.Fields(known) {
		delete(plain, k)
	}
	numbers("final", plain, func(tag string, value float64) { w.Scalar(tag, o.Updates, end, value) })
	return w.Close()
}

// testEvents writes the evaluations against updates, gradients and the run's clock.
func testEvents(w *tensorboard.Writer, curve []train.Point) {
	for _, p := range curve {
		for _, by := range []struct {
			group string
			step  int64
		}{{"test", p.Updates}, {"test by gradients", p.Pushes}, {"test by microseconds", micro(p.Seconds)}} {
			w.Scalar(by.group+"/accuracy", by.step, p.Seconds, p.Accuracy)
			w.Scalar(by.group+"/loss", by.step, p.Seconds, p.Loss)
		}
	}
}

// micro returns a time of the clock in microseconds, as a step.
func micro(seconds float64) int64 {
	return time.Duration(seconds*float64(time.Second) + 0.5).Microseconds()
}

// serverEvents writes the gradients in the order of their arrival, from 1. A gradient that
// was not used has no staleness, and one without an answer has no wait.
func serverEvents(w *tensorboard.Writer, o *train.Outcome) {
	for i, p := range o.Log.Pushes {
		put := func(tag string, value float64) { w.Scalar("gradient/"+tag, int64(i+1), p.Received.Seconds(), value) }
		put("compute seconds", p.Compute.Seconds())
		put("clocks ahead", float64(p.Clock))
		if p.Applied > 0 {
			put("staleness", float64(p.Applied-1-p.Pulled))
		}
		if !p.Abandoned {
			put("version gap", float64(p.Gap))
			put("wait seconds", (p.Replied - p.Received).Seconds())
		}
		if o.ParamsSHA256 != "" {
			put("mini-batch loss", p.Loss)
		}
	}
	for _, u := range o.Log.Updates {
		w.Scalar("update/gradients", u.Version, u.At.Seconds(), float64(len(u.Workers)))
	}
}

// updateTimes returns the instant of each update.
func updateTimes(o *train.Outcome) []time.Duration {
	if o.Log == nil {
		return o.Ends
	}
	times := make([]time.Duration, len(o.Log.Updates))
	for i, u := range o.Log.Updates {
		times[i] = u.At
	}
	return times
}

// updateEvents writes the times between updates and returns the time of the last.
func updateEvents(w *tensorboard.Writer, times []time.Duration) (end float64) {
	var last time.Duration
	for i, at := range times {
		w.Scalar("update/seconds", int64(i+1), at.Seconds(), (at - last).Seconds())
		last = at
	}
	return last.Seconds()
}
