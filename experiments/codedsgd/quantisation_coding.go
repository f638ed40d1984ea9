package codedsgd

import (
	"context"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
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

// codedBy counts what n nodes that exchange q micro-blocks at redundancy r do to gradients
// of the given bytes. A node quantises its share of the blocks, r of n; of the others each
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
				it, err := timeSetting(ctx, env, setting{Net: net, Nodes: anchor, Ideal: true, Steps: 1,
					Exchange: exchange{Method: codedsgd.CSSGD, Redundancy: r, Whole: whole, NoOverlap: true}})
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
	var f claims.Found
	ok := true
	var each []map[string]any
	need := 0.0
	for _, c := range costs {
		if c.Whole {
			continue
		}
		holds := c.share() <= codingLimit
		ok, need = ok && holds, max(need, c.needed())
		each = append(each, map[string]any{"model": c.Net.Model, "r": c.R, "share": 100 * c.share(), "code": 100 * c.code(codingRate)})
		f.Parts = append(f.Parts, result.Part{Of: map[string]string{"model": c.Net.Model, "method": codedKey(c.R)}, Value: 100 * c.share(), Holds: &holds})
	}
	least, most := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	found := result.Because("C32-found", "cases", each)
	f.Holds, f.Words = &ok, &found
	f.Notes = []result.Reason{result.Because("C32", "rate", codingRate/1e9, "flops", gigaflops(), "limit", 100*codingLimit, "need", need/1e9),
		result.Because("C32-code", "cases", each),
		result.Because("C32-measured", "slow", copyLeast, "fast", copyMost, "copy", copyRate/1e9, "least", 100*least, "most", 100*most)}
	return claims.Verdict("C32", f)
}

// gigaflops returns the speed of a node.
func gigaflops() float64 { return referencePlatform().Workers[0].FLOPS / 1e9 }

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

// codingFrame holds, of one node and iteration, the bytes of int32 that are coded and the
// time that takes beside computing.
func codingFrame(costs []codingCost) result.Frame {
	f := kit.NewSheet("coding", "model:model messages:messages r quantised/MB.1 encoded/MB.1 decoded/MB.1 summed/MB.1 bytes/MB.1 compute/ms.1 "+
		"share/%.1 code/%.1 slow/%.1 fast/%.1 needed/GB/s.1")
	for _, c := range costs {
		p := c.Parts
		f.Add(c.Net.Model, messageOf(variant{Whole: c.Whole}), c.R, p.Quantised/1e6, p.Encoded/1e6, p.Decoded/1e6, p.Summed/1e6, c.Bytes/1e6,
			1e3*c.Compute, 100*c.share(), 100*c.code(codingRate), 100*c.code(copyLeast*copyRate), 100*c.code(copyMost*copyRate), c.needed()/1e9)
	}
	f.Kind = result.Counted
	return f.Frame
}

// codingFacts are the extremes over the paper's message model.
func codingFacts(costs []codingCost) []result.Fact {
	most, least, need, part := 0.0, 1e9, 0.0, 0.0
	for _, c := range costs {
		if !c.Whole {
			most, least, need = max(most, c.share()), min(least, c.share()), max(need, c.needed())
			part = max(part, c.Parts.code()/c.Parts.all())
		}
	}
	codeLeast, codeMost := codeRange(costs, codingRate, codingRate)
	fastLeast, slowMost := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	return kit.Facts("coding.nodes", anchor, "coding.rate/GB/s", codingRate/1e9, "copy.rate/GB/s", copyRate/1e9, "copy.least", copyLeast, "copy.most", copyMost,
		"flops/GFLOP/s", gigaflops(), "code.least/%.0", 100*codeLeast, "code.most/%.0", 100*codeMost, "copied.least/%.1", 100*fastLeast,
		"copied.most/%.1", 100*slowMost, "coding.least/%.0", 100*least, "coding.most/%.0", 100*most, "code.part/%.0", 100*part,
		"coding.limit/%.0", 100*codingLimit, "coding.need/GB/s.0", need/1e9)
}
