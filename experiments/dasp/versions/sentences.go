package versions

import (
	"gradsync/experiments/claims"
	"gradsync/experiments/dasp/retrace"
	"gradsync/experiments/dasp/setup"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/papers/dasp"
	"gradsync/papers/dasp/rivals"
)

// Sentences of the paper on what states do, judged on the reference, where all three occur: that QIS keeps the
// versions of workers within Smin and that WSS leads back to QIS (§2.2), that a method which counts iterations may
// degrade to BSP (§1), and that DASP raises the utilisation of resources (§3.2, §4).

// degraded is the share of BSP's iteration from which on a method counts as BSP: declared before the run.
const degraded = 0.95

// promises counts what the answers of DASP led to.
type promises struct {
	QIS, Wider  int // answers in QIS, and those that leave their worker more than Smin ahead of the oldest version
	Among       int // those of Wider that are so ahead of a worker in QIS
	WSS, Return int // pushes after a wait in WSS, and those of them that are in QIS
}

// one counts what is so.
func one(so bool) int {
	if so {
		return 1
	}
	return 0
}

// plus adds up two counts.
func (a promises) plus(b promises) promises {
	return promises{a.QIS + b.QIS, a.Wider + b.Wider, a.Among + b.Among, a.WSS + b.WSS, a.Return + b.Return}
}

// keepPromises counts them in log l of a run of DASP's.
func keepPromises(l *dasp.Log, o rivals.Options) (c promises, err error) {
	last := make([]dasp.State, l.Workers)
	err = retrace.Log(l, retrace.PolicyOf("dasp", o), dasp.DurationCompute, nil, func(now retrace.Sight) {
		p := l.Pushes[now.Index]
		if p.Abandoned {
			return
		}
		if last[p.Worker] == dasp.WSS {
			c.WSS++
			c.Return += one(p.State == dasp.QIS)
		}
		if last[p.Worker] = p.State; p.State == dasp.QIS {
			quick := now.View.V[p.Worker]
			for w, v := range now.View.V {
				if last[w] == 0 || last[w] == dasp.QIS { // all begin in QIS
					quick = min(quick, v)
				}
			}
			oldest, _ := now.View.Oldest()
			c.QIS++
			c.Wider += one(now.View.V[p.Worker]-oldest > o.Smin)
			c.Among += one(now.View.V[p.Worker]-quick > o.Smin)
		}
	})
	return c, err
}

// busyShare returns the share of their time that workers compute.
func busyShare(l *dasp.Log) float64 {
	sum := 0.0
	for _, p := range l.Pushes {
		sum += p.Compute.Seconds()
	}
	return sum / (float64(l.Workers) * l.End.Seconds())
}

// onReference returns the runs of a method with a network on the reference of unequal workers, one per seed.
func (v view) onReference(model, method string) []census {
	return v.of(setup.Reference, "", model, method).list
}

// sentences lists what the reference shows, network by network, and judges D60 to D63.
func (v view) sentences() {
	kept := kit.NewSheet("promises", "model:model qis wider among wss return")
	busy := kit.NewSheet("busy", "model:model method:method busy±/%.1 over_bsp~/.3")
	var sum promises
	var better, slow []result.Part
	for _, m := range setup.Models {
		var own promises
		for _, c := range v.onReference(m, "dasp") {
			own = own.plus(c.Own.Promises)
		}
		kept.Add(m, own.QIS, own.Wider, own.Among, own.WSS, own.Return)
		sum = sum.plus(own)
		share := func(method string) kit.Sample {
			return kit.Each(v.onReference(m, method), func(c census) float64 { return c.Own.Busy })
		}
		iteration := func(method string) kit.Sample {
			return kit.Each(v.onReference(m, method), func(c census) float64 { return c.Own.Iteration })
		}
		for _, method := range setup.Methods {
			busy.Add(m, method, share(method).Mean().Times(100), iteration(method).Over(iteration("bsp")))
		}
		for _, rival := range setup.Baselines {
			e := share("dasp").Over(share(rival))
			of := map[string]string{"model": m, "rival": rival}
			better = append(better, claims.Mark(result.Part{Value: e.Value, CI95: e.CI, Of: of}, claims.MoreThan(e.CI, 1)))
		}
		e := iteration("ssp").Over(iteration("bsp"))
		of := map[string]string{"model": m}
		slow = append(slow, claims.Mark(result.Part{Value: e.Value, CI95: e.CI, Of: of}, claims.AtLeast(e.CI, degraded)))
	}
	v.Frames = append(v.Frames, kept.Frame, busy.Frame)
	words := func(id string, args ...any) *result.Reason { r := result.Because(id, args...); return &r }
	holding := func(id string, broken, of int, note result.Reason) result.Claim {
		f := claims.Holding(broken == 0, len(v.Seeds), words(id, "broken", broken, "of", of))
		f.Notes = []result.Reason{note}
		if of == 0 {
			f.Finding = claims.NoCase
		}
		return claims.Verdict(id, f)
	}
	of := func(parts []result.Part) []any { return kit.Map(parts, func(p result.Part) any { return p.Value }) }
	may := claims.Found{Parts: slow, Seeds: len(v.Seeds), Words: words("D63", "ratios", of(slow))}
	may.Finding = claims.Some(kit.Map(slow, claims.FindingOf)...)
	v.Claims = append(v.Claims, holding("D60", sum.Wider, sum.QIS, result.Because("D60-tested", "among", sum.Among)),
		holding("D61", sum.WSS-sum.Return, sum.WSS, result.Because("D61-most", "back", sum.Return)),
		claims.Verdict("D62", claims.OfParts(better, len(v.Seeds), words("D62", "ratios", of(better)))), claims.Verdict("D63", may))
}
