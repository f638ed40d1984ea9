package multiverse

import (
	"cmp"
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
	v := view{r, e, all, good, []string{everywhere, passed, weighted}}
	if e.StatesFirst {
		v.scopes = v.scopes[1:]
	}
	asked := questions()
	v.facts()
	v.shares(asked)
	v.sizes(asked)
	v.decides(asked)
	v.curves(asked)
	v.byMean(asked)
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
	// scopes lists those of shares: not all readings where some are not timed.
	scopes []string
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
	ofAll := func(is func(admissible) bool) any {
		if slices.Contains(v.scopes, everywhere) {
			return count(is)
		}
		return math.NaN()
	}
	var worth claims.Tally
	for _, w := range likelies(v.good) {
		worth.Add(claims.Holds, w)
	}
	_, effective := worth.Effective()
	percent := func(x float64) float64 { return 100 * x }
	rule := claims.OverReadings
	v.Facts = append(setup.Settings(), kit.Facts("readings", len(v.all), "admissible", len(v.good), "admissible_share/%.0", kit.ShareOf(len(v.good), len(v.all)),
		"f1_equal", ofAll(func(a admissible) bool { return a.Equal }),
		"f1_unequal", ofAll(func(a admissible) bool { return a.Unequal }),
		"f3", count(func(a admissible) bool { return a.States }), "effective/.0", kit.OnlyIf(effective > 0, effective), "enough", claims.OverReadings.Enough(worth),
		"axes", len(axes), "timing_seeds", v.e.Seeds, "gradients", v.e.PerWorker, "warmup", v.e.Warmup, "standard_readings", efforts["standard"].Readings,
		"rule_same/%", percent(rule.Same), "rule_opposite/%", percent(rule.Opposite), "rule_differs/%", percent(rule.Differs),
		"rule_no_case/%", percent(rule.NoCase), "rule_undecided/%", percent(rule.Undecided), "rule_least", rule.Least,
		"central/%", percent(central), "least_sized", leastSized)...)
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
	out := map[string]claims.Tally{passed: tally(q, v.good, nil), weighted: tally(q, v.good, likelies(v.good))}
	if slices.Contains(v.scopes, everywhere) {
		out[everywhere] = tally(q, v.all, nil)
	}
	return out
}

// shares lists what readings found of every claim, in per cent with Wilson's interval; no case is of
// all, the others are of those that have one, whose effective number stands beside them.
func (v *view) shares(asked []question) {
	s := kit.NewSheet("shares", "claim scope:scope reduction:bool model:model against:method cluster:platform effective/.0 "+
		"same~/%.0 opposite~/%.0 undecided~/%.0 no_case~/%.0").Plain()
	for _, q := range asked {
		for _, scope := range v.scopes {
			t := v.tallies(q)[scope]
			same, opposite, undecided, noCase := t.Shares()
			cases, all := t.Effective()
			s.Add(q.ID, scope, q.Place >= 0, q.Of.Model, q.Of.Against, clusterOf(q), kit.OnlyIf(cases > 0, cases), percentOf(same, cases),
				percentOf(opposite, cases), percentOf(undecided, cases), percentOf(noCase, all))
		}
	}
	v.Frames = append(v.Frames, s.Frame)
}

