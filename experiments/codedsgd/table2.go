package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	"gradsync/experiments/result"
)

// table2 is the accuracy that the networks reach alone, with all the time that they
// are given, and under the three algorithms.
func table2() exp.Experiment {
	return figure{id: "table2", title: "Best test accuracy, alone and under the three algorithms", source: "Table 2", nets: networks(), depth: atLargest, serial: true,
		fill: func(s *school, res *result.Result, cs []course) error {
			res.Kind = result.Trained
			var all []finals
			t := finalsTable()
			for _, c := range cs {
				f, err := s.finals(c.largest)
				if err != nil {
					return err
				}
				all = append(all, f)
				t.Rows = append(t.Rows, finalRows(c.largest, f)...)
				t.Caption += " " + c.how() + "."
			}
			res.Tables = []result.Table{t}
			res.Claims = []result.Claim{judgeFinals(all)}
			res.Notes = finalsNotes(all, cs)
			return nil
		}}.experiment()
}

// finals trains the network alone and collects best accuracies.
func (s *school) finals(w largest) (finals, error) {
	f := finals{Title: w.plan.Net.Title}
	for i, seed := range w.seeds {
		t, err := s.get(fmt.Sprintf("%s alone, seed %d", f.Title, seed), w.plan.serial(w.plan.most(), seed))
		if err != nil {
			return f, err
		}
		f.Serial, f.SSGD = append(f.Serial, t.best()), append(f.SSGD, w.ssgd[i].best())
	}
	for _, t := range w.asgd {
		f.ASGD = append(f.ASGD, t.best())
	}
	return f, nil
}

func finalsTable() result.Table {
	return result.Table{ID: "finals", Title: "Best test accuracy", Kind: result.Trained,
		Caption: "The bodies of the paper's Table 2 are lost; it gives accuracies of both networks on one machine in unlimited time. " +
			fmt.Sprintf("Trained on the largest number of nodes and so many classes. Best is the highest accuracy of the evaluations of a run, mean over runs ± half the 95 %% interval. Alone: the same batches on one machine, nothing quantised, %d times as many updates. ", serialLonger) +
			"CSSGD of any redundancy, SSGD with unicast and with multicast are one training: their parameters are the same to the last bit.",
		Columns: []result.Column{{Key: "network", Title: "network"}, {Key: "method", Title: "method"}, {Key: "nodes", Title: "nodes"},
			{Key: "updates", Title: "updates"}, {Key: "runs", Title: "runs"}, {Key: "best", Title: "best accuracy", Unit: "%", Digits: 2},
			{Key: "half", Title: "±", Unit: "points", Digits: 2}, {Key: "below", Title: "against alone", Unit: "points", Digits: 2},
			{Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2}, {Key: "clipped", Title: "elements that int32 could not hold"}}}
}

func finalRows(w largest, f finals) (rows [][]any) {
	p, n := w.plan, w.plan.most()
	clipped, stale := int64(0), 0.0
	for _, t := range w.ssgd {
		clipped += t.Clipped
	}
	for _, t := range w.asgd {
		stale += t.Staleness / float64(len(w.asgd))
	}
	alone, _ := exp.MeanAndHalf(f.Serial)
	row := func(method string, nodes int, updates int64, x []float64, stale, clipped any) {
		m, half := exp.MeanAndHalf(x)
		rows = append(rows, []any{p.Net.Title, method, nodes, updates, len(x), 100 * m, exp.OrNone(100 * half), 100 * (m - alone), stale, clipped})
	}
	row("alone", 1, serialLonger*p.Updates, f.Serial, nil, nil)
	row("SSGD, CSSGD", n, p.Updates, f.SSGD, 0.0, clipped)
	row("ASGD", n, p.Updates, f.ASGD, stale, nil)
	return rows
}

func finalsNotes(all []finals, cs []course) []string {
	var notes []string
	for i, f := range all {
		alone, ssgd, asgd := 100*meanOf(f.Serial), 100*meanOf(f.SSGD), 100*meanOf(f.ASGD)
		notes = append(notes, fmt.Sprintf("%s on %s, %d nodes: %.1f %% alone, %.1f %% with SSGD and CSSGD, %.1f %% with ASGD. The paper says that all three reach the final accuracy in enough time; %s.",
			f.Title, cs[i].ssgd[0].Data.Name, cs[i].plan.most(), alone, ssgd, asgd, finalsWords(alone, ssgd, asgd)))
	}
	return append(notes, "Exact sums are why redundancy and coding cost no accuracy: "+shared)
}

func finalsWords(alone, ssgd, asgd float64) string {
	low := math.Min(ssgd, asgd)
	switch {
	case low >= alone-1:
		return "here they do, within a point, and in half of the updates"
	case ssgd >= alone-1:
		return "here the synchronous ones do, within a point, and ASGD does not in this length"
	case asgd >= alone-1:
		return "here ASGD does, within a point, and the synchronous ones do not in this length"
	}
	return "in this length, half of what the network had alone, none comes within a point of it"
}
