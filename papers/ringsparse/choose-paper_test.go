package ringsparse_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"gradsync/papers/ringsparse"
	"gradsync/shared/cluster"
	"gradsync/shared/tensor/codec"
)

// S4: "both local gradient and updated parameters are split into N blocks": they cover
// the layer in order, ragged ones and empty ones included.
func TestS4BlocksCoverTheLayer(t *testing.T) {
	for length := range 30 {
		for n := 1; n <= 9; n++ {
			next := 0
			for i := range n {
				lo, hi := ringsparse.Block(length, n, i)
				if lo != next || hi-lo < length/n || hi-lo > length/n+1 {
					t.Fatalf("block %d of %d, length %d: [%d, %d) after %d", i, n, length, lo, hi, next)
				}
				next = hi
			}
			if next != length {
				t.Fatalf("%d blocks of %d end at %d", n, length, next)
			}
		}
	}
}

// S41: "the sparsity of each block", F. A zero is the bit pattern of +0, or at most the threshold.
func TestS41SparsityCountsExactZeros(t *testing.T) {
	minus, tiny, nan := float32(math.Copysign(0, -1)), float32(1e-42), float32(math.NaN())
	for _, c := range []struct {
		x               []float32
		threshold, want float64
	}{
		{[]float32{0, 0, 0, 1}, 0, 0.75}, {[]float32{0, minus, tiny, nan}, 0, 0.25},
		{[]float32{0, minus, tiny, nan}, 1e-40, 0.75}, {[]float32{0.5, -0.5, 0.25, -2}, 0.5, 0.75}, {[]float32{1, 2}, 0, 0},
		{nil, 0, 1},
	} {
		if got := ringsparse.Sparsity(c.x, c.threshold); got != c.want {
			t.Errorf("F(%v, %g) = %g, want %g", c.x, c.threshold, got, c.want)
		}
		if d := ringsparse.Density(c.x, c.threshold); d != 1-c.want {
			t.Errorf("density of %v is %g, want %g", c.x, d, 1-c.want)
		}
	}
}

// S41: "the sparsities of these 2N data blocks are computed in a loop." Counting them, and the two of every block
// received, is all that this run of two ranks is charged: 2·4 MB at 1 GB/s, then 2·2 MB.
func TestS41CountsTwoNBlocks(t *testing.T) {
	p := cluster.Host{Name: "w", FLOPS: 1e18, Bandwidth: 1e18}
	logs, _, err := ran(t, newVirtualOf(2, p),
		ringsparse.Job{Layers: []cluster.Layer{{Length: 1e6}}, Rate: eta, Steps: 1,
			Options: ringsparse.Options{Codec: "dense", Charge: true, Rates: []cluster.CodecRate{{Name: "count", Encode: 1e9}}}})
	must(t, err)
	if got := logs[0].Ends[0].Round(time.Microsecond); got != 12*time.Millisecond {
		t.Errorf("counting took %v, want 12ms", got)
	}
}

// S41: "if Swi ≥ Sgi keep Wi and delete Gi, else keep Gi and delete Wi." Equal ones are the tie rule's, and say so.
func TestS41SparserBlockIsKept(t *testing.T) {
	for _, c := range []struct {
		sw, sg    float64
		tie, want ringsparse.Kind
		byTie     bool
	}{
		{0.5, 0.4, ringsparse.Weights, ringsparse.Weights, false},
		{0.4, 0.5, ringsparse.Weights, ringsparse.Gradients, false},
		{0.5, 0.4, ringsparse.Gradients, ringsparse.Weights, false}, {0, 0, ringsparse.Weights, ringsparse.Weights, true},
		{0, 0, ringsparse.Gradients, ringsparse.Gradients, true},
	} {
		if k, tie := ringsparse.Choose(c.sw, c.sg, c.tie); k != c.want || tie != c.byTie {
			t.Errorf("Sw %g, Sg %g, tie %v: %v (tie %v), want %v (%v)", c.sw, c.sg, c.tie, k, tie, c.want, c.byTie)
		}
	}
}

