package codedsgd

import (
	"context"
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// codingRate is at which C32 is judged, in bytes of int32 terms per second: what the
// trainings are charged.
const codingRate = train.CodingRate

// fastRate stands beside it: the order of what vector kernels reach on one core of
// today (gradsync bench coded).
const fastRate = 10e9

// codingLimit is C32's: coding takes at most this share of computing.
const codingLimit = 0.05

// codingCost is what one node codes and computes in an iteration.
type codingCost struct {
	Net     network
	R       int
	Whole   bool
	Bytes   float64
	Compute float64 // seconds
}

func (c codingCost) share() float64 { return c.Bytes / codingRate / c.Compute }

// needed is the rate at which coding takes just codingLimit.
func (c codingCost) needed() float64 { return c.Bytes / (codingLimit * c.Compute) }

// codingCosts are at the 8 nodes of Figures 12 and 13.
func codingCosts(ctx context.Context, env exp.Env) (out []codingCost, err error) {
	for _, net := range networks() {
		for _, whole := range []bool{false, true} {
			for _, r := range redundancies {
				it, err := timeSetting(ctx, env, setting{Net: net, Nodes: anchor, Ideal: true, Steps: 1, Exchange: exchange{Method: codedsgd.CSSGD, Redundancy: r, Whole: whole, NoOverlap: true}})
				if err != nil {
					return nil, err
				}
				out = append(out, codingCost{net, r, whole, it.Coding, it.Compute})
			}
		}
	}
	return out, nil
}

// judgeCoding is C32: the paper's message model, r = 2 and 3, both networks.
func judgeCoding(costs []codingCost) result.Claim {
	ok := true
	var found []string
	need := 0.0
	for _, c := range costs {
		if c.Whole {
			continue
		}
		ok, need = ok && c.share() <= codingLimit, max(need, c.needed())
		found = append(found, fmt.Sprintf("%s, r = %d: %.0f %% of computing", c.Net.Title, c.R, 100*c.share()))
	}
	return holds("C32", ok, 0, strings.Join(found, "; "), fmt.Sprintf("coding at %g GB/s of int32, assumed, and nodes of 5 GFLOP/s; %.0f %% would need %.0f GB/s", codingRate/1e9, 100*codingLimit, need/1e9))
}

func codingTable(costs []codingCost) result.Table {
	t := result.Table{ID: "coding", Title: "What coding takes beside computing", Kind: result.Counted,
		Caption: fmt.Sprintf("One node, one iteration, n = %d: bytes of int32 that are quantised, added, subtracted and summed, counted in a timing-only run; at %g GB/s, an assumption, and at %g GB/s, the order of what vector kernels reach on a core of today; computing by the network's operations at 5 GFLOP/s. Last column: the rate at which coding takes %.0f %% of computing.", anchor, codingRate/1e9, fastRate/1e9, 100*codingLimit),
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "model", Title: "messages"}, {Key: "r", Title: "r"}, {Key: "bytes", Title: "coded", Unit: "MB", Digits: 1},
			{Key: "coding", Title: "coding", Unit: "ms", Digits: 1}, {Key: "compute", Title: "computing", Unit: "ms", Digits: 1}, {Key: "share", Title: "share", Unit: "%", Digits: 1}, {Key: "fast", Title: fmt.Sprintf("share at %g GB/s", fastRate/1e9), Unit: "%", Digits: 1}, {Key: "needed", Title: "rate for 5 %", Unit: "GB/s", Digits: 1}}}
	for _, c := range costs {
		messages := "micro-blocks"
		if c.Whole {
			messages = "whole gradients"
		}
		t.Rows = append(t.Rows, []any{c.Net.Title, messages, c.R, c.Bytes / 1e6, 1e3 * c.Bytes / codingRate, 1e3 * c.Compute, 100 * c.share(), 100 * c.share() * codingRate / fastRate, c.needed() / 1e9})
	}
	return t
}
