package codedsgd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

const shownHow = "A run of the code on the reference cluster without jitter, in virtual time: one layer of 125,000 numbers (0.5 MB as int32), gradients that are different in every block and number. Messages were read on their way, times are the trace's."

// segmentName spells a segment by its block's holders, as the report's animation reads
// it: "G{0,2}[1]". It is the only name on the page.
func segmentName(a *codedsgd.Assignment, t codedsgd.Term) string {
	return fmt.Sprintf("G%s[%d]", setName(a.Holders(t.Block)), t.Position)
}

// terms spells a packet's content: "G{0,1}[1] + G{1,2}[0]".
func terms(a *codedsgd.Assignment, list []codedsgd.Term) string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = segmentName(a, t)
	}
	return strings.Join(out, " + ")
}

// ms is a time as the tables have it: whole microseconds are what a reader can use.
func ms(d time.Duration) float64 { return float64(d.Round(time.Microsecond)) / 1e6 }

// packetTable is the exchange packet by packet; the report's animation reads it.
func packetTable(x shownExchange) result.Table {
	t := result.Table{ID: "packets-" + suffix(x.A), Title: "Every packet, " + clusterName(x.A), Kind: result.Counted,
		Caption: shownHow + fmt.Sprintf(" G{1,2}[0] is segment 0 of %d of the gradient of the block that nodes 1 and 2 hold. A packet begins with its first byte and ends when its last receiver has it. Every packet was decoded by Algorithm 4 at each receiver with what that node had computed, and compared with the holder's segment.", x.A.Redundancy()),
		Columns: []result.Column{{Key: "step", Title: "packet"}, {Key: "from", Title: "from node"}, {Key: "to", Title: "to nodes"}, {Key: "begin", Title: "begins", Unit: "ms", Digits: 3}, {Key: "end", Title: "ends", Unit: "ms", Digits: 3},
			{Key: "content", Title: "content"}, {Key: "decoded", Title: "decoded"}, {Key: "bytes", Title: "bytes"}, {Key: "subtracted", Title: "subtracted before"}, {Key: "wrong", Title: "numbers decoded wrong"}}}
	for i, p := range x.Packets {
		var decoded, subtracted []string
		wrong := 0
		for _, d := range p.Decoded {
			decoded = append(decoded, fmt.Sprintf("node %d: %s", d.Node, segmentName(x.A, d.Term)))
			subtracted = append(subtracted, fmt.Sprintf("node %d: %s", d.Node, terms(x.A, d.Subtracted)))
			wrong += d.Wrong
		}
		t.Rows = append(t.Rows, []any{i + 1, p.From, listed(p.To), ms(p.Begin), ms(p.End), terms(x.A, p.Terms), strings.Join(decoded, "; "), p.Bytes, strings.Join(subtracted, "; "), wrong})
	}
	return t
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

// completeTable says when each node has the segments of what it lacks.
func completeTable(x shownExchange) result.Table {
	t := result.Table{ID: "complete-" + suffix(x.A), Title: "When a node has what it lacks, " + clusterName(x.A), Kind: result.Counted,
		Caption: "From the same run: one segment from each holder, and the time of the last of them. An empty entry would be a segment that never came.",
		Columns: []result.Column{{Key: "node", Title: "node"}, {Key: "block", Title: "lacks block"}, {Key: "holders", Title: "held by"}}}
	for k := range x.A.Redundancy() {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("segment%d", k), Title: fmt.Sprintf("segment %d", k)})
	}
	t.Columns = append(t.Columns, result.Column{Key: "complete", Title: "complete at", Unit: "ms", Digits: 3})
	for node := range x.A.Nodes() {
		for _, q := range without(x.A, node) {
			row, last := []any{node, q, setName(x.A.Holders(q))}, any(0.0)
			for _, v := range x.arrivals(node, q) {
				if v == nil {
					row, last = append(row, nil), nil
					continue
				}
				row = append(row, fmt.Sprintf("packet %d, node %d", v.packet, v.from))
				if soFar, ok := last.(float64); ok {
					last = max(soFar, ms(v.at))
				}
			}
			t.Rows = append(t.Rows, append(row, last))
		}
	}
	return t
}

