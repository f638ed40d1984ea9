package dasp

import (
	"strings"

	"gradsync/experiments/claims"
	result "gradsync/experiments/result1"
)

const (
	complete   = "complete"
	unfinished = "incomplete"
)

// incomplete adds the sentence that a page must not be without.
func incomplete(r *result.Result) *result.Result {
	r.Notes = append([]string{"Interrupted: only the seeds that every method finished stand here, if any. Finished parts are kept, and the same command goes on from them."}, r.Notes...)
	return r
}

// holds judges a qualitative claim from so many seeds; measured is what was
// found, in a few words.
func holds(id string, ok bool, seeds int, measured, note string, differs ...string) result.Claim {
	return claims.Judge(id, claims.Evidence{Value: measured, Holds: &ok, Seeds: seeds, Note: strings.TrimSpace(note), Differs: differs})
}
