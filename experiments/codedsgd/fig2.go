package codedsgd

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// shownExchange is one cluster's exchange with CSSGD, and the same blocks' gradients
// by the methods without a code.
type shownExchange struct {
	A       *codedsgd.Assignment
	Batch   int
	Run     run
	Packets []shownPacket
	Plain   []plainRun // unicast, multicast, coded
	Same    bool       // all ranks of all methods have the parameters of one node alone
}

// plainRun is one method.
type plainRun struct {
	Method string
	run
}

// show runs everything for n nodes at redundancy r.
func show(ctx context.Context, n, r int) (shownExchange, error) {
	x := shownExchange{}
	var err error
	if x.A, err = codedsgd.Assign(n, r); err != nil {
		return x, err
	}
	x.Batch = shownSamples * x.A.Blocks()
	alone, err := listen(ctx, 1, x.Batch, codedsgd.Options{MicroBlocks: x.A.Blocks()})
	if err != nil {
		return x, err
	}
	x.Same = true
	for _, method := range []string{codedsgd.SSGDUnicast, codedsgd.SSGDMulticast, codedsgd.CSSGD} {
		got, err := listen(ctx, n, x.Batch, codedsgd.Options{Method: method, Redundancy: r})
		if err != nil {
			return x, err
		}
		x.Same = x.Same && got.sameAs(alone.Ranks[0].Params)
		x.Plain = append(x.Plain, plainRun{method, got})
		x.Run = got // the last is CSSGD's
	}
	x.Packets, err = follow(x.Run, x.A, x.Batch)
	return x, err
}

// fig2 is the coding: every packet of one exchange, when it travels, what is in it and
// what each receiver makes of it.
func fig2() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/fig2", Source: "CSSGD, Fig. 2", Kind: result.Counted, Profiles: exp.Profiles, Seedless: true,
		Seconds: takes(0.8, 0.8),
		Config: func(string) map[string]any {
			return map[string]any{"pictures": pictures, "platform": kit.Platform(referencePlatform()), "jitter": 0,
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
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = segmentName(a, t)
	}
	return strings.Join(out, "+")
}

// ms is a time as the frames have it: whole microseconds are what a reader can use.
func ms(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// units are bytes over one gradient's.
func units(bytes int64) float64 { return float64(bytes) / (4 * shownNumbers) }

// packets is the exchange packet by packet; the report's animation reads it. What each
// receiver does is spelled "1:G{0,2}[0];2:G{0,1}[0]".
func (x shownExchange) packets() result.Frame {
	s := kit.NewSheet("packets-"+suffix(x.A), "step from to begin/ms.3 end/ms.3 content decoded bytes subtracted wrong")
	for i, p := range x.Packets {
		var decoded, subtracted []string
		for _, d := range p.Decoded {
			decoded = append(decoded, fmt.Sprintf("%d:%s", d.Node, segmentName(x.A, d.Term)))
			subtracted = append(subtracted, fmt.Sprintf("%d:%s", d.Node, terms(x.A, d.Subtracted)))
		}
		s.Add(i+1, p.From, listed(p.To), ms(p.Begin), ms(p.End), terms(x.A, p.Terms), strings.Join(decoded, ";"), p.Bytes, strings.Join(subtracted, ";"), p.wrong())
	}
	return s.Frame
}

// wrong counts decoded numbers that are not the holder's, at all receivers.
func (p shownPacket) wrong() (n int) {
	for _, d := range p.Decoded {
		n += d.Wrong
	}
	return n
}

// arrival is a segment that a node got: when, in which packet, from whom.
type arrival struct {
	at           time.Duration
	packet, from int
}

// arrivals are the segments that a node gets of a block, by position; nil where it
// gets none.
func (x shownExchange) arrivals(node, block int) []*arrival {
	out := make([]*arrival, x.A.Redundancy())
	for i, p := range x.Packets {
		for _, d := range p.Decoded {
			if d.Node == node && d.Term.Block == block {
				out[d.Term.Position] = &arrival{d.At, i + 1, p.From}
			}
		}
	}
	return out
}

// complete says in which packet, from whom and when each node has the segments of what it
// lacks, and how many never came.
func (x shownExchange) complete() (f result.Frame, missing int) {
	columns := "node block holders"
	for k := range x.A.Redundancy() {
		columns += fmt.Sprintf(" segment%d sender%d", k, k)
	}
	s := kit.NewSheet("complete-"+suffix(x.A), columns+" complete/ms.3")
	for node := range x.A.Nodes() {
		for _, q := range without(x.A, node) {
			row, last := []any{node, q, setName(x.A.Holders(q))}, 0.0
			for _, v := range x.arrivals(node, q) {
				if v == nil {
					row, last = append(row, nil, nil), math.NaN()
					missing++
					continue
				}
				row, last = append(row, v.packet, v.from), max(last, ms(v.at))
			}
			s.Add(append(row, last)...)
		}
	}
	return s.Frame, missing
}

// busiest is how long the link out and the link in are at work that are so longest.
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
	switch coded, multicast := x.Plain[2].Totals.Bytes, x.Plain[1].Totals.Bytes; {
	case coded < multicast:
		return "both"
	case coded == multicast:
		return "none"
	}
	return "more"
}

// addBands adds what every node and its links do, a lane each.
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

// showExchanges fills in all that was seen.
func showExchanges(r *result.Result, all []shownExchange) {
	reading := kit.NewSheet("reading", "from node content subtracted decoded")
	gains := kit.NewSheet("gains", "cluster n r blocks lackers sends gets coded multicast unicast gain:gain ratio received alike:bool "+
		"time/ms.1 time-multicast/ms.1 time-unicast/ms.1 out/ms.1 in/ms.1")
	methods := kit.NewSheet("methods", "n r method:method messages sent/gradient-units.2 delivered/gradient-units.2 busiest/gradient-units.2 time/ms.2")
	bands := kit.NewSheet("bands", "cluster lane:lane from/ms.3 to/ms.3 state:state label")
	wrong, compared, packets, wrapped, same, missing := 0, 0, 0, 0, 0, 0
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
		if x.Same {
			same++
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
	r.Frames = append(r.Frames, reading.Frame, gains.Frame, methods.Frame, bands.Frame)
	r.Facts = kit.Facts("packets", packets, "compared/million.1", float64(compared)/1e6, "compared.numbers", compared, "wrong", wrong, "missing", missing,
		"right", wrong == 0 && missing == 0, "wrapped", wrapped, "wraps", wrapped > 0, "lossless", wrong == 0,
		"unlike", len(all)-same, "clusters", len(all), "bitwise", same == len(all), "receivers", len(reading.Rows),
		"numbers", shownNumbers, "megabytes/MB", 4e-6*shownNumbers, "range", fixedRange)
}
