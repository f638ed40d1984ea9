// Package abstracts examines the percentages in which the paper's two abstracts disagree.
package abstracts

import (
	"context"
	"math"
	"slices"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/codedsgd/timing"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// What §3.2.5, the conclusion and the English abstract state against SSGD, in percent.
// 53.97 for the DNN is the same in all. The Chinese abstract's list, "SSGD and ASGD …
// DNN and CNN … 53.97, 26.89 and 39.11, 26.37", can be read either way.
const (
	statedDNN     = 53.97
	statedChinese = 39.11 // the CNN: the Chinese body (§3.2.5) and conclusion
	statedEnglish = 26.89 // the CNN: English abstract
)

// rounding is half of the last digit that they are stated to.
const rounding = 0.005

// modelCase is one form, law and set of node counts.
type modelCase struct {
	Form     timing.Form
	Law      timing.Law
	Counts   nodeSet
	DNN, CNN [2]float64 // savings in percent, over all ratios that fit r*
}

// modelCases lists every case, with the savings at the best of some redundancies.
func modelCases(rs redundancies) (out []modelCase) {
	for _, f := range timing.Forms {
		for _, c := range nodeCounts {
			for _, l := range timing.Laws {
				if len(c.Nodes) == 1 && l.Key != timing.Laws[0].Key {
					continue // at 8 nodes the laws agree
				}
				x := modelCase{Form: f, Law: l, Counts: c}
				a, b := extent(f, setup.DNN.Best, l, c, rs)
				x.DNN = [2]float64{100 * a, 100 * b}
				a, b = extent(f, setup.CNN.Best, l, c, rs)
				x.CNN = [2]float64{100 * a, 100 * b}
				out = append(out, x)
			}
		}
	}
	return out
}

// holdsIn reports whether a stated percentage lies in a range, as far as it is stated.
func holdsIn(stated float64, span [2]float64) bool {
	return stated >= span[0]-rounding && stated <= span[1]+rounding
}

// chinese and english report whether a reading is possible in the case: its two
// numbers against SSGD. No time model speaks of ASGD.
func (x modelCase) chinese() bool { return x.dnn() && x.zh() }

func (x modelCase) english() bool { return x.dnn() && x.en() }

func (x modelCase) dnn() bool { return holdsIn(statedDNN, x.DNN) }

func (x modelCase) zh() bool { return holdsIn(statedChinese, x.CNN) }

func (x modelCase) en() bool { return holdsIn(statedEnglish, x.CNN) }

// Experiment examines which of two stated percentages the paper's own model allows.
func Experiment() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/abstracts", Source: "CSSGD, abstracts, §3.2.4 and §3.2.5", Kind: result.Modelled, Profiles: exp.Profiles,
		Seedless: true, Seconds: setup.Seconds(0.2, 0.2),
		Config: func(string) map[string]any {
			return map[string]any{"forms": timing.Forms, "laws": keys(timing.Laws), "node_counts": nodeCounts,
				"anchor":          setup.Anchor,
				"best_redundancy": map[string]int{setup.DNN.Key: setup.DNN.Best, setup.CNN.Key: setup.CNN.Best},
				"stated":          map[string]float64{"dnn": statedDNN, "cnn_chinese": statedChinese, "cnn_english": statedEnglish}}
		},
		Run: func(_ context.Context, _ exp.Env, r *result.Result) error {
			cases, drawn := modelCases(setup.Choices), modelCases(setup.Drawn)
			r.Frames = append(showCases(cases), savingsFrame("drawn", drawn), implied(), fits())
			showCurves(r)
			r.Facts = append(abstractsFacts(cases), drawnFacts(drawn)...)
			return nil
		}}.Experiment()
}

// excludes says whose numbers the model excludes, by the cases in which each reading is possible.
func excludes(chinese, english int) string {
	return map[[2]bool]string{{true, true}: "neither", {true, false}: "english", {false, true}: "chinese", {}: "both"}[[2]bool{chinese > 0, english > 0}]
}

// inside says whether a number is possible in all of the cases, in none or in some.
func inside(cases []modelCase, number func(modelCase) bool) string {
	switch kit.CountIf(cases, number) {
	case 0:
		return "none"
	case len(cases):
		return "all"
	}
	return "some"
}

// alone reports whether x is over the anchor's nodes alone.
func (x modelCase) alone() bool { return len(x.Counts.Nodes) == 1 }

// key names a case: its form, its node counts and its law; at 8 nodes alone the laws agree.
func (x modelCase) key() []any {
	if x.alone() {
		return []any{x.Form.Key, x.Counts.Key, nil}
	}
	return []any{x.Form.Key, x.Counts.Key, x.Law.Key}
}

const caseColumns = "form:curve nodes:counts law:curve "

