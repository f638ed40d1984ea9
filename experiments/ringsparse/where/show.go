package where

import (
	"fmt"
	"math"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
)

// found holds what was computed and run.
type found struct {
	plan          plan
	seeds         []uint64
	points        []point // of the map
	modelled, ran map[point]times
	real          []trained
	near          []closeness
}

// off returns how far a formula is from the run, relative to that.
func off(formula, run float64) float64 { return formula/run - 1 }

// pays reports whether RingSparse meets the criterion.
func (m found) pays(t times) bool { return t.ahead() >= m.plan.Pays }

func (m found) show(r *result.Result) {
	r.Frames = []result.Frame{m.atlas(), m.told(), m.counts(), m.sizes(), m.checked(), m.trained(), m.parameters(), rateFrame()}
	r.Facts = m.facts()
	for _, s := range rateSets() {
		r.Figures = append(r.Figures, result.Figure{ID: "map-" + s.Key, Form: "map", Frame: "map", Where: map[string]any{"rates": s.Key},
			X: "g", Y: []string{"w"}, By: []string{"link"}, State: "fastest", Label: "speedup"})
	}
}

// atlas returns the map: at every point which way is fastest by the formulas, and by how much.
func (m found) atlas() result.Frame {
	head := "rates:rate-set link/Gb/s w/% g/% fastest:way speedup/.1 ahead/%.0 pays:bool above_fixed/%.0"
	return kit.Rows("map", head, m.points, func(c point) []any {
		t := m.modelled[c]
		return []any{c.Rates, c.Gbps, 100 * c.Weights, 100 * c.Gradients, t.fastest(), t["dense"] / t[t.fastest()], 100 * t.ahead(), m.pays(t),
			100 * (t[subject]/t[perKind] - 1)}
	})
}

// head heads the columns of all ways.
const head = "rates:rate-set link/Gb/s dense/ms.2 ringsparse/ms.2 gradients/ms.2 weights/ms.2 gather/ms.2 "

// all returns the milliseconds of every way.
func (t times) all() (out []any) {
	for _, way := range ways {
		out = append(out, 1e3*t[way])
	}
	return out
}

// told returns every way at the plan's own point, by link and rates.
func (m found) told() result.Frame {
	s := kit.NewSheet("told", head+"fixed/ms.2 fastest:way ahead/%.0 pays:bool above_fixed/%.0")
	for _, c := range m.plan.grid(m.plan.Nodes, m.plan.At[:1], m.plan.At[1:]) {
		t := m.modelled[c]
		s.Add(append(append([]any{c.Rates, c.Gbps}, t.all()...), 1e3*t[perKind], t.fastest(), 100*t.ahead(), m.pays(t), 100*(t[subject]/t[perKind]-1))...)
	}
	return s.Frame
}

// counts returns how often each way is fastest on the map, by link and rates.
func (m found) counts() result.Frame {
	s := kit.NewSheet("counts", "rates:rate-set link/Gb/s points dense ringsparse gradients weights gather pays")
	for _, r := range rateSets() {
		for _, gbps := range m.plan.Links {
			won, pays, all := map[string]int{}, 0, 0
			for _, c := range m.points {
				if c.Rates != r.Key || c.Gbps != gbps {
					continue
				}
				t := m.modelled[c]
				won[t.fastest()]++
				if all++; m.pays(t) {
					pays++
				}
			}
			row := []any{r.Key, gbps, all}
			for _, way := range ways {
				row = append(row, won[way])
			}
			s.Add(append(row, pays)...)
		}
	}
	return s.Frame
}

// sizes returns at how many points RingSparse is fastest and pays, by number of workers.
func (m found) sizes() result.Frame {
	return kit.Rows("sizes", "n points first pays", m.plan.Sizes, func(n int) []any {
		points := m.plan.grid(n, m.plan.Weights, m.plan.Gradients)
		var first, pays int
		for _, c := range points {
			t := m.plan.formulas(c)
			if t.fastest() == subject {
				first++
			}
			if m.pays(t) {
				pays++
			}
		}
		return []any{n, len(points), first, pays}
	})
}

// check holds the formulas beside timing-only runs of one number of workers.
type check struct {
	nodes, points, winners, pays int
	off                          float64 // largest of |formula/run − 1|, all ways
}

func (m found) checks() []check {
	return kit.Map(m.plan.Run, func(n int) (k check) {
		k.nodes = n
		for _, c := range m.plan.grid(n, m.plan.RunWeights, m.plan.RunGradients) {
			by, run := m.modelled[c], m.ran[c]
			if k.points++; by.fastest() == run.fastest() {
				k.winners++
			}
			if m.pays(by) == m.pays(run) {
				k.pays++
			}
			for way := range run {
				k.off = math.Max(k.off, math.Abs(off(by[way], run[way])))
			}
		}
		return k
	})
}

// checked returns how far the formulas are from timing-only runs, and how many winners agree.
func (m found) checked() result.Frame {
	return kit.As(result.TimingOnly, kit.Rows("checked", "n points off/% within:bool winners same_pays", m.checks(), func(k check) []any {
		return []any{k.nodes, k.points, 100 * k.off, k.off <= m.plan.Within, k.winners, k.pays}
	}))
}

// times returns what one seed took by every way.
func (t trained) times(of map[string]kit.Sample, seed int) times {
	out := times{}
	for way, s := range of {
		out[way] = s[seed]
	}
	return out
}

