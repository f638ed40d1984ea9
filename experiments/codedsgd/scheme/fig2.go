package scheme

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/vec"
)

// shownExchange is one cluster's exchange with CSSGD, and the same blocks' gradients
// by the methods without a code.
type shownExchange struct {
	A       *codedsgd.Assignment
	Batch   int
	Run     recording
	Packets []shownPacket
	Plain   []methodRecording // unicast, multicast, coded
	Same    bool              // all ranks of all methods have the parameters of one node alone
}

// methodRecording is a recording with the method's name.
type methodRecording struct {
	Method string
	recording
}

// show runs everything for n nodes at redundancy r.
func show(ctx context.Context, n, r int) (shownExchange, error) {
	a := kit.Must(codedsgd.Assign(n, r))
	x := shownExchange{A: a, Batch: shownSamples * a.Blocks(), Same: true}
	alone, err := listen(ctx, 1, x.Batch, codedsgd.Options{MicroBlocks: x.A.Blocks()})
	if err != nil {
		return x, err
	}
	for _, method := range []string{codedsgd.SSGDUnicast, codedsgd.SSGDMulticast, codedsgd.CSSGD} {
		got, err := listen(ctx, n, x.Batch, codedsgd.Options{Method: method, Redundancy: r})
		if err != nil {
			return x, err
		}
		x.Same = x.Same && got.sameAs(alone.Ranks[0].Params)
		x.Plain = append(x.Plain, methodRecording{method, got})
		x.Run = got // the last is CSSGD's
	}
	x.Packets, err = follow(x.Run, x.A, x.Batch)
	return x, err
}

// fig2 shows the coding: every packet of one exchange, when it travels, its terms and what
// each receiver makes of them.
func fig2() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/fig2", Source: "CSSGD, Fig. 2", Kind: result.Counted, Profiles: exp.Profiles, Seedless: true,
		Seconds: setup.Seconds(0.8, 0.8),
		Config: func(string) map[string]any {
			return map[string]any{"pictures": pictures, "platform": kit.Platform(setup.Platform()), "jitter": 0,
				"layer": shownLayer, "shape": [2]int{shownRows, shownColumns}, "samples_per_block": shownSamples}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			b := exp.Bar{Env: env, Total: float64(len(pictures))}
			var all []shownExchange
			for _, at := range pictures {
				x, err := show(ctx, at[0], at[1])
				if err != nil {
					return err
				}
				all = append(all, x)
				b.Step(suffix(x.A))
			}
			showExchanges(r, all)
			return nil
		}}.Experiment()
}

// segmentName spells a segment by its block's holders, as the report's animation reads
// it: "G{0,2}[1]".
func segmentName(a *codedsgd.Assignment, t codedsgd.Term) string {
	return fmt.Sprintf("G%s[%d]", setName(a.Holders(t.Block)), t.Position)
}

// terms spells a packet's content: "G{0,1}[1]+G{1,2}[0]".
func terms(a *codedsgd.Assignment, list []codedsgd.Term) string {
	return strings.Join(kit.Map(list, func(t codedsgd.Term) string { return segmentName(a, t) }), "+")
}

// ms returns a time in milliseconds, as the frames have it, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// units returns bytes in gradient units.
func units(bytes int64) float64 { return float64(bytes) / (4 * shownNumbers) }

// packets lists the exchange packet by packet; the report's animation reads it. What each
// receiver does is spelled "1:G{0,2}[0];2:G{0,1}[0]".
func (x shownExchange) packets() result.Frame {
	s := kit.NewSheet("packets-"+suffix(x.A), "step from to begin/ms.3 end/ms.3 content decoded bytes subtracted wrong")
	for i, p := range x.Packets {
		var decoded, subtracted []string
		for _, d := range p.Decoded {
			decoded = append(decoded, fmt.Sprintf("%d:%s", d.Node, segmentName(x.A, d.Term)))
			subtracted = append(subtracted, fmt.Sprintf("%d:%s", d.Node, terms(x.A, d.Subtracted)))
		}
		s.Add(i+1, p.From, setup.Listed(p.To), ms(p.Begin), ms(p.End), terms(x.A, p.Terms), strings.Join(decoded, ";"), p.Bytes,
			strings.Join(subtracted, ";"), p.wrong())
	}
	return s.Frame
}

func (p shownPacket) wrong() (n int) {
	for _, d := range p.Decoded {
		n += d.Wrong
	}
	return n
}

