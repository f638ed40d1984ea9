package cli

import (
	"context"
	"math/big"

	"gradsync/papers/codedsgd"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// exchangeNodes is up to how many nodes real exchanges are run. A gradient has
// exchangeLength numbers in two layers, both multiples of 360: cut into up to 6
// segments, or into n slices of up to n−1 segments each, they leave no rest that
// would be padded.
const exchangeNodes, exchangeLength = 6, 4320

// dealt is a task whose gradients differ by block, parameter and step.
type dealt struct{ params []float32 }

func (d *dealt) Layers() []cluster.Layer { return dealtLayers }
func (d *dealt) Params() []float32       { return d.params }

var dealtLayers = []cluster.Layer{{Name: "first", Length: exchangeLength / 3}, {Name: "second", Offset: exchangeLength / 3, Length: exchangeLength / 3 * 2}}

func (d *dealt) BlockGrad(step int64, lo, hi int, grads []float32, done func(int)) (float64, error) {
	for i := range grads {
		grads[i] = float32((hi-lo)*((i*7+lo*13+int(step))%31-15)) / 1024
	}
	done(1)
	done(0)
	return 0, nil
}

// codedTotals runs two steps of method o on n nodes and returns what one of them sends.
func codedTotals(ctx context.Context, n int, o codedsgd.Options) (t codedsgd.Totals, err error) {
	const steps = 2
	logs, _, err := cluster.Run(ctx, virtual.New(even(n), virtual.Config{}), func(p cluster.Proc) (*codedsgd.Log, error) {
		return codedsgd.Run(p, codedsgd.Job{Task: &dealt{make([]float32, exchangeLength)}, Layers: dealtLayers, Batch: 120, Rate: 0.125, Steps: steps, Options: o})
	})
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	t.Packets, t.Bytes, t.Delivered = t.Packets/steps, t.Bytes/steps, t.Delivered/steps
	return t, err
}

// units turns bytes into gradient units.
func units(bytes int64) *big.Rat { return big.NewRat(bytes, 4*exchangeLength) }

// codedExchanges compares every method with its load, counted once and per receiver.
// Packets are of two layers.
func codedExchanges(ctx context.Context) (t tally, err error) {
	compare := func(n int, o codedsgd.Options, once, each, packets *big.Rat) error {
		got, err := codedTotals(ctx, n, o)
		if err != nil {
			return err
		}
		what := func(what string, got, want *big.Rat) {
			t.add(got.Cmp(want) == 0, "%s, n = %d, r = %d, Q = %d: %s %s, computed %s", o.Method, n, o.Redundancy, o.MicroBlocks, what, got.RatString(), want.RatString())
		}
		what("load", units(got.Bytes), once)
		what("load per receiver", units(got.Delivered), each)
		what("packets", whole(got.Packets), mul(whole(int64(len(dealtLayers))), packets))
		return nil
	}
	for n := 2; n <= exchangeNodes; n++ {
		for r := 1; r <= n; r++ {
			blocks := int(codedsgd.BlockCount(n, r).Num().Int64())
			for _, c := range []struct {
				o                   codedsgd.Options
				once, each, packets *big.Rat
			}{
				{codedsgd.Options{Method: codedsgd.CSSGD, Redundancy: r}, codedsgd.LCoding(n, r), codedsgd.CodedUnicast(n, r), codedsgd.UsefulPackets(n, r)},
				{codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: r}, codedsgd.LUncoding(n, r), codedsgd.LUncoding(n, r), codedsgd.LUncoding(n, r)},
				{codedsgd.Options{Method: codedsgd.SSGDMulticast, Redundancy: r}, codedsgd.UncodedMulticast(n, r), codedsgd.LUncoding(n, r), codedsgd.UncodedMulticast(n, r)},
			} {
				if err := compare(n, c.o, c.once, c.each, c.packets); err != nil {
					return t, err
				}
			}
			// Without redundancy n blocks of C(n,r) micro-blocks each: n times (30).
			got, err := codedTotals(ctx, n, codedsgd.Options{Method: codedsgd.SSGDUnicast, Redundancy: 1, MicroBlocks: n * blocks})
			if err != nil {
				return t, err
			}
			t.add(units(got.Bytes).Cmp(mul(whole(int64(n)), codedsgd.LNormal(n, r))) == 0, "SSGD of %d micro-blocks on %d nodes: %s gradients, %d times (30) is not that", n*blocks, n, units(got.Bytes).RatString(), n)
		}
		for method, load := range map[string]func(n, r int) *big.Rat{codedsgd.SSGDUnicast: codedsgd.SummedUnicast, codedsgd.SSGDMulticast: codedsgd.SummedMulticast} {
			if err := compare(n, codedsgd.Options{Method: method, Redundancy: 1}, load(n, 1), codedsgd.SummedUnicast(n, 1), load(n, 1)); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// compressedExchanges compares the remedy's bytes with its closed form.
func compressedExchanges(ctx context.Context) (t tally, err error) {
	for n := 2; n <= exchangeNodes; n++ {
		for r := 1; r <= n; r++ {
			for depth := 1; depth <= r; depth++ {
				got, err := codedTotals(ctx, n, codedsgd.Options{Method: codedsgd.Compressed, Redundancy: r, Depth: depth})
				if err != nil {
					return t, err
				}
				want := codedsgd.CompressedLoad(n, r, depth)
				t.add(units(got.Bytes).Cmp(want) == 0, "n = %d, r = %d, t = %d: %s gradients, computed %s", n, r, depth, units(got.Bytes).RatString(), want.RatString())
			}
		}
	}
	return t, nil
}
