package codedsgd

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// codingRate is at which C32 is judged, in bytes of int32 terms per second: what the
// trainings are charged.
const codingRate = train.CodingRate

// copyRate is a memory's, assumed, for what stands beside it: encoding and decoding run
// at copyLeast to copyMost times the rate of a copy (gradsync bench coded, on one core,
// rounded; both count the bytes of int32 that are taken in).
const (
	copyRate  = 10e9
	copyLeast = 0.6
	copyMost  = 2
)

// codingLimit is C32's: coding takes at most this share of computing.
const codingLimit = 0.05

// codingParts are bytes of int32 of one node and iteration.
type codingParts struct {
	Quantised, Encoded, Decoded, Summed float64
}

// codedBy is what n nodes that exchange q micro-blocks at redundancy r do to gradients
// of so many bytes. A node quantises its share of the blocks, r of n; of the others each
// is encoded once in all packets that it sends, and at each packet's decoding r − 1 of
// its r segments are subtracted; in the end all are summed. At r = 1, which is SSGD
// quantised, there is no code, and the first and the last remain.
func codedBy(n, r, q int, bytes float64) codingParts {
	own := bytes * float64(q*r) / float64(n)
	lacked := bytes*float64(q) - own
	p := codingParts{Quantised: own, Encoded: lacked, Decoded: float64(r-1) * lacked, Summed: own + lacked}
	if r == 1 {
		p.Encoded = 0
	}
	return p
}

func (p codingParts) code() float64 { return p.Encoded + p.Decoded }
func (p codingParts) all() float64  { return p.Quantised + p.Encoded + p.Decoded + p.Summed }

// codingCost is what one node codes and computes in an iteration.
type codingCost struct {
	Net     network
	R       int
	Whole   bool
	Bytes   float64 // all parts, counted in the run
	Compute float64 // seconds
	Parts   codingParts
}

// code is what encoding and decoding alone take at a rate, a share of computing.
func (c codingCost) code(rate float64) float64 { return c.Parts.code() / rate / c.Compute }

func (c codingCost) share() float64 { return c.Bytes / codingRate / c.Compute }

// needed is the rate at which coding takes just codingLimit.
func (c codingCost) needed() float64 { return c.Bytes / (codingLimit * c.Compute) }

// codingCosts are at the 8 nodes of Figures 12 and 13.
func codingCosts(ctx context.Context, env exp.Env) (out []codingCost, err error) {
	for _, net := range networks() {
		layers, _, err := layersOf(net, anchor)
		if err != nil {
			return nil, err
		}
		for _, whole := range []bool{false, true} {
			for _, r := range redundancies {
				q := microBlocks(anchor, redundancies...)
				if whole {
					q = choose(anchor, r)
				}
				it, err := timeSetting(ctx, env, setting{Net: net, Nodes: anchor, Ideal: true, Steps: 1, Exchange: exchange{Method: codedsgd.CSSGD, Redundancy: r, Whole: whole, NoOverlap: true}})
				if err != nil {
					return nil, err
				}
				out = append(out, codingCost{net, r, whole, it.Coding, it.Compute, codedBy(anchor, r, q, 4*float64(elements(layers)))})
			}
		}
	}
	return out, nil
}

// judgeCoding is C32: the paper's message model, r = 2 and 3, both networks.
func judgeCoding(costs []codingCost) result.Claim {
	ok := true
	var found, code []string
	need := 0.0
	for _, c := range costs {
		if c.Whole {
			continue
		}
		ok, need = ok && c.share() <= codingLimit, max(need, c.needed())
		found = append(found, fmt.Sprintf("%s, r = %d: %.0f %% of computing", c.Net.Title, c.R, 100*c.share()))
		code = append(code, fmt.Sprintf("%.0f %%", 100*c.code(codingRate)))
	}
	least, most := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	return holds("C32", ok, 0, strings.Join(found, "; "), fmt.Sprintf("quantising, encoding, decoding and summing at %g GB/s of int32, assumed, and nodes of 5 GFLOP/s; %.0f %% would need %.0f GB/s. Of this encoding and decoding alone, of which §2.2 speaks, are %s; SSGD with the same int32 and no code sums as much and quantises 1/r as much. Measured they run at about %g to %g times the bandwidth of a copy (gradsync bench coded): on nodes that copy %g GB/s they would take %.1f to %.1f %%",
		codingRate/1e9, 100*codingLimit, need/1e9, strings.Join(code, ", "), copyLeast, float64(copyMost), copyRate/1e9, 100*least, 100*most))
}

// codeRange is what encoding and decoding alone take of computing in the paper's
// message model: the least at the fast rate, the most at the slow one.
func codeRange(costs []codingCost, fast, slow float64) (least, most float64) {
	least = math.Inf(1)
	for _, c := range costs {
		if !c.Whole {
			least, most = min(least, c.code(fast)), max(most, c.code(slow))
		}
	}
	return least, most
}

func codingTable(costs []codingCost) result.Table {
	t := result.Table{ID: "coding", Title: "What coding takes beside computing", Kind: result.Counted,
		Caption: fmt.Sprintf("One node, one iteration, n = %d: bytes of int32 that are quantised, encoded, decoded and summed, all counted in a timing-only run, its parts from the assignment (up to the padding of segments). SSGD without a code is r = 1: it quantises and sums. Shares of the time that a node computes, by the network's operations at 5 GFLOP/s; at %g GB/s, an assumption. Slow and fast: encoding and decoding alone at %g and %g times the bandwidth of a copy, about what gradsync bench coded measures on one core, on a machine that copies %g GB/s. Last column: the rate at which all parts take %.0f %% of computing.",
			anchor, codingRate/1e9, copyLeast, float64(copyMost), copyRate/1e9, 100*codingLimit),
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "model", Title: "messages"}, {Key: "r", Title: "r"}, {Key: "quantised", Title: "quantised", Unit: "MB", Digits: 1}, {Key: "encoded", Title: "encoded", Unit: "MB", Digits: 1},
			{Key: "decoded", Title: "decoded", Unit: "MB", Digits: 1}, {Key: "summed", Title: "summed", Unit: "MB", Digits: 1}, {Key: "bytes", Title: "all", Unit: "MB", Digits: 1}, {Key: "compute", Title: "computing", Unit: "ms", Digits: 1},
			{Key: "share", Title: "all", Unit: "%", Digits: 1}, {Key: "code", Title: "encoding and decoding", Unit: "%", Digits: 1}, {Key: "slow", Title: "these, slow", Unit: "%", Digits: 1}, {Key: "fast", Title: "these, fast", Unit: "%", Digits: 1}, {Key: "needed", Title: "rate for 5 %", Unit: "GB/s", Digits: 1}}}
	for _, c := range costs {
		messages := "micro-blocks"
		if c.Whole {
			messages = "whole gradients"
		}
		p := c.Parts
		t.Rows = append(t.Rows, []any{c.Net.Title, messages, c.R, p.Quantised / 1e6, p.Encoded / 1e6, p.Decoded / 1e6, p.Summed / 1e6, c.Bytes / 1e6, 1e3 * c.Compute,
			100 * c.share(), 100 * c.code(codingRate), 100 * c.code(copyLeast*copyRate), 100 * c.code(copyMost*copyRate), c.needed() / 1e9})
	}
	return t
}
