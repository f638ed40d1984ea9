// Package where maps which exchange is fastest over the density of weights, the density of
// gradients, the link and the rates of coding: by formulas (formula.go), by timing-only runs of
// the same points and by real gradients at a smaller size (runs.go). Experiment is its door.
package where

import (
	"context"
	"fmt"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/shared/cluster"
)

// point is one place of the map: an embedding, of dense weights and gradients of density
// Gradients, beside a pruned layer, of weights of density Weights and dense gradients.
type point struct {
	Rates              string
	Gbps               float64
	Weights, Gradients float64
	Nodes              int
}

// plan holds the grid, the points that are run and the criteria; all of it was committed before
// the first run.
type plan struct {
	Elements  int       `json:"elements"` // of each of the two layers
	Nodes     int       `json:"nodes"`    // of the map
	Sizes     []int     `json:"sizes"`    // numbers of workers that are counted by formula
	Run       []int     `json:"run"`      // and those whose points are run, timing-only
	Links     []float64 `json:"links"`    // Gb/s
	Weights   []float64 `json:"weights"`
	Gradients []float64 `json:"gradients"`
	// RunWeights and RunGradients are the points that are run, on every link and at all rates.
	RunWeights   []float64 `json:"run_weights"`
	RunGradients []float64 `json:"run_gradients"`
	// At is the point that pages tell: a tenth of the weights, a hundredth of the gradients.
	At [2]float64 `json:"at"`

	Real      setup.Embedding `json:"real"`
	RealNodes int             `json:"real_nodes"`
	RealBatch int             `json:"real_batch"`
	RealLinks []float64       `json:"real_links"`
	Keep      float64         `json:"keep"` // of the pruned layers' weights
	Rate      float64         `json:"rate"`
	Steps     int64           `json:"steps"` // of the training whose parameters are compared

	Pays       float64 `json:"pays"`        // RingSparse pays where it takes so much less than every other way
	Within     float64 `json:"within"`      // |formula/run − 1| of timing-only runs
	WithinReal float64 `json:"within_real"` // and of real gradients, whose zeros are not independent
	Close      float64 `json:"close"`       // parameters after Steps, against the dense ring's
}

func planOf(profile string) plan {
	p := plan{Elements: 4_000_000, Nodes: 8, Sizes: []int{2, 4, 8, 16, 32}, Run: []int{8}, Links: []float64{1, 10, 25, 100},
		Weights: []float64{1, 0.5, 0.2, 0.1, 0.05}, Gradients: []float64{1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001}, At: [2]float64{0.1, 0.01},
		Real:      setup.Embedding{Vocabulary: 4700, Width: 32, Hidden: 3500, Classes: 10, Tokens: 20, Zipf: 1.1},
		RealNodes: 4, RealBatch: 4, Keep: 0.1, Rate: 0.05, Steps: 10, Pays: 0.05, Within: 0.01, WithinReal: 0.1, Close: 1e-6}
	p.RunWeights, p.RunGradients, p.RealLinks = p.Weights, p.Gradients, p.Links
	switch profile {
	case "ci":
		p.RunWeights, p.RunGradients, p.RealLinks = []float64{1, 0.1}, []float64{1, 0.01}, []float64{1, 100}
	case "standard", "paper":
		p.Run = []int{2, 4, 8, 16}
	}
	return p
}

// grid lists points over all rates and the plan's links.
func (p plan) grid(nodes int, weights, gradients []float64) (out []point) {
	for _, r := range rateSets() {
		for _, gbps := range p.Links {
			for _, w := range weights {
				for _, g := range gradients {
					out = append(out, point{r.Key, gbps, w, g, nodes})
				}
			}
		}
	}
	return out
}

// rateSet names rates of coding.
type rateSet struct {
	Key   string
	Rates []cluster.CodecRate
}

// gpuPeak is the bandwidth of a P100's memory by its data sheet, in bytes per second.
const gpuPeak = 732e9

