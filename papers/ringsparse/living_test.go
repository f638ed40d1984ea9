package ringsparse_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/virtual"
)

const livingSteps = 8

// among trains tasks of some ranks and returns each one's parameters, nil of a rank that is lost.
func among(t *testing.T, tasks []int, seed uint64, o ringsparse.Options, crash map[int]time.Duration) ([][]float32, *cluster.Trace) {
	t.Helper()
	h := cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond}
	rt := faults.On(virtual.New(cluster.Uniform(len(tasks), h, nil), virtual.Config{Seed: seed, Elastic: crash != nil, Notice: 3 * time.Millisecond}),
		func(rank int) faults.Host { return faults.Host{Crash: crash[rank]} })
	params := make([][]float32, len(tasks))
	o.Bandwidth = 125e6
	_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
		q := newQuadratic(tasks[p.Rank()], 0.3, 0.2, 24, 9)
		log, err := ringsparse.Run(p, ringsparse.Job{Task: q, Rate: 0.1, Steps: livingSteps, Options: o})
		if err == nil && len(log.Ends) != livingSteps {
			err = fmt.Errorf("%d steps were made", len(log.Ends))
		}
		params[p.Rank()] = q.params
		return 0, err
	})
	if err != nil {
		t.Fatalf("seed %d, lost %v: %v", seed, crash, err)
	}
	for _, k := range trace.Lost {
		params[k] = nil
	}
	return params, trace
}

// TestTheRingClosesWithoutTheLost: whoever is lost, at any instants, also in the midst of an exchange and of another's
// recovery, the others make all steps and end with the same bits.
func TestTheRingClosesWithoutTheLost(t *testing.T) {
	seeds := uint64(60)
	if os.Getenv("GRADSYNC_LONG") != "" {
		seeds = 3000
	}
	lost := 0
	for seed := range seeds {
		r := cluster.Stream(seed, 0, "", "crash")
		n := 3 + r.IntN(4)
		crash, tasks := map[int]time.Duration{}, []int{}
		for k := range n {
			tasks = append(tasks, k)
		}
		for _, k := range r.Perm(n)[:1+r.IntN(n-1)] {
			crash[k] = 1 + time.Duration(r.Int64N(int64(60*time.Millisecond)))
		}
		o := []ringsparse.Options{{}, {Threshold: 0.01, Kinds: "gradients"}, {Exchange: "all-gather"}}[seed%3]
		params, trace := among(t, tasks, seed, o, crash)
		lost += len(trace.Lost)
		var first []float32
		for k, x := range params {
			if first == nil {
				first = x
			}
			if x != nil && !slices.Equal(first, x) {
				t.Errorf("seed %d, lost %v: rank %d ends with other parameters", seed, crash, k)
			}
		}
	}
	if lost < int(seeds) {
		t.Errorf("only %d ranks were lost in %d runs", lost, seeds)
	}
}

// TestTheMeanIsOverTheLiving: a rank that is lost before the first exchange changes nothing beside a ring that never had it.
func TestTheMeanIsOverTheLiving(t *testing.T) {
	for _, o := range []ringsparse.Options{{}, {Threshold: 0.01, Kinds: "gradients"}} {
		with, _ := among(t, []int{0, 1, 2, 3, 4}, 1, o, map[int]time.Duration{2: 1})
		without, _ := among(t, []int{0, 1, 3, 4}, 1, o, nil)
		if with[2] != nil || !slices.Equal(with[0], without[0]) {
			t.Errorf("%+v: a ring that lost a rank at its start is not the ring without that rank", o)
		}
	}
}
