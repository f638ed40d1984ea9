package quiz

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gradsync/internal/oktest"
)

// seeds are how many quizzes of every subject are looked at.
const seeds = 200

// quizzes returns the quizzes of all seeds, by subject; every kind is asked once in each.
var quizzes = sync.OnceValues(func() (map[string][]Question, error) {
	out := map[string][]Question{}
	for name, kinds := range makers {
		for seed := range uint64(seeds) {
			quiz, err := Make(name, seed, len(kinds))
			if err != nil {
				return nil, err
			}
			out[name] = append(out[name], quiz...)
		}
	}
	return out, nil
})

// all visits every kind of question of every subject under many seeds.
func all(t *testing.T, visit func(t *testing.T, q Question)) {
	t.Helper()
	made := oktest.Must(quizzes())(t)
	for name, kinds := range makers {
		t.Run(name, func(t *testing.T) {
			for i, q := range made[name] {
				if visit(t, q); t.Failed() {
					t.Fatalf("seed %d, question %d", i/len(kinds), i%len(kinds)+1)
				}
			}
		})
	}
}

var (
	han    = regexp.MustCompile(`\p{Han}`)
	digits = regexp.MustCompile(`\d+(\.\d+)?`)
	// bareNode is a node that is called no worker, as the pages call it.
	bareNode = regexp.MustCompile(`(^|[^作])节点`)
)

// numbersOf returns the numbers that a text says, sorted: languages order words, not numbers.
func numbersOf(text string) []string {
	found := digits.FindAllString(text, -1)
	slices.Sort(found)
	return found
}

// TestBothLanguages: every text exists in English and in Chinese, is in that language, and both say the same numbers.
func TestBothLanguages(t *testing.T) {
	oktest.Slow(t)
	all(t, func(t *testing.T, q Question) {
		for name, text := range map[string]Text{"text": q.Text, "why": q.Why, "source": q.Source, "form": q.Form(), "problem": problemOf(q)} {
			for _, complaint := range judgeText(text, name == "text" || name == "form") {
				t.Errorf("%s, %s: %s: %+v", q.Key, name, complaint, text)
			}
		}
		for _, g := range q.Given {
			if g.Symbol == "" || g.Value == "" || han.MatchString(g.Symbol+g.Value+g.Unit.EN) || (g.Unit.EN == "") != (g.Unit.ZH == "") {
				t.Errorf("%s: given %+v", q.Key, g)
			}
		}
	})
}

func problemOf(q Question) Text {
	_, problem := q.judge("what?")
	return problem
}

// judgeText complains of a text that lacks a language; prose has a word of Chinese.
func judgeText(text Text, prose bool) (complaints []string) {
	if text.EN == "" || text.ZH == "" {
		complaints = append(complaints, "one language is missing")
	}
	if han.MatchString(text.EN) || prose && !han.MatchString(text.ZH) {
		complaints = append(complaints, "in the other language")
	}
	if strings.Contains(text.EN+text.ZH, "%!") || strings.Contains(text.EN+text.ZH, "(EXTRA") {
		complaints = append(complaints, "a format that does not fit its arguments")
	}
	if strings.Contains(strings.ToLower(text.EN), "worker") && bareNode.MatchString(text.ZH) || strings.Contains(text.ZH, "组播") {
		complaints = append(complaints, "another word than that of the pages: 工作节点, 多播")
	}
	if !slices.Equal(numbersOf(text.EN), numbersOf(text.ZH)) {
		complaints = append(complaints, fmt.Sprintf("numbers %v and %v", numbersOf(text.EN), numbersOf(text.ZH)))
	}
	return complaints
}

// TestTextJudge: the judge of texts sees each fault.
func TestTextJudge(t *testing.T) {
	for _, bad := range []Text{{"1 chunk", ""}, {"1 chunk", "2 块"}, {"1 chunk", "1 chunk"}, {"1 块", "1 块"}, {"a worker", "一个节点"},
		{"Workers", "节点"}, {"a multicast", "组播"}, both("%d chunk", "%s 块", 1)} {
		if len(judgeText(bad, true)) == 0 {
			t.Errorf("%+v passes", bad)
		}
	}
}

// TestAnswersAreAccepted: the answer that is shown is right in either language, and others near it are wrong.
func TestAnswersAreAccepted(t *testing.T) {
	oktest.Slow(t)
	all(t, func(t *testing.T, q Question) {
		for _, lang := range []Lang{English, Chinese} {
			for _, reply := range []string{q.Answer(lang), "  " + strings.ToUpper(q.Answer(lang)) + "\t", q.Answer(lang) + " " + q.Unit().In(lang)} {
				if right, problem := q.judge(reply); !right || problem != (Text{}) {
					t.Errorf("%s: the answer %q is wrong: %s", q.Key, reply, problem.EN)
				}
			}
		}
		for _, reply := range perturbed(q.want) {
			if right, problem := q.judge(reply); right || problem != (Text{}) {
				t.Errorf("%s: the answer is %q, and %q is right or could not be read: %s", q.Key, q.Answer(English), reply, problem.EN)
			}
		}
		for _, reply := range []string{"", " ", "what?", "1e999999999", "1/0", strings.Repeat("9", 2000), "3 4 x", "=1"} {
			if right, problem := q.judge(reply); right || problem.EN == "" {
				t.Errorf("%s: %q is right, or nothing is said of it", q.Key, reply)
			}
		}
	})
}

