package multiverse

import (
	"math"
	"slices"
	"strconv"

	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/shared/cluster"
)

// The scopes of a share: all readings, the admissible ones, and these by their weights.
const (
	everywhere = "all"
	passed     = "admissible"
	weighted   = "likely"
)

// show fills r with what all readings of the paper and all platforms of the second block found.
func show(r *result.Result, e effort, all, laboratory []answer) {
	good := slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return !a.passes.all() })
	v := view{r, e, all, good}
	asked := questions()
	v.facts()
	v.shares(asked)
	v.sizes(asked)
	v.decides(asked)
	v.curves(asked)
	v.selection()
	v.rows(asked)
	v.reference(laboratory)
	for _, q := range asked {
		if q.judged {
			v.Claims = append(v.Claims, v.verdict(q))
		}
	}
	reductions := map[string]any{"reduction": true, "scope": passed}
	v.Figures = append([]result.Figure{{ID: "found", Form: "bar", Frame: "shares", Where: reductions, X: "claim", Y: []string{"same", "opposite", "undecided"}}},
		v.Figures...)
}

// view holds the answers that a result is filled from.
type view struct {
	*result.Result
	e    effort
	all  []answer
	good []answer // the admissible ones
}

// likelies returns the weights of answers.
func likelies(list []answer) []float64 {
	return kit.Map(list, func(a answer) float64 { return a.likely() })
}

// facts says how much was run, and what the filters leave.
func (v *view) facts() {
	count := func(is func(admissible) bool) int {
		return kit.CountIf(v.all, func(a answer) bool { return is(a.passes) })
	}
	sum, squares := 0.0, 0.0
	for _, w := range likelies(v.good) {
		sum, squares = sum+w, squares+float64(w*w)
	}
	percent := func(x float64) float64 { return 100 * x }
	rule := claims.OverReadings
	v.Facts = append(setup.Settings(), kit.Facts("readings", len(v.all), "admissible", len(v.good), "admissible_share/%.0", kit.ShareOf(len(v.good), len(v.all)),
		"f1_equal", count(func(a admissible) bool { return a.Equal }), "f1_unequal", count(func(a admissible) bool { return a.Unequal }),
		"f3", count(func(a admissible) bool { return a.States }), "effective/.0", kit.OnlyIf(squares > 0, sum*sum/squares),
		"axes", len(axes), "timing_seeds", v.e.Seeds, "gradients", v.e.PerWorker, "warmup", v.e.Warmup, "standard_readings", efforts["standard"].Readings,
		"rule_same/%", percent(rule.Same), "rule_opposite/%", percent(rule.Opposite), "rule_differs/%", percent(rule.Differs),
		"rule_no_case/%", percent(rule.NoCase), "rule_undecided/%", percent(rule.Undecided), "rule_least", rule.Least, "central/%", percent(central))...)
}

// tally counts what answers found of q, each with its weight; nil: all alike.
func tally(q question, list []answer, weights []float64) (t claims.Tally) {
	for i, a := range list {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		t.Add(q.find(a.measured, a.reading), w)
	}
	return t
}

// tallies returns the counts of q by scope.
func (v *view) tallies(q question) map[string]claims.Tally {
	return map[string]claims.Tally{everywhere: tally(q, v.all, nil), passed: tally(q, v.good, nil), weighted: tally(q, v.good, likelies(v.good))}
}

// shares lists what readings found of every claim, in per cent; no case is of all, the others are of
// those that have one.
func (v *view) shares(asked []question) {
	s := kit.NewSheet("shares", "claim scope:scope reduction:bool model:model against:method cluster:platform same/%.0 opposite/%.0 undecided/%.0 no_case/%.0")
	for _, q := range asked {
		for _, scope := range []string{everywhere, passed, weighted} {
			t := v.tallies(q)[scope]
			same, opposite, undecided, noCase := t.Shares()
			share := func(x, of float64) float64 { return kit.OnlyIf(of > 0, 100*x) }
			s.Add(q.ID, scope, q.Place >= 0, q.Of.Model, q.Of.Against, clusterOf(q), share(same, t.Cases()), share(opposite, t.Cases()),
				share(undecided, t.Cases()), share(noCase, t.Cases()+t.NoCase))
		}
	}
	v.Frames = append(v.Frames, s.Frame)
}

