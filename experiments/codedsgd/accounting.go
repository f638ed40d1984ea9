package codedsgd

import (
	"context"
	"math/big"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// accountingPlan is what a profile counts. All of it was fixed before the first run.
type accountingPlan struct {
	Least int   `json:"least_nodes"`
	Most  int   `json:"most_nodes"` // every redundancy of every n up to it
	Drawn []int `json:"drawn_nodes"`
	// Exchanged is up to how many nodes real exchanges are made, of gradients of
	// Elements numbers, which leave no rest in any segment or slice there.
	Exchanged int `json:"exchanged_nodes"`
	Elements  int `json:"elements"`
	// Stated is the case of C29.
	Stated             int   `json:"stated_nodes"`
	StatedRedundancies []int `json:"stated_redundancies"`
}

func planAccounting(profile string) accountingPlan {
	p := accountingPlan{Least: 2, Most: 12, Drawn: []int{8, 10}, Exchanged: 6, Elements: 1440, Stated: 10, StatedRedundancies: []int{1, 2, 3}}
	if profile == "ci" {
		p.Most, p.Drawn, p.Exchanged = 6, []int{5, 6}, 4
	}
	return p
}

// accounting sets all ways of counting what a batch sends side by side.
func accounting() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/accounting", Title: "What is sent, by every way of counting", Source: "CSSGD, §2.2 and §2.4", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "ci" {
			return 0.1
		}
		return 0.6
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planAccounting(env.Profile)
		res := exp.NewResult(e, env, result.Modelled, map[string]any{"plan": plan, "accountings": accountingForms()})
		res.Seeds = []uint64{} // nothing is drawn
		b := exp.Bar{Env: env, Total: 3}
		sizes, err := countSizes(ctx, plan.Least, plan.Most)
		if err != nil {
			return res, err
		}
		b.Step("blocks and packets")
		stated, err := countStated(plan)
		if err != nil {
			return res, err
		}
		b.Step("the stated case")
		real, err := exchangeSizes(ctx, plan)
		if err != nil {
			return res, err
		}
		b.Step("real exchanges")
		res.Tables = []result.Table{loadsTable(plan, sizes), winsTable(plan, sizes), ratiosTable(sizes), exchangedTable(plan, real)}
		for _, n := range plan.Drawn {
			res.Figures = append(res.Figures, loadsFigure(sizes, n), messageFigure(sizes, n))
		}
		res.Claims = []result.Claim{judgeOneNth(sizes), judgeLikeForLike(sizes), judgeStated(plan, stated)}
		res.Notes = accountingNotes(plan, sizes, real)
		res.Status = complete
		return res, nil
	}
	return e
}

// accountingForms are the closed forms, for the configuration.
func accountingForms() (forms [][3]string) {
	for _, a := range codedsgd.Accountings() {
		forms = append(forms, [3]string{a.Key, a.Title, a.Form})
	}
	return forms
}

// size is one (n, r): what was counted, and every accounting's load, nil where there
// is no such placement.
type size struct {
	N, R    int
	Counted codedsgd.Counts
	Loads   []*big.Rat
}

// countSizes enumerates every redundancy of least to most nodes, from small to large.
func countSizes(ctx context.Context, least, most int) (all []size, err error) {
	for n := least; n <= most; n++ {
		for r := 1; r <= n; r++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s, err := countSize(n, r)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
	}
	return all, nil
}

func countSize(n, r int) (size, error) {
	s := size{N: n, R: r}
	e, err := codedsgd.Enumerate(n, r)
	if err != nil {
		return s, err
	}
	s.Counted = e.Counts()
	for _, a := range codedsgd.Accountings() {
		s.Loads = append(s.Loads, a.Load(n, r))
	}
	return s, nil
}

// at is an accounting's load; nil where there is none.
func (s *size) at(key string) *big.Rat {
	for i, a := range codedsgd.Accountings() {
		if a.Key == key {
			return s.Loads[i]
		}
	}
	panic("codedsgd: no accounting " + key)
}

// counted are the loads that follow from the enumerated blocks and packets alone.
func (s *size) counted() map[string]*big.Rat {
	c, lacking := s.Counted, int64(s.N*s.Counted.Left)
	loads := map[string]*big.Rat{
		"coded":           big.NewRat(int64(c.Elements), int64(s.R)),
		"coded-unicast":   big.NewRat(int64(c.Deliveries), int64(s.R)), // segments of one element
		"uncoded-unicast": big.NewRat(lacking, 1),
		"uncoded":         new(big.Rat),
		"blocks":          big.NewRat(int64(c.Blocks), 1),
		"blocks-unicast":  big.NewRat(int64(c.Alone), 1),
	}
	if c.Left > 0 {
		loads["uncoded"] = big.NewRat(int64(c.Blocks), 1)
	}
	return loads
}

// countedEqual says how many of the counted loads are the closed form's, of how many.
func countedEqual(sizes []size) (equal, of int) {
	for i := range sizes {
		for key, load := range sizes[i].counted() {
			of++
			if load.Cmp(sizes[i].at(key)) == 0 {
				equal++
			}
		}
	}
	return equal, of
}

// ratio is (19), counted.
func (s *size) ratio() *big.Rat {
	return big.NewRat(int64(s.Counted.Elements), int64(s.R*s.Counted.Alone))
}

// likeForLike is coded over uncoded, both multicast, counted; nil where nothing is sent.
func (s *size) likeForLike() *big.Rat {
	if s.Counted.Left == 0 {
		return nil
	}
	return big.NewRat(int64(s.Counted.Elements), int64(s.R*s.Counted.Blocks))
}

// countStated counts the loads of C29.
func countStated(plan accountingPlan) (loads []*big.Rat, err error) {
	for _, r := range plan.StatedRedundancies {
		s, err := countSize(plan.Stated, r)
		if err != nil {
			return nil, err
		}
		loads = append(loads, s.counted()["coded"])
	}
	return loads, nil
}

func judgeStated(plan accountingPlan, loads []*big.Rat) result.Claim {
	var measured []float64
	for _, l := range loads {
		measured = append(measured, float(l))
	}
	return claims.Judge("C29", claims.Evidence{Value: measured, Note: "packets of the assignment, each counted once"})
}

// float is a load as a table has it.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
