package dasp

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// convergenceTable is one network's part of table 6 or 7: time to the same
// accuracy.
func convergenceTable(id, heading string, s size, t trainings) result.Table {
	tab := result.Table{ID: id, Title: fmt.Sprintf("%s, %s to %s", heading, title[s.Model], s.percent()), Kind: result.Trained,
		Caption: fmt.Sprintf("Virtual time and gradients until the test accuracy first reaches %s (linear between evaluations, "+
			"%d test images each, every %d of %d gradients; a first evaluation that reaches it stands for itself), mean over seeds; ± half the 95 %% interval. The ratio is paired by seed. "+
			"BSP is trained once and timed on each cluster, which is exact: its parameters do not depend on the cluster. Trained: %s.",
			s.percent(), evalImage, s.EvalEvery, s.Pushes, trainedOn(s, t)),
		Columns: []result.Column{{Key: "method", Title: "method"}, {Key: "seconds", Title: "time to target", Unit: "s", Digits: 3},
			{Key: "seconds_half", Title: "±", Unit: "s", Digits: 3}, {Key: "ratio", Title: "BSP = 1", Digits: 3},
			{Key: "lo", Title: "95 % from", Digits: 3}, {Key: "hi", Title: "95 % to", Digits: 3},
			{Key: "dasp", Title: "DASP over this one", Digits: 3}, {Key: "dasp_lo", Title: "95 % from", Digits: 3}, {Key: "dasp_hi", Title: "95 % to", Digits: 3},
			{Key: "pushes", Title: "gradients to target", Digits: 0}, {Key: "iteration", Title: "mean iteration", Unit: "ms", Digits: 2},
			{Key: "product", Title: "iteration × iterations", Unit: "s", Digits: 3}, {Key: "accuracy", Title: "final accuracy", Unit: "%", Digits: 2},
			{Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}}}
	base, _, baseOK := reachedBy(t["bsp"], s.Target)
	for _, method := range methods {
		cells := t[method]
		sec, push, ok := reachedBy(cells, s.Target)
		iteration, _ := exp.MeanAndHalf(values(cells, perIteration))
		accuracy, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Accuracy }))
		stale, _ := exp.MeanAndHalf(values(cells, func(c cell) float64 { return c.Staleness.Mean }))
		row := []any{title[method], nil, nil, nil, nil, nil, nil, nil, nil, nil, 1e3 * iteration, nil, 100 * accuracy, stale}
		if ok {
			mean, half := exp.MeanAndHalf(sec)
			row[1], row[2] = mean, exp.OrNone(half)
			row[9], _ = exp.MeanAndHalf(push)
			row[11] = iteration * row[9].(float64) / workers // §3.2's own definition, per worker
		}
		if ok && baseOK {
			r, ci := ratio(sec, base)
			row[3] = r
			if ci != nil {
				row[4], row[5] = ci[0], ci[1]
			}
		}
		if ours, _, both := reachedBy(t["dasp"], s.Target); ok && both {
			copy(row[6:], paired(ours, sec))
		}
		tab.Rows = append(tab.Rows, row)
	}
	return tab
}

// trainedOn says how a network's trainings were made, and on what.
func trainedOn(s size, t trainings) string {
	for _, c := range t["bsp"] { // the others saw the same
		if c.Data != nil {
			return fmt.Sprintf("%s; data: %s (%s)", s.how(), c.Data.Name, c.Data.Origin)
		}
	}
	return s.how()
}

// convergenceTables are the tables of every network that the profile trains.
// The first keeps the plain id.
func convergenceTables(heading string, st study, on map[string]trainings) (out []result.Table) {
	for i, s := range st.sizes {
		id := "convergence"
		if i > 0 {
			id += "-" + s.Model
		}
		if t, ok := on[s.Model]; ok {
			out = append(out, convergenceTable(id, heading, s, t))
		}
	}
	return out
}

// notReached says which methods never got to the target.
func notReached(st study, on map[string]trainings) (out []string) {
	for _, s := range st.sizes {
		for _, method := range methods {
			if why := short(s, method, on[s.Model]); why != "" {
				out = append(out, title[s.Model]+": "+why+": its time to target is not a number, and no ratio is printed.")
			}
		}
	}
	return out
}

