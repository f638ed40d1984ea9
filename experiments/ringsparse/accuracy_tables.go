package ringsparse

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/ringsparse"
)

func (m marks) finish(res *result.Result) {
	res.Tables = []result.Table{m.finalTable(), m.costTable(), m.seedTable()}
	for _, net := range m.plan.Nets {
		res.Figures = append(res.Figures, m.accuracyFigure(net), m.lossFigure(net))
	}
	res.Claims = append(res.Claims, m.judge())
	res.Notes = m.notes()
}

// values are one number per seed of a form.
func values(ms []mark, of func(mark) float64) (out []float64) {
	for _, m := range ms {
		out = append(out, of(m))
	}
	return out
}

func finalAccuracy(m mark) float64 { return 100 * m.Accuracy }

func (m marks) setup() string {
	var nets []string
	for _, n := range m.plan.Nets {
		nets = append(nets, fmt.Sprintf("%s %d updates at rate %g", n.Title, n.Updates, n.Rate))
	}
	return fmt.Sprintf("N = %d, %d images per rank and step, plain SGD, %s, a rate chosen under the dense ring; %d seeds, paired: same start, same batches", m.plan.Workers, m.plan.Batch, strings.Join(nets, ", "), len(m.Seeds))
}

// prunedSetup is how the pruned forms are trained; "" if none is.
func (m marks) prunedSetup() string {
	for _, n := range m.plan.Nets {
		if n.Pruned {
			return fmt.Sprintf(" Pruned forms are compared with each other: half of the updates dense, then only %.0f %% of every layer kept, the largest, and masked after every step.", 100*m.plan.Keep)
		}
	}
	return ""
}

func (m marks) finalTable() result.Table {
	t := result.Table{ID: "final", Title: "Final accuracy, paired with the dense ring", Kind: result.Trained,
		Caption: fmt.Sprintf("%s. Difference: to the dense ring, in percentage points, with the 95 %% interval over seeds; “within”: it lies in ±%.1f.%s “same bits”: seeds with the final sha256 of the form compared with. Updates: to %.0f %% of that form's final accuracy, over its own, on seeds on which both reach it.",
			m.setup(), 100*accuracyMargin, m.prunedSetup(), 100*accuracyTarget),
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "form", Title: "exchange"}, {Key: "accuracy", Title: "accuracy", Unit: "%", Digits: 2}, {Key: "half", Title: "± (95 %)", Unit: "%", Digits: 2},
			{Key: "diff", Title: "difference", Unit: "points", Digits: 2}, {Key: "diffhalf", Title: "± (95 %)", Unit: "points", Digits: 2}, {Key: "within", Title: fmt.Sprintf("within ±%.1f", 100*accuracyMargin)},
			{Key: "loss", Title: "loss, difference", Digits: 4}, {Key: "losshalf", Title: "± (95 %)", Digits: 4}, {Key: "updates", Title: "updates to target / dense", Digits: 3}, {Key: "same", Title: "same bits"}}}
	for _, net := range m.plan.Nets {
		for _, f := range m.plan.on(net) {
			mean, half := exp.MeanAndHalf(values(m.of[net.Model][f.Key], finalAccuracy))
			row := []any{net.Title, f.Title, mean, exp.OrNone(half), nil, nil, nil, nil, nil, nil, nil}
			if f.Base != "" {
				c := m.pair(net, f)
				d, h := exp.MeanAndHalf(c.Diff)
				in := "no"
				if within(c.Diff, accuracyMargin) {
					in = "yes"
				}
				row[4], row[5], row[6], row[10] = 100*d, exp.OrNone(100*h), in, fmt.Sprintf("%d of %d", c.Same, len(c.Diff))
				l, h := exp.MeanAndHalf(c.Loss)
				if row[7] = l; !math.IsNaN(h) {
					row[8] = h
				}
				if c.Updates != nil {
					row[9], _ = exp.MeanAndHalf(c.Updates)
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// costTable is what the exchanges sent and took.
func (m marks) costTable() result.Table {
	t := result.Table{ID: "cost", Title: fmt.Sprintf("Virtual time and bytes at %s", linkName(m.plan.Link)), Kind: result.Trained,
		Caption: fmt.Sprintf("The same trainings on the virtual clock of %s, means over seeds; counting, converting, packing and unpacking take the platform's time. Pruned forms: the second half alone. A choice is one block, large or small.", reference),
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "form", Title: "exchange"}, {Key: "seconds", Title: "virtual time", Unit: "s", Digits: 2}, {Key: "ratio", Title: "time / compared with", Digits: 3},
			{Key: "bytes", Title: "bytes / compared with", Digits: 3}, percentColumn("weights", "choices of weights"), percentColumn("ties", "choices by the tie alone"), percentColumn("carried", "bytes sent as weights"), {Key: "drops", Title: "drops by a threshold"}}}
	for _, net := range m.plan.Nets {
		for _, f := range m.plan.on(net) {
			these := m.of[net.Model][f.Key]
			seconds, _ := exp.MeanAndHalf(values(these, func(x mark) float64 { return x.Seconds }))
			row := []any{net.Title, f.Title, seconds, nil, nil, nil, nil, nil, "no"}
			if f.Base != "" {
				row[3], row[4] = m.ratio(net, f, func(x mark) float64 { return x.Seconds }), m.ratio(net, f, func(x mark) float64 { return float64(x.Bytes) })
			}
			if f.Sync == "ringsparse" {
				row[5], row[6], row[7] = shares(these)
			}
			if these[0].Lossy {
				row[8] = "yes"
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// ratio is the mean over seeds of a form's number over its base's.
func (m marks) ratio(net accuracyNet, f accuracyForm, of func(mark) float64) float64 {
	var out []float64
	for i, x := range m.of[net.Model][f.Key] {
		out = append(out, of(x)/of(m.of[net.Model][f.Base][i]))
	}
	mean, _ := exp.MeanAndHalf(out)
	return mean
}

// shares are the choices of weights and by the tie, and the bytes sent as weights, in
// percent.
func shares(these []mark) (weights, ties, carried float64) {
	var all ringsparse.Totals
	for _, x := range these {
		all.Merge(x.Totals)
	}
	of := func(n int64) float64 { return 100 * float64(n) / float64(max(all.Choices, 1)) }
	carried = 100 * float64(all.Kinds[ringsparse.Weights].Bytes) / float64(max(all.Sent.Bytes, 1))
	return of(all.Chosen[ringsparse.Weights]), of(all.Ties), carried
}

// seedTable is every training.
func (m marks) seedTable() result.Table {
	t := result.Table{ID: "seeds", Title: "Every training", Kind: result.Trained, Caption: "Final accuracy on all test images and the first digits of the final parameters' sha256, by seed. All ranks ended with the same bits in every training, or it would have failed.",
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "form", Title: "exchange"}, {Key: "seed", Title: "seed"}, {Key: "accuracy", Title: "accuracy", Unit: "%", Digits: 2}, {Key: "sha", Title: "sha256"}}}
	for _, net := range m.plan.Nets {
		for _, f := range m.plan.on(net) {
			for i, x := range m.of[net.Model][f.Key] {
				t.Rows = append(t.Rows, []any{net.Title, f.Title, int(m.Seeds[i]), finalAccuracy(x), x.SHA256[:12]})
			}
		}
	}
	return t
}

func percentColumn(key, title string) result.Column {
	return result.Column{Key: key, Title: title, Unit: "%", Digits: 1}
}
