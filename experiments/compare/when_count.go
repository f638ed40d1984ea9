package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// rank is one method's time at a point.
type rank struct {
	Method method
	Time   float64
}

// order sorts the methods that allowed takes by their time at p, the least first; ties
// keep the order of the tables.
func (g *guide) order(p point, allowed func(method) bool, weigh bool) (out []rank) {
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
		out = append(out, rank{m, t})
	}
	slices.SortStableFunc(out, func(a, b rank) int { return cmp.Compare(a.Time, b.Time) })
	return out
}

// Which methods may compete.
func anyMethod(method) bool     { return true }
func noMulticast(m method) bool { return !m.Multicast }
func ofServer(m method) bool    { return m.Server }
func synchronous(m method) bool { return !m.Async && !m.Multicast }
func serverless(m method) bool  { return !m.Server && !m.Multicast }
func redundant(m method) bool   { return m.Coded != nil && m.Coded.Redundancy != 1 }

// count is who is first how often, where distributing pays at all.
type count struct {
	Of      int
	Alone   int       // cases in which one worker alone takes no longer than the first
	Wins    []win     // of the others, most first; of equal counts the one met first
	Margins []float64 // how much longer the second method takes than the first, by point
}

type win struct {
	Title string // of the method, or of several that tie
	Times int
}

// tie is how much longer a round may take and still be called the same: half a per cent.
const tie = 0.005

// everyAsync are the asynchronous methods, which do the same where nobody is behind.
var everyAsync = []string{"ASP", "SSP", "DSSP", "DASP"}

// firstOf names the first of an order and those that tie with it, and tells the index of
// the next.
func firstOf(o []rank) (name string, second int) {
	var names []string
	for second < len(o) && o[second].Time <= o[0].Time*(1+tie) {
		names = append(names, o[second].Method.Title)
		second++
	}
	if len(names) == len(everyAsync) && !slices.ContainsFunc(everyAsync, func(s string) bool { return !slices.Contains(names, s) }) {
		return "any asynchronous", second
	}
	return strings.Join(names, " = "), second
}

// tally counts the first at every point, samples counted; where one worker alone takes
// no longer, no method has won.
func (g *guide) tally(points []point, allowed func(method) bool) count {
	return g.counting(points, allowed, func(p point) float64 { return g.time(p, alone) })
}

// must is the count of the points at which one worker alone is best, were it not there.
func (g *guide) must(points []point, allowed func(method) bool) count {
	lost := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return g.pays(p, allowed) })
	return g.counting(lost, allowed, func(point) float64 { return math.Inf(1) })
}

// counting counts the first at every point where it takes less than its rival.
func (g *guide) counting(points []point, allowed func(method) bool, rival func(point) float64) (c count) {
	times := map[string]int{}
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
		name, second := firstOf(o)
		if times[name] == 0 {
			c.Wins = append(c.Wins, win{Title: name})
		}
		times[name]++
		if second < len(o) {
			c.Margins = append(c.Margins, o[second].Time/o[0].Time-1)
		}
	}
	for i := range c.Wins {
		c.Wins[i].Times = times[c.Wins[i].Title]
	}
	slices.SortStableFunc(c.Wins, func(a, b win) int { return cmp.Compare(b.Times, a.Times) })
	slices.Sort(c.Margins)
	return c
}

// pays is the number of cases in which distributing does.
func (c count) pays() int { return c.Of - c.Alone }

// oneAlone names one worker alone in sentences.
const oneAlone = "one worker alone"

// words is "one worker alone 4, ring 8, BSP 4 of 16".
func (c count) words() string {
	var out []string
	if c.Alone > 0 {
		out = append(out, fmt.Sprintf("%s %d", oneAlone, c.Alone))
	}
	for _, w := range c.Wins {
		out = append(out, fmt.Sprintf("%s %d", w.Title, w.Times))
	}
	if len(out) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s of %d", strings.Join(out, ", "), c.Of)
}

// use is the advice that a count gives: one worker alone where that is best in half of the
// cases or more, and of the others the method that is first in more than half, or else up
// to four that are first somewhere.
func (c count) use() string {
	if c.Of == 0 {
		return "not known"
	}
	var titles []string
	for _, w := range c.Wins {
		for _, t := range strings.Split(w.Title, " = ") { // each of those that tie once
			if !slices.Contains(titles, t) {
				titles = append(titles, t)
			}
		}
	}
	method := "no one method"
	switch {
	case len(c.Wins) > 0 && 2*c.Wins[0].Times > c.pays():
		method = c.Wins[0].Title
	case len(titles) > 0 && len(titles) <= 4:
		method = strings.Join(titles, " or ")
	}
	switch {
	case c.pays() == 0:
		return oneAlone
	case c.Alone > 0 && 2*c.Alone >= c.Of:
		return oneAlone + " (else " + method + ")"
	}
	return method
}

// margin says how much longer the second takes than the first: "7 to 39 %, median 8 %".
func (c count) margin() string {
	if len(c.Margins) == 0 {
		return ""
	}
	lo, mid, hi := c.Margins[0], c.Margins[len(c.Margins)/2], c.Margins[len(c.Margins)-1]
	return fmt.Sprintf("%.0f to %.0f %%, median %.0f %%", 100*lo, 100*hi, 100*mid)
}

// points of the plan that keep takes.
func (g *guide) points(keep func(point) bool) []point {
	return slices.DeleteFunc(g.plan.points(), func(p point) bool { return !keep(p) })
}

// fast are the links but for the slowest.
func (g *guide) fast() []float64 { return g.plan.Links[1:] }

func (g *guide) slow() float64 { return g.plan.Links[0] }

// span is the least and the largest of a ratio of two methods' rounds over points.
func (g *guide) span(points []point, a, b string) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range points {
		r := g.time(p, a) / g.time(p, b)
		lo, hi = min(lo, r), max(hi, r)
	}
	return lo, hi
}
