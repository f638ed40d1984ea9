package quiz

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/template"
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

// listed writes numbers as "[1, 2, 3]".
func listed(items any) string { return "[" + joined(items) + "]" }

// setOf writes numbers as "{1, 2, 3}".
func setOf(items any) string { return "{" + joined(items) + "}" }

// joined writes a list of numbers, or of words without spaces.
func joined(items any) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(items), "[]"), " ", ", ")
}

// facts holds what a question's texts say, by name.
type facts map[string]any

// variant is the fact that tells the template of a kind that has several: "codedsgd.load ratio".
const variant = "variant"

//go:embed questions.tmpl
var questions string

var templates = template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b }, "list": listed, "set": setOf, "round": rounded, "near": near, "decimal": decimal,
	"fraction": func(x float64) string { return decimal(fraction(x)) }, "bracket": bracketed, "ms": ms, "times": allMs,
}).Parse(questions))

// tell fills in the texts of a question's kind. questions.tmpl says what its lines are.
func (q *Question) tell(says facts) {
	name := q.Key
	if v, some := says[variant]; some {
		name += fmt.Sprint(" ", v)
	}
	var all strings.Builder
	if err := templates.ExecuteTemplate(&all, name, says); err != nil {
		panic(err)
	}
	var like Text
	parts := map[string]*Text{"text": &q.Text, "why": &q.Why, "source": &q.Source, "like": &like}
	for line := range strings.Lines(all.String()) {
		part, said, _ := strings.Cut(strings.TrimSpace(line), ": ")
		part, zh := strings.CutSuffix(part, ".zh")
		switch text := parts[part]; {
		case part == "given":
			symbol, value, _ := strings.Cut(said, " = ")
			value, name, _ := strings.Cut(value, " | ")
			q.Given = append(q.Given, Given{symbol, value, units[name]})
		case zh:
			text.ZH += said
		case part != "":
			text.EN = strings.TrimSpace(text.EN + " " + said)
		}
	}
	if l, ok := q.want.(list); ok && like != (Text{}) {
		l.like = like
		q.want = l
	}
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
