package convergence

import (
	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/experiments/train"
)

// The measures of a convergence time, fixed before the first run that is judged by them. The primary
// one is the logarithm of the time to a target, averaged over the five targets of setup.Size, paired
// by seed: one crossing is a chance of a curve that goes up and down, and an average along the curve
// needs a quarter of the seeds or fewer for the same interval. The first crossing of the highest
// target alone stands beside it, and so does §3.2's own definition, mean iteration time × iterations.
// A run that never has a target is bounded by its horizon; see kit.Times.

// sizeOf returns the size of p's network, ok false if the profile does not train it.
func sizeOf(v *view, p point) (s setup.Size, ok bool) {
	for _, s := range setup.SizesOf(v.Profile) {
		if s.Model == p.Model {
			return s, true
		}
	}
	return s, false
}

// over averages what of gives over all targets of p's network, seed by seed.
func over(v *view, p point, of func(setup.Summary, train.ToTarget) float64) kit.Times {
	s, ok := sizeOf(v, p)
	if !ok {
		return nil
	}
	return kit.Map(v.At(p), func(c setup.Summary) kit.Time {
		return train.MeanTimeTo(c.Curve, s.Targets(), func(x train.ToTarget) float64 { return of(c, x) })
	})
}

// The quantities of a crossing.
func seconds(_ setup.Summary, x train.ToTarget) float64 { return x.Seconds }
func pushes(_ setup.Summary, x train.ToTarget) float64  { return x.Pushes }

// iterations counts iterations of a worker's mean length.
func iterations(c setup.Summary, x train.ToTarget) float64 { return x.Seconds / setup.PerIteration(c) }

// product is §3.2's own definition: mean iteration time × iterations, of which each worker makes as
// many as the others.
func product(c setup.Summary, x train.ToTarget) float64 {
	return float64(setup.PerIteration(c)*x.Pushes) / setup.Workers
}

// secondsTo returns the seconds to a target, averaged over the targets, one number per seed, nothing
// unless every seed reaches them all.
func secondsTo(v *view, p point) kit.Sample { return primary(v, p).Sample() }

// gradientsTo returns the gradients to a target, with bounds likewise.
func gradientsTo(v *view, p point) kit.Times { return over(v, p, pushes) }

// pushesTo returns the gradients to a target, one number per seed, likewise.
func pushesTo(v *view, p point) kit.Sample { return gradientsTo(v, p).Sample() }

// iterationsTo returns the iterations to a target, with bounds likewise.
func iterationsTo(v *view, p point) kit.Times { return over(v, p, iterations) }

// once returns the seconds to the highest target alone.
func once(v *view, p point) kit.Times {
	s, ok := sizeOf(v, p)
	if !ok {
		return nil
	}
	return setup.TimesTo(v.At(p), s.Target, seconds)
}

// targetOf returns the highest target of p's network, NaN if the profile does not train it.
func targetOf(v *view, p point) float64 {
	s, ok := sizeOf(v, p)
	return kit.OnlyIf(ok, s.Target)
}

// missed counts the seeds that never reach one of the targets.
func missed(v *view, p point) int { return over(v, p, seconds).Missed() }

// first counts the seeds that are at the lowest target at their first evaluation, so that their time
// to it is an upper bound.
func first(v *view, p point) int {
	s, ok := sizeOf(v, p)
	return kit.CountIf(v.At(p), func(c setup.Summary) bool { return ok && c.Curve[0].Accuracy >= s.Targets()[0] })
}

// finding says what Against says of DASP's time beside another method's.
func finding(against string) string {
	switch against {
	case "below":
		return "sooner"
	case "above":
		return "later"
	}
	return against
}

// daspBeside says whether DASP is sooner or later than p's method, by a measure of their times.
func daspBeside(v *view, p point, of func(*view, point) kit.Times) string {
	if same(v, p, p.as("dasp")) {
		return "same"
	}
	return finding(of(v, p.as("dasp")).Against(of(v, p)))
}

// primary is the measure that claims are judged by.
func primary(v *view, p point) kit.Times { return over(v, p, seconds) }

// products is §3.2's own definition, averaged over the targets.
func products(v *view, p point) kit.Times { return over(v, p, product) }

// whole returns e, or nothing if a time behind it is only bounded.
func whole(e kit.Estimate, of ...kit.Times) kit.Estimate {
	for _, t := range of {
		if t.Missed() > 0 {
			return kit.Estimate{}
		}
	}
	return e
}

