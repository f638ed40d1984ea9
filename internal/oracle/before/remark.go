package before

import (
	"slices"
	"strings"
)

// What the note of a claim says whose number was put in and so cannot come out
// otherwise, or was worked out from numbers of the source.
const (
	SetAsStated = "set as stated, not found"
	Set         = "set, not found"
	NothingRun  = "nothing was run for it"
)

// TakenOver marks a claim whose number went into the platform.
const TakenOver = "an input taken from the blog, not a result"

// plans are claims on how often something is run, which a profile plans.
var plans = []string{"C12"}

// containsNull ends the reason of a difference that the seeds do not decide.
const containsNull = "contains the null"

// Given tells whether a claim's number was put into the run or worked out from the
// source's own, so that no verdict on it is a finding.
func Given(c Claim) bool {
	return slices.Contains(c.Differs, TakenOver) || slices.Contains(plans, c.ID) || slices.ContainsFunc([]string{SetAsStated, Set, NothingRun},
		func(note string) bool {
			return strings.Contains(c.Why, note)
		})
}

// Undecided tells whether a claim differs because its 95 % interval holds the null, the
// value of no effect: these seeds neither bear the claim out nor refute it.
func Undecided(c Claim) bool {
	first, _, _ := strings.Cut(c.Why, "; ")
	return c.Verdict == "differs" && strings.Contains(first, containsNull)
}

// Derived tells whether the source does not state the claim's number, but what it
// follows from.
func Derived(c Claim) bool { return strings.Contains(c.Source, ", derived") }
