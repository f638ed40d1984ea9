package cli

import "gradsync/experiments/quiz"

// quizObject is a quiz as scripts see it, in one language.
type quizObject struct {
	Subject   string         `json:"subject"`
	Seed      uint64         `json:"seed"`
	Lang      quiz.Lang      `json:"lang"`
	Questions []quizQuestion `json:"questions"`
	Score     *quizScore     `json:"score,omitempty"` // of answers that were checked
}

type quizScore struct {
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	Open  int `json:"open"`
}

type quizQuestion struct {
	Number int         `json:"number"`
	Key    string      `json:"key"`
	Text   string      `json:"text"`
	Given  []quizGiven `json:"given"`
	Form   string      `json:"form"`
	Unit   string      `json:"unit,omitempty"`

	Reply   *string      `json:"reply,omitempty"`
	Verdict quiz.Verdict `json:"verdict,omitempty"`
	Problem string       `json:"problem,omitempty"`

	Answer      string `json:"answer,omitempty"`
	Explanation string `json:"explanation,omitempty"`
	Source      string `json:"source,omitempty"`
}

type quizGiven struct {
	Symbol string `json:"symbol"`
	Value  string `json:"value"`
	Unit   string `json:"unit,omitempty"`
}

// object is the session for --json, with the answers if solved.
func (s *quizSession) object(solved bool) quizObject {
	o := quizObject{Subject: s.subject, Seed: s.seed, Lang: s.lang}
	for i, q := range s.questions {
		x := quizQuestion{Number: i + 1, Key: q.Key, Text: q.Text.In(s.lang), Form: q.Form().In(s.lang), Unit: q.Unit().In(s.lang)}
		for _, g := range q.Given {
			x.Given = append(x.Given, quizGiven{g.Symbol, g.Value, g.Unit.In(s.lang)})
		}
		if i < len(s.marked) {
			m := s.marked[i]
			x.Verdict, x.Problem = m.Verdict, m.Problem.In(s.lang)
			if m.Verdict != quiz.Open {
				x.Reply = &m.Reply
			}
		}
		if solved {
			x.Answer, x.Explanation, x.Source = q.Answer(s.lang), q.Why.In(s.lang), q.Source.In(s.lang)
		}
		o.Questions = append(o.Questions, x)
	}
	if s.marked != nil {
		score := quiz.ScoreOf(s.marked)
		o.Score = &quizScore{score.Right, score.Wrong, score.Open}
	}
	return o
}
