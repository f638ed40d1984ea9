package codedsgd_test

import (
	"fmt"
	"testing"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/local"
	"gradsync/shared/cluster/tcp"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// compressedTotals merges all ranks' totals.
func compressedTotals(ranks []trained) (all codedsgd.Totals) {
	for _, r := range ranks {
		all.Merge(r.Log.Totals)
	}
	return all
}

// compressedPlan plans what method compressed sends for these options.
func compressedPlan(t *testing.T, n, r, depth int) *codedsgd.SumPlan {
	t.Helper()
	a, err := codedsgd.Assign(n, r)
	must(t, err)
	p, err := codedsgd.PlanSums(a, depth)
	must(t, err)
	return p
}

// compressedVolume checks the counts of a run against the plan's, layer by layer.
func compressedVolume(t *testing.T, name string, p *codedsgd.SumPlan, steps int64, got codedsgd.Totals) {
	t.Helper()
	var packets, bytes, delivered int64
	for _, length := range lengths {
		c, e, d := p.Volume(length)
		packets, bytes, delivered = packets+steps*c, bytes+steps*4*e, delivered+steps*4*d
	}
	if got.Packets != packets || got.Bytes != bytes || got.Delivered != delivered || got.Received != delivered {
		t.Errorf("%s: %d packets, %d bytes, %d delivered, %d received; want %d, %d, %d twice", name,
			got.Packets, got.Bytes, got.Delivered, got.Received, packets, bytes, delivered)
	}
}

// TestCompressedLeavesTheSameBits: for all n ≤ 6, r and t the parameters of SSGD whose range is as wide, after every
// step, on every rank; the messages counted are the plan's, whatever the number of micro-blocks; a timing-only run
// sends the same at the same instants.
func TestCompressedLeavesTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	const pieces, steps = 60, 2 // 64 times the range
	job := codedsgd.Job{Batch: 97, Rate: 0.3, WeightDecay: 1e-3, Steps: steps,
		Options: codedsgd.Options{Method: codedsgd.SSGDMulticast, MicroBlocks: pieces, Range: 640}}
	task := func(int) *quadratic { return newQuadratic(lengths...) }
	alone, _ := train(t, virtual.New(network(1), virtual.Config{}), job, task)
	every(t, race.Less(6, 4), func(_ *codedsgd.Assignment, n, r int) {
		for depth := range r + 1 {
			for _, late := range []bool{false, true} {
				job.Options = codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, Depth: depth, MicroBlocks: pieces, NoOverlap: late}
				name := fmt.Sprintf("n=%d r=%d t=%d, no overlap: %v", n, r, depth, late)
				got, _ := train(t, virtual.New(network(n), virtual.Config{}), job, task)
				if fmt.Sprint(got[0].Digests) != fmt.Sprint(alone[0].Digests) {
					t.Errorf("%s: other parameters than SSGD's", name)
				}
				compressedVolume(t, name, compressedPlan(t, n, r, depth), steps, compressedTotals(got))
				timed := job
				timed.Layers = newQuadratic(lengths...).layers
				results, _, err := ran(t, network(n), virtual.Config{}, timed)
				if err != nil {
					t.Fatal(name, err)
				}
				for rank, log := range results {
					if real := got[rank].Log; fmt.Sprint(log.Ends) != fmt.Sprint(real.Ends) || log.Totals != real.Totals {
						t.Errorf("%s: rank %d ends at %v with %+v, timing-only at %v with %+v", name, rank, real.Ends, real.Totals, log.Ends, log.Totals)
					}
				}
			}
		}
	})
}

// TestCompressedWholeGradients: one gradient per block, and micro-blocks that leave the messages as they are.
func TestCompressedWholeGradients(t *testing.T) {
	task := func(int) *quadratic { return newQuadratic(lengths...) }
	for _, c := range []struct{ n, r, blocks, wide int }{{4, 3, 4, 4}, {4, 2, 6, 8}, {5, 2, 10, 16}} {
		o := codedsgd.Options{Method: codedsgd.Compressed, Redundancy: c.r}
		job := codedsgd.Job{Batch: 40, Rate: 0.3, Steps: 1, Options: o}
		whole, _ := train(t, virtual.New(network(c.n), virtual.Config{}), job, task)
		job.Options.MicroBlocks = 5 * c.blocks
		micro, _ := train(t, virtual.New(network(c.n), virtual.Config{}), job, task)
		a, b := compressedTotals(whole), compressedTotals(micro)
		if a.Packets != b.Packets || a.Bytes != b.Bytes || a.CodingBytes >= b.CodingBytes {
			t.Errorf("%+v: whole gradients %+v, micro-blocks %+v", c, a, b)
		}
		job.Options = codedsgd.Options{Method: codedsgd.SSGDMulticast, Redundancy: c.r, Range: float64(10 * c.wide)}
		plain, _ := train(t, virtual.New(network(c.n), virtual.Config{}), job, task)
		if whole[0].Digests[0] != plain[0].Digests[0] {
			t.Errorf("%+v: other parameters than SSGD's with range %d", c, 10*c.wide)
		}
	}
}

// TestCompressedKeepsToTheRange: gradients far out of range become its end, as in other methods, are counted once per
// holder, and their sums do not wrap; with micro-blocks the range is that of each of them.
func TestCompressedKeepsToTheRange(t *testing.T) {
	for _, pieces := range []int{6, 18, 60} {
		t.Run(fmt.Sprint(pieces), func(t *testing.T) { compressedKeepsToTheRange(t, pieces) })
	}
}

