package codedsgd

import (
	"fmt"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

func hostTable(p *cluster.Platform) result.Table {
	t := result.Table{ID: "nodes", Title: "Nodes", Kind: result.Stated, Caption: p.Note,
		Columns: []result.Column{{Key: "host", Title: "hosts"}, {Key: "count", Title: "number"}, {Key: "flops", Title: "effective speed", Unit: "GFLOP/s", Digits: 1},
			{Key: "jitter", Title: "jitter", Unit: "%", Digits: 1}, {Key: "link", Title: "link", Unit: "Gb/s", Digits: 1},
			{Key: "latency", Title: "latency of this end", Unit: "µs", Digits: 1}, {Key: "overhead", Title: "link time per message", Unit: "µs", Digits: 1}, {Key: "used", Title: "used by"}}}
	row := func(names []string, h cluster.Host, used string) {
		t.Rows = append(t.Rows, []any{span(names), len(names), h.FLOPS / 1e9, 100 * h.Jitter, h.Bandwidth * 8 / 1e9, 1e6 * h.Latency.Seconds(), 1e6 * h.Overhead.Seconds(), used})
	}
	for i := 0; i < len(p.Workers); {
		var names []string
		h := p.Workers[i]
		for i < len(p.Workers) && equal(h, p.Workers[i]) {
			names = append(names, p.Workers[i].Name)
			i++
		}
		row(names, h, "all methods; n nodes are the first n")
	}
	if p.Server != nil {
		row([]string{p.Server.Name}, *p.Server, "ASGD alone")
	}
	return t
}

// equal reports whether two hosts differ in nothing that the table shows.
func equal(a, b cluster.Host) bool {
	return a.FLOPS == b.FLOPS && a.Jitter == b.Jitter && a.Bandwidth == b.Bandwidth && a.Latency == b.Latency && a.Overhead == b.Overhead
}

// statedTable sets what the paper says of its set-up beside what stands here.
func statedTable(p *cluster.Platform) result.Table {
	t := result.Table{ID: "stated", Title: "What the paper states, and what it does not", Kind: result.Stated,
		Caption: "From the text of §3. Where it says nothing, the choice here was fixed before any run.",
		Columns: []result.Column{{Key: "item", Title: "item"}, {Key: "paper", Title: "the paper"}, {Key: "section", Title: "section"}, {Key: "here", Title: "here"}}}
	multicast := "no multicast: one copy per receiver"
	if p.Multicast {
		multicast = "the network copies: a multicast leaves its sender's link once and enters each receiver's"
	}
	nets := make([]string, 0, 2)
	per := make([]string, 0, 2)
	for _, w := range networks() {
		nets = append(nets, fmt.Sprintf("%s: network %q on %s", w.Title, w.Model, w.Trained))
		per = append(per, fmt.Sprintf("%s %d", w.Title, w.PerNode))
	}
	t.Rows = [][]any{
		{"nodes", "10 compute nodes", "§3.1", fmt.Sprintf("%d", len(p.Workers))},
		{"server", "ASGD uses one parameter server more", "§3.2", servers(p)},
		{"a node", "“see Table 1”, whose body is lost", "§3.1", fmt.Sprintf("%g GFLOP/s, assumed", p.Workers[0].FLOPS/1e9)},
		{"network between nodes", "nothing", "–", fmt.Sprintf("%g Gb/s full duplex, assumed", p.Workers[0].Bandwidth*8/1e9)},
		{"multicast", "used for packets and by SSGD Multicast; how is not said", "§2.2, §3.2.2", multicast},
		{"how times were taken", "“verified by cluster simulation”: multicast may never have been physical", "§3.1", "simulated too: virtual time, real gradients"},
		{"networks and data", "a DNN on MNIST, a CNN on CIFAR-10; their layers are not given", "§3.1, §3.2", strings.Join(nets, "; ")},
		{"task on n nodes", "two classes on 2 nodes, three on 3, and so on", "§3.1", "the first n classes"},
		{"batch", "every node gets the same amount of data whatever n; how much is not said", "§3.1", "samples per node and batch: " + strings.Join(per, ", ")},
		{"numbers sent", "int32, [−10, 10] onto [0x80000001, 0x7FFFFFFF], equal steps", "§3.1", "the same"},
		{"redundancies", "r = 2 and r = 3 drawn; all at 8 nodes", "§3.2.2, §3.2.4", "the same"},
		{"repetitions", "ASGD: mean of 10 runs", "§3.2.5", "Figs. 14 and 15 say how many in this profile"},
	}
	return t
}

func taskTable(all []nClass) result.Table {
	t := result.Table{ID: "tasks", Title: "Tasks by number of nodes", Kind: result.Counted,
		Caption: "Read off the configuration that every training uses, the network built for it and the images it keeps in this profile. |F_j| is the batch of all nodes together, Q the micro-blocks it is cut into for all methods compared: the least multiple of n, C(n,2) and C(n,3), where these are not 0.",
		Columns: []result.Column{{Key: "network", Title: "network"}, {Key: "nodes", Title: "nodes n"}, {Key: "classes", Title: "classes"}, {Key: "logits", Title: "network's outputs"},
			{Key: "train", Title: "training images"}, {Key: "test", Title: "test images"}, {Key: "batch", Title: "|F_j|"}, {Key: "micro", Title: "Q"}}}
	for _, x := range all {
		t.Rows = append(t.Rows, []any{x.Network.Title, x.Nodes, x.Labels, x.Logits, x.Train, x.Test, x.Batch, x.Micros})
	}
	return t
}

// assumptionTable prints why each value was chosen; hosts that share a reason share
// a row.
func assumptionTable(p *cluster.Platform) result.Table {
	t := result.Table{ID: "assumptions", Title: "Reasons", Kind: result.Stated,
		Caption: "What the paper does not say, what we chose, why, and how sure we are.",
		Columns: []result.Column{{Key: "who", Title: "hosts"}, {Key: "value", Title: "value"}, {Key: "chosen", Title: "chosen"},
			{Key: "why", Title: "why"}, {Key: "confidence", Title: "confidence"}}}
	at := map[cluster.Assumption]int{}
	hosts := map[cluster.Assumption][]string{}
	add := func(who string, list []cluster.Assumption) {
		for _, a := range list {
			if _, ok := at[a]; !ok {
				at[a] = len(t.Rows)
				t.Rows = append(t.Rows, []any{"", a.Field, a.Value, a.Why, a.Confidence})
			}
			hosts[a] = append(hosts[a], who)
			t.Rows[at[a]][0] = span(hosts[a])
		}
	}
	for _, h := range p.Workers {
		add(h.Name, h.Assumed)
	}
	if p.Server != nil {
		add(p.Server.Name, p.Server.Assumed)
	}
	add("cluster", p.Assumed)
	return t
}

// span spells a list of names: the first and the last of a long one.
func span(names []string) string {
	if len(names) < 4 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … %s", names[0], names[len(names)-1])
}

func table1Notes(p *cluster.Platform, all []nClass, rho []ratio) []string {
	notes := []string{"Table 1 of the paper, which describes its nodes, is lost, and no sentence names a processor or a network. All hardware here is our assumption, with reasons and how sure we are; every time on this page hangs on it. What is counted (packets, bytes, blocks) does not."}
	var in, out []string
	for _, r := range rho {
		s := fmt.Sprintf("%.1f for the %s (%.2f to %.2f)", r.value(), r.Network.Title, r.Low, r.High)
		if r.inside() {
			in = append(in, s)
		} else {
			out = append(out, s)
		}
	}
	switch {
	case len(out) == 0:
		notes = append(notes, fmt.Sprintf("Speed and link are calibrated: at %d nodes and in the paper's time model they give Tcomm/Tcalc = %s, inside the ranges in brackets in which the paper's best redundancies are best. So that the best redundancy comes out as the paper's in that model is put in, not found; whether it does in a run is found.", calibrated, strings.Join(in, " and ")))
	default:
		notes = append(notes, fmt.Sprintf("Speed and link give Tcomm/Tcalc = %s at %d nodes in the paper's time model, outside the range in brackets in which the paper's best redundancy is best.", strings.Join(out, " and "), calibrated))
	}
	faults := 0
	for _, t := range all {
		if t.fault() != "" {
			faults++
		}
	}
	if faults == 0 {
		notes = append(notes, fmt.Sprintf("A training on n nodes tells n classes apart, %d to %d, as the paper's do. More nodes therefore have a harder task on more data: times to one accuracy at different n compare methods with each other, not clusters.", fewest, most))
	} else {
		notes = append(notes, fmt.Sprintf("%d of %d trainings are not of as many classes as nodes.", faults, len(all)))
	}
	last := all[len(all)-1]
	return append(notes, fmt.Sprintf("Every node has the same number of samples at every n, so the batch grows with n, to %d samples at %d nodes for the CNN. That is the paper's weak scaling: a perfect method would take the same time per batch at every n.", last.Batch, last.Nodes),
		fmt.Sprintf("The network copies multicasts (%s), as the paper's load formulas assume. TCP cannot: there a multicast is one copy per receiver, and both counts are given wherever bytes are.", map[bool]string{true: "a switch that does so is assumed", false: "not on this platform"}[p.Multicast]))
}
