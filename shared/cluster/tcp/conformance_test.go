package tcp_test

import (
	"fmt"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/internal/clustertest"
	"gradsync/shared/cluster/tcp"
)

// hosts names n ranks host0, host1 …
func hosts(n int) []cluster.Host { return cluster.Uniform(n, clustertest.Host, nil).Workers }

func TestConformance(t *testing.T) {
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Timeout: never, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 20})
	})
}

// Threads that poll before they sleep, as those of ranks that are processes, keep the contract, too.
func TestPollingKeepsTheContract(t *testing.T) {
	clustertest.Conformance(t, func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Timeout: never, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 12}.Polling())
	})
	clustertest.Survival(t, func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Timeout: never, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 12, Elastic: true}.Polling())
	})
}

// An elastic runtime keeps the whole contract, and that of its survivors.
func TestSurvival(t *testing.T) {
	elastic := func(n int, seed uint64) cluster.Runtime {
		return tcp.Loopback(n, tcp.Config{Timeout: never, Seed: seed, Trace: true, Hosts: hosts(n), Chunk: 1 << 20, Elastic: true})
	}
	clustertest.Conformance(t, elastic)
	clustertest.Survival(t, elastic)
}

// Ranks of one process have one clock: an instant that came in a message is past.
func TestRanksOfAProcessHaveOneClock(t *testing.T) {
	const rounds = 20
	for range 5 {
		_, err := tcp.Loopback(4, tcp.Config{Timeout: never}).Run(t.Context(), func(p cluster.Proc) ([]byte, error) {
			next, before := (p.Rank()+1)%p.Size(), (p.Rank()+p.Size()-1)%p.Size()
			for range rounds {
				sent := &cluster.Msg{Meta: [4]int64{int64(p.Now())}}
				var got cluster.Msg
				if err := cluster.Wait(p, p.Isend(next, 1, sent), p.Irecv(before, 1, &got)); err != nil {
					return nil, err
				}
				if at := time.Duration(got.Meta[0]); at > p.Now() {
					return nil, fmt.Errorf("rank %d sent at %v what has come by %v", before, at, p.Now())
				}
			}
			return nil, nil
		})
		must(t, err)
	}
}
