package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The largest numbers of nodes at which exchanges are run with real numbers, at every
// redundancy: of all methods (at most 33264 deliveries of a layer, n = 12, r = 6), and of
// sums, then code, at every depth. The plans of these are counted up to sumNodes.
const exchangeNodes, compressedNodes, sumNodes = 12, 8, 9

const exchangeEquation = "packets and bytes of real exchanges, once and per receiver = (28), (29), (30), SSGD's; " +
	"their decoded sums = one node's alone, bit for bit: n ≤ 12, all r, all with real numbers, none timing-only, none left out"
const compressedEquation = "bytes of real exchanges of sums, then code, at every depth = its closed form, n ≤ 8, all r, with real numbers"

// exchangeLayers returns two layers, or one from 9 nodes on. Their lengths are multiples
// of n·t·r (n slices of t segments of r parts), so that no packet is padded.
func exchangeLayers(n int, o codedsgd.Options) []cluster.Layer {
	unit := n * o.Redundancy * max(o.Depth, 1)
	layers := []cluster.Layer{{Name: "first", Length: unit}, {Name: "second", Offset: unit, Length: 2 * unit}}
	if n > 8 {
		return layers[:1]
	}
	return layers
}

// dealtTask is a task whose gradients differ by block, parameter and step.
type dealtTask struct {
	layers []cluster.Layer
	params []float32
}

func (d *dealtTask) Layers() []cluster.Layer { return d.layers }
func (d *dealtTask) Params() []float32       { return d.params }

func (d *dealtTask) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	for i := range grads {
		grads[i] = float32((hi-lo)*((i*7+lo*13+int(step))%31-15)) / 1024
	}
	for l := len(d.layers) - 1; l >= 0; l-- {
		done(l)
	}
	return 0, nil
}

// codedSent holds what all nodes send in one step: packets per layer, and bytes in
// gradients, a multicast counted once and per receiver. astray counts the ranks whose
// parameters differ from a run on one node.
type codedSent struct {
	packets, once, each *big.Rat
	astray              int
}

// codedRun runs one step with options o on n nodes.
type codedRun func(ctx context.Context, n int, o codedsgd.Options) codedSent

// codedTotals runs one step, counts what all nodes send and compares their parameters with
// a run on one node.
func codedTotals(ctx context.Context, n int, o codedsgd.Options) (s codedSent) {
	layers := exchangeLayers(n, o)
	t, params := runDealt(ctx, n, layers, o)
	bytes := 0
	for _, l := range layers {
		bytes += 4 * l.Length
	}
	s = codedSent{packets: big.NewRat(t.Packets, int64(len(layers))), once: big.NewRat(t.Bytes, int64(bytes)), each: big.NewRat(t.Delivered, int64(bytes))}
	if o.Method == codedsgd.Compressed { // its numbers are rounded to a wider range
		return s
	}
	micro := o.MicroBlocks
	if micro == 0 {
		micro = blockCount(n, o.Redundancy)
	}
	_, alone := runDealt(ctx, 1, layers, codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: 1, MicroBlocks: micro})
	for _, p := range params {
		if !slices.EqualFunc(p, alone[0], func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			s.astray++
		}
	}
	return s
}

// runDealt runs one step and returns the totals and each rank's parameters.
func runDealt(ctx context.Context, n int, layers []cluster.Layer, o codedsgd.Options) (t codedsgd.Totals, params [][]float32) {
	last := layers[len(layers)-1]
	params = make([][]float32, n)
	for i := range params {
		params[i] = make([]float32, last.Offset+last.Length)
	}
	logs, _, err := cluster.Run(ctx, virtual.New(even(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Task: &dealtTask{layers, params[p.Rank()]}, Layers: layers, Batch: 2000, Rate: 0.125, Steps: 1, Options: o})
	})
	must(err)
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	return t, params
}

// blockCount returns C(n,r).
func blockCount(n, r int) int { return int(codedsgd.BlockCount(n, r).Num().Int64()) }

// normalBlocks returns the least common multiple of n and C(n,r): that many micro-blocks
// divide evenly among the nodes and among the blocks.
func normalBlocks(n, r int) int {
	q := n
	for q%blockCount(n, r) != 0 {
		q += n
	}
	return q
}

