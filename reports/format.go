package reports

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// number prints x for a reader: digits decimals where digits > 0, else up to
// four significant digits, with a true minus sign and no trailing zeros.
func number(x float64, digits int) string {
	var s string
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case digits > 0:
		s = strconv.FormatFloat(x, 'f', digits, 64)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		s = strconv.FormatFloat(x, 'f', 0, 64)
	case math.Abs(x) >= 1e-3 && math.Abs(x) < 1e6:
		s = strconv.FormatFloat(x, 'f', max(0, 3-int(math.Floor(math.Log10(math.Abs(x))))), 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
	default:
		s = strconv.FormatFloat(x, 'g', 4, 64)
	}
	return groups(strings.Replace(s, "-", "−", 1))
}

// typedPower is a number of up to five digits before the point as a program prints it
// short: "1.384e+04". Codes in hexadecimal have a letter or a digit at either side.
var typedPower = regexp.MustCompile(`(^|[^\w.])(\d(?:\.\d+)?e\+0[1-5])($|[^\w.]|\.($|\D))`)

// unpowered writes out the numbers of a text that have a power of ten for no need.
func unpowered(s string) string {
	return typedPower.ReplaceAllStringFunc(s, func(m string) string {
		part := typedPower.FindStringSubmatch(m)
		x, err := strconv.ParseFloat(part[2], 64)
		if err != nil {
			return m // never: the pattern is a number
		}
		return part[1] + number(x, 0) + part[3]
	})
}

// groups puts a narrow space between thousands of the integer part of a plain
// decimal number of five digits and more.
func groups(s string) string {
	if strings.ContainsAny(s, "e") {
		return s
	}
	sign, rest := "", s
	if after, ok := strings.CutPrefix(rest, "−"); ok {
		sign, rest = "−", after
	}
	whole, frac, dot := strings.Cut(rest, ".")
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
		out += "." + frac
	}
	return out
}

// value prints a claim's number or words; "" for null.
func value(v any, unit string) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		return withUnit(number(x, 0), unit)
	case string:
		return x
	case bool:
		if x {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(v)
}

// withUnit appends unit; words that are no unit ("-", "count") are left out.
func withUnit(s, unit string) string {
	switch unit {
	case "", "-", "count", "ratio":
		return s
	}
	return s + nbsp + unit
}

// interval prints a 95 % interval.
func interval(ci *[2]float64, unit string) string {
	if ci == nil {
		return ""
	}
	// Both ends get the decimals of the larger one: an end near zero would
	// otherwise be printed to a millionth.
	digits := 0
	if far := max(math.Abs(ci[0]), math.Abs(ci[1])); far >= 1e-3 && far < 1e3 && !(ci[0] == math.Trunc(ci[0]) && ci[1] == math.Trunc(ci[1])) {
		digits = max(0, 3-int(math.Floor(math.Log10(far))))
		digits = min(digits, 4)
	}
	return withUnit(number(ci[0], digits)+" … "+number(ci[1], digits), unit)
}

// seconds prints a duration that a person waited.
func seconds(s float64) said {
	switch {
	case s < 60:
		return sayf("%s"+nbsp+"s", "%s"+nbsp+"秒", number(s, 1))
	case s < 3600:
		return sayf("%d"+nbsp+"min %02d"+nbsp+"s", "%d 分 %02d 秒", int(s)/60, int(s)%60)
	}
	return sayf("%d"+nbsp+"h %02d"+nbsp+"min", "%d 小时 %02d 分", int(s)/3600, int(s)/60%60)
}

// bytesOf prints a size in binary units.
func bytesOf(n int64) string {
	if n >= 1<<30 {
		return number(float64(n)/(1<<30), 2) + nbsp + "GiB"
	}
	return number(float64(n)/(1<<20), 0) + nbsp + "MiB"
}
