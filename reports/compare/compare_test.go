package compare

import (
	"strings"
	"testing"

	"gradsync/experiments/claims"
	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

func number(x float64) *float64 { return &x }

// percents is a unit for tests.
var percents = notebook.Alike("%")

// A scale holds all stated and found numbers and the null, has three labels or more inside of it,
// and an interval far outside of them stretches it by no more than beyond.
func TestNewScale(t *testing.T) {
	for name, c := range map[string]struct {
		marks []Mark
		null  *float64
		log   bool
		most  float64 // of Hi
	}{
		"savings": {[]Mark{{Stated: number(10), Found: number(29.9), CI: &[2]float64{-27.5, 61.4}}, {Stated: number(23.5), Found: number(0)}},
			number(0), false, 80},
		"an outlier":   {[]Mark{{Stated: number(10), Found: number(5), CI: &[2]float64{-9000, 90}}}, number(0), false, 40},
		"one number":   {[]Mark{{Found: number(566)}}, nil, false, 900},
		"two equal":    {[]Mark{{Stated: number(3), Found: number(3)}}, number(3), false, 6},
		"sizes":        {[]Mark{{Stated: number(2), Found: number(3)}, {Stated: number(40000), Found: number(1)}}, nil, true, 1e5},
		"one decade":   {[]Mark{{Found: number(1.2), Stated: number(70)}}, nil, true, 100},
		"negative":     {[]Mark{{Found: number(-12.3), CI: &[2]float64{-20, -4}}}, number(0), false, 2},
		"small ratios": {[]Mark{{Found: number(0.0131), Stated: number(0.0132)}}, nil, false, 0.02},
	} {
		s := NewScale(c.marks, c.null, percents)
		for _, m := range c.marks {
			for _, x := range m.points() {
				if x < s.Lo-1e-9 || x > s.Hi+1e-9 {
					t.Errorf("%s: %v is not from %v to %v", name, x, s.Lo, s.Hi)
				}
			}
		}
		if c.null != nil && (*c.null < s.Lo || *c.null > s.Hi) {
			t.Errorf("%s: the null is not from %v to %v", name, s.Lo, s.Hi)
		}
		if len(s.Ticks) < 3 || len(s.Ticks) > 8 {
			t.Errorf("%s: labels %v", name, s.Ticks)
		}
		for i, x := range s.Ticks {
			if at := s.At(x); x < s.Lo-1e-9 || x > s.Hi+1e-9 || i > 0 && at <= s.At(s.Ticks[i-1]) {
				t.Errorf("%s: the label %v of %v stands at %v, from %v to %v", name, x, s.Ticks, at, s.Lo, s.Hi)
			}
		}
		if s.Log != c.log || s.Hi > c.most {
			t.Errorf("%s: from %v to %v, logarithmic %v", name, s.Lo, s.Hi, s.Log)
		}
	}
}

// What a strip draws, and where it says that an interval goes on.
func TestStrip(t *testing.T) {
	s := Scale{Lo: 0, Hi: 100, Null: number(50), Ticks: []float64{0, 50, 100}, Unit: percents}
	for name, c := range map[string]struct {
		m    Mark
		want string
	}{
		"all": {Mark{Stated: number(25), Found: number(75), CI: &[2]float64{60, 90}, Band: &[2]float64{0, 10}},
			`<i class="band" style="--a:0;--e:10"></i><i class="ci" style="--a:60;--e:90"></i><i class="ours" style="--x:75"></i><i class="stated" style="--x:25"></i>`},
		"a stated range": {Mark{Range: &[2]float64{20, 40}, Found: number(50)},
			`<i class="range" style="--a:20;--e:40"></i><i class="ours" style="--x:50"></i>`},
		"the same has no interval": {Mark{Found: number(50), CI: &[2]float64{50, 50}, Same: true}, `<i class="ours same" style="--x:50"></i>`},
		"cut on both sides":        {Mark{CI: &[2]float64{-60, 190}}, `<i class="ci from on" style="--a:0;--e:100"></i>`},
	} {
		want := `<div class="strip" aria-hidden="true" style="--z:50">` + c.want + "</div>"
		if got := string(s.Strip(c.m)); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
	if got := string(s.Axis()); !strings.Contains(got, `<i style="--x:50">50</i>`) || !strings.Contains(got, "100\u00a0%") {
		t.Error(got)
	}
}

// A table says all numbers in words beside the drawing, in both languages, and a claim in words has
// no place on the scale.
func TestTable(t *testing.T) {
	differs, _ := page.FindVerdict(claims.Differs)
	marks := []Mark{{Stated: number(10), Found: number(30), CI: &[2]float64{-27, 61}}, {Stated: number(20), Found: number(0), Same: true}}
	rows := []Row{
		{ID: "D19", Anchor: "D19", Name: notebook.Alike("BSP"), Mark: marks[0], Stated: notebook.Alike("10 %"), Found: notebook.Alike("30 %"),
			Interval: notebook.Both{"-27 to 61", "-27 至 61"}, Verdict: differs},
		{Name: notebook.Alike("ASP"), Mark: marks[1], Stated: notebook.Alike("20 %"), Found: notebook.Alike("0 %"), Verdict: differs},
		{Name: notebook.Both{"is faster", "更快"}, Words: true, Stated: notebook.Both{"yes", "是"}, Found: notebook.Both{"no", "否"}, Verdict: differs},
	}
	table := Table{Label: notebook.Both{"Claims", "论断"}, Noun: notebook.Both{"paper", "论文"},
		Groups: []Group{{Title: notebook.Both{"against", "对比"}, Scale: NewScale(marks, number(0), percents), Rows: rows}}}
	html, err := table.HTML()
	oktest.Nil(t, err)
	for _, want := range []string{`<tr id="D19">`, `class="ours same"`, "both methods did the same", "两种方法行为相同",
		"10\u00a0%", "<b>30\u00a0%</b>", "-27 至 61", "是", "否", `class="chip v-` + differs.Key, `class="axis"`} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the table lacks %s:\n%s", want, html)
		}
	}
	if n := strings.Count(string(html), `class="strip"`); n != 2 {
		t.Errorf("%d strips, want 2", n)
	}
	table.Plain = true
	if html, err = table.HTML(); err != nil || strings.Contains(string(html), "chip") {
		t.Errorf("a plain table judges: %v %s", err, html)
	}
}

