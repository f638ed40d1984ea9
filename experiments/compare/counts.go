package compare

import (
	"cmp"
	"math"
	"slices"

	"gradsync/experiments/kit"
)

// timedMethod is one method's time at a point.
type timedMethod struct {
	Method method
	Time   float64
}

// ranking holds methods by their times, the least first.
type ranking []timedMethod

func compareTimes(a, b timedMethod) int { return cmp.Compare(a.Time, b.Time) }

// sortByTime sorts by time; ties keep the order of the tables.
func sortByTime(list []timedMethod) { slices.SortStableFunc(list, compareTimes) }

// tie is how much longer a round may take and still be called the same: half a per cent.
const tie = 0.005

// anyAsync stands for all asynchronous methods, which do the same where nobody is behind.
const anyAsync = "async"

// asyncs returns the asynchronous methods, each once.
func asyncs() (out []string) {
	for _, m := range methods() {
		if m.Async && distinct(m) {
			out = append(out, m.Key)
		}
	}
	return out
}

// ties returns how many methods take as long as the first.
func (o ranking) ties() (n int) {
	for n < len(o) && o[n].Time <= o[0].Time*(1+tie) {
		n++
	}
	return n
}

// first returns the methods that tie for the least time.
func (o ranking) first() (keys []string) {
	for _, r := range o[:o.ties()] {
		keys = append(keys, r.Method.Key)
	}
	all := asyncs()
	if len(keys) == len(all) && !slices.ContainsFunc(all, func(k string) bool { return !slices.Contains(keys, k) }) {
		return []string{anyAsync}
	}
	return keys
}

// second returns the next method, "" for none.
func (o ranking) second() string {
	if n := o.ties(); n < len(o) {
		return o[n].Method.Key
	}
	return ""
}

// longer returns by how many per cent the second takes longer than the first.
func (o ranking) longer() float64 {
	if n := o.ties(); n < len(o) {
		return 100 * (o[n].Time/o[0].Time - 1)
	}
	return math.NaN()
}

// counted returns a factor where its interval lies above 1, else 1: a cost that the seeds'
// noise can make is not counted, and staleness gets no credit.
func counted(e kit.Estimate) float64 {
	if e.Against(1) == "above" {
		return e.Value
	}
	return 1
}

// weighed returns a method's round times the samples that staleness costs, where the
// trained comparisons say so; ok is false where they do not.
func (g *guide) weighed(p sweepPoint, method string) (seconds float64, ok bool) {
	t := g.time(p, method)
	if !sweepMethod(method).Async {
		return t, true
	}
	set := equalSet
	if p.Set != equalWorkers {
		set = unequalSet
	}
	f := g.factor[set][method]
	return float64(t * counted(f)), f.N > 0
}

// order sorts the methods that allowed takes by their time at p, weighed with the samples
// that staleness costs or not.
func (g *guide) order(p sweepPoint, allowed func(method) bool, weigh bool) (out ranking) {
	for _, m := range sweepMethods() {
		if !allowed(m) || m.Aware && p.Set == equalWorkers { // there by speed is equally
			continue
		}
		t := g.time(p, m.Key)
		if weigh {
			w, ok := g.weighed(p, m.Key)
			if !ok {
				continue
			}
			t = w
		}
		out = append(out, timedMethod{m, t})
	}
	sortByTime(out)
	return out
}

// bestOf returns the least time at p of the methods that allowed takes, samples counted.
func (g *guide) bestOf(p sweepPoint, allowed func(method) bool) (float64, bool) {
	if o := g.order(p, allowed, true); len(o) > 0 {
		return o[0].Time, true
	}
	return 0, false
}

// anyMethod and its likes choose the methods that may compete.
func anyMethod(method) bool     { return true }
func noMulticast(m method) bool { return !m.Multicast }
func multicast(m method) bool   { return m.Multicast }
func ofServer(m method) bool    { return m.Server }
func serverless(m method) bool  { return !m.Server && !m.Multicast }
func redundant(m method) bool   { return m.Coded != nil && m.Coded.Redundancy != 1 }
func waiting(m method) bool     { return !m.Async && !m.Multicast && !m.Aware } // with equal samples
func async(m method) bool       { return m.Async }
func aware(m method) bool       { return m.Aware }

// winCount counts who is first how often, where distributing pays at all.
type winCount struct {
	Of      int
	Alone   int       // cases in which one worker alone takes no longer than the first
	Wins    []win     // of the others, most first; of equal counts the one met first
	Margins []float64 // by how many per cent the second takes longer than the first, by point
}

// win names methods that tie for the first place, and how often they do.
type win struct {
	First []string
	Times int
}

