package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Published reports that every result is a published one itself: nobody ran anything.
func (v *ranView) Published() bool { return len(v.Results) > 0 && v.count[ranItself] == len(v.Results) }

// Verdict is the first sentence of the box, "" where no result could be compared.
func (v *ranView) Verdict() string {
	of := v.count[ranSame] + v.count[ranOther]
	switch {
	case v.Published():
		return "These are the published results themselves; nothing was run anew here."
	case v.count[ranUnpublished] == len(v.Results):
		return "None of these results is published in this profile: there is nothing to compare them with."
	case of == 0:
		return ""
	}
	return fmt.Sprintf("%d of %d results have the published bits.", v.count[ranSame], of)
}

// Counts are the sentences about all that the verdict does not count, or not as it is.
func (v *ranView) Counts() []string {
	var out []string
	say := func(n int, format string) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, n))
		}
	}
	say(v.Seedless, "But for the list of seeds: %d; no seed is used there.")
	say(v.count[ranOther], "Differing: %d.")
	say(v.count[ranApart], "Not comparable: %d.")
	say(v.count[ranUnrecorded], "With the published bits, but without a record that they were run: %d.")
	if !v.Published() {
		say(v.count[ranItself], "The published results themselves, not run anew: %d.")
	}
	if v.count[ranUnpublished] < len(v.Results) {
		say(v.count[ranUnpublished], "Not published in this profile: %d.")
	}
	return out
}

// Warnings are what a reader must know before the rest.
func (v *ranView) Warnings() []string {
	var out []string
	if n := v.count[ranChanged]; n > 0 {
		out = append(out, fmt.Sprintf("Changed after their run: %d. The record beside each names other bytes: command and machine may not be theirs.", n))
	}
	if v.Dirty {
		out = append(out, "The program was built from a tree with changes that no commit holds.")
	}
	if v.NoRecord > 0 {
		out = append(out, fmt.Sprintf("Results without a record of their run: %d. Their command and machine are unknown.", v.NoRecord))
	}
	return out
}

// Reasons reports whether a result has any for its other bits.
func (v *ranView) Reasons() bool {
	return slices.ContainsFunc(v.Results, func(x ranResult) bool { return len(x.Why) > 0 })
}

// Judged says how many claims have a result, "" where all have.
func (v *ranView) Judged() string {
	if v.Claims == v.AllClaims {
		return ""
	}
	has := "have"
	if v.Claims == 1 {
		has = "has"
	}
	return fmt.Sprintf("%d of %d claims %s a result here.", v.Claims, v.AllClaims, has)
}

// Word is what the table says of a result; its reasons follow.
func (x ranResult) Word() string {
	switch {
	case x.Standing == ranUnrecorded:
		return "yes, but no record says that it was run"
	case x.Standing == ranSame && x.Seedless:
		return "yes, but for the list of seeds: no seed is used"
	}
	return map[ranStanding]string{
		ranUnpublished: "not published", ranItself: "the published result itself: nothing was run anew", ranChanged: "changed", ranSame: "yes", ranApart: "not comparable", ranOther: "no",
	}[x.Standing]
}

// Day is when the run started; it is not broken at its hyphens.
func (x ranResult) Day() string {
	day, _, _ := strings.Cut(x.Started, " ")
	return day
}

// Hour is the rest.
func (x ranResult) Hour() string {
	_, hour, _ := strings.Cut(x.Started, " ")
	return hour
}

// ofPublished marks a chapter that tells of the published results, below its heading.
const ofPublished = "Of the published results, not of this run."

// mark says below the heading of each chapter whose results it tells of, where the
// page's are not all of those. A page without a box is one of the published results, or
// of a reader's own folder.
func (v *ranView) mark(chapters []chapterText, t *translator) {
	if v == nil || !v.Partial {
		return
	}
	for i, c := range chapters {
		head, body, _ := strings.Cut(string(c.HTML), "\n")
		note := `<p class="warn"><b>` + string(t.both(ofPublished, escaped)) + "</b></p>\n"
		chapters[i].HTML = template.HTML(head + "\n" + note + body)
	}
}
