package tcp_test

import (
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/clustertest"
	"gradsync/shared/cluster/tcp"
)

// hosts names n ranks host0, host1 …
func hosts(n int) []cluster.Host { return cluster.Uniform(n, clustertest.Host, nil).Workers }

func TestConformance(t *testing.T) {
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 20})
	})
}

// An elastic runtime keeps the whole contract, and that of its survivors.
func TestSurvival(t *testing.T) {
	elastic := func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 20, Elastic: true})
	}
	clustertest.Conformance(t, elastic)
	clustertest.Survival(t, elastic)
}
