// Package sums follows a block's sum round the ring: how it becomes dense (FillIn), and what
// turning it from weights into gradients loses (ConversionError).
package sums

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
	"gradsync/papers/ringsparse"
	"gradsync/papers/ringsparse/formula"
	"gradsync/shared/cluster"
	"gradsync/shared/cluster/virtual"
	"gradsync/shared/tensor/codec"
)

// The supports, fixed before the first run.
const (
	supportEach   = "independent" // every rank draws its own
	supportCommon = "common"      // every rank's lies in one set twice as large
	supportImages = "images"      // real gradients of the MLP's first layer
)

// commonShare is the probability of an entry of the common set.
const commonShare = 0.5

// fillPlan holds what a profile runs.
type fillPlan struct {
	Elements  int       `json:"elements"`
	Densities []float64 `json:"densities"`
	Nodes     []int     `json:"nodes"`
	Link      float64   `json:"link"`   // Gb/s, B of S42
	Within    float64   `json:"within"` // the criterion: standard deviations from the formula
}

func planFill(profile string) fillPlan {
	p := fillPlan{Elements: 160_000, Densities: []float64{0.01, 0.08, 0.3}, Nodes: []int{8, 16}, Link: 1, Within: 5}
	switch profile {
	case "ci":
		p.Elements, p.Nodes = 40_000, []int{8}
	case "standard", "paper":
		p.Elements = 3_200_000
	}
	return p
}

// support is one point: vectors with their zeros in some places, on some workers.
type support struct {
	Nodes   int
	Support string
	Density float64 // of one rank's; 0: measured, of images
}

func (p fillPlan) points() (out []support) {
	for _, n := range p.Nodes {
		for _, s := range []string{supportEach, supportCommon} {
			for _, d := range p.Densities {
				out = append(out, support{n, s, d})
			}
		}
		out = append(out, support{n, supportImages, 0})
	}
	return out
}

// FillIn measures how sums of sparse blocks become dense.
func FillIn() exp.Experiment {
	return kit.Study[support, filledOnce]{ID: "ringsparse/fill-in", Source: "the patent, S52", Kind: result.Counted, Profiles: exp.Profiles,
		Points: func(profile string) []support { return planFill(profile).points() },
		Cost: func(profile string, s support) (string, float64) {
			return "ringsparse/fill-in", float64(s.Nodes) * (0.035/7 + float64(planFill(profile).Elements)*25e-9)
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planFill(profile), "platform": kit.Platform(setup.Platform()), "common_share": commonShare}
		},
		Measure: func(ctx context.Context, env exp.Env, s support, seed uint64) (filledOnce, error) {
			plan := planFill(env.Profile)
			if s.Support != supportImages {
				return fill(ctx, plan, s, seed, s.tasks(plan, seed))
			}
			m, err := setup.OpenMLP(env)
			if err != nil {
				return filledOnce{}, err
			}
			tasks := m.Tasks(seed, s.Nodes, m.Start(seed))
			f, err := fill(ctx, plan, s, seed, tasks.Task)
			err = cmp.Or(err, tasks.Close())
			f.engine, f.data = m.Made, m.Data()
			return f, err
		},
		Show: showFill,
	}.Experiment()
}

// tasks makes the tasks of one layer with support s.
func (s support) tasks(plan fillPlan, seed uint64) func(rank int) cluster.Task {
	return setup.DrawnTasks(seed, setup.OneLayer(plan.Elements), func(l int, g []float32, r *rand.Rand) {
		if s.Support == supportCommon {
			setup.ScatterWithin(g, s.Density, commonShare, seed, l, r)
			return
		}
		setup.Scatter(g, 1, s.Density, r)
	})
}

// codecIDs is more than the ids of codecs that are chosen from.
const codecIDs = 8

// filledOnce records a block's way round the ring for one seed.
type filledOnce struct {
	Hops   []float64 // [receives in the sum]: share that is not +0
	Totals ringsparse.Totals
	Codecs [][codecIDs]int // [hop][codec.ID]: blocks sent so
	engine string
	data   *result.Data
}

