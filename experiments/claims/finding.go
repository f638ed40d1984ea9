package claims

import "gradsync/experiments/result"

// A claim in words rests on comparisons, its parts. Each part has a finding of its own, and Every or
// Some makes the claim's of them. Where both methods did exactly the same there is no case, and the
// part counts neither for the claim nor against it. Where only the numbers tie, the words decide: “at
// most” lets a tie hold, “below” does not. Numbers tie exactly in D38 and D58; times within a
// thousandth tie in D39 and D56, and X13 has a tie of its own.

// Whether returns the finding of a comparison that needs no seeds.
func Whether(holds bool) string {
	if holds {
		return Holds
	}
	return Differs
}

// AtMost finds whether a number is at most bound, by its interval: it holds if the whole interval is,
// it differs if none of it is, else it is undecided, as is a number of one seed, which has none.
func AtMost(ci *[2]float64, bound float64) string {
	switch {
	case ci == nil:
		return Undecided
	case ci[1] <= bound:
		return Holds
	case ci[0] > bound:
		return Differs
	}
	return Undecided
}

// LessThan is AtMost for a number that must be below bound: a tie differs.
func LessThan(ci *[2]float64, bound float64) string {
	switch {
	case ci == nil:
		return Undecided
	case ci[1] < bound:
		return Holds
	case ci[0] >= bound:
		return Differs
	}
	return Undecided
}

// AtLeast finds whether a number is at least bound, as AtMost does.
func AtLeast(ci *[2]float64, bound float64) string { return AtMost(mirrored(ci), -bound) }

// MoreThan finds whether a number is above bound, as LessThan does.
func MoreThan(ci *[2]float64, bound float64) string { return LessThan(mirrored(ci), -bound) }

// Inside finds whether a number lies from lo to hi, a margin or a range: it holds if its interval
// lies inside, differs if it lies wholly outside, else it is undecided.
func Inside(ci *[2]float64, lo, hi float64) string { return Every(AtLeast(ci, lo), AtMost(ci, hi)) }

func mirrored(ci *[2]float64) *[2]float64 {
	if ci == nil {
		return nil
	}
	return &[2]float64{-ci[1], -ci[0]}
}

// Every returns the finding of a claim that demands all its parts. It differs if one part is decided
// against it, holds if a part is decided and none is open, and has no case if no part has one.
func Every(findings ...string) string { return worst(findings, Differs, Undecided, Holds) }

// Some returns the finding of a claim that one part is enough for.
func Some(findings ...string) string { return worst(findings, Holds, Undecided, Differs) }

// worst returns the first of order that stands among the findings, else NoCase.
func worst(findings []string, order ...string) string {
	for _, want := range order {
		for _, f := range findings {
			if f == want {
				return want
			}
		}
	}
	return NoCase
}

// Mark returns part with its finding.
func Mark(part result.Part, finding string) result.Part {
	part.Holds, part.Undecided = nil, finding == Undecided
	if holds := finding == Holds; holds || finding == Differs {
		part.Holds = &holds
	}
	return part
}

// OfParts returns what was found of a claim that demands all of parts, from a number of seeds.
func OfParts(parts []result.Part, seeds int, words *result.Reason) Found {
	var findings []string
	for _, p := range parts {
		findings = append(findings, FindingOf(p))
	}
	return Found{Finding: Every(findings...), Parts: parts, Seeds: seeds, Words: words}
}

// FindingOf returns the finding that Mark gave a part.
func FindingOf(p result.Part) string {
	switch {
	case p.Undecided:
		return Undecided
	case p.Holds != nil:
		return Whether(*p.Holds)
	}
	return NoCase
}
