package collective_test

import (
	"math"
	"runtime/debug"
	"testing"
	"time"

	"gradsync/shared/cluster"
	"gradsync/shared/cluster/collective"
	"gradsync/shared/cluster/formula"
	"gradsync/shared/cluster/virtual"
)

// seconds returns the time of a timing-only exchange on n equal links, no headers.
func seconds(t *testing.T, n int, exchange func(cluster.Proc) error) float64 {
	t.Helper()
	rt := virtual.New(cluster.Uniform(n, link, nil), virtual.Config{Headerless: true})
	out, err := rt.Run(t.Context(), func(p cluster.Proc) ([]byte, error) { return nil, exchange(p) })
	must(t, err)
	return out.Elapsed.Seconds()
}

// The clock counts picoseconds and is read in nanoseconds.
func sameTime(t *testing.T, what string, n int, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 2e-9 {
		t.Errorf("%s, N=%d: %.9f s, closed form %.9f s", what, n, got, want)
	}
}

// Virtual time is the closed forms of formula, where chunks and pieces are equal.
func TestTimesAreTheClosedForms(t *testing.T) {
	const alpha, b, unit = 50e-6, 1.25e9, 1 << 20 // a piece of 1 Mi elements is 3.4 ms
	most := 17
	if testing.Short() {
		most = 5
	}
	for n := 1; n <= most; n++ {
		for _, pieces := range []int{1, 2, 3, 50} {
			// Of 1 Mi elements, so that the links are the limit, and of 3,125: 10 µs, so that α is until there are 6.
			for _, piece := range []int{unit, 3125} {
				length := n * pieces * piece
				got := seconds(t, n, func(p cluster.Proc) error {
					return collective.Ring{Segment: piece}.AllReduceTiming(p, 1, length)
				})
				sameTime(t, "pipelined ring", n, got, formula.RingPipelinedTime(n, 4*float64(length), pieces, alpha, b))
			}
		}
		got := seconds(t, n, func(p cluster.Proc) error { return collective.HalvingDoublingTiming(p, 1, unit) })
		sameTime(t, "halving-doubling", n, got, formula.HalvingDoublingTime(n, 4*unit, alpha, b))
		got = seconds(t, n, func(p cluster.Proc) error { return collective.NaiveGatherTiming(p, 1, n/2, unit) })
		sameTime(t, "gather", n, got, formula.NaiveGatherTime(n, 4*unit, alpha, b))
	}
}

// Where latency weighs as much as a chunk, pieces hide all but one of the 2(N−1).
func TestPiecesHideLatency(t *testing.T) {
	const n, length = 8, 8 * 15625 // a chunk is 50 µs, as is α
	whole := seconds(t, n, func(p cluster.Proc) error { return collective.RingAllReduceTiming(p, 1, length) })
	pieces := seconds(t, n, func(p cluster.Proc) error { return collective.Ring{Segment: 625}.AllReduceTiming(p, 1, length) })
	// 14·100 µs; 14·(50 + 2) + 48 µs: 25 pieces of 2 µs, one of which follows α.
	sameTime(t, "whole", n, whole, 1400e-6)
	sameTime(t, "pieces", n, pieces, 776e-6)
}

// still is a rank whose left neighbour always has the right number of bytes.
type still struct {
	cluster.Proc
	size int
}

func (s still) Rank() int                                          { return 0 }
func (s still) Size() int                                          { return s.size }
func (s still) WaitAny(time.Duration, ...cluster.Req) (int, error) { return 0, nil }
func (s still) Isend(int, cluster.Tag, *cluster.Msg) cluster.Req   { return nil }
func (s still) Irecv(_ int, _ cluster.Tag, m *cluster.Msg) cluster.Req {
	m.Body = m.Body[:cap(m.Body)]
	return nil
}

// Sixteen times the steps allocate no more: buffers are those of the first.
func TestStepsAllocateNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const chunk = 100
	count := func(n int) float64 {
		x := make([]float32, chunk*n)
		return testing.AllocsPerRun(10, func() {
			if err := (collective.Ring{Segment: 10}).AllReduce(still{size: n}, 1, x); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := count(3), count(48); few != many || many > 10 {
		t.Errorf("%g allocations with 3 ranks, %g with 48", few, many)
	}
}