// agree counts the seeds on which formula and run name the same way, and finds how far they are apart.
func (t trained) agree() (same int, furthest float64) {
	for i := range t.Seconds[subject] {
		run, by := t.times(t.Seconds, i), t.times(t.Formulas, i)
		if run.fastest() == by.fastest() {
			same++
		}
		for _, way := range ways {
			furthest = math.Max(furthest, math.Abs(off(by[way], run[way])))
		}
	}
	return same, furthest
}

// trained returns the real network: the time of one step by every way, mean over seeds, and the formulas beside it.
func (m found) trained() result.Frame {
	s := kit.NewSheet("trained", head+"fastest:way ahead/%.0 share/%.1 agree off/%.1")
	for _, t := range m.real {
		mean := times{}
		for way, x := range t.Seconds {
			mean[way] = x.Mean().Value
		}
		same, furthest := t.agree()
		share := 100 * t.Bytes[subject].Mean().Value / t.Bytes["dense"].Mean().Value
		s.Add(append(append([]any{t.Rates, t.Gbps}, mean.all()...), mean.fastest(), 100*mean.ahead(), share, same, 100*furthest)...)
	}
	return kit.As(result.Trained, s.Frame)
}

// parameters returns the densities of the real network and how close its parameters stay to the dense ring's.
func (m found) parameters() result.Frame {
	s := kit.NewSheet("parameters", "seed g/%.2 w/%.1 dense/%.1 first share/%.1 last moved/.3")
	for i, c := range m.near {
		s.Add(m.seeds[i], 100*c.Gradients, 100*c.Pruned, 100*c.Dense, c.First, 100*c.Share, c.Last, c.Moved)
	}
	return kit.As(result.Trained, s.Frame)
}

// rateFrame returns the three sets of rates, in GB/s.
func rateFrame() result.Frame {
	s := kit.NewSheet("rates", "work_of:work-of assumed/GB/s measured/GB/s gpu/GB/s")
	for _, r := range gpuRates {
		row := []any{r.Name}
		for _, set := range rateSets() {
			row = append(row, setup.RateOf(set.Rates, r.Name).Encode/1e9)
		}
		s.Add(row...)
	}
	return kit.As(result.Stated, s.Frame)
}

// facts returns findings, and the numbers of sentences that stand in no frame.
func (m found) facts() []result.Fact {
	var first, pays, control, controls int
	most, at := 0.0, point{}
	for _, c := range m.points {
		t := m.modelled[c]
		if t.fastest() == subject {
			first++
		}
		if m.pays(t) {
			pays++
		}
		if c.Weights == 1 || c.Gradients == 1 {
			if controls++; t.fastest() == subject {
				control++
			}
		}
		if t.ahead() > most {
			most, at = t.ahead(), c
		}
	}
	checks := m.checks()
	var points, winners int
	worst := 0.0
	for _, k := range checks {
		points, winners, worst = points+k.points, winners+k.winners, math.Max(worst, k.off)
	}
	var same, all int
	furthest := 0.0
	for _, t := range m.real {
		n, f := t.agree()
		same, all, furthest = same+n, all+len(t.Seconds[subject]), math.Max(furthest, f)
	}
	_, share := kit.Extent(m.near, func(c closeness) float64 { return c.Share })
	_, last := kit.Extent(m.near, func(c closeness) float64 { return c.Last })
	params := 0
	for _, l := range m.plan.Real.Layers(1) {
		params += l.Length
	}
	embedding := m.plan.Real.Vocabulary * m.plan.Real.Width
	out := kit.Facts("n", m.plan.Nodes, "ways", len(ways), "gpu.peak/GB/s", gpuPeak/1e9, "gpu.memory/GB/s", setup.Platform().Workers[0].Memory/1e9,
		"elements/million.0", float64(m.plan.Elements)/1e6, "points", len(m.points), "first", first, "pays", pays,
		"criterion/%.0", 100*m.plan.Pays, "controls", controls, "controls.first", control, "at.w/%.0", 100*m.plan.At[0], "at.g/%.0", 100*m.plan.At[1],
		"ran", points, "ran.winners", winners, "ran.off/%", 100*worst, "ran.limit/%.0", 100*m.plan.Within, "ran.within", worst <= m.plan.Within,
		"real.n", m.plan.RealNodes, "real.cases", all, "real.winners", same, "real.off/%.1", 100*furthest, "real.limit/%.0", 100*m.plan.WithinReal,
		"real.within", furthest <= m.plan.WithinReal, "real.embedding", embedding, "real.pruned", params-embedding, "real.keep/%.0", 100*m.plan.Keep,
		"real.batch", m.plan.RealBatch, "real.steps", m.plan.Steps, "close.share/%.1", 100*share, "close.last", last, "close.limit", m.plan.Close,
		"close.holds", share <= 1 && last <= m.plan.Close)
	if most > 0 {
		out = append(out, kit.Facts("most/%.0", 100*most, "most.rates:rate-set", at.Rates, "most.link/Gb/s", at.Gbps, "most.w/%.0", 100*at.Weights,
			"most.g/%", 100*at.Gradients)...)
	}
	return out
}

// String names a point in progress and errors.
func (c point) String() string {
	return fmt.Sprintf("%s rates, %g Gb/s, weights %g, gradients %g, %d workers", c.Rates, c.Gbps, c.Weights, c.Gradients, c.Nodes)
}
