package quantisation

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
)

// mappingGrid is how many numbers from −10 to 10 are mapped.
const mappingGrid = 200_001

// mapped holds the findings on §3.1's mapping.
type mapped struct {
	Top, Bottom, Zero int32
	Step              float64 // 10/Top
	Values            int
	Worst             float64 // error in half steps, exact, of all values
	WorstAt           float32
	Monotone          bool
	Clipped           int // of beyond, ±10.00001, ±11, ±1e30: all must be
	Refused           int // of strange, NaN and both infinities
}

// mapping checks both ends, zero, a grid, and as many random float32.
func mapping(seed uint64) mapped {
	out := mapped{Step: setup.Range / float64(codedsgd.Top), Monotone: true}
	q := make([]int32, 3)
	codedsgd.Quantise(q, []float32{setup.Range, -setup.Range, 0}, setup.Range)
	out.Top, out.Bottom, out.Zero = q[0], q[1], q[2]
	values := make([]float32, 0, 2*mappingGrid)
	for i := range mappingGrid {
		values = append(values, float32(-setup.Range+2*setup.Range*float64(i)/(mappingGrid-1)))
	}
	r := cluster.Stream(seed, -1, "codedsgd", "mapping")
	for range mappingGrid {
		values = append(values, float32(setup.Range*(2*r.Float64()-1)*math.Pow(2, -float64(r.IntN(40)))))
	}
	q = make([]int32, len(values))
	codedsgd.Quantise(q, values, setup.Range)
	for i, v := range values {
		if e := halfSteps(v, q[i]); e > out.Worst {
			out.Worst, out.WorstAt = e, v
		}
		if i > 0 && i < mappingGrid && q[i] < q[i-1] {
			out.Monotone = false
		}
	}
	out.Values = len(values)
	out.Clipped, _ = codedsgd.Quantise(q, []float32{10.00001, -10.00001, 11, -11, 1e30, -1e30}, setup.Range)
	nan := float32(math.NaN())
	_, out.Refused = codedsgd.Quantise(q, []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1))}, setup.Range)
	return out
}

// halfSteps returns |q·10/Top − v| in half steps. Near a whole half step the difference is
// taken exactly.
func halfSteps(v float32, q int32) float64 {
	x := float64(v) * codedsgd.Top / setup.Range
	e := 2 * math.Abs(float64(q)-x)
	if e < 0.999 {
		return e
	}
	exact := new(big.Rat).SetFloat64(float64(v))
	exact.Mul(exact, big.NewRat(codedsgd.Top, setup.Range))
	exact.Sub(exact, big.NewRat(int64(q), 1)).Abs(exact).Mul(exact, big.NewRat(2, 1))
	e, _ = exact.Float64()
	return e
}

// beyond and strange are how many numbers out of range, and no numbers, are tried.
const beyond, strange = 6, 3

// nearly is how far beyond half a step the float64 product of a quantisation may be.
const nearly = 1e-6

func (m *mapped) holds() bool {
	return m.Top == math.MaxInt32 && m.Bottom == -math.MaxInt32 && m.Zero == 0 && m.Monotone &&
		m.Worst <= 1+nearly && m.Clipped == beyond && m.Refused == strange
}

func judgeMapping(m mapped) result.Claim {
	f := claims.Identity(m.holds(), result.Because("C13-found", "range", setup.Range, "bottom", hexOf(m.Bottom), "top", hexOf(m.Top),
		"worst", m.Worst, "at", m.WorstAt))
	f.Notes = []result.Reason{result.Because("C13", "step", m.Step, "values", m.Values, "error", m.Worst*m.Step/2, "half", m.Step/2),
		result.Because("C13-zero", "zero", int(m.Zero))}
	return claims.Verdict("C13", f)
}

func hexOf(x int32) string { return fmt.Sprintf("0x%08X", uint32(x)) }

