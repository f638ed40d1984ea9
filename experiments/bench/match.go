package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Contender runs rounds. It serves one goroutine at a time.
type Contender interface {
	// Name tells contenders apart.
	Name() string
	// Open starts and warms up.
	Open(ctx context.Context) (Reply, error)
	// Round times the given number of steps.
	Round(ctx context.Context, steps int) (Sample, error)
	// Profile runs for about the given seconds under a CPU profile; it may return none.
	Profile(ctx context.Context, seconds float64) ([]Function, error)
	// Close stops and returns the peak resident set in bytes, 0 if unknown.
	Close() (int64, error)
}

// Unable is the error of a contender that cannot do this job (a library that is
// not installed, a network it cannot build): a note, not a failure.
type Unable struct{ Why string }

func (u *Unable) Error() string { return u.Why }

// Match says how contenders are compared.
type Match struct {
	Rounds  int     // interleaved: A B C A B C …
	Seconds float64 // that a round should last; at least one step
	Budget  float64 // seconds of rounds after which a slow contender sits out, 3 rounds at least; 0: none
	FLOP    float64 // of one step
	Peer    string  // whose rounds the ratios divide by
	Profile float64 // seconds of CPU profile after the rounds; 0: none
	Only    string  // the contender to profile; "": all
	Tell    func(done, of int)
}

// Result holds what one contender reached.
type Result struct {
	Contender string     `json:"engine"`
	Class     string     `json:"class"`
	Facts     []string   `json:"facts,omitempty"`
	Rounds    int        `json:"rounds"`
	Steps     int        `json:"steps"` // of a round
	StepTime  Spread     `json:"step_seconds"`
	StepFLOP  float64    `json:"step_flop,omitempty"`
	StepBytes float64    `json:"step_bytes,omitempty"`
	CPU       Spread     `json:"cpu_seconds_per_step"` // of all concurrent steps together
	Ratio     *Spread    `json:"ratio,omitempty"`      // speed as a multiple of the peer's, round by round
	CPURatio  *Spread    `json:"cpu_ratio,omitempty"`  // the peer's CPU seconds per step as a multiple of this one's
	Allocs    float64    `json:"allocs_per_step"`      // least of all rounds; −1: not counted
	PeakBytes int64      `json:"peak_bytes"`
	Speeds    []float64  `json:"steps_per_second"` // of each round
	Functions []Function `json:"functions,omitempty"`

	frugality []float64 // of each round: steps per CPU second
}

// Note is a contender that is not in the table, and why.
type Note struct {
	Contender string `json:"engine"`
	Why       string `json:"why"`
}

// Play runs the match. Contenders that are Unable become notes; any other error
// ends the match. All contenders are closed.
func (m Match) Play(ctx context.Context, contenders []Contender) (results []*Result, notes []Note, err error) {
	var players []Contender
	defer func() {
		for i, c := range players {
			peak, closing := c.Close()
			results[i].PeakBytes = peak
			if err == nil && closing != nil {
				err = fmt.Errorf("bench: %s: %w", c.Name(), closing)
			}
		}
	}()
	for _, c := range contenders {
		hello, err := c.Open(ctx)
		var unable *Unable
		if errors.As(err, &unable) {
			notes = append(notes, Note{c.Name(), strings.TrimPrefix(unable.Why, c.Name()+": ")})
			continue
		}
		if err != nil {
			return results, notes, fmt.Errorf("bench: %s: %w", c.Name(), err)
		}
		steps := 1
		if hello.StepSeconds > 0 {
			steps = int(min(max(m.Seconds/hello.StepSeconds+0.5, 1), 1e6))
		}
		players = append(players, c)
		results = append(results, &Result{Contender: c.Name(), Class: hello.Class, Facts: hello.Facts, StepFLOP: m.FLOP, StepBytes: hello.StepBytes, Steps: steps})
	}
	if err := m.rounds(ctx, players, results); err != nil {
		return results, notes, err
	}
	m.ratios(results)
	for i, c := range players {
		if m.Profile > 0 && (m.Only == "" || m.Only == c.Name()) {
			if results[i].Functions, err = c.Profile(ctx, m.Profile); err != nil {
				return results, notes, fmt.Errorf("bench: %s: %w", c.Name(), err)
			}
		}
	}
	return results, notes, nil
}

// starved is how many times as long as it should a round may last before the next ones have fewer steps.
const starved = 20

