package quiz

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gradsync/experiments/kit"
	"gradsync/papers/codedsgd"
)

// expected is a right answer.
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

// exactly returns a rational answer: exact if it has a decimal form of at most six places, else
// within the tolerance.
func exactly(value *big.Rat, u unit) number {
	return number{value: value, in: u, exact: finite(value)}
}

// whole returns an answer that is counted.
func whole(value int64, u unit) number { return exactly(rat(value, 1), u) }

// about returns an answer that was computed in floating point. It panics on one that is no number:
// a maker draws no such case.
func about(value float64, u unit) number {
	r := new(big.Rat).SetFloat64(value)
	if r == nil {
		panic(fmt.Sprintf("quiz: %v is no answer", value))
	}
	return number{value: r, in: u, binary: true}
}

// fraction returns the quotient of small whole numbers that a float64 stands for, as 1/3; what is
// none is itself.
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

// finite reports whether a number has a short decimal form.
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

// list is several numbers, or pairs of them written 7:1.
type list struct {
	items   [][]*big.Rat
	ordered bool // else a set: in any order
	like    Text // what an answer looks like
}

// sequence returns an answer of numbers in order.
func sequence[T int | int32 | int64 | float32](numbers ...T) list {
	return list{ordered: true, items: kit.Map(numbers, func(x T) []*big.Rat { return []*big.Rat{of(x)} })}
}

// set returns an answer of numbers in any order.
func set(numbers []int) list {
	l := sequence(numbers...)
	l.ordered, l.like = false, both("numbers in any order, as 0, 2, 4; “none” if there is none", "若干个数，顺序不限，例如 0, 2, 4；没有则填“无”")
	return l
}

// pairs returns an answer of terms, block:segment, in any order.
func pairs(terms ...codedsgd.Term) list {
	return list{items: kit.Map(terms, func(t codedsgd.Term) []*big.Rat { return []*big.Rat{of(t.Block), of(t.Position)} })}
}

// of returns a number as a rational. It is finite: a float32 of an exercise is a small sum of
// quarters.
func of[T int | int32 | int64 | float32](x T) *big.Rat {
	r, ok := new(big.Rat).SetString(fmt.Sprint(x))
	if !ok {
		panic(fmt.Sprintf("quiz: %v is no answer", x))
	}
	return r
}

// emptySets are how a set of nothing may be typed.
var emptySets = []string{"none", "no one", "nobody", "nothing", "-", "∅", "{}", "{ }", "[]", "无", "没有", "空", "空集"}

func (l list) show(lang Lang) string {
	if len(l.items) == 0 {
		return Text{"none", "无"}.In(lang)
	}
	var out []string
	for _, item := range l.items {
		var parts []string
		for _, x := range item {
			parts = append(parts, decimal(x))
		}
		out = append(out, strings.Join(parts, ":"))
	}
	return strings.Join(out, ", ")
}

func (l list) unit() Text { return Text{} }
func (l list) form() Text { return l.like }

func (l list) judge(given string) (bool, Text) {
	got, ok := readList(given)
	if !ok {
		return false, both("“%s” could not be read; wanted: %s", "“%s”无法识别；应填：%s", shortened(given), l.form())
	}
	want := slices.Clone(l.items)
	if !l.ordered {
		slices.SortFunc(want, compare)
		slices.SortFunc(got, compare)
	}
	return slices.EqualFunc(want, got, func(a, b []*big.Rat) bool { return compare(a, b) == 0 }), Text{}
}

func compare(a, b []*big.Rat) int { return slices.CompareFunc(a, b, (*big.Rat).Cmp) }

var (
	brackets = strings.NewReplacer("{", " ", "}", " ", "[", " ", "]", " ", "(", " ", ")", " ", ",", " ", ";", " ")
	colon    = regexp.MustCompile(` *: *`)
)

// readList reads numbers and pairs between commas, spaces or semicolons, in
// brackets or not.
func readList(given string) (items [][]*big.Rat, ok bool) {
	text := plain(given)
	if text == "" || len(given) > longest {
		return nil, false
	}
	if slices.Contains(emptySets, text) {
		return nil, true
	}
	text = colon.ReplaceAllString(brackets.Replace(text), ":")
	for _, field := range strings.Fields(text) {
		var item []*big.Rat
		for part := range strings.SplitSeq(field, ":") {
			x, word, ok := readNumber(part)
			if !ok || word != "" {
				return nil, false
			}
			item = append(item, x)
		}
		items = append(items, item)
	}
	return items, true
}

// multipleChoice is an answer in words: one of several.
type multipleChoice struct {
	right   int
	choices []Text
}

