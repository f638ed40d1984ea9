package codedsgd

import (
	"context"
	"fmt"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
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
	e := exp.Experiment{ID: "codedsgd/proof", Title: "The proof of the load, counted step by step", Source: "CSSGD, §2.4, equations (16) and (19) to (30), Algorithm 3", Profiles: exp.Profiles}
	e.Seconds = func(profile string, _ int) float64 {
		if profile == "ci" {
			return 0.1
		}
		return 2
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		plan := planProof(env.Profile)
		res := exp.NewResult(e, env, result.Counted, map[string]any{"plan": plan, "steps": stepForms()})
		res.Seeds = []uint64{} // nothing is drawn
		b := exp.Bar{Env: env, Total: float64(plan.Most - plan.Least + 1)}
		steps, sizes, err := countProof(ctx, plan, &b)
		if err != nil {
			return res, err
		}
		res.Tables = []result.Table{stepTable(plan, steps), countTable(plan, sizes)}
		res.Claims = judgeProof(plan, steps)
		res.Notes = proofNotes(plan, steps)
		res.Status = complete
		return res, nil
	}
	return e
}

// stepForms are the forms that are compared, for the configuration.
func stepForms() (forms [][3]string) {
	for _, s := range codedsgd.Proof() {
		forms = append(forms, [3]string{s.Number, s.Printed, s.Corrected})
	}
	return forms
}

// step is what was found of one step of the proof.
type step struct {
	codedsgd.Step
	Cases, Failed int    // of the form that should hold
	First         string // where it failed first
	Said, Wrong   int    // of the printed form, where it is another
	Smallest      string // where that was wrong first
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
		s.Cases++
		if side.Left.Cmp(side.Right) != 0 {
			s.Failed++
			if s.First == "" {
				s.First = fmt.Sprintf("n = %d, r = %d, %s: counted %s, computed %s", n, r, side.What, side.Left.RatString(), side.Right.RatString())
			}
		}
		if side.Printed == nil {
			continue
		}
		s.Said++
		if side.Left.Cmp(side.Printed) != 0 {
			s.Wrong++
			if s.Smallest == "" {
				s.Smallest = fmt.Sprintf("n = %d, r = %d, %s: counted %s, as printed %s", n, r, side.What, side.Left.RatString(), side.Printed.RatString())
			}
		}
	}
}

// holds reports whether the form that should hold does, everywhere.
func (s *step) holds() bool { return s.Cases > 0 && s.Failed == 0 }

// verdict is the step's in words.
func (s *step) verdict() string {
	switch {
	case !s.holds():
		return "fails"
	case s.Corrected == "":
		return "holds as printed"
	case s.Wrong == 0:
		return "holds corrected; printed never wrong"
	}
	return "printed wrong, corrected holds"
}

// judgeProof judges the claims that are one equation each.
func judgeProof(plan proofPlan, steps []step) []result.Claim {
	var out []result.Claim
	for _, c := range []struct {
		id      string
		numbers []string
	}{{"C14", []string{"(19)"}}, {"C15", []string{"(28)"}}, {"C16", []string{"(29)"}}, {"C17", []string{"(30)"}}, {"C22", []string{"(20)"}}, {"C23", []string{"(21)", "(27)"}}} {
		ok, found, cases := true, "", 0
		for _, number := range c.numbers {
			s := stepOf(steps, number)
			cases += s.Cases
			if !s.holds() && ok {
				ok, found = false, "it fails: "+s.First
			}
		}
		out = append(out, identity(c.id, ok, found, fmt.Sprintf("%d equations between counted and computed numbers, n from %d to %d, every r", cases, plan.Least, plan.Most)))
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
