package reports

import "gradsync/experiments/result"

// tally counts one verdict.
type tally struct {
	verdict
	N  int
	Of []share // those of them that have a remark
}

// count tallies claims by verdict, best first, without the verdicts nobody got.
func count(claims []result.Claim) []tally {
	var ts []tally
	for _, v := range verdicts {
		n := 0
		for _, c := range claims {
			if c.Verdict == v.Key {
				n++
			}
		}
		if n > 0 {
			ts = append(ts, tally{v, n, shares(claims, v.Key)})
		}
	}
	return ts
}

// total is how many claims a tally counts.
func total(ts []tally) int {
	n := 0
	for _, t := range ts {
		n += t.N
	}
	return n
}
