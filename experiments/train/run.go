package train

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	syncatomic "sync/atomic"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/internal/atomic"
	"gradsync/papers/dasp"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor"
	"gradsync/shared/tensor/model"
)

// Run trains as cfg says. If ctx ends it returns ctx's error. In a job of several processes rank 0
// gets the outcome, the others get nil. Where the training ended and one of the files that cfg asks
// for could not be written, the error is an *UnwrittenError and the outcome is there beside it.
func Run(ctx context.Context, cfg Config) (out *Outcome, err error) {
	start := time.Now()
	cfg, err = cfg.withDefaults()
	if err != nil {
		return nil, input(err)
	}
	for _, path := range []string{cfg.Save, cfg.Trace, cfg.Record} {
		if path == "" {
			continue
		}
		if err := atomic.Try(path); err != nil {
			return nil, fmt.Errorf("train: cannot write: %w", err)
		}
	}
	if err := cfg.Follow(); err != nil {
		return nil, err
	}
	m, err := cfg.network()
	if err != nil {
		return nil, input(err)
	}
	r := &runner{cfg: cfg, out: &Outcome{Sync: cfg.Sync, Model: cfg.Model, Width: cfg.Width, Image: cfg.Image, Platform: cfg.Platform.Name,
		Runtime: cfg.Runtime, Workers: cfg.Workers, Seed: cfg.Seed, Batch: cfg.Batch, Curve: []Point{},
		StateShare: map[string]float64{}, StateSeconds: map[string]float64{}}}
	defer func() {
		if e := r.shared.close(); e != nil && err == nil {
			out, err = nil, e
		}
	}()
	if err := r.prepare(m); err != nil {
		return nil, err
	}
	if r.curve != nil {
		defer r.curve.group.Wait() // a failed run leaves no evaluation behind
	}
	defer func() { err = cmp.Or(err, r.keeping.close()) }()
	if err := r.resume(); err != nil {
		return nil, err
	}
	if err := r.train(ctx); err != nil {
		return nil, err
	}
	if err := r.conclude(); err != nil {
		return nil, err
	}
	if !r.leads() {
		return nil, nil
	}
	r.out.WallSeconds = time.Since(start).Seconds()
	if r.unwritten != nil {
		return r.out, &UnwrittenError{r.unwritten}
	}
	return r.out, nil
}

// UnwrittenError says which files of a training that ended could not be written.
type UnwrittenError struct{ err error }

func (e *UnwrittenError) Error() string {
	return "train: the training ended, but not all was written: " + e.err.Error()
}

func (e *UnwrittenError) Unwrap() error { return e.err }

// runner is one training under way.
type runner struct {
	cfg      Config
	out      *Outcome
	model    *model.Model
	shared   *shared // nil in a timing-only run
	layers   []cluster.Layer
	init     []float32 // every rank's first parameters
	final    []float32 // the global parameters at the end
	scored   *final    // nil: they have not been evaluated
	curve    *curve
	stopping stopping
	keeping  *keeping         // nil: no state is kept
	stopped  bool             // an evaluation ended the run, of a method with a server
	probed   syncatomic.Int64 // bytes of the probes of all ranks of this process
	// unwritten joins the errors of files that a training which ended could not write.
	unwritten error
	best      struct {
		Best
		params []float32 // nil: not asked for
	}
}

// prepare opens the data and makes the first parameters; a timing-only run needs
// the model's costs alone.
func (r *runner) prepare(m *model.Model) error {
	c := &r.cfg
	r.model = m
	if c.TimingOnly {
		r.layers = c.Work(m.Layers())
		return nil
	}
	s, err := openShared(*c, m)
	if err != nil {
		return err
	}
	r.shared = s
	if c.coded() {
		err = checkWhole(s.set, c.BatchSize)
	} else {
		err = checkShards(s.set, c.Workers, c.Batch)
	}
	if err != nil {
		return input(err)
	}
	if err := s.checkBatch(); err != nil {
		return input(err)
	}
	r.layers = s.layers
	r.init = make([]float32, m.NumParams())
	m.Init(r.init, cluster.Stream(c.Seed, -1, "data", "init"))
	if c.Load != "" {
		if err := LoadState(c.Load, m, c.Width, r.init, nil); err != nil {
			return err
		}
	}
	r.out.Engine = s.engine
	if c.Devices != nil {
		r.out.Collective = c.Devices[0].Collector()
	}
	r.out.Data = dataOf(s.set, m)
	r.out.NormStatistics = s.normStatistics()
	r.curve = newCurve(s, c.EvalImages, c.TargetAccuracy > 0 || c.Best)
	if c.Best {
		return r.keep(Point{}, r.init)
	}
	return nil
}