// gpuRates assumes what a GPU does on its own memory, for the device of sparse32, a P100: 732 GB/s by
// its data sheet (NVIDIA, Tesla P100 whitepaper, 2016), of which the platform assumes 549 GB/s to be had.
//
//	count     one stream is read: 500 GB/s
//	convert   two are read, one is written: 549/3, about 180 GB/s
//	packing   stream compaction with a prefix sum. One pass that reads and writes once would be bound by memory
//	          too, about 270 GB/s (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
//	          Look-back", NVIDIA NVR-2016-002). Taken is a fifth of it, 50 GB/s: three kernels per block,
//	          scattered writes, blocks of a megabyte that fill the device badly
//
// All are assumed, with low confidence: no GPU was measured. A kernel's launch is not counted.
var gpuRates = []cluster.CodecRate{
	{Name: "bitmap", Encode: 50e9, Decode: 50e9},
	{Name: "coo", Encode: 50e9, Decode: 50e9},
	{Name: "count", Encode: 500e9},
	{Name: "convert", Encode: 180e9},
}

// rateSets lists the rates: assumed of a CPU core of the patent's time, measured on one core by
// `gradsync calibrate`, and assumed of a GPU.
func rateSets() []rateSet {
	return []rateSet{{"assumed", setup.Platform().Codecs}, {"measured", setup.MeasuredRates}, {"gpu", gpuRates}}
}

func ratesOf(key string) []cluster.CodecRate {
	return kit.Find(rateSets(), func(r rateSet) bool { return r.Key == key }).Rates
}

// ways are the exchanges that compete; of equals the first is taken.
var ways = []string{"dense", "ringsparse", "gradients", "weights", "all-gather"}

// times holds the seconds of every way at a point, and of an exchange whose layers each have the
// kind that suits them, known beforehand: "fixed".
type times map[string]float64

const (
	subject = "ringsparse"
	perKind = "fixed"
)

// fastest returns the way that takes least.
func (t times) fastest() string {
	return slices.MinFunc(ways, func(a, b string) int {
		switch {
		case t[a] < t[b]:
			return -1
		case t[a] > t[b]:
			return 1
		}
		return 0
	})
}

// ahead returns how much less than the best of the others RingSparse takes, as a share of that.
func (t times) ahead() float64 {
	best := t["dense"]
	for _, w := range ways {
		if w != subject {
			best = min(best, t[w])
		}
	}
	return 1 - t[subject]/best
}

// Experiment maps where RingSparse pays.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/where", Source: "the patent, S41, S42 and S51", Kind: result.Modelled, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			p := planOf(profile)
			s := 0.2
			for _, n := range p.Run {
				s += float64(len(p.grid(n, p.RunWeights, p.RunGradients))*16*2*n*(n-1)) / 0.3e6
			}
			return s + float64(seeds*len(rateSets())*len(p.RealLinks)*len(ways))*0.1
		},
		Config: func(profile string) map[string]any {
			rates := map[string]any{}
			for _, r := range rateSets()[1:] {
				rates[r.Key] = r.Rates
			}
			return map[string]any{"plan": planOf(profile), "platform": kit.Platform(setup.Platform()), "ways": kit.Map(ways, setup.WayOf), "rates": rates}
		},
		Run: run}.Experiment()
}

func run(ctx context.Context, env exp.Env, r *result.Result) (err error) {
	m := found{plan: planOf(env.Profile), seeds: env.Seeds}
	p := m.plan
	var points []point
	for _, n := range p.Run {
		points = append(points, p.grid(n, p.RunWeights, p.RunGradients)...)
	}
	b := exp.Bar{Env: env, Total: float64(len(points) + len(env.Seeds)*len(rateSets())*len(p.RealLinks) + len(env.Seeds))}
	m.points = p.grid(p.Nodes, p.Weights, p.Gradients)
	m.modelled = map[point]times{}
	for _, c := range slices.Concat(m.points, points) {
		m.modelled[c] = p.formulas(c)
	}
	m.ran = map[point]times{}
	if _, err = kit.Sweep(&b, points, func(c point) (times, error) {
		t, err := p.time(ctx, c)
		m.ran[c] = t
		return t, err
	}); err != nil {
		return err
	}
	for _, seed := range env.Seeds {
		if err = m.train(ctx, seed, &b); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	m.show(r)
	return nil
}
