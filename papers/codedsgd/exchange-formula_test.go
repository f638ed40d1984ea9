package codedsgd_test

import (
	"fmt"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// traffic runs a job on n nodes and returns all ranks' totals and the trace.
func traffic(t *testing.T, n int, multicast bool, job func() codedsgd.Job) (codedsgd.Totals, *cluster.Trace) {
	t.Helper()
	network := network(n)
	network.Multicast = multicast
	logs, trace, err := cluster.Run(t.Context(), virtual.New(network, virtual.Config{Trace: true}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, job())
	})
	must(t, err)
	var sum codedsgd.Totals
	for _, l := range logs {
		sum.Merge(l.Totals)
	}
	return sum, trace
}

// With segments that divide, packets and bytes of a step are (28), (29) and (30) to the last byte, the trace's
// multicast bytes are the sent ones, and without multicast the delivered ones.
func TestSection24BytesAreTheLoads(t *testing.T) {
	const length, m = 60, 2 // every r ≤ 6 divides the length
	every(t, 6, func(a *codedsgd.Assignment, n, r int) {
		packets := choose(n, r+1) * (r + 1)
		unit := 4 * length * m // bytes of a block's gradient, all micro-blocks
		lacking := (n - r) * a.Blocks()
		for _, x := range []struct {
			o                         codedsgd.Options
			packets, bytes, delivered int
		}{
			{codedsgd.Options{}, packets, packets * unit / r, packets * unit},
			{codedsgd.Options{Method: "ssgd-unicast"}, lacking, lacking * unit, lacking * unit},
			{codedsgd.Options{Method: "ssgd-multicast"}, a.Blocks(), a.Blocks() * unit, lacking * unit},
		} {
			if r == n {
				x.packets, x.bytes, x.delivered = 0, 0, 0
			}
			for _, multicast := range []bool{true, false} {
				x.o.Redundancy, x.o.MicroBlocks = r, m*a.Blocks()
				got, trace := traffic(t, n, multicast, func() codedsgd.Job {
					return codedsgd.Job{Layers: newQuadratic(length).layers, Batch: 100, Steps: 1, Options: x.o}
				})
				if got.Packets != int64(x.packets) || got.Bytes != int64(x.bytes) || got.Delivered != int64(x.delivered) ||
					got.Received != got.Delivered || got.Useful != got.Received {
					t.Errorf("n=%d r=%d %q: %+v, want %d packets of %d bytes, %d delivered", n, r, x.o.Method, got, x.packets, x.bytes, x.delivered)
				}
				if want := map[bool]int64{true: got.Bytes, false: got.Delivered}[multicast]; trace.BodyBytes() != want {
					t.Errorf("n=%d r=%d %q multicast %v: the trace has %d bytes, want %d", n, r, x.o.Method, multicast, trace.BodyBytes(), want)
				}
			}
		}
	})
}

// Ragged segments: a packet is as long as the longer of its two kinds of segments, that
// of a sender's rank in the group and the one before, and nothing else is sent.
func TestSection24BytesOfRaggedLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	every(t, 6, func(a *codedsgd.Assignment, n, r int) {
		for _, split := range []string{"rows", "columns"} {
			want := 0
			for l, length := range lengths {
				at := func(k int) int { // numbers of segment k, cut by hand
					part := func(whole int) (size int) {
						for i := range whole {
							if i%r == k {
								size++
							}
						}
						return size
					}
					rows, columns := shapes[l][0], shapes[l][1]
					if split == "columns" {
						return rows*part(columns) + part(length-rows*columns)
					}
					return columns*part(rows) + part(length-rows*columns)
				}
				for place := range r + 1 { // of the sender in its group
					size := at(min(place, r-1))
					if place > 0 {
						size = max(size, at(place-1))
					}
					want += 4 * size * choose(n, r+1)
				}
			}
			if r == n {
				want = 0
			}
			o := codedsgd.Options{Redundancy: r, Split: split}
			got, _ := traffic(t, n, true, func() codedsgd.Job {
				return codedsgd.Job{Layers: newQuadratic(lengths...).layers, Shapes: shapes, Batch: 100, Steps: 3, Options: o}
			})
			if got.Bytes != int64(3*want) || got.Packets != int64(3*choose(n, r+1)*(r+1)*len(lengths)) {
				t.Errorf("n=%d r=%d %s: %d bytes in %d packets, want %d", n, r, split, got.Bytes, got.Packets, 3*want)
			}
		}
	})
}

// A timing-only run is the same events at the same instants, and counts the same.
func TestTimingOnlyIsTheSameTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	every(t, race.Less(5, 4), func(a *codedsgd.Assignment, n, r int) {
		for _, o := range []codedsgd.Options{{}, {NoOverlap: true}, {Method: "ssgd-unicast"}, {Method: "ssgd-multicast"},
			{Charge: true, Rate: 1e8}, {Literal: true, Charge: true, Rate: 1e8}} {
			o.Redundancy = r
			var traces [2]string
			for i := range traces {
				totals, trace := traffic(t, n, true, func() codedsgd.Job {
					q := newQuadratic(lengths...)
					job := codedsgd.Job{Layers: q.layers, Shapes: shapes, Batch: 23, Steps: 2, Options: o,
						Pass: cluster.Work{FLOP: 1e4}, Iteration: cluster.Work{FLOP: 1e6}}
					if i == 0 {
						job.Task = q
					}
					return job
				})
				traces[i] = fmt.Sprint(totals, *trace)
			}
			if traces[0] != traces[1] {
				t.Errorf("n=%d r=%d %+v: events differ", n, r, o)
			}
		}
	})
}
