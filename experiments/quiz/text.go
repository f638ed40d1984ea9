package quiz

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Lang is a language that questions are asked in.
type Lang string

// The languages.
const (
	English Lang = "en"
	Chinese Lang = "zh"
)

// Text is a text in both languages.
type Text struct{ EN, ZH string }

// In returns the text in one language.
func (t Text) In(lang Lang) string {
	if lang == Chinese {
		return t.ZH
	}
	return t.EN
}

// both fills one list of arguments into a format of either language, so that both
// say the same numbers. An argument that is a Text is filled in in that language.
func both(en, zh string, args ...any) Text {
	fill := func(format string, lang Lang) string {
		said := make([]any, len(args))
		for i, a := range args {
			if t, ok := a.(Text); ok {
				a = t.In(lang)
			}
			said[i] = a
		}
		return fmt.Sprintf(format, said...)
	}
	return Text{fill(en, English), fill(zh, Chinese)}
}

// same returns a text that is written alike in both languages: a symbol, a name.
func same(s string) Text { return Text{s, s} }

// sentences returns texts one after another.
func sentences(parts ...Text) Text {
	var en, zh []string
	for _, p := range parts {
		en, zh = append(en, p.EN), append(zh, p.ZH)
	}
	return Text{strings.Join(en, " "), strings.Join(zh, "")}
}

// listed writes numbers as "[1, 2, 3]".
func listed[T any](items []T) string { return "[" + joined(items) + "]" }

// setOf writes numbers as "{1, 2, 3}".
func setOf[T any](items []T) string { return "{" + joined(items) + "}" }

func joined[T any](items []T) string {
	var out []string
	for _, x := range items {
		out = append(out, fmt.Sprint(x))
	}
	return strings.Join(out, ", ")
}

// is returns a given without a unit.
func is(symbol string, value any) Given { return Given{Symbol: symbol, Value: fmt.Sprint(value)} }

// in returns a given with one.
func in(symbol string, value any, u unit) Given {
	return Given{Symbol: symbol, Value: fmt.Sprint(value), Unit: u.name}
}

// draw is the stream of random numbers of one question.
type draw struct{ *rand.Rand }

// from draws a whole number from lo to hi, both included.
func (d draw) from(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// coin returns true half of the time.
func (d draw) coin() bool { return d.IntN(2) == 1 }

// pick draws one of the items.
func pick[T any](d draw, items ...T) T { return items[d.IntN(len(items))] }

// members draws how many of the numbers 0 … n−1, ascending.
func (d draw) members(n, many int) (out []int) {
	for i := range n {
		if d.IntN(n-i) < many-len(out) {
			out = append(out, i)
		}
	}
	return out
}

// small draws a vector of n whole numbers from −9 to 9.
func (d draw) small(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(d.from(-9, 9))
	}
	return x
}

// sparse draws a vector of n numbers, nonzero of them not 0, each of 1 … 9 in quarters and halves
// or whole.
func (d draw) sparse(n, nonzero int) []float32 {
	x := make([]float32, n)
	for _, i := range d.members(n, nonzero) {
		x[i] = float32(d.from(1, 9)) * pick[float32](d, 1, -1, 0.5, 0.25)
	}
	return x
}