// exchangeFigure draws what every node and its link do.
func exchangeFigure(x shownExchange) result.Figure {
	f := result.Figure{ID: "exchange-" + suffix(x.A), Title: "One exchange, " + clusterName(x.A), Kind: result.Counted, Form: "gantt",
		X: result.Axis{Title: "virtual time", Unit: "ms"}, Y: result.Axis{Title: "node"},
		Caption: shownHow + " Packets go as soon as the last gradient in them is there, while the device goes on. Three lanes per node: its device, its link out and its link in. A packet is one band in its sender's lane and one in each receiver's; the label says what is in it."}
	for node := range x.A.Nodes() {
		lane := len(f.Lanes)
		f.Lanes = append(f.Lanes, fmt.Sprintf("node %d", node), fmt.Sprintf("node %d sends", node), fmt.Sprintf("node %d receives", node))
		for _, s := range x.Run.spansOf(node, cluster.SpanCompute) {
			if s.To > s.From {
				f.Bands = append(f.Bands, result.Band{Lane: lane, From: ms(s.From), To: ms(s.To), State: "compute", Label: "gradients of its blocks, and the update"})
			}
		}
		for i, p := range x.Packets {
			if p.From == node {
				f.Bands = append(f.Bands, result.Band{Lane: lane + 1, From: ms(p.Begin), To: ms(p.Left), State: "send", Label: fmt.Sprintf("packet %d: %s to nodes %s", i+1, terms(x.A, p.Terms), listed(p.To))})
			}
			for _, d := range p.Decoded {
				if d.Node == node {
					f.Bands = append(f.Bands, result.Band{Lane: lane + 2, From: ms(d.Began), To: ms(d.At), State: "receive", Label: fmt.Sprintf("packet %d of node %d: minus %s gives %s", i+1, p.From, terms(x.A, d.Subtracted), segmentName(x.A, d.Term))})
				}
			}
		}
	}
	slices.SortStableFunc(f.Bands, func(a, b result.Band) int { return a.Lane - b.Lane })
	out, in := x.busiest()
	f.Alt = fmt.Sprintf("Each of %d nodes computes %d blocks, sends %s to %d nodes each and receives %s; all have updated their parameters after %.1f ms. The busiest link out is at work for %.1f ms, the busiest link in for %.1f ms.",
		x.A.Nodes(), len(x.A.Of(0)), packets(len(x.Packets)/x.A.Nodes()), x.A.Redundancy(), packets(len(x.Packets)*x.A.Redundancy()/x.A.Nodes()), ms(x.Run.end()), ms(out), ms(in))
	return f
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

func packets(n int) string {
	if n == 1 {
		return "1 packet"
	}
	return fmt.Sprintf("%d packets", n)
}

var methodNames = map[string]string{codedsgd.CSSGD: "CSSGD: coded, multicast", codedsgd.SSGDMulticast: "each block's gradient, multicast", codedsgd.SSGDUnicast: "each block's gradient, unicast"}

func methodTable(all []shownExchange) result.Table {
	t := result.Table{ID: "methods", Title: "The same blocks without a code", Kind: result.Counted,
		Caption: "The same gradients of the same blocks exchanged by CSSGD and without a code, each block's by its first holder to all that lack it. Gradient units are bytes over one gradient's 0.5 MB: a multicast counted once, and once per receiver. The time is the iteration's, computation included.",
		Columns: []result.Column{{Key: "cluster", Title: "cluster"}, {Key: "method", Title: "method"}, {Key: "messages", Title: "messages"}, {Key: "sent", Title: "sent, a multicast once", Unit: "gradient units", Digits: 2},
			{Key: "delivered", Title: "received", Unit: "gradient units", Digits: 2}, {Key: "busiest", Title: "sent by the busiest node", Unit: "gradient units", Digits: 2}, {Key: "time", Title: "iteration", Unit: "ms", Digits: 2}}}
	for _, x := range all {
		for _, p := range x.Plain {
			var most int64
			for _, s := range p.Sent {
				most = max(most, s.Bytes)
			}
			t.Rows = append(t.Rows, []any{clusterName(x.A), methodNames[p.Method], int(p.Totals.Packets), units(p.Totals.Bytes), units(p.Totals.Delivered), units(most), ms(p.end())})
		}
	}
	return t
}

func units(bytes int64) float64 { return float64(bytes) / (4 * shownNumbers) }
