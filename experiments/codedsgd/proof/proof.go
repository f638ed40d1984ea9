// Package proof executes the counting of §2.4 step by step, and counts what Algorithm 3 as
// printed sends beyond it.
package proof

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gradsync/experiments/claims"
	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/codedsgd"
)

// Experiments lists the proof and what Algorithm 3 sends beyond it.
func Experiments() []exp.Experiment { return []exp.Experiment{proof(), overcount()} }

// proofPlan says what a profile counts, at every redundancy of every number of nodes.
type proofPlan struct {
	Least int `json:"least_nodes"`
	Most  int `json:"most_nodes"`
	// LoopLimit is up to how many combinations per node the printed loop of Algorithm 3
	// is counted out.
	LoopLimit int64 `json:"loop_limit"`
}

func planProof(profile string) proofPlan {
	return proofPlan{Least: 2, Most: setup.Pick(profile, 6, 12), LoopLimit: codedsgd.LoopLimit}
}

// proof executes the counting of §2.4.
func proof() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/proof", Source: "CSSGD, §2.4, equations (16) and (19) to (30), Algorithm 3", Kind: result.Counted,
		Profiles: exp.Profiles, Seedless: true, Seconds: setup.Seconds(0.1, 2),
		Config: func(profile string) map[string]any {
			return map[string]any{"plan": planProof(profile), "steps": kit.Map(codedsgd.Proof(), func(s codedsgd.Step) string { return stepKey(s.Number) })}
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

// checked is a step of the proof with the equations that were evaluated.
type checked struct {
	codedsgd.Step
	Cases, Failed int             // of the form that should hold
	First         *counterexample // where it failed first
	Said, Wrong   int             // of the printed form, where it is another
	Smallest      *counterexample // where that was wrong first
}

// counterexample is one equation that does not hold.
type counterexample struct {
	N, R                       int
	Counted, Computed, Printed string // exact; Printed "" where nothing else is printed
}

// countedSize is one (n, r) with the sizes that were counted there.
type countedSize struct {
	N, R int
	codedsgd.Counts
}

// countProof evaluates every step at every size, from small to large.
func countProof(ctx context.Context, plan proofPlan, b *exp.Bar) (steps []checked, sizes []countedSize, err error) {
	for _, s := range codedsgd.Proof() {
		steps = append(steps, checked{Step: s})
	}
	for n, r := range setup.Sizes(ctx, plan.Least, plan.Most) {
		e := kit.Must(codedsgd.Enumerate(n, r))
		sizes = append(sizes, countedSize{n, r, e.Counts()})
		for k := range steps {
			steps[k].count(n, r, steps[k].Sides(e))
		}
		if r == n {
			b.Step(fmt.Sprintf("n = %d", n))
		}
	}
	return steps, sizes, ctx.Err()
}

func (s *checked) count(n, r int, sides []codedsgd.Side) {
	for _, side := range sides {
		x := &counterexample{N: n, R: r, Counted: side.Left.RatString(), Computed: side.Right.RatString()}
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
func (s checked) holds() bool { return s.Cases > 0 && s.Failed == 0 }

func (s checked) verdict() string {
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
func judgeProof(plan proofPlan, steps []checked) []result.Claim {
	var out []result.Claim
	for _, c := range [][]string{{"C14", "(19)"}, {"C15", "(28)"}, {"C16", "(29)"}, {"C17", "(30)"}, {"C22", "(20)"}, {"C23", "(21)", "(27)"}} {
		ok, words, cases := true, result.Reason{}, 0
		for _, number := range c[1:] {
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
		out = append(out, claims.Verdict(c[0], f))
	}
	return out
}

func stepOf(steps []checked, number string) *checked {
	return &steps[slices.IndexFunc(steps, func(s checked) bool { return s.Number == number })]
}

// stepFrame lists the proof step by step. A step's key stands for its statement and its
// forms, whose words are the report's. The equation shown with it is the first at which the
// form that should hold fails, or else the printed one.
func stepFrame(steps []checked) result.Frame {
	f := kit.NewSheet("steps", "equation says:says printed:printed corrected:corrected cases verdict:proved wrong of "+
		"smallest:smallest n r counted computed as-printed")
	for _, s := range steps {
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

func countFrame(sizes []countedSize) result.Frame {
	return kit.Rows("counts", "n r blocks have left groups packets deliveries terms load/gradient-units.2", sizes, func(s countedSize) []any {
		return []any{s.N, s.R, s.Blocks, s.Have, s.Left, s.Groups, s.Packets, s.Deliveries, s.Terms, float64(s.Elements) / float64(s.R)}
	})
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
			f.Add(n, setup.Listed(rs))
		}
	}
	return f.Frame
}

func proofFacts(plan proofPlan, steps []checked) []result.Fact {
	cases, fail := 0, kit.CountIf(steps, func(s checked) bool { return !s.holds() })
	for _, s := range steps {
		cases += s.Cases
	}
	return kit.Facts("equations", cases, "least", plan.Least, "most", plan.Most, "limit", plan.LoopLimit, "failing", fail, "proved", fail == 0)
}

// overcountPlan says what a profile counts of Algorithm 3 as printed.
type overcountPlan struct {
	Least     int   `json:"least_nodes"`
	Most      int   `json:"most_nodes"`
	LoopLimit int64 `json:"loop_limit"` // combinations per node; more are not counted
	// The case of C27.
	Nodes      int `json:"stated_nodes"`
	Redundancy int `json:"stated_redundancy"`
}

func planOvercount(profile string) overcountPlan {
	return overcountPlan{Least: 2, Most: setup.Pick(profile, 6, 12), LoopLimit: codedsgd.LoopLimit, Nodes: 8, Redundancy: 3}
}

// overcount compares the packets of Algorithm 3 as printed with those it needs.
func overcount() exp.Experiment {
	return kit.Inquiry{ID: "codedsgd/overcount", Source: "CSSGD, Algorithm 3 against equation (28)", Kind: result.Counted, Profiles: exp.Profiles,
		Seedless: true, Seconds: setup.Seconds(0.1, 1.5),
		Config: func(profile string) map[string]any { return map[string]any{"plan": planOvercount(profile)} },
		Run: func(ctx context.Context, env exp.Env, r *result.Result) error {
			plan := planOvercount(env.Profile)
			b := exp.Bar{Env: env, Total: float64(plan.Most - plan.Least + 2)}
			var loops []loop
			for n, k := range setup.Sizes(ctx, plan.Least, plan.Most) {
				if loops = append(loops, countLoop(n, k)); k == n {
					b.Step(fmt.Sprintf("n = %d", n))
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			stated := countLoop(plan.Nodes, plan.Redundancy)
			b.Step("the stated case")
			r.Frames = []result.Frame{loopFrame(loops), loopExtremes(loops)}
			r.Figures = []result.Figure{
				{ID: "factor", Form: "line", Frame: "loop", Where: map[string]any{"drawn": true}, X: "r", Y: []string{"factor"}, By: []string{"n"}, Log: "y"},
				{ID: "r-3", Form: "line", Frame: "loop", Where: map[string]any{"r": 3}, X: "n", Y: []string{"normal", "needed-normal"}, Log: "y"}}
			r.Claims = []result.Claim{judgeLoop(stated)}
			r.Facts = loopFacts(plan, loops)
			return nil
		}}.Experiment()
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

func countLoop(n, r int) loop {
	l := loop{N: n, R: r, Each: codedsgd.LoopCombinations(n, r), Repeats: codedsgd.LoopRepeats(n, r)}
	e := kit.Must(codedsgd.Enumerate(n, r))
	l.LoopCount, l.Counted = e.Loop()
	c := e.Counts()
	l.Needed, l.Deliveries, l.Normal = c.Packets, c.Deliveries, c.Alone
	return l
}

// sends reports whether the loop was counted and sends anything.
func (l loop) sends() bool { return l.Counted && l.Needed > 0 }

// factor returns the loop's packets over the packets that are needed, and ofNormal its load,
// a multicast counted once, over the load of (30); NaN unless it sends.
func (l loop) factor() float64 { return l.over(l.Needed) }

func (l loop) ofNormal() float64 { return l.over(l.R * l.Normal) }

func (l loop) over(packets int) float64 {
	if !l.sends() {
		return math.NaN()
	}
	return float64(l.Packets) / float64(packets)
}

// received returns how often each segment comes to each node that lacks it, counted; r < n.
func (l loop) received() *big.Rat {
	return big.NewRat(l.LoopCount.Deliveries, int64(l.Deliveries))
}

// countedLoops returns the loops that were counted and send anything.
func countedLoops(loops []loop) []loop {
	return slices.DeleteFunc(slices.Clone(loops), func(l loop) bool { return !l.sends() })
}

func judgeLoop(l loop) result.Claim {
	f := claims.Number(float64(l.Packets), nil, nil, 0)
	f.Notes = []result.Reason{result.Because("C27", "nodes", l.N, "combinations", l.Each.Int64()),
		result.Because("C27-needed", "needed", l.Needed, "useful", l.Useful)}
	return claims.Verdict("C27", f)
}

// whole returns the loops of every n from 4 on, up to the first n of which not every r was
// counted.
func whole(loops []loop) (all [][]loop) {
	for n := 4; ; n++ {
		of := slices.DeleteFunc(slices.Clone(loops), func(l loop) bool { return l.N != n })
		if len(of) == 0 || slices.ContainsFunc(of, func(l loop) bool { return !l.Counted }) {
			return all
		}
		all = append(all, of)
	}
}

// loopFrame lists every size; the sizes of the n that whole returns are drawn.
func loopFrame(loops []loop) result.Frame {
	last := 3 + len(whole(loops))
	f := kit.NewSheet("loop", "n r each packets useful needed factor/.2 received/times normal/.3 needed-normal/.3 state:enumerated drawn")
	for _, l := range loops {
		row := []any{l.N, l.R, l.Each.Int64(), nil, nil, l.Needed, l.factor(), nil, l.ofNormal(), l.ofNormal() / l.factor(),
			"not-enumerated", l.N >= 4 && l.N <= last}
		if l.Repeats != nil {
			row[7] = l.Repeats.Int64()
		}
		if l.Counted {
			row[3], row[10] = l.Packets, "enumerated"
			if l.R > 1 {
				row[4] = l.Useful
			}
			if l.Needed == 0 {
				row[10] = "no-exchange"
			}
		}
		f.Add(row...)
	}
	return f.Frame
}

// loopExtremes lists the sizes that a text names: where the loop first sends more than needed and
// where it sends most, of all and of each n that is drawn, and the ends of the line at
// r = 3.
func loopExtremes(loops []loop) result.Frame {
	f := kit.NewSheet("extremes", "which n r packets needed factor times/.0 normal needed-normal")
	add := func(which string, l loop) {
		f.Add(which, l.N, l.R, l.Packets, l.Needed, l.factor(), l.factor(), l.ofNormal(), l.ofNormal()/l.factor())
	}
	highest := func(loops []loop) loop {
		return slices.MaxFunc(loops, func(a, b loop) int { return cmp.Compare(a.factor(), b.factor()) })
	}
	all := countedLoops(loops)
	if i := slices.IndexFunc(all, func(l loop) bool { return l.factor() > 1 }); i >= 0 {
		add("smallest", all[i])
		add("largest", highest(all))
	}
	for _, of := range whole(loops) {
		add("peak", highest(countedLoops(of)))
	}
	if three := slices.DeleteFunc(all, func(l loop) bool { return l.R != 3 }); len(three) > 0 {
		add("first", three[0])
		add("last", three[len(three)-1])
	}
	return f.Frame
}

// loopFacts counts at how many sizes the loop makes as many packets as needed, more or
// fewer, and whether that follows r alone.
func loopFacts(plan overcountPlan, loops []loop) []result.Fact {
	all := countedLoops(loops)
	same, more, fewer, above, repeats := 0, 0, 0, 0, 0
	rule := true // equal at r = 2 and n − 1, more between, fewer at r = 1 < n − 1
	for _, l := range all {
		switch f := l.factor(); {
		case f == 1:
			same++
			rule = rule && (l.R == 2 || l.R == l.N-1)
		case f > 1:
			more++
			rule = rule && l.R >= 3 && l.R <= l.N-2
		default:
			fewer++
			rule = rule && l.R == 1
		}
		above += setup.One(l.ofNormal() > 1)
		repeats += setup.One(l.received().Cmp(new(big.Rat).SetInt(l.Repeats)) == 0)
	}
	skipped := kit.CountIf(loops, func(l loop) bool { return !l.Counted })
	return kit.Facts("most", plan.Most, "limit", plan.LoopLimit, "counted", len(all), "same", same, "more", more, "fewer", fewer, "rule", rule,
		"above", above, "repeats", repeats, "repeats.all", repeats == len(all), "skipped", skipped, "skips", skipped > 0)
}
