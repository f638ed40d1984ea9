package exchange

import (
	"context"
	"slices"

	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/ringsparse/setup"
)

// trafficPlan holds what a profile counts.
type trafficPlan struct {
	Nodes []int `json:"nodes"`
	// Counted lists the networks whose timing-only bytes are compared with the bytes of real
	// vectors, on CountedNodes workers at CountedLink.
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

// sent holds what was counted of a profile.
type sent struct {
	plan              trafficPlan
	works             []setup.Network
	assumed, measured grid // measured: on the most workers
	counts            []counted
	rings             []ringCount
}

// Traffic counts what every way sends.
func Traffic() exp.Experiment {
	return kit.Inquiry{ID: "ringsparse/traffic", Source: "the patent, S13, S4 and S42", Kind: result.TimingOnly, Profiles: exp.Profiles,
		Seconds: func(profile string, seeds int) float64 {
			p := planTraffic(profile)
			return gridSeconds(profile) + float64(seeds*len(p.Counted)*len(p.CountedWays))*0.4 + float64(p.Elements)*2e-6
		},
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planTraffic(profile), "platform": kit.Platform(setup.Platform()), "links": setup.Links, "ways": setup.Ways,
				"measured_rates": setup.MeasuredRates}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) (err error) {
			s := sent{plan: planTraffic(env.Profile)}
			if s.works, err = setup.OpenNetworks(env, r); err != nil {
				return err
			}
			most := s.plan.Nodes[len(s.plan.Nodes)-1:]
			all := len(s.works)*len(setup.Links)*(len(s.plan.Nodes)*len(setup.Ways)+len(rateWays)) + mostRanks + len(s.plan.Counted)*len(s.plan.CountedWays)
			b := exp.Bar{Env: env, Total: float64(all)}
			if s.assumed, err = runGrid(ctx, s.works, setup.Ways, s.plan.Nodes, nil, &b); err != nil {
				return err
			}
			if s.measured, err = runGrid(ctx, s.works, rateWays, most, setup.MeasuredRates, &b); err != nil {
				return err
			}
			if s.rings, err = countRings(ctx, s.plan.Elements, env.Seeds[0], &b); err != nil {
				return err
			}
			if s.counts, err = countReal(ctx, s.plan, s.works, env.Seeds, &b); err != nil {
				return err
			}
			r.Facts = s.facts()
			r.Frames = []result.Frame{setup.NetworkFrame(s.works), setup.RateFrame(), s.bytes(), s.fast(), countFrame(s.counts), ringFrame(s.rings)}
			for _, w := range s.works[:2] {
				r.Figures = append(r.Figures, result.Figure{ID: "bytes-" + w.Key, Form: "line", Frame: "bytes",
					Where: map[string]any{"work": w.Key, "link": setup.Links[0], "misread": false}, X: "n", Y: []string{"mb"}, By: []string{"way"}})
			}
			r.Claims = []result.Claim{judgeRing(s.plan, s.rings)}
			return nil
		}}.Experiment()
}

// misread reports whether a way is a reading of the text as printed.
func misread(way string) bool { return way == "printed" || way == "layer" }

// bytes returns the frame of what every way sends.
func (s sent) bytes() result.Frame {
	return kit.Rows("bytes", pointHead+"misread:bool mb/MB.2 share/%.1 saved/%.1", gridPoints(s.works, setup.Ways, setup.Links, s.plan.Nodes),
		func(c gridPoint) []any {
			share := s.assumed.bytes(c)
			return c.row(misread(c.Way), float64(s.assumed[c].Totals.Sent.Bytes)/float64(c.Nodes)/1e6, share, 100-share)
		})
}

// fast returns the frame of the bytes at measured rates, on the most workers.
func (s sent) fast() result.Frame {
	return kit.Rows("measured", pointHead+"share/%.0", gridPoints(s.works, rateWays[1:], setup.Links, s.plan.Nodes[len(s.plan.Nodes)-1:]),
		func(c gridPoint) []any { return c.row(s.measured.bytes(c)) })
}

// facts returns findings, and the numbers of sentences that stand in no frame.
func (s sent) facts() []result.Fact {
	direct := true
	for _, c := range gridPoints(s.works, []setup.Way{setup.WayOf("ringsparse")}, setup.Links[1:], s.plan.Nodes) {
		direct = direct && s.assumed.bytes(c) >= 100
	}
	random, own := s.off()
	overtakes := any(nil)
	if n := s.assumed.cross("embedding", s.plan.Nodes); n > 0 {
		overtakes = n
	}
	return append(setup.NetworkFacts(s.works), kit.Facts("n.least", s.plan.Nodes[0], "n.most", slices.Max(s.plan.Nodes), "fast.direct", direct,
		"overtakes", overtakes, "rings", len(s.rings), "rings.exact", len(wrongRings(s.rings)) == 0, "elements", s.plan.Elements, "divisible", divisible,
		"counted.n", s.plan.CountedNodes, "counted.link/Gb/s", s.plan.CountedLink, "within/%.0", 100*s.plan.Within,
		"off.random/%.1", random, "off.own/%.1", own, "off.agrees", random <= 100*s.plan.Within)...)
}

// cross returns the least N from which on the all-gather sends more than RingSparse at
// 1 Gb/s; 0: none.
func (g grid) cross(work string, nodes []int) (from int) {
	for _, n := range slices.Backward(nodes) {
		if g.bytes(gridPoint{work, "all-gather", setup.Links[0], n}) <= g.bytes(gridPoint{work, "ringsparse", setup.Links[0], n}) {
			return from
		}
		from = n
	}
	return from
}