func (m Match) rounds(ctx context.Context, players []Contender, results []*Result) error {
	times, cpus := make([][]float64, len(players)), make([][]float64, len(players))
	spent := make([]float64, len(players))
	for round := range m.Rounds {
		for i, c := range players {
			if m.Budget > 0 && round >= 3 && spent[i] > m.Budget {
				continue
			}
			s, err := c.Round(ctx, results[i].Steps)
			if err == nil && (s.Steps < 1 || !(s.Seconds > 0)) {
				err = fmt.Errorf("%d steps in %v s", s.Steps, s.Seconds)
			}
			if err != nil {
				return fmt.Errorf("bench: %s: %w", c.Name(), err)
			}
			r, n := results[i], float64(s.Steps)
			allocs := -1.0
			if s.Mallocs >= 0 {
				allocs = float64(s.Mallocs) / n
			}
			if round == 0 || allocs < r.Allocs {
				r.Allocs = allocs
			}
			r.Speeds = append(r.Speeds, n/s.Seconds)
			if s.CPUSeconds > 0 { // a clock may be too coarse for a round
				r.frugality = append(r.frugality, n/s.CPUSeconds)
			}
			if s.Seconds > starved*m.Seconds && s.Steps > 1 { // who polls gets no turn: a round in which it had one was no guide
				r.Steps = max(int(float64(s.Steps)*m.Seconds/s.Seconds), 1)
			}
			times[i], cpus[i] = append(times[i], s.Seconds/n), append(cpus[i], s.CPUSeconds/n)
			spent[i] += s.Seconds
		}
		if m.Tell != nil {
			m.Tell(round+1, m.Rounds)
		}
	}
	for i, r := range results {
		r.Rounds, r.StepTime, r.CPU = len(times[i]), SpreadOf(times[i]), SpreadOf(cpus[i])
	}
	return nil
}

func (m Match) ratios(results []*Result) {
	for _, p := range results {
		if p.Contender != m.Peer {
			continue
		}
		for _, r := range results {
			if r != p {
				wall, cpu := SpreadOf(ratios(r.Speeds, p.Speeds)), SpreadOf(ratios(r.frugality, p.frugality))
				if r.StepBytes > 0 && p.StepBytes > 0 {
					wall, cpu = wall.Scaled(r.StepBytes/p.StepBytes), cpu.Scaled(r.StepBytes/p.StepBytes)
				}
				r.Ratio = &wall
				if len(r.frugality) == r.Rounds && len(p.frugality) == p.Rounds {
					r.CPURatio = &cpu
				}
			}
		}
	}
}

// group is several processes of one contender that run their rounds at the same
// time: how a library that wants a process per gradient does concurrent ones.
// Steps count once, times are the slowest's, CPU seconds, allocations and peak
// memory are sums.
type group []Contender

var _ Contender = group(nil)

// Name returns the members' name.
func (g group) Name() string { return g[0].Name() }

// each runs f for all members at once.
func (g group) each(f func(i int, c Contender) error) error {
	errs := make([]error, len(g))
	var all sync.WaitGroup
	for i, c := range g {
		all.Go(func() { errs[i] = f(i, c) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Open opens all members; if one cannot, all are closed.
func (g group) Open(ctx context.Context) (Reply, error) {
	hello, opened := make([]Reply, len(g)), make([]bool, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		hello[i], err = c.Open(ctx)
		opened[i] = err == nil
		return err
	})
	if err != nil {
		for i, c := range g {
			if opened[i] {
				c.Close()
			}
		}
		return Reply{}, err
	}
	all := hello[0]
	for _, h := range hello[1:] {
		all.StepSeconds = max(all.StepSeconds, h.StepSeconds)
	}
	return all, nil
}

// Round runs the same steps in all members.
func (g group) Round(ctx context.Context, steps int) (Sample, error) {
	samples := make([]Sample, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		samples[i], err = c.Round(ctx, steps)
		return err
	})
	all := samples[0]
	for _, s := range samples[1:] {
		all.Seconds = max(all.Seconds, s.Seconds)
		all.CPUSeconds += s.CPUSeconds
		if all.Mallocs < 0 || s.Mallocs < 0 {
			all.Mallocs = -1
		} else {
			all.Mallocs += s.Mallocs
		}
	}
	return all, err
}

// Profile returns the first member's, with all of them running.
func (g group) Profile(ctx context.Context, seconds float64) ([]Function, error) {
	found := make([][]Function, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		found[i], err = c.Profile(ctx, seconds)
		return err
	})
	return found[0], err
}

// Close closes all members.
func (g group) Close() (int64, error) {
	peaks := make([]int64, len(g))
	err := g.each(func(i int, c Contender) (err error) {
		peaks[i], err = c.Close()
		return err
	})
	var sum int64
	for _, p := range peaks {
		sum += p
	}
	return sum, err
}

// Spread is the least, the middle and the largest of several values.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// SpreadOf sorts a copy; an even number of values has the mean of the two in the
// middle as its median. No values have the zero Spread.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return Spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// Scaled multiplies by a positive factor.
func (s Spread) Scaled(by float64) Spread { return Spread{by * s.Min, by * s.Median, by * s.Max} }

// Inverse returns the spread of the reciprocals: of a speed, which is positive, that of the times.
func (s Spread) Inverse() Spread { return Spread{1 / s.Max, 1 / s.Median, 1 / s.Min} }

// ratios returns the quotients, a's by b's, of the rounds both took part in: what two contenders
// saw at about the same time, so that a disturbance which lasts longer than a round meets both.
func ratios(a, b []float64) []float64 {
	var out []float64
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}