func compressedKeepsToTheRange(t *testing.T, pieces int) {
	const n, r = 4, 2
	push := func() *quadratic {
		q := newQuadratic(16)
		q.big = 0
		return q
	}
	job := codedsgd.Job{Batch: pieces, Rate: 1, Steps: 1, Options: codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, MicroBlocks: pieces, Range: 1e-3}}
	got, _ := train(t, virtual.New(network(n), virtual.Config{}), job, func(int) *quadratic { return push() })
	all := compressedTotals(got)
	if all.Saturated == 0 {
		t.Fatal("nothing was out of range")
	}
	// By hand: every block's gradient bounded by the range, summed exactly.
	q := push()
	before := append([]float32(nil), q.params...)
	total, beyond := make([]float64, 16), int64(0)
	for b := range pieces {
		g := make([]float32, 16)
		q.BlockGrad(0, b, b+1, g, func(int) {})
		for i, v := range g {
			if v > 1e-3 || v < -1e-3 {
				beyond += r
			}
			total[i] += float64(max(-1e-3, min(1e-3, v)))
		}
	}
	if all.Saturated != beyond {
		t.Errorf("%d saturated, want %d", all.Saturated, beyond)
	}
	results, _, err := cluster.Run(t.Context(), virtual.New(network(n), virtual.Config{}), func(p cluster.Proc) ([]float32, error) {
		q, job := push(), job
		job.Task = q
		_, err := codedsgd.Run(p, job)
		return q.params, err
	})
	must(t, err)
	for i, w := range results[0] {
		want := float64(before[i]) - total[i]/float64(pieces)
		if d := float64(w) - want; d > 1e-7 || d < -1e-7 {
			t.Errorf("parameter %d: %v, want %v", i, w, want)
		}
	}
}

// TestCompressedOnRealRuntimes: threads and TCP give virtual time's bits and counts.
func TestCompressedOnRealRuntimes(t *testing.T) {
	task := func(int) *quadratic { return newQuadratic(lengths...) }
	for _, c := range [][3]int{{4, 3, 3}, {5, 2, 1}} {
		n, r, depth := c[0], c[1], c[2]
		job := codedsgd.Job{Batch: 50, Rate: 0.3, Steps: 3, Options: codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, Depth: depth}}
		want, _ := train(t, virtual.New(network(n), virtual.Config{}), job, task)
		for name, rt := range map[string]cluster.Runtime{
			"local": local.New(network(n), local.Config{}),
			"tcp":   tcp.Loopback(n, tcp.Config{Timeout: time.Minute}),
		} {
			got, _ := train(t, rt, job, task)
			if fmt.Sprint(got[0].Digests) != fmt.Sprint(want[0].Digests) {
				t.Errorf("%s, %v: other parameters than in virtual time", name, c)
			}
			compressedVolume(t, fmt.Sprint(name, " ", c), compressedPlan(t, n, r, depth), job.Steps, compressedTotals(got))
		}
	}
}

// TestCompressedUnevenBlocks: blocks by speed, some of them empty, leave SSGD's bits.
func TestCompressedUnevenBlocks(t *testing.T) {
	task := func(int) *quadratic { return newQuadratic(lengths...) }
	job := codedsgd.Job{Batch: 23, Rate: 0.3, Steps: 2, Options: codedsgd.Options{Method: codedsgd.Compressed, Redundancy: 3, Speeds: []float64{1, 2, 9, 4, 3}}}
	got, _ := train(t, virtual.New(network(5), virtual.Config{}), job, task)
	job.Options.Method, job.Options.Range = codedsgd.SSGDMulticast, 160
	want, _ := train(t, virtual.New(network(5), virtual.Config{}), job, task)
	if fmt.Sprint(got[0].Digests) != fmt.Sprint(want[0].Digests) {
		t.Error("other parameters than SSGD's")
	}
}

// TestCompressedOverlaps: on a network as slow as the nodes, layers that go while the backward pass goes on end a step
// earlier; coding that is charged ends it later, for a timing-only run at the same instant.
func TestCompressedOverlaps(t *testing.T) {
	run := func(o codedsgd.Options, task bool) (time.Duration, codedsgd.Totals) {
		o.Method, o.Redundancy = codedsgd.Compressed, 3
		results, _, err := cluster.Run(t.Context(), virtual.New(network(4), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
			q := newQuadratic(3000, 3000, 3000, 3000)
			job := codedsgd.Job{Layers: q.layers, Batch: 4, Rate: 0.1, Steps: 1, Options: o}
			if task {
				job.Task = q
			}
			return codedsgd.Run(p, job)
		})
		must(t, err)
		return results[0].Ends[0], results[0].Totals
	}
	plain, _ := run(codedsgd.Options{}, false)
	late, _ := run(codedsgd.Options{NoOverlap: true}, false)
	charged, counts := run(codedsgd.Options{Charge: true, Rate: 1e9}, false)
	real, realCounts := run(codedsgd.Options{Charge: true, Rate: 1e9}, true)
	if !(plain < late && plain < charged) || real != charged || counts != realCounts || counts.CodingBytes == 0 {
		t.Errorf("a step takes %v, without overlap %v, with coding charged %v, of a real run %v; %+v, %+v", plain, late, charged, real, counts, realCounts)
	}
}
