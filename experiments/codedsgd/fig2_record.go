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
	"gradsync/shared/tensor/vec"
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

// own is what one node knows: the gradients that it computed, in fixed point, and no
// other.
type own struct {
	a     *codedsgd.Assignment
	node  int
	block map[int][]int32
}

func (o own) Has(block int) bool { return o.a.Holds(o.node, block) }

func (o own) Layer(block, _, _ int) ([]int32, error) {
	if !o.Has(block) {
		return nil, fmt.Errorf("codedsgd: node %d reads block %d, which it lacks", o.node, block)
	}
	return o.block[block], nil
}

// blocksInFixed computes all blocks' gradients once more, by the same task.
func blocksInFixed(a *codedsgd.Assignment, batch int) (map[int][]int32, error) {
	out, task := map[int][]int32{}, newTold()
	cuts, grads := a.Split(batch, a.Blocks(), nil), make([]float32, shownNumbers)
	for q := range a.Blocks() {
		if _, err := task.BlockGrad(0, cuts[q], cuts[q+1], grads, func(int) {}); err != nil {
			return nil, err
		}
		out[q] = make([]int32, shownNumbers)
		if saturated, bad := codedsgd.Quantise(out[q], grads, fixedRange); saturated+bad > 0 {
			return nil, fmt.Errorf("codedsgd: block %d: %d numbers beyond ±%g, %d are none", q, saturated, fixedRange, bad)
		}
	}
	return out, nil
}

// shownPacket is a packet on its way, and what its receivers made of it.
type shownPacket struct {
	codedsgd.Packet
	Begin, Left, End time.Duration // first byte sent, last byte sent, last receiver has it
	Bytes            int
	Wrapped          int // of its sums, those out of int32's range
	Decoded          []shownTerm
}

// shownTerm is what a receiver took away from a packet, and what remained.
type shownTerm struct {
	Node       int
	Term       codedsgd.Term
	Subtracted []codedsgd.Term
	Began, At  time.Duration // of its link, and it has it all
	Wrong      int           // numbers that are not the holder's
}

// follow reads the packets of a run off its messages, sets times of the trace beside
// them, and decodes each at each of its receivers.
func follow(x run, a *codedsgd.Assignment, batch int) ([]shownPacket, error) {
	blocks, err := blocksInFixed(a, batch)
	if err != nil {
		return nil, err
	}
	cut, err := codedsgd.NewCut(shownNumbers, [2]int{shownRows, shownColumns}, a.Redundancy(), codedsgd.Rows)
	if err != nil {
		return nil, err
	}
	var out []shownPacket
	taken := map[[2]int]int{} // messages from one node that another has seen
	for rank, r := range x.Ranks {
		sends := x.spansOf(rank, cluster.SpanSend)
		if len(sends) != len(r.Notes) {
			return nil, fmt.Errorf("codedsgd: node %d handed over %d messages and sent %d", rank, len(r.Notes), len(sends))
		}
		for i, note := range r.Notes {
			p, err := a.ReadHeader(note.Meta, rank)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(p.To, note.To) {
				return nil, fmt.Errorf("codedsgd: node %d's packet for nodes %v went to %v", rank, p.To, note.To)
			}
			s := shownPacket{Packet: p, Begin: sends[i].From, Left: sends[i].To, Bytes: len(note.Body)}
			s.Wrapped = wraps(p, blocks, cut)
			for _, to := range p.To {
				arrivals := slices.DeleteFunc(x.spansOf(to, cluster.SpanRecv), func(v cluster.Span) bool { return v.Peer != rank })
				at := taken[[2]int{rank, to}]
				if at >= len(arrivals) {
					return nil, fmt.Errorf("codedsgd: node %d has %d messages of node %d, want one more", to, at, rank)
				}
				taken[[2]int{rank, to}]++
				d, err := decodeAt(to, p, note.Body, a, blocks, cut)
				if err != nil {
					return nil, err
				}
				d.Began, d.At = arrivals[at].From, arrivals[at].To
				s.End = max(s.End, d.At)
				s.Decoded = append(s.Decoded, d)
			}
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b shownPacket) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(a.From, b.From))
	})
	return out, nil
}

// decodeAt runs Algorithm 4 on a packet's content with what a node knows, and compares
// what remains with the segment that its holder cut.
func decodeAt(node int, p codedsgd.Packet, body []byte, a *codedsgd.Assignment, blocks map[int][]int32, cut codedsgd.Cut) (shownTerm, error) {
	d := shownTerm{Node: node}
	content := make([]int32, len(body)/4)
	if err := vec.FromInt32(content, body); err != nil {
		return d, err
	}
	var err error
	if d.Term, err = codedsgd.Decode(content, p, own{a, node, blocks}, 0, cut, 1); err != nil {
		return d, err
	}
	for _, t := range p.Terms {
		if t != d.Term {
			d.Subtracted = append(d.Subtracted, t)
		}
	}
	want := make([]int32, cut.Len(d.Term.Position))
	cut.Gather(want, blocks[d.Term.Block], d.Term.Position)
	for i, v := range want {
		if content[i] != v {
			d.Wrong++
		}
	}
	return d, nil
}

// wraps counts the sums of a packet that int32 cannot hold.
func wraps(p codedsgd.Packet, blocks map[int][]int32, cut codedsgd.Cut) (n int) {
	sum := make([]int64, cut.Padded(p))
	for _, t := range p.Terms {
		part := make([]int32, cut.Len(t.Position))
		cut.Gather(part, blocks[t.Block], t.Position)
		codedsgd.Accumulate(sum, part)
	}
	for _, v := range sum {
		if v > math.MaxInt32 || v < math.MinInt32 {
			n++
		}
	}
	return n
}
