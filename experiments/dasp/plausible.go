package dasp

import (
	"fmt"
	"math"

	"gradsync/experiments/claims"
	"gradsync/experiments/platforms"
	"gradsync/experiments/result"
)

// baselines are the methods that the paper states a reduction against.
var baselines = []string{"bsp", "ssp", "dssp"}

// rangeTable sets each stated reduction beside the smallest and largest that
// the plausible platforms give, and counts those within the tolerance.
func (r *runs) rangeTable(platform string, others []platforms.Variant, seed uint64) (result.Table, error) {
	t := result.Table{ID: "range", Kind: result.TimingOnly,
		Title: fmt.Sprintf("DASP's reduction over %d plausible platforms", len(others)),
		Caption: "The paper's Tables 1–2 (hardware) are lost. Each row is one stated reduction of the mean iteration time " +
			"(per worker) and what the plausible platforms give: the reference workers and two other sets, each with links of " +
			"1, 10, 25 and 100 Gb/s at every node. The set was fixed before the first run; one seed each.",
		Columns: []result.Column{{Key: "claim", Title: "claim"}, {Key: "model", Title: "model"}, {Key: "against", Title: "against"},
			{Key: "paper", Title: "paper", Unit: "%", Digits: 1}, {Key: "min", Title: "smallest", Unit: "%", Digits: 1},
			{Key: "max", Title: "largest", Unit: "%", Digits: 1}, {Key: "within", Title: "platforms within tolerance"},
			{Key: "nearest", Title: "nearest platform"}}}
	found := map[string][]float64{} // claim → reduction per variant
	ids := reductionClaims(platform)
	for _, v := range others {
		g, err := r.timingGrid(v.Platform, []uint64{seed})
		if err != nil {
			return t, err
		}
		for _, c := range ids {
			x, _ := reduction(values(g[c.model]["dasp"], readings[0].of), values(g[c.model][c.against], readings[0].of))
			found[c.id] = append(found[c.id], x)
		}
	}
	for _, c := range ids {
		t.Rows = append(t.Rows, rangeRow(c, found[c.id], others))
	}
	return t, nil
}

func rangeRow(c reductionClaim, found []float64, others []platforms.Variant) []any {
	stated, _ := claims.Get(c.id)
	paper, _ := stated.Number()
	lo, hi, near, within := math.Inf(1), math.Inf(-1), 0, 0
	for i, x := range found {
		lo, hi = min(lo, x), max(hi, x)
		if math.Abs(x-paper) < math.Abs(found[near]-paper) {
			near = i
		}
		if stated.Tolerance != nil && math.Abs(x-paper) <= *stated.Tolerance {
			within++
		}
	}
	return []any{c.id, title[c.model], title[c.against], paper, lo, hi,
		fmt.Sprintf("%d of %d", within, len(found)), others[near].Name}
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