func mappingFacts(m mapped) []result.Fact {
	return kit.Facts("mapping.top", hexOf(m.Top), "mapping.bottom", hexOf(m.Bottom), "mapping.zero", m.Zero, "mapping.range", setup.Range,
		"mapping.step", m.Step, "mapping.values", m.Values, "mapping.error", m.Worst*m.Step/2, "mapping.worst/.6", m.Worst,
		"mapping.clipped", m.Clipped, "mapping.beyond", beyond, "mapping.refused", m.Refused, "mapping.strange", strange)
}

// decoded counts the errors of coding and decoding random packets.
type decoded struct {
	Packets    int
	Errors     int // wrapping int32, the paper's
	Wrapped    int // packets with a sum out of int32's range
	Saturating int // errors if sums stop at int32's ends
	Float32    int // errors if gradients stay float32
}

// decodeRandom codes packets of 4 terms (n = 5, r = 4, one group), uniform over all of
// int32's symmetric range, and decodes each at one of its receivers; the numbers are
// compared with the coded ones. A layer has 8 numbers, a segment 2.
func decodeRandom(seed uint64, packets int) (out decoded) {
	a, cut := kit.Must(codedsgd.Assign(5, 4)), kit.Must(codedsgd.NewCut(8, [2]int{4, 2}, 4, codedsgd.Rows))
	plan := a.Packets(a.Groups()[0])
	r := cluster.Stream(seed, -1, "codedsgd", "packets")
	all := make(setup.Blocks, a.Blocks())
	for i := range all {
		all[i] = make([]int32, 8)
	}
	for i := range packets {
		for _, g := range all {
			for k := range g {
				g[k] = int32(r.Int64N(2*codedsgd.Top+1) - codedsgd.Top)
			}
		}
		p := plan[i%len(plan)]
		to := p.To[i/len(plan)%len(p.To)]
		content := make([]int32, cut.Padded(p))
		if err := codedsgd.Encode(content, p, all.Of(a, p.From), 0, cut, 1); err != nil {
			panic(err)
		}
		term := kit.Must(codedsgd.Decode(content, p, all.Of(a, to), 0, cut, 1))
		want := make([]int32, 2)
		cut.Gather(want, all[term.Block], term.Position)
		out.add(content, want, p, all, term, cut)
	}
	return out
}

// add compares the decoded content, and counts the errors of two other arithmetics.
func (d *decoded) add(content, want []int32, p codedsgd.Packet, all setup.Blocks, unknown codedsgd.Term, cut codedsgd.Cut) {
	d.Packets++
	var wrong, wrapped, stopped, float bool
	part := make([]int32, len(want))
	for k, w := range want {
		var exact, saturated int64
		var f float32
		for _, t := range p.Terms {
			cut.Gather(part, all[t.Block], t.Position)
			exact += int64(part[k])
			saturated = clamp(saturated + int64(part[k]))
			f += float32(codedsgd.Dequantise(int64(part[k]), setup.Range))
		}
		wrapped = wrapped || exact != int64(int32(exact))
		for _, t := range p.Terms {
			if t != unknown {
				cut.Gather(part, all[t.Block], t.Position)
				saturated = clamp(saturated - int64(part[k]))
				f -= float32(codedsgd.Dequantise(int64(part[k]), setup.Range))
			}
		}
		wrong = wrong || content[k] != w
		stopped = stopped || saturated != int64(w)
		float = float || f != float32(codedsgd.Dequantise(int64(w), setup.Range))
	}
	d.Errors, d.Wrapped = d.Errors+setup.One(wrong), d.Wrapped+setup.One(wrapped)
	d.Saturating, d.Float32 = d.Saturating+setup.One(stopped), d.Float32+setup.One(float)
}

func clamp(x int64) int64 { return min(max(x, math.MinInt32), math.MaxInt32) }

// wrapFrame lists the final sum in 32 bits and in 64.
func wrapFrame() result.Frame {
	f := kit.NewSheet("wrap", "blocks sum/.1 narrow/.3 wide/.3")
	for blocks := 1; blocks <= 8; blocks++ {
		narrow, wide := wrappedSum(blocks)
		f.Add(blocks, 2*float64(blocks), narrow, wide)
	}
	return kit.As(result.Counted, f.Frame)
}

