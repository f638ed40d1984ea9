package codedsgd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
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

// bestDNN and bestCNN are the best redundancies of Figures 12 and 13.
const (
	bestDNN = 3
	bestCNN = 2
)

// abstractsCase is one form, law and set of node counts.
type abstractsCase struct {
	Form     form
	Law      law
	Counts   counts
	DNN, CNN [2]float64 // savings in percent, over all ratios that fit r*
}

func abstractsCases() (out []abstractsCase) {
	for _, f := range forms {
		for _, c := range nodeCounts {
			for _, l := range laws {
				if len(c.Nodes) == 1 && l.Key != laws[0].Key {
					continue // at 8 nodes the laws agree
				}
				x := abstractsCase{Form: f, Law: l, Counts: c}
				a, b := f.span(bestDNN, l, c)
				x.DNN = [2]float64{100 * a, 100 * b}
				a, b = f.span(bestCNN, l, c)
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
// numbers against SSGD. Those against ASGD no time model speaks of.
func (x *abstractsCase) chinese() bool {
	return holdsIn(statedDNN, x.DNN) && holdsIn(statedChinese, x.CNN)
}
func (x *abstractsCase) english() bool {
	return holdsIn(statedDNN, x.DNN) && holdsIn(statedEnglish, x.CNN)
}

// abstracts examines which of two stated percentages the paper's own model allows.
func abstracts() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/abstracts", Title: "39.11 or 26.89: the Chinese body, the English abstract, and the time model", Source: "CSSGD, abstracts, §3.2.4 and §3.2.5", Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0.2 }
	e.Old = func(_ context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.Modelled, nil)
		var spelled []string
		for _, l := range laws {
			spelled = append(spelled, l.Title)
		}
		res.Config = map[string]any{"forms": forms, "laws": spelled, "node_counts": nodeCounts, "anchor": anchor, "best_redundancy": map[string]int{dnn.Key: bestDNN, cnn.Key: bestCNN},
			"stated": map[string]float64{"dnn": statedDNN, "cnn_chinese": statedChinese, "cnn_english": statedEnglish}}
		cases := abstractsCases()
		res.Tables = []result.Table{spanTable(cases), neededTable(), impliedTable()}
		res.Figures = []result.Figure{anchorFigure(), meanFigure()}
		res.Notes = abstractsNotes(cases)
		res.Status = complete
		return res, nil
	}
	return e
}

// tally counts in how many cases of the forms against unicast each reading holds.
type tally struct{ of, chinese, english, both, dnn, cnnChinese, cnnEnglish int }

func (t *tally) add(x *abstractsCase) {
	c, e := x.chinese(), x.english()
	t.of++
	for _, k := range []struct {
		is bool
		to *int
	}{{c, &t.chinese}, {e, &t.english}, {c && e, &t.both}, {holdsIn(statedDNN, x.DNN), &t.dnn}, {holdsIn(statedChinese, x.CNN), &t.cnnChinese}, {holdsIn(statedEnglish, x.CNN), &t.cnnEnglish}} {
		if k.is {
			*k.to++
		}
	}
}

// judgement is the answer in words, from the cases over several node counts.
func judgement(t tally) string {
	s := fmt.Sprintf("over means of several node counts both numbers against SSGD are possible together in %d of %d cases as the Chinese body has them (CNN %.2f %%) and in %d as the English abstract has them (CNN %.2f %%)",
		t.chinese, t.of, statedChinese, t.english, statedEnglish)
	switch {
	case t.chinese > 0 && t.english > 0:
		return s + ": the model excludes neither."
	case t.chinese > 0:
		return s + ": the model excludes the English abstract's."
	case t.english > 0:
		return s + ": the model excludes the Chinese body's."
	}
	return s + ": the model excludes both."
}

func abstractsNotes(cases []abstractsCase) []string {
	var several, alone tally
	best := -1e9
	var excluded []string
	for i := range cases {
		x := &cases[i]
		switch {
		case x.Form.Multicast:
			best = max(best, x.DNN[1], x.CNN[1])
		case len(x.Counts.Nodes) == 1:
			alone.add(x)
			excluded = append(excluded, fmt.Sprintf("%s form: DNN %.1f to %.1f %%, CNN %.1f to %.1f %%", strings.Split(x.Form.Title, ",")[0], x.DNN[0], x.DNN[1], x.CNN[0], x.CNN[1]))
		default:
			several.add(x)
		}
	}
	notes := []string{"Which of 39.11 and 26.89 is the CNN's number against SSGD? The Chinese body (§3.2.5) and conclusion say 39.11, the English abstract 26.89; the Chinese abstract's list of four numbers can be read either way. By the paper's own time model, " + judgement(several),
		fmt.Sprintf("At 8 nodes alone, where the paper states the best redundancies, the savings that fit them are, %s. There %s; %.2f %% of the DNN, on which all agree, is %s. So 8 nodes alone speak for the English abstract's number and at the same time against a number that nobody doubts.",
			strings.Join(excluded, "; "), atEight(alone), statedDNN, possible(alone.dnn, alone.of))}
	if alone.cnnEnglish == 0 || alone.cnnChinese > 0 || alone.dnn > 0 {
		notes[1] = strings.TrimSuffix(notes[1], " So 8 nodes alone speak for the English abstract's number and at the same time against a number that nobody doubts.")
	}
	notes[0] += " " + whereNote(cases)
	notes = append(notes, fmt.Sprintf("Of %d cases over several node counts, %.2f %% of the DNN is possible in %d, %.2f %% of the CNN in %d and %.2f %% in %d. At few nodes a redundancy near n all but ends the exchange, which lifts every mean above what 8 nodes give.",
		several.of, statedDNN, several.dnn, statedChinese, several.cnnChinese, statedEnglish, several.cnnEnglish))
	return append(notes, multicastNote(best),
		"The percentages against ASGD (for the DNN 26.89 in the body and 39.11 in the English abstract, 26.37 for the CNN) come from trainings to a target, not from the time of a batch: the model says nothing of them.")
}

// whereNote names the cases over several node counts in which each reading is possible.
func whereNote(cases []abstractsCase) string {
	where := func(name string, is func(*abstractsCase) bool) string {
		var list []string
		for i := range cases {
			x := &cases[i]
			if s := fmt.Sprintf("%s form with Tcomm/Tcalc %s", strings.Split(x.Form.Title, ",")[0], strings.Split(x.Law.Title, ":")[0]); len(x.Counts.Nodes) > 1 && is(x) && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		if list == nil {
			return name + " nowhere"
		}
		return name + " by the " + strings.Join(list, " and the ")
	}
	return "Possible: " + where("the body's", (*abstractsCase).chinese) + "; " + where("the English abstract's", (*abstractsCase).english) + "."
}

func atEight(t tally) string {
	return fmt.Sprintf("%.2f %% of the CNN is %s and %.2f %% is %s", statedEnglish, possible(t.cnnEnglish, t.of), statedChinese, possible(t.cnnChinese, t.of))
}

func possible(k, of int) string {
	switch k {
	case 0:
		return "outside in both forms"
	case of:
		return "inside in both forms"
	}
	return "inside in one form and outside in the other"
}

// multicastNote is about the baseline that §3.2.5 names; best is the largest saving.
func multicastNote(best float64) string {
	s := "§3.2.5 compares with SSGD Multicast, and the model's Tcomm is, by (19), that of unicasts. Set beside SSGD that multicasts on the same medium, "
	if best < 0 {
		return s + fmt.Sprintf("the best redundancy saves nothing at any ratio that fits r* = 3 or 2: it takes at least %.1f %% longer. Neither is possible then.", -best)
	}
	return s + fmt.Sprintf("the best redundancy saves at most %.1f %% over all ratios that fit r* = 3 or 2.", best)
}
