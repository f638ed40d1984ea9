package quiz

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// expected is what a right answer is.
type expected interface {
	show(lang Lang) string
	form() Text
	unit() Text
	judge(given string) (right bool, problem Text)
}

// tolerance is how far from a value without a short decimal form an answer may be,
// of the value.
var tolerance = rat(1, 1000)

// number is one number. An exact one must be met exactly, any other within the
// tolerance.
type number struct {
	value  *big.Rat
	in     unit
	exact  bool
	binary bool // computed in floating point
}

// exactly is a rational answer: exact if it has a decimal form of at most six
// places, else within the tolerance.
func exactly(value *big.Rat, u unit) number {
	return number{value: value, in: u, exact: finite(value)}
}

// whole is an answer that is counted.
func whole(value int64, u unit) number { return exactly(rat(value, 1), u) }

// about is an answer that was computed in floating point. It panics on one that is
// no number: a maker draws no such case.
func about(value float64, u unit) number {
	r := new(big.Rat).SetFloat64(value)
	if r == nil {
		panic(fmt.Sprintf("quiz: %v is no answer", value))
	}
	return number{value: r, in: u, binary: true}
}

// fraction is the quotient of small whole numbers that a float64 stands for, as 1/3;
// what is none is itself.
func fraction(x float64) *big.Rat {
	for q := int64(1); q <= 64; q++ {
		if p := math.Round(x * float64(q)); math.Abs(x*float64(q)-p) < 1e-12 {
			return rat(int64(p), q)
		}
	}
	return about(x, none).value
}

// places is the length of a decimal form that is still asked for exactly.
const places = 6

// finite reports whether a number has a decimal form of at most so many places.
func finite(r *big.Rat) bool {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(places), nil)
	return new(big.Rat).Mul(r, new(big.Rat).SetInt(scale)).IsInt()
}

// decimal writes a number as whoever solves it by hand would: 12, 157.5, 1/3.
func decimal(r *big.Rat) string {
	switch {
	case r.IsInt():
		return r.Num().String()
	case finite(r):
		return strings.TrimRight(r.FloatString(places), "0")
	}
	return r.RatString()
}

// near writes a number as decimal does, and beside a quotient what it is about.
func near(r *big.Rat) string {
	if finite(r) {
		return decimal(r)
	}
	f, _ := r.Float64()
	return decimal(r) + " ≈ " + rounded(f)
}

// rounded writes a number that was computed in floating point to six digits.
func rounded(x float64) string {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', 6, 64))
	if !ok {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return decimal(r)
}

func (n number) show(Lang) string {
	if n.binary {
		f, _ := n.value.Float64()
		return rounded(f)
	}
	return decimal(n.value)
}

func (n number) unit() Text { return n.in.name }

func (n number) form() Text {
	kind := both("a number", "一个数")
	if n.in.name != (Text{}) {
		kind = both("a number of %s", "一个数，单位：%s", n.in.name)
	}
	if n.value.IsInt() && n.exact {
		return kind
	}
	if n.exact {
		return both("%s, exact: 2.5 or 5/2", "%s，须精确：2.5 或 5/2", kind)
	}
	return both("%s, right within 0.1 %%: 0.333 or 1/3", "%s，误差在 0.1 %% 以内：0.333 或 1/3", kind)
}

func (n number) judge(given string) (bool, Text) {
	value, word, ok := readNumber(given)
	if !ok {
		return false, both("“%s” is no number; wanted: %s", "“%s”不是数；应填：%s", shortened(given), n.form())
	}
	factor := n.in.factor(word)
	if factor == nil {
		return false, both("“%s” is no unit of this answer; wanted: %s", "“%s”不是本题的单位；应填：%s", shortened(word), n.form())
	}
	value.Mul(value, factor)
	if n.exact {
		return value.Cmp(n.value) == 0, Text{}
	}
	off := new(big.Rat).Sub(value, n.value)
	most := new(big.Rat).Mul(tolerance, n.value)
	return off.Abs(off).Cmp(most.Abs(most)) <= 0, Text{}
}

// written is a number, or a quotient of two, and what stands behind it.
var written = regexp.MustCompile(`^([+-]?)((?:\d{1,3}(?: \d{3})+|\d[\d,]*)(?:\.\d*)?|\.\d+)(e[+-]?\d{1,2})? ?(?:/ ?(\d+(?:\.\d*)?|\.\d+))? ?([^\d\s].*)?$`)

// grouped is a number with commas between its thousands.
var grouped = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d*)?$`)

// readNumber reads 157.5, 315/2, 1.575e2 or 1,200, and the word behind it.
func readNumber(given string) (value *big.Rat, word string, ok bool) {
	m := written.FindStringSubmatch(plain(given))
	if m == nil || len(given) > longest {
		return nil, "", false
	}
	digits := strings.ReplaceAll(m[2], " ", "")
	if strings.Contains(digits, ",") {
		if !grouped.MatchString(digits) {
			return nil, "", false
		}
		digits = strings.ReplaceAll(digits, ",", "")
	}
	value, ok = new(big.Rat).SetString(m[1] + digits + m[3])
	if !ok {
		return nil, "", false
	}
	if m[4] != "" {
		below, ok := new(big.Rat).SetString(m[4])
		if !ok || below.Sign() == 0 {
			return nil, "", false
		}
		value.Quo(value, below)
	}
	return value, strings.TrimSpace(m[5]), true
}
