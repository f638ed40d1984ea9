package dasp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gradsync/experiments/claims"
	"gradsync/experiments/platforms"
	result "gradsync/experiments/result1"
	"gradsync/experiments/train"
)

// overheads are what an iteration costs beside its layers, on the reference
// device: a third, the default and three times it. LeNet-5's iteration is
// little else.
var overheads = []time.Duration{train.DefaultOverhead / 3, train.DefaultOverhead, 3 * train.DefaultOverhead}

// fixedCost is what a reader of LeNet-5's rows must know.
var fixedCost = fmt.Sprintf("LeNet-5's arithmetic takes a few hundredths of a millisecond at batch %d; its iteration time is almost all the assumed "+
	"cost of an iteration beside its layers (%v on the reference device, scaled with a machine's speed). Its rows rest on that one number; the range varies it threefold either way.",
	fullBatch, train.DefaultOverhead)

// baselines are the methods that the paper states a reduction against.
var baselines = []string{"bsp", "ssp", "dssp"}

// found is what the plausible platforms gave of one stated reduction.
type found struct {
	reductions []float64            // per cent, one per platform
	names      []string             // of the platforms
	share      map[string][]float64 // DASP's share of pushes by state
}

// plausibleRun is every model and method on one plausible platform with one
// overhead: one seed.
type plausibleRun struct {
	platforms.Variant
	overhead time.Duration
	grid     grid
}

// overPlausible runs every model and method on every plausible platform.
func (r *runs) overPlausible(others []platforms.Variant, seed uint64) (out []plausibleRun, err error) {
	for _, v := range others {
		for _, overhead := range overheads {
			g, err := r.timingGrid(v.Platform, overhead, []uint64{seed})
			if err != nil {
				return nil, err
			}
			out = append(out, plausibleRun{v, overhead, g})
		}
	}
	return out, nil
}

// rangeTable sets each stated reduction beside the smallest and largest that
// the plausible platforms give, and counts those within the tolerance. The
// second value is, by claim, what stands beside its verdict: a reduction's row in
// words, and the ranges of the ratios that restate it.
func rangeTable(platform string, wide []plausibleRun) (result.Table, map[string]string) {
	t := newRangeTable(len(wide))
	ids := reductionClaims(platform)
	all := make([]found, len(ids))
	for _, p := range wide {
		for i, c := range ids {
			all[i].add(fmt.Sprintf("%s, %v", p.Name, p.overhead), p.grid[c.model]["dasp"][0], p.grid[c.model][c.against][0])
		}
	}
	words := map[string]string{}
	for i, c := range ids {
		row := rangeRow(c, all[i])
		t.Rows = append(t.Rows, row)
		words[c.id] = fmt.Sprintf("; over the plausible platforms from %.1f to %.1f %%, within the tolerance on %s", row[4], row[5], row[6])
	}
	for i, m := range models {
		words[ratioClaim(platform, i)] = ratioRange(m, wide)
	}
	return t, words
}

// ratioRange is the smallest and largest iteration time of DASP, SSP and DSSP
// that the plausible platforms give, BSP = 1.
func ratioRange(model string, wide []plausibleRun) string {
	if len(wide) == 0 {
		return ""
	}
	var parts []string
	for _, method := range ratioMethods {
		var x []float64
		for _, p := range wide {
			x = append(x, perIteration(p.grid[model][method][0])/perIteration(p.grid[model]["bsp"][0]))
		}
		parts = append(parts, fmt.Sprintf("%s/BSP from %.3f to %.3f", title[method], slices.Min(x), slices.Max(x)))
	}
	return fmt.Sprintf("; over %d plausible platforms %s", len(wide), strings.Join(parts, ", "))
}

func newRangeTable(n int) result.Table {
	return result.Table{ID: "range", Kind: result.TimingOnly, Title: fmt.Sprintf("DASP's reduction over %d plausible platforms", n),
		Caption: fmt.Sprintf("The paper's Tables 1–2 (hardware) are lost. Each row is one stated reduction of the mean iteration time "+
			"(per worker) and what the plausible platforms give: the reference workers and two other sets, each with links of "+
			"1, 10, 25 and 100 Gb/s at every node, each with %v, %v or %v per iteration beside the layers. Worker sets and links were fixed "+
			"before the first run; the last axis was added after it, because LeNet-5 hangs on that cost. One seed each. "+
			"The states are the smallest and largest share of DASP's pushes.", overheads[0], overheads[1], overheads[2]),
		Columns: []result.Column{{Key: "claim", Title: "claim"}, {Key: "model", Title: "model"}, {Key: "against", Title: "against"},
			{Key: "paper", Title: "paper", Unit: "%", Digits: 1}, {Key: "min", Title: "smallest", Unit: "%", Digits: 1},
			{Key: "max", Title: "largest", Unit: "%", Digits: 1}, {Key: "within", Title: "within tolerance"},
			{Key: "nearest", Title: "nearest platform"}, {Key: "states", Title: "QIS, WSS, FSS"}}}
}

func (f *found) add(name string, ours, base cell) {
	x, _ := reduction([]float64{perIteration(ours)}, []float64{perIteration(base)})
	f.reductions, f.names = append(f.reductions, x), append(f.names, name)
	if f.share == nil {
		f.share = map[string][]float64{}
	}
	for _, s := range states {
		f.share[s] = append(f.share[s], 100*ours.Share[s])
	}
}

func rangeRow(c reductionClaim, f found) []any {
	stated, _ := claims.Get(c.id)
	paper, _ := stated.Number()
	near, within := 0, 0
	for i, x := range f.reductions {
		if math.Abs(x-paper) < math.Abs(f.reductions[near]-paper) {
			near = i
		}
		if stated.Tolerance != nil && math.Abs(x-paper) <= *stated.Tolerance {
			within++
		}
	}
	var shares []string
	for _, s := range states {
		shares = append(shares, fmt.Sprintf("%.0f–%.0f", slices.Min(f.share[s]), slices.Max(f.share[s])))
	}
	return []any{c.id, title[c.model], title[c.against], paper, slices.Min(f.reductions), slices.Max(f.reductions),
		fmt.Sprintf("%d of %d", within, len(f.reductions)), f.names[near], strings.Join(shares, ", ") + " %"}
}

// reductionClaim is one stated reduction of the mean iteration time.
type reductionClaim struct{ id, model, against string }

// reductionClaims are D01–D09 of the homogeneous and D10–D18 of the
// heterogeneous cluster: model by model, against BSP, SSP, DSSP.
func reductionClaims(platform string) []reductionClaim {
	first := 1
	if platform == heterogeneous {
		first = 10
	}
	var out []reductionClaim
	for i, m := range models {
		for j, b := range baselines {
			out = append(out, reductionClaim{fmt.Sprintf("D%02d", first+len(baselines)*i+j), m, b})
		}
	}
	return out
}

// ratioMethods are the methods of D42–D47, as their rows list them: over BSP.
var ratioMethods = []string{"dasp", "ssp", "dssp"}

// ratioClaim is D42–D44 of the homogeneous and D45–D47 of the heterogeneous
// cluster: by the model's place.
func ratioClaim(platform string, model int) string {
	first := 42
	if platform == heterogeneous {
		first = 45
	}
	return fmt.Sprintf("D%02d", first+model)
}
