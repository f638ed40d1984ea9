package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	judge "gradsync/experiments/claims"
	"gradsync/experiments/result"
	"gradsync/internal/oracle/before"
)

// claimNumbers are the numbers that a claim of version 2 holds anywhere.
func claimNumbers(c result.Claim) (out []float64) {
	out = flatten(c.Measured)
	for _, ci := range c.CI95 {
		out = append(out, flatten(ci)...)
	}
	for _, list := range [][]result.Reason{c.Reasons, c.Differs, found(c)} {
		for _, r := range list {
			out = append(out, flatten(r.Args)...)
		}
	}
	for _, p := range c.Parts {
		out = append(append(out, flatten(p.Value)...), flatten(p.CI95)...)
		for _, word := range p.Of {
			out = append(out, flatten(word)...)
		}
	}
	return out
}

func found(c result.Claim) []result.Reason {
	if c.Found == nil {
		return nil
	}
	return []result.Reason{*c.Found}
}

// claims compares what was found of every claim.
func claims(rep *report, old *before.Result, r *result.Result, words pageText) {
	pages, facts := words.pool(r), facts(r).all.list
	for _, c := range old.Claims {
		rep.claims++
		d, what := r.Claim(c.ID), "claim "+c.ID
		if d == nil {
			rep.differ(what, "claim", "is not judged any more")
			continue
		}
		later := !slices.Contains(firstVerdicts, d.Verdict)
		if c.Verdict != d.Verdict && !later {
			rep.differ(what, "verdict", "%s, was %s", d.Verdict, c.Verdict)
		}
		if a, b := remark(c), d.Remark; a != b {
			rep.differ(what, "remark", "%q, was %q", b, a)
		}
		measured(rep, what, c, d)
		if later { // for reasons of its own
			continue
		}
		known := append(claimNumbers(*d), facts...)
		if s, ok := judge.Get(c.ID); ok {
			known = append(known, s.Numbers()...)
			if s.Tolerance != nil {
				known = append(known, *s.Tolerance)
			}
			if s.Null != nil {
				known = append(known, *s.Null)
			}
		}
		mine := newPool(known)
		for _, s := range append([]string{c.Why}, c.Differs...) {
			for _, n := range numbersIn(s) {
				rep.whys++
				switch {
				case mine.has(n):
				case pages.has(n):
					rep.byPage++
				default:
					rep.differ(what, n.text, "stands in %q", around(s, n.text))
				}
			}
		}
		reasons(rep, what, c, d, words.said[c.ID])
	}
	for _, d := range r.Claims {
		if !judgedBefore(old, d.ID) {
			rep.differ("claim "+d.ID, "claim", "was not judged")
		}
	}
}

func judgedBefore(old *before.Result, id string) bool {
	for _, c := range old.Claims {
		if c.ID == id {
			return true
		}
	}
	return false
}

// firstVerdicts are the verdicts of version 1. Where a claim has one that came later, that is
// undecided or no case, say, version 1 had no word for it.
var firstVerdicts = []string{judge.Equal, judge.Within, judge.SameSign, judge.Differs, judge.NotRun, judge.NotStated}

// remark translates the words of version 1 on a verdict into the key of version 2.
func remark(c before.Claim) string {
	if before.Derived(c) {
		return judge.DerivedRemark
	}
	return ""
}

// measured compares the numbers found and their intervals.
func measured(rep *report, what string, c before.Claim, d *result.Claim) {
	now := flatten(d.Measured)
	switch m := c.Measured.(type) {
	case float64:
		if len(now) != 1 || canon(now[0]) != canon(m) {
			rep.differ(what, canon(m), "measured %v", d.Measured)
		}
	case string:
		var list []string
		for _, x := range now {
			list = append(list, strconv.FormatFloat(x, 'g', 5, 64))
		}
		wasList := isList(m)
		if wasList && strings.Join(list, "; ") != m {
			rep.differ(what, m, "measured %q", strings.Join(list, "; "))
		}
		if len(now) == 0 && d.Found == nil && d.Parts == nil {
			rep.differ(what, "measured", "nothing is said in place of %q", m)
		}
		if d.Found != nil && d.Found.Code == judge.AsStated && fmt.Sprint(c.Paper) != m {
			rep.differ(what, "measured", "as stated, was %q where %v is stated", m, c.Paper)
		}
		if !wasList {
			known := newPool(claimNumbers(*d))
			for _, n := range numbersIn(m) {
				if !known.has(n) && fmt.Sprint(c.Paper) != m {
					rep.differ(what, n.text, "stands in what was found: %q", m)
				}
			}
		}
	case nil:
		if len(now) > 0 {
			rep.differ(what, "measured", "%v, was nothing", d.Measured)
		}
	}
	if c.CI95 != nil {
		if len(d.CI95) != 1 || d.CI95[0] == nil || canon(d.CI95[0][0]) != canon(c.CI95[0]) || canon(d.CI95[0][1]) != canon(c.CI95[1]) {
			rep.differ(what, fmt.Sprintf("[%s, %s]", canon(c.CI95[0]), canon(c.CI95[1])), "the interval differs")
		}
	} else if _, list := c.Measured.(string); !list && d.CI95 != nil {
		rep.differ(what, "interval", "there was none")
	}
}

// isList tells whether a text is numbers alone: what a claim of several found.
func isList(s string) bool {
	for _, part := range strings.Split(s, "; ") {
		if _, err := strconv.ParseFloat(part, 64); err != nil {
			return false
		}
	}
	return true
}

// clauses counts what a text of reasons says. Intervals and the further numbers of a list
// are no clauses of their own.
func clauses(text string) (n int) {
	for _, s := range strings.Split(text, "; ") {
		if s = strings.TrimSpace(s); s != "" && s != "none" && !strings.HasPrefix(s, "intervals [") && !strings.ContainsAny(s[:1], "[0123456789") {
			n++
		}
	}
	return n
}

// reasons counts the clauses of version 1: none may be lost without being listed. What
// was found, the parts, a remark and the intervals are data now and stand for one each;
// said is how many clauses the page has.
func reasons(rep *report, what string, c before.Claim, d *result.Claim, said int) {
	was, now := clauses(c.Why), len(d.Reasons)
	data := 0
	if d.Found != nil && d.Found.Code != judge.AsStated {
		data++
	}
	if len(d.Parts) > 0 {
		data++
	}
	if now = max(now, said) + data; now < was {
		rep.differ(what, "reasons", "%d, were %d clauses: %q", now, was, c.Why)
	}
	if was := slices.Compact(slices.Sorted(slices.Values(c.Differs))); len(d.Differs) < len(was) {
		rep.differ(what, "differs", "%d, were %d: %q", len(d.Differs), len(was), was)
	}
}
