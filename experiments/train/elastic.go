package train

import (
	"fmt"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
)

// Elastic holds the fields of a Config by which a run goes on without the ranks that it loses.
type Elastic struct {
	// Elastic goes on without lost ranks: with a server without any worker, in a ring without any rank, with coded
	// SGD as long as every block has a living holder.
	Elastic bool `json:"elastic,omitempty"`
	// Crashes are hosts that fail, to try it: on virtual and local.
	Crashes []Crash `json:"crashes,omitempty"`
}

// Crash is the failure of a rank's host at an instant of the run's clock.
type Crash struct {
	Rank int           `json:"rank"`
	At   time.Duration `json:"at"`
}

// check refuses what no run can do without a rank.
func (e Elastic) check(c *Config) error {
	switch {
	case !e.Elastic && len(e.Crashes) > 0:
		return fmt.Errorf("train: %d crashes, but the run is not elastic: the first would end it", len(e.Crashes))
	case !e.Elastic:
		return nil
	case c.Runtime == "tcp":
		return fmt.Errorf("train: an elastic run is of virtual or local: on tcp train does not go on without a rank yet")
	case c.Sync == "hierarchical" || c.Devices != nil:
		return fmt.Errorf("train: %s with %d devices does not go on without a rank: its groups are fixed", c.Sync, len(c.Devices))
	case c.Record != "" || c.Replay != "" || c.Clock != nil:
		return fmt.Errorf("train: an elastic run follows no recorded order, leaves none and has its own clock")
	}
	ranks := c.Workers
	if !c.serverless() {
		ranks++
	}
	for _, x := range e.Crashes {
		if x.Rank < 0 || x.Rank >= ranks || x.At <= 0 {
			return fmt.Errorf("train: a crash of rank %d at %v, want a rank from 0 to %d and more than 0s", x.Rank, x.At, ranks-1)
		}
	}
	return nil
}

// on returns rt with the crashes.
func (e Elastic) on(rt cluster.Runtime) cluster.Runtime {
	if len(e.Crashes) == 0 {
		return rt
	}
	return faults.On(rt, func(rank int) (h faults.Host) {
		for _, x := range e.Crashes {
			if x.Rank == rank && (h.Crash == 0 || x.At < h.Crash) {
				h.Crash = x.At
			}
		}
		return h
	})
}
