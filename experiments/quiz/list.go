package quiz

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// list is several numbers, or pairs of them written 7:1.
type list struct {
	items   [][]*big.Rat
	ordered bool // else a set: in any order
	like    Text // what an answer looks like
}

// sequence is an answer of numbers in order; like shows one.
func sequence[T int | int32 | int64 | float32](like Text, numbers ...T) list {
	l := list{ordered: true, like: like}
	for _, x := range numbers {
		l.items = append(l.items, []*big.Rat{of(x)})
	}
	return l
}

// set is an answer of numbers in any order.
func set(numbers []int) list {
	l := list{like: both("numbers in any order, as 0, 2, 4; “none” if there is none", "若干个数，顺序不限，例如 0, 2, 4；没有则填“无”")}
	for _, x := range numbers {
		l.items = append(l.items, []*big.Rat{of(x)})
	}
	return l
}

// pairs is an answer of pairs in any order.
func pairs(like Text, of2 [][2]int) list {
	l := list{like: like}
	for _, p := range of2 {
		l.items = append(l.items, []*big.Rat{of(p[0]), of(p[1])})
	}
	return l
}

// of is a number as a rational. It is finite: a float32 of an exercise is a small
// sum of quarters.
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

// choice is an answer in words: one of several.
type choice struct {
	right   int
	choices []Text
}

// oneOf is the answer choices[right].
func oneOf(right int, choices ...Text) choice { return choice{right, choices} }

func (c choice) show(lang Lang) string { return c.choices[c.right].In(lang) }
func (c choice) unit() Text            { return Text{} }

func (c choice) form() Text {
	var en, zh []string
	for _, t := range c.choices {
		en, zh = append(en, t.EN), append(zh, t.ZH)
	}
	return both("one of: %s", "从中选一：%s", Text{strings.Join(en, ", "), strings.Join(zh, ", ")})
}

func (c choice) judge(given string) (bool, Text) {
	text := plain(given)
	for i, t := range c.choices {
		if text == plain(t.EN) || text == plain(t.ZH) {
			return i == c.right, Text{}
		}
	}
	return false, both("“%s” is none of the choices; wanted: %s", "“%s”不在选项之中；应填：%s", shortened(given), c.form())
}