// countWins counts who is first at every point, samples counted; where one worker alone takes
// no longer, no method has won.
func (g *guide) countWins(points []sweepPoint, allowed func(method) bool) winCount {
	return g.countWinsOver(points, allowed, func(p sweepPoint) float64 { return g.time(p, alone) })
}

// must counts the points at which one worker alone is best, were it not there.
func (g *guide) must(points []sweepPoint, allowed func(method) bool) winCount {
	lost := slices.DeleteFunc(slices.Clone(points), func(p sweepPoint) bool { return g.pays(p, allowed) })
	return g.countWinsOver(lost, allowed, func(sweepPoint) float64 { return math.Inf(1) })
}

// pays reports whether the best method that allowed takes beats one worker alone at p.
func (g *guide) pays(p sweepPoint, allowed func(method) bool) bool {
	return g.countWins([]sweepPoint{p}, allowed).pays() == 1
}

// countWinsOver counts who is first at every point where it takes less than rival.
func (g *guide) countWinsOver(points []sweepPoint, allowed func(method) bool, rival func(sweepPoint) float64) (c winCount) {
	for _, p := range points {
		o := g.order(p, allowed, true)
		if len(o) == 0 {
			continue
		}
		c.Of++
		if rival(p) <= o[0].Time {
			c.Alone++
			continue
		}
		first := o.first()
		i := slices.IndexFunc(c.Wins, func(w win) bool { return slices.Equal(w.First, first) })
		if i < 0 {
			i = len(c.Wins)
			c.Wins = append(c.Wins, win{First: first})
		}
		c.Wins[i].Times++
		if o.second() != "" {
			c.Margins = append(c.Margins, o.longer())
		}
	}
	slices.SortStableFunc(c.Wins, func(a, b win) int { return cmp.Compare(b.Times, a.Times) })
	slices.Sort(c.Margins)
	return c
}

// pays returns the number of cases in which distributing does.
func (c winCount) pays() int { return c.Of - c.Alone }

// margin returns a quantile of the margins, no number without any.
func (c winCount) margin(q float64) float64 {
	if len(c.Margins) == 0 {
		return math.NaN()
	}
	return c.Margins[min(int(q*float64(len(c.Margins))), len(c.Margins)-1)]
}

// How an advice names methods.
const (
	unknown = "unknown" // no method could be weighed
	never   = "alone"   // one worker alone is best everywhere
	mostly  = "most"    // these tie for the first place in more than half of the paying cases
	some    = "some"    // these are first somewhere
	many    = "many"    // more than four are
)

// advice holds what a winCount recommends: one worker alone where that is best in half of the
// cases or more, and of the others the method that is first in more than half, or else up to four
// that are first somewhere.
type advice struct {
	Alone   bool
	How     string
	Methods []string
}

func (c winCount) advice() advice {
	a := advice{Alone: c.Alone > 0 && 2*c.Alone >= c.Of, How: many}
	var keys []string
	for _, w := range c.Wins {
		for _, k := range w.First { // each of those that tie once
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	switch {
	case c.Of == 0:
		a.How = unknown
	case c.pays() == 0:
		a.How = never
	case len(c.Wins) > 0 && 2*c.Wins[0].Times > c.pays():
		a.How, a.Methods = mostly, c.Wins[0].First
	case len(keys) > 0 && len(keys) <= 4:
		a.How, a.Methods = some, keys
	}
	return a
}

// same reports whether two advices say the same.
func (a advice) same(b advice) bool {
	return a.Alone == b.Alone && a.How == b.How && slices.Equal(a.Methods, b.Methods)
}

// duel compares the best of two kinds of methods over points.
type duel struct {
	Wins, Of int
	Lo, Hi   float64 // the first's time over the second's
}

// against compares the best of two kinds over the points at which either beats one
// worker alone; a tie is no win.
func (g *guide) against(points []sweepPoint, a, b func(method) bool) duel {
	d := duel{Lo: math.NaN(), Hi: math.NaN()}
	for _, p := range points {
		x, okX := g.bestOf(p, a)
		y, okY := g.bestOf(p, b)
		if !okX || !okY || min(x, y) >= g.time(p, alone) {
			continue
		}
		d.add(x/y, x/y < 1/(1+tie))
	}
	return d
}

func (d *duel) add(ratio float64, won bool) {
	if d.Of == 0 {
		d.Lo, d.Hi = ratio, ratio
	}
	d.Of++
	d.Lo, d.Hi = min(d.Lo, ratio), max(d.Hi, ratio)
	if won {
		d.Wins++
	}
}

// extent returns the least and the largest of a ratio of two methods' rounds over points.
func (g *guide) extent(points []sweepPoint, a, b string) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		r := g.time(p, a) / g.time(p, b)
		lo, hi = min(lo, r), max(hi, r)
	}
	return lo, hi
}