// complete lists by which packet, from whom and when each node gets the segments that it
// lacks, and counts those that never came.
func (x shownExchange) complete() (f result.Frame, missing int) {
	columns := "node block holders"
	for k := range x.A.Redundancy() {
		columns += fmt.Sprintf(" segment%d sender%d", k, k)
	}
	s := kit.NewSheet("complete-"+suffix(x.A), columns+" complete/ms.3")
	for node := range x.A.Nodes() {
		for _, q := range without(x.A, node) {
			came, last := make([]any, 2*x.A.Redundancy()), 0.0 // packet and sender of each segment
			for i, p := range x.Packets {
				for _, d := range p.Decoded {
					if d.Node == node && d.Term.Block == q {
						came[2*d.Term.Position], came[2*d.Term.Position+1], last = i+1, p.From, max(last, ms(d.At))
					}
				}
			}
			for k := range x.A.Redundancy() {
				if came[2*k] == nil {
					missing, last = missing+1, math.NaN()
				}
			}
			s.Add(slices.Concat([]any{node, q, setName(x.A.Holders(q))}, came, []any{last})...)
		}
	}
	return s.Frame, missing
}

// busiest returns how long the busiest link out and the busiest link in are at work.
func (x shownExchange) busiest() (out, in time.Duration) {
	for node := range x.A.Nodes() {
		var o, i time.Duration
		for _, p := range x.Packets {
			if p.From == node {
				o += p.Left - p.Begin
			}
			for _, d := range p.Decoded {
				if d.Node == node {
					i += d.At - d.Began
				}
			}
		}
		out, in = max(out, o), max(in, i)
	}
	return out, in
}

// gain says whether the code sends less than a multicast and a unicast of the same
// blocks: "both", "none" if as much as the multicast, else "more".
func (x shownExchange) gain() string {
	return []string{"both", "none", "more"}[1+cmp.Compare(x.Plain[2].Totals.Bytes, x.Plain[1].Totals.Bytes)]
}

func (x shownExchange) addBands(s *kit.Sheet) {
	for node := range x.A.Nodes() {
		add := func(lane, state, label string, from, to time.Duration) {
			s.Add(suffix(x.A), fmt.Sprint(node)+lane, ms(from), ms(to), state, label)
		}
		for _, s := range x.Run.spansOf(node, cluster.SpanCompute) {
			if s.To > s.From {
				add("", "compute", "", s.From, s.To)
			}
		}
		for _, p := range x.Packets {
			if p.From == node {
				add("-out", "send", terms(x.A, p.Terms), p.Begin, p.Left)
			}
		}
		for _, p := range x.Packets {
			for _, d := range p.Decoded {
				if d.Node == node {
					add("-in", "receive", segmentName(x.A, d.Term), d.Began, d.At)
				}
			}
		}
	}
}

