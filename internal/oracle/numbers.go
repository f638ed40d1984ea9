package main

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gradsync/experiments/result"
)

// canon prints a number as results do, with 9 significant digits.
func canon(x float64) string {
	if x == 0 {
		return "0" // no −0
	}
	return strconv.FormatFloat(x, 'g', 9, 64)
}

// flatten returns the numbers in v at any depth.
func flatten(v any) (out []float64) {
	switch x := v.(type) {
	case float64:
		return []float64{x}
	case int:
		return []float64{float64(x)}
	case []float64:
		return x
	case []any:
		for _, y := range x {
			out = append(out, flatten(y)...)
		}
	case map[string]any:
		for _, y := range x {
			out = append(out, flatten(y)...)
		}
	case *[2]float64:
		if x != nil {
			return x[:]
		}
	case string:
		for _, n := range numbersIn(x) {
			out = append(out, n.value)
		}
	}
	return out
}

// shown is a number as a text shows it.
type shown struct {
	text    string
	value   float64
	half    float64 // of its last digit
	digits  int     // significant ones
	percent bool    // % stands behind it
}

var (
	digitsInText = regexp.MustCompile(`\d+(?:[,\x{202f}\x{2009}]\d{3})*(?:\.\d+)?(?:e[-−+]?\d+|[\s\x{a0}]?[·×][\s\x{a0}]?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?`)
	// names hold digits that are no measured numbers.
	names = regexp.MustCompile(`(?i)(?:\b(?:tables?|figs?\.?|figures?|alg\.|algorithms?|lines?|eqs?\.?|equations?|sections?|claims?)|§)[\s\x{a0}]*` +
		`\d[\d.]*(?:(?:–|-| and |, | to )\d[\d.]*)*|\(\d{1,2}\)|Deep Speech[\s\x{a0}]2|95[\s\x{a0}\x{202f}]*%(?: interval)?`)
)

// numbersIn returns the numbers of a text, without those that belong to a name, such as
// ResNet-18, S51, N−1, Table 6 or the equation (19), and without powers of bare tens.
func numbersIn(s string) (out []shown) {
	s = names.ReplaceAllString(s, " ")
	for _, at := range digitsInText.FindAllStringIndex(s, -1) {
		text, before, after := s[at[0]:at[1]], s[:at[0]], s[at[1]:]
		if named(before) || digest.MatchString(after) && hexadecimal(text+after) || powered(after) {
			continue
		}
		n, ok := parse(text)
		if !ok {
			continue
		}
		n.percent = strings.HasPrefix(strings.TrimLeft(after, " \u00a0\u202f"), "%")
		out = append(out, n)
	}
	return out
}

// powered tells whether a text begins with a power.
func powered(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", r)
}

// named tells whether a number behind this text belongs to a name.
func named(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	if last == '-' || last == '−' {
		last, _ = utf8.DecodeLastRuneInString(before[:len(before)-size])
	}
	return unicode.IsLetter(last) || strings.ContainsRune("_′.", last) && size > 0
}

// raised makes digits of those of a power.
var raised = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// digest begins what follows the digits of a hash.
var digest = regexp.MustCompile(`^[0-9a-f]*[a-f]`)

// hexadecimal tells whether a text begins with a hash of at least 8 letters.
func hexadecimal(s string) bool {
	n := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	if n < 0 {
		n = len(s)
	}
	return n >= 8
}

func parse(text string) (n shown, ok bool) {
	n.text = text
	plain := strings.NewReplacer(",", "", "\u202f", "", "\u2009", "", "−", "-").Replace(text)
	if at := strings.IndexAny(plain, "·×"); at >= 0 { // 8.3·10⁻³
		plain = strings.TrimRight(plain[:at], " \u00a0") + "e" + raised.Replace(plain[strings.Index(plain[at:], "10")+at+2:])
	}
	mantissa, exponent, _ := strings.Cut(plain, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	power := 0
	if exponent != "" {
		power, _ = strconv.Atoi(exponent)
	}
	n.half = math.Pow(10, float64(power-len(fraction))) / 2
	n.digits = len(strings.TrimLeft(whole+fraction, "0"))
	var err error
	n.value, err = strconv.ParseFloat(plain, 64)
	return n, err == nil
}

// pool is a set of numbers to find others in, without their signs.
type pool struct {
	exact []float64 // sorted
	texts []shown
}

func newPool(xs []float64, texts ...string) *pool {
	p := &pool{}
	for _, x := range xs {
		p.exact = append(p.exact, math.Abs(x))
	}
	sort.Float64s(p.exact)
	for _, s := range texts {
		p.texts = append(p.texts, numbersIn(s)...)
	}
	slices.SortFunc(p.texts, func(a, b shown) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	return p
}

// has tells whether p holds a number that prints as n, or a text that shows it with
// fewer digits, at least two. A share may stand for its per cent.
func (p *pool) has(n shown) bool {
	if p.within(n.value, n.half) || n.percent && p.within(n.value/100, n.half/100) {
		return true
	}
	for _, t := range p.texts {
		half := n.half
		if t.digits >= 2 {
			half = max(half, t.half)
		}
		if near(t.value, n.value, half) {
			return true
		}
	}
	return false
}

func near(a, b, half float64) bool { return math.Abs(a-b) <= half*(1+1e-6)+1e-9*math.Abs(b) }

func (p *pool) within(x, half float64) bool {
	i := sort.SearchFloat64s(p.exact, x-half*(1+1e-6)-1e-9*x)
	return i < len(p.exact) && near(p.exact[i], x, half)
}

// everything returns all numbers of a result's data: facts, frames and claims.
func everything(r *result.Result) (out []float64) {
	for _, f := range facts(r).rows {
		out = append(out, f.list...)
	}
	for _, f := range frames(r) {
		for _, row := range f.rows {
			out = append(out, row.list...)
		}
	}
	for _, c := range r.Claims {
		out = append(out, claimNumbers(c)...)
	}
	return out
}
