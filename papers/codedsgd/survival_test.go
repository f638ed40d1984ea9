package codedsgd_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

const survivalSteps, survivalBatch = 8, 120

// survive trains with n nodes and redundancy r, and returns the parameters' hash at each node, "" where it is lost,
// and its log. crash is when a node's host fails; 0: never.
func survive(t *testing.T, rt cluster.Runtime, r int, crash []time.Duration) ([]string, []*codedsgd.Log, error) {
	t.Helper()
	rt = faults.On(rt, func(rank int) faults.Host { return faults.Host{Crash: crash[rank]} })
	n, o := len(crash), codedsgd.Options{Redundancy: r}
	hashes := make([]string, n)
	logs, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*codedsgd.Log, error) {
		q := newQuadratic(24, 8)
		log, err := codedsgd.Run(p, codedsgd.Job{Task: q, Batch: survivalBatch, Rate: 0.1, Steps: survivalSteps, Options: o})
		if err == nil {
			hashes[p.Rank()] = digest(q.params)
		}
		return log, err
	})
	return hashes, logs, err
}

// elastic returns n equal nodes in virtual time, which are told of a loss within 3 ms.
func elastic(n int, seed uint64) cluster.Runtime {
	return virtual.New(cluster.Uniform(n, survivalHost, nil), virtual.Config{Seed: seed, Elastic: true, Notice: 3 * time.Millisecond})
}

var survivalHost = cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond}

// TestSurvivalOnARealClock: one and two of six nodes that hold each block three times are lost at random instants.
func TestSurvivalOnARealClock(t *testing.T) {
	whole, logs, err := survive(t, elastic(6, 1), 3, make([]time.Duration, 6))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := cluster.Stream(seed, 0, "", "crashes")
			crash := make([]time.Duration, 6)
			for _, k := range rng.Perm(6)[:1+seed%2] {
				crash[k] = 1 + time.Duration(rng.Int64N(int64(logs[0].Ends[survivalSteps-1])))
			}
			rt := local.New(cluster.Uniform(6, survivalHost, nil), local.Config{Seed: seed, Emulate: true, Elastic: true})
			hashes, _, err := survive(t, rt, 3, crash)
			if err != nil {
				t.Errorf("crashes at %v: %v", crash, err)
			}
			for k, h := range hashes {
				if h != whole[0] && (crash[k] == 0 || h != "") {
					t.Errorf("crashes at %v: node %d ends with %.12s, want %.12s", crash, k, h, whole[0])
				}
			}
		})
	}
}

// TestSurvival: whoever is lost, up to r − 1 nodes at any instants, also in the middle of an exchange and of one
// another's recovery, the others end with the parameters of the run that loses nobody; r lost nodes take a block with
// them, and the run is refused by its name.
func TestSurvival(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	if os.Getenv("GRADSYNC_LONG") != "" {
		seeds = 500
	}
	all := []size{{6, 2}, {6, 3}, {7, 4}, {10, 3}}
	for _, c := range race.Less(all, all[:2]) {
		t.Run(fmt.Sprintf("%d,%d", c.n, c.r), func(t *testing.T) {
			t.Parallel()
			whole, logs, err := survive(t, elastic(c.n, 1), c.r, make([]time.Duration, c.n))
			must(t, err)
			end, repeated := logs[0].Ends[survivalSteps-1], int64(0)
			for lost := 1; lost <= c.r; lost++ {
				for seed := range seeds {
					repeated += c.survives(t, lost, seed, end, whole[0])
				}
			}
			if repeated == 0 {
				t.Error("no step was ever repeated")
			}
		})
	}
}

// survives loses some nodes at random instants of a run that ends at end, and returns how many times a step was
// repeated.
func (c size) survives(t *testing.T, lost int, seed uint64, end time.Duration, want string) (repeated int64) {
	t.Helper()
	r := cluster.Stream(seed, lost, "", "crashes")
	crash := make([]time.Duration, c.n)
	gone := r.Perm(c.n)[:lost]
	for i, k := range gone {
		crash[k] = time.Millisecond + time.Duration(r.Int64N(int64(end)))
		if i > 0 && r.IntN(2) == 0 { // within the recovery from the loss before
			crash[k] = crash[gone[i-1]] + time.Duration(r.Int64N(int64(4*time.Millisecond)))
		}
	}
	hashes, logs, err := survive(t, elastic(c.n, seed), c.r, crash)
	var block *codedsgd.BlockLostError
	if err != nil && (lost < c.r || !errors.As(err, &block) || !subset(block.Holders, gone)) {
		t.Errorf("n %d, r %d, seed %d, %v lost at %v: %v", c.n, c.r, seed, gone, crash, err)
		return 0
	}
	for k, h := range hashes {
		if err == nil && h != want && !slices.Contains(gone, k) {
			t.Errorf("n %d, r %d, seed %d, %v lost at %v: node %d ends with %.12s, want %.12s", c.n, c.r, seed, gone, crash, k, h, want)
		}
	}
	for _, l := range logs {
		if l != nil {
			repeated += l.Repeated
		}
	}
	return repeated
}

type size struct{ n, r int }

func subset(of, all []int) bool {
	return !slices.ContainsFunc(of, func(k int) bool { return !slices.Contains(all, k) })
}
