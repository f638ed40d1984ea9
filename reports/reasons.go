package reports

import (
	"slices"
	"strings"
)

// reason is a labelled sentence below a claim.
type reason struct{ Label, Text string }

// settle draws from what every profile found what the row says as a whole.
func (row *claimRow) settle(judges []judge) {
	ran := map[string]bool{}
	row.Class = "r-" + row.Found[0].Verdict.Key
	for _, f := range row.Found {
		switch f.Verdict.Key {
		case "", "not-run", "not-stated":
			continue
		case "differs":
			row.Class = "r-differs"
		default:
			if row.Class != "r-differs" {
				row.Class = "r-" + f.Verdict.Key
			}
		}
		ran[f.Verdict.Key] = true
	}
	row.Disagree = len(ran) > 1
	var said string
	if row.Statement, said = splitAsides(row.Statement); said != "" {
		row.Reasons = append(row.Reasons, reason{"Of the text", said})
	}
	above := slices.ContainsFunc(row.Found, func(f found) bool { return f.Above })
	texts := func(f found) [2]string { return [2]string{f.Why, strings.Join(f.Differs, "; ")} }
	for k, label := range []string{"Why", "What differs"} {
		if k == 0 && above {
			label = besides
		}
		first := texts(row.Found[0])[k]
		same := !slices.ContainsFunc(row.Found, func(f found) bool { return texts(f)[k] != first })
		for i, f := range row.Found {
			text := texts(f)[k]
			switch {
			case text == "" || same && i > 0:
			case len(judges) == 1:
				row.Reasons = append(row.Reasons, reason{label, text})
			case same:
				row.Reasons = append(row.Reasons, reason{label + ", " + every(len(judges)), text})
			default:
				row.Reasons = append(row.Reasons, reason{label + ", " + f.Profile, text})
			}
		}
	}
}

// besides names what a row says of itself where the reason of its verdict stands above
// the rows for several of them.
const besides = "Besides the reason above"

// every names n profiles together.
func every(n int) string {
	if n == 2 {
		return "both profiles"
	}
	return "all profiles"
}
