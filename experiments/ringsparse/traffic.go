package ringsparse

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// trafficPlan is what a profile counts.
type trafficPlan struct {
	Nodes []int `json:"nodes"`
	// Counted are the workloads whose timing-only bytes are compared with those of
	// real vectors, on CountedNodes workers at CountedLink.
	Counted      []string `json:"counted"`
	CountedWays  []string `json:"counted_ways"`
	CountedNodes int      `json:"counted_nodes"`
	CountedLink  float64  `json:"counted_link"`
	Within       float64  `json:"within"`   // the criterion: |modelled/counted − 1|, drawn vectors
	Elements     int      `json:"elements"` // of P01's layer: a prime
}

func planTraffic(profile string) trafficPlan {
	p := trafficPlan{Nodes: gridPlan(profile), Counted: []string{"mlp", "embedding"},
		CountedWays: []string{"dense", "ringsparse", "gradients", "all-gather"}, CountedNodes: 4, CountedLink: 1, Within: 0.03, Elements: 1_000_003}
	switch profile {
	case "standard", "paper":
		p.Counted = append(p.Counted, "resnet18")
	case "ci":
		p.Counted, p.CountedWays, p.Elements = []string{"mlp"}, []string{"ringsparse", "all-gather"}, 10_007
	}
	return p
}

// traffic counts what every way sends.
func traffic() exp.Experiment {
	e := exp.Experiment{ID: "ringsparse/traffic", Title: "Bytes on the wire", Source: "the patent, S13, S4 and S42", Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		p := planTraffic(profile)
		return gridSeconds(profile) + float64(seeds*len(p.Counted)*len(p.CountedWays))*0.4 + float64(p.Elements)*2e-6
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planTraffic(env.Profile)
		res := exp.NewResult(e, env, result.TimingOnly, nil)
		works, err := workloads(env)
		if err != nil {
			return res, err
		}
		res.Config = map[string]any{"plan": plan, "platform": referencePlatform(), "links": links, "workloads": works, "ways": ways, "measured_rates": measuredRates, "seeds": env.Seeds}
		res.Data, res.Engine = works[0].images.data(), works[0].images.engineName
		b := exp.Bar{Env: env, Total: float64(len(works)*len(links)*len(plan.Nodes) + 17 + len(plan.Counted)*len(plan.CountedWays))}
		laps, err := grid(ctx, works, plan.Nodes, &b)
		if err != nil {
			return res, err
		}
		measured, err := measuredGrid(ctx, works, plan.Nodes[len(plan.Nodes)-1:], laps)
		if err != nil {
			return res, err
		}
		b.Step("measured rates")
		rings, err := countRings(ctx, plan.Elements, env.Seeds[0], &b)
		if err != nil {
			return res, err
		}
		counts, err := countReal(ctx, plan, works, env.Seeds, &b)
		if err != nil {
			return res, err
		}
		last := plan.Nodes[len(plan.Nodes)-1]
		res.Tables = []result.Table{workTable(works), wayTable(works, laps, last), nodesTable(works, laps, plan.Nodes), countTable(plan, counts), ringTable(plan, rings)}
		for i := range works[:2] {
			res.Figures = append(res.Figures, bytesFigure(works, laps, i, plan.Nodes))
		}
		res.Claims = []result.Claim{judgeRing(plan, rings)}
		res.Notes = trafficNotes(plan, works, laps, measured, counts, rings)
		res.Status = complete
		return res, nil
	}
	return e
}

// ofDense is the bytes of a cell over those of the dense ring, both of all ranks.
func ofDense(laps map[cell]lap, c cell) float64 {
	dense := c
	dense.Way = wayIndex("dense")
	return float64(laps[c].Totals.Sent.Bytes) / float64(laps[dense].Totals.Sent.Bytes)
}

