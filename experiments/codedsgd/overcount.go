package codedsgd

import (
	"context"
	"fmt"
	"math/big"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// overcountPlan is what a profile counts out.
type overcountPlan struct {
	Least     int   `json:"least_nodes"`
	Most      int   `json:"most_nodes"`
	LoopLimit int64 `json:"loop_limit"` // combinations per node; more are not counted
	// The case of C27.
	Nodes      int `json:"stated_nodes"`
	Redundancy int `json:"stated_redundancy"`
}

func planOvercount(profile string) overcountPlan {
	p := overcountPlan{Least: 2, Most: 12, LoopLimit: codedsgd.LoopLimit, Nodes: 8, Redundancy: 3}
	if profile == "ci" {
		p.Most = 6
	}
	return p
}

// overcount compares the packets of Algorithm 3 as printed with those it needs.
func overcount() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/overcount", Title: "Packets of Algorithm 3 as printed", Source: "CSSGD, Algorithm 3 against equation (28)", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "ci" {
			return 0.1
		}
		return 1.5
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planOvercount(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"plan": plan})
		res.Seeds = []uint64{} // nothing is drawn
		b := exp.Bar{Env: env, Total: float64(plan.Most - plan.Least + 2)}
		var loops []loop
		for n := plan.Least; n <= plan.Most; n++ {
			for r := 1; r <= n; r++ {
				l, err := countLoop(ctx, n, r)
				if err != nil {
					return res, err
				}
				loops = append(loops, l)
			}
			b.Step(fmt.Sprintf("n = %d", n))
		}
		stated, err := countLoop(ctx, plan.Nodes, plan.Redundancy)
		if err != nil {
			return res, err
		}
		b.Step("the stated case")
		res.Tables = []result.Table{loopTable(plan, loops)}
		res.Figures = []result.Figure{factorFigure(loops), atThreeFigure(loops)}
		res.Claims = []result.Claim{judgeLoop(&stated)}
		res.Notes = loopNotes(plan, loops)
		res.Status = complete
		return res, nil
	}
	return e
}

// loop is Algorithm 3 at one size, as printed and as (28) counts it.
type loop struct {
	N, R    int
	Each    *big.Int // combinations per node, C(μ,r)
	Counted bool
	codedsgd.LoopCount
	Repeats            *big.Int // how often each segment comes, in closed form; nil for r = n
	Needed, Deliveries int      // packets, and receptions, of one exchange without repetition
	Normal             int      // messages of (30)
}

func countLoop(ctx context.Context, n, r int) (loop, error) {
	l := loop{N: n, R: r, Each: codedsgd.LoopCombinations(n, r), Repeats: codedsgd.LoopRepeats(n, r)}
	if err := ctx.Err(); err != nil {
		return l, err
	}
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		return l, err
	}
	l.LoopCount, l.Counted = e.Loop()
	c := e.Counts()
	l.Needed, l.Deliveries, l.Normal = c.Packets, c.Deliveries, c.Alone
	return l, nil
}

// factor is how many times the packets that are needed the loop sends; r < n, counted.
func (l *loop) factor() float64 { return float64(l.Packets) / float64(l.Needed) }

// received is how often each segment comes to each node that lacks it, counted; r < n.
func (l *loop) received() *big.Rat {
	return big.NewRat(l.LoopCount.Deliveries, int64(l.Deliveries))
}

// ofNormal is the loop's load, a multicast once, over that of (30).
func (l *loop) ofNormal() float64 { return float64(l.Packets) / float64(l.R*l.Normal) }

// countedLoops are the loops that were counted and send anything.
func countedLoops(loops []loop) (out []loop) {
	for _, l := range loops {
		if l.Counted && l.Needed > 0 {
			out = append(out, l)
		}
	}
	return out
}

func judgeLoop(l *loop) result.Claim {
	return claims.Judge("C27", claims.Evidence{Value: int(l.Packets),
		Note: fmt.Sprintf("counted on all %d nodes, %s combinations each; %d packets are needed, and %d of those counted are these", l.N, l.Each, l.Needed, l.Useful)})
}
