package codedsgd

import (
	"context"
	"math/big"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
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
	return kit.Inquiry{ID: "codedsgd/accounting", Source: "CSSGD, §2.2 and §2.4", Kind: result.Modelled, Profiles: exp.Profiles, Seedless: true,
		Seconds: takes(0.1, 0.6),
		Config: func(profile string) map[string]any {
			var keys []string
			for _, a := range codedsgd.Accountings() {
				keys = append(keys, a.Key)
			}
			return map[string]any{"plan": planAccounting(profile), "accountings": keys}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan, b := planAccounting(env.Profile), exp.Bar{Env: env, Total: 3}
			sizes, err := countSizes(ctx, plan.Least, plan.Most)
			if err != nil {
				return err
			}
			b.Step("blocks and packets")
			stated, err := countStated(plan)
			if err != nil {
				return err
			}
			b.Step("the stated case")
			real, err := exchangeSizes(ctx, plan)
			if err != nil {
				return err
			}
			b.Step("real exchanges")
			showLoads(r, plan, sizes, real)
			r.Claims = []result.Claim{judgeOneNth(sizes), judgeLikeForLike(sizes), judgeStated(stated)}
			return nil
		}}.Experiment()
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

func judgeStated(loads []*big.Rat) result.Claim {
	var f claims.Found
	for _, l := range loads {
		f.Values = append(f.Values, float(l))
	}
	f.Notes = []result.Reason{result.Because("C29")}
	return claims.Verdict("C29", f)
}

// coding reports whether s codes anything and sends anything.
func (s *size) coding() bool { return s.R >= 2 && s.R < s.N }

// oneNth counts the sizes that code, of them those whose ratio is 1/n, and those whose is
// the form of (19); smallest is the first that is not 1/n.
func oneNth(sizes []size) (of, equal, form int, smallest *size) {
	for i := range sizes {
		s := &sizes[i]
		if !s.coding() {
			continue
		}
		of++
		if s.ratio().Cmp(big.NewRat(1, int64(s.N))) == 0 {
			equal++
		} else if smallest == nil {
			smallest = s
		}
		if s.ratio().Cmp(codedsgd.LRatio(s.N, s.R)) == 0 {
			form++
		}
	}
	return of, equal, form, smallest
}

// judgeOneNth judges C18: data are reduced to 1/n "in general", at every redundancy
// that codes anything and sends anything, 2 ≤ r < n.
func judgeOneNth(sizes []size) result.Claim {
	of, equal, form, smallest := oneNth(sizes)
	words := result.Because("C18-neither", "neither", of-form, "of", of)
	if form == of {
		words = result.Because("C18-form")
	}
	f := claims.Identity(of > 0 && equal == of, words)
	f.Notes = []result.Reason{result.Because("C18", "of", of, "most", sizes[len(sizes)-1].N, "equal", equal, "form", form)}
	if smallest != nil {
		f.Notes = append(f.Notes, result.Because("C18-smallest", "n", smallest.N, "r", smallest.R, "ratio", smallest.ratio().RatString()))
	}
	return claims.Verdict("C18", f)
}

// judgeLikeForLike judges C28.
func judgeLikeForLike(sizes []size) result.Claim {
	of, less, late := 0, 0, 0
	words, right := result.Reason{}, true
	for i := range sizes {
		s := &sizes[i]
		counted := s.likeForLike()
		if counted == nil {
			continue
		}
		of++
		if right && counted.Cmp(big.NewRat(int64(s.N-s.R), int64(s.R))) != 0 {
			words, right = result.Because("C28-other", "ratio", counted.RatString(), "n", s.N, "r", s.R), false
		}
		if counted.Cmp(big.NewRat(1, 1)) < 0 {
			less++
		}
		if 2*s.R > s.N {
			late++
		}
	}
	f := claims.Identity(of > 0 && right, words)
	f.Notes = []result.Reason{result.Because("C28", "of", of, "most", sizes[len(sizes)-1].N), result.Because("C28-less", "less", less, "late", late)}
	return claims.Verdict("C28", f)
}

// float is a load as a table has it.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}
