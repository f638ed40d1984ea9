package ringsparse_test

import (
	"math"
	"testing"

	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
)

// T is the virtual time of an uncompressed layer, and T·B what a rank sends, for all
// N ≤ 12 and both kinds. Blocks are equal, latency none.
func TestFormulaTIsTheTimeOfALayer(t *testing.T) {
	host := cluster.Host{Name: "w", FLOPS: 1e18, Bandwidth: 1e9}
	const length = 27720 * 4 // every N to 12 divides it
	for n := 1; n <= 12; n++ {
		for _, kinds := range []string{"both", "gradients", "weights"} {
			rt := virtual.New(cluster.Uniform(n, host, nil), virtual.Config{Headerless: true})
			logs, trace, err := ran(t, rt,
				ringsparse.Job{Layers: []cluster.Layer{{Length: length}}, Rate: eta, Steps: 1,
					Options: ringsparse.Options{Kinds: kinds, Codec: "dense"}})
			must(t, err)
			want := formula.T(n, 4*length, host.Bandwidth)
			if got := logs[0].Ends[0].Seconds(); math.Abs(got-want) > 1e-8 {
				t.Errorf("N=%d %s: %g s, formula %g", n, kinds, got, want)
			}
			for rank, sent := range trace.Sent {
				reduce, gather := formula.Steps(n)
				if float64(sent.Bytes) != formula.Dense(n, 4*length) || int(sent.Messages) != reduce+gather {
					t.Errorf("N=%d %s rank %d: %d bytes in %d messages, formula %g in %d", n, kinds, rank, sent.Bytes, sent.Messages,
						formula.Dense(n, 4*length), reduce+gather)
				}
			}
		}
	}
}

// Total dense bytes are 2(N−1)·D exactly, whether or not N divides the length.
func TestFormulaDenseBytesOfRaggedBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a second: make test has it")
	}
	for n := 1; n <= 8; n++ {
		for length := range 20 {
			sum, _, _ := traffic(t, n, func(int) ringsparse.Job {
				return ringsparse.Job{Layers: []cluster.Layer{{Length: length}}, Rate: eta, Steps: 1, Options: ringsparse.Options{Codec: "dense"}}
			})
			if want := int64(2 * (n - 1) * 4 * length); sum.Sent.Bytes != want || sum.Sent.DenseBytes != want {
				t.Errorf("N=%d length %d: %d bytes, %d dense, want %d", n, length, sum.Sent.Bytes, sum.Sent.DenseBytes, want)
			}
		}
	}
}

// Bytes of a layer of gradients as bitmap and values, in closed form: hop k sends one
// block of density FillIn(d, k), the all-gather N−1 of FillIn(d, N−1).
func TestFormulaBitmapBytesWithFillIn(t *testing.T) {
	const length = 8 * 27720
	for n := 2; n <= 12; n++ {
		for _, d := range []float64{0, 0.01, 0.08, 0.5, 1} {
			sum, _, _ := traffic(t, n, func(int) ringsparse.Job {
				return ringsparse.Job{Layers: []cluster.Layer{{Length: length}}, Rate: eta, Steps: 1,
					Density: func(int) (float64, float64) { return 1, d }, Options: ringsparse.Options{Kinds: "gradients", Codec: "bitmap"}}
			})
			block, want := float64(length/n), 0.
			for k := range n - 1 {
				want += formula.BitmapBytes(block, formula.FillIn(d, k)) + formula.BitmapBytes(block, formula.FillIn(d, n-1))
			}
			if got := float64(sum.Sent.Bytes) / float64(n); math.Abs(got-want) > float64(2*n) { // whole bytes per message
				t.Errorf("N=%d d=%g: %g bytes per rank, formula %g", n, d, got, want)
			}
			if len(sum.Hops) != n-1 || sum.Hops[n-2].Blocks != int64(n) || sum.Gather.Blocks != int64(n*(n-1)) {
				t.Errorf("N=%d: hops %+v, gather %+v", n, sum.Hops, sum.Gather)
			}
		}
	}
}

// The rival's bytes: (N−1)·size per rank, at the density of one worker.
func TestFormulaGatherSparse(t *testing.T) {
	const length, d = 10000, 0.02
	for n := 1; n <= 9; n++ {
		sum, _, _ := traffic(t, n, func(int) ringsparse.Job {
			return ringsparse.Job{Layers: []cluster.Layer{{Length: length}}, Rate: eta, Steps: 1,
				Density: func(int) (float64, float64) { return 1, d }, Options: ringsparse.Options{Exchange: "all-gather", Codec: "coo"}}
		})
		if want := float64(n) * formula.GatherSparse(n, formula.COOBytes(length, d)); float64(sum.Sent.Bytes) != want {
			t.Errorf("N=%d: %d bytes, formula %g", n, sum.Sent.Bytes, want)
		}
	}
}

// The float32 conversions are the closed forms rounded, for all small arguments that float32 holds exactly.
func TestFormulaConversions(t *testing.T) {
	out := make([]float32, 1)
	for _, s := range []ringsparse.Sign{ringsparse.Descent, ringsparse.Printed} {
		for m := 1; m <= 16; m++ {
			for a := -4; a <= 4; a++ {
				for b := -4; b <= 4; b++ {
					w0, p := []float32{float32(a) / 8}, []float32{float32(b) / 4}
					ringsparse.ToWeights(out, w0, p, 0.25, m, s)
					if want := formula.Pw(float64(w0[0]), 0.25, float64(p[0]), m, int(s)); float64(out[0]) != want {
						t.Errorf("Pw(%v, %v, m %d) = %g, want %g", w0, p, m, out[0], want)
					}
					ringsparse.ToGradients(out, w0, p, 0.25, m, s)
					if want := formula.Pg(float64(w0[0]), 0.25, float64(p[0]), m, int(s)); float64(out[0]) != want {
						t.Errorf("Pg(%v, %v, m %d) = %g, want %g", w0, p, m, out[0], want)
					}
				}
			}
		}
	}
}
