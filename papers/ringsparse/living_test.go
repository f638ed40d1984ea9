package ringsparse_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/faults"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/virtual"
)

const livingSteps = 8

// among trains tasks of some ranks and returns each one's parameters, nil of a rank that is lost.
func among(t *testing.T, tasks []int, seed uint64, o ringsparse.Options, crash map[int]time.Duration) ([][]float32, *cluster.Trace) {
	t.Helper()
	return on(t, virtual.New(cluster.Uniform(len(tasks), livingHost, nil), virtual.Config{Seed: seed, Elastic: crash != nil, Notice: 3 * time.Millisecond}),
		tasks, seed, o, crash)
}

var livingHost = cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 125e6, Latency: 50 * time.Microsecond}

// on is among, on a runtime.
func on(t *testing.T, rt cluster.Runtime, tasks []int, seed uint64, o ringsparse.Options, crash map[int]time.Duration) ([][]float32, *cluster.Trace) {
	t.Helper()
	rt = faults.On(rt, func(rank int) faults.Host { return faults.Host{Crash: crash[rank]} })
	params := make([][]float32, len(tasks))
	o.Bandwidth = 125e6
	_, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (int, error) {
		q := newQuadratic(tasks[p.Rank()], 0.3, 0.2, 24, 9)
		log, err := ringsparse.Run(p, ringsparse.Job{Task: q, Rate: 0.1, Steps: livingSteps * int64(1+seed%2), Options: o,
			OnStep: func(step int64) (bool, error) { return step == livingSteps-1, nil }})
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

// TestARingOnARealClock: two of five ranks are lost at random instants, and the others end with the same bits.
func TestARingOnARealClock(t *testing.T) {
	for seed := range uint64(6) {
		r := cluster.Stream(seed, 0, "", "crash")
		crash := map[int]time.Duration{}
		for _, k := range r.Perm(5)[:2] {
			crash[k] = 1 + time.Duration(r.Int64N(int64(20*time.Millisecond)))
		}
		rt := local.New(cluster.Uniform(5, livingHost, nil), local.Config{Seed: seed, Emulate: true, Elastic: true})
		params, trace := on(t, rt, []int{0, 1, 2, 3, 4}, seed, ringsparse.Options{}, crash)
		params = slices.DeleteFunc(params, func(x []float32) bool { return x == nil })
		if len(params) != 5-len(trace.Lost) || slices.ContainsFunc(params, func(x []float32) bool { return !slices.Equal(x, params[0]) }) {
			t.Errorf("seed %d, lost %v: the others end with %v", seed, crash, params)
		}
	}
}

// TestTheMeanIsOverTheLiving: a rank that is lost before the first exchange changes nothing beside a ring that never had it.
func TestTheMeanIsOverTheLiving(t *testing.T) {
	for _, o := range []ringsparse.Options{{}, {Threshold: 0.01, Kinds: "gradients"}} {
		with, _ := among(t, []int{0, 1, 2, 3, 4}, 1, o, map[int]time.Duration{2: 1})
		if without, _ := among(t, []int{0, 1, 3, 4}, 1, o, nil); with[2] != nil || !slices.Equal(with[0], without[0]) {
			t.Errorf("%+v: a ring that lost a rank at its start is not the ring without that rank", o)
		}
	}
}

// kept holds what a rank has after a step.
type kept struct{ params, residual []float32 }

// lossy trains with a threshold on the ranks of tasks and returns what each has after each step; where the log is not the
// job's, what was held back is known of the last alone. It begins with step from, where the ranks have begin; rank 2 crashes
// at an instant, 0: never.
func lossy(t *testing.T, tasks []int, logged bool, from int64, begin []kept, crash time.Duration) ([][]kept, []time.Duration) {
	t.Helper()
	rt := faults.On(virtual.New(cluster.Uniform(len(tasks), livingHost, nil), virtual.Config{Seed: 1, Elastic: crash > 0}),
		func(rank int) faults.Host { return faults.Host{Crash: []time.Duration{2: crash, 3: 0}[rank]} })
	states := make([][]kept, len(tasks))
	logs, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (*ringsparse.Log, error) {
		k := p.Rank()
		q, log := newQuadratic(tasks[k], 0.9, 0, 24, 9), &ringsparse.Log{}
		if begin != nil {
			copy(q.params, begin[k].params)
			log.Residual = slices.Clone(begin[k].residual)
		}
		job := ringsparse.Job{Task: q, Rate: 0.1, From: from, Steps: livingSteps, Options: ringsparse.Options{Threshold: 0.02, Kinds: "gradients", Bandwidth: 125e6}}
		if logged {
			job.Log = log
		}
		job.OnStep = func(step int64) (bool, error) {
			states[k] = append(states[k], kept{slices.Clone(q.params), slices.Clone(log.Residual)})
			return false, nil
		}
		log, err := ringsparse.Run(p, job)
		if err == nil {
			states[k][len(states[k])-1].residual = log.Residual
		}
		return log, err
	})
	if err != nil {
		t.Fatalf("rank 2 crashes at %v: %v", crash, err)
	}
	return states, logs[0].Ends
}

// TestALossyStepThatIsGivenUpLeavesNothing: rank 2 of three is lost at any instant of the fourth and fifth step. The others have,
// after each step that all three made, the bits of a ring that loses nobody, and from then on those of a ring of two that
// begins there: nothing that a step had dropped and sent when it was given up is left.
func TestALossyStepThatIsGivenUpLeavesNothing(t *testing.T) {
	calm, ends := lossy(t, []int{0, 1, 2}, true, 0, nil, 0)
	repeated := map[int]int{}
	for i := range 60 {
		crash := ends[2] + (ends[4]-ends[2])*time.Duration(i)/60
		got, _ := lossy(t, []int{0, 1, 2}, true, 0, nil, crash)
		made := 0 // steps by all three
		for made < livingSteps && reflect.DeepEqual(got[0][made], calm[0][made]) && reflect.DeepEqual(got[1][made], calm[1][made]) {
			made++
		}
		repeated[made]++
		if made < 2 || made > 5 {
			t.Errorf("rank 2 is lost at %v: the others are as without a loss for %d steps, ended by three at %v", crash, made, ends)
			continue
		}
		begin := []kept{got[0][made-1], got[1][made-1]}
		want, _ := lossy(t, []int{0, 1}, true, int64(made), begin, 0)
		if !reflect.DeepEqual(got[0][made:], want[0]) || !reflect.DeepEqual(got[1][made:], want[1]) {
			t.Errorf("rank 2 is lost at %v: step %d, made again by two, is not that of a ring that begins with it", crash, made)
		}
		own, _ := lossy(t, []int{0, 1, 2}, false, 0, nil, crash)
		for k, states := range own[:2] {
			for step, s := range states {
				if w := got[k][step]; !slices.Equal(s.params, w.params) || s.residual != nil && !slices.Equal(s.residual, w.residual) {
					t.Errorf("rank 2 is lost at %v: without a log of the job's rank %d has other bits after step %d", crash, k, step)
				}
			}
		}
	}
	t.Logf("steps that were made again: %v", repeated)
}

// TestALossBeforeARankBegins: rank 3 is lost after 5 ms; rank 2 begins only after 10 ms, so that it knows of the loss from
// the start and is never told. It goes on with the others.
func TestALossBeforeARankBegins(t *testing.T) {
	rt := faults.On(virtual.New(cluster.Uniform(4, livingHost, nil), virtual.Config{Seed: 1, Elastic: true}),
		func(rank int) faults.Host { return faults.Host{Crash: []time.Duration{3: 5 * time.Millisecond}[rank]} })
	params, _, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) ([]float32, error) {
		if p.Rank() == 2 {
			if err := cluster.Sleep(p, 10*time.Millisecond); err != nil {
				return nil, err
			}
		}
		q := newQuadratic(p.Rank(), 0.3, 0.2, 24, 9)
		_, err := ringsparse.Run(p, ringsparse.Job{Task: q, Rate: 0.1, Steps: livingSteps, Options: ringsparse.Options{Bandwidth: 125e6}})
		return q.params, err
	})
	must(t, err)
	if !slices.Equal(params[0], params[1]) || !slices.Equal(params[0], params[2]) {
		t.Errorf("ranks 0, 1, 2 end with %v", params[:3])
	}
}
