package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gradsync/experiments/eval"
	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// The limits of one size of the sparse ring, and how many numbers its layer has at least.
const sparseRanks, sparseNumbers = 32, 20_000

// sigmas is how many standard deviations a number that is drawn may be off.
const sigmas = 4

// CountSparse counts the messages, bytes and densities of one exchange of a sparse layer round the ring of
// n ranks, a share of whose gradients is not zero. A size outside the limits is a SizeError.
func CountSparse(ctx context.Context, n int, density float64) (_ *Size, err error) {
	defer caught(&err)

	switch {
	case n < 2 || n > sparseRanks:
		sizef("--n is %d, want 2 to %d ranks", n, sparseRanks)
	case !(density >= 0 && density <= 1):
		sizef("--density is %v, want the share of gradients that are not zero, 0 to 1", density)
	}
	block := (sparseNumbers + n - 1) / n
	x := sparseSize{n: n, block: block, d: new(big.Rat)}
	x.d.SetFloat64(density)
	s := &Size{Group: "ringsparse", Of: fmt.Sprintf("one exchange of gradients of %s numbers between %d ranks, of which a share of %v is not zero, on "+
		"virtual time",
		Grouped(whole(int64(n*block))), n, density), LeftOut: []LeftOut{},
		Why: []string{"Gradients are drawn with a fixed seed, so what depends on where their zeros lie may be off by four standard deviations, and not more."}}
	x.dense(ctx, s)
	x.coded(ctx, s)
	x.rival(ctx, s)
	return s, nil
}

// sparseSize is a layer of n blocks, whose numbers are not zero with probability d on each rank.
type sparseSize struct {
	n, block int
	d        *big.Rat
}

func (x sparseSize) elements() int64 { return int64(x.n * x.block) }

// run exchanges the layer once, with real numbers.
func (x sparseSize) run(ctx context.Context, o ringsparse.Options) (t ringsparse.Totals, trace *cluster.Trace) {
	density, _ := x.d.Float64()
	rt := virtual.New(even(x.n), virtual.Config{Headerless: true})
	logs, trace, err := cluster.Run(ctx, rt, func(p cluster.Proc) (*ringsparse.Log, error) {
		return ringsparse.Run(p, ringsparse.Job{Task: newSeededTask(p.Rank(), density, x.n*x.block), Rate: sparseEta, Steps: 1, Options: o})
	})
	must(err)
	for _, l := range logs {
		t.Merge(l.Totals)
	}
	return t, trace
}

// dense compares messages and bytes of blocks that are sent as they are.
func (x sparseSize) dense(ctx context.Context, s *Size) {
	_, trace := x.run(ctx, ringsparse.Options{Kinds: "gradients", Codec: "dense"})
	n := whole(int64(x.n))
	seconds := ok(eval.Exact("ringsparse.T", eval.Args{"n": n, "d": whole(4 * x.elements()), "bandwidth": one}))
	messages, bytes := sentAll(trace)
	s.equal("messages of all ranks", "sent on virtual time", messages, "2N(N−1)", whole(int64(2*x.n*(x.n-1))))
	s.equal("dense: bytes of all ranks", "sent on virtual time", bytes, "N·T·B = 2(N−1)D", mul(n, seconds))
}

// fill returns the density that k+1 ranks' gradients together have, and the standard deviation of how
// many numbers of the layer are not zero then.
func (x sparseSize) fill(k int) (share *big.Rat, sigma float64) {
	share = ok(eval.Exact("ringsparse.fillin", eval.Args{"density": x.d, "k": whole(int64(k))}))
	p, _ := share.Float64()
	return share, math.Sqrt(float64(x.elements()) * p * (1 - p))
}

// coded compares the densities of messages hop by hop, counted from bytes, and the bytes of both wire forms.
func (x sparseSize) coded(ctx context.Context, s *Size) {
	pairs, _ := x.run(ctx, ringsparse.Options{Kinds: "gradients", Codec: "coo"})
	bits, _ := x.run(ctx, ringsparse.Options{Kinds: "gradients", Codec: "bitmap"})
	values, slack := new(big.Rat), 0.0 // numbers that are not zero in all messages
	for k := range x.n {
		share, sigma := x.fill(k)
		hops := int64(1)
		sent := pairs.Gather.Bytes
		if k == x.n-1 { // the sum of all travels N−1 times
			hops = int64(x.n - 1)
		} else {
			sent = pairs.Hops[k].Bytes
		}
		values, slack = add(values, mul(share, whole(hops*x.elements()))), slack+float64(hops)*sigma
		if x.n <= 8 || k&(k+1) == 0 || k == x.n-1 {
			s.within(fmt.Sprintf("density of a sum of %d", k+1), "bytes of index and value pairs sent, over 8 bytes and the numbers",
				big.NewRat(sent, 8*hops*x.elements()), "1 − (1−d)^(k+1)", share, sigmas*sigma/float64(x.elements())+1e-12)
		}
	}
	flags := whole(int64(2*x.n*(x.n-1)) * int64((x.block+7)/8))
	const sent = "sent with real numbers on virtual time"
	s.within("bitmap: bytes of all ranks", sent, whole(bits.Sent.Bytes), "Σ ⌈n/8⌉ + 4·density·n over messages", add(flags, mul(whole(4), values)),
		4*sigmas*slack+1e-3)
	s.within("pairs: bytes of all ranks", sent, whole(pairs.Sent.Bytes), "Σ 8·density·n over messages", mul(whole(8), values), 8*sigmas*slack+1e-3)
}

// rival compares the bytes of the exchange that sums nothing on the way.
func (x sparseSize) rival(ctx context.Context, s *Size) {
	got, _ := x.run(ctx, ringsparse.Options{Exchange: "all-gather", Codec: "coo"})
	n := whole(int64(x.n))
	each := ok(eval.Exact("ringsparse.all-gather", eval.Args{"n": n, "size": mul(whole(8*x.elements()), x.d)}))
	_, sigma := x.fill(0)
	s.within("all-gather of pairs: bytes of all ranks", "sent with real numbers on virtual time", whole(got.Sent.Bytes), "N(N−1)·8·d·n", mul(n, each),
		8*sigmas*sigma*float64(x.n-1)*math.Sqrt(float64(x.n))+1e-3)
	s.Why = append(s.Why, fmt.Sprintf("A sum of k+1 gradients is zero only where all of them are, so that the messages of a ring fill in hop by hop; "+
		"an all-gather sends each of the %d gradients as it is, N−1 times.", x.n))
}
