package claims

import (
	_ "embed"
	"fmt"
	"slices"

	"gradsync/experiments/result"
)

// outsideCSV lists the claims that no run here can judge, with the reason; "same" repeats the one above.
//
//go:embed out-of-scope.csv
var outsideCSV []byte

// outside maps the claims of outsideCSV to their reasons.
var outside = parseOutside(outsideCSV)

// parseOutside panics if the embedded list names no claim, or no reason: a programmer's mistake.
func parseOutside(raw []byte) map[string]string {
	rows, err := table(raw, "id,why")
	if err != nil {
		panic(fmt.Errorf("claims: out-of-scope.csv: %w", err))
	}
	reasons, last := map[string]string{}, ""
	for _, r := range rows {
		if r[1] != "same" {
			last = r[1]
		}
		if reasons[r[0]] != "" || last == "" {
			panic("claims: out-of-scope.csv: " + r[0] + " stands twice or has no reason")
		}
		reasons[r[0]] = last
	}
	return reasons
}

// OutOfScope returns why no run here can judge the claim id; "" of the others. Such a claim stands in the result
// that says so, and is not counted: not run is for what could be.
func OutOfScope(id string) (why string) { return outside[id] }

// reproduced are the values of Claim.Paper whose text is reproduced here.
var reproduced = []string{"ring", "ringsparse", "DASP", "CSSGD"}

// Cited reports whether the claim id is of a text that one of the four documents builds on: it is judged beside them
// and counted with none.
func Cited(id string) bool {
	c, ok := Get(id)
	return ok && !slices.Contains(reproduced, c.Paper)
}

// InScope returns the claims of list that are neither out of scope nor of a cited text, in its order.
func InScope(list []result.Claim) []result.Claim {
	return slices.DeleteFunc(slices.Clone(list), func(c result.Claim) bool { return OutOfScope(c.ID) != "" || Cited(c.ID) })
}
