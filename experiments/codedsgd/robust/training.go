package robust

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"gradsync/experiments/codedsgd/setup"
	"gradsync/experiments/exp"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
	"gradsync/papers/codedsgd"
)

// attacked is a training: a rule, and bad pieces of a kind; none of any kind if F is 0.
type attacked struct {
	Rule, Attack string
	F            int
}

// trainings lists what is trained, f = 0 once per rule, and each rule beyond what it
// tolerates too.
func (p trainingPlan) trainings() (out []attacked) {
	for _, rule := range codedsgd.Rules() {
		out = append(out, attacked{Rule: rule})
		for _, a := range p.Attacks {
			for _, f := range p.Bad {
				if f > 0 {
					out = append(out, attacked{rule, a, f})
				}
			}
		}
	}
	return out
}

// at returns the training of a rule under f bad pieces of a kind.
func at(rule, attack string, f int) attacked {
	if f == 0 {
		attack = ""
	}
	return attacked{rule, attack, f}
}

// ended is the end of one training.
type ended struct {
	Accuracy float64 // per cent; of a diverged one that of guessing
	Diverged bool    // what the rule makes of all pieces, or the loss, was NaN or infinite
	Data     *result.Data
	Engine   string
}

// train makes one training.
func (p trainingPlan) train(ctx context.Context, env exp.Env, a attacked, seed uint64) (ended, error) {
	return train.KeptBy(ctx, env, p.config(a, seed, env), func(c train.Config) (ended, error) {
		o, err := train.Run(ctx, c)
		var diverged *codedsgd.NotFiniteError
		switch {
		case errors.As(err, &diverged):
			return ended{Accuracy: 100. / classes, Diverged: true}, nil
		case err != nil:
			return ended{}, err
		}
		tail := o.Curve[max(len(o.Curve)-lastEvaluations, 0):]
		accuracy := stat.Mean(kit.Each(tail, func(p train.Point) float64 { return 100 * p.Accuracy }), nil)
		return ended{Accuracy: accuracy, Diverged: o.Diverged != nil, Data: o.Data, Engine: o.Engine}, nil
	}, "codedsgd/robust", lastEvaluations, train.FlipScale, train.NoiseDeviation) // none of these is in the configuration
}

// A training is evaluated evaluations times on evalImages test images, or all; its accuracy is the mean of
// the last lastEvaluations.
const (
	evaluations     = 10
	lastEvaluations = 4
	evalImages      = 2000
)

// classes is how many the images are told apart into.
const classes = 10

// learnt holds all trainings, by seed.
type learnt struct {
	at     map[attacked]kit.Sample // accuracies in per cent
	gone   map[attacked]int        // seeds that diverged
	Data   *result.Data
	Engine string
}

// config configures a training: one node computes all pieces, which gives the parameters of
// any nodes at any r (exactRows).
func (p trainingPlan) config(a attacked, seed uint64, env exp.Env) train.Config {
	c := train.Config{Sync: codedsgd.SSGDMulticast, Model: p.Model, Width: p.Width, Data: p.Data, DataDir: env.DataDir, Engine: env.Engine,
		Platform: setup.First(setup.Calm(setup.Platform()), 1), Workers: 1, Seed: seed, BatchSize: p.Batch, Rate: p.Rate, MaxUpdates: p.Updates,
		EvalEvery: max(p.Updates/evaluations, 1), EvalImages: evalImages, Launch: -1, Overhead: -1}
	c.Coded = &codedsgd.Options{Redundancy: 1, MicroBlocks: p.Pieces, Rule: ruleOf(a.Rule, p.Pieces)}
	if a.F > 0 {
		c.Attack = &train.Attack{Kind: a.Attack, Pieces: a.F}
	}
	return c
}

// trainAll trains all, seed by seed.
func trainAll(ctx context.Context, env exp.Env, p trainingPlan, bar *exp.Bar) (learnt, error) {
	all, out := p.trainings(), learnt{at: map[attacked]kit.Sample{}, gone: map[attacked]int{}}
	silent := env
	silent.Progress = nil
	for _, seed := range env.Seeds {
		ends := make([]ended, len(all))
		err := kit.AtOnce(len(all), func(i int) (err error) {
			ends[i], err = p.train(ctx, silent, all[i], seed)
			if err != nil {
				err = fmt.Errorf("%v, seed %d: %w", all[i], seed, err)
			}
			return err
		})
		if err != nil {
			return out, err
		}
		for i, a := range all {
			out.at[a] = append(out.at[a], ends[i].Accuracy)
			out.gone[a] += setup.One(ends[i].Diverged)
		}
		out.Data, out.Engine = ends[0].Data, ends[0].Engine
		bar.Step(fmt.Sprintf("trainings, seed %d", seed))
	}
	return out, nil
}

