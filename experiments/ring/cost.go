package ring

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// costPlan is what a profile counts on sockets.
type costPlan struct {
	Elements int   `json:"elements"` // a prime, so that chunks are ragged at every N
	Ranks    []int `json:"ranks"`
	// Kernel asks the operating system what it sent. Profile ci does not: its results
	// are compared byte by byte on systems that keep no such count, too.
	Kernel bool `json:"kernel"`
}

// pieceElements is 1 MiB, the size of the messages on sockets.
const pieceElements = 1 << 18

// wireLimit is what all bytes above TCP may be, relative to the payload.
const wireLimit = 1.02

func planCost(profile string) costPlan {
	if profile == "ci" {
		return costPlan{Elements: 1<<20 - 3, Ranks: []int{1, 2, 3, 8}}
	}
	p := costPlan{Elements: 1<<22 - 3, Kernel: true}
	for n := 1; n <= mostRanks; n++ {
		p.Ranks = append(p.Ranks, n)
	}
	return p
}

// cost counts what the ring moves and times what the single reducer costs.
func cost() exp.Experiment {
	e := exp.Experiment{ID: "ring/cost", Title: "What a ring costs, and a single reducer", Source: "the blog, The Communication Problem and Allreduce Communication Cost", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		p, sum := planCost(profile), 0
		for _, n := range p.Ranks {
			sum += 2 * n * p.Elements
		}
		return 0.3 + float64(sum)*4/0.4e9
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planCost(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"blog_bytes": blogBytes, "blog_link": blogLink, "links": costLinks,
			"sockets": plan, "piece_elements": pieceElements, "wire_limit": wireLimit})
		b := exp.Bar{Env: env, Total: float64(mostRanks - 1 + len(costLinks) + mostRanks + len(plan.Ranks))}
		times, err := naiveTimes(ctx, &b)
		if err != nil {
			return res, err
		}
		links, err := linkTimes(ctx, &b)
		if err != nil {
			return res, err
		}
		virtual, err := virtualCounts(ctx, &b)
		if err != nil {
			return res, err
		}
		wires, err := socketCounts(ctx, plan, &b)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{bytesTable(virtual), socketTable(plan, wires), naiveTable(times), linkTable(links)}
		res.Figures = []result.Figure{naiveFigure(times)}
		res.Claims = append(judgeNaive(times), judgeLinks(links)...)
		res.Claims = append(res.Claims, judgeBytes(plan, virtual, wires))
		res.Notes = costNotes(plan, virtual, wires, times)
		res.Status = complete
		return res, nil
	}
	return e
}

func costNotes(plan costPlan, virtual, wires []count, times []naiveTime) []string {
	last := wires[len(wires)-1]
	exact := "Every byte is accounted for: "
	if f := append(wrongCounts(virtual), wrongCounts(wires)...); len(f) > 0 {
		exact = fmt.Sprintf("Not every byte is accounted for (%s): ", f[0])
	}
	at := func(n int) naiveTime { return times[n-2] }
	notes := []string{
		exact + fmt.Sprintf("at every N from 1 to %d in virtual time, and at %d sizes up to N = %d on %s, all ranks together send N times the blog's 2(N−1)·K/N; a single rank differs by two elements at most, where N does not divide K.", mostRanks, len(wires), last.Ranks, socketsName),
		fmt.Sprintf("The single reducer's %.1f s for 2 and %.1f s for 10 GPUs are the gather alone. Nobody has the sum then but the reducer: sending it back costs as much again, %.1f and %.1f s. The ring takes %.2f and %.2f s for all of it.",
			at(2).Gather, at(10).Gather, at(2).Both, at(10).Both, at(2).Ring, at(10).Ring),
		fmt.Sprintf("At 2 GPUs reducer and ring move the same bytes, but the ring moves them both ways at once: %.1f s against %.1f s. At 10 GPUs the ring takes %.0f %% of the reducer's time.", at(2).Ring, at(2).Both, 100*at(10).Ring/at(10).Both),
	}
	return append(notes, wireNote(plan, wires))
}