// exchangeSent counts what every method sends in one step of run.
func exchangeSent(run codedRun) side {
	return func(ctx context.Context, n, r int) (out []amount) {
		for _, o := range []codedsgd.Options{
			{Method: codedsgd.CSSGD, Redundancy: r},
			{Method: codedsgd.SSGDUnicast, Redundancy: r},
			{Method: codedsgd.SSGDMulticast, Redundancy: r},
			{Method: codedsgd.SSGDUnicast, Redundancy: 1, MicroBlocks: normalBlocks(n, r)},
			{Method: codedsgd.SSGDMulticast, Redundancy: 1, MicroBlocks: normalBlocks(n, r)},
		} {
			s := run(ctx, n, o)
			out = append(out, loadAmounts(o, s.packets, s.once, s.each, whole(int64(s.astray)))...)
		}
		return out
	}
}

// loadAmounts names the numbers of one method.
func loadAmounts(o codedsgd.Options, packets, once, each, astray *big.Rat) []amount {
	name := o.Method
	if o.MicroBlocks > 0 {
		name = fmt.Sprintf("%s of %d micro-blocks", o.Method, o.MicroBlocks)
	}
	return []amount{{what: name + ", packets", value: packets}, {what: name + ", load", value: once}, {what: name + ", load per receiver", value: each},
		{what: name + ", ranks with other parameters than one node alone", value: astray}}
}

// exchangeLoads computes the closed forms of exchangeSent. Without redundancy a message
// brings all micro-blocks of its sender.
func exchangeLoads(_ context.Context, n, r int) (out []amount) {
	add := func(method string, micro int, packets, once, each *big.Rat) {
		out = append(out, loadAmounts(codedsgd.Options{Method: method, MicroBlocks: micro}, packets, once, each, new(big.Rat))...)
	}
	add(codedsgd.CSSGD, 0, codedsgd.UsefulPackets(n, r), codedsgd.LCoding(n, r), codedsgd.CodedUnicast(n, r))
	add(codedsgd.SSGDUnicast, 0, codedsgd.LUncoding(n, r), codedsgd.LUncoding(n, r), codedsgd.LUncoding(n, r))
	add(codedsgd.SSGDMulticast, 0, codedsgd.UncodedMulticast(n, r), codedsgd.UncodedMulticast(n, r), codedsgd.LUncoding(n, r))
	q := normalBlocks(n, r)
	times := big.NewRat(int64(q), int64(blockCount(n, r))) // as many blocks as (30) has
	normal, many := mul(times, codedsgd.LNormal(n, r)), mul(times, codedsgd.BlockMulticast(n, r))
	add(codedsgd.SSGDUnicast, q, codedsgd.SummedUnicast(n, r), normal, normal)
	add(codedsgd.SSGDMulticast, q, codedsgd.SummedMulticast(n, r), many, normal)
	return out
}

// compressedSent counts what the method "sums, then code" sends at every depth.
func compressedSent(run codedRun) side {
	return func(ctx context.Context, n, r int) (out []amount) {
		for t := 1; t <= r; t++ {
			s := run(ctx, n, codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, Depth: t})
			out = append(out, amount{what: depthLoad(t), value: s.once})
		}
		return out
	}
}

// sumsPlanned counts the plan's packets at every depth, and checks that they bring every
// node what it lacks.
func sumsPlanned(plan func(a *codedsgd.Assignment, depth int) (*codedsgd.SumPlan, error)) side {
	return func(_ context.Context, n, r int) (out []amount) {
		a := ok(codedsgd.Assign(n, r))
		for t := 1; t <= r; t++ {
			p := ok(plan(a, t))
			refused := int64(0)
			if p.Check() != nil {
				refused = 1
			}
			out = append(out, amount{what: depthLoad(t), value: p.Load()}, amount{what: refusedPlans(t), value: whole(refused)})
		}
		return out
	}
}

// compressedLoads computes the closed form at every depth, and with "refused" also that no
// plan is refused.
func compressedLoads(also string) side {
	return func(_ context.Context, n, r int) (out []amount) {
		for t := 1; t <= r; t++ {
			out = append(out, amount{what: depthLoad(t), value: codedsgd.CompressedLoad(n, r, t)})
			if also != "" {
				out = append(out, amount{what: refusedPlans(t), value: whole(0)})
			}
		}
		return out
	}
}

func depthLoad(t int) string { return fmt.Sprintf("load, t = %d", t) }
func refusedPlans(t int) string {
	return fmt.Sprintf("plans that leave a node without something, t = %d", t)
}
