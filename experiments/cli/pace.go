package cli

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"gradsync/experiments/cli/dev"
)

// leastSeconds is the least estimate of an experiment in a plan, so that each moves the bar.
const leastSeconds = 0.1

// pace says how far a plan is and how long it will take yet, in seconds as they were estimated before it
// began, stretched by how they pass. Its methods may be called from several goroutines.
type pace struct {
	mu      sync.Mutex
	began   time.Time
	now     func() time.Time
	stretch dev.Stretch // of the plan in a chore of several commands
	scale   float64     // of the estimates, so that they sum up to the stretch's
	done    float64     // seconds of finished experiments
}

// newPace begins a plan; text says which stretch it is of a longer one, "" for none.
func newPace(runs []plannedRun, text string) *pace {
	p := &pace{began: time.Now(), now: time.Now, scale: 1}
	own := 0.0
	for _, s := range runs {
		own += max(s.seconds, leastSeconds)
	}
	var ok bool
	if p.stretch, ok = dev.ParseStretch(text); !ok {
		p.stretch = dev.Stretch{This: own}
	}
	if own > 0 && p.stretch.This > 0 {
		p.scale = p.stretch.This / own
	}
	return p
}

// finish notes that an experiment of an estimated length is over.
func (p *pace) finish(seconds float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += p.scale * max(seconds, leastSeconds)
}

// share returns which part of all is done, seconds of the experiment under way among it.
func (p *pace) share(seconds float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stretch
	return (s.Behind + p.done + p.scale*seconds) / max(s.Behind+s.This+s.Ahead, leastSeconds)
}

// paceAfter is how many seconds of this plan pass before their pace is believed.
const paceAfter = 5

// left returns the time to the end of all: what was estimated of it, at the pace of this plan so far.
func (p *pace) left(seconds float64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	done, elapsed, rate := p.done+p.scale*seconds, p.now().Sub(p.began).Seconds(), 1.0
	if done > 0 && elapsed > paceAfter {
		rate = elapsed / done
	}
	return time.Duration(max(rate*(p.stretch.This-done+p.stretch.Ahead), 0) * float64(time.Second))
}

// says words the time left.
func (p *pace) says(seconds float64) string {
	return "about " + about(p.left(seconds).Seconds()) + " left"
}

// estimate returns the seconds that experiments take by their estimates, on two cores; of a plan that run
// would refuse, 0.
func estimate(ids, except []string, profile, seeds string) (total float64) {
	chosen, err := choose(Experiments(), ids)
	if err != nil {
		return 0
	}
	given, err := parseSeeds(seeds)
	more := 0
	_, _ = fmt.Sscanf(seeds, "+%d", &more) // of others 0
	planned := map[string]bool{}
	for _, e := range chosen {
		if profileOf(e, profile) != nil || slices.Contains(except, e.ID) {
			continue
		}
		these := given
		if err != nil {
			these = e.SeedsOf(profile)
		}
		total += max(alone(e, profile, len(these)+more, planned), leastSeconds)
	}
	return total
}