// S41: "a tag marks the block as parameters or gradients." Two dense blocks are a tie:
// the patent then sends weights, all of them by the tie alone.
func TestS41DenseBlocksAreWeightsByTieAlone(t *testing.T) {
	for tie, kind := range map[string]ringsparse.Kind{"": ringsparse.Weights, "weights": ringsparse.Weights, "gradients": ringsparse.Gradients} {
		sum, _, logs := traffic(t, 3, func(rank int) ringsparse.Job {
			return ringsparse.Job{Task: newQuadratic(rank, 1, 0, 90), Rate: eta, Steps: 1,
				Options: ringsparse.Options{Tie: tie, Bandwidth: 1e8, LogChoices: true}}
		})
		if sum.Ties != sum.Choices || sum.Chosen[kind] != sum.Choices || sum.Choices != 9 || sum.Kinds[kind].Blocks != 12 {
			t.Errorf("tie %q: %+v, want 9 choices and 12 messages, all %v by tie", tie, sum, kind)
		}
		for _, c := range logs[0].Choices {
			if c.Kind != kind || !c.Tie || c.WeightDensity != 1 || c.GradientDensity != 1 {
				t.Errorf("tie %q: %+v", tie, c)
			}
		}
	}
}

// S42: Ta = D/B, Tb = Tc + Compres(D)/B + Td, compress iff that is sooner. By hand: 1000 entries are 4000 B, at 1 MB/s
// 4 ms; a bitmap of 250 values is 125 + 1000 B, 1.125 ms, and at 4 MB/s each way coding takes 1 ms twice.
func TestS42CompressIfSoonerThere(t *testing.T) {
	const n, b = 1000, 1e6
	size := func(c codec.Codec) float64 { return c.SizeAt(n, 0.25) }
	bitmap := func(rate float64) []ringsparse.Coder {
		return []ringsparse.Coder{{Codec: codec.Bitmap{}, Encode: rate, Decode: rate}}
	}
	tc, td := bitmap(4e6)[0].Costs(4 * n)
	if ta, tb := ringsparse.CostDirect(4*n, b), ringsparse.CostCompressed(tc, size(codec.Bitmap{}), b, td); ta != 4e-3 || math.Abs(tb-3.125e-3) > 1e-12 {
		t.Errorf("Ta %g, Tb %g, want 0.004, 0.003125", ta, tb)
	}
	for _, c := range []struct {
		rate    float64 // 2·4000/rate + 1.125 ms against 4 ms: even at 2.78 MB/s
		of      int
		printed bool
		want    string
	}{
		{4e6, n, false, "bitmap"},
		{2e6, n, false, "dense"},
		{4e6, n, true, "dense"}, // the printed rule is the other way round
		{2e6, n, true, "bitmap"},
		{2e6, 4 * n, false, "bitmap"}, // D of the layer: compression is favoured N times
	} {
		if got := ringsparse.CheapestCoder(bitmap(c.rate), n, c.of, b, c.printed, size).Codec.Name(); got != c.want {
			t.Errorf("%g B/s, D of %d, printed %v: %s, want %s", c.rate, c.of, c.printed, got, c.want)
		}
	}
}

// S42: equally soon is not sooner, so that Ta = Tb is sent as it is. By hand: 1000 entries are
// 4000 B; coordinates of 250 are 2000 B, and at 4 kB/s each way coding takes 1 s twice: at
// 1 kB/s 4 s either way. As printed, Ta ≥ Tb is direct too.
func TestS42EquallySoonIsDirect(t *testing.T) {
	for _, printed := range []bool{false, true} {
		if ringsparse.Compress(4, 4, printed) {
			t.Errorf("Ta = Tb compresses, printed %v", printed)
		}
		coders := []ringsparse.Coder{{Codec: codec.COO{}, Encode: 4e3, Decode: 4e3}}
		got := ringsparse.CheapestCoder(coders, 1000, 1000, 1e3, printed, func(c codec.Codec) float64 { return c.SizeAt(1000, 0.25) })
		if got.Codec.Name() != "dense" {
			t.Errorf("Ta = Tb takes %s, printed %v", got.Codec.Name(), printed)
		}
	}
	if !ringsparse.Compress(4, math.Nextafter(4, 0), false) || !ringsparse.Compress(math.Nextafter(4, 0), 4, true) {
		t.Error("sooner is not taken")
	}
}

// S42, the note: "the compression algorithm is not limited to one; by complexity and
// ratio it is chosen flexibly." 1/32 is where coordinates and bitmap are equally long.
func TestS42CheapestCodecOfSeveral(t *testing.T) {
	candidates := []ringsparse.Coder{{Codec: codec.Bitmap{}}, {Codec: codec.COO{}}}
	for density, want := range map[float64]string{0.01: "coo", 0.03: "coo", 0.04: "bitmap", 0.9: "bitmap", 0.98: "dense", 1: "dense"} {
		got := ringsparse.CheapestCoder(candidates, 10000, 10000, 1e6, false, func(c codec.Codec) float64 { return c.SizeAt(10000, density) })
		if got.Codec.Name() != want {
			t.Errorf("density %g: %s, want %s", density, got.Codec.Name(), want)
		}
	}
}

