// Package quiz makes small exercises on the four documents, to be solved by hand,
// and judges what is answered. What is right is computed by the packages that the
// exercise is about (papers/…, collective, cluster/formula, codec), by the same
// code that the experiments run: the quiz knows no rule of its own. questions.tmpl has all
// texts; a maker draws the numbers that they say.
package quiz

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	document "gradsync/experiments/paper"
	"gradsync/shared/cluster"
)

// Question is one exercise.
type Question struct {
	Key    string // subject and kind: "ring.sends"
	Text   Text
	Given  []Given
	Why    Text // how the answer follows
	Source Text // the sentence, equation or line of the document that it follows from
	want   expected
}

// Given is a number, or a list of numbers, that the question's text calls Symbol.
type Given struct {
	Symbol, Value string
	Unit          Text
}

// maker makes one kind of question from a stream of random numbers: the right answer, and what the texts say.
type maker struct {
	key  string
	make func(d draw) (expected, facts)
}

// makers are the kinds of questions on each document, by its key.
var makers = map[string][]maker{"ring": ringMakers, "ringsparse": sparseMakers, "dasp": daspMakers, "codedsgd": codedMakers}

// Subjects returns the names that Make knows, in the order of the index.
func Subjects() (names []string) {
	for _, p := range document.Indexed() {
		if len(makers[p.Key]) > 0 {
			names = append(names, p.Key)
		}
	}
	return names
}

// ErrAsked is a quiz that was asked for and that there cannot be: a matter of usage.
var ErrAsked = errors.New("quiz")

// Most is the largest number of questions of one quiz.
const Most = 100

// redraws bounds how often a question is drawn anew because the quiz has it already.
const redraws = 50

// Make returns n questions on a subject. The same subject and seed give the same
// questions, and a longer quiz begins with the questions of a shorter one. No kind
// comes back before all kinds of the subject were asked.
func Make(name string, seed uint64, n int) ([]Question, error) {
	kinds := makers[name]
	if len(kinds) == 0 {
		return nil, fmt.Errorf("%w: no subject %q: known are %s", ErrAsked, name, strings.Join(Subjects(), ", "))
	}
	if n < 1 || n > Most {
		return nil, fmt.Errorf("%w: %d questions, want 1 to %d", ErrAsked, n, Most)
	}
	order := cluster.Stream(seed, 0, "quiz "+name, "order").Perm(len(kinds))
	var out []Question
	for k := range n {
		m := kinds[order[k%len(order)]]
		d := draw{cluster.Stream(seed, k, "quiz "+name, m.key)}
		q := m.ask(d)
		for again := 0; again < redraws && asked(out, q); again++ {
			q = m.ask(d)
		}
		out = append(out, q)
	}
	return out, nil
}

// ask makes a question.
func (m maker) ask(d draw) Question {
	want, says := m.make(d)
	q := Question{Key: m.key, want: want}
	q.tell(says)
	return q
}

// asked reports whether a quiz has the very question already.
func asked(quiz []Question, q Question) bool {
	return slices.ContainsFunc(quiz, func(o Question) bool { return o.Text == q.Text && slices.Equal(o.Given, q.Given) })
}

// Answer returns the right answer as it may be typed.
func (q Question) Answer(lang Lang) string { return q.want.show(lang) }

// Form reports how an answer is to be typed, and when one counts as right.
func (q Question) Form() Text { return q.want.form() }

// Unit returns what the answer is counted in, "" if it has none.
func (q Question) Unit() Text { return q.want.unit() }

// judge reports whether an answer is right. One that could not be read is wrong, and problem says
// what is to be typed; else problem is empty.
func (q Question) judge(given string) (right bool, problem Text) { return q.want.judge(given) }

// Grade says how an answer is judged.
type Grade string

// The grades.
const (
	Right Grade = "right"
	Wrong Grade = "wrong"
	Open  Grade = "open" // not answered
)

// Marked is a question with an answer that was judged.
type Marked struct {
	Question
	Reply   string
	Verdict Grade
	Problem Text // of a wrong answer that could not be read: what is to be typed
}

// Mark judges a reply; an empty one is no answer.
func Mark(q Question, reply string) Marked {
	if strings.TrimSpace(reply) == "" {
		return Marked{Question: q, Verdict: Open}
	}
	m := Marked{Question: q, Reply: reply, Verdict: Wrong}
	right, problem := q.judge(reply)
	if right {
		m.Verdict = Right
	}
	m.Problem = problem
	return m
}

// MarkAll judges one reply per question, in order; questions without one are open.
func MarkAll(questions []Question, replies []string) (all []Marked) {
	for i, q := range questions {
		if i < len(replies) {
			all = append(all, Mark(q, replies[i]))
		} else {
			all = append(all, Marked{Question: q, Verdict: Open})
		}
	}
	return all
}

// Score counts verdicts.
type Score struct{ Right, Wrong, Open int }

// ScoreOf counts the verdicts of a quiz.
func ScoreOf(all []Marked) (s Score) {
	for _, m := range all {
		switch m.Verdict {
		case Right:
			s.Right++
		case Wrong:
			s.Wrong++
		case Open:
			s.Open++
		}
	}
	return s
}