// decodeFrame holds the packets that each arithmetic decodes wrongly.
func decodeFrame(d decoded) result.Frame {
	f := kit.NewSheet("decode", "sum:sum errors share/%.1")
	for i, errors := range []int{d.Errors, d.Saturating, d.Float32} {
		f.Add([]string{"wrapping", "saturating", "float32"}[i], errors, 100*float64(errors)/float64(d.Packets))
	}
	return kit.As(result.Counted, f.Frame)
}

func decodeFacts(d decoded) []result.Fact {
	narrow, wide := wrappedSum(wrapAt)
	return kit.Facts("packets", d.Packets, "packets.wrapped", d.Wrapped, "wrap.blocks", wrapAt, "wrap.each/.1", 2.0, "wrap.narrow/.0", narrow,
		"wrap.wide/.0", wide)
}

// wrapAt is the number of blocks at which the sum first wraps.
const wrapAt = 6

// wrappedSum returns the sum of a number of blocks of 2.0 in int32 and in int64.
func wrappedSum(blocks int) (narrow, wide float64) {
	q, n, sum := make([]int32, 1), int32(0), make([]int64, 1)
	codedsgd.Quantise(q, []float32{2}, setup.Range)
	for range blocks {
		n += q[0]
		codedsgd.Accumulate(sum, q)
	}
	return codedsgd.Dequantise(int64(n), setup.Range), codedsgd.Dequantise(sum[0], setup.Range)
}

// codingRate is the rate at which C32 is judged and trainings are charged, in bytes of int32
// terms per second.
const codingRate = train.CodingRate

// copyRate is a memory's rate, assumed, for the comparison beside C32: encoding and decoding
// run at copyLeast to copyMost times the rate of a copy (gradsync bench coded, on one core,
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

// codedBy counts the coding of n nodes that exchange q micro-blocks at redundancy r, with
// gradients of the given bytes. A node quantises its share of the blocks, r of n; of the others each
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

func (p codingParts) all() float64 { return p.Quantised + p.Encoded + p.Decoded + p.Summed }

// codingCost is the coding and computing of one node in an iteration.
type codingCost struct {
	Net     setup.Network
	R       int
	Whole   bool
	Bytes   float64 // all parts, counted in the run
	Compute float64 // seconds
	Parts   codingParts
}

// code returns the time of encoding and decoding alone at a rate, a share of computing.
func (c codingCost) code(rate float64) float64 { return c.Parts.code() / rate / c.Compute }

func (c codingCost) share() float64 { return c.Bytes / codingRate / c.Compute }

// needed returns the rate at which coding takes just codingLimit.
func (c codingCost) needed() float64 { return c.Bytes / (codingLimit * c.Compute) }

// codingCosts runs an iteration on the 8 nodes of Figures 12 and 13 for every case.
func codingCosts(ctx context.Context, env exp.Env) (out []codingCost, err error) {
	for _, net := range setup.Networks() {
		layers, _ := timing.Layers(net, setup.Anchor)
		for _, whole := range []bool{false, true} {
			for _, r := range setup.Redundancies {
				q := setup.Q(setup.Anchor)
				if whole {
					q = combin.Binomial(setup.Anchor, r)
				}
				it, err := timing.Run(ctx, env, timing.Config{Net: net, Nodes: setup.Anchor, Ideal: true, Steps: 1,
					Exchange: timing.Exchange{Method: codedsgd.CSSGD, Redundancy: r, Whole: whole, NoOverlap: true}})
				if err != nil {
					return nil, err
				}
				out = append(out, codingCost{net, r, whole, it.Coding, it.Compute, codedBy(setup.Anchor, r, q, 4*float64(timing.Elements(layers)))})
			}
		}
	}
	return out, nil
}