// convergenceFrame compares the methods' times to the targets with BSP's and DASP's: by the primary
// measure, by the first crossing of the highest target, and by the product. Where a run never has a
// target, the order of the pairs stands in place of a time.
func convergenceFrame(v *view, rows []point) result.Frame {
	s := kit.NewSheet("convergence", "platform:platform model:model method:method seconds±/s.3 over_bsp~/.3 dasp_over~/.3 saved~/%.1 "+
		"finding:finding timed once±/s.3 once_over~/.3 once_finding:finding agree pushes/.0 iteration/ms.2 "+
		"product±/s.3 product_over~/.3 product_finding:finding alike accuracy/%.2 staleness/versions.2 missed first sooner later unknown sign_p/.3")
	ratio := func(v *view, p point, of func(*view, point) kit.Times) kit.Estimate {
		ours, theirs := of(v, p.as("dasp")), of(v, p)
		return whole(ours.Over(theirs), ours, theirs)
	}
	for _, p := range rows {
		runs, times, one := v.At(p), primary(v, p), once(v, p)
		iteration, ours := kit.Each(runs, setup.PerIteration).Mean(), ratio(v, p, primary)
		signs := primary(v, p.as("dasp")).Beside(times)
		unsure := p.Method != "dasp" && bounded(primary(v, p.as("dasp")), times)
		count := func(n int) any {
			if !unsure {
				return nil
			}
			return n
		}
		found, crossed, byProduct := daspBeside(v, p, primary), daspBeside(v, p, once), daspBeside(v, p, products)
		s.Add(p.Platform, p.Model, p.Method, times.Sample().Mean(), times.Sample().Over(secondsTo(v, p.as("bsp"))), ours, ours.Saved(), found, ours.N > 0,
			one.Sample().Mean(), ratio(v, p, once), crossed, found == crossed, pushesTo(v, p).Mean(), iteration.Times(1e3),
			products(v, p).Sample().Mean(), ratio(v, p, products), byProduct, found == byProduct,
			kit.Each(runs, func(c setup.Summary) float64 { return c.Accuracy }).Mean().Times(100), kit.Each(runs, setup.MeanStaleness).Mean(),
			times.Missed(), first(v, p), count(signs.Sooner), count(signs.Later), count(signs.Unknown), kit.OnlyIf(unsure, signs.P()))
	}
	return s.Frame
}

// seedsFrame holds what every verdict on a time is made of, seed by seed: the primary measure and
// the gradients to it, the first crossing of the highest target, and the mean iteration. A time that
// is bounded is the bound. methods is the enumeration of what the rows call methods.
func seedsFrame(v *view, rows []point, methods string) result.Frame {
	s := kit.NewSheet("per-seed", "platform:platform model:model method:"+methods+" seed "+
		"seconds/s.4 bounded gradients/.1 once/s.4 once_bounded iteration/ms.3")
	for _, p := range rows {
		times, gradients, one := primary(v, p), over(v, p, pushes), once(v, p)
		for i, c := range v.At(p) {
			s.Add(p.Platform, p.Model, p.Method, v.Seeds[i], times[i].At, times[i].Beyond, gradients[i].At, one[i].At, one[i].Beyond,
				1e3*setup.PerIteration(c))
		}
	}
	return s.Frame
}

// sideBeside says on which side of 1 a ratio of ours to theirs lies, in the words of claims.Found.Signs,
// by the sign test; opposite turns it round, as of a reduction, which is above 0 where the ratio is below 1.
func sideBeside(against string, opposite bool) string {
	switch against {
	case "below":
		return map[bool]string{false: claims.Below, true: claims.Above}[opposite]
	case "above":
		return map[bool]string{false: claims.Above, true: claims.Below}[opposite]
	}
	return claims.Undecided
}

// bounded reports whether a time of two methods is only bounded, so that the sign test judges.
func bounded(ours, theirs kit.Times) bool { return ours.Missed()+theirs.Missed() > 0 }

// censored returns what was found of a reduction of DASP's time in which a run never has a target:
// the verdict is the sign test's.
func censored(v *view, ours, theirs kit.Times, rival string) claims.Found {
	saved, signs := ours.Over(theirs).Saved(), ours.Beside(theirs)
	f := claims.Number(saved.Value, nil, saved.Samples, saved.N)
	f.Signs = []string{sideBeside(signs.Against(), true)}
	f.Notes = []result.Reason{boundedPairs("dasp", rival, ours, theirs)}
	return f
}

// boundedPairs says how many times of two methods are bounded, and what the sign test finds.
func boundedPairs(one, other string, ours, theirs kit.Times) result.Reason {
	signs := ours.Beside(theirs)
	return result.Because("bounded-pairs", "ours", one, "missed", ours.Missed(), "method", other, "rival", theirs.Missed(), "of", len(ours),
		"sooner", signs.Sooner, "later", signs.Later, "unknown", signs.Unknown, "p", signs.P())
}

// later finds whether the first of two is later than the second: by the interval of their ratio where
// every time is known, else by the sign test.
func later(ours, theirs kit.Times) string {
	if !bounded(ours, theirs) {
		return claims.MoreThan(ours.Over(theirs).CI, 1)
	}
	switch ours.Beside(theirs).Against() {
	case "above":
		return claims.Holds
	case "below":
		return claims.Differs
	}
	return claims.Undecided
}