func openShared(c Config, m *model.Model) (*shared, error) {
	stepper, name, bound, err := steppers(c, m)
	if err != nil {
		return nil, input(err)
	}
	if err := checkNorms(m, stepper, name); err != nil {
		return nil, input(err)
	}
	set, err := OpenData(c.Data, c.DataDir, c.Model)
	if err != nil {
		return nil, err
	}
	ch, h, w := m.Input()
	if _, err := set.Adaptation(ch, h, w); err != nil {
		if names := Fitting(set); c.own() && len(names) > 0 {
			err = fmt.Errorf("%w; networks that take %s: %s", err, set.Name, strings.Join(names, ", "))
		}
		return nil, input(err)
	}
	if c.RawPixels {
		set = unnormalised(set)
	}
	if c.Classes > 0 {
		if set, err = firstClasses(set, c.Classes); err != nil {
			return nil, input(err)
		}
	}
	if set.Classes > m.Classes() {
		return nil, input(fmt.Errorf("train: %s has %d classes, %s tells %d apart", set.Name, set.Classes, c.Model, m.Classes()))
	}
	images := c.Batch // of one pass
	if c.coded() {
		images = min(c.BatchSize, passImages)
	}
	return &shared{model: m, layers: c.Work(m.Layers()), set: set, batch: c.Batch, engine: name,
		pool: newPool(m, images, max(bound-1, min(bound, 1)), stepper), eval: newPool(m, evalBatch, min(bound, 1), stepper)}, nil
}

// Backends holds, by name, constructors of Steppers that replace the native one. A package that
// adapts a library adds its own before the first Run.
var Backends = map[string]func(m *model.Model, batch int) (model.Stepper, error){}

// BackendNames lists the keys of Backends, sorted.
func BackendNames() []string { return slices.Sorted(maps.Keys(Backends)) }

// steppers returns the maker of steppers, the name of what computes, and how many steppers
// a device should hold, 0 for any number.
func steppers(c Config, m *model.Model) (maker func(batch int) (model.Stepper, error), name string, bound int, err error) {
	if c.Backend != "native" {
		open, ok := Backends[c.Backend]
		if !ok {
			return nil, "", 0, fmt.Errorf("train: no backend %q in this binary: known are %s", c.Backend,
				strings.Join(append([]string{"native"}, BackendNames()...), ", "))
		}
		return func(batch int) (model.Stepper, error) { return open(m, batch) }, c.Backend, 0, nil
	}
	var e tensor.Engine
	if c.Devices != nil {
		e = c.Devices[0]
	} else if e, err = tensor.Lookup(c.Engine); err != nil {
		return nil, "", 0, err
	}
	if d, ok := e.(tensor.Device); ok {
		bound = d.Workspaces()
	}
	class := e.Class()
	if c.Devices != nil { // the order of summation is the library's
		class += "/" + strings.ToLower(c.Devices[0].Collector())
	}
	return func(batch int) (model.Stepper, error) { return m.NewWorkspace(e, batch, c.Threads), nil },
		fmt.Sprintf("%s (bit class %s)", e.Name(), class), bound, nil
}

// train runs the method on the runtime.
func (r *runner) train(ctx context.Context) error {
	if r.cfg.serverless() {
		return r.allReduce(ctx)
	}
	if r.cfg.Clock != nil {
		return r.replay(ctx)
	}
	policy, f, err := r.cfg.method()
	if err != nil {
		return input(err)
	}
	var order *schedule
	switch {
	case r.cfg.Replay != "":
		if order, err = r.cfg.readSchedule(); err != nil {
			return err
		}
		policy = &player{schedule: order}
	case r.cfg.Record != "":
		policy = &recorder{Policy: policy}
	}
	log, elapsed, err := r.serve(ctx, policy, order, f)
	if rec, ok := policy.(*recorder); ok && err == nil && r.leads() {
		r.wrote("record", r.record(rec, log))
	}
	if err != nil || !r.leads() {
		return err
	}
	r.out.fromLog(log, r.cfg.Warmup)
	if begun, pushes := r.begun(); begun > 0 {
		r.out.Updates, r.out.Pushes = r.out.Updates+begun, max(r.out.Pushes, pushes)
	}
	r.clock(elapsed)
	return nil
}