// lost returns by how many points a training ends above its rule's own without bad pieces.
func (l learnt) lost(a attacked) kit.Estimate { return l.at[a].Minus(l.at[attacked{Rule: a.Rule}]) }

// kept tells on which side of −margin that lies; of one seed, and of f = 0, nothing.
func (l learnt) kept(a attacked) string { return l.lost(a).Against(-margin) }

// withstood returns the largest f of the plan up to which the rule is shown to withstand
// every one, 0 if it is shown to fail under the least; nil if that one is undecided.
func (l learnt) withstood(p trainingPlan, rule, attack string) (most any) {
	for _, f := range p.Bad {
		if f == 0 {
			continue
		}
		switch l.kept(attacked{rule, attack, f}) {
		case "above":
			most = f
			continue
		case "below":
			if most == nil {
				most = 0
			}
		}
		break
	}
	return most
}

// largest returns the largest f of the plan that a rule tolerates, by its theorem or by our bound.
func (p trainingPlan) largest(rule string) (most int) {
	for _, f := range p.Bad {
		if f <= ruleOf(rule, p.Pieces).Tolerates(p.Pieces) {
			most = f
		}
	}
	return most
}

func trainedFrame(p trainingPlan, l learnt) result.Frame {
	f := kit.NewSheet("trained", "attack:attack rule:rule f accuracy~/%.1 change~/points.1 kept:kept within:bool diverged")
	for _, attack := range p.Attacks {
		for _, rule := range codedsgd.Rules() {
			for _, bad := range p.Bad {
				a := at(rule, attack, bad)
				change, kept := kit.Estimate{}, ""
				if bad > 0 {
					change, kept = l.lost(a), l.kept(a)
				}
				f.Add(attack, rule, bad, l.at[a].Mean(), change, kept, bad <= ruleOf(rule, p.Pieces).Tolerates(p.Pieces), l.gone[a])
			}
		}
	}
	return f.Frame
}

// withstoodFrame lists, of each rule and attack, what it withstands beside what it tolerates,
// by its theorem or by our bound, and its accuracy there.
func withstoodFrame(p trainingPlan, l learnt) result.Frame {
	f := kit.NewSheet("withstood", "attack:attack rule:rule tolerates none/%.1 first/%.1 most_f most/%.1 kept:kept withstood")
	for _, attack := range p.Attacks {
		for _, rule := range codedsgd.Rules() {
			most := p.largest(rule)
			mean := func(f int) float64 { return l.at[at(rule, attack, f)].Mean().Value }
			kept := ""
			if most > 0 {
				kept = l.kept(at(rule, attack, most))
			}
			f.Add(attack, rule, ruleOf(rule, p.Pieces).Tolerates(p.Pieces), mean(0), mean(p.Bad[1]), most, mean(most), kept, l.withstood(p, rule, attack))
		}
	}
	return f.Frame
}

// tally counts trainings in which a rule is given bad pieces that it tolerates.
type tally struct{ all, held, failed, open int }

// tolerated counts them where a rule's theorem says that it tolerates them, or, bounded, where
// only our bound does.
func (l learnt) tolerated(p trainingPlan, bounded bool) (t tally) {
	for _, a := range p.trainings() {
		if rule := ruleOf(a.Rule, p.Pieces); a.F == 0 || a.F > rule.Tolerates(p.Pieces) || rule.Bounded() != bounded {
			continue
		}
		t.all++
		switch l.kept(a) {
		case "above":
			t.held++
		case "below":
			t.failed++
		default:
			t.open++
		}
	}
	return t
}

func trainingFacts(p trainingPlan, l learnt) []result.Fact {
	within, bounded := l.tolerated(p, false), l.tolerated(p, true)
	return kit.Facts("margin", margin, "trained.pieces", p.Pieces, "trained.batch", p.Batch, "trained.updates", p.Updates, "trained.rate", p.Rate,
		"trained.width", p.Width, "last", lastEvaluations, "first", p.Bad[1],
		"flip", train.FlipScale, "deviation", train.NoiseDeviation, "within", within.all, "within.held", within.held, "within.failed", within.failed,
		"within.open", within.open,
		"bounded", bounded.all, "bounded.held", bounded.held, "bounded.failed", bounded.failed,
		"bounded.open", bounded.open, "guessing/%.0", 100./classes, "data:data", l.Data.Name)
}