// judgeCoding judges C32: the paper's message model, r = 2 and 3, both networks.
func judgeCoding(costs []codingCost) result.Claim {
	var f claims.Found
	ok := true
	var each []map[string]any
	need := 0.0
	for _, c := range micro(costs) {
		holds := c.share() <= codingLimit
		ok, need = ok && holds, max(need, c.needed())
		each = append(each, map[string]any{"model": c.Net.Model, "r": c.R, "share": 100 * c.share(), "code": 100 * c.code(codingRate)})
		f.Parts = append(f.Parts, result.Part{Of: map[string]string{"model": c.Net.Model, "method": timing.Coded(c.R).Key()}, Value: 100 * c.share(), Holds: &holds})
	}
	least, most := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	found := result.Because("C32-found", "cases", each)
	f.Finding, f.Words = claims.Whether(ok), &found
	f.Notes = []result.Reason{result.Because("C32", "rate", codingRate/1e9, "flops", gigaflops(), "limit", 100*codingLimit, "need", need/1e9),
		result.Because("C32-code", "cases", each),
		result.Because("C32-measured", "slow", copyLeast, "fast", copyMost, "copy", copyRate/1e9, "least", 100*least, "most", 100*most)}
	return claims.Verdict("C32", f)
}

func micro(costs []codingCost) []codingCost {
	return slices.DeleteFunc(slices.Clone(costs), func(c codingCost) bool { return c.Whole })
}

func gigaflops() float64 { return setup.Platform().Workers[0].FLOPS / 1e9 }

// codeRange returns the time of encoding and decoding alone over computing in the paper's
// message model: the least at the fast rate, the most at the slow one.
func codeRange(costs []codingCost, fast, slow float64) (least, most float64) {
	costs = micro(costs)
	return slices.Min(kit.Each(costs, func(c codingCost) float64 { return c.code(fast) })),
		slices.Max(kit.Each(costs, func(c codingCost) float64 { return c.code(slow) }))
}

// codingFrame lists, of one node and iteration, the bytes of int32 that are coded and the
// time that takes beside computing.
func codingFrame(costs []codingCost) result.Frame {
	f := kit.NewSheet("coding", "model:model messages:messages r quantised/MB.1 encoded/MB.1 decoded/MB.1 summed/MB.1 bytes/MB.1 compute/ms.1 "+
		"share/%.1 code/%.1 slow/%.1 fast/%.1 needed/GB/s.1")
	for _, c := range costs {
		p := c.Parts
		f.Add(c.Net.Model, timing.Variant{Whole: c.Whole}.Messages(), c.R, p.Quantised/1e6, p.Encoded/1e6, p.Decoded/1e6, p.Summed/1e6, c.Bytes/1e6,
			1e3*c.Compute, 100*c.share(), 100*c.code(codingRate), 100*c.code(copyLeast*copyRate), 100*c.code(copyMost*copyRate), c.needed()/1e9)
	}
	return kit.As(result.Counted, f.Frame)
}

// codingFacts returns the extremes over the paper's message model.
func codingFacts(costs []codingCost) []result.Fact {
	most, least, need, part := 0.0, 1e9, 0.0, 0.0
	for _, c := range micro(costs) {
		most, least, need = max(most, c.share()), min(least, c.share()), max(need, c.needed())
		part = max(part, c.Parts.code()/c.Parts.all())
	}
	codeLeast, codeMost := codeRange(costs, codingRate, codingRate)
	fastLeast, slowMost := codeRange(costs, copyMost*copyRate, copyLeast*copyRate)
	return kit.Facts("coding.nodes", setup.Anchor, "coding.rate/GB/s", codingRate/1e9, "copy.rate/GB/s", copyRate/1e9, "copy.least", copyLeast,
		"copy.most", copyMost, "flops/GFLOP/s", gigaflops(), "code.least/%.0", 100*codeLeast, "code.most/%.0", 100*codeMost,
		"copied.least/%.1", 100*fastLeast, "copied.most/%.1", 100*slowMost, "coding.least/%.0", 100*least, "coding.most/%.0", 100*most,
		"code.part/%.0", 100*part, "coding.limit/%.0", 100*codingLimit, "coding.need/GB/s.0", need/1e9)
}
