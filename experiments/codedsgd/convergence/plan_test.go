package convergence

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/train"
	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
	"gradsync/shared/tensor/model"
)

// stands is the training that stands for all, of a narrow network on few images.
func stands(net setup.Network, n int) train.Config {
	s := planOf("ci", net)
	s.Net.PerNode, s.Width, s.Updates, s.Every, s.Images = 12, 1./32, 3, 1, 100
	return s.synchronous(n, 7)
}

// tiny is the same with a method's messages between workers.
func tiny(net setup.Network, n, workers int, sync string, r, micro int) train.Config {
	c := stands(net, n)
	c.Sync, c.Workers, c.Platform = sync, workers, setup.First(setup.Calm(setup.Platform()), workers)
	c.Coded = &codedsgd.Options{Redundancy: r, MicroBlocks: micro}
	return c
}

func trainTiny(t *testing.T, c train.Config) *train.Outcome {
	t.Helper()
	return oktest.Must(train.Run(t.Context(), c))(t)
}

// What stands for every synchronous method on n nodes has the bits of each: of SSGD
// both ways and of CSSGD with r = 2 and 3, with all its packets between n nodes.
func TestOneTrajectoryStandsForAll(t *testing.T) {
	oktest.Slow(t)
	for _, net := range setup.Networks() {
		for _, n := range []int{3, 4} {
			q := setup.MicroBlocks(n, setup.Redundancies...)
			alone := trainTiny(t, stands(net, n))
			if alone.Updates != 3 || alone.ParamsSHA256 == "" {
				t.Fatalf("%s: %d updates, hash %q", net.Key, alone.Updates, alone.ParamsSHA256)
			}
			for _, x := range compared(n) {
				o := trainTiny(t, tiny(net, n, n, x.Method, x.Redundancy, q))
				if o.ParamsSHA256 != alone.ParamsSHA256 {
					t.Errorf("%s on %d nodes, %s r = %d: %s, alone %s", net.Key, n, x.Method, x.Redundancy, o.ParamsSHA256, alone.ParamsSHA256)
				}
				for i, p := range o.Curve {
					if i < len(alone.Curve) && (p.Accuracy != alone.Curve[i].Accuracy || p.Updates != int64(i+1)) {
						t.Errorf("%s on %d nodes, %s: evaluation %d is %+v, alone %+v", net.Key, n, x.Method, i, p, alone.Curve[i])
					}
				}
			}
			other := trainTiny(t, tiny(net, n, 1, codedsgd.SSGDMulticast, 1, n))
			if n == 4 && other.ParamsSHA256 == alone.ParamsSHA256 {
				t.Errorf("%s on %d nodes: %d blocks have the bits of %d micro-blocks: the hash says nothing", net.Key, n, n, q)
			}
		}
	}
}

// wholeBound bounds how far any parameter of whole gradients is from the shared trajectory's after three updates. Each
// update moves it by η/|F| of a sum in which every piece is off by half a step of int32, 2.33e-9, and by float32's
// rounding of its sum over samples, at most 2⁻²⁴ of values below 10 for each of |F| samples:
//
//	3 · 0.2/48 · (16·2.33e-9 + 48·10·2⁻²⁴) < 4e-7
//
// and twice that for the parameters' own rounding and what the difference makes of the next gradients.
const wholeBound = 8e-7

// Whole gradients differ from the shared trajectory by rounding alone.
func TestWholeGradientsDifferByRounding(t *testing.T) {
	oktest.Slow(t)
	for _, net := range setup.Networks() {
		a, most := paramsOf(t, stands(net, 4)), 0.0
		for _, x := range []timing.Exchange{timing.Multicast, timing.Coded(2), timing.Coded(3)} {
			b := paramsOf(t, tiny(net, 4, 4, x.Method, x.Redundancy, 0))
			for i := range a {
				most = max(most, math.Abs(float64(a[i])-float64(b[i])))
			}
		}
		if !(most > 0 && most < wholeBound) {
			t.Errorf("%s: parameters differ by %g, want more than 0 and less than %g", net.Key, most, wholeBound)
		}
	}
}

func paramsOf(t *testing.T, c train.Config) []float32 {
	t.Helper()
	c.Save = filepath.Join(t.TempDir(), "end.safetensors")
	if o := trainTiny(t, c); o.Coded.Totals.Saturated > 0 {
		t.Fatalf("%d elements clipped", o.Coded.Totals.Saturated)
	}
	m := oktest.Must(model.Build(model.Spec{Name: c.Model, Width: c.Width, Classes: c.Classes}))(t)
	params := make([]float32, m.NumParams())
	oktest.Nil(t, train.LoadState(c.Save, m, c.Width, params, nil))
	return params
}

// What every profile trains: node counts ascend, the batch of every count is there to be cut, a coarse cutting divides
// Q and is a multiple of n, and standard and paper take the paper's targets and data, quick and ci the rule's.
func TestTrainingPlans(t *testing.T) {
	for _, profile := range []string{"ci", "quick", "standard", "paper"} {
		for _, net := range setup.Networks() {
			s := planOf(profile, net)
			real := profile == "standard" || profile == "paper"
			if !slices.IsSorted(s.Nodes) || s.most() > 10 || s.Nodes[0] < 2 || s.Updates < 1 || s.Runs < 1 {
				t.Errorf("%s, %s: %+v", profile, net.Key, s)
			}
			if (s.Target > 0) != real || (s.Data != "") != real || s.Updates%s.Every != 0 || real && s.Width != 0 {
				t.Errorf("%s, %s: target %g, data %q, every %d of %d", profile, net.Key, s.Target, s.Data, s.Every, s.Updates)
			}
			for _, n := range s.Nodes {
				if q, b := setup.MicroBlocks(n, setup.Redundancies...), s.blocks(n); q%b != 0 || b%n != 0 || b > net.Batch(n) {
					t.Errorf("%s, %s, %d nodes: %d micro-blocks, Q = %d, batch %d", profile, net.Key, n, b, q, net.Batch(n))
				}
				if c := s.asynchronous(n, 0, 5); c.MaxPushes != int64(5*n) || c.Batch*n != s.synchronous(n, 0).BatchSize || c.Rate != s.synchronous(n, 0).Rate {
					t.Errorf("%s, %s, %d nodes: ASGD uses other samples or another rate: %+v", profile, net.Key, n, c)
				}
			}
		}
	}
	if statedTarget(setup.DNN) != 0.82 || statedTarget(setup.CNN) != 0.7 {
		t.Error("the paper's targets are 82 and 70 %")
	}
}

// Runs beyond the seeds have seeds of their own.
func TestRunSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for i := range 10 {
		seed := runSeed([]uint64{4, 5, 6}, i)
		if seen[seed] {
			t.Errorf("run %d: seed %d twice", i, seed)
		}
		seen[seed] = true
	}
	if runSeed([]uint64{4, 5, 6}, 1) != 5 || runSeed([]uint64{4, 5, 6}, 4) != 10_005 {
		t.Error("runs are not dealt to seeds in turn")
	}
}
