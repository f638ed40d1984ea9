package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Task is an opened job.
type Task struct {
	Class string
	Facts []string
	Bytes float64               // that one step reads and writes, of a vector kernel
	Run   func(steps int) error // allocates nothing of its own
	Close func()                // nil: nothing to end
	Group int                   // steps that are taken together, 0: 1
}

// whole rounds steps up to whole groups, one at least.
func (t *Task) whole(steps int) int {
	g := max(t.Group, 1)
	return max((steps+g-1)/g, 1) * g
}

// Opener makes a task of a job.
type Opener func(Job) (*Task, error)

// Serve runs a worker: it reads a job, opens and warms it, and answers orders until told to stop
// or until in ends. An error of open goes to the other side, which takes it as a note; errors of
// reading and writing are returned.
func Serve(in io.Reader, out io.Writer, open Opener) error {
	lines, answer := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var job Job
	if err := lines.Decode(&job); err != nil {
		return fmt.Errorf("bench: worker: no job: %w", err)
	}
	if err := job.Check(); err != nil {
		return answer.Encode(Reply{Error: err.Error()})
	}
	runtime.GOMAXPROCS(job.processors(runtime.NumCPU()))
	task, err := open(job)
	if err != nil {
		return answer.Encode(Reply{Error: err.Error()})
	}
	if task.Close != nil {
		defer task.Close()
	}
	w := &worker{task: task}
	hello := w.warm()
	for {
		if err := answer.Encode(hello); err != nil {
			return err
		}
		var o order
		switch err := lines.Decode(&o); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("bench: worker: order: %w", err)
		case o.Stop:
			return answer.Encode(Reply{PeakBytes: peakBytes()})
		case o.ProfileSeconds > 0:
			hello = w.profile(o.ProfileSeconds)
		case o.Steps > 0:
			hello = w.round(o.Steps)
		default:
			hello = Reply{Error: fmt.Sprintf("bench: worker: order %+v", o)}
		}
	}
}

// slow is the length of a step, in seconds, from which on none is run uncounted.
const slow = 3

// now is the clock of the steps; tests put one in its place that only their steps move on.
var now = time.Now

type worker struct {
	task *Task
	step float64 // seconds of a warm step
}

// warm runs a first step and then, unless that took seconds, steps until 50 ms
// of them are through; the last ones are timed.
func (w *worker) warm() Reply {
	start, one := now(), w.task.whole(1)
	if err := w.task.Run(one); err != nil {
		return Reply{Error: err.Error()}
	}
	w.step = now().Sub(start).Seconds() / float64(one)
	for steps, took := one, 0.0; took < 0.05 && w.step < slow; steps *= 2 {
		start = now()
		if err := w.task.Run(steps); err != nil {
			return Reply{Error: err.Error()}
		}
		took = now().Sub(start).Seconds()
		w.step = took / float64(steps)
	}
	runtime.GC() // what opening left behind is not the steps'
	return Reply{Class: w.task.Class, Facts: w.task.Facts, StepSeconds: w.step, StepBytes: w.task.Bytes}
}

// round first runs a step that does not count, unless steps take seconds: since
// the last round others had the caches, and the runtime, which collects garbage
// every two minutes, has dropped what it keeps for goroutines that wait.
func (w *worker) round(steps int) Reply {
	if w.step < slow {
		if err := w.task.Run(w.task.whole(1)); err != nil {
			return Reply{Error: err.Error()}
		}
	}
	steps = w.task.whole(steps)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuSeconds(), now()
	err := w.task.Run(steps)
	took, used := now().Sub(start).Seconds(), cpuSeconds()-cpu
	runtime.ReadMemStats(&after)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return Reply{Sample: Sample{Steps: steps, Seconds: took, CPUSeconds: used, Mallocs: int64(after.Mallocs - before.Mallocs)}}
}

func (w *worker) profile(seconds float64) Reply {
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return Reply{Error: err.Error()}
	}
	err := w.task.Run(w.task.whole(int(seconds/w.step + 0.5)))
	pprof.StopCPUProfile()
	if err != nil {
		return Reply{Error: err.Error()}
	}
	functions, err := flatten(&raw)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return Reply{Functions: functions}
}

// topFunctions is how many lines of a profile are kept; the last one is the rest.
const topFunctions = 12

// flatten reads a CPU profile as `go tool pprof -top` would: the share of the
// samples whose innermost function this is, largest first, and what is left as
// "(other)". A profile without a sample has no functions.
func flatten(raw io.Reader) ([]Function, error) {
	p, err := profile.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("bench: profile: %w", err)
	}
	counts, total := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		name := "(unknown)" // a foreign library's code
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 && s.Location[0].Line[0].Function != nil {
			name = s.Location[0].Line[0].Function.Name
		}
		counts[strings.TrimPrefix(name, "gradsync/")] += s.Value[0]
		total += s.Value[0]
	}
	var out []Function
	for name, n := range counts {
		out = append(out, Function{name, float64(n) / float64(total)})
	}
	slices.SortFunc(out, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Name, b.Name))
	})
	if len(out) > topFunctions {
		rest := 0.0
		for _, f := range out[topFunctions-1:] {
			rest += f.Share
		}
		out = append(out[:topFunctions-1], Function{"(other)", rest})
	}
	return out, nil
}
