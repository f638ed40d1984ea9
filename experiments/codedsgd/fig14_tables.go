package codedsgd

import (
	"fmt"
	"math"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

func (c *course) raceCaption(v variant) string {
	return fmt.Sprintf("To %s test accuracy (%s). SSGD and CSSGD: trained updates × the iteration of a timing-only run, mean over seeds ± half the 95 %% interval, which reaches 0 where it is the larger; CSSGD Optimal is the better of r = 2 and 3; ASGD: trained, %d runs on each number of nodes, each on its own clock, one gradient per push over the server's link. %s",
		percent(c.target), c.targetWhy(), len(c.asgd), groundHow(v)+c.first(v))
}

// racers are the three algorithms' times to the target on node count i, per run.
func (c *course) racers(i int, v variant) (ssgd, cssgd, asgd []float64, r int) {
	on := c.on[i]
	r, it := on.optimal(v)
	for _, u := range c.updates[i] {
		ssgd, cssgd = append(ssgd, u*on.Of[v.Key][multicast].Seconds), append(cssgd, u*it.Seconds)
	}
	return ssgd, cssgd, c.ends[i], r
}

func (c *course) raceTable(v variant) result.Table {
	t := result.Table{ID: "race-" + v.Key, Title: "Time to the target, " + groundName(v), Kind: result.Shared, Caption: c.raceCaption(v),
		Columns: []result.Column{{Key: "nodes", Title: "nodes, classes"}, {Key: "asgd", Title: "ASGD", Unit: "s", Digits: 3}, {Key: "asgd_half", Title: "±", Unit: "s", Digits: 3},
			{Key: "ssgd", Title: "SSGD Multicast", Unit: "s", Digits: 3}, {Key: "ssgd_half", Title: "±", Unit: "s", Digits: 3},
			{Key: "r", Title: "better r of 2, 3"}, {Key: "cssgd", Title: "CSSGD Optimal", Unit: "s", Digits: 3}, {Key: "cssgd_half", Title: "±", Unit: "s", Digits: 3},
			{Key: "of_ssgd", Title: "saves of SSGD", Unit: "%", Digits: 1}, {Key: "of_asgd", Title: "saves of ASGD", Unit: "%", Digits: 1}}}
	for i, on := range c.on {
		ssgd, cssgd, asgd, r := c.racers(i, v)
		row := []any{on.Nodes}
		pair := func(x []float64) {
			m, half := exp.MeanAndHalf(x)
			row = append(row, exp.OrNone(m), exp.OrNone(half))
		}
		pair(asgd)
		pair(ssgd)
		row = append(row, redundancyName(on.Nodes, r))
		pair(cssgd)
		t.Rows = append(t.Rows, append(row, exp.OrNone(saved(meanOf(cssgd), meanOf(ssgd))), exp.OrNone(saved(meanOf(cssgd), meanOf(asgd)))))
	}
	return t
}

func (c *course) raceFigure(v variant) result.Figure {
	f := result.Figure{ID: "races-" + v.Key, Title: c.plan.Net.Title + ": time to the target, " + groundName(v), Kind: result.Shared, Form: "line",
		Caption: c.raceCaption(v) + " The intervals are in the table.", X: result.Axis{Title: "nodes (and classes)"}, Y: result.Axis{Title: "time to " + percent(c.target), Unit: "s", Log: true}}
	series := []result.Series{{Name: "ASGD", Group: "asgd"}, {Name: "SSGD Multicast", Group: multicast.Method}, {Name: "CSSGD Optimal", Group: "cssgd"}}
	first := [3]int{}
	for i, on := range c.on {
		ssgd, cssgd, asgd, _ := c.racers(i, v)
		least, who := math.Inf(1), -1
		for k, x := range [][]float64{asgd, ssgd, cssgd} {
			m := meanOf(x)
			if math.IsNaN(m) {
				continue
			}
			if m < least {
				least, who = m, k
			}
			s := &series[k]
			s.X, s.Y = append(s.X, float64(on.Nodes)), append(s.Y, m)
		}
		if who >= 0 {
			first[who]++
		}
	}
	f.Series = series
	f.Alt = fmt.Sprintf("Of %d numbers of nodes ASGD is first at the target on %d, SSGD Multicast on %d, CSSGD at the better of r = 2 and 3 on %d.", len(c.on), first[0], first[1], first[2])
	return f
}

// savingsTable is the paper's four means on every ground.
func (c *course) savingsTable() result.Table {
	t := result.Table{ID: "savings", Title: "What CSSGD at the better of r = 2 and 3 saves, mean over numbers of nodes", Kind: result.Shared,
		Caption: "Against SSGD: mean of the ratios of iteration times, one trajectory, no spread. Against ASGD: on the numbers of nodes where every run reaches the target, ratios of times to it, paired by seed on the logarithm; a seed's time of ASGD is the mean of its runs. " +
			"Negative: CSSGD takes longer. “Cut likewise” is modelled, not run: an ASGD that sends every micro-block's gradient by itself, as this message model has all others do, needs at least the server's link for Q gradients in n pushes.",
		Columns: []result.Column{{Key: "ground", Title: "messages"}, {Key: "multicast", Title: "of SSGD Multicast", Unit: "%", Digits: 2}, {Key: "unicast", Title: "of SSGD Unicast", Unit: "%", Digits: 2},
			{Key: "asgd", Title: "of ASGD", Unit: "%", Digits: 2}, {Key: "low", Title: "from", Unit: "%", Digits: 2}, {Key: "high", Title: "to", Unit: "%", Digits: 2},
			{Key: "cut", Title: "of ASGD cut likewise", Unit: "%", Digits: 2}}}
	for _, v := range grounds {
		row := []any{groundName(v), meanSaved(c.on, multicast, v), meanSaved(c.on, unicast, v), nil, nil, nil, nil}
		if ours, base, _ := c.pairs(v); len(ours) > 0 {
			x, ci := reductionOver(ours, base)
			row[3] = x
			if ci != nil {
				row[4], row[5] = ci[0], ci[1]
			}
			if !v.Whole {
				row[6] = c.savedOfCut(v)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// savedOfCut is what CSSGD saves of a modelled ASGD whose n pushes bring Q gradients
// over the server's link, which then sets its pace where it is slower than ASGD is:
//
//	seconds of n pushes = max(those of the run, Q·bytes of a gradient / B)
func (c *course) savedOfCut(v variant) float64 {
	ours, base, nodes := c.pairs(v)
	link := referencePlatform().Server.Bandwidth
	cut := make([][]float64, len(base))
	for k := range base {
		i := c.indexOf(nodes[k])
		n := c.on[i].Nodes
		run := float64(c.plan.Net.batch(n)) / c.rate[i]
		// SSGD Multicast sends each of Q gradients once.
		least := c.on[i].Of[v.Key][multicast].Bytes / link
		for _, x := range base[k] {
			cut[k] = append(cut[k], x*max(least/run, 1))
		}
	}
	x, _ := reductionOver(ours, cut)
	return x
}

func (c *course) indexOf(nodes int) int {
	for i, on := range c.on {
		if on.Nodes == nodes {
			return i
		}
	}
	panic(fmt.Sprintf("codedsgd: no training on %d nodes", nodes))
}

// asgdTable is how ASGD got there.
func (c *course) asgdTable() result.Table {
	t := result.Table{ID: "asgd", Title: "ASGD's way to the target", Kind: result.Trained,
		Caption: fmt.Sprintf("%d runs on each number of nodes: the seeds of the synchronous runs, then others. Pushes to the target are divided by n: so many samples make an update of the synchronous methods. Staleness: updates by others between a node's pull and its push.", len(c.asgd)),
		Columns: []result.Column{{Key: "nodes", Title: "nodes, classes"}, {Key: "runs", Title: "runs that reach it"}, {Key: "updates", Title: "SSGD's and CSSGD's updates", Digits: 1},
			{Key: "pushes", Title: "ASGD's pushes / n", Digits: 1}, {Key: "staleness", Title: "mean staleness", Unit: "versions", Digits: 2},
			{Key: "rate", Title: "ASGD", Unit: "samples/s", Digits: 0}, {Key: "cssgd", Title: "CSSGD Optimal", Unit: "samples/s", Digits: 0}, {Key: "ssgd", Title: "SSGD Multicast", Unit: "samples/s", Digits: 0}}}
	for i, on := range c.on {
		reached := 0
		for _, x := range c.ends[i] {
			if !math.IsNaN(x) {
				reached++
			}
		}
		_, it := on.optimal(judged)
		batch := float64(c.plan.Net.batch(on.Nodes))
		t.Rows = append(t.Rows, []any{on.Nodes, fmt.Sprintf("%d of %d", reached, len(c.ends[i])), exp.OrNone(meanOf(c.updates[i])), exp.OrNone(c.pushes(i)), c.stale[i],
			c.rate[i], batch / it.Seconds, batch / on.Of[judged.Key][multicast].Seconds})
	}
	return t
}