// fill exchanges the gradients of one step as such, and follows the first layer.
func fill(ctx context.Context, plan fillPlan, s support, seed uint64, task func(rank int) cluster.Task) (filledOnce, error) {
	rt := virtual.New(setup.WithLink(setup.Platform(), plan.Link), virtual.Config{Seed: seed, Workers: s.Nodes})
	logs, _, err := cluster.Run(ctx, rt, func(p cluster.Proc) (*ringsparse.Log, error) {
		return ringsparse.Run(p, ringsparse.Job{Task: task(p.Rank()), Rate: 0.05, Steps: 1,
			Options: ringsparse.Options{Kinds: "gradients", Bandwidth: plan.Link * setup.Gigabit, Rates: setup.Platform().Codecs, LogChoices: true}})
	})
	if err != nil {
		return filledOnce{}, fmt.Errorf("ringsparse: fill-in, %s, %d ranks: %w", s.Support, s.Nodes, err)
	}
	f := filledOnce{Hops: make([]float64, s.Nodes), Codecs: make([][codecIDs]int, s.Nodes)}
	all := make([]float64, s.Nodes)
	for _, log := range logs {
		f.Totals.Merge(log.Totals)
		for _, c := range log.Choices {
			if c.Layer != 0 {
				continue
			}
			n := float64(c.DenseBytes)
			f.Hops[c.Hop], all[c.Hop] = f.Hops[c.Hop]+float64(n*c.GradientDensity), all[c.Hop]+n
			f.Codecs[c.Hop][c.Codec]++
		}
	}
	for k := range f.Hops {
		f.Hops[k] /= all[k]
	}
	return f, nil
}

// filled is a support with its seeds; for images Density is the measured one.
type filled struct {
	support
	seeds []filledOnce
}

func newFilled(s support, seeds []filledOnce) filled {
	for _, f := range seeds {
		if s.Support == supportImages {
			s.Density += f.Hops[0] / float64(len(seeds))
		}
	}
	return filled{s, seeds}
}

// measured returns the density after k receives.
func (f filled) measured(k int) kit.Estimate {
	return kit.Each(f.seeds, func(x filledOnce) float64 { return x.Hops[k] }).Mean()
}

// independent returns the density if zeros fell independently.
func (f filled) independent(k int) float64 { return formula.FillIn(f.Density, k) }

// expected returns the closed form of the support that was drawn, independent's for images.
//
//	1−(1−d)^(k+1)   or, within a common set of share d/p,   d/p·(1−(1−p)^(k+1))
func (f filled) expected(k int) float64 {
	if f.Support == supportCommon {
		return f.Density / commonShare * formula.FillIn(commonShare, k)
	}
	return f.independent(k)
}

// worst returns the largest distance from the closed form over hops, in standard
// deviations of a count of that many entries.
func (f filled) worst(entries int) (most float64) {
	for k := range f.Nodes {
		p := f.expected(k)
		most = math.Max(most, math.Abs(f.measured(k).Value-p)/math.Sqrt(p*(1-p)/float64(entries*len(f.seeds))))
	}
	return most
}

// mainly returns the codec that most blocks of a hop were sent with.
func (f filled) mainly(hop int) uint8 {
	var sum [codecIDs]int
	for _, x := range f.seeds {
		for id, n := range x.Codecs[hop] {
			sum[id] += n
		}
	}
	return uint8(slices.Index(sum[:], slices.Max(sum[:])))
}

// sameCodec is a row of hops that were mainly sent with one codec.
type sameCodec struct {
	codec    uint8
	from, to int
}

func (f filled) stretches() (out []sameCodec) {
	for k := range f.Nodes {
		id := f.mainly(k)
		if n := len(out); n > 0 && out[n-1].codec == id {
			out[n-1].to = k
			continue
		}
		out = append(out, sameCodec{id, k, k})
	}
	return out
}

