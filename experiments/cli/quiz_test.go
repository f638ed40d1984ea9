package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gradsync/experiments/quiz"
	"gradsync/internal/oktest"
)

// typed gives a test its standard input.
func typed(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stdin")
	oktest.Nil(t, os.WriteFile(file, []byte(text), 0o600))
	in := oktest.Must(os.Open(file))(t)
	old := os.Stdin
	os.Stdin = in
	t.Cleanup(func() { os.Stdin = old; in.Close() })
}

// rightAnswers returns the right answers to a quiz, as they may be typed.
func rightAnswers(t *testing.T, subject string, n int) (answers []string) {
	t.Helper()
	for _, q := range oktest.Must(quiz.Make(subject, 7, n))(t) {
		answers = append(answers, q.Answer(quiz.English))
	}
	return answers
}

// TestQuizExitCodes: all right, one wrong, answers that end early and a misuse, from
// a pipe, a list, a file and standard input as a file, for every subject.
func TestQuizExitCodes(t *testing.T) {
	for _, subject := range quiz.Subjects() {
		right := rightAnswers(t, subject, 5)
		wrong := slices.Clone(right)
		wrong[3] = "1234567"
		for _, c := range []struct {
			answers []string
			rc      int
			score   string
		}{{right, exitOK, "5 of 5 right, 0 wrong, 0 open."}, {wrong, exitDiffer, "4 of 5 right, 1 wrong, 0 open."},
			{wrong[:4], exitDiffer, "3 of 5 right, 1 wrong, 1 open."},
			{right[:4], exitFailed, "4 of 5 right, 0 wrong, 1 open."},
			{[]string{right[0], "", right[2], right[3], right[4]}, exitFailed, "4 of 5 right, 0 wrong, 1 open."},
			{nil, exitFailed, "0 of 5 right, 0 wrong, 5 open."}} {
			file := filepath.Join(t.TempDir(), "answers.txt")
			lines := strings.Join(c.answers, "\r\n")
			if len(c.answers) > 0 {
				lines += "\n"
			}
			oktest.Nil(t, os.WriteFile(file, []byte(lines), 0o600))
			ways := [][]string{{}, {"--answers", file}, {"--answers", "-"}}
			if len(c.answers) > 1 {
				ways = append(ways, []string{"--answers", strings.Join(c.answers, ";")})
			}
			for _, way := range ways {
				typed(t, lines)
				rc, out, msg := gradsync(append([]string{"quiz", subject}, way...)...)
				if rc != c.rc || !strings.HasSuffix(out, "\n"+c.score+"\n") {
					t.Errorf("quiz %s %v of %q: exit code %d, want %d and %q; %s%s", subject, way, c.answers, rc, c.rc, c.score, out, msg)
				}
				if want := !strings.Contains(c.score, " 0 open"); (msg != "") != want || strings.Count(msg, "\n") > 1 {
					t.Errorf("quiz %s %v of %q says %q", subject, way, c.answers, msg)
				}
			}
		}
	}
	if rc, out, _ := gradsync("quiz", "ring", "--questions", "1", "--answers", rightAnswers(t, "ring", 1)[0]); rc != exitOK {
		t.Errorf("one answer to one question: exit code %d: %s", rc, out)
	}
}

// TestQuizSaysAtOnce: after each answer, before the next question, it is said right or wrong with the explanation.
func TestQuizSaysAtOnce(t *testing.T) {
	right := rightAnswers(t, "codedsgd", 2)
	questions, _ := quiz.Make("codedsgd", 7, 2)
	typed(t, "what?\n"+right[1]+"\n")
	_, out, _ := gradsync("quiz", "codedsgd", "--questions", "2", "--lang", "zh")
	at := 0
	for _, want := range []string{"1/2", questions[0].Text.ZH, "> what?", "错误", "“what?”", questions[0].Answer(quiz.Chinese), questions[0].Why.ZH,
		questions[0].Source.ZH,
		"2/2", questions[1].Text.ZH, "> " + right[1], "正确", questions[1].Why.ZH, "1/2 正确，1 错误，0 未作答"} {
		next := strings.Index(out[at:], want)
		if next < 0 {
			t.Fatalf("no %q after %q in\n%s", want, out[:at], out)
		}
		at += next + len(want)
	}
}

