package quiz

import (
	"slices"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/papers/codedsgd"
)

// TestForms: what counts as the same answer, and what does not.
func TestForms(t *testing.T) {
	ms := exactly(rat(315, 2), milliseconds)
	third := exactly(rat(1, 3), none)
	of, row := set([]int{0, 2, 4}), sequence(float32(3), float32(-0.5))
	two := pairs(codedsgd.Term{Block: 4}, codedsgd.Term{Block: 7, Position: 1})
	kind := oneOf(0, kinds...)
	for _, c := range []struct {
		want  expected
		reply string
		right bool
	}{
		{ms, "157.5", true}, {ms, "315/2", true}, {ms, " 315 / 2 ms", true}, {ms, "157.50 MS", true}, {ms, "0.1575s", true},
		{ms, "0.1575 秒", true}, {ms, "１５７．５ 毫秒", true},
		{ms, "157500 µs", true}, {ms, "1.575e2", true}, {ms, "+157.5", true}, {ms, "157.5000001", false}, {ms, "157", false},
		{ms, "157.5 s", false}, {ms, "157.5 bytes", false},
		{ms, "−157.5", false}, {ms, "157,5", false}, {ms, "157.5 ms or so", false},
		{whole(1200000, bytes), "1,200,000", true}, {whole(1200000, bytes), "1200 kB", true}, {whole(1200000, bytes), "1.2MB", true},
		{whole(1200000, bytes), "1.2e6字节", true},
		{whole(1200000, bytes), "1 200 000 bytes", true}, {whole(1200000, bytes), "1 2 00000", false},
		{whole(1200000, bytes), "1,2000,00", false}, {whole(1200000, bytes), "1200000 s", false}, {whole(1200000, bytes), "1,200,001", false},
		{whole(3, blocks), "3 blocks", true}, {whole(3, blocks), "3 块", true}, {whole(3, blocks), "3个", true}, {whole(3, blocks), "3 packets", false},
		{third, "1/3", true}, {third, "2/6", true}, {third, "0.333", true}, {third, ".3333", true}, {third, "0.33", false},
		{third, "0.334", false}, {third, "33.33 %", false},
		{exactly(rat(1, 4), share), "25%", true}, {exactly(rat(1, 4), share), "0.25", true}, {exactly(rat(1, 4), share), "25", false},
		{about(0.0702, seconds), "70.2 ms", true}, {about(0.0702, seconds), "0.07027", true}, {about(0.0702, seconds), "0.0704", false},
		{about(0, seconds), "0", true}, {about(0, seconds), "0.001", false},
		{of, "0, 2, 4", true}, {of, "{4,0,2}", true}, {of, "0 2 4", true}, {of, "0、2、4", true}, {of, "[0; 2; 4]", true}, {of, "0, 2", false},
		{of, "0, 2, 2, 4", false}, {of, "none", false}, {of, "0 and 2", false},
		{set(nil), "none", true}, {set(nil), "无", true}, {set(nil), "{}", true}, {set(nil), "0", false}, {set(nil), "", false},
		{row, "3, −0.5", true}, {row, "(3, -1/2)", true}, {row, "3.0 -.5", true}, {row, "-0.5, 3", false}, {row, "3", false}, {row, "3, -0.5, 0", false},
		{two, "7:1, 4:0", true}, {two, "4：0，7：1", true}, {two, "4 : 0; 7 : 1", true}, {two, "4:1, 7:0", false}, {two, "4, 0, 7, 1", false},
		{two, "4:0", false}, {two, "4:0:7:1", false},
		{kind, "weights", true}, {kind, " WEIGHTS ", true}, {kind, "权重", true}, {kind, "gradients", false}, {kind, "weight", false}, {kind, "1", false},
	} {
		if right, problem := c.want.judge(c.reply); right != c.right || right && problem != (Text{}) {
			t.Errorf("%q where %s is right: %t %s", c.reply, c.want.show(English), right, problem.EN)
		}
	}
}

// TestMark: each reply has its grade, and a question without one is open.
func TestMark(t *testing.T) {
	quiz := oktest.Must(Make("ring", 7, 3))(t)
	for _, blank := range []string{"", " \t"} {
		if m := Mark(quiz[0], blank); m.Verdict != Open || m.Problem != (Text{}) {
			t.Errorf("the empty answer %q is %s: %s", blank, m.Verdict, m.Problem.EN)
		}
	}
	marked := MarkAll(quiz, []string{quiz[0].Answer(English), "x"})
	if s := ScoreOf(marked); s != (Score{1, 1, 1}) || marked[0].Verdict != Right || marked[1].Problem.EN == "" || marked[2].Verdict != Open {
		t.Errorf("score %+v of %+v", s, marked)
	}
}

// TestUnits: how many of the unit asked for each word is, word by word, and that there are no others.
func TestUnits(t *testing.T) {
	count := func(words string) string { return strings.ReplaceAll(words, " ", " 1 ") + " 1" }
	for name, c := range map[string]struct {
		of   unit
		want string // words, each with its factor
	}{
		"none": {none, ""},
		"seconds": {seconds, "ns 1/1000000000 纳秒 1/1000000000 µs 1/1000000 us 1/1000000 μs 1/1000000 微秒 1/1000000 ms 1/1000 毫秒 1/1000 " +
			count("s sec second seconds 秒")},
		"milliseconds": {milliseconds, "ns 1/1000000 纳秒 1/1000000 µs 1/1000 us 1/1000 μs 1/1000 微秒 1/1000 ms 1 毫秒 1 s 1000 sec 1000 second 1000 seconds 1000 秒 1000"},
		"bytes":        {bytes, count("b byte bytes 字节") + " kb 1000 mb 1000000 gb 1000000000 kib 1024 mib 1048576 gib 1073741824"},
		"share":        {share, "% 1/100"},
		"gradients":    {gradients, count("gradient gradients 梯度 个梯度 个")},
		"blocks":       {blocks, count("block blocks 块 个块 个")},
		"packets":      {packets, count("packet packets 数据包 个数据包 个")},
		"groups":       {groups, count("group groups 组 个组 个")},
	} {
		t.Run(name, func(t *testing.T) {
			if f := c.of.factor(""); f == nil || f.RatString() != "1" {
				t.Errorf("no word is %v of the unit", f)
			}
			fields, known := strings.Fields(c.want), map[string]bool{}
			for i := 0; i < len(fields); i += 2 {
				known[fields[i]] = true
				for _, word := range []string{fields[i], strings.ToUpper(fields[i])} {
					if got := c.of.factor(word); got == nil || got.RatString() != fields[i+1] {
						t.Errorf("%s is %v, want %s", word, got, fields[i+1])
					}
				}
			}
			for word := range c.of.words {
				if !known[word] {
					t.Errorf("%s is a word of no test", word)
				}
			}
			if f := c.of.factor("parsec"); f != nil {
				t.Errorf("parsec is %v", f)
			}
			if word := strings.ToLower(c.of.name.ZH); word != "" && name != "perSecond" && !slices.Contains(fields, word) {
				t.Errorf("its own word %s is none of its words", word)
			}
		})
	}
}
