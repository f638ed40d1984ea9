// Package own compares methods that somebody chooses, for `gradsync compare`: every method, at every
// value of one axis, for every seed, is a cell, trained or timed by itself. Of the cells it makes
// estimates paired by seed, plain verdicts, and a result of the reserved document "own", which pages
// show like any other and no claim is judged by. (Experiments of the document "compare", which put
// the documents' methods side by side, are package compare.)
//
// Methods are compared by time alone, to an accuracy or per gradient: an update of one may hold one gradient
// and that of another all workers', so that equal updates are no equal work.
package own

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
)

// Document is the reserved name of the results: theirs are "own/NAME".
const Document = "own"

// Plan says what is compared.
type Plan struct {
	Name    string   // of the result, behind Document
	Methods []string // the first one is the reference
	// Axis names what is varied, "" for nothing, in Unit; Values lists its values in order: all are
	// numbers, or all are keys. Without an axis there is one value, nil.
	Axis, Unit string
	Values     []any
	Seeds      []uint64
	// Configs has a training for each method and value, as train.Config.Resolved returns it; its seed is not
	// used. Target accuracy, bounds and evaluations are the same in all.
	Configs map[Point]train.Config
	Options []Option // of all methods, for the result
	Command []string // that asks for this comparison, word by word
}

// Point is a method at a value of the axis, by its index.
type Point struct {
	Method string
	Value  int
}

// Option is a flag of a method with its value.
type Option struct {
	Method, Flag string
	Value        any
	Given        bool // not its default
}

// one returns the training of the first method at the first value: what is common to all is read there.
func (p *Plan) one() train.Config { return p.Configs[Point{p.Methods[0], 0}] }

// timing reports whether nothing is trained.
func (p *Plan) timing() bool { return p.one().TimingOnly }

// Accuracies returns those over which a time to the target is averaged; nil where nothing is trained.
func (p *Plan) Accuracies() []float64 {
	if p.timing() {
		return nil
	}
	return kit.TargetsUpTo(p.one().TargetAccuracy)
}

// Cell holds what is kept of one run.
type Cell struct {
	Curve           []train.Point
	Seconds         float64 // the run's length on its clock
	Updates, Pushes int64
	Bytes           int64
	Accuracy        *float64 // on all test images at the end
	Staleness       *float64 // mean, in versions; nil without a server
	Digest          string   // of all events and the parameters: cells of one digest did exactly the same
	Diverged        *train.Divergence
	Line            []train.Stretch // the first seconds, of the first seed at the first value
	Data            *result.Data
	Engine          string
	Failed          string `json:"-"` // why there is no cell
}

// Cells holds the cells of a plan, by point one per seed.
type Cells map[Point][]Cell

// Runs counts the cells of a plan.
func (p *Plan) Runs() int { return len(p.Methods) * len(p.Values) * len(p.Seeds) }

// What a result takes of a platform's name.
const mostWords, mostLetters = 5, 60

// Run makes all cells, as many at once as there are cores, or one at a time on a device, which all would share.
// A cell that cannot be had is marked with the reason, and the others are made nevertheless; only
// the end of ctx ends Run. progress is told of shares of cells that are done, from several goroutines.
func Run(ctx context.Context, env exp.Env, p *Plan, progress func(done float64, what string)) (Cells, error) {
	cells := Cells{}
	var all []struct {
		Point
		seed int
	}
	for s := range p.Seeds { // seed by seed, so that an interruption leaves pairs
		for v := range p.Values {
			for _, m := range p.Methods {
				at := Point{m, v}
				cells[at] = append(cells[at], Cell{})
				all = append(all, struct {
					Point
					seed int
				}{at, s})
			}
		}
	}
	at := &meter{shares: make([]float64, len(all)), tell: progress}
	err := atOnce(p.parallel(env), len(all), func(i int) error {
		c := all[i]
		inner := env
		inner.Progress = func(done, of float64, _ string) { at.set(i, done/max(of, 1), p.name(c.Point, c.seed)) }
		cell, err := p.measure(ctx, inner, c.Point, c.seed)
		if err != nil && ctx.Err() == nil {
			cell, err = Cell{Failed: err.Error()}, nil
		}
		cells[c.Point][c.seed] = cell
		if err == nil {
			at.set(i, 1, p.name(c.Point, c.seed))
		}
		return err
	})
	return cells, err
}

