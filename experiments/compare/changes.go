package compare

import (
	"slices"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
)

// What the reference changed, by rules that are older than its first run:
//
//   - a method's factor is its time to the target over the first method's, on the same machines;
//   - it moved by its factor now over its factor before, paired by seed, and an interval of that
//     which holds 1 leaves it undecided;
//   - a case of the sweep changed if no method that was best before, one worker alone included, is best
//     now, and an interval decides it if all that were take longer than one that is, in every interval;
//   - two methods turned if one was sooner by more than a tie and is now later by more than a tie,
//     and an interval decides it if that of their ratio excluded 1 before and excludes it now.
//
// ASGD, which is ASP, does not count, and a method that misses the target with some seed has no time.

// factors returns, by seed, a method's time to the target over the first method's on its link.
func (s *comparison) factors(x linkMethod) kit.Sample {
	best, _ := s.first(x.Gbps)
	ours, base := s.reached(x, seconds), s.reached(best, seconds)
	if len(ours) == 0 || len(base) == 0 {
		return nil
	}
	return ours.Over(base).Samples
}

// one holds 1 per seed: over it, factors are an estimate with the interval of their logarithms.
func (s *comparison) one() kit.Sample {
	out := make(kit.Sample, len(s.Seeds))
	for i := range out {
		out[i] = 1
	}
	return out
}

// place returns a method's place by its mean time to the target, 0 without one; methods within a tie
// of each other share the better one.
func (s *comparison) place(x linkMethod) int {
	own := s.reached(x, seconds).Mean()
	if own.N == 0 {
		return 0
	}
	place := 1
	for _, m := range methods() {
		if t := s.reached(linkMethod{x.Gbps, m.Key}, seconds).Mean(); distinct(m) && t.N > 0 && t.Value*(1+tie) < own.Value {
			place++
		}
	}
	return place
}

// moved says in a word how a factor changed.
func moved(e kit.Estimate) string {
	if e.CI != nil && e.CI[0] == 1 && e.CI[1] == 1 {
		return "same" // the first, before and now
	}
	switch e.Against(1) {
	case "above":
		return "back"
	case "below":
		return "forward"
	case "undecided":
		return "undecided"
	}
	return "unknown" // one seed, or no time
}

// changes returns the frame of every method's factor before and now.
func (s *comparison) changes() result.Frame {
	return kit.Rows("changes",
		"link/Gb/s method:method before~/.2 now~/.2 shift~/.2 moved:moved place_before place_now",
		linkMethods(distinct), func(x linkMethod) []any {
			before, now := s.Former.factors(x), s.factors(x)
			shift := now.Over(before)
			return []any{x.Gbps, x.Method, before.Over(s.one()), now.Over(s.one()),
				shift, moved(shift), s.Former.place(x), s.place(x)}
		})
}

// pair holds two methods on a link of which the first is now sooner, and was later.
type pair struct {
	Gbps        float64
	Sooner      string
	Later       string
	Before, Now kit.Estimate // the later one's time over the sooner one's
}

func (p pair) decided() bool { return p.Before.Against(1) == "below" && p.Now.Against(1) == "above" }

// pairs counts the pairs of methods that have times before and now, and returns those that turned.
func (s *comparison) pairs(g float64) (of int, turned []pair) {
	all := slices.DeleteFunc(methods(), func(m method) bool { return !distinct(m) })
	for i, a := range all {
		for _, b := range all[i+1:] {
			p := s.pair(g, a.Key, b.Key)
			if p.Before.N == 0 || p.Now.N == 0 {
				continue
			}
			of++
			if p.Now.Value < 1 {
				p = s.pair(g, b.Key, a.Key)
			}
			if p.Now.Value > 1+tie && p.Before.Value < 1/(1+tie) {
				turned = append(turned, p)
			}
		}
	}
	return of, turned
}

func (s *comparison) pair(g float64, sooner, later string) pair {
	over := func(s *comparison) kit.Estimate {
		return s.reached(linkMethod{g, later}, seconds).Over(s.reached(linkMethod{g, sooner}, seconds))
	}
	return pair{g, sooner, later, over(s.Former), over(s)}
}

// turns returns the frame of who was first and who is, and of how many pairs turned, by link.
func (s *comparison) turns() result.Frame {
	return kit.Rows("turns",
		"link/Gb/s was:method is:method lead:lead pairs turned decided", links, func(g float64) []any {
			was, _ := s.Former.first(g)
			is, _ := s.first(g)
			of, turned := s.pairs(g)
			return []any{g, was.Method, is.Method, s.lead(g, was.Method, is.Method),
				of, len(turned), kit.CountIf(turned, pair.decided)}
		})
}

// lead says in a word whether the first is another one than before: the intervals tell it from the
// former first, on both machines, or leave that open.
func (s *comparison) lead(g float64, was, is string) string {
	switch {
	case was == "" || is == "":
		return "none"
	case was == is:
		return "same"
	case s.pair(g, is, was).decided():
		return "told"
	}
	return "open"
}

