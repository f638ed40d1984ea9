// Package exp defines an experiment: an id, a source and a function from an Env to a result. The
// command line lists, plans and runs them; experiments know nothing of flags, files or terminals.
package exp

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gradsync/experiments/result"
)

// Profiles lists the profiles, from the one that CI runs to the papers' own sizes.
var Profiles = []string{"ci", "quick", "standard", "paper"}

// Env holds what the command line hands to an experiment.
type Env struct {
	Profile string
	Seeds   []uint64
	// Own says that Seeds are the experiment's own, not a user's: a rule of its own may
	// add to them.
	Own     bool
	DataDir string // "" : GRADSYNC_DATA, the cache folder, then embedded; datasets.Embedded
	Engine  string // a name of tensor.Engines(); "" : portable
	// Progress reports work done so far of a total in the experiment's own unit.
	Progress func(done, total float64, what string)
	// Memo keeps finished parts (one training run, say) across an interruption, or
	// longer: Load fills v and reports whether key was there. A key is all that
	// decides a part's numbers, so that none is reused for another configuration.
	Memo Memo
}

// Memo stores finished parts, and the state of one under way.
type Memo interface {
	Load(key string, v any) bool
	Save(key string, v any) error
	// State is the file in which the part of key may keep its state until it is
	// finished; who writes it removes it.
	State(key string) string
}

// Experiment regenerates one table or figure.
type Experiment struct {
	ID       string // "dasp/table5": the stem of its file, result and anchor
	Title    string // "": its notebook's
	Source   string // "DASP, Table 5"
	Profiles []string
	// Seeds returns the seeds of a run for which nobody names any; nil: DefaultSeeds.
	Seeds func(profile string) []uint64
	// Seconds estimates a run on two cores, for --dry-run and the bar.
	Seconds func(profile string, seeds int) float64
	// Shares are the parts of Seconds that other experiments of one command need
	// too, by name: the plan counts each once. nil: none.
	Shares func(profile string, seeds int) map[string]float64
	// Run does it. If ctx ends it returns what is finished, marked incomplete,
	// together with ctx.Err().
	Run func(ctx context.Context, env Env) (*result.Result, error)
}

// DefaultSeeds are the seeds of an experiment that has none of its own.
var DefaultSeeds = []uint64{0, 1, 2}

// SeedsOf returns the seeds of a run of e for which nobody names any.
func (e Experiment) SeedsOf(profile string) []uint64 {
	if e.Seeds != nil {
		return e.Seeds(profile)
	}
	return slices.Clone(DefaultSeeds)
}

// Bar tells how far an experiment is, in parts that cost 1 each.
type Bar struct {
	Env         Env
	Done, Total float64
}

// Step reports that one more part is done, called what.
func (b *Bar) Step(what string) {
	b.Done++
	if b.Env.Progress != nil {
		b.Env.Progress(b.Done, b.Total, what)
	}
}

// MeanAndHalf returns the mean of x and the half-width of its 95 % Student
// interval; half is NaN for a single value.
func MeanAndHalf(x []float64) (mean, half float64) { return MeanAndHalfOf(x, 1) }

// MeanAndHalfOf is MeanAndHalf for one of several comparisons whose intervals hold all true values at
// once in 95 % of cases (Bonferroni's bound): each is of level 1 − 0.05/comparisons.
func MeanAndHalfOf(x []float64, comparisons int) (mean, half float64) {
	mean = stat.Mean(x, nil)
	if len(x) < 2 {
		return mean, math.NaN()
	}
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - 0.025/float64(comparisons))
	return mean, t * stat.StdDev(x, nil) / math.Sqrt(n)
}

// Interval returns the ends mean − half and mean + half, nil if half is NaN.
func Interval(mean, half float64) *[2]float64 {
	if math.IsNaN(half) {
		return nil
	}
	return &[2]float64{mean - half, mean + half}
}
