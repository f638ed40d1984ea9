package ring

import (
	"fmt"
	"math"
	"strings"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

// likenessTable has one row per network, exchange and number of workers: the worst
// over seeds.
func likenessTable(plan equalsPlan, found []likeness) result.Table {
	t := result.Table{ID: "likeness", Title: "N workers with a batch of B/N each against one with B", Kind: result.Trained,
		Caption: fmt.Sprintf("B = %d images a step, the same images in the same order, plain SGD; worst of all seeds, after the last step. “same bits”: as one worker that computes the gradients of the same N pieces and sums them in the exchange's order. Distance: ‖w_N − w_1‖ / ‖w_1 − w_0‖, where w_1 is from one worker and one pass over the whole batch; the bound of %s, fixed before, is for networks without batch norm. “%s” is a control: a training that is not the same.", plan.Batch, small(claims.Tolerance("B22")), otherBatch),
		Columns: []result.Column{{Key: "net", Title: "network"}, {Key: "how", Title: "exchange"}, {Key: "n", Title: "workers"}, {Key: "steps", Title: "steps"},
			{Key: "bits", Title: "same bits as the pieces"}, {Key: "distance", Title: "distance from one pass"}, {Key: "largest", Title: "largest difference of a parameter"}}}
	for _, group := range likenessGroups(found) {
		worst, same := group[0], true
		for _, l := range group {
			same = same && l.SameBits
			if l.last() > worst.last() {
				worst.Distance = l.Distance
			}
			worst.Largest = max(worst.Largest, l.Largest)
		}
		bits := any(yesNo(same))
		if worst.How == otherBatch {
			bits = nil
		}
		t.Rows = append(t.Rows, []any{worst.Net.Title, worst.How, worst.Workers, worst.Net.Steps, bits,
			small(worst.last()), small(worst.Largest)})
	}
	return t
}

// likenessGroups puts the seeds of one row together, in order of appearance.
func likenessGroups(found []likeness) (out [][]likeness) {
	at := map[string]int{}
	for _, l := range found {
		key := fmt.Sprint(l.Net.Name, l.How, l.Workers)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], l)
	}
	return out
}

// distanceFigure draws the worst agreement by step for the most workers on a ring.
func distanceFigure(plan equalsPlan, found []likeness) result.Figure {
	most := plan.Workers[len(plan.Workers)-1]
	f := result.Figure{ID: "distance", Title: fmt.Sprintf("Agreement with one worker, ring of %d", most), Kind: result.Trained, Form: "line",
		X: result.Axis{Title: "step"}, Y: result.Axis{Title: "decimal digits of agreement"},
		Caption: fmt.Sprintf("−log₁₀ of ‖w_N − w_1‖ / ‖w_1 − w_0‖ after every step, worst of all seeds, B = %d: 0 is as far apart as the way that training went, 7 is about what float32 can tell. The control is the network's own training on other images.", plan.Batch)}
	var said []string
	for _, group := range likenessGroups(found) {
		l := group[0]
		control := l.How == otherBatch
		if !control && (l.How != "ring" || l.Workers != most) {
			continue
		}
		s := result.Series{Name: l.Net.Title, Group: l.Net.Name}
		if control {
			s.Name, s.Group = l.Net.Title+", other images", l.Net.Name+" other"
		}
		for i := range l.Distance {
			worst := 0.0
			for _, x := range group {
				worst = max(worst, x.Distance[i])
			}
			if worst > 0 {
				s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, -math.Log10(worst))
			}
		}
		f.Series = append(f.Series, s)
		if n := len(s.Y); n > 0 {
			said = append(said, fmt.Sprintf("%s %.1f digits", s.Name, s.Y[n-1]))
		}
	}
	f.Alt = "At the last step: " + strings.Join(said, "; ") + "."
	return f
}
