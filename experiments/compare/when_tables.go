package compare

import (
	"fmt"
	"slices"
	"strings"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

var modelTitle = map[string]string{"lenet5": "LeNet-5", "mlp": "MLP", "resnet18": "ResNet-18", "vgg19_bn": "VGG-19-BN"}

func linkName(g float64) string { return fmt.Sprintf("%g Gb/s", g) }

// how says how the sweep's numbers were made.
func (g *guide) how() string {
	return fmt.Sprintf("Timing-only runs without jitter of the whole networks at %d samples per worker on GPUs like those of homogeneous6 (P100; launches and overhead of an eager framework charged), full-duplex links through one switch. Workers: equal; one straggler, six times slower; or a spread of speeds from 1 to 1/3.6. A round is N·b samples, dense gradients. Coded methods are charged int32 arithmetic at an assumed 2 GB/s, SSGD, which codes nothing, none. ", g.plan.Batch)
}

// regionTable says who is first in every region of sets and links.
func (g *guide) regionTable() result.Table {
	t := result.Table{ID: "regions", Title: "Who has the shortest round where", Kind: result.TimingOnly,
		Caption: g.how() + fmt.Sprintf("Cases: %d networks by N = %s. One worker alone computes all N·b samples by itself; where no method is faster, none is counted as first. Without multicast: methods that need no switch that copies packets. %s = joins methods within %g %%, “any asynchronous” all four of ASP, SSP, DSSP and DASP. A server is a machine more than the others have.",
			len(g.plan.Models), spell(g.plan.Nodes), g.costs(), 100*tie),
		Columns: []result.Column{{Key: "set", Title: "workers"}, {Key: "link", Title: "link"}, {Key: "alone", Title: "distributing pays"}, {Key: "plain", Title: "best, without multicast"},
			{Key: "margin", Title: "where a method wins, the second takes longer by"}, {Key: "any", Title: "best, with multicast"}, {Key: "server", Title: "best, with a server"}}}
	for _, set := range g.plan.Sets {
		for _, link := range g.plan.Links {
			at := g.points(func(p point) bool { return p.Set == set && p.Gbps == link })
			plain := g.tally(at, noMulticast)
			t.Rows = append(t.Rows, []any{set, linkName(link), fmt.Sprintf("%d of %d", plain.pays(), plain.Of), plain.words(), plain.margin(), g.tally(at, anyMethod).words(),
				g.tally(at, ofServer).words()})
		}
	}
	return t
}

// networkTable says who is best by workers, network and link.
func (g *guide) networkTable() result.Table {
	t := result.Table{ID: "networks", Title: "Best without multicast, by workers, network and link", Kind: result.TimingOnly,
		Caption: fmt.Sprintf("Where N = %s give different answers, each stands with its N. One worker alone: no method is faster than the worker that computes all N·b samples by itself. %s", spell(g.plan.Nodes), g.costs()),
		Columns: []result.Column{{Key: "set", Title: "workers"}, {Key: "network", Title: "network"}}}
	for _, l := range g.plan.Links {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("g%g", l), Title: linkName(l)})
	}
	for _, set := range g.plan.Sets {
		for _, m := range g.plan.Models {
			row := []any{set, modelTitle[m]}
			for _, l := range g.plan.Links {
				row = append(row, g.among(g.points(func(p point) bool { return p.Set == set && p.Model == m && p.Gbps == l }), noMulticast))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// bestTable is the first and the second of every case, by time per round alone.
func (g *guide) bestTable() result.Table {
	t := result.Table{ID: "best", Title: "The shortest round of every case, and the second", Kind: result.TimingOnly,
		Caption: g.how() + "Methods without multicast, by time per round alone; in brackets the second and how much longer it takes. Alone: one worker computes all N·b samples faster than that.",
		Columns: []result.Column{{Key: "set", Title: "workers"}, {Key: "link", Title: "link"}, {Key: "n", Title: "N"}}}
	for _, m := range g.plan.Models {
		t.Columns = append(t.Columns, result.Column{Key: m, Title: modelTitle[m]})
	}
	for _, set := range g.plan.Sets {
		for _, link := range g.plan.Links {
			for _, n := range g.plan.Nodes {
				row := []any{set, linkName(link), n}
				for _, m := range g.plan.Models {
					p := point{m, set, link, n}
					o := g.order(p, noMulticast, false)
					text := best(o)
					if t := g.time(p, alone); t <= o[0].Time {
						text += "; alone, " + milliseconds(1e3*t)
					}
					row = append(row, text)
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// best names the first of an order with its time, and the next.
func best(o []rank) string {
	name, second := firstOf(o)
	out := name + ", " + milliseconds(1e3*o[0].Time)
	if second < len(o) {
		out += fmt.Sprintf(" (%s +%.0f %%)", o[second].Method.Title, 100*(o[second].Time/o[0].Time-1))
	}
	return out
}

// sampleTable is what staleness costs in samples.
func (g *guide) sampleTable() result.Table {
	t := result.Table{ID: "samples", Title: "How many more samples asynchronous methods need", Kind: result.Trained,
		Caption: "Gradients to the target accuracy over BSP's, paired by seed, from compare/homogeneous and compare/heterogeneous: LeNet-5 alone. Rows of both links: per seed the mean over the links, which share the seed. " + g.costs() + " Changed after runs of profile quick: a first version took the links of a seed as independent, and a second counted factors below 1, which made SSP look better than ASP on unequal workers. Nothing: a seed does not reach the target.",
		Columns: []result.Column{{Key: "set", Title: "workers"}, {Key: "link", Title: "link"}, {Key: "method", Title: "method"}, {Key: "ratio", Title: "BSP = 1", Digits: 2},
			{Key: "lo", Title: "95 % from", Digits: 2}, {Key: "hi", Title: "95 % to", Digits: 2}, {Key: "stale", Title: "staleness, mean", Unit: "versions", Digits: 2}}}
	for _, st := range g.studies {
		for _, gr := range st.Grounds {
			for _, m := range methods() {
				if !m.Async || m.Key == "asgd" {
					continue
				}
				row := []any{clusterTitle[st.Set], gr.link(), m.Title, nil, nil, nil, mean(st.cells(gr, m.Key), func(c cell) float64 { return c.Stale })}
				if r, ci, ok := st.moreSamples(gr, m.Key); ok {
					row[3] = exp.OrNone(r)
					if ci != nil {
						row[4], row[5] = ci[0], ci[1]
					}
				}
				t.Rows = append(t.Rows, row)
			}
		}
		for _, k := range []string{"asp", "ssp", "dssp", "dasp"} {
			if f, ok := g.factor[st.Set][k]; ok {
				row := []any{clusterTitle[st.Set], "both", methodOf(k).Title, f.Ratio, nil, nil, nil}
				if f.CI != nil {
					row[4], row[5] = f.CI[0], f.CI[1]
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// densityTable is RingSparse against the ring at stated densities.
func (g *guide) densityTable() result.Table {
	n := g.plan.Nodes[len(g.plan.Nodes)-1]
	t := result.Table{ID: "density", Title: fmt.Sprintf("RingSparse against the ring, by density, N = %d", n), Kind: result.TimingOnly,
		Caption: g.how() + "Equal workers; RingSparse's round over the ring's, which fuses layers to 1 MiB. The density of a worker's gradient is stated, the same in all layers, zeros of workers independent; packing at the assumed rates of platform sparse32. Below 1 RingSparse is faster.",
		Columns: []result.Column{{Key: "model", Title: "network"}, {Key: "link", Title: "link"}}}
	for _, d := range g.plan.Densities {
		t.Columns = append(t.Columns, result.Column{Key: fmt.Sprintf("d%g", d), Title: fmt.Sprintf("density %g %%", 100*d), Digits: 2})
	}
	for _, p := range g.points(func(p point) bool { return p.Set == equalWorkers && p.Nodes == n }) {
		row := []any{modelTitle[p.Model], linkName(p.Gbps)}
		for _, d := range g.plan.Densities {
			row = append(row, g.sparse(p, d))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sparse is RingSparse's round at a density over the ring's.
func (g *guide) sparse(p point, density float64) float64 {
	return g.times[place{p, "ringsparse", density}] / g.time(p, "ring")
}

// timeTable is every method at the largest number of nodes.
func (g *guide) timeTable() result.Table {
	n := g.plan.Nodes[len(g.plan.Nodes)-1]
	t := result.Table{ID: "times", Title: fmt.Sprintf("Time of a round, N = %d", n), Kind: result.TimingOnly, Caption: g.how() + "Alone: the first worker, the fastest of a spread, computes the N·b samples by itself and exchanges nothing.",
		Columns: []result.Column{{Key: "model", Title: "network"}, {Key: "set", Title: "workers"}, {Key: "link", Title: "link"}}}
	for _, m := range sweepMethods() {
		t.Columns = append(t.Columns, result.Column{Key: m.Key, Title: m.Title, Unit: "ms", Digits: 1})
	}
	t.Columns = append(t.Columns, result.Column{Key: alone, Title: "alone", Unit: "ms", Digits: 1})
	for _, p := range g.points(func(p point) bool { return p.Nodes == n }) {
		row := []any{modelTitle[p.Model], p.Set, linkName(p.Gbps)}
		for _, m := range sweepMethods() {
			row = append(row, 1e3*g.time(p, m.Key))
		}
		t.Rows = append(t.Rows, append(row, 1e3*g.time(p, alone)))
	}
	return t
}

// linkFigure is the time of a round over the link's bandwidth.
func (g *guide) linkFigure(model, set string) result.Figure {
	n := g.plan.Nodes[len(g.plan.Nodes)-1]
	f := result.Figure{ID: "links-" + map[string]string{equalWorkers: "equal", straggler: "straggler", spread: "spread"}[set], Kind: result.TimingOnly, Form: "line",
		Title:   fmt.Sprintf("%s, %s, N = %d: a round by link", modelTitle[model], setTitle[set], n),
		Caption: g.how() + "Time only: what staleness costs in samples is not in it. The table has the other methods.",
		X:       result.Axis{Title: "link", Unit: "Gb/s", Log: true}, Y: result.Axis{Title: "a round", Unit: "ms", Log: true}}
	for _, k := range append(slices.Clone(drawn), alone) {
		s := result.Series{Name: "one worker alone", Group: k}
		if k != alone {
			s.Name = sweepMethod(k).Title
		}
		for _, l := range g.plan.Links {
			s.X, s.Y = append(s.X, l), append(s.Y, 1e3*g.time(point{model, set, l, n}, k))
		}
		f.Series = append(f.Series, s)
	}
	f.Alt = spoken(f.Series, g.plan.Links)
	return f
}

// spoken says of lines over links who is least and who is most at each.
func spoken(drawn []result.Series, links []float64) string {
	var out []string
	for i, l := range links {
		first, last := extremes(drawn, i)
		out = append(out, fmt.Sprintf("At %s %s is first with %s, %s last with %s.", linkName(l), first.Name, milliseconds(first.Y[i]), last.Name, milliseconds(last.Y[i])))
	}
	return strings.Join(out, " ")
}

// milliseconds prints a time to four digits and never as a power of ten.
func milliseconds(ms float64) string {
	if ms >= 1e4 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.4g ms", ms)
}