func showFill(v *kit.View[support, filledOnce]) {
	plan := planFill(v.Profile)
	var all []filled
	for _, s := range plan.points() {
		f := newFilled(s, v.At(s))
		if all = append(all, f); s.Support == supportImages {
			v.Engine, v.Data = f.seeds[0].engine, []result.Data{*f.seeds[0].data}
		}
	}
	most := slices.Max(plan.Nodes)
	v.Facts = fillFacts(plan, all)
	v.Frames = []result.Frame{densityFrame(all), hopFrame(plan, all), sentFrame(all), stretchFrame(all)}
	y := []string{"measured", "independent"}
	v.Figures = []result.Figure{
		{ID: "fill-in", Form: "line", Frame: "hops", Where: map[string]any{"n": most, "support": supportEach}, X: "k", Y: y, By: []string{"d"}},
		{ID: "coinciding", Form: "line", Frame: "hops", Where: map[string]any{"n": most, "drawn": true}, X: "k", Y: y, By: []string{"support", "d"}}}
}

// supportHead heads the columns that tell supports apart.
const supportHead = "n support:support d/% "

func (f filled) row(more ...any) []any {
	return append([]any{f.Nodes, f.Support, 100 * f.Density}, more...)
}

func densityFrame(all []filled) result.Frame {
	return kit.Rows("density", supportHead+"k0/%.2 k1/%.2 k3/%.2 last±/%.2 independent/%.2 ratio/.3 less:bool", all, func(f filled) []any {
		at := func(k int) kit.Estimate { return f.measured(k).Times(100) }
		last, want := f.measured(f.Nodes-1).Value, f.independent(f.Nodes-1)
		return f.row(at(0), at(1), at(3), at(f.Nodes-1), 100*want, last/want, last < want)
	})
}

// hopFrame returns the frame of every hop, beside what independent zeros would leave.
func hopFrame(plan fillPlan, all []filled) result.Frame {
	out := kit.NewSheet("hops", supportHead+"k drawn:bool measured/%.2 independent/%.2")
	for _, f := range all {
		drawn := f.Support == supportImages || f.Support == supportCommon && f.Density == plan.Densities[1]
		for k := range f.Nodes {
			out.Add(f.row(k, drawn, f.measured(k).Times(100), 100*f.independent(k))...)
		}
	}
	return out.Frame
}

// sentFrame returns the frame of the bytes over dense blocks' bytes.
func sentFrame(all []filled) result.Frame {
	share := func(these ...ringsparse.Tally) float64 {
		var bytes, dense int64
		for _, t := range these {
			bytes, dense = bytes+t.Bytes, dense+t.DenseBytes
		}
		return 100 * float64(bytes) / float64(dense)
	}
	return kit.Rows("sent", supportHead+"first/%.1 reduce/%.1 gather/%.1 all/%.1", all, func(f filled) []any {
		var t ringsparse.Totals
		for _, x := range f.seeds {
			t.Merge(x.Totals)
		}
		return f.row(share(t.Hops[0]), share(t.Hops...), share(t.Gather), share(t.Sent))
	})
}

// stretchFrame returns the frame of the codecs in the order of hops.
func stretchFrame(all []filled) result.Frame {
	out := kit.NewSheet("codecs", supportHead+"codec:codec from to")
	for _, f := range all {
		for _, s := range f.stretches() {
			c, err := codec.ByID(s.codec)
			if err != nil {
				panic(err) // it was sent
			}
			out.Add(f.row(c.Name(), s.from, s.to)...)
		}
	}
	return out.Frame
}

// fillFacts returns findings, and the numbers of sentences that stand in no frame.
func fillFacts(plan fillPlan, all []filled) []result.Fact {
	worst := 0.0
	for _, f := range all {
		if f.Support == supportEach {
			worst = math.Max(worst, f.worst(plan.Elements))
		}
	}
	return kit.Facts("n", slices.Max(plan.Nodes), "elements", plan.Elements, "link/Gb/s", plan.Link, "within", plan.Within, "common", 1/commonShare,
		"batch", setup.MLPBatch, "worst/.1", worst, "follows", worst <= plan.Within)
}