// short says in how many seeds a method misses the target, "" if in none.
func short(s size, method string, t trainings) string {
	n := 0
	for _, c := range t[method] {
		if _, _, _, ok := toTarget(c.Curve, s.Target); !ok {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not reach %s in %d of %d seeds within %d gradients", title[method], s.percent(), n, len(t[method]), s.Pushes)
}

// early says which of some methods are at the target at their first evaluation,
// so that their times are upper bounds; "" if none is.
func early(s size, t trainings, of ...string) (out string) {
	for _, method := range of {
		n := 0
		for _, c := range t[method] {
			if c.Curve[0].Accuracy >= s.Target {
				n++
			}
		}
		if n > 0 {
			out += fmt.Sprintf("; %s is there at its first evaluation in %d of %d seeds: its time is an upper bound", title[method], n, len(t[method]))
		}
	}
	return out
}

// identical reports whether two methods did the same in every seed.
func identical(a, b []cell) bool {
	return slices.EqualFunc(a, b, func(x, y cell) bool { return slices.Equal(x.Curve, y.Curve) })
}

// trainedStates is the table of DASP's states in trainings on one cluster.
func trainedStates(platform string, st study) result.Table {
	tab := newStateTable(result.Trained)
	for _, s := range st.sizes {
		if t, ok := st.on[platform][s.Model]; ok {
			tab.Rows = append(tab.Rows, stateRow(title[s.Model]+", "+named(platform), t["dasp"]))
		}
	}
	return tab
}

// named is a platform in words; a variant is named by its file and link.
func named(platform string) string {
	if words, ok := title[platform]; ok {
		return words
	}
	return platform
}

// trainedNotes says where DASP did not visit all its states.
func trainedNotes(platform string, st study) []string {
	var notes mergedNotes
	for _, s := range st.sizes {
		if t, ok := st.on[platform][s.Model]; ok {
			notes.add(title[s.Model], stateNote(t["dasp"]))
		}
	}
	var out []string
	for _, line := range notes.lines() {
		out = append(out, named(platform)+", "+line)
	}
	return out
}

// lead says how DASP's time to target compares with ASP's and DSSP's, network
// by network, where it does anything else than they.
func lead(platform string, st study) []string {
	var parts []string
	for _, s := range st.sizes {
		t, ok := st.on[platform][s.Model]
		if !ok || short(s, "dasp", t) != "" {
			continue
		}
		for _, rival := range []string{"asp", "dssp"} {
			if short(s, rival, t) != "" || identical(t["dasp"], t[rival]) {
				continue
			}
			r, ci := ratio(targetSeconds(t["dasp"], s.Target), targetSeconds(t[rival], s.Target))
			part := fmt.Sprintf("%s %.2f of %s's", title[s.Model], r, title[rival])
			if ci != nil {
				part += fmt.Sprintf(" [%.2f, %.2f]", ci[0], ci[1])
			}
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return nil
	}
	return []string{"DASP's time to target where it does not do the same as the rival, " + named(platform) + ": " + strings.Join(parts, "; ") + ". Below 1 DASP is the faster one; an interval that holds 1 decides nothing."}
}

// differs lists how runs of a size are not the paper's.
func differs(res *result.Result, s size) (out []string) {
	want := "cifar-10"
	if s.Model == "lenet5" {
		want = "mnist"
	}
	var names []string
	for _, d := range res.Sets() {
		if d.Name == want {
			names = nil
			break
		}
		names = append(names, fmt.Sprintf("%s (%d images)", d.Name, d.Train))
	}
	if names != nil {
		out = append(out, fmt.Sprintf("%s in place of %s", strings.Join(names, ", "), map[string]string{"mnist": "MNIST", "cifar-10": "CIFAR-10"}[want]))
	}
	if s.Width > 0 {
		out = append(out, fmt.Sprintf("gradients of 1/%g of the network's channels on %d×%[2]d images", 1/s.Width, s.Image))
	}
	return append(out, fmt.Sprintf("%d gradients of batch %d (the paper's number is not stated)", s.Pushes, s.Batch),
		fmt.Sprintf("times of batch %d, gradients of batch %d", fullBatch, s.Batch), fmt.Sprintf("target accuracy %s (not stated)", s.percent()))
}
