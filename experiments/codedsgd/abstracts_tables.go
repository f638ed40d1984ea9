package codedsgd

import (
	"fmt"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

func yesNo(x bool) string {
	if x {
		return "yes"
	}
	return "no"
}

// spanTable is the whole examination.
func spanTable(cases []abstractsCase) result.Table {
	t := result.Table{ID: "savings", Title: "What the best redundancy can save of SSGD's time per batch", Kind: result.Modelled,
		Caption: fmt.Sprintf("T = r·Tcalc + (n−r)/((n−1)r)·Tcomm, or Tcomm/r as printed; at each n the r from 1 to n with the least T against Tcalc + Tcomm, or against Tcalc + Tcomm/(n−1) if SSGD multicasts. Ranges over all Tcomm/Tcalc at which r = %d (DNN) or %d (CNN) is the best at 8 nodes; to other n the ratio is carried by the law. The paper names neither law nor node counts. Body (Chinese, §3.2.5, and conclusion): DNN %.2f and CNN %.2f possible together; English abstract: DNN %.2f and CNN %.2f.", bestDNN, bestCNN, statedDNN, statedChinese, statedDNN, statedEnglish),
		Columns: []result.Column{{Key: "form", Title: "form"}, {Key: "nodes", Title: "mean over n"}, {Key: "law", Title: "Tcomm/Tcalc"},
			{Key: "dnn-lo", Title: "DNN, least", Unit: "%", Digits: 1}, {Key: "dnn-hi", Title: "DNN, most", Unit: "%", Digits: 1},
			{Key: "cnn-lo", Title: "CNN, least", Unit: "%", Digits: 1}, {Key: "cnn-hi", Title: "CNN, most", Unit: "%", Digits: 1},
			{Key: "dnn", Title: "DNN 53.97"}, {Key: "cnn-zh", Title: "CNN 39.11"}, {Key: "cnn-en", Title: "CNN 26.89"}, {Key: "zh", Title: "body"}, {Key: "en", Title: "English abstract"}}}
	for i := range cases {
		x := &cases[i]
		t.Rows = append(t.Rows, []any{x.Form.Title, x.Counts.Title, lawTitle(x), x.DNN[0], x.DNN[1], x.CNN[0], x.CNN[1],
			yesNo(holdsIn(statedDNN, x.DNN)), yesNo(holdsIn(statedChinese, x.CNN)), yesNo(holdsIn(statedEnglish, x.CNN)), yesNo(x.chinese()), yesNo(x.english())})
	}
	return t
}

func lawTitle(x *abstractsCase) string {
	if len(x.Counts.Nodes) == 1 {
		return "—"
	}
	return x.Law.Title
}

// neededTable is which ratio each stated number needs.
func neededTable() result.Table {
	t := result.Table{ID: "needed", Title: "The Tcomm/Tcalc at 8 nodes that each number needs", Kind: result.Modelled,
		Caption: "By bisection; the saving grows with the ratio in both forms. To fit the best redundancies the DNN's must lie in 5.25 to 10.5 (exact) or 6 to 12 (1/r), the CNN's in 1.75 to 5.25 or 2 to 6.",
		Columns: []result.Column{{Key: "form", Title: "form"}, {Key: "nodes", Title: "mean over n"}, {Key: "law", Title: "Tcomm/Tcalc"},
			{Key: "dnn", Title: "DNN 53.97", Digits: 2}, {Key: "cnn-zh", Title: "CNN 39.11", Digits: 2}, {Key: "cnn-en", Title: "CNN 26.89", Digits: 2}}}
	for _, f := range forms {
		if f.Multicast {
			continue
		}
		for _, c := range nodeCounts {
			for _, l := range laws {
				x := abstractsCase{Form: f, Law: l, Counts: c}
				if len(c.Nodes) == 1 && l.Key != laws[0].Key {
					continue
				}
				t.Rows = append(t.Rows, []any{f.Title, c.Title, lawTitle(&x), exp.OrNone(f.needed(l, c, statedDNN/100)), exp.OrNone(f.needed(l, c, statedChinese/100)), exp.OrNone(f.needed(l, c, statedEnglish/100))})
			}
		}
	}
	return t
}

// impliedTable is what each reading says of ASGD beside SSGD.
func impliedTable() result.Table {
	t := result.Table{ID: "implied", Title: "What each reading says of ASGD's time against SSGD's", Kind: result.Modelled,
		Caption: "(1 − saving against SSGD)/(1 − saving against ASGD), as if the means were of one pair of times: only an indication.",
		Columns: []result.Column{{Key: "reading", Title: "reading"}, {Key: "net", Title: "network"}, {Key: "ssgd", Title: "against SSGD", Unit: "%", Digits: 2}, {Key: "asgd", Title: "against ASGD", Unit: "%", Digits: 2}, {Key: "ratio", Title: "ASGD over SSGD", Digits: 3}}}
	for _, x := range []struct {
		reading, net string
		ssgd, asgd   float64
	}{{"Chinese body and conclusion", "DNN", statedDNN, 26.89}, {"Chinese body and conclusion", "CNN", statedChinese, 26.37}, {"English abstract", "DNN", statedDNN, 39.11}, {"English abstract", "CNN", statedEnglish, 26.37}} {
		t.Rows = append(t.Rows, []any{x.reading, x.net, x.ssgd, x.asgd, (100 - x.ssgd) / (100 - x.asgd)})
	}
	return t
}

// figureRatios are the ratios that are drawn.
func figureRatios() (out []float64) {
	for i := 0; i <= 48; i++ {
		out = append(out, float64(i)/4)
	}
	return out
}

func level(name, group string, percent float64) result.Series {
	return result.Series{Name: name, Group: group, X: []float64{0, 12}, Y: []float64{percent, percent}}
}

func statedLevels() []result.Series {
	return []result.Series{level("53.97", "stated-dnn", statedDNN), level("39.11", "stated-zh", statedChinese), level("26.89", "stated-en", statedEnglish)}
}

func anchorFigure() result.Figure {
	f := result.Figure{ID: "eight", Title: "Saving of the best redundancy at 8 nodes", Kind: result.Modelled, Form: "line", X: result.Axis{Title: "Tcomm/Tcalc at 8 nodes"}, Y: result.Axis{Title: "time per batch saved", Unit: "%"},
		Caption: "The paper's model, exact and short (Tcomm/r), and the exact form against SSGD that multicasts. r = 2 is best from 1.75 to 5.25, r = 3 to 10.5 (exact). Levels: 53.97 % is stated of the DNN, 39.11 (Chinese body) or 26.89 (English abstract) of the CNN."}
	for _, m := range forms {
		s := result.Series{Name: m.Key, Group: m.Key}
		for _, rho := range figureRatios() {
			s.X, s.Y = append(s.X, rho), append(s.Y, 100*m.saving(anchor, rho))
		}
		f.Series = append(f.Series, s)
	}
	_, most := forms[0].ratios(bestCNN)
	_, highest := forms[0].ratios(bestDNN)
	f.Series = append(f.Series, statedLevels()...)
	f.Alt = fmt.Sprintf("Against unicasts the saving grows with the ratio, by the exact form to %.1f %% where r = 2 ends to be best and to %.1f %% where r = 3 does; against multicasts it is %.1f and %.1f %% there.",
		100*forms[0].saving(anchor, most), 100*forms[0].saving(anchor, highest), 100*forms[2].saving(anchor, most), 100*forms[2].saving(anchor, highest))
	return f
}

func meanFigure() result.Figure {
	f := result.Figure{ID: "means", Title: "Mean saving over 2 to 10 nodes", Kind: result.Modelled, Form: "line", X: result.Axis{Title: "Tcomm/Tcalc at 8 nodes"}, Y: result.Axis{Title: "time per batch saved", Unit: "%"},
		Caption: "The exact form; Tcomm/Tcalc at other n by each law. Levels: 53.97 % is stated of the DNN, 39.11 (Chinese body) or 26.89 (English abstract) of the CNN."}
	_, most := forms[0].ratios(bestCNN)
	f.Alt = fmt.Sprintf("At a ratio of %.2f, the largest for which r = 2 is best at 8 nodes, the mean saving is", most)
	for i, l := range laws {
		s := result.Series{Name: strings.Split(l.Title, ":")[0], Group: l.Key}
		for _, rho := range figureRatios() {
			s.X, s.Y = append(s.X, rho), append(s.Y, 100*forms[0].mean(l, nodeCounts[1], rho))
		}
		f.Series = append(f.Series, s)
		sep := ","
		if i == 0 {
			sep = ""
		}
		f.Alt += fmt.Sprintf("%s %.1f %% with Tcomm/Tcalc %s", sep, 100*forms[0].mean(l, nodeCounts[1], most), l.Title)
	}
	f.Alt += "."
	f.Series = append(f.Series, statedLevels()...)
	return f
}