// Of equally cheap codecs the first named is taken. By hand: of 3200 entries 100 are not zero, in either form 800 bytes.
func TestS42OfEquallyCheapCodecsTheFirst(t *testing.T) {
	candidates := []ringsparse.Coder{{Codec: codec.Bitmap{}}, {Codec: codec.COO{}}}
	for _, want := range []string{"bitmap", "coo"} {
		got := ringsparse.CheapestCoder(candidates, 3200, 3200, 1e6, false, func(c codec.Codec) float64 {
			if size := c.SizeAt(3200, 1./32); size != 800 {
				t.Errorf("%s: %g bytes, want 800", c.Name(), size)
			}
			return 800
		})
		if got.Codec.Name() != want {
			t.Errorf("%s is taken, want %s, the first", got.Codec.Name(), want)
		}
		slices.Reverse(candidates)
	}
}

// S42, error 1 of doc.go: with D of the layer in Ta, this run of four ranks compresses blocks that are there sooner as
// they are. By hand: a block of 1000 dense entries takes 4 ms, with a bitmap 4.125 ms; its layer 16 ms.
func TestS42LayerSizeFavoursCompression(t *testing.T) {
	for size, want := range map[string]uint8{"block": 0, "layer": codec.Bitmap{}.ID()} {
		sum, _, _ := traffic(t, 4, func(rank int) ringsparse.Job {
			return ringsparse.Job{Task: newQuadratic(rank, 1, 0, 4000), Rate: eta, Steps: 1,
				Options: ringsparse.Options{Size: size, Bandwidth: 1e6, Codecs: []string{"bitmap"}}}
		})
		if len(sum.Codecs) != int(want)+1 || sum.Codecs[want] != sum.Sent {
			t.Errorf("size %s: %+v, want all by codec %d", size, sum.Codecs, want)
		}
	}
}

// S52: "the kinds' sparsities are computed and the sparser kept, the cheapest way taken" at every hop. Gradients of 1.5
// % fill in: coordinates at first, a bitmap later; their weights are dense, so they stay gradients.
func TestS52CodecFollowsFillIn(t *testing.T) {
	const n = 8
	_, _, logs := traffic(t, n, func(rank int) ringsparse.Job {
		return ringsparse.Job{Task: newQuadratic(rank, 0.015, 0, 80000), Rate: eta, Steps: 1,
			Options: ringsparse.Options{Bandwidth: 1e8, LogChoices: true}}
	})
	for rank, l := range logs {
		for hop, c := range l.Choices {
			want := uint8(codec.Bitmap{}.ID())
			if ringsparse.FillIn(0.015, hop) < 1./32 {
				want = codec.COO{}.ID()
			}
			if c.Hop != hop || c.Contributors != hop+1 || c.Kind != ringsparse.Gradients || c.Codec != want || c.Gather != (hop == n-1) {
				t.Errorf("rank %d hop %d: %+v, want codec %d", rank, hop, c, want)
			}
			if d := ringsparse.FillIn(0.015, hop); math.Abs(c.GradientDensity-d) > 0.15*d {
				t.Errorf("rank %d hop %d: density %g, want about %g", rank, hop, c.GradientDensity, d)
			}
		}
	}
}

// S52: the kind is chosen anew as well. Weights that a mask zeroes are the sparser kind at
// first, 0.5 against 0.6. Gradients that are made of them are zero there too, and where
// no rank has a gradient: 0.42, so it is gradients from the second hop on.
func TestS52KindIsChosenAnewAtEveryHop(t *testing.T) {
	_, _, logs := traffic(t, 5, func(rank int) ringsparse.Job {
		q := newRandom(rank, 0.5, 0.6, 5000)
		return ringsparse.Job{Task: q, Mask: q.mask, Rate: eta, Steps: 1, Options: ringsparse.Options{Bandwidth: 1e8, LogChoices: true}}
	})
	var kinds []ringsparse.Kind
	for _, c := range logs[0].Choices {
		kinds = append(kinds, c.Kind)
	}
	const w, g = ringsparse.Weights, ringsparse.Gradients
	if !slices.Equal(kinds, []ringsparse.Kind{w, g, g, g, g}) {
		t.Errorf("kinds by hop: %v", kinds)
	}
}
