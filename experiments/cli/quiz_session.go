package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gradsync/experiments/quiz"
)

// quizSession is one quiz as it is asked and marked.
type quizSession struct {
	out       io.Writer
	subject   string
	seed      uint64
	lang      quiz.Lang
	questions []quiz.Question
	marked    []quiz.Marked
}

// say writes one line in the session's language.
func (s *quizSession) say(en, zh string, args ...any) {
	fmt.Fprintf(s.out, quiz.Text{EN: en, ZH: zh}.In(s.lang)+"\n", args...)
}

// begin writes what quiz it is.
func (s *quizSession) begin() {
	s.say("Quiz %s, seed %d. Questions: %d.", "测验 %s，种子 %d，共 %d 题。", s.subject, s.seed, len(s.questions))
}

// print writes question i: its text, its numbers, the form of an answer.
func (s *quizSession) print(i int) {
	q := s.questions[i]
	fmt.Fprintf(s.out, "\n%d/%d  %s\n", i+1, len(s.questions), q.Text.In(s.lang))
	var given []string
	for _, g := range q.Given {
		given = append(given, strings.TrimSpace(fmt.Sprintf("%s = %s %s", g.Symbol, g.Value, g.Unit.In(s.lang))))
	}
	fmt.Fprintf(s.out, "     %s\n", strings.Join(given, "   "))
	s.say("     Answer: %s", "     作答：%s", q.Form().In(s.lang))
}

// explain writes the answer and how it follows.
func (s *quizSession) explain(q quiz.Question) {
	s.say("     The answer is %s", "     答案是 %s", strings.TrimSpace(q.Answer(s.lang)+" "+q.Unit().In(s.lang)))
	fmt.Fprintf(s.out, "     %s [%s]\n", q.Why.In(s.lang), q.Source.In(s.lang))
}

// judged writes what was found of one answer.
func (s *quizSession) judged(m quiz.Marked) {
	switch m.Verdict {
	case quiz.Right:
		s.say("     Right.", "     正确。")
	case quiz.Open:
		s.say("     Not answered.", "     未作答。")
	case quiz.Wrong:
		s.say("     Wrong.", "     错误。")
		if problem := m.Problem.In(s.lang); problem != "" {
			fmt.Fprintf(s.out, "     %s\n", problem)
		}
	}
	s.explain(m.Question)
}

// askedAgain is how often somebody at a terminal is asked again for an answer that
// could not be read: a slip of the fingers is no wrong answer.
const askedAgain = 3

// atTerminal reports whether somebody types what in holds.
func atTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// ask puts the questions one by one and reads a line for each; where it is typed, a
// few more if nothing was answered or it could not be read. What the input does not
// answer stays open.
func (s *quizSession) ask(ctx context.Context, in io.Reader, typed bool) error {
	s.begin()
	lines, failed := linesOf(ctx, in)
	for i, q := range s.questions {
		s.print(i)
		var m quiz.Marked
		for again := 0; ; again++ {
			reply, ok, err := s.read(ctx, lines, failed)
			if !ok {
				fmt.Fprintln(s.out)
				s.marked = append(s.marked, quiz.MarkAll(s.questions[i:], nil)...)
				s.printScore()
				if err != nil {
					return fmt.Errorf("quiz: after %d of %d answers: %w", i, len(s.questions), err)
				}
				return nil
			}
			if !typed { // nobody else echoes it
				fmt.Fprintln(s.out, reply)
			}
			m = quiz.Mark(q, reply)
			if !typed || again == askedAgain || !s.unread(m) {
				break
			}
		}
		s.marked = append(s.marked, m)
		s.judged(m)
	}
	s.printScore()
	return nil
}

// read waits for the next line; without one, err says why, nil at the input's end.
func (s *quizSession) read(ctx context.Context, lines chan string, failed chan error) (reply string, ok bool, err error) {
	fmt.Fprint(s.out, "   > ")
	select {
	case <-ctx.Done():
		return "", false, errors.New("interrupted")
	case reply, ok = <-lines:
		if !ok {
			err = <-failed
		}
	}
	return reply, ok, err
}

// unread says in one line what is to be typed, if m holds nothing that can be judged.
func (s *quizSession) unread(m quiz.Marked) bool {
	switch {
	case m.Verdict == quiz.Open:
		s.say("     Nothing was typed; wanted: %s", "     没有输入；应填：%s", m.Form().In(s.lang))
	case m.Problem != quiz.Text{}:
		fmt.Fprintf(s.out, "     %s\n", m.Problem.In(s.lang))
	default:
		return false
	}
	return true
}

// linesOf reads lines until the input or the context ends; then failed has why, nil
// at the input's end. A read that blocks must not keep Ctrl-C from ending the quiz.
func linesOf(ctx context.Context, in io.Reader) (lines chan string, failed chan error) {
	lines, failed = make(chan string), make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(in)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		failed <- scanner.Err()
		close(lines)
	}()
	return lines, failed
}

func (s *quizSession) printMarked() {
	s.begin()
	for i, m := range s.marked {
		s.print(i)
		if m.Verdict != quiz.Open {
			fmt.Fprintf(s.out, "   > %s\n", strings.TrimSpace(m.Reply))
		}
		s.judged(m)
	}
	s.printScore()
}

func (s *quizSession) printSolutions() {
	s.begin()
	for i, q := range s.questions {
		s.print(i)
		s.explain(q)
	}
}

func (s *quizSession) printScore() {
	score := quiz.ScoreOf(s.marked)
	s.say("\n%d of %d right, %d wrong, %d open.", "\n%d/%d 正确，%d 错误，%d 未作答。", score.Right, len(s.questions), score.Wrong, score.Open)
}

// verdict is the session's error, nil if all answers are right. A wrong answer counts
// before a missing one, which complain then hears of.
func (s *quizSession) verdict(complain io.Writer) error {
	score := quiz.ScoreOf(s.marked)
	var open error
	if score.Open > 0 {
		open = fmt.Errorf("quiz: no answer to %d of %d questions", score.Open, len(s.marked))
	}
	if score.Wrong == 0 {
		return open
	}
	if open != nil {
		fmt.Fprintf(complain, "gradsync: %v, and %d wrong\n", open, score.Wrong)
	}
	return errDiffer
}
