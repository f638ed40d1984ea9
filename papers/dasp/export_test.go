package dasp

import (
	"fmt"

	"gradsync/shared/cluster"
)

// For tests that play a worker by hand.
const TagWeights, TagPush = tagWeights, tagPush

var PushMeta = pushMeta

// OtherWords makes the package treat memory as a machine does whose words are not the
// wire's, until the function returned is called.
func OtherWords() (back func()) {
	old := floats
	floats = func([]byte) []float32 { return nil }
	return func() { floats = old }
}

// RunWatched is Run; what its server remembers, it compares at each event with a count of all that it stands for.
func RunWatched(p cluster.Proc, job Job, wrong func(string)) (*Log, error) {
	if p.Rank() > 0 {
		return Run(p, job)
	}
	if job.Layers == nil {
		job.Layers = job.Task.Layers()
	}
	s := newServer(p, &job)
	s.policy = &counting{s.policy, s, wrong}
	l, err := s.run()
	for w, n := range s.nodes {
		if err == nil && job.Lease == 0 && n.present && !n.ended {
			wrong(fmt.Sprintf("the run ended before worker %d", w))
		}
	}
	return l, err
}

// counting is a policy that looks at its server.
type counting struct {
	Policy
	s     *server
	wrong func(string)
}

func (c *counting) Step(ev Event) []Action {
	c.count(ev)
	out := c.Policy.Step(ev)
	if p, ok := c.Policy.(*policy); ok {
		waiting := 0
		for _, h := range p.nodes {
			if h.waiting {
				waiting++
			}
		}
		if waiting != p.waits {
			c.wrong(fmt.Sprintf("after %+v %d wait, remembered are %d", ev, waiting, p.waits))
		}
	}
	return out
}

// count compares the slowest clock and how many have it, and whether there is anything to wait for.
func (c *counting) count(ev Event) {
	least, atLeast, timed := int64(0), 0, false
	for _, n := range c.s.nodes {
		timed = timed || n.timer > 0 || n.lease > 0
		switch {
		case !n.present:
		case atLeast == 0 || n.clock < least:
			least, atLeast = n.clock, 1
		case n.clock == least:
			atLeast++
		}
	}
	if s := c.s; s.atLeast > 0 && (s.least != least || s.atLeast != atLeast) {
		c.wrong(fmt.Sprintf("before %+v %d have the least clock %d, remembered are %d with %d", ev, atLeast, least, s.atLeast, s.least))
	}
	if timed && !c.s.timed {
		c.wrong(fmt.Sprintf("before %+v a timer or a lease runs that the server forgot", ev))
	}
}
