package notebook

import (
	"math"
	"strconv"
	"strings"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// Number prints x with digits decimals or, if digits is nil, with up to four significant digits and
// no trailing zeros. It uses a true minus sign, a narrow space between thousands from five digits
// on, powers of ten for very large and small numbers (9.4·10⁻⁷), and a dash for NaN.
func Number(x float64, digits *int) string {
	var s string
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case digits != nil:
		s = strconv.FormatFloat(x, 'f', *digits, 64)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		s = strconv.FormatFloat(x, 'f', 0, 64)
	case math.Abs(x) >= 1e-4 && math.Abs(x) < 1e6:
		s = strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(x))))), 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
	default:
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(x, 'e', 3, 64), "e")
		s = powered(strings.TrimRight(strings.TrimRight(mantissa, "0"), "."), power)
	}
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // no −0
	}
	return grouped(strings.Replace(s, "-", "−", 1))
}

// powered writes a mantissa times a power of ten, which has the form that fmt prints, "-07".
func powered(mantissa, power string) string {
	n, _ := strconv.Atoi(power) // fmt's own
	return mantissa + "·10" + raised.Replace(strconv.Itoa(n))
}

// raised writes a power above the line.
var raised = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// grouped puts a narrow space between thousands of the integer part of a plain decimal
// number of five digits and more.
func grouped(s string) string {
	if strings.Contains(s, "·") {
		return s
	}
	sign, rest := "", s
	if after, ok := strings.CutPrefix(rest, "−"); ok {
		sign, rest = "−", after
	}
	whole, fraction, dot := strings.Cut(rest, ".")
	if len(whole) < 5 {
		return s
	}
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(c)
	}
	out := sign + b.String()
	if dot {
		out += "." + fraction
	}
	return out
}

// bracketed prints the ends of a 95 % interval with digits decimals. If digits is nil, both ends get
// the decimals of the larger one: an end near zero would otherwise be printed to a millionth.
func bracketed(ci [2]float64, digits *int) string {
	if digits == nil {
		if far := max(math.Abs(ci[0]), math.Abs(ci[1])); far >= 1e-3 && far < 1e3 && (ci[0] != math.Trunc(ci[0]) || ci[1] != math.Trunc(ci[1])) {
			d := min(max(0, 3-int(math.Floor(math.Log10(far)))), 4)
			digits = &d
		}
	}
	return "[" + Number(ci[0], digits) + ", " + Number(ci[1], digits) + "]"
}

// withUnit appends a unit; words of claims.csv that are no unit are left out.
func withUnit(s, unit string) string {
	switch unit {
	case "", "-", "count", "ratio":
		return s
	}
	return s + nbsp + unit
}
