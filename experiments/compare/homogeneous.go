package compare

import (
	"context"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// homogeneous trains all methods on equal workers.
func homogeneous() exp.Experiment {
	return studyExperiment("compare/homogeneous", "All methods on six equal workers", equalSet)
}

// studyExperiment is all methods on the grounds of one set of workers.
func studyExperiment(id, heading, set string) exp.Experiment {
	e := exp.Experiment{ID: id, Title: heading, Source: "ours: the methods of all four documents side by side", Profiles: exp.Profiles}
	e.Shares = func(profile string, seeds int) map[string]float64 {
		return map[string]float64{set: studySeconds(profile, seeds), "synchronous": syncSeconds(profile, seeds)}
	}
	e.Seconds = func(profile string, seeds int) float64 {
		return studySeconds(profile, seeds) + syncSeconds(profile, seeds)
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		s := sizeOf(env.Profile)
		res := exp.NewResult(e, env, result.Trained, map[string]any{"size": s, "grounds": groundsOf(set), "methods": methods(), "options": options(workers),
			"target_rule": targetRule, "pilot_seed": pilotSeed, "seeds": env.Seeds})
		r := &runs{ctx: ctx, env: env, bar: &exp.Bar{Env: env, Total: parts(len(env.Seeds))}}
		st, err := r.runStudy(set, s)
		if err != nil {
			return interrupted(res), err
		}
		res.Data, res.Engine = st.Data, st.Engine
		for _, g := range st.Grounds {
			res.Tables = append(res.Tables, st.groundTable(g))
			res.Figures = append(res.Figures, st.curveFigure(g))
		}
		res.Tables = append(res.Tables, st.homeTable(), st.paperTable(), st.ruleTable())
		res.Figures = append(res.Figures, st.roundFigure())
		res.Notes, res.Status = st.notes(), complete
		return res, nil
	}
	return e
}

// interrupted is a result with nothing in it but why.
func interrupted(res *result.Result) *result.Result {
	res.Seeds = []uint64{}
	res.Notes = []string{"Interrupted: nothing is compared before all methods are through. Finished parts are kept, and the same command goes on from them."}
	return res
}

// runSeconds is one training on two cores of 2023 with engine asm, evaluations included.
func runSeconds(profile string) float64 {
	s := sizeOf(profile)
	return float64(s.Gradients)*float64(s.Batch)*30e-6 + float64(s.Gradients/s.EvalEvery+10)*float64(s.Images)*10e-6
}

// syncSeconds estimates the trainings that both clusters share, studySeconds the others
// and all timing.
func syncSeconds(profile string, seeds int) float64 { return runSeconds(profile) * float64(1+6*seeds) }

func studySeconds(profile string, seeds int) float64 {
	return runSeconds(profile)*float64(8*seeds) + float64(sizeOf(profile).Timed*int64(seeds))*0.02
}