func showExchanges(r *result.Result, all []shownExchange) {
	reading := kit.NewSheet("reading", "from node content subtracted decoded")
	gains := kit.NewSheet("gains", "cluster n r blocks lackers sends gets coded multicast unicast gain:gain ratio received alike:bool "+
		"time/ms.1 time-multicast/ms.1 time-unicast/ms.1 out/ms.1 in/ms.1")
	methods := kit.NewSheet("methods", "n r method:method messages sent/gradient-units.2 delivered/gradient-units.2 busiest/gradient-units.2 time/ms.2")
	bands := kit.NewSheet("bands", "cluster lane:lane from/ms.3 to/ms.3 state:state label")
	wrong, compared, packets, wrapped, missing := 0, 0, 0, 0, 0
	for i, x := range all {
		a, n := x.A, len(x.Packets)
		complete, without := x.complete()
		r.Frames = append(r.Frames, x.packets(), complete)
		r.Figures = append(r.Figures, result.Figure{ID: "exchange-" + suffix(a), Form: "gantt", Frame: "bands",
			Where: map[string]any{"cluster": suffix(a)}, X: "from", Y: []string{"to"}, Lane: "lane", State: "state", Label: "label"})
		missing, packets = missing+without, packets+n
		for j, p := range x.Packets {
			wrong, wrapped, compared = wrong+p.wrong(), wrapped+p.Wrapped, compared+len(p.Decoded)*p.Bytes/4
			for _, d := range p.Decoded {
				if i == 0 && j == 0 { // one packet is read aloud
					reading.Add(p.From, d.Node, terms(a, p.Terms), terms(a, d.Subtracted), segmentName(a, d.Term))
				}
			}
		}
		unicast, multicast, coded := x.Plain[0], x.Plain[1], x.Plain[2]
		out, in := x.busiest()
		gains.Add(suffix(a), a.Nodes(), a.Redundancy(), len(a.Of(0)), a.Nodes()-a.Redundancy(), n/a.Nodes(), n*a.Redundancy()/a.Nodes(),
			units(coded.Totals.Bytes), units(multicast.Totals.Bytes), units(unicast.Totals.Bytes), x.gain(),
			units(coded.Totals.Bytes)/units(multicast.Totals.Bytes), units(coded.Totals.Delivered),
			coded.Totals.Delivered == multicast.Totals.Delivered && coded.Totals.Delivered == unicast.Totals.Delivered,
			ms(coded.end()), ms(multicast.end()), ms(unicast.end()), ms(out), ms(in))
		for _, p := range x.Plain {
			var most int64
			for _, s := range p.Sent {
				most = max(most, s.Bytes)
			}
			methods.Add(a.Nodes(), a.Redundancy(), p.Method, p.Totals.Packets, units(p.Totals.Bytes), units(p.Totals.Delivered), units(most), ms(p.end()))
		}
		x.addBands(bands)
	}
	same := kit.CountIf(all, func(x shownExchange) bool { return x.Same })
	r.Frames = append(r.Frames, reading.Frame, gains.Frame, methods.Frame, bands.Frame)
	r.Facts = kit.Facts("packets", packets, "compared/million.1", float64(compared)/1e6, "compared.numbers", compared, "wrong", wrong,
		"missing", missing, "right", wrong == 0 && missing == 0, "wrapped", wrapped, "wraps", wrapped > 0, "lossless", wrong == 0,
		"unlike", len(all)-same, "clusters", len(all), "bitwise", same == len(all), "receivers", len(reading.Rows),
		"numbers", shownNumbers, "megabytes/MB", 4e-6*shownNumbers, "range", 1.0*setup.Range)
}

// The exchange that is shown: one layer of 250 × 500 weights, 0.5 MB as int32, 4 ms
// on the platform's link; a block of 5 samples is 2 ms of computation.
const (
	shownRows, shownColumns = 250, 500
	shownNumbers            = shownRows * shownColumns
	shownSamples            = 5 // of each block
)

var shownLayer = cluster.Layer{Name: "layer", Length: shownNumbers,
	Forward: cluster.Work{FLOP: 2e6 / 3}, Backward: cluster.Work{FLOP: 4e6 / 3}}

// newTold makes a task whose gradients nobody could mistake: of sample s they are numbers
// of its own from −2 to 2, so that a block's sum stays in the range of ±10 and a
// packet's sum of two blocks does not always.
func newTold() *setup.Task {
	return setup.NewTask(shownLayer, func(grads []float32, _ int64, lo, hi int) {
		for s := lo; s < hi; s++ {
			for i := range grads {
				grads[i] += float32(int32(scatter(uint32(s*shownNumbers+i)))) / (1 << 30)
			}
		}
	})
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

// sentNote is a message as it was handed to the network.
type sentNote struct {
	To   []int
	Meta [4]int64
	Body []byte
}

// recording is one iteration of a method as a spy heard it.
type recording struct {
	Ranks  []rankRecording
	Spans  []cluster.Span
	Sent   []cluster.Traffic
	Totals codedsgd.Totals
}

// rankRecording holds the messages of a rank, its parameters and its end.
type rankRecording struct {
	Notes  []sentNote
	Params []float32
	End    time.Duration
	Totals codedsgd.Totals
}

// listen runs one iteration on the first n nodes of the reference without jitter.
func listen(ctx context.Context, n int, batch int, o codedsgd.Options) (recording, error) {
	rt := virtual.New(setup.Calm(setup.Platform()), virtual.Config{Workers: n, Trace: true})
	ranks, trace, err := cluster.Run(ctx, rt, func(p cluster.Proc) (rankRecording, error) {
		task, notes := newTold(), []sentNote(nil)
		l := &kit.Spy{Proc: p, Sent: func(to []int, m *cluster.Msg) {
			notes = append(notes, sentNote{To: to, Meta: m.Meta, Body: slices.Clone(m.Body)})
		}}
		job := codedsgd.Job{Task: task, Shapes: [][2]int{{shownRows, shownColumns}}, Batch: batch, Rate: 0.1, Steps: 1, Options: o}
		log, err := codedsgd.Run(l, job)
		if err != nil {
			return rankRecording{}, err
		}
		return rankRecording{notes, task.Params(), log.Ends[0], log.Totals}, nil
	})
	if err != nil {
		return recording{}, fmt.Errorf("codedsgd: %d nodes, %+v: %w", n, o, err)
	}
	x := recording{Ranks: ranks, Spans: trace.Spans, Sent: trace.Sent}
	for _, r := range ranks {
		x.Totals.Merge(r.Totals)
	}
	return x, nil
}

func (x recording) end() (last time.Duration) {
	for _, r := range x.Ranks {
		last = max(last, r.End)
	}
	return last
}

// sameAs reports whether all ranks have these parameters, bit for bit.
func (x recording) sameAs(params []float32) bool {
	return !slices.ContainsFunc(x.Ranks, func(r rankRecording) bool {
		return !slices.EqualFunc(r.Params, params, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) })
	})
}