// clusterOf returns the cluster of a reduction.
func clusterOf(q question) string {
	if q.Place < 0 {
		return ""
	}
	return clusters[q.Place/9]
}

// sorted returns the i-th number that q's claim states, over answers in ascending order.
func sorted(q question, list []answer, i int) []float64 {
	return slices.Sorted(slices.Values(kit.Map(list, func(a answer) float64 { return q.values(a.measured)[i] })))
}

// sizes sets the stated reductions beside the readings' own.
func (v *view) sizes(asked []question) {
	s := kit.NewSheet("sizes", "claim model:model against:method cluster:platform stated/%.1 median/%.1 low/%.1 high/%.1 least/%.1 most/%.1 size:size")
	for _, q := range asked {
		if q.Place < 0 {
			continue
		}
		xs, stated := sorted(q, v.good, 0), setup.StatedNumber(q.ID)
		at := func(p float64) float64 { return quantile(xs, p) }
		s.Add(q.ID, q.Of.Model, q.Of.Against, clusterOf(q), stated, at(0.5), at((1-central)/2), at((1+central)/2), at(0), at(1), sizeOf(stated, xs))
	}
	v.Frames = append(v.Frames, s.Frame)
}

// permutations is how often readings' answers are shuffled, and byChance how often the best of all
// axes may then explain as much as the deciding one does. They were added after quick's first run,
// in which the best of 20 axes explained chance; no verdict rests on them.
const (
	permutations = 200
	byChance     = 0.05
)

// deciding returns the axis that explains most of whether q's claim holds among admissible readings
// that have a case, and its share of the variance; −1 where shuffled answers would often be
// explained as well.
func (v *view) deciding(q question) (axis int, share float64) {
	var levels [][]int
	var holds []bool
	for _, a := range v.good {
		if found := q.find(a.measured, a.reading); found != claims.NoCase {
			levels, holds = append(levels, a.reading), append(holds, found == claims.Holds)
		}
	}
	axis, share = claims.Deciding(levels, holds)
	r, often := cluster.Stream(designSeed, 0, q.ID, "dasp/multiverse/permutations"), 0
	for range permutations {
		r.Shuffle(len(holds), func(i, j int) { holds[i], holds[j] = holds[j], holds[i] })
		if _, x := claims.Deciding(levels, holds); x >= share {
			often++
		}
	}
	if float64(often) > byChance*permutations {
		return -1, 0
	}
	return axis, share
}

// decides lists the deciding axis of every claim and the share that holds on each of its levels.
func (v *view) decides(asked []question) {
	s := kit.NewSheet("decides", "claim choice:choice variance/%.0 level:level same/%.0 cases")
	for _, q := range asked {
		a, share := v.deciding(q)
		if a < 0 {
			continue
		}
		for l, level := range axes[a].Levels {
			t := tally(q, slices.DeleteFunc(slices.Clone(v.good), func(x answer) bool { return x.reading[a] != l }), nil)
			same, _, _, _ := t.Shares()
			s.Add(q.ID, axes[a].Key, 100*share, level.Key, kit.OnlyIf(t.Cases() > 0, 100*same), int(t.Cases()))
		}
	}
	v.Frames = append(v.Frames, s.Frame)
}

