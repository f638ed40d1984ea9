package codedsgd

import (
	"context"
	"math/big"

	"gradsync/experiments/exp"
	result "gradsync/experiments/result1"
)

// rational is x, exactly.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// fig12 is the DNN's time per batch against the redundancy.
func fig12() exp.Experiment {
	return redundancyStudy("codedsgd/fig12", "Redundancy and the time of a batch, DNN", "CSSGD, Fig. 12", dnn, bestDNN,
		func(w *studies, s *study) ([]result.Claim, error) {
			other, err := w.variant(cnn, variants[0])
			if err != nil {
				return nil, err
			}
			second := study{Net: cnn}
			if second.Calc, second.Comm, err = w.parts(cnn); err != nil {
				return nil, err
			}
			if second.Ideal, err = w.ideals(cnn, false, true, second.ratio(), second.ratio()); err != nil {
				return nil, err
			}
			return []result.Claim{judgeBest("C10", s), judgeModel([]study{*s, second}), judgeRange("C25", bestDNN, s),
				judgeOneBest([]timedVariant{s.Variants[0], other}, []network{dnn, cnn}, len(w.env.Seeds))}, nil
		})
}

// redundancyStudy is Figure 12 or 13: stated is the best redundancy of the paper.
func redundancyStudy(id, title, source string, net network, stated int, judge func(*studies, *study) ([]result.Claim, error)) exp.Experiment {
	e := exp.Experiment{ID: id, Title: title, Source: source, Profiles: exp.Profiles}
	e.Seconds = func(profile string, seeds int) float64 {
		return 0.3 + 0.2*float64(len(sweepOf(profile))) + 0.5*float64(seeds*iterationsOf(profile))
	}
	e.Old = func(ctx context.Context, env exp.Env) (*result.Result, error) {
		res := exp.NewResult(e, env, result.TimingOnly, map[string]any{"platform": reference, "network": net, "nodes": anchor, "redundancies": allRedundancies(),
			"micro_blocks": microBlocks(anchor, allRedundancies()...), "variants": variants, "without_code": plains, "sweep": sweepOf(env.Profile), "iterations": iterationsOf(env.Profile), "seeds": env.Seeds, "model_tolerance": modelTolerance})
		w := &studies{ctx: ctx, env: withOneMemo(env), bar: &exp.Bar{Env: env, Total: float64(len(variants) + 3 + len(sweepOf(env.Profile)))}}
		s, err := w.study(net)
		if err != nil {
			return res, err
		}
		if res.Claims, err = judge(w, &s); err != nil {
			return res, err
		}
		res.Tables, res.Figures, res.Notes = studyTables(&s), studyFigures(&s), redundancyNotes(&s, stated)
		res.Status = complete
		return res, nil
	}
	return e
}