// serve runs the parameter server and its workers, in a given order of arrival if
// order is not nil.
func (r *runner) serve(ctx context.Context, policy dasp.Policy, order *schedule, f dasp.DurationForm) (*dasp.Log, time.Duration, error) {
	var log *dasp.Log // written by rank 0, read after the run
	keeper, err := newServerKeeper(r)
	if err != nil {
		return nil, 0, err
	}
	_, elapsed, err := launch(ctx, r, true, func(p cluster.Proc) (struct{}, error) {
		if err := r.share(p); err != nil {
			return struct{}{}, err
		}
		job := dasp.Job{Layers: r.layers, Rate: r.cfg.Rate, Momentum: r.cfg.Momentum, WeightDecay: r.cfg.WeightDecay,
			MaxPushes: r.cfg.MaxPushes, MaxUpdates: r.cfg.MaxUpdates,
			F: f, Decision: cluster.Work{Fixed: r.cfg.Platform.Decision}, Adjustment: r.cfg.Options.AdjustmentOf(r.cfg.Sync), Lease: r.cfg.Lease}
		if r.shared != nil {
			params := r.init
			if p.Rank() == 0 {
				params = slices.Clone(r.init)
				r.final = params
			}
			task := newLodger(r.shared, r.cfg.Seed, p.Rank()-1, r.cfg.Workers, params)
			if job.Task = task; keeper != nil && keeper.pasts != nil && p.Rank() > 0 {
				task.past = keeper.pasts[p.Rank()-1]
			}
		}
		if p.Rank() == 0 {
			job.Policy = func() dasp.Policy { return policy }
			job.OnUpdate = r.onUpdate(0)
			if keeper != nil {
				job.Keeper, job.OnUpdate = keeper, keeper.onUpdate()
			}
			if order != nil {
				p = order.proc(p)
			}
		} else {
			job.Policy = func() dasp.Policy { return nil }
		}
		if job.From, job.FromPushes = r.begun(); job.From > 0 {
			if p.Rank() == 0 {
				log = &dasp.Log{Workers: r.cfg.Workers, Params: len(r.init)}
				copy(r.final, r.keeping.state.Vector(vectorParams))
				job.Velocity = r.keeping.state.Vector(vectorVelocity)
			}
			if r.keeping.from.Last {
				return struct{}{}, nil
			}
		}
		l, err := dasp.Run(p, job)
		if p.Rank() == 0 {
			log = l
		}
		return struct{}{}, err
	})
	return log, elapsed, err
}

// onUpdate evaluates whenever another EvalEvery gradients were used, and tells
// of the progress; used is how many were already.
func (r *runner) onUpdate(used int64) func(u dasp.Update, params []float32) bool {
	next := r.cfg.EvalEvery
	if next > 0 {
		next *= used/next + 1
	}
	bound := r.cfg.bound()
	return func(u dasp.Update, params []float32) bool {
		if r.cfg.Progress != nil {
			r.cfg.Progress(u.Pushes, bound)
		}
		if r.curve == nil || r.cfg.EvalEvery < 0 || u.Pushes < next {
			return false
		}
		for next <= u.Pushes {
			next += r.cfg.EvalEvery
		}
		return r.evaluate(Point{Pushes: u.Pushes, Updates: u.Version, Seconds: r.before() + u.At.Seconds()}, params)
	}
}

// evaluate adds a point to the curve and reports whether the run shall end: the
// target is reached or out of reach of a diverged run, or evaluation fails, which
// conclude reports.
func (r *runner) evaluate(p Point, params []float32) (stop bool) {
	accuracy, loss, err := r.curve.add(p, params)
	if err == nil && r.cfg.Best {
		err = r.keep(p, params)
	}
	return err != nil || r.cfg.TargetAccuracy > 0 && (accuracy >= r.cfg.TargetAccuracy || !finite(loss))
}