// showCases fills in the whole examination, and, by bisection, which ratio each stated
// number needs.
func showCases(cases []modelCase) []result.Frame {
	needed := kit.NewSheet("needed", caseColumns+"dnn/.2 cnn-zh/.2 cnn-en/.2")
	possible := kit.NewSheet("possible", "reading:reading form:curve law:curve")
	named := map[string]bool{}
	for _, x := range cases {
		if !x.Form.Multicast {
			ratio := func(percent float64) float64 { return ratioFor(x.Form, x.Law, x.Counts, percent/100) }
			needed.Add(append(x.key(), ratio(statedDNN), ratio(statedChinese), ratio(statedEnglish))...)
		}
	}
	for _, reading := range []string{"zh", "en"} {
		for _, x := range cases {
			key := reading + x.Form.Key + x.Law.Key // a law once, whatever the node counts
			if is := map[string]bool{"zh": x.chinese(), "en": x.english()}[reading]; is && !x.alone() && !named[key] {
				named[key] = true
				possible.Add(reading, x.Form.Key, x.Law.Key)
			}
		}
	}
	return []result.Frame{savingsFrame("savings", cases), needed.Frame, possible.Frame}
}

// savingsFrame lists what each case can save, and whether the stated numbers lie in it.
func savingsFrame(id string, cases []modelCase) result.Frame {
	return kit.Rows(id, caseColumns+"dnn-lo/%.1 dnn-hi/%.1 cnn-lo/%.1 cnn-hi/%.1 dnn cnn-zh cnn-en zh en", cases, func(x modelCase) []any {
		return append(x.key(), x.DNN[0], x.DNN[1], x.CNN[0], x.CNN[1], x.dnn(), x.zh(), x.en(), x.chinese(), x.english())
	})
}

// drawnFacts counts in which cases over several node counts each reading is possible at the
// best of the redundancies that the paper draws.
func drawnFacts(cases []modelCase) []result.Fact {
	over := slices.DeleteFunc(slices.Clone(cases), func(x modelCase) bool { return x.alone() || x.Form.Multicast })
	zh, en := kit.CountIf(over, modelCase.chinese), kit.CountIf(over, modelCase.english)
	return kit.Facts("drawn.cases", len(over), "drawn.cases.zh", zh, "drawn.cases.en", en, "drawn.excludes:excludes", excludes(zh, en))
}

// percentages are stated against ASGD by each reading: the DNN's and the CNN's.
var percentages = map[string][2]float64{"zh": {26.89, 26.37}, "en": {39.11, 26.37}}

// implied lists what each reading implies of ASGD beside SSGD.
func implied() result.Frame {
	f := kit.NewSheet("implied", "reading:reading net:network ssgd/%.2 asgd/%.2 ratio/.3")
	for _, reading := range []string{"zh", "en"} {
		for i, w := range setup.Networks() {
			ssgd := [2]float64{statedDNN, map[string]float64{"zh": statedChinese, "en": statedEnglish}[reading]}[i]
			asgd := percentages[reading][i]
			f.Add(reading, w.Key, ssgd, asgd, (100-ssgd)/(100-asgd))
		}
	}
	return f.Frame
}

// fits says between which ratios each network's best redundancy is best at 8 nodes, and
// what is saved at the upper end, against unicasts and against multicasts.
func fits() result.Frame {
	f := kit.NewSheet("fits", "form:curve network:network r from to saving/%.1 multicast/%.1")
	for _, m := range []timing.Form{timing.Exact, timing.Short} {
		for i, r := range []int{setup.DNN.Best, setup.CNN.Best} {
			from, to := m.Ratios(r)
			f.Add(m.Key, setup.Networks()[i].Key, r, from, to, 100*m.Saving(setup.Anchor, to), 100*timing.Beside.Saving(setup.Anchor, to))
		}
	}
	return f.Frame
}

// keys lists the keys of laws.
func keys(laws []timing.Law) []string {
	return kit.Map(laws, func(l timing.Law) string { return l.Key })
}

// mostDrawn is the largest ratio that is drawn.
const mostDrawn = 12.0

// curves lists savings over the drawn ratios, and the stated numbers as levels from end to
// end.
func curves(id string, keys []string, saving func(k int, rho float64) float64) result.Frame {
	f := kit.NewSheet(id, "ratio curve:curve saving/%.1")
	for k, key := range keys {
		for rho := 0.0; rho <= mostDrawn; rho += 0.25 {
			f.Add(rho, key, 100*saving(k, rho))
		}
	}
	for k, key := range []string{"stated-dnn", "stated-zh", "stated-en"} {
		for _, rho := range []float64{0, mostDrawn} {
			f.Add(rho, key, []float64{statedDNN, statedChinese, statedEnglish}[k])
		}
	}
	return f.Frame
}

