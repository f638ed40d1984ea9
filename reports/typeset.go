package reports

import (
	"regexp"
	"strings"
)

// units keeps a number and its unit on one line.
func units(s string) string { return united.ReplaceAllString(s, "$1"+nbsp+"$2") }

// tie does that, and gives a negative number its minus.
func tie(s string) string { return negative.ReplaceAllString(units(s), "$1−$2") }

// unitsHTML is units for the words of HTML: not in tags, and not in code, which is copied.
func unitsHTML(s string) string {
	return pieces.ReplaceAllStringFunc(s, func(piece string) string {
		if strings.HasPrefix(piece, "<") {
			return piece
		}
		return units(piece)
	})
}

var (
	united   = regexp.MustCompile(`(\d) (%|(?:[mµn]?s|min|[kMGT]B|[KMGT]iB|[kMGT]b/s|GFLOP/s|bits?|bytes|points)\b)`)
	pieces   = regexp.MustCompile(`(?s)<(?:code|pre)\b.*?</(?:code|pre)>|<[^>]*>|[^<]+`)
	negative = regexp.MustCompile(`(^|[\s(\[])-(\d)`)
	commas   = regexp.MustCompile(`\{[^{}]*\}`)
	// typed are signs as a keyboard has them beside what a page prints; a
	// comparison clings to what follows it, so that a line breaks before it.
	typed = strings.NewReplacer("+-", "±", "<= ", "≤"+nbsp, ">= ", "≥"+nbsp, "<=", "≤", ">=", "≥", " x ", " × ", "->", "→", "VGG19_BN", "VGG-19-BN")
	// What formulas are typed with. Names such as ResNet-18 and r* stay.
	times   = regexp.MustCompile(`([\w)′″])( ?)\*( ?)([\w(])`)
	minus   = regexp.MustCompile(`\b([Nnkr])-(\d|r)\b`)
	minusOf = regexp.MustCompile(`([\w)])-(\(|eta\b|C\()`)
	primes  = regexp.MustCompile(`\b(P[wg])(''?)`)
	eta     = regexp.MustCompile(`\beta\b`)
	inf     = regexp.MustCompile(`→inf\b`)
)

// formulae are typed formulas with their proper letters:
// "Pw = eta*Pg'+(N-1)*W0" is Pw = η·Pg′+(N−1)·W0.
func formulae(s string) string {
	s = primes.ReplaceAllStringFunc(s, func(p string) string { return p[:2] + map[int]string{1: "′", 2: "″"}[len(p)-2] })
	for range 2 { // the operands of a product of three overlap
		s = times.ReplaceAllString(s, "$1$2·$3$4")
	}
	s = minusOf.ReplaceAllString(minus.ReplaceAllString(s, "$1−$2"), "$1−$2")
	return inf.ReplaceAllString(eta.ReplaceAllString(s, "η"), "→∞")
}

// pretty prints typed mathematics with its proper signs and lets the members of
// a set break lines.
func pretty(s string) string {
	s = commas.ReplaceAllStringFunc(s, func(set string) string {
		return strings.ReplaceAll(strings.ReplaceAll(set, ", ", ","), ",", ", ")
	})
	return tie(formulae(typed.Replace(s)))
}
