package codedsgd

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// depth is how far a figure needs the trainings of a network.
type depth int

const (
	atLargest depth = iota // all methods on the largest number of nodes
	toTarget               // and synchronous training to the target on the others
	toRace                 // and ASGD on the others
)

// figure is a table or figure that is made of trainings.
type figure struct {
	id, title, source string
	nets              []network
	depth             depth
	serial            bool // and the networks alone
	fill              func(s *school, res *result.Result, cs []course) error
}

// experiment makes it one.
func (f figure) experiment() exp.Experiment {
	e := exp.Experiment{ID: "codedsgd/" + f.id, Title: f.title, Source: "CSSGD, " + f.source, Profiles: exp.Profiles}
	e.Shares = f.shares
	e.Seconds = func(profile string, seeds int) float64 {
		total := 0.2
		parts := f.shares(profile, seeds)
		for _, net := range f.nets {
			for _, part := range partsOf(net) {
				total += parts[part]
			}
		}
		return total
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		config := map[string]any{"platform": referencePlatform(), "redundancies": redundancies, "levels_below": levelsBelow, "longer": longer, "seeds": env.Seeds}
		s := &school{ctx: ctx, env: env, total: e.Seconds(env.Profile, len(env.Seeds))}
		for _, net := range f.nets {
			config[net.Key] = schoolingOf(env.Profile, net)
		}
		res := exp.NewResult(e, env, result.Shared, config)
		cs, err := f.courses(s)
		if err == nil {
			for i := range cs {
				describe(res, cs[i].largest)
			}
			res.Seeds = cs[0].seeds
			err = f.fill(s, res, cs)
		}
		if err != nil {
			res.Seeds, res.Claims, res.Tables, res.Figures = []uint64{}, []result.Claim{}, []result.Table{}, []result.Figure{}
			res.Notes = []string{"Interrupted: nothing is shown of a figure that is not whole. Finished trainings are kept, and the same command goes on from them."}
			return res, err
		}
		res.Status = complete
		return res, nil
	}
	return e
}

// courses trains the figure's networks as far as it needs.
func (f figure) courses(s *school) ([]course, error) {
	var out []course
	if f.serial { // all that has one node, side by side
		var lessons []lesson
		for _, net := range f.nets {
			p := schoolingOf(s.env.Profile, net)
			seeds := p.seedsOf(s.env.Seeds)
			lessons = append(append(lessons, p.synchronousLessons(p.most(), seeds, 0)...), p.aloneLessons(seeds)...)
		}
		if _, err := s.all(lessons); err != nil {
			return nil, err
		}
	}
	for _, net := range f.nets {
		var c course
		var err error
		switch f.depth {
		case atLargest:
			c.largest, err = s.largest(net)
		case toTarget:
			c, err = s.toTarget(net)
		default:
			c, err = s.race(net)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// The parts that figures share, by name.
func partsOf(net network) [4]string {
	return [4]string{net.Key + ", largest", net.Key + ", to the target", net.Key + ", ASGD", net.Key + ", alone"}
}

// shares are what other figures of one command need too.
func (f figure) shares(profile string, seeds int) map[string]float64 {
	out := map[string]float64{}
	for _, net := range f.nets {
		p, names := schoolingOf(profile, net), partsOf(net)
		used := seeds
		if p.Seeds > 0 {
			used = min(p.Seeds, seeds)
		}
		n, runs := p.most(), max(p.Runs, used)
		one := float64(used) * costOf(p.synchronous(n, 0))
		async := float64(runs) * costOf(p.asynchronous(n, 0, p.Updates))
		out[names[0]] = one + async + costOf(p.wholeConfig(0))
		if f.depth >= toTarget {
			out[names[1]] = one * othersShare
		}
		if f.depth >= toRace {
			out[names[2]] = async * othersShare
		}
		if f.serial {
			out[names[3]] = float64(used) * costOf(p.serial(n, 0))
		}
	}
	return out
}

// othersShare is about what the trainings on fewer nodes, with fewer classes and up
// to the target, cost of those on the most.
const othersShare = 0.4