// oneOf returns the answer choices[right].
func oneOf(right int, choices ...Text) multipleChoice { return multipleChoice{right, choices} }

func (c multipleChoice) show(lang Lang) string { return c.choices[c.right].In(lang) }
func (c multipleChoice) unit() Text            { return Text{} }

func (c multipleChoice) form() Text {
	var en, zh []string
	for _, t := range c.choices {
		en, zh = append(en, t.EN), append(zh, t.ZH)
	}
	return both("one of: %s", "从中选一：%s", Text{strings.Join(en, ", "), strings.Join(zh, ", ")})
}

func (c multipleChoice) judge(given string) (bool, Text) {
	text := plain(given)
	for i, t := range c.choices {
		if text == plain(t.EN) || text == plain(t.ZH) {
			return i == c.right, Text{}
		}
	}
	return false, both("“%s” is none of the choices; wanted: %s", "“%s”不在选项之中；应填：%s", shortened(given), c.form())
}

// unit holds what a number is asked in, and what other units it may be given in.
type unit struct {
	name  Text
	words map[string]*big.Rat // lower case: how many of the unit asked for
}

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// units of time by name, in nanoseconds, and of data, in bytes.
var (
	times = map[string]*big.Rat{"ns": rat(1, 1), "纳秒": rat(1, 1), "µs": rat(1e3, 1), "us": rat(1e3, 1), "μs": rat(1e3, 1), "微秒": rat(1e3, 1),
		"ms": rat(1e6, 1), "毫秒": rat(1e6, 1),
		"s": rat(1e9, 1), "sec": rat(1e9, 1), "second": rat(1e9, 1), "seconds": rat(1e9, 1), "秒": rat(1e9, 1)}
	data = map[string]*big.Rat{"b": rat(1, 1), "byte": rat(1, 1), "bytes": rat(1, 1), "字节": rat(1, 1), "kb": rat(1e3, 1), "mb": rat(1e6, 1), "gb": rat(1e9, 1),
		"kib": rat(1<<10, 1), "mib": rat(1<<20, 1), "gib": rat(1<<30, 1)}
)

// units are the names of units in both languages, by the English one.
var units = map[string]Text{"s": seconds.name, "ms": milliseconds.name, "bytes": bytes.name, "bytes/s": {"bytes/s", "字节/秒"}}

// The units that questions ask for.
var (
	none         = unit{}
	seconds      = unit{Text{"s", "秒"}, per(times, 1e9)}
	milliseconds = unit{Text{"ms", "毫秒"}, per(times, 1e6)}
	bytes        = unit{Text{"bytes", "字节"}, data}
	share        = unit{Text{}, map[string]*big.Rat{"%": rat(1, 100)}}
	gradients    = counted("gradient", "梯度")
	blocks       = counted("block", "块")
	packets      = counted("packet", "数据包")
	groups       = counted("group", "组")
)

// per returns the units of a table in multiples of base of its base unit.
func per(table map[string]*big.Rat, base int64) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for word, size := range table {
		out[word] = new(big.Rat).Quo(size, rat(base, 1))
	}
	return out
}

// counted returns the unit of things that are counted.
func counted(en, zh string) unit {
	one := rat(1, 1)
	return unit{Text{en + "s", zh}, map[string]*big.Rat{en: one, en + "s": one, zh: one, "个" + zh: one, "个": one}}
}

// factor returns how many of the unit one of the word is; nil: the word is none of its units. No
// word is the unit itself.
func (u unit) factor(word string) *big.Rat {
	if word == "" {
		return rat(1, 1)
	}
	return u.words[strings.ToLower(word)]
}

// longest is the most bytes of an answer that is read.
const longest = 1000

// typed maps what is typed to the characters that answers are made of: full-width ones of a
// Chinese keyboard, and signs that a text copied from a page has.
var typed = strings.NewReplacer("−", "-", "–", "-", "－", "-", "＋", "+", "／", "/", "．", ".", "。", "", "，", ",", "、", ",", "；", ";", "：", ":", "％", "%",
	"（", "(", "）", ")", "［", "[", "］", "]", "｛", "{", "｝", "}", "\u3000", " ", "\u00a0", " ", "\u202f", " ", "→", " ", "->", " ",
	"０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")

// plain returns an answer in lower case, with single spaces and ASCII's signs.
func plain(given string) string {
	return strings.ToLower(strings.Join(strings.Fields(typed.Replace(given)), " "))
}

// shortened returns an answer as a message quotes it.
func shortened(given string) string {
	r := []rune(strings.TrimSpace(given))
	if len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return string(r)
}
