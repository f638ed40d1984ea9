package codedsgd

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// proofPlan is what a profile counts, at every redundancy of every number of nodes.
type proofPlan struct {
	Least int `json:"least_nodes"`
	Most  int `json:"most_nodes"`
	// LoopLimit is up to how many combinations per node the printed loop of Algorithm 3
	// is counted out.
	LoopLimit int64 `json:"loop_limit"`
}

func planProof(profile string) proofPlan {
	p := proofPlan{Least: 2, Most: 12, LoopLimit: codedsgd.LoopLimit}
	if profile == "ci" {
		p.Most = 6
	}
	return p
}

// proof executes the counting of §2.4.
func proof() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/proof", Source: "CSSGD, §2.4, equations (16) and (19) to (30), Algorithm 3", Kind: result.Counted,
		Profiles: exp.Profiles, Seedless: true, Seconds: takes(0.1, 2),
		Config: func(profile string) map[string]any {
			var keys []string
			for _, s := range codedsgd.Proof() {
				keys = append(keys, stepKey(s.Number))
			}
			return map[string]any{"plan": planProof(profile), "steps": keys}
		},
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan := planProof(env.Profile)
			steps, sizes, err := countProof(ctx, plan, &exp.Bar{Env: env, Total: float64(plan.Most - plan.Least + 1)})
			if err != nil {
				return err
			}
			r.Frames = []result.Frame{stepFrame(steps), countFrame(sizes), uncounted(plan)}
			r.Claims = judgeProof(plan, steps)
			r.Facts = proofFacts(plan, steps)
			return nil
		}}.Experiment()
}

// stepKey makes a key of the paper's number: "(24)", "Alg.3,r=1".
func stepKey(number string) string { return strings.ReplaceAll(number, " ", "") }

// step is what was found of one step of the proof.
type step struct {
	codedsgd.Step
	Cases, Failed int      // of the form that should hold
	First         *example // where it failed first
	Said, Wrong   int      // of the printed form, where it is another
	Smallest      *example // where that was wrong first
}

// example is one equation that does not hold.
type example struct {
	N, R                       int
	Counted, Computed, Printed string // exact; Printed "" where nothing else is printed
}

// countProof evaluates every step at every size, from small to large.
func countProof(ctx context.Context, plan proofPlan, b *exp.Bar) (steps []step, sizes []size, err error) {
	for _, s := range codedsgd.Proof() {
		steps = append(steps, step{Step: s})
	}
	for n := plan.Least; n <= plan.Most; n++ {
		for r := 1; r <= n; r++ {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			e, err := codedsgd.Enumerate(n, r)
			if err != nil {
				return nil, nil, err
			}
			sizes = append(sizes, size{N: n, R: r, Counted: e.Counts()})
			for k := range steps {
				steps[k].count(n, r, steps[k].Sides(e))
			}
		}
		b.Step(fmt.Sprintf("n = %d", n))
	}
	return steps, sizes, nil
}

// count notes the equations of one size.
func (s *step) count(n, r int, sides []codedsgd.Side) {
	for _, side := range sides {
		x := &example{N: n, R: r, Counted: side.Left.RatString(), Computed: side.Right.RatString()}
		s.Cases++
		if side.Left.Cmp(side.Right) != 0 {
			s.Failed++
			if s.First == nil {
				s.First = x
			}
		}
		if side.Printed == nil {
			continue
		}
		s.Said++
		if side.Left.Cmp(side.Printed) != 0 {
			s.Wrong++
			if s.Smallest == nil {
				x.Printed = side.Printed.RatString()
				s.Smallest = x
			}
		}
	}
}

// holds reports whether the form that should hold does, everywhere.
func (s *step) holds() bool { return s.Cases > 0 && s.Failed == 0 }

// verdict is the step's, as a key.
func (s *step) verdict() string {
	switch {
	case !s.holds():
		return "fails"
	case s.Corrected == "":
		return "holds"
	case s.Wrong == 0:
		return "holds-corrected"
	}
	return "printed-wrong"
}