func trafficNotes(plan trafficPlan, works []workload, laps, measured map[cell]lap, counts []counted, rings []ringCount) []string {
	first, last := plan.Nodes[0], plan.Nodes[len(plan.Nodes)-1]
	mlp, embedding := &works[0], &works[1]
	at := func(w int, way string, gbps float64, n int) float64 {
		return 100 * ofDense(laps, cell{w, wayIndex(way), gbps, n})
	}
	direct := true
	for i := range works {
		for _, n := range plan.Nodes {
			for _, gbps := range links[1:] {
				direct = direct && at(i, "ringsparse", gbps, n) >= 100
			}
		}
	}
	fast := fmt.Sprintf("At %s and %s the corrected rule sends every block as it is: packing and unpacking at %s takes longer than the bytes it saves. Sparsity saves nothing there.", linkName(links[1]), linkName(links[2]), assumed())
	if !direct {
		fast = fmt.Sprintf("At %s and %s some blocks are compressed: RingSparse sends %.0f %% and %.0f %% of the dense ring's bytes for the embedding model at N = %d.", linkName(links[1]), linkName(links[2]), at(1, "ringsparse", links[1], last), at(1, "ringsparse", links[2], last), last)
	}
	fast += fmt.Sprintf(" At %s RingSparse sends %.0f and %.0f %% of the dense ring's bytes for the embedding model at N = %d, and %.0f and %.0f %% for the MLP.", measuredSet(),
		100*ofDense(measured, cell{1, wayIndex("ringsparse"), links[1], last}), 100*ofDense(measured, cell{1, wayIndex("ringsparse"), links[2], last}), last,
		100*ofDense(measured, cell{0, wayIndex("ringsparse"), links[1], last}), 100*ofDense(measured, cell{0, wayIndex("ringsparse"), links[2], last}))
	compare := fmt.Sprintf("All-gather of sparse gradients, which sums nothing on the way, sends %.0f %% of the dense ring's bytes for the embedding model at N = %d and %.0f %% at N = %d; ", at(1, "all-gather", 1, first), first, at(1, "all-gather", 1, last), last)
	if x := cross(laps, 1, plan.Nodes); x == 0 {
		compare += "it is never behind RingSparse at the sizes that were run."
	} else {
		compare += fmt.Sprintf("it sends more than RingSparse from N = %d on.", x)
	}
	return []string{
		fmt.Sprintf("At 1 Gb/s RingSparse sends %.0f to %.0f %% of the dense ring's bytes for the embedding model (%.1f %% of its gradient is not zero), N = %d to %d. Sums fill in, and the all-gather carries them at their densest.", at(1, "ringsparse", 1, first), at(1, "ringsparse", 1, last), 100*embedding.density(), first, last),
		fmt.Sprintf("The MLP's gradient has %.0f %% non-zeros, measured at the start of training: RingSparse saves %.1f %% at N = %d and %.1f %% at N = %d. ResNet-18 has no zeros and saves %.1f %%.", 100*mlp.density(), 100-at(0, "ringsparse", 1, first), first, 100-at(0, "ringsparse", 1, last), last, 100-at(2, "ringsparse", 1, last)),
		fmt.Sprintf("Sending gradients alone sends the same: %.1f %% for the embedding model at N = %d, RingSparse %.1f %%. Dense weights are never the sparser kind, so the choice of S41 saves no byte beside them; weights alone save nothing (%.0f %%).", at(1, "gradients", 1, last), last, at(1, "ringsparse", 1, last), at(1, "weights", 1, last)),
		compare, fast,
		fmt.Sprintf("The printed rule turns the choice round: %.0f %% of the dense bytes for the embedding model at 1 Gb/s, N = %d, and %.0f %% for ResNet-18 at %s.", at(1, "printed", 1, last), last, at(2, "printed", links[2], last), linkName(links[2])),
		countNote(plan, counts), ringNote(rings),
	}
}

// cross is the least N from which on the all-gather sends more than RingSparse at 1 Gb/s; 0: none.
func cross(laps map[cell]lap, work int, nodes []int) (from int) {
	for i := len(nodes) - 1; i >= 0; i-- {
		g, r := ofDense(laps, cell{work, wayIndex("all-gather"), 1, nodes[i]}), ofDense(laps, cell{work, wayIndex("ringsparse"), 1, nodes[i]})
		if g <= r {
			return from
		}
		from = nodes[i]
	}
	return from
}
