package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gradsync/experiments/quiz"
	"gradsync/internal/readfile"
)

// quizFlags holds the flags of quiz.
type quizFlags struct {
	seed      uint64
	questions int
	answers   string
	solutions bool
	lang      string
}

func (a *app) quizCommand() *cobra.Command {
	f := &quizFlags{}
	cmd := &cobra.Command{
		Use: "quiz " + strings.Join(quiz.Subjects(), "|"), Short: "Ask small exercises to be solved by hand, and check the answers",
		Long: `Exercises on one document, one after another: type an answer and press Enter.
Right or wrong is said at once, with how the answer follows and the line or
equation that it follows from. At a terminal an empty line, or one that cannot be
read, is asked for again, up to three times. Answers may come from a pipe, one a
line; an empty line is no answer. What is right is computed by the packages that
run the experiments.

A number may be typed as 157.5, 315/2 or 1,200 and with another unit of the same
kind (2.5 ms for 0.0025 s). The same subject and seed give the same questions.

--json prints the questions alone, with --answers what was found of the answers.

Exit codes: 0 all right · 1 none wrong, but a question has no answer · 2 usage ·
3 an answer is wrong.`,
		Example: "  gradsync quiz ring --seed 7\n  gradsync quiz dasp --questions 10 --lang zh\n" +
			"  gradsync quiz codedsgd --seed 12 --answers \"3; 0:0; 20; 8, -8; 15\"\n  gradsync quiz ring --seed 7 --solutions",
		Args: args(1, 1, "one subject: "+strings.Join(quiz.Subjects(), ", ")),
		RunE: func(cmd *cobra.Command, got []string) error { return a.quiz(cmd, got[0], f) },
	}
	s := cmd.Flags()
	s.Uint64Var(&f.seed, "seed", 7, "which questions")
	s.IntVar(&f.questions, "questions", 5, fmt.Sprintf("how many, up to %d", quiz.Most))
	s.StringVar(&f.answers, "answers", "", "check these: \"a;b;c\", a file with one answer a line, or - for standard input")
	s.BoolVar(&f.solutions, "solutions", false, "print the answers with explanations, ask nothing")
	s.StringVar(&f.lang, "lang", string(quiz.English), "en or zh")
	cmd.MarkFlagsMutuallyExclusive("answers", "solutions")
	return cmd
}

// quiz asks the questions, or marks or solves them as the flags say.
func (a *app) quiz(cmd *cobra.Command, subject string, f *quizFlags) error {
	if f.lang != string(quiz.English) && f.lang != string(quiz.Chinese) {
		return usagef("quiz: --lang %q, want en or zh", f.lang)
	}
	questions, err := quiz.Make(subject, f.seed, f.questions)
	if errors.Is(err, quiz.ErrAsked) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	s := &quizSession{out: a.out, subject: subject, seed: f.seed, lang: quiz.Lang(f.lang), questions: questions}
	switch {
	case cmd.Flags().Changed("answers"):
		replies, err := s.replies(f.answers, cmd.InOrStdin())
		if err != nil {
			return err
		}
		s.marked = quiz.MarkAll(questions, replies)
		if a.json {
			err = a.printJSON(s.object(true))
		} else {
			s.printMarked()
		}
		return errors.Join(err, s.verdict(a.err))
	case a.json:
		return a.printJSON(s.object(f.solutions))
	case f.solutions:
		s.printSolutions()
		return nil
	}
	if err := s.ask(cmd.Context(), cmd.InOrStdin(), atTerminal(cmd.InOrStdin())); err != nil {
		return err
	}
	return s.verdict(a.err)
}

// maxAnswers is the size in bytes of the longest file of answers that is read.
const maxAnswers = readfile.MiB

// replies reads what --answers names: a file, standard input or a list.
func (s *quizSession) replies(given string, in io.Reader) ([]string, error) {
	var text []byte
	var err error
	if given == "-" {
		text, err = readfile.From(in, "standard input", maxAnswers)
	} else if text, err = readfile.Limited(given, maxAnswers); err != nil && (strings.Contains(given, ";") || len(s.questions) == 1 && errors.Is(err,
		fs.ErrNotExist)) {
		return s.fitting(strings.Split(given, ";"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("quiz: --answers %q is no file, and no list of %d answers between semicolons", given, len(s.questions))
	}
	if err != nil {
		return nil, fmt.Errorf("quiz: --answers: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(string(text), "\ufeff"), "\n"), "\n")
	if len(text) == 0 {
		lines = nil
	}
	return s.fitting(lines)
}

// fitting refuses more answers than questions; an empty one after the last question does
// not count.
func (s *quizSession) fitting(replies []string) ([]string, error) {
	for i, r := range replies {
		replies[i] = strings.TrimSpace(r)
	}
	for n := len(replies); n > len(s.questions) && replies[n-1] == ""; n-- {
		replies = replies[:n-1]
	}
	if len(replies) > len(s.questions) {
		return nil, usagef("quiz: %d answers to %d questions", len(replies), len(s.questions))
	}
	return replies, nil
}

// quizSession is one quiz while it is asked and marked.
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

// begin writes the quiz's first line.
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

// judged writes the verdict on one answer and explains the right one.
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

// askedAgain bounds how often somebody at a terminal is asked again for an answer that
// could not be read: a slip of the fingers is no wrong answer.
const askedAgain = 3

// atTerminal reports whether in is a terminal, where somebody types.
func atTerminal(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// ask puts the questions one by one and reads a line for each. Where answers are typed, it
// asks again for one that is empty or cannot be read. A question without an answer stays
// open.
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

// unread says on one line what to type if m holds nothing that can be judged.
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

// linesOf reads lines until the input or the context ends; then failed has the reason, nil
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

// verdict returns the session's error, nil if all answers are right. A wrong answer counts
// before a missing one, which is then written to complain.
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

// quizObject is a quiz for --json, in one language.
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

	Reply   *string    `json:"reply,omitempty"`
	Verdict quiz.Grade `json:"verdict,omitempty"`
	Problem string     `json:"problem,omitempty"`

	Answer      string `json:"answer,omitempty"`
	Explanation string `json:"explanation,omitempty"`
	Source      string `json:"source,omitempty"`
}

type quizGiven struct {
	Symbol string `json:"symbol"`
	Value  string `json:"value"`
	Unit   string `json:"unit,omitempty"`
}

// object returns the session for --json, with the answers if solved.
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
