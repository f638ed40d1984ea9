package typeset

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gradsync/reports/notebook"
)

// Units keeps a number and its unit on one line, and a short formula or interval; a blank stands between Chinese and
// other letters.
func Units(s string) string {
	s = intoLatin.ReplaceAllString(outOfLatin.ReplaceAllString(s, "$1 $2"), "$1 $2")
	s = interval.ReplaceAllString(united.ReplaceAllString(s, "$1"+NBSP+"$2"), "[$1,"+NBSP+"$2]")
	return formula.ReplaceAllStringFunc(s, func(chain string) string {
		if utf8.RuneCountInString(html.UnescapeString(markup.ReplaceAllString(chain, ""))) > shortFormula {
			return operator.ReplaceAllString(chain, " $1"+NBSP) // it may break, before an operator
		}
		return operator.ReplaceAllString(chain, NBSP+"$1"+NBSP)
	})
}

// shortFormula is how many letters a formula may have that is kept on one line.
const shortFormula = 16

// tie keeps a number and its unit on one line and gives a negative number its minus.
func tie(s string) string { return negative.ReplaceAllString(Units(s), "$1−$2") }

var (
	// Chinese beside Latin, Greek or a number, as texts and labels join.
	intoLatin  = regexp.MustCompile(`(\p{Han})([A-Za-z0-9\p{Greek}])`)
	outOfLatin = regexp.MustCompile(`([A-Za-z0-9%\p{Greek}])(\p{Han})`)
	united     = regexp.MustCompile(`(\d) (%|(?:[mµn]?s|min|[kMGT]B|[KMGT]iB|[kMGT]b/s|GFLOP/s|bits?|bytes|points)\b)`)
	interval   = regexp.MustCompile(`\[([^\s<>\[\],]{1,10}), ([^\s<>\[\],]{1,10})\]`)
	// formula is terms between operators, with the tags that letters have.
	formula  = regexp.MustCompile(term + `(?: ` + sign + ` ` + term + `)+`)
	operator = regexp.MustCompile(` (` + sign + `) `)
	pieces   = regexp.MustCompile(`(?s)<(?:code|pre|math)\b.*?</(?:code|pre|math)>|<[^>]*>|[^<]+`)
	negative = regexp.MustCompile(`(^|[\s(\[])-(\d)`)
	commas   = regexp.MustCompile(`\{[^{}]*\}`)
	// typed are signs as a keyboard has them beside what a page prints; a
	// comparison clings to what follows it, so that a line breaks before it.
	typed = strings.NewReplacer("+-", "±", "<= ", "≤"+NBSP, ">= ", "≥"+NBSP, "<=", "≤", ">=", "≥", " x ", " × ", "->", "→", "VGG19_BN", "VGG-19-BN")
	// What formulas are typed with. Names such as ResNet-18 and r* stay.
	times   = regexp.MustCompile(`([\w)′″])( ?)\*( ?)([\w(])`)
	minus   = regexp.MustCompile(`\b([Nnkr])-(\d|r)\b`)
	minusOf = regexp.MustCompile(`([\w)])-(\(|eta\b|C\()`)
	primes  = regexp.MustCompile(`\b(P[wg])(''?)`)
	eta     = regexp.MustCompile(`\beta\b`)
	inf     = regexp.MustCompile(`→inf\b`)
)

const (
	letterTag = `</?(?:em|strong|sub|sup|dfn)>`
	term      = `(?:` + letterTag + `|[^\s<])+`
	sign      = `(?:[=+−·×≠≈<>]|&lt;|&gt;)`
)

// formulae gives typed formulas their proper letters:
// "Pw = eta*Pg'+(N-1)*W0" is Pw = η·Pg′+(N−1)·W0.
func formulae(s string) string {
	s = primes.ReplaceAllStringFunc(s, func(p string) string { return p[:2] + map[int]string{1: "′", 2: "″"}[len(p)-2] })
	for range 2 { // the operands of a product of three overlap
		s = times.ReplaceAllString(s, "$1$2·$3$4")
	}
	s = minusOf.ReplaceAllString(minus.ReplaceAllString(s, "$1−$2"), "$1−$2")
	return inf.ReplaceAllString(eta.ReplaceAllString(s, "η"), "→∞")
}

// Pretty prints typed mathematics with its proper signs and lets the members of
// a set break lines.
func Pretty(s string) string {
	s = commas.ReplaceAllStringFunc(s, func(set string) string {
		return strings.ReplaceAll(strings.ReplaceAll(set, ", ", ","), ",", ", ")
	})
	return tie(formulae(typed.Replace(s)))
}

// NBSP keeps a number and its unit on one line.
const NBSP = "\u00a0"

// Number prints x for a reader: digits decimals where digits > 0, else up to
// four significant digits, with a true minus sign and no trailing zeros.
func Number(x float64, digits int) string {
	if digits > 0 {
		return notebook.Number(x, &digits)
	}
	return notebook.Number(x, nil)
}

// WithUnit appends unit; words that are no unit ("-", "count") are left out.
func WithUnit(s, unit string) string {
	switch unit {
	case "", "-", "count", "ratio":
		return s
	}
	return s + NBSP + unit
}

// Seconds prints a duration that a person waited.
func Seconds(s float64) notebook.Both {
	switch {
	case s < 60:
		return notebook.Bothf("%s"+NBSP+"s", "%s"+NBSP+"秒", Number(s, 1))
	case s < 3600:
		return notebook.Bothf("%d"+NBSP+"min %02d"+NBSP+"s", "%d 分 %02d 秒", int(s)/60, int(s)%60)
	}
	return notebook.Bothf("%d"+NBSP+"h %02d"+NBSP+"min", "%d 小时 %02d 分", int(s)/3600, int(s)/60%60)
}

// Bytes prints a size in binary units.
func Bytes(n int64) string {
	if n >= 1<<30 {
		return Number(float64(n)/(1<<30), 2) + NBSP + "GiB"
	}
	return Number(float64(n)/(1<<20), 0) + NBSP + "MiB"
}

// Raw prints a number with every digit.
func Raw(x any) string {
	switch x := x.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(x)
}

// notAnchor matches letters that no anchor, file name or SVG id may have.
var notAnchor = regexp.MustCompile(`[^a-z0-9]+`)

// Slug turns an id into an anchor, a file name or an SVG id.
func Slug(id string) string {
	return strings.Trim(notAnchor.ReplaceAllString(strings.ToLower(id), "-"), "-")
}
