package codedsgd_test

import (
	"fmt"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

var link = cluster.Host{Name: "w", FLOPS: 1e9, Bandwidth: 1.25e8}

// network of n equal nodes, with multicast.
func network(n int) *cluster.Platform {
	p := cluster.Uniform(n, link, nil)
	p.Multicast = true
	return p
}

// ran runs job, the same on every node, in virtual time.
func ran(t *testing.T, p *cluster.Platform, c virtual.Config, job codedsgd.Job) (
	[]*codedsgd.Log, *cluster.Trace, error) {
	return cluster.Run(t.Context(), virtual.New(p, c), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, job)
	})
}

// trained holds the end of a rank's training.
type trained struct {
	Digests []string // of the parameters, after each step
	Log     *codedsgd.Log
}

// train runs job on rt with a task of its own per rank and returns the ranks' results,
// which must have the same parameters after each step.
func train(t *testing.T, rt cluster.Runtime, job codedsgd.Job, task func(rank int) *quadratic) ([]trained, *cluster.Trace) {
	t.Helper()
	results, trace, err := cluster.Run(t.Context(), rt, func(p cluster.Proc) (trained, error) {
		job, out := job, trained{}
		q := task(p.Rank())
		job.Task = q
		job.OnStep = func(int64) (bool, error) {
			out.Digests = append(out.Digests, digest(q.params))
			return false, nil
		}
		var err error
		out.Log, err = codedsgd.Run(p, job)
		return out, err
	})
	if err != nil {
		t.Fatalf("%+v: %v", job.Options, err)
	}
	for rank, r := range results {
		if fmt.Sprint(r.Digests) != fmt.Sprint(results[0].Digests) {
			t.Errorf("%+v: rank %d has other parameters than rank 0", job.Options, rank)
		}
		if len(r.Digests) != int(job.Steps) {
			t.Errorf("%+v: %d steps, want %d", job.Options, len(r.Digests), job.Steps)
		}
	}
	return results, trace
}

var lengths = []int{12*5 + 5, 3, 0, 7 * 2}
var shapes = [][2]int{{12, 5}, {1, 3}, {0, 0}, {7, 2}}

// All methods, all n and r, both splits: the parameters of one node that sums the same
// micro-blocks, bit for bit, after every step.
func TestAllMethodsLeaveTheSameBits(t *testing.T) {
	const pieces = 60 // every C(n,r) for n ≤ 6 divides it
	job := codedsgd.Job{Shapes: shapes, Batch: 97, Rate: 0.3, WeightDecay: 1e-3, Steps: 2, Options: codedsgd.Options{MicroBlocks: pieces}}
	task := func(int) *quadratic { return newQuadratic(lengths...) }
	alone, _ := train(t, virtual.New(network(1), virtual.Config{}), job, task)
	every(t, race.Less(6, 4), func(a *codedsgd.Assignment, n, r int) {
		for _, o := range []codedsgd.Options{
			{}, {Split: "columns"}, {NoOverlap: true}, {Literal: true}, {Method: "ssgd-unicast"}, {Method: "ssgd-multicast"},
			{Rounds: true}, {Rounds: true, Method: "ssgd-multicast"},
		} {
			if o.Literal && n == 6 && (r == 3 || r == 4) && testing.Short() {
				continue
			}
			o.Redundancy, o.MicroBlocks = r, pieces
			job.Options = o
			got, _ := train(t, virtual.New(network(n), virtual.Config{}), job, task)
			if fmt.Sprint(got[0].Digests) != fmt.Sprint(alone[0].Digests) {
				t.Errorf("n=%d r=%d %+v: other parameters than one node's", n, r, o)
			}
		}
	})
}
