// Package kit holds what experiments share: points measured for every seed, the statistics of
// their samples, and the facts, frames and claims made of them. An experiment is a Study, points ×
// seeds, or an Inquiry, one function that has no points to repeat.
package kit

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// Study measures a C at every point P for every seed, and shows what it found. P is a
// struct of axes; its printed form names it in progress and errors.
type Study[P comparable, C any] struct {
	ID, Source, Kind string
	Profiles         []string
	Points           func(profile string) []P
	// Cost names the part of the plan that measuring p for one seed belongs to, and its
	// seconds on two cores. A part that several studies of one command name is planned once.
	Cost func(profile string, p P) (part string, seconds float64)
	// Config holds every parameter that decides the numbers; platforms by Platform. The
	// seeds are added to it.
	Config func(profile string) map[string]any
	// Seeds chooses the seeds to measure of the command's; nil: all of them.
	Seeds func(seeds []uint64) []uint64
	// Own returns the seeds of a run for which nobody names any; nil: exp.DefaultSeeds.
	Own func(profile string) []uint64
	// Enough tells whether a run of the study's own seeds may end: else the next number is one
	// more seed. nil: they are enough.
	Enough func(v *View[P, C]) bool
	// Once tells whether a point is measured for the first seed alone; nil: none is.
	Once    func(p P) bool
	Measure func(ctx context.Context, env exp.Env, p P, seed uint64) (C, error)
	// Show adds facts, frames, figures and claims. It sees whole seeds only, at least one.
	Show func(v *View[P, C])
}

// View gives Show what was measured and the result to fill.
type View[P comparable, C any] struct {
	*result.Result
	at map[P][]C
}

// NewView returns a view for tests, of measurements at, one C per point and seed.
func NewView[P comparable, C any](r *result.Result, at map[P][]C) *View[P, C] {
	return &View[P, C]{r, at}
}

// At returns the measurements at p, one per seed, a single one for a point of Study.Once, and none
// if the profile lacks p.
func (v *View[P, C]) At(p P) []C { return v.at[p] }

// Experiment returns s for the command line.
func (s Study[P, C]) Experiment() exp.Experiment {
	return exp.Experiment{ID: s.ID, Source: s.Source, Profiles: s.Profiles, Seeds: s.Own,
		Seconds: s.seconds, Shares: s.shares, Run: s.Run}
}

// shares returns the parts of a run and their seconds.
func (s Study[P, C]) shares(profile string, seeds int) map[string]float64 {
	out := map[string]float64{}
	for _, p := range s.Points(profile) {
		part, x := s.Cost(profile, p)
		out[part] += x * float64(s.times(p, seeds))
	}
	return out
}

// chosen returns the seeds to measure.
func (s Study[P, C]) chosen(seeds []uint64) []uint64 {
	if s.Seeds == nil {
		return seeds
	}
	return s.Seeds(seeds)
}

// times returns how often p is measured in a command of a number of seeds.
func (s Study[P, C]) times(p P, seeds int) int {
	if s.Once != nil && s.Once(p) {
		return min(seeds, 1)
	}
	return len(s.chosen(make([]uint64, seeds)))
}

// seconds returns the sum of the costs of all points.
func (s Study[P, C]) seconds(profile string, seeds int) (total float64) {
	for _, p := range s.Points(profile) {
		_, x := s.Cost(profile, p)
		total += x * float64(s.times(p, seeds))
	}
	return total
}

// Run measures seed by seed, so that an interruption leaves whole seeds, and the points of a seed at once.
func (s Study[P, C]) Run(ctx context.Context, env exp.Env) (*result.Result, error) {
	points := s.Points(env.Profile)
	at := pace{env: env, total: s.seconds(env.Profile, len(env.Seeds)), underWay: map[string]float64{}}
	env.Seeds = s.chosen(env.Seeds)
	v := &View[P, C]{Start(s.ID, s.Source, s.Kind, env, s.Config(env.Profile)), map[P][]C{}}
	v.Seeds = []uint64{}
	for n := 0; n < len(env.Seeds) || env.Own && s.Enough != nil && !s.Enough(v); n++ {
		if n == len(env.Seeds) {
			env.Seeds = append(slices.Clip(env.Seeds), env.Seeds[n-1]+1)
			v.Config.(map[string]any)["seeds"] = env.Seeds
		}
		seed := env.Seeds[n]
		if n == 1 && s.Once != nil {
			points = slices.DeleteFunc(slices.Clone(points), s.Once)
		}
		row, each := make([]C, len(points)), AtOnce
		if env.Profile == "paper" {
			each = inTurn // whole networks: memory for one training
		}
		err := each(len(points), func(i int) (err error) {
			_, cost := s.Cost(env.Profile, points[i])
			what, inner := fmt.Sprintf("%v, seed %d", points[i], seed), env
			inner.Progress = func(part, of float64, _ string) {
				if of > 0 {
					at.tell(what, cost*part/of, false)
				}
			}
			if row[i], err = s.Measure(ctx, inner, points[i], seed); err != nil {
				return fmt.Errorf("%s: %s: %w", s.ID, what, err)
			}
			at.tell(what, cost, true)
			return nil
		})
		if err != nil {
			return s.shown(v), err
		}
		for i, p := range points {
			v.at[p] = append(v.at[p], row[i])
		}
		v.Seeds = append(v.Seeds, seed)
	}
	v.Status = result.Complete
	return s.shown(v), nil
}