// judgeProof judges the claims that are one equation each.
func judgeProof(plan proofPlan, steps []step) []result.Claim {
	var out []result.Claim
	for _, c := range []struct {
		id      string
		numbers []string
	}{{"C14", []string{"(19)"}}, {"C15", []string{"(28)"}}, {"C16", []string{"(29)"}}, {"C17", []string{"(30)"}}, {"C22", []string{"(20)"}},
		{"C23", []string{"(21)", "(27)"}}} {
		ok, words, cases := true, result.Reason{}, 0
		for _, number := range c.numbers {
			s := stepOf(steps, number)
			cases += s.Cases
			if !s.holds() && ok {
				ok, words = false, result.Because("equation-fails", "step", stepKey(number))
				if x := s.First; x != nil {
					words = result.Because("equation-fails", "step", stepKey(number), "n", x.N, "r", x.R, "counted", x.Counted, "computed", x.Computed)
				}
			}
		}
		f := claims.Identity(ok, words)
		f.Notes = []result.Reason{result.Because("equations", "cases", cases, "least", plan.Least, "most", plan.Most)}
		out = append(out, claims.Verdict(c.id, f))
	}
	return out
}

// stepOf finds a step by the paper's number.
func stepOf(steps []step, number string) *step {
	for i := range steps {
		if steps[i].Number == number {
			return &steps[i]
		}
	}
	panic("codedsgd: the proof has no step " + number)
}

// stepFrame is the proof step by step. What a step says, and its forms, are words of
// the report's, by the step's key. The equation shown with it is the first at which the
// form that should hold fails, or else the printed one.
func stepFrame(steps []step) result.Frame {
	f := kit.NewSheet("steps", "equation says:says printed:printed corrected:corrected cases verdict:proved wrong of "+
		"smallest:smallest n r counted computed as-printed")
	for i := range steps {
		s := &steps[i]
		key := stepKey(s.Number)
		row := []any{key, key, key, key, s.Cases, s.verdict(), nil, nil, nil, nil, nil, nil, nil, nil}
		if s.Corrected == "" {
			row[3] = "as-printed"
		}
		if s.Said > 0 {
			row[6], row[7] = s.Wrong, s.Said
		}
		x := s.Smallest
		if !s.holds() {
			x = s.First
		}
		if x != nil {
			copy(row[8:], []any{key, x.N, x.R, x.Counted, x.Computed, x.Printed})
		}
		f.Add(row...)
	}
	return f.Frame
}

// countFrame is what an exchange consists of.
func countFrame(sizes []size) result.Frame {
	f := kit.NewSheet("counts", "n r blocks have left groups packets deliveries terms load/gradient-units.2")
	for _, s := range sizes {
		c := s.Counted
		f.Add(s.N, s.R, c.Blocks, c.Have, c.Left, c.Groups, c.Packets, c.Deliveries, c.Terms, float(big.NewRat(int64(c.Elements), int64(s.R))))
	}
	return f.Frame
}

// uncounted lists the sizes whose printed loop is too long.
func uncounted(plan proofPlan) result.Frame {
	f := kit.NewSheet("uncounted", "n rs")
	for n := plan.Least; n <= plan.Most; n++ {
		var rs []int
		for r := 1; r <= n; r++ {
			if codedsgd.LoopCombinations(n, r).Cmp(big.NewInt(plan.LoopLimit)) > 0 {
				rs = append(rs, r)
			}
		}
		if rs != nil {
			f.Add(n, listed(rs))
		}
	}
	return f.Frame
}

func proofFacts(plan proofPlan, steps []step) []result.Fact {
	cases, fail := 0, 0
	for i := range steps {
		cases += steps[i].Cases
		if !steps[i].holds() {
			fail++
		}
	}
	return kit.Facts("equations", cases, "least", plan.Least, "most", plan.Most, "limit", plan.LoopLimit, "failing", fail, "proved", fail == 0)
}