// turned returns the frame of the pairs that turned, those that an interval decides first.
func (s *comparison) turned() result.Frame {
	var rows []pair
	for _, decided := range []bool{true, false} {
		for _, g := range links {
			_, list := s.pairs(g)
			for _, p := range list {
				if p.decided() == decided {
					rows = append(rows, p)
				}
			}
		}
	}
	return kit.Rows("turned",
		"link/Gb/s sooner:method later:method before~/.2 now~/.2 decided:bool", rows, func(p pair) []any {
			return []any{p.Gbps, p.Sooner, p.Later, p.Before, p.Now, p.decided()}
		})
}

// best returns the methods without multicast that tie for the least time at p, samples counted, or one
// worker alone where that takes no longer.
func (g *guide) best(p sweepPoint) (keys []string) {
	o := g.order(p, noMulticast, true)
	if len(o) == 0 || g.time(p, alone) <= o[0].Time {
		return []string{alone}
	}
	for _, m := range o[:o.ties()] {
		keys = append(keys, m.Method.Key)
	}
	return keys
}

// rounded returns a method's rounds at p by seed, samples counted.
func (g *guide) rounded(p sweepPoint, key string) kit.Sample {
	times := g.rounds[sweepKey{p, key, 1}]
	if key == alone {
		return times
	}
	w, _ := g.weighed(p, key)
	return times.Map(func(x float64) float64 { return x * (w / g.time(p, key)) })
}

// changed reports whether the best at p are others than on the former machines, and whether the
// intervals decide it.
func (g *guide) changed(p sweepPoint) (yes, decided bool) {
	was, is := g.former.best(p), g.best(p)
	if slices.ContainsFunc(was, func(k string) bool { return slices.Contains(is, k) }) {
		return false, false
	}
	return true, !slices.ContainsFunc(was, func(k string) bool {
		return g.rounded(p, k).Over(g.rounded(p, is[0])).Against(1) != "above"
	})
}

// told reports whether an interval tells the first of a ranking at p from the second.
func (g *guide) told(p sweepPoint, o ranking) bool {
	n := o.ties()
	return n < len(o) && g.rounded(p, o[n].Method.Key).Over(g.rounded(p, o[0].Method.Key)).Against(1) == "above"
}

// leads counts the cases in which a method without multicast wins before a second, and those of them
// in which an interval tells the two apart.
func (g *guide) leads() (of, told int) {
	for _, p := range g.plan.points() {
		if o := g.order(p, noMulticast, true); g.pays(p, noMulticast) && o.second() != "" {
			if of++; g.told(p, o) {
				told++
			}
		}
	}
	return of, told
}

// changes returns the frame of what the reference's machines changed in the sweep, by workers.
func (g *guide) changes() result.Frame {
	return kit.Rows("machines", "set:set cases pays_before pays_now turned decided", g.plan.Sets, func(set string) []any {
		at := g.of(set)
		return []any{set, len(at), g.former.paysIn(at), g.paysIn(at),
			kit.CountIf(at, func(p sweepPoint) bool { yes, _ := g.changed(p); return yes }),
			kit.CountIf(at, func(p sweepPoint) bool { _, decided := g.changed(p); return decided })}
	})
}

// changeFacts returns what the sweep's machines are and were, and what that changed in all cases.
func (g *guide) changeFacts() []result.Fact {
	at := g.plan.points()
	count := func(decided bool) int {
		return kit.CountIf(at, func(p sweepPoint) bool { yes, told := g.changed(p); return yes && (told || !decided) })
	}
	leads, told := g.leads()
	return kit.Facts("leads", leads, "leads_told", told, "devices:platform", g.plan.Devices,
		"former_devices:platform", g.former.plan.Devices, "jitter/%", 100*g.plan.jitter(),
		"sweep_seeds", len(g.plan.Seeds), "sweep_rounds", g.plan.Rounds-1, "overhead/ms", g.plan.Overhead,
		"pays_before", g.former.paysIn(at), "turned", count(false), "turned_decided", count(true))
}

// changeFacts returns how the machines differ from the former ones, and how many pairs of methods
// turned on both links.
func (s *comparison) changeFacts() []result.Fact {
	of, turned, decided := 0, 0, 0
	for _, g := range links {
		n, list := s.pairs(g)
		of, turned, decided = of+n, turned+len(list), decided+kit.CountIf(list, pair.decided)
	}
	p, old := testbedOf(s.Set, links[0]).Platform, testbedOf(formerSet(s.Set), links[0]).Platform
	return kit.Facts("former_set:platform", formerSet(s.Set), "former_jitter/%", 100*old.Workers[0].Jitter,
		"server_times", p.Server.Bandwidth/p.Workers[0].Bandwidth, "seed_count", len(s.Seeds), "pairs", of,
		"turned", turned, "turned_decided", decided)
}
