package codedsgd_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/race"
)

// When all gradients are there, the busiest link decides how long an exchange takes:
// no node is sent to by all at a time. A node receives D_left gradients, whatever r is,
// so on a switch coding saves nothing of what a multicast of whole gradients takes.
func TestSection22PacketsKeepTheLinksBusy(t *testing.T) {
	every(t, race.Less(8, 4), func(a *codedsgd.Assignment, n, r int) {
		for _, o := range []codedsgd.Options{{}, {Method: "ssgd-unicast"}, {Method: "ssgd-multicast"}} {
			o.Redundancy = r
			layers := newQuadratic(50400, 1680, 840).layers
			for i := range layers {
				layers[i].Forward, layers[i].Backward = cluster.Work{}, cluster.Work{}
			}
			logs, _, err := ran(t, network(n), virtual.Config{Headerless: true},
				codedsgd.Job{Layers: layers, Batch: 1600, Steps: 1, Options: o})
			must(t, err)
			end, bytes, largest := 0., 0., 50400*4.
			if o.Method == "" {
				largest /= float64(r)
			}
			for _, l := range logs {
				end = max(end, l.Ends[0].Seconds())
				bytes = max(bytes, float64(l.Totals.Bytes), float64(l.Totals.Received))
			}
			if r == n {
				largest = 0
			}
			update := 4. * 52920 / link.FLOPS
			if bound := bytes / link.Bandwidth; end > bound*1.001+largest/link.Bandwidth+update || end < bound {
				t.Errorf("n=%d r=%d %q: %g s, the busiest link takes %g", n, r, o.Method, end, bound)
			}
			if left := float64(4 * 52920 * choose(n-1, r)); o.Method != "ssgd-unicast" && r < n && float64(logs[n-1].Totals.Received) != left {
				t.Errorf("n=%d r=%d %q: the last node received %d bytes, want %g", n, r, o.Method, logs[n-1].Totals.Received, left)
			}
		}
	})
}

// "Multicast when the network is free": packets leave while the node still computes,
// those of the last layer first, and an exchange that waits for all gradients is later.
func TestSection22PacketsLeaveWhileTheNodeComputes(t *testing.T) {
	run := func(o codedsgd.Options) (end float64, early int, layers []cluster.Tag) {
		p := network(4)
		_, trace, err := ran(t, p, virtual.Config{Trace: true},
			codedsgd.Job{Layers: newQuadratic(6000, 3000, 3000).layers, Batch: 60, Steps: 1, Options: o})
		must(t, err)
		var computed float64 // node 0's last gradient: its last stage but the update
		for _, s := range trace.Spans {
			if s.Rank == 0 && s.Kind == cluster.SpanCompute && s.Name != "stage 0" {
				computed = max(computed, s.To.Seconds())
			}
			end = max(end, s.To.Seconds())
		}
		for _, s := range trace.Spans {
			if s.Rank == 0 && s.Kind == cluster.SpanSend {
				layers = append(layers, s.Tag)
				if s.From.Seconds() < computed {
					early++
				}
			}
		}
		return end, early, layers
	}
	end, early, layers := run(codedsgd.Options{Redundancy: 2})
	if late, none, _ := run(codedsgd.Options{Redundancy: 2, NoOverlap: true}); early == 0 || none != 0 || end >= late {
		t.Errorf("%d packets leave early, %g s; without overlap %d, %g s", early, end, none, late)
	}
	if got := fmt.Sprint(layers); got != "[2 1 0 2 2 1 1 0 0]" {
		t.Errorf("node 0 sends layers %s", got)
	}
}

// Nodes of very different speeds: packets come long before what they are decoded with.
func TestUnequalNodesDecodeExactly(t *testing.T) {
	for _, slow := range race.Less([]int{0, 2, 4}, []int{2}) {
		p := network(5)
		p.Workers[slow].FLOPS /= 50
		for _, o := range []codedsgd.Options{{Redundancy: 2}, {Redundancy: 3}, {Redundancy: 3, Literal: true}, {Redundancy: 2, Charge: true, Rate: 1e7}} {
			job := codedsgd.Job{Shapes: shapes, Batch: 60, Rate: 0.3, Steps: 2, Options: o}
			want, _ := train(t, virtual.New(network(5), virtual.Config{}), job, plain)
			got, _ := train(t, virtual.New(p, virtual.Config{}), job, plain)
			if fmt.Sprint(got[0].Digests) != fmt.Sprint(want[0].Digests) {
				t.Errorf("node %d slow, %+v: other bits", slow, o)
			}
		}
	}
}

// Coding that takes time takes none of the link's: while a packet is sent the next one
// is encoded, so from a node's first packet to its last the link is never idle.
func TestSection22PacketsAreEncodedWhileOthersAreSent(t *testing.T) {
	const n = 5
	_, trace, err := ran(t, network(n), virtual.Config{Trace: true},
		codedsgd.Job{Layers: newQuadratic(50400).layers, Batch: 1600, Steps: 1,
			Options: codedsgd.Options{Redundancy: 2, NoOverlap: true, Charge: true, Rate: 4e9}})
	must(t, err)
	for rank := range n {
		var sent []cluster.Span
		for _, s := range trace.Spans {
			if s.Rank == rank && s.Kind == cluster.SpanSend {
				sent = append(sent, s)
			}
		}
		slices.SortFunc(sent, func(x, y cluster.Span) int { return cmp.Compare(x.From, y.From) })
		if len(sent) != choose(n-1, 2) {
			t.Errorf("node %d sends %d packets, want %d", rank, len(sent), choose(n-1, 2))
		}
		for i := range sent[1:] {
			if idle := sent[i+1].From - sent[i].To; idle > 0 {
				t.Errorf("node %d: the link is idle for %v before packet %d", rank, idle, i+1)
			}
		}
	}
}