// percentOf returns a share of n readings in per cent, with Wilson's interval; no number of none.
func percentOf(share, n float64) kit.Estimate {
	if n <= 0 {
		return kit.Estimate{}
	}
	low, high := claims.Wilson(share, n)
	return kit.Estimate{Value: 100 * share, CI: &[2]float64{100 * low, 100 * high}, N: int(math.Ceil(n))}
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

// worse orders the sizes.
var worse = map[string]int{"": 0, reached: 1, atTheEdge: 2, outOfReach: 3}

// byMean sets what readings have of each reduction by the definition of the mean beside the stated
// one. A size needs a definition if it is less without it.
func (v *view) byMean(asked []question) {
	s := kit.NewSheet("by-mean", "claim model:model against:method cluster:platform stated/%.1 level:level readings median/%.1 most/%.1 without:size needs:bool")
	a := slices.IndexFunc(axes, func(x axis) bool { return x.Key == "mean" })
	for _, q := range asked {
		if q.Place < 0 {
			continue
		}
		stated := setup.StatedNumber(q.ID)
		size := sizeOf(stated, sorted(q, v.good, 0))
		for l, level := range axes[a].Levels {
			is := func(x answer) bool { return x.reading[a] == l }
			own := slices.DeleteFunc(slices.Clone(v.good), func(x answer) bool { return !is(x) })
			xs := sorted(q, own, 0)
			without := sizeOf(stated, sorted(q, slices.DeleteFunc(slices.Clone(v.good), is), 0))
			s.Add(q.ID, q.Of.Model, q.Of.Against, clusterOf(q), stated, level.Key, len(own), quantile(xs, 0.5), quantile(xs, 1), without,
				size != "" && worse[without] > worse[size])
		}
	}
	v.Frames = append(v.Frames, s.Frame)
}

// permutations is how often readings' answers are shuffled, and byChance how often the best of all
// axes may then explain as much as the deciding one does. No verdict rests on them.
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

// selection lists every level with its weight and how many readings of it there are and pass, and
// the choices whose levels pass most unequally: drivers of them.
func (v *view) selection() {
	s := kit.NewSheet("selection", "choice:choice level:level weight/%.0 readings admissible passing/%.0")
	type driver struct {
		choice, most, least string
		high, low           float64
	}
	var found []driver
	for a, x := range axes {
		d := driver{choice: x.Key, low: math.Inf(1), high: math.Inf(-1)}
		for l, level := range x.Levels {
			of := func(list []answer) int { return kit.CountIf(list, func(y answer) bool { return y.reading[a] == l }) }
			weight := level.Weight
			if weight == 0 {
				weight = 1 / float64(len(x.Levels))
			}
			passing := kit.ShareOf(of(v.good), of(v.all))
			s.Add(x.Key, level.Key, 100*weight, of(v.all), of(v.good), passing)
			if passing > d.high {
				d.most, d.high = level.Key, passing
			}
			if passing < d.low {
				d.least, d.low = level.Key, passing
			}
		}
		found = append(found, d)
	}
	slices.SortStableFunc(found, func(a, b driver) int { return cmp.Compare(b.high-b.low, a.high-a.low) })
	drives := kit.NewSheet("drives", "choice:choice passes_most:level most_passing/%.0 passes_least:level least_passing/%.0")
	for _, d := range found[:drivers] {
		drives.Add(d.choice, d.most, d.high, d.least, d.low)
	}
	v.Frames = append(v.Frames, s.Frame, drives.Frame)
}

// drivers is how many choices are named that drive which readings are admissible.
const drivers = 2

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
		row := []any{i + 1, "r" + a.digits(), a.passes.all(), nil, nil, a.passes.States, nil}
		if a.timed {
			found := ""
			for _, q := range asked {
				found += letters[q.find(a.measured, a.reading)]
			}
			row[3], row[4], row[6] = a.passes.Equal, a.passes.Unequal, found
		}
		s.Add(append(row, a.thousandths()...)...)
	}
	v.Frames = append(v.Frames, s.Frame)
}

// thousandths returns a's vector in thousandths, nothing of a reading that is not timed.
func (a answer) thousandths() []any {
	out := make([]any, len(reductions()))
	if a.timed {
		for i, x := range a.vector() {
			out[i] = math.Round(1000 * x)
		}
	}
	return out
}

// verdict judges q over the admissible readings.
func (v *view) verdict(q question) result.Claim {
	counts := v.tallies(q)
	judged := []claims.Tally{counts[passed], counts[weighted]}
	worth := func(t claims.Tally) float64 { _, all := t.Effective(); return all }
	code, args := "too-few-readings", []any{"readings", len(v.good), "effective", worth(counts[weighted]), "least", claims.OverReadings.Least}
	if claims.OverReadings.Enough(judged...) {
		same, opposite, undecided, noCase := counts[passed].Shares()
		likely, _, likelyOpen, _ := counts[weighted].Shares()
		low, high := claims.Wilson(same, counts[passed].Cases())
		code = "over-readings"
		args = append(args, "cases", int(counts[passed].Cases()), "same", 100*same, "low", 100*low, "high", 100*high, "opposite", 100*opposite,
			"undecided", 100*undecided, "none", 100*noCase, "likely", 100*likely, "likely_open", 100*likelyOpen)
		if a, share := v.deciding(q); a >= 0 {
			args = append(args, "choice", axes[a].Key, "variance", 100*share)
		}
	}
	f := claims.Found{Seeds: v.e.Seeds, Network: q.Of.Model, Rival: q.Of.Against, Cluster: clusterOf(q)}
	if len(v.good) > 0 && q.values != nil {
		for i := range q.values(v.good[0].measured) {
			f.Values = append(f.Values, quantile(sorted(q, v.good, i), 0.5))
		}
	}
	if q.Place >= 0 {
		f.Table = []string{"4", "5"}[q.Place/9]
		if size := sizeOf(setup.StatedNumber(q.ID), sorted(q, v.good, 0)); size != "" {
			args = append(args, "size", size)
		}
	}
	f.Readings = &claims.Readings{Verdict: claims.OverReadings.Judge(judged...), Why: result.Because(code, args...)}
	return claims.Verdict(q.ID, f)
}
