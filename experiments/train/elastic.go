package train

import (
	"fmt"
	"slices"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
)

// Elastic holds the fields of a Config by which a run goes on without the ranks that it loses.
type Elastic struct {
	// Elastic goes on without lost ranks: with a server without any worker, in a ring without any rank, with
	// cssgd as long as every block has a living holder. Of processes without a server each evaluates, so that the outcome
	// outlives any of them. All agree on it, and with TCP.Elastic.
	Elastic bool `json:"elastic,omitempty"`
	// Crashes are hosts that fail, to try it.
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
	case e.Elastic && c.Runtime == OverMPI:
		return fmt.Errorf("train: MPI's launcher ends a job with the first rank that dies: an elastic run is of virtual, local or tcp")
	case c.TCP != nil && c.TCP.Elastic != e.Elastic:
		return fmt.Errorf("train: an elastic run %v, but an elastic job of processes %v", e.Elastic, c.TCP.Elastic)
	case !e.Elastic && len(e.Crashes) > 0:
		return fmt.Errorf("train: %d crashes, but the run is not elastic: the first would end it", len(e.Crashes))
	case !e.Elastic:
		return nil
	case c.Clock != nil:
		return fmt.Errorf("train: an elastic run has its own clock")
	}
	if err := CheckElastic(c.Sync, c.Devices != nil, c.Record != "" || c.Replay != ""); err != nil {
		return err
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

// CheckElastic refuses what cannot go on without a rank: a method, devices that sum gradients among themselves, an order
// of arrival that is recorded or followed.
func CheckElastic(sync string, devices, ordered bool) error {
	switch {
	case sync == "hierarchical" || devices:
		return fmt.Errorf("train: %s does not go on without a rank where its groups are fixed: hierarchical and devices that sum gradients", sync)
	case sync != codedsgd.CSSGD && slices.Contains(codedsgd.Methods(), sync):
		return fmt.Errorf("train: %s does not go on without a rank: of coded SGD's methods %s alone does", sync, codedsgd.CSSGD)
	case ordered:
		return fmt.Errorf("train: an elastic run follows no recorded order of arrival and leaves none")
	}
	return nil
}

// alone reports whether this process has one rank of an elastic run, all of which must be able to speak for it.
func (c *Config) alone() bool { return c.TCP != nil && c.Elastic.Elastic }

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
