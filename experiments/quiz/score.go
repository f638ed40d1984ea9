package quiz

import "strings"

// Verdict is what an answer is found to be.
type Verdict string

// The verdicts.
const (
	Right Verdict = "right"
	Wrong Verdict = "wrong"
	Open  Verdict = "open" // not answered
)

// Marked is a question with an answer that was judged.
type Marked struct {
	Question
	Reply   string
	Verdict Verdict
	Problem Text // of a wrong answer that could not be read: what is to be typed
}

// Mark judges a reply; an empty one is no answer.
func Mark(q Question, reply string) Marked {
	if strings.TrimSpace(reply) == "" {
		return Marked{Question: q, Verdict: Open}
	}
	m := Marked{Question: q, Reply: reply, Verdict: Wrong}
	right, problem := q.Judge(reply)
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