// perturbed returns wrong answers that can be read.
func perturbed(want expected) (replies []string) {
	switch w := want.(type) {
	case number:
		for _, by := range []*big.Rat{rat(998, 1000), rat(1002, 1000)} { // twice the tolerance
			replies = append(replies, new(big.Rat).Add(new(big.Rat).Mul(w.value, by), rat(1, 1e9)).RatString())
		}
	case list:
		for _, change := range []func(l *list){func(l *list) { l.items = append(l.items, []*big.Rat{rat(77, 1)}) }, func(l *list) { l.items = l.items[1:] },
			func(l *list) {
				l.items[0] = []*big.Rat{new(big.Rat).Add(l.items[0][0], rat(1, 1)), rat(0, 1)}[:len(l.items[0])]
			}} {
			other := list{items: slices.Clone(w.items)}
			if len(w.items) > 0 || len(replies) == 0 {
				change(&other)
				replies = append(replies, other.show(English))
			}
		}
		if back := slices.Clone(w.items); w.ordered && len(back) > 1 {
			slices.Reverse(back)
			if !slices.EqualFunc(back, w.items, func(a, b []*big.Rat) bool { return compare(a, b) == 0 }) {
				replies = append(replies, list{items: back}.show(English))
			}
		}
	case multipleChoice:
		for i, c := range w.choices {
			if i != w.right {
				replies = append(replies, c.EN, c.ZH)
			}
		}
	}
	return replies
}

// TestExplanationsEndAtTheAnswer: the way that is told leads to the answer, number by
// number; of a vector it may show the first entry alone.
func TestExplanationsEndAtTheAnswer(t *testing.T) {
	oktest.Slow(t)
	all(t, func(t *testing.T, q Question) {
		for _, lang := range []Lang{English, Chinese} {
			parts := []string{q.Answer(lang)}
			if l, ok := q.want.(list); ok {
				parts = strings.Split(parts[0], ", ")
				if l.ordered && strings.Contains(q.Why.EN, "the first") {
					parts = parts[:1]
				}
				if len(l.items) == 0 {
					continue // TestNextFollowsFromItsText has those
				}
			}
			for _, part := range parts {
				if !regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(part) + `($|[^\d]|\.\D|\.$)`).MatchString(q.Why.In(lang)) {
					t.Errorf("%s: the answer is %s, the explanation: %s", q.Key, q.Answer(lang), q.Why.In(lang))
				}
			}
		}
	})
}

// TestQuestionsDiffer: no kind has one answer for all seeds, and every word of a
// choice is right somewhere, or always trying it would pass.
func TestQuestionsDiffer(t *testing.T) {
	oktest.Slow(t)
	answers, words := map[string]map[string]bool{}, map[string]int{}
	all(t, func(_ *testing.T, q Question) {
		if answers[q.Key] == nil {
			answers[q.Key] = map[string]bool{}
		}
		answers[q.Key][q.Answer(English)] = true
		if c, ok := q.want.(multipleChoice); ok {
			words[q.Key] = len(c.choices)
		}
	})
	kinds := 0
	for _, of := range makers {
		kinds += len(of)
	}
	if len(answers) != kinds {
		t.Errorf("%d kinds of questions were asked, there are %d", len(answers), kinds)
	}
	for key, of := range answers {
		if len(of) < max(3, words[key]) && len(of) != words[key] {
			t.Errorf("%s has %d answers only, of %d words", key, len(of), words[key])
		}
	}
}

// TestSameSeed: a quiz is its subject, seed and length alone, and a longer one begins with a shorter one.
func TestSameSeed(t *testing.T) {
	for _, name := range Subjects() {
		long := oktest.Must(Make(name, 7, 40))(t)
		if again, _ := Make(name, 7, 40); !reflect.DeepEqual(long, again) {
			t.Errorf("%s: seed 7 gives two quizzes", name)
		}
		short, _ := Make(name, 7, 5)
		if !reflect.DeepEqual(long[:5], short) {
			t.Errorf("%s: five questions are not the first of forty", name)
		}
		if other, _ := Make(name, 8, 5); reflect.DeepEqual(other, short) {
			t.Errorf("%s: seeds 7 and 8 give one quiz", name)
		}
		for i, q := range long {
			if asked(long[:i], q) {
				t.Errorf("%s: question %d was asked before", name, i+1)
			}
		}
	}
}

// TestMakeRefuses: what there is not is an error of usage.
func TestMakeRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		says string
	}{{"moon", 5, "known are ring, ringsparse, dasp, codedsgd"}, {"ring", 0, "1 to 100"}, {"ring", 101, "1 to 100"}, {"", 5, "known are"}} {
		if _, err := Make(c.name, 7, c.n); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Make(%q, %d): %v, want %q", c.name, c.n, err, c.says)
		}
	}
}