func TestSpanningHasThreeLabels(t *testing.T) {
	for _, ends := range [][2]float64{{0.3, 13.9}, {0, 1}, {0.49, 1.51}, {-0.2, 5.9}, {7, 7}, {0.6, 0.9}, {1, 64}, {99, 1801}} {
		if s := Spanning(ends[0], ends[1], false, percents); len(s.Ticks) < 3 || len(s.Ticks) > 8 {
			t.Errorf("from %v to %v: labels %v", ends[0], ends[1], s.Ticks)
		}
	}
}

// Labels stand at the points of an axis where these are few, at both ends of a longer axis of whole numbers, and on no half of one.
func TestLabelsStandAtPoints(t *testing.T) {
	for _, c := range []struct {
		points []float64
		want   string
	}{
		{[]float64{1, 2, 3, 4}, "1 2 3 4"}, {[]float64{0.25, 0.5, 1, 2, 4}, "0.25 1 2 4"},
		{[]float64{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, "2 5 10 16"},
	} {
		s := SpanningWhole(c.points[0], c.points[len(c.points)-1], false, notebook.Both{}).On(c.points)
		if got := strings.Join(s.Labels(), " "); got != c.want {
			t.Errorf("%v: labels %s, want %s", c.points, got, c.want)
		}
	}
	if got := strings.Join(Scale{Ticks: []float64{1e-5, 1e-3, 1, 10}}.Labels(), " "); got != "10⁻⁵ 10⁻³ 1 10" {
		t.Errorf("labels in two styles: %s", got)
	}
}

// A narrow axis keeps 0; a band that the scale cuts says so.
func TestNarrowAxesKeepZero(t *testing.T) {
	for _, ticks := range [][]float64{{-300, -200, -100, 0, 100}, {0, 1, 2, 3, 4, 5}, {-400, -300, -200, -100, 0, 100}} {
		kept := 0
		for i, spare := range (Scale{Ticks: ticks}).spare() {
			if !spare {
				kept++
			} else if ticks[i] == 0 {
				t.Errorf("%v: 0 is left out", ticks)
			}
		}
		if kept < 3 {
			t.Errorf("%v: %d labels", ticks, kept)
		}
	}
	s := Spanning(0, 10, false, notebook.Both{})
	if got := string(s.Strip(Mark{Band: &[2]float64{-5, 20}})); !strings.Contains(got, `class="band from on"`) {
		t.Error(got)
	}
}