// showCurves draws what the best redundancy saves: at 8 nodes by each form, and as the mean
// over 2 to 10 nodes in the exact form by each law.
func showCurves(r *result.Result) {
	r.Frames = append(r.Frames,
		curves("at-eight", kit.Map(timing.Forms, func(f timing.Form) string { return f.Key }),
			func(k int, rho float64) float64 { return timing.Forms[k].Saving(setup.Anchor, rho) }),
		curves("at-all", keys(timing.Laws),
			func(k int, rho float64) float64 { return meanSaving(timing.Exact, timing.Laws[k], nodeCounts[1], rho) }))
	r.Figures = []result.Figure{{ID: "eight", Form: "line", Frame: "at-eight", X: "ratio", Y: []string{"saving"}, By: []string{"curve"}},
		{ID: "means", Form: "line", Frame: "at-all", X: "ratio", Y: []string{"saving"}, By: []string{"curve"}}}
}

func abstractsFacts(cases []modelCase) []result.Fact {
	var several, alone []modelCase
	best := math.Inf(-1) // largest saving against multicasts
	for _, x := range cases {
		switch {
		case x.Form.Multicast:
			best = max(best, x.DNN[1], x.CNN[1])
		case x.alone():
			alone = append(alone, x)
		default:
			several = append(several, x)
		}
	}
	in := func(is func(modelCase) bool) int { return kit.CountIf(several, is) }
	zh, en := in(modelCase.chinese), in(modelCase.english)
	ofDNN, ofZH, ofEN := inside(alone, modelCase.dnn), inside(alone, modelCase.zh), inside(alone, modelCase.en)
	_, most := timing.Exact.Ratios(setup.CNN.Best)
	all := nodeCounts[1].Nodes
	out := kit.Facts("stated.dnn/%.2", statedDNN, "stated.zh/%.2", statedChinese, "stated.en/%.2", statedEnglish,
		"asgd.dnn.zh/%.2", percentages["zh"][0], "asgd.dnn.en/%.2", percentages["en"][0], "asgd.cnn/%.2", percentages["zh"][1],
		"anchor", setup.Anchor, "best.dnn", setup.DNN.Best, "best.cnn", setup.CNN.Best, "nodes.least", all[0], "nodes.most", all[len(all)-1],
		"cases", len(several), "cases.zh", zh, "cases.en", en, "cases.dnn", in(modelCase.dnn),
		"cases.cnn-zh", in(modelCase.zh), "cases.cnn-en", in(modelCase.en), "excludes:excludes", excludes(zh, en),
		"alone.dnn:inside", ofDNN, "alone.zh:inside", ofZH, "alone.en:inside", ofEN,
		"alone.english", ofEN != "none" && ofZH == "none" && ofDNN == "none",
		"multicast.longer", best < 0, "multicast/%.1", math.Abs(best), "ratio.cnn", most)
	for _, l := range timing.Laws {
		out = append(out, kit.Facts("mean."+l.Key+"/%.1", 100*meanSaving(timing.Exact, l, nodeCounts[1], most))...)
	}
	return out
}

// nodeSet are sets of node counts that the means of §3.2.5 may be over.
type nodeSet struct {
	Key   string `json:"key"`
	Nodes []int  `json:"nodes"`
}

var nodeCounts = []nodeSet{
	{"eight", []int{8}},
	{"all", []int{2, 3, 4, 5, 6, 7, 8, 9, 10}},
	{"even", []int{2, 4, 6, 8, 10}},
}

// redundancies lists those of a number of nodes among which the best is: setup.Choices, as in
// all figures, or setup.Drawn, which stands beside.
type redundancies func(nodes int) []int

// meanSaving returns the mean saving over node counts.
func meanSaving(f timing.Form, l timing.Law, c nodeSet, rho float64) float64 {
	return meanSavingAt(f, l, c, rho, setup.Choices)
}

// meanSavingAt is meanSaving at the best of some redundancies.
func meanSavingAt(f timing.Form, l timing.Law, c nodeSet, rho float64, rs redundancies) float64 {
	sum := 0.0
	for _, n := range c.Nodes {
		sum += f.SavingAt(n, l.At(n, rho), rs(n))
	}
	return sum / float64(len(c.Nodes))
}

// savingSteps divide a range of ratios where the saving is sought that need not grow
// with the ratio.
const savingSteps = 400

// extent returns the least and the most mean saving over all ratios at which r is best.
func extent(f timing.Form, r int, l timing.Law, c nodeSet, rs redundancies) (lo, hi float64) {
	from, to := f.Ratios(r)
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := 0; i <= savingSteps; i++ {
		s := meanSavingAt(f, l, c, from+(to-from)*float64(i)/savingSteps, rs)
		lo, hi = min(lo, s), max(hi, s)
	}
	return lo, hi
}

// ratioFor returns the ratio at 8 nodes that gives a mean saving, NaN if none to 1,000 does.
// Not for the multicast form, in which the saving does not grow with the ratio.
func ratioFor(f timing.Form, l timing.Law, c nodeSet, saving float64) float64 {
	lo, hi := 0.0, 1000.0
	if f.Multicast || meanSaving(f, l, c, hi) < saving {
		return math.NaN()
	}
	for range 60 {
		if mid := (lo + hi) / 2; meanSaving(f, l, c, mid) < saving {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
