package ring

import (
	"fmt"
	"gradsync/experiments/exp"
	"strings"
)

func scalingNotes(points []point, wide []spread) []string {
	forty := at(points, blogGPUs)
	with, _ := exp.MeanAndHalf(milliseconds(forty.Overlap))
	plain, _ := exp.MeanAndHalf(milliseconds(forty.Plain))
	one, _ := exp.MeanAndHalf(milliseconds(at(points, 1).Overlap))
	_, where := inRange("B14", with)
	least, most := wide[0], wide[0]
	for _, s := range wide {
		if s.Plain-s.Overlap < least.Plain-least.Overlap {
			least = s
		}
		if s.Plain-s.Overlap > most.Plain-most.Overlap {
			most = s
		}
	}
	quiet := wide[0]
	var likely []string
	for _, s := range wide {
		a, _ := inRange("B14", 1e3*s.Overlap)
		b, _ := inRange("B16", 1e3*(s.Plain-s.Overlap))
		if a && b {
			likely = append(likely, fmt.Sprintf("%s (%.0f ms, %.0f saved)", s.Stack.Title, 1e3*s.Overlap, 1e3*(s.Plain-s.Overlap)))
		}
	}
	both := "No distribution of ours gives both of the blog's ranges, 650 to 700 ms and 70 to 120 ms saved."
	if len(likely) > 0 {
		both = "Both of the blog's ranges, 650 to 700 ms and 70 to 120 ms saved, come from: " + strings.Join(likely, "; ") + ". The blog calls what it ran a language model; that it had such a layer is a guess."
	}
	return []string{
		fmt.Sprintf("With the blog's links and its 370 ms of computation, 40 GPUs take %.0f ms per iteration with overlap (%s) and %.0f ms without; the all-reduce alone takes %.0f ms where the blog estimates 400.", with, where, plain, 1e3*forty.Exchange),
		fmt.Sprintf("Overlap saves %.0f ms here, the blog reports 70 to 120. What it can save is decided by which layers have their gradients first: from %.0f ms (%s) to %.0f ms (%s) with the same 300 million parameters.", plain-with, 1e3*(least.Plain-least.Overlap), least.Stack.Title, 1e3*(most.Plain-most.Overlap), most.Stack.Title),
		both,
		fmt.Sprintf("Jitter of 5 %% costs too: all wait for the slowest of 40. Without it the iteration with overlap takes %.0f ms instead of %.0f.", 1e3*quiet.Overlap, with),
		edgeNote(points),
		fmt.Sprintf("“Linear” is true of the slope and hides the height: 40 GPUs do the work of %.1f.", blogGPUs*one/with),
		"Taken from the blog: the 370 ms of one GPU and the number of parameters, to which our layers are made, both bandwidths, 5 nodes of 8. Ours: the layers, jitter, latency, and one network card for all GPUs of a node. The blog's 300 iterations are run in profile paper."}
}

// atEdge are the last point inside a node and the first outside, and their
// throughputs.
func atEdge(points []point) (inside, outside point, in, out float64) {
	for i, p := range points {
		if p.GPUs > blogPerNode {
			inside, outside = points[i-1], p
			in, _ = exp.MeanAndHalf(inside.throughput(inside.Overlap))
			out, _ = exp.MeanAndHalf(outside.throughput(outside.Overlap))
			return inside, outside, in, out
		}
	}
	panic("ring: no point beyond a node")
}

// edgeOf is the clause on it in B17's row.
func edgeOf(points []point) string {
	inside, outside, in, out := atEdge(points)
	if out < in {
		return fmt.Sprintf("at the edge of a node the throughput drops, from %.0f samples/s on %d GPUs to %.0f on %d", in, inside.GPUs, out, outside.GPUs)
	}
	return fmt.Sprintf("at the edge of a node the throughput still rises, from %.0f samples/s on %d GPUs to %.0f on %d", in, inside.GPUs, out, outside.GPUs)
}

// edgeNote says what the first step out of a node does to the throughput.
func edgeNote(points []point) string {
	inside, outside, in, out := atEdge(points)
	if out < in {
		return fmt.Sprintf("The line has a step: %d GPUs, on two nodes, do less than %d in one, %.0f against %.0f samples/s, because the ring then runs at 6 instead of 10 GB/s.", outside.GPUs, inside.GPUs, out, in)
	}
	return fmt.Sprintf("Leaving the node slows the ring from 10 to 6 GB/s; from %d GPUs in it to %d the throughput still rises, from %.0f to %.0f samples/s.", inside.GPUs, outside.GPUs, in, out)
}
