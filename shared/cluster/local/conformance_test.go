package local_test

import (
	"testing"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/local"

	"go.uber.org/goleak"
)

func TestGivenBodiesAreHandedOver(t *testing.T) {
	clustertest.Handed(t, func(n int, seed uint64) cluster.Runtime {
		return local.New(cluster.Uniform(n, clustertest.Host, nil), local.Config{Seed: seed})
	})
}

// An elastic runtime keeps the whole contract, and that of its survivors.
func TestSurvival(t *testing.T) {
	elastic := func(n int, seed uint64) cluster.Runtime {
		return local.New(cluster.Uniform(n, clustertest.Host, nil), local.Config{Seed: seed, Trace: true, Elastic: true})
	}
	clustertest.Conformance(t, elastic)
	clustertest.Survival(t, elastic)
}

func TestConformance(t *testing.T) {
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		return local.New(cluster.Uniform(n, clustertest.Host, nil), local.Config{Seed: seed, Trace: true})
	})
}

// Whatever ended a run, no goroutine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