// pace adds up how far the points are that are measured at once.
type pace struct {
	sync.Mutex
	env         exp.Env
	done, total float64
	underWay    map[string]float64 // seconds done, of each point by what it is called
}

// tell reports that seconds of a point's are done, or all of it.
func (p *pace) tell(what string, seconds float64, all bool) {
	p.Lock()
	defer p.Unlock()
	p.underWay[what] = seconds
	if all {
		delete(p.underWay, what)
		p.done += seconds
	}
	sum := p.done
	for _, x := range p.underWay {
		sum += x
	}
	if p.env.Progress != nil {
		p.env.Progress(sum, p.total, what)
	}
}

// shown lets Show fill the result, if there is a whole seed.
func (s Study[P, C]) shown(v *View[P, C]) *result.Result {
	if len(v.Seeds) > 0 {
		s.Show(v)
	}
	withoutNotes(v.Result)
	return v.Result
}

// withoutNotes takes the notes from r's data sets: what stands in for what is a number and a
// key of the result, its words are the report's.
func withoutNotes(r *result.Result) {
	for i := range r.Data {
		r.Data[i].Note = ""
	}
}

// MadeOf records in r the engine and the data sets that it was made with, each set once and without
// its note.
func MadeOf(r *result.Result, engine string, sets ...*result.Data) {
	r.Engine = engine
	for _, d := range sets {
		if d == nil {
			continue
		}
		bare := *d
		bare.Note = ""
		if !slices.Contains(r.Data, bare) {
			r.Data = append(r.Data, bare)
		}
	}
}

// Start returns an empty result, marked incomplete, whose configuration is config with the seeds.
func Start(id, source, kind string, env exp.Env, config map[string]any) *result.Result {
	full := map[string]any{"seeds": env.Seeds}
	for k, v := range config {
		full[k] = v
	}
	return &result.Result{ID: id, Source: source, Profile: env.Profile, Kind: kind, Status: result.Incomplete, Seeds: env.Seeds,
		Config: full, Frames: []result.Frame{}}
}

// Inquiry is an experiment that is one function: it counts, proves or searches, and has no points
// that are measured for every seed.
type Inquiry struct {
	ID, Source, Kind string
	Profiles         []string
	// Seconds estimates a run on two cores.
	Seconds func(profile string, seeds int) float64
	// Config is Study.Config. Where nothing is drawn at random, Seedless leaves the seeds
	// out of it, and out of the result.
	Config   func(profile string) map[string]any
	Seedless bool
	// Run fills r. If it fails, r holds what was finished by then.
	Run func(ctx context.Context, env exp.Env, r *result.Result) error
}

// Experiment returns q for the command line.
func (q Inquiry) Experiment() exp.Experiment {
	return exp.Experiment{ID: q.ID, Source: q.Source, Profiles: q.Profiles, Seconds: q.Seconds,
		Run: func(ctx context.Context, env exp.Env) (*result.Result, error) {
			r := Start(q.ID, q.Source, q.Kind, env, q.Config(env.Profile))
			if q.Seedless {
				delete(r.Config.(map[string]any), "seeds")
				r.Seeds = []uint64{}
			}
			err := q.Run(ctx, env, r)
			withoutNotes(r)
			if err != nil {
				return r, fmt.Errorf("%s: %w", q.ID, err)
			}
			r.Status = result.Complete
			return r, nil
		}}
}

// Sweep measures points in turn, for an Inquiry that has some, and reports each to b by its printed
// form. If a point fails, Sweep returns the measurements before it and the error.
func Sweep[P, C any](b *exp.Bar, points []P, measure func(P) (C, error)) (out []C, err error) {
	for _, p := range points {
		c, err := measure(p)
		if err != nil {
			return out, err
		}
		out = append(out, c)
		b.Step(fmt.Sprint(p))
	}
	return out, nil
}

// inTurn is AtOnce, one at a time.
func inTurn(n int, f func(i int) error) error {
	for i := range n {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// AtOnce calls f for 0 … n−1, in this order and as many at once as there are cores, and returns the error
// of the smallest; after an error none begins. What f gives must not depend on the order.
func AtOnce(n int, f func(i int) error) error {
	errs := make([]error, n)
	var group sync.WaitGroup
	var failed atomic.Bool
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		if free <- struct{}{}; failed.Load() {
			break
		}
		group.Go(func() {
			if errs[i] = f(i); errs[i] != nil {
				failed.Store(true)
			}
			<-free
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