// parallel returns how many cells are made at once; 0: as many as there are cores.
func (p *Plan) parallel(env exp.Env) int {
	if e, err := tensor.Lookup(env.Engine); err == nil && !p.timing() {
		if _, device := e.(tensor.Device); device {
			return 1
		}
	}
	return 0
}

// atOnce is kit.AtOnce for a number of calls at once.
func atOnce(most, n int, f func(i int) error) error {
	if most == 0 {
		return kit.AtOnce(n, f)
	}
	for i := range n {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// meter adds up the shares of cells that are done.
type meter struct {
	mu     sync.Mutex
	shares []float64
	tell   func(done float64, what string)
}

func (m *meter) set(i int, share float64, what string) {
	if m.tell == nil {
		return
	}
	m.mu.Lock()
	m.shares[i] = min(share, 1)
	sum := 0.0
	for _, s := range m.shares {
		sum += s
	}
	m.mu.Unlock()
	m.tell(sum, what)
}

// name names a cell in progress.
func (p *Plan) name(at Point, seed int) string {
	if p.Axis != "" {
		return fmt.Sprintf("%s, %s %v, seed %d", at.Method, p.Axis, p.Values[at.Value], p.Seeds[seed])
	}
	return fmt.Sprintf("%s, seed %d", at.Method, p.Seeds[seed])
}

// measure makes one cell, or takes it from the memo.
func (p *Plan) measure(ctx context.Context, env exp.Env, at Point, seed int) (Cell, error) {
	cfg := p.Configs[at]
	cfg.Seed = p.Seeds[seed]
	shown := seed == 0 && at.Value == 0
	return train.KeptBy(ctx, env, cfg, func(cfg train.Config) (Cell, error) {
		var trace *cluster.Trace
		if shown && !hasServer(cfg.Sync) {
			cfg.OnTrace = func(t *cluster.Trace) { trace = t }
		}
		o, err := train.Run(ctx, cfg)
		if err != nil {
			return Cell{}, err
		}
		return cellOf(o, trace, shown), nil
	}, "own/1", shown)
}

func hasServer(method string) bool { return !slices.Contains(train.Serverless(), method) }

// cellOf reduces o to a cell, with its first seconds where they are shown.
func cellOf(o *train.Outcome, trace *cluster.Trace, shown bool) Cell {
	c := Cell{Curve: o.Curve, Seconds: *o.VirtualSeconds, Updates: o.Updates, Pushes: o.Pushes, Bytes: o.BytesSent, Accuracy: o.TestAccuracy,
		Diverged: o.Diverged, Data: o.Data, Engine: o.Engine}
	if o.Log != nil {
		c.Staleness = &o.Staleness.Mean
		c.Digest = result.Sum([]byte(o.Log.Digest() + o.ParamsSHA256))
		if shown {
			c.Line = train.Stretches(o.Sync, o.Log, train.ShownUntil(o.Log))
		}
		return c
	}
	c.Digest = result.Sum(fmt.Appendf(nil, "%v %s", o.Ends, o.ParamsSHA256))
	if trace != nil {
		c.Line = train.Exchanges(trace, o.Ends)
	}
	return c
}

// Check returns an error where p compares what cannot be compared, or what its result could not record.
func (p *Plan) Check() error {
	if len(p.Methods) < 2 && len(p.Values) < 2 {
		return errors.New("one method and nothing varied: there is nothing to compare it with")
	}
	if len(p.Methods) == 1 && p.Axis == "batch" && p.timing() {
		return errors.New("gradients of other batches hold other images, so that their times compare nothing: give --target-accuracy")
	}
	if !p.timing() && p.one().TargetAccuracy == 0 {
		return errors.New("methods are compared by their time to an accuracy, or by their time alone: give --target-accuracy or --timing-only")
	}
	if name := p.one().Platform.Name; len(strings.Fields(name)) > mostWords || len(name) > mostLetters {
		return fmt.Errorf("the platform's name %q is long: a result takes %d words and %d letters", name, mostWords, mostLetters)
	}
	return result.Check(&result.Result{ID: Document + "/" + p.Name, Config: p.configuration()})
}
