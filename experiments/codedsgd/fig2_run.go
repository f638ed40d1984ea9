package codedsgd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The exchange that is shown: one layer of 250 × 500 weights, 0.5 MB as int32, 4 ms
// on the platform's link; a block of 5 samples is 2 ms of computation.
const (
	shownRows, shownColumns = 250, 500
	shownNumbers            = shownRows * shownColumns
	shownSamples            = 5 // of each block
)

var shownLayer = cluster.Layer{Name: "layer", Length: shownNumbers,
	Forward: cluster.Work{FLOP: 2e6 / 3}, Backward: cluster.Work{FLOP: 4e6 / 3}}

// told is a task whose gradients nobody could mistake: those of sample s are numbers
// of its own from −2 to 2, so that a block's sum stays in the range of ±10 and a
// packet's sum of two blocks does not always.
type told struct{ params []float32 }

func newTold() *told { return &told{make([]float32, shownNumbers)} }

func (t *told) Layers() []cluster.Layer { return []cluster.Layer{shownLayer} }
func (t *told) Params() []float32       { return t.params }

func (t *told) BlockGrad(_ int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	clear(grads)
	for s := lo; s < hi; s++ {
		for i := range grads {
			grads[i] += float32(int32(scatter(uint32(s*shownNumbers+i)))) / (1 << 30)
		}
	}
	done(0)
	return 0, nil
}

// scatter maps numbers one to one onto numbers that look random: the finaliser of
// MurmurHash3.
func scatter(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// listener is a Proc that notes what its rank sends.
type listener struct {
	cluster.Proc
	notes []sentNote
}

// sentNote is a message as it was handed to the network.
type sentNote struct {
	To   []int
	Meta [4]int64
	Body []byte
}

func (l *listener) note(to []int, m *cluster.Msg) {
	l.notes = append(l.notes, sentNote{To: to, Meta: m.Meta, Body: slices.Clone(m.Body)})
}

func (l *listener) Ibcast(group []int, root int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	if root == l.Rank() {
		l.note(slices.DeleteFunc(slices.Clone(group), func(v int) bool { return v == root }), m)
	}
	return l.Proc.Ibcast(group, root, tag, m)
}

func (l *listener) Isend(to int, tag cluster.Tag, m *cluster.Msg) cluster.Req {
	l.note([]int{to}, m)
	return l.Proc.Isend(to, tag, m)
}

// run is one iteration of a method, listened to.
type run struct {
	Ranks  []rankRun
	Spans  []cluster.Span
	Sent   []cluster.Traffic
	Totals codedsgd.Totals
}

// rankRun is what a rank leaves: what it sent, its parameters and its end.
type rankRun struct {
	Notes  []sentNote
	Params []float32
	End    time.Duration
	Totals codedsgd.Totals
}

// listen runs one iteration on the first n nodes of the reference without jitter.
func listen(ctx context.Context, n int, batch int, o codedsgd.Options) (run, error) {
	rt := virtual.New(calm(referencePlatform()), virtual.Config{Workers: n, Trace: true})
	ranks, trace, err := cluster.Run(ctx, rt, func(p cluster.Proc) (rankRun, error) {
		task, l := newTold(), &listener{Proc: p}
		job := codedsgd.Job{Task: task, Shapes: [][2]int{{shownRows, shownColumns}}, Batch: batch, Rate: 0.1, Steps: 1, Options: o}
		log, err := codedsgd.Run(l, job)
		if err != nil {
			return rankRun{}, err
		}
		return rankRun{l.notes, task.params, log.Ends[0], log.Totals}, nil
	})
	if err != nil {
		return run{}, fmt.Errorf("codedsgd: %d nodes, %+v: %w", n, o, err)
	}
	x := run{Ranks: ranks, Spans: trace.Spans, Sent: trace.Sent}
	for _, r := range ranks {
		x.Totals.Merge(r.Totals)
	}
	return x, nil
}

// end is when the last rank had updated its parameters.
func (x run) end() (last time.Duration) {
	for _, r := range x.Ranks {
		last = max(last, r.End)
	}
	return last
}

// sameAs reports whether all ranks have these parameters, bit for bit.
func (x run) sameAs(params []float32) bool {
	return !slices.ContainsFunc(x.Ranks, func(r rankRun) bool {
		return !slices.EqualFunc(r.Params, params, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
	})
}

// spansOf are a rank's spans of a kind, in order of start.
func (x run) spansOf(rank int, kind cluster.SpanKind) []cluster.Span {
	var out []cluster.Span
	for _, s := range x.Spans {
		if s.Rank == rank && s.Kind == kind {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b cluster.Span) int { return cmp.Compare(a.From, b.From) })
	return out
}