// spansOf returns a rank's spans of a kind, in order of start.
func (x recording) spansOf(rank int, kind cluster.SpanKind) []cluster.Span {
	var out []cluster.Span
	for _, s := range x.Spans {
		if s.Rank == rank && s.Kind == kind {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b cluster.Span) int { return cmp.Compare(a.From, b.From) })
	return out
}

// blocksInFixed computes all blocks' gradients once more, by the same task.
func blocksInFixed(a *codedsgd.Assignment, batch int) (out setup.Blocks, err error) {
	task, cuts, grads := newTold(), a.Split(batch, a.Blocks(), nil), make([]float32, shownNumbers)
	for q := range a.Blocks() {
		if _, err := task.BlockGrad(0, cuts[q], cuts[q+1], grads, func(int) {}); err != nil {
			return nil, err
		}
		fixed := make([]int32, shownNumbers)
		if saturated, bad := codedsgd.Quantise(fixed, grads, setup.Range); saturated+bad > 0 {
			return nil, fmt.Errorf("codedsgd: block %d: %d numbers beyond ±%d, %d are none", q, saturated, setup.Range, bad)
		}
		out = append(out, fixed)
	}
	return out, nil
}

// shownPacket is a packet on its way, with its terms as its receivers decoded them.
type shownPacket struct {
	codedsgd.Packet
	Begin, Left, End time.Duration // first byte sent, last byte sent, last receiver has it
	Bytes            int
	Wrapped          int // sums out of int32's range
	Decoded          []shownTerm
}

// shownTerm is the term that remained at a receiver, and those that it subtracted.
type shownTerm struct {
	Node       int
	Term       codedsgd.Term
	Subtracted []codedsgd.Term
	Began, At  time.Duration // of its link, and it has it all
	Wrong      int           // numbers that are not the holder's
}

// follow reads the packets of a run off its messages, sets times of the trace beside
// them, and decodes each at each of its receivers.
func follow(x recording, a *codedsgd.Assignment, batch int) ([]shownPacket, error) {
	blocks, err := blocksInFixed(a, batch)
	if err != nil {
		return nil, err
	}
	cut := kit.Must(codedsgd.NewCut(shownNumbers, [2]int{shownRows, shownColumns}, a.Redundancy(), codedsgd.Rows))
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
func decodeAt(node int, p codedsgd.Packet, body []byte, a *codedsgd.Assignment, blocks setup.Blocks, cut codedsgd.Cut) (shownTerm, error) {
	d := shownTerm{Node: node}
	content := make([]int32, len(body)/4)
	if err := vec.FromInt32(content, body); err != nil {
		return d, err
	}
	var err error
	if d.Term, err = codedsgd.Decode(content, p, blocks.Of(a, node), 0, cut, 1); err != nil {
		return d, err
	}
	d.Subtracted = slices.DeleteFunc(slices.Clone(p.Terms), func(t codedsgd.Term) bool { return t == d.Term })
	want := make([]int32, cut.Len(d.Term.Position))
	cut.Gather(want, blocks[d.Term.Block], d.Term.Position)
	d.Wrong = unlike(want, content)
	return d, nil
}

// wraps counts the sums of a packet that int32 cannot hold.
func wraps(p codedsgd.Packet, blocks setup.Blocks, cut codedsgd.Cut) int {
	sum := make([]int64, cut.Padded(p))
	for _, t := range p.Terms {
		part := make([]int32, cut.Len(t.Position))
		cut.Gather(part, blocks[t.Block], t.Position)
		codedsgd.Accumulate(sum, part)
	}
	return kit.CountIf(sum, func(v int64) bool { return v != int64(int32(v)) })
}