// clock notes the run's length, which is virtual on one runtime only.
func (r *runner) clock(elapsed time.Duration) {
	if r.cfg.Runtime == "virtual" {
		r.out.VirtualSeconds = seconds(elapsed)
	}
}

// wrote notes the error of the file that flag asks for; nil: none.
func (r *runner) wrote(flag string, err error) {
	switch {
	case err == nil:
	case r.unwritten == nil:
		r.unwritten = fmt.Errorf("--%s: %w", flag, err)
	default:
		r.unwritten = fmt.Errorf("%w; --%s: %w", r.unwritten, flag, err)
	}
}

// conclude evaluates the final parameters on all test images and saves them, even if the run
// diverged.
func (r *runner) conclude() error {
	if r.shared == nil || !r.leads() {
		return nil
	}
	if err := r.score(); err != nil {
		return err
	}
	e, curve := r.scored, r.scored.curve
	r.out.Curve = append(r.out.Curve, curve...)
	r.out.Reached, r.out.Search = reached(curve, r.cfg.TargetAccuracy), searched(&r.cfg, curve)
	r.out.TestAccuracy = &e.accuracy
	r.out.Diverged = diverged(append(slices.Clone(curve), Point{Pushes: r.out.Pushes, Updates: r.out.Updates, Loss: e.loss}))
	r.out.ParamsSHA256 = ParamsHash(r.final)
	if r.cfg.Save != "" {
		r.wrote("save", SaveState(r.cfg.Save, r.shared.model, r.cfg.Width, r.final, e.stats))
	}
	return nil
}

// score waits for the evaluations on the way and makes the last one, unless it is made: where any rank must be able to
// speak for the run, each makes it before the run ends.
func (r *runner) score() (err error) {
	if r.scored != nil || r.shared == nil {
		return nil
	}
	e := &final{}
	if e.curve, err = r.curve.close(); err != nil {
		return err
	}
	if r.best.params != nil {
		r.final, r.out.Best = r.best.params, &r.best.Best
	}
	if e.stats, err = r.shared.statistics(r.final); err != nil {
		return err
	}
	if e.accuracy, e.loss, err = r.shared.score(r.final, e.stats, 0); err != nil {
		return err
	}
	r.scored = e
	return nil
}

// final holds what the last evaluation found.
type final struct {
	curve          []Point
	stats          []float32
	accuracy, loss float64
}

// Kept runs cfg with the engine and the data folder of env and returns keep's reduction of
// its outcome, or what an earlier call or command kept of it. One memo serves all trainings:
// the key is cfg, the content of its data set, the engine's bit class and in also whatever
// else decides the numbers (a mask, the file that cfg.Load names). Two reductions of the same
// run to values of the same shape must differ in also.
func Kept[C any](ctx context.Context, env exp.Env, cfg Config, keep func(*Outcome) (C, error), also ...any) (C, error) {
	return KeptBy(ctx, env, cfg, func(cfg Config) (c C, err error) {
		out, err := Run(ctx, cfg)
		if err != nil {
			return c, err
		}
		return keep(out)
	}, also...)
}

// KeptBy is Kept for a result of more than one run: make gets cfg with the engine, the data folder,
// the progress and, if cfg has a Clock, the checkpoint of env.
func KeptBy[C any](ctx context.Context, env exp.Env, cfg Config, make func(Config) (C, error), also ...any) (out C, err error) {
	cfg.Engine, cfg.DataDir = env.Engine, env.DataDir
	named, data, class := cfg, "", "" // what trains nothing asks no engine
	named.Engine = ""
	if !cfg.TimingOnly {
		set, err := OpenData(cfg.Data, cfg.DataDir, cfg.Model)
		if err != nil {
			return out, err
		}
		e, err := tensor.Lookup(cmp.Or(cfg.Engine, "portable"))
		if err != nil {
			return out, fmt.Errorf("train: %w", err)
		}
		data, class = set.SHA256, e.Class()
	}
	return kit.Keep(ctx, env, []any{named, data, class, also}, func(state string) (C, error) {
		if cfg.Clock != nil && !cfg.TimingOnly {
			cfg.Checkpoint = state
		}
		if env.Progress != nil {
			cfg.Progress = func(pushes, of int64) { env.Progress(float64(pushes), float64(of), "") }
		}
		return make(cfg)
	})
}
