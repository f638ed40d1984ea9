package quiz

import (
	"fmt"
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

// same is a text that is written alike in both languages: a symbol, a name.
func same(s string) Text { return Text{s, s} }

// sentences are texts one after another.
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

// is is a given without a unit.
func is(symbol string, value any) Given { return Given{Symbol: symbol, Value: fmt.Sprint(value)} }

// in is a given with one.
func in(symbol string, value any, u unit) Given {
	return Given{Symbol: symbol, Value: fmt.Sprint(value), Unit: u.name}
}