// curves is the specification curve of every reduction: its values in ascending order, by the share
// of admissible readings that lie below. Two figures show ResNet-18's.
func (v *view) curves(asked []question) {
	s := kit.NewSheet("curves", "cluster:platform equal:bool model:model against:method below/%.0 reduction/%.1")
	for _, q := range asked {
		if q.Place < 0 || len(v.good) == 0 {
			continue
		}
		xs := sorted(q, v.good, 0)
		for p := 0; p <= 100; p += 4 {
			s.Add(clusterOf(q), q.Place < 9, q.Of.Model, q.Of.Against, p, quantile(xs, float64(p)/100))
		}
	}
	v.Frames = append(v.Frames, s.Frame)
	if len(v.good) == 0 {
		return
	}
	for i, name := range []string{"equal", "unequal"} {
		v.Figures = append(v.Figures, result.Figure{ID: "curve-" + name, Form: "line", Frame: "curves", X: "below", Y: []string{"reduction"}, By: []string{"against"},
			Where: map[string]any{"equal": i == 0, "model": "resnet18"}})
	}
}

// selection lists every level with its weight and how many readings of it there are and pass.
func (v *view) selection() {
	s := kit.NewSheet("selection", "choice:choice level:level weight/%.0 readings admissible passing/%.0")
	for a, x := range axes {
		for l, level := range x.Levels {
			of := func(list []answer) int { return kit.CountIf(list, func(y answer) bool { return y.reading[a] == l }) }
			weight := level.Weight
			if weight == 0 {
				weight = 1 / float64(len(x.Levels))
			}
			s.Add(x.Key, level.Key, 100*weight, of(v.all), of(v.good), kit.ShareOf(of(v.good), of(v.all)))
		}
	}
	v.Frames = append(v.Frames, s.Frame)
}

// digits writes a reading as a digit per axis, the place of its level.
func (r reading) digits() (s string) {
	for _, l := range r {
		s += strconv.Itoa(l)
	}
	return s
}

// letters are the findings in the frame of readings.
var letters = map[string]string{claims.Holds: "s", claims.Differs: "o", claims.Undecided: "u", claims.NoCase: "n"}

// rows lists every reading, so that anybody can recompute all shares: its levels, the filters that
// it passes, what it found of each claim by a letter, and DASP's time over a rival's, D01 to D18, in
// thousandths of the natural logarithm.
func (v *view) rows(asked []question) {
	columns := "reading levels admissible f1_equal f1_unequal f3 found"
	for _, red := range reductions() {
		columns += " " + red.ID
	}
	s := kit.NewSheet("readings", columns)
	for i, a := range v.all {
		found := ""
		for _, q := range asked {
			found += letters[q.find(a.measured, a.reading)]
		}
		s.Add(append([]any{i + 1, "r" + a.digits(), a.passes.all(), a.passes.Equal, a.passes.Unequal, a.passes.States, found}, thousandths(a.vector())...)...)
	}
	v.Frames = append(v.Frames, s.Frame)
}

func thousandths(xs [18]float64) (out []any) {
	for _, x := range xs {
		out = append(out, math.Round(1000*x))
	}
	return out
}

// verdict judges q over the admissible readings.
func (v *view) verdict(q question) result.Claim {
	counts := v.tallies(q)
	same, opposite, undecided, noCase := counts[passed].Shares()
	likely, _, _, _ := counts[weighted].Shares()
	args := []any{"readings", len(v.good), "same", 100 * same, "opposite", 100 * opposite, "undecided", 100 * undecided, "none", 100 * noCase,
		"likely", 100 * likely}
	if a, share := v.deciding(q); a >= 0 {
		args = append(args, "choice", axes[a].Key, "variance", 100*share)
	}
	f := claims.Found{Seeds: v.e.Seeds, Network: q.Of.Model, Rival: q.Of.Against, Cluster: clusterOf(q)}
	if len(v.good) > 0 && q.values != nil {
		for i := range q.values(v.good[0].measured) {
			f.Values = append(f.Values, quantile(sorted(q, v.good, i), 0.5))
		}
	}
	if q.Place >= 0 {
		f.Table = []string{"4", "5"}[q.Place/9]
		if len(v.good) > 0 {
			args = append(args, "size", sizeOf(setup.StatedNumber(q.ID), sorted(q, v.good, 0)))
		}
	}
	f.Readings = &claims.Readings{Verdict: claims.OverReadings.Judge(counts[passed], counts[weighted]), Why: result.Because("over-readings", args...)}
	return claims.Verdict(q.ID, f)
}
