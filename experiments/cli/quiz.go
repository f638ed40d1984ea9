package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gradsync/experiments/quiz"
)

// quizFlags are quiz's.
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
			"  gradsync quiz codedsgd --seed 7 --answers \"0, 2; 315/2; 4:0, 7:1; 2; none\"\n  gradsync quiz ring --seed 7 --solutions",
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

// replies reads what --answers names: a file, standard input or a list.
func (s *quizSession) replies(given string, in io.Reader) ([]string, error) {
	var text []byte
	var err error
	if given == "-" {
		text, err = io.ReadAll(in)
	} else if text, err = os.ReadFile(given); err != nil && (strings.Contains(given, ";") || len(s.questions) == 1 && errors.Is(err, fs.ErrNotExist)) {
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

// fitting refuses more answers than questions; nothing after the last one is no answer.
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
