package codedsgd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// exchangeName is a method on n nodes as the paper writes it.
func exchangeName(n int, x exchange) string {
	switch x.Method {
	case codedsgd.SSGDUnicast:
		return "SSGD Unicast"
	case codedsgd.SSGDMulticast:
		return "SSGD Multicast"
	}
	return "CSSGD " + redundancyName(n, x.Redundancy)
}

// seriesName is a method's in a legend, group what fixes its colour.
func seriesName(x exchange) (name, group string) {
	if x.Method == codedsgd.CSSGD {
		return fmt.Sprintf("CSSGD r = %d", x.Redundancy), fmt.Sprintf("cssgd-r%d", x.Redundancy)
	}
	return exchangeName(0, x), x.Method
}

// groundName is a ground in words.
func groundName(v variant) string {
	what := "micro-blocks"
	if v.Whole {
		what = "whole gradients"
	}
	if v.Shared {
		return what + ", one medium"
	}
	return what + ", switch"
}

// groundHow says what travels, and over what.
func groundHow(v variant) string {
	how := "The paper's message model: the batch is cut into Q(n) micro-blocks, the same for all methods, and the gradient of each travels by itself; only then do (19) and the loads of §2.4 hold."
	if v.Whole {
		how = "Whole gradients: a message is the summed gradient of a block; SSGD's nodes send one each, CSSGD has C(n,r) blocks."
	}
	if v.Shared {
		return how + " One medium, of all links' capacity together, carries one message at a time; a multicast costs it once, as the paper's time model has it (§3.2.4), and exchange follows computation."
	}
	return how + " A switch: a multicast takes its sender's link once and every receiver's; exchange overlaps with the backward pass."
}

// how says how a network was trained, for captions.
func (w *largest) how() string {
	p := w.plan
	s := fmt.Sprintf("%s on %s, n-class task on n nodes, |F_j| = %d·n, η = %g for all methods (each push of ASGD counts 1/n), ", p.Net.Title, w.ssgd[0].Data.Name, p.Net.PerNode, p.Rate)
	if p.Width > 0 {
		s += fmt.Sprintf("trained at %s of the width; all times and bytes are the full network's, by timing-only runs; ", fraction(p.Width))
	}
	if n := p.most(); p.blocks(n) != microBlocks(n, redundancies...) {
		s += fmt.Sprintf("on %d nodes the trained batch is cut into %d micro-blocks, not Q = %d, which changes rounding and clipping alone; ", n, p.blocks(n), microBlocks(n, redundancies...))
	}
	return s + fmt.Sprintf("%s; evaluated every %s on up to %d test images, ASGD after the same number of samples; between evaluations accuracy counts as linear", count(len(w.seeds), "seed"), updatesWords(p.Every), p.Images)
}

func updatesWords(n int64) string {
	if n == 1 {
		return "update"
	}
	return fmt.Sprintf("%d updates", n)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func fraction(width float64) string { return fmt.Sprintf("1/%g", 1/width) }

func words(nodes []int) string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ", ")
}

func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }

// shared says why one training stands for all synchronous methods.
const shared = "SSGD and CSSGD make the same updates to the last bit when the same micro-blocks travel: int32 sums are exact in any order, and what one clips all clip. So one training per seed and number of nodes stands for all of them, " +
	"and a method's time is the number of updates times its iteration."

// describe names in res what was trained on and by which engine.
func describe(res *result.Result, all ...largest) {
	for _, w := range all {
		if len(w.ssgd) == 0 {
			continue
		}
		res.Engine = w.ssgd[0].Engine
		d := w.ssgd[len(w.ssgd)-1].Data
		if d == nil {
			continue
		}
		if res.Data == nil {
			res.Data = d
		} else if res.Data.Name != d.Name {
			res.Datasets = []result.Data{*res.Data, *d}
		}
	}
}

// lowerOn says with which redundancy, and on how many nodes, CSSGD is below a rival.
func lowerOn(cs []crossing, v variant, rival exchange, of func(iteration) float64) string {
	var out []string
	for _, r := range redundancies {
		var nodes []int
		for _, on := range cs {
			if x, ok := on.Of[v.Key][coded(r)]; ok && of(x) < of(on.Of[v.Key][rival]) && !slices.Contains(nodes, on.Nodes) {
				nodes = append(nodes, on.Nodes)
			}
		}
		if slices.Sort(nodes); len(nodes) > 0 {
			out = append(out, fmt.Sprintf("r = %d on %s nodes", r, words(nodes)))
		}
	}
	if len(out) == 0 {
		return "no r on any number of nodes"
	}
	return strings.Join(out, " and ")
}

// saving puts 100·(1 − ours/base) into words.
func saving(x float64) string {
	if x < 0 {
		return fmt.Sprintf("takes %.1f %% more than", -x)
	}
	return fmt.Sprintf("saves %.1f %% of", x)
}

func secondsIn(it iteration) float64 { return it.Seconds }
func bytesIn(it iteration) float64   { return it.Bytes }
