package codedsgd

import (
	"fmt"
	"math/big"

	result "gradsync/experiments/result1"
	"gradsync/papers/codedsgd"
)

// judgeOneNth judges C18: data are reduced to 1/n "in general", at every redundancy
// that codes anything and sends anything, 2 ≤ r < n.
func judgeOneNth(sizes []size) result.Claim {
	of, equal, form := 0, 0, 0
	var smallest string
	for i := range sizes {
		s := &sizes[i]
		if s.R < 2 || s.R == s.N {
			continue
		}
		of++
		counted := s.ratio()
		if counted.Cmp(big.NewRat(1, int64(s.N))) == 0 {
			equal++
		} else if smallest == "" {
			smallest = fmt.Sprintf("n = %d, r = %d: %s", s.N, s.R, counted.RatString())
		}
		if counted.Cmp(codedsgd.LRatio(s.N, s.R)) == 0 {
			form++
		}
	}
	note := fmt.Sprintf("counted at %d sizes, n ≤ %d: 1/n at %d of them, (n−r)/((n−1)r) of (19) at %d", of, sizes[len(sizes)-1].N, equal, form)
	if smallest != "" {
		note += "; the smallest that is not 1/n: " + smallest
	}
	found := fmt.Sprintf("neither at %d of %d sizes", of-form, of)
	if form == of {
		found = "(n-r)/((n-1)r)"
	}
	return identity("C18", of > 0 && equal == of, found, note)
}

// judgeLikeForLike judges C28.
func judgeLikeForLike(sizes []size) result.Claim {
	of, wrong, less, late := 0, "", 0, 0
	for i := range sizes {
		s := &sizes[i]
		counted := s.likeForLike()
		if counted == nil {
			continue
		}
		of++
		if wrong == "" && counted.Cmp(big.NewRat(int64(s.N-s.R), int64(s.R))) != 0 {
			wrong = fmt.Sprintf("%s at n = %d, r = %d", counted.RatString(), s.N, s.R)
		}
		if counted.Cmp(big.NewRat(1, 1)) < 0 {
			less++
		}
		if 2*s.R > s.N {
			late++
		}
	}
	note := fmt.Sprintf("packets counted at %d sizes, n ≤ %d; less than 1 at %d, r > n/2 at %d", of, sizes[len(sizes)-1].N, less, late)
	return identity("C28", of > 0 && wrong == "", wrong, note)
}