// TestQuizJSON: questions without answers, with them, and the checked result.
func TestQuizJSON(t *testing.T) {
	read := func(rc int, args ...string) (o quizObject) {
		t.Helper()
		got, out, msg := gradsync(append([]string{"quiz", "dasp", "--json", "--questions", "2"}, args...)...)
		if err := json.Unmarshal([]byte(out), &o); err != nil || got != rc || len(o.Questions) != 2 {
			t.Fatalf("quiz %v: exit code %d, want %d: %v %s", args, got, rc, err, msg)
		}
		return o
	}
	plain := read(exitOK)
	for _, q := range plain.Questions {
		if q.Answer+q.Explanation+q.Source != "" || q.Text == "" || q.Form == "" || q.Key == "" || len(q.Given) == 0 || plain.Score != nil {
			t.Errorf("a question alone: %+v", q)
		}
	}
	solved := read(exitOK, "--solutions", "--lang", "zh")
	right := rightAnswers(t, "dasp", 2)
	for i, q := range solved.Questions {
		if q.Answer != right[i] || q.Explanation == "" || q.Source == "" || q.Text == plain.Questions[i].Text || solved.Lang != quiz.Chinese {
			t.Errorf("a solution in Chinese: %+v", q)
		}
	}
	checked := read(exitDiffer, "--answers", right[0]+";?")
	if q := checked.Questions; q[0].Verdict != quiz.Right || q[1].Verdict != quiz.Wrong || *q[1].Reply != "?" || q[1].Problem == "" ||
		q[1].Answer != right[1] || *checked.Score != (quizScore{1, 1, 0}) {
		t.Errorf("checked answers: %+v", checked)
	}
	if q := read(exitFailed, "--answers", os.DevNull).Questions; q[0].Verdict != quiz.Open || q[0].Reply != nil {
		t.Errorf("no answers: %+v", q)
	}
}

// TestQuizSolutions: they ask nothing, and are the same bytes each time.
func TestQuizSolutions(t *testing.T) {
	for _, subject := range quiz.Subjects() {
		rc, out, _ := gradsync("quiz", subject, "--solutions")
		for _, answer := range rightAnswers(t, subject, 5) {
			if rc != exitOK || !strings.Contains(out, "The answer is "+answer) || strings.Contains(out, "\n   > ") {
				t.Errorf("quiz %s --solutions: exit code %d, want answer %q in\n%s", subject, rc, answer, out)
			}
		}
		if _, again, _ := gradsync("quiz", subject, "--solutions"); again != out {
			t.Errorf("quiz %s --solutions prints two texts", subject)
		}
	}
}

// TestQuizInterrupted: Ctrl-C ends a quiz that waits for a line.
func TestQuizInterrupted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() // no line ever comes
	old := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = old }()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var out, errOut bytes.Buffer
	if rc := run(ctx, []string{"quiz", "ring"}, &out, &errOut); rc != exitFailed || !strings.Contains(errOut.String(), "after 0 of 5 answers") {
		t.Errorf("exit code %d: %s", rc, errOut.String())
	}
}

// TestQuizAsksAgain: at a terminal an empty line and one that cannot be read are asked
// for again, three times at most, each time with what is wanted; from a pipe never.
func TestQuizAsksAgain(t *testing.T) {
	questions, right := oktest.Must(quiz.Make("ring", 7, 2))(t), rightAnswers(t, "ring", 2)
	for _, c := range []struct {
		lines []string
		typed bool
		score quiz.Score
		asked int
	}{
		{[]string{"", "x", right[0], right[1]}, true, quiz.Score{Right: 2}, 2},
		{[]string{"", "", "", "", right[1]}, true, quiz.Score{Right: 1, Open: 1}, 3},
		{[]string{"x", "x", "x", "x", right[1]}, true, quiz.Score{Right: 1, Wrong: 1}, 3},
		{[]string{"123456789", right[1]}, true, quiz.Score{Right: 1, Wrong: 1}, 0},
		{[]string{"x"}, true, quiz.Score{Open: 2}, 1},
		{[]string{"x", ""}, false, quiz.Score{Wrong: 1, Open: 1}, 0},
	} {
		var out bytes.Buffer
		s := &quizSession{out: &out, subject: "ring", seed: 7, lang: quiz.English, questions: questions}
		oktest.Nil(t, s.ask(context.Background(), strings.NewReader(strings.Join(c.lines, "\n")+"\n"), c.typed))
		if score := quiz.ScoreOf(s.marked); score != c.score || len(s.marked) != 2 {
			t.Errorf("%q: %+v, want %+v of 2", c.lines, score, c.score)
		}
		if got := strings.Count(out.String(), "   > ") - 2; got != c.asked && c.score.Open < 2 {
			t.Errorf("%q: asked again %d times, want %d:\n%s", c.lines, got, c.asked, out.String())
		}
		if got := strings.Count(out.String(), "; wanted: "); c.typed && got < c.asked {
			t.Errorf("%q: what is wanted is said %d times, want %d:\n%s", c.lines, got, c.asked, out.String())
		}
	}
}
