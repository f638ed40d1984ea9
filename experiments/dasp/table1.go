package dasp

import (
	"context"
	"fmt"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/shared/cluster"
)

// stated is a table of assumptions: nothing is run for it.
func stated(id, heading, source string, fill func(res *result.Result, env exp.Env)) exp.Experiment {
	e := exp.Experiment{ID: id, Title: heading, Source: source, Profiles: exp.Profiles}
	e.Seconds = func(string, int) float64 { return 0 }
	e.Old = func(_ context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.Stated, nil)
		res.Seeds = []uint64{}
		fill(res, env)
		res.Status = complete
		return res, nil
	}
	return e
}

// table1 is the server and the workers of the homogeneous cluster.
func table1() exp.Experiment {
	return stated("dasp/table1", "Homogeneous cluster: assumed hardware", "DASP, Table 1", func(res *result.Result, _ exp.Env) {
		p := load(homogeneous)
		res.Config = map[string]any{"platform": p}
		res.Tables = []result.Table{hostTable(p), assumptionTable(p)}
		res.Notes = []string{"The body of the paper's Table 1 is lost. Every device and link here is our assumption, with its reason and how sure we are; " +
			"the verdicts of Tables 4 and 5 hang on them, and each stands beside the range over plausible platforms."}
		res.Claims = []result.Claim{claims.Judge("D41", claims.Evidence{Value: len(p.Workers), Note: claims.SetAsStated + "; plus one parameter server"})}
	})
}

func hosts(p *cluster.Platform) []cluster.Host {
	if p.Server == nil {
		return p.Workers
	}
	return p.Hosts(true)
}

func hostTable(p *cluster.Platform) result.Table {
	t := result.Table{ID: "hosts", Title: title[p.Name], Kind: result.Stated, Caption: p.Note,
		Columns: []result.Column{{Key: "host", Title: "host"}, {Key: "flops", Title: "effective speed", Unit: "TFLOP/s", Digits: 2},
			{Key: "factor", Title: "time factor", Digits: 2}, {Key: "memory", Title: "memory", Unit: "GB/s", Digits: 0},
			{Key: "jitter", Title: "jitter", Unit: "%", Digits: 1}, {Key: "link", Title: "link", Unit: "Gb/s", Digits: 1},
			{Key: "latency", Title: "latency", Unit: "µs", Digits: 1}}}
	fastest := 0.0
	for _, h := range p.Workers {
		fastest = max(fastest, h.FLOPS)
	}
	for i, h := range hosts(p) {
		factor := any(fastest / h.FLOPS)
		if p.Server != nil && i == 0 {
			factor = nil
		}
		t.Rows = append(t.Rows, []any{h.Name, h.FLOPS / 1e12, factor, h.Memory / 1e9, 100 * h.Jitter, h.Bandwidth * 8 / 1e9,
			1e6 * h.Latency.Seconds()})
	}
	return t
}

// assumptionTable prints why each value was chosen; hosts that share a reason
// share a row.
func assumptionTable(p *cluster.Platform) result.Table {
	t := result.Table{ID: "assumptions", Title: "Reasons", Kind: result.Stated,
		Caption: "What the paper does not say, what we chose, why, and how sure we are.",
		Columns: []result.Column{{Key: "who", Title: "host"}, {Key: "value", Title: "value"}, {Key: "chosen", Title: "chosen"},
			{Key: "why", Title: "why"}, {Key: "confidence", Title: "confidence"}}}
	at := map[cluster.Assumption]int{}
	add := func(who string, list []cluster.Assumption) {
		for _, a := range list {
			if i, ok := at[a]; ok {
				t.Rows[i][0] = fmt.Sprintf("%s, %s", t.Rows[i][0], who)
				continue
			}
			at[a] = len(t.Rows)
			t.Rows = append(t.Rows, []any{who, a.Field, a.Value, a.Why, a.Confidence})
		}
	}
	for _, h := range hosts(p) {
		add(h.Name, h.Assumed)
	}
	add("cluster", p.Assumed)
	return t
}
