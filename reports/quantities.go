package reports

import (
	"regexp"
	"strconv"
	"strings"

	"gradsync/experiments/claims"
)

// quantities names the numbers of a claim whose value is a list of n, by the
// claim's own row: "DASP/BSP; SSP/BSP; DSSP/BSP". nil where the row names
// another number of things, or the claim is in no row.
func quantities(id string, n int) []string {
	c, ok := claims.Get(id)
	if !ok {
		return nil
	}
	names := strings.Split(c.Quantity, "; ")
	if n < 2 || len(names) != n {
		return nil
	}
	return names
}

// labelled puts the names of a claim's quantities before the numbers of list,
// each name and its number on one line. What is no list of numbers comes back as
// it is.
func labelled(id string, list any) any {
	s, ok := list.(string)
	if !ok {
		return list
	}
	parts := strings.Split(s, "; ")
	names := quantities(id, len(parts))
	if names == nil {
		return list
	}
	for i, p := range parts {
		if _, err := strconv.ParseFloat(strings.Replace(p, "−", "-", 1), 64); err != nil {
			return list
		}
		parts[i] = names[i] + nbsp + p
	}
	return strings.Join(parts, "; ")
}

// listed is two or more intervals or numbers in a row.
var listed = regexp.MustCompile(`(?:\[[^\]]*\]|\b\d+(?:\.\d+)?)(?:; (?:\[[^\]]*\]|\d+(?:\.\d+)?))+`)

// labelWhy does the same for the lists of intervals and numbers in a reason; a
// comma parts them there, since a semicolon ends a clause.
func labelWhy(id, why string) string {
	return listed.ReplaceAllStringFunc(why, func(list string) string {
		parts := strings.Split(list, "; ")
		names := quantities(id, len(parts))
		if names == nil {
			return list
		}
		for i := range parts {
			parts[i] = names[i] + nbsp + parts[i]
		}
		return strings.Join(parts, ", ")
	})
}
