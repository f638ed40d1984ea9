package quiz

import "testing"

// TestForms: what counts as the same answer, and what does not.
func TestForms(t *testing.T) {
	ms := exactly(rat(315, 2), milliseconds)
	third := exactly(rat(1, 3), none)
	of := set([]int{0, 2, 4})
	row := sequence(twoNumbers, float32(3), float32(-0.5))
	two := pairs(twoNumbers, [][2]int{{4, 0}, {7, 1}})
	kind := oneOf(0, kinds...)
	for _, c := range []struct {
		want  expected
		reply string
		right bool
	}{
		{ms, "157.5", true}, {ms, "315/2", true}, {ms, " 315 / 2 ms", true}, {ms, "157.50 MS", true}, {ms, "0.1575s", true}, {ms, "0.1575 秒", true}, {ms, "１５７．５ 毫秒", true},
		{ms, "157500 µs", true}, {ms, "1.575e2", true}, {ms, "+157.5", true}, {ms, "157.5000001", false}, {ms, "157", false}, {ms, "157.5 s", false}, {ms, "157.5 bytes", false},
		{ms, "−157.5", false}, {ms, "157,5", false}, {ms, "157.5 ms or so", false},
		{whole(1200000, bytes), "1,200,000", true}, {whole(1200000, bytes), "1200 kB", true}, {whole(1200000, bytes), "1.2MB", true}, {whole(1200000, bytes), "1.2e6字节", true},
		{whole(1200000, bytes), "1 200 000 bytes", true}, {whole(1200000, bytes), "1 2 00000", false}, {whole(1200000, bytes), "1,2000,00", false}, {whole(1200000, bytes), "1200000 s", false}, {whole(1200000, bytes), "1,200,001", false},
		{whole(3, blocks), "3 blocks", true}, {whole(3, blocks), "3 块", true}, {whole(3, blocks), "3个", true}, {whole(3, blocks), "3 packets", false},
		{third, "1/3", true}, {third, "2/6", true}, {third, "0.333", true}, {third, ".3333", true}, {third, "0.33", false}, {third, "0.334", false}, {third, "33.33 %", false},
		{exactly(rat(1, 4), share), "25%", true}, {exactly(rat(1, 4), share), "0.25", true}, {exactly(rat(1, 4), share), "25", false},
		{about(0.0702, seconds), "70.2 ms", true}, {about(0.0702, seconds), "0.07027", true}, {about(0.0702, seconds), "0.0704", false}, {about(0, seconds), "0", true}, {about(0, seconds), "0.001", false},
		{of, "0, 2, 4", true}, {of, "{4,0,2}", true}, {of, "0 2 4", true}, {of, "0、2、4", true}, {of, "[0; 2; 4]", true}, {of, "0, 2", false}, {of, "0, 2, 2, 4", false}, {of, "none", false}, {of, "0 and 2", false},
		{set(nil), "none", true}, {set(nil), "无", true}, {set(nil), "{}", true}, {set(nil), "0", false}, {set(nil), "", false},
		{row, "3, −0.5", true}, {row, "(3, -1/2)", true}, {row, "3.0 -.5", true}, {row, "-0.5, 3", false}, {row, "3", false}, {row, "3, -0.5, 0", false},
		{two, "7:1, 4:0", true}, {two, "4：0，7：1", true}, {two, "4 : 0; 7 : 1", true}, {two, "4:1, 7:0", false}, {two, "4, 0, 7, 1", false}, {two, "4:0", false}, {two, "4:0:7:1", false},
		{kind, "weights", true}, {kind, " WEIGHTS ", true}, {kind, "权重", true}, {kind, "gradients", false}, {kind, "weight", false}, {kind, "1", false},
	} {
		if right, problem := c.want.judge(c.reply); right != c.right || right && problem != (Text{}) {
			t.Errorf("%q where %s is right: %t %s", c.reply, c.want.show(English), right, problem.EN)
		}
	}
}

// TestMark: each reply has its verdict, and a question without one is open.
func TestMark(t *testing.T) {
	quiz, err := Make("ring", 7, 3)
	if err != nil {
		t.Fatal(err)
	}
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
