//gradsync:pure

// Package rivals holds the methods that the paper compares DASP with, and two
// that it only cites, as policies on DASP's server. They differ from DASP and
// from one another in nothing else: one server, one worker, one step size.
//
// To add a method of your own, copy template.go and experiments/method/template.go and
// put its name for "template"; `--sync NAME` then finds it (CONTRIBUTING.md).
package rivals

import (
	"fmt"
	"math"
	"time"

	"gradsync/papers/dasp"
)

// Options are the parameters of every method; each method reads its own. The
// last group are switches, named as on the command line.
//
// Source: §3.1
type Options struct {
	Workers int // N, with the backup workers

	Smin, Smax int64   // DASP: state thresholds, versions
	Alpha      float64 // DASP: α of eq. (1)
	Wait       string  // DASP: form of T_wait: difference, absolute, convex, oldest

	Staleness    int64   // SSP, GSSP: s, the most clocks ahead of the slowest
	Lower, Upper int64   // DSSP: s_L and s_U, the range of its threshold, clocks
	Backup       int     // backup: m, gradients dropped per round; 0 ≤ m < Workers
	Groups       [][]int // GSSP: a partition of 0 … Workers−1

	Gap         string // DASP: "pre" (default) or "post"-update gap
	FSS         string // DASP: "recheck" (default) or "literal"
	Arrivals    string // DASP: QIS arrivals stay "apart" (default) or "join" a group
	QISWeight   string // DASP: "1/N" (default) or "1"
	GroupWeight string // DASP: "1/K" (default) or "1/N"
	Duration    string // DASP: f is the "compute" (default) or the whole "iteration"
	Grants      string `json:",omitempty"` // DSSP: "capped" (default) by Upper, or as "printed"
	ASPWeight   string `json:",omitempty"` // ASP: "1/N" (default) or "1", of each gradient

	// Adjustment is DASP's cost of adjusting states: the server's time, beside the platform's for
	// a decision, for each decision with which a worker's WSS or FSS begins or ends. §3.2 names it
	// as the reason why waits do not pay.
	Adjustment time.Duration `json:",omitempty"`

	// Own are parameters of registered methods, by flag (Param).
	Own []Parameter `json:",omitempty"`
}

// Parameter is a number that a registered method takes, by its flag.
//
// Source: ours: a policy of the reader's has parameters of its own
type Parameter struct {
	Flag  string
	Value float64
}

// Param returns a parameter of a registered method by its flag. standard stands where none is
// set, which is in tests alone: a training fills in the descriptor's default.
//
// Source: ours: a policy of the reader's has parameters of its own
func (o Options) Param(flag string, standard float64) float64 {
	for _, p := range o.Own {
		if p.Flag == flag {
			return p.Value
		}
	}
	return standard
}

// Unbounded, as Staleness, lets SSP run as ASP.
//
// Source: ours: SSP(∞) = ASP is a test
const Unbounded = math.MaxInt64

// Defaults returns the parameters that the tables use where the paper is
// silent: s = 3 (GSSP's bounded delay), s_L = 3 and s_U = 15 (DSSP's own
// paper), one backup worker, two groups of neighbours, DASP's DefaultConfig.
//
// Source: ours: the paper's parameters (Table 3) are lost
func Defaults(n int) Options {
	c := dasp.DefaultConfig(n)
	o := Options{Workers: n, Smin: c.Smin, Smax: c.Smax, Alpha: c.Alpha,
		Staleness: 3, Lower: 3, Upper: 15, Backup: min(1, n-1)}
	half := (n + 1) / 2
	for first := 0; first < n; first += half {
		var group []int
		for i := first; i < min(first+half, n); i++ {
			group = append(group, i)
		}
		o.Groups = append(o.Groups, group)
	}
	return o
}

// Config returns DASP's part of the options.
//
// Source: §2
func (o Options) Config() (dasp.Config, error) {
	c := dasp.Config{Workers: o.Workers, Smin: o.Smin, Smax: o.Smax, Alpha: o.Alpha}
	var err error
	if c.Wait, err = dasp.ParseWaitForm(o.Wait); err != nil {
		return c, err
	}
	if _, err = o.F(); err != nil {
		return c, err
	}
	if c.PostUpdateGap, err = choose("gap", o.Gap, "pre", "post"); err != nil {
		return c, err
	}
	if c.LiteralFSS, err = choose("FSS", o.FSS, "recheck", "literal"); err != nil {
		return c, err
	}
	if c.Join, err = choose("QIS arrivals", o.Arrivals, "apart", "join"); err != nil {
		return c, err
	}
	if c.QISWeight, err = dasp.ParseScale(o.QISWeight); err != nil {
		return c, err
	}
	if c.GroupWeight, err = dasp.ParseScale(o.GroupWeight); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// AdjustmentOf returns what adjusting states costs the server under a method: DASP alone pays.
//
// Source: §3.2
func (o Options) AdjustmentOf(method string) time.Duration {
	if method == "dasp" {
		return o.Adjustment
	}
	return 0
}

// F returns the reading of f, which the server measures (dasp.Job.F).
//
// Source: §2.1
func (o Options) F() (dasp.DurationForm, error) { return dasp.ParseDurationForm(o.Duration) }

// choose reads a switch of two positions; "" is the first.
func choose(what, got, off, on string) (bool, error) {
	switch got {
	case "", off:
		return false, nil
	case on:
		return true, nil
	}
	return false, fmt.Errorf("rivals: %s %q, want %s or %s", what, got, off, on)
}
