package notebook

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gradsync/experiments/claims"
	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
)

type point struct {
	method string
	link   float64
	sample kit.Sample
}

// sample returns a result as a file has it: written and read again.
func sample(t *testing.T, seeds int) *result.Result {
	t.Helper()
	points := []point{{"bsp", 1, kit.Sample{10, 12, 11}}, {"asp", 1, kit.Sample{5, 6, 5.5}}, {"bsp", 10, kit.Sample{4, 4.2, 4.1}}, {"asp", 10, nil}}
	for i := range points {
		points[i].sample = points[i].sample[:min(seeds, len(points[i].sample))]
	}
	of := func(p point) kit.Estimate { return p.sample.Mean() }
	r := &result.Result{ID: "dasp/x", Source: "DASP, Table 6", Profile: "quick", Kind: result.Trained, Status: result.Complete, Seeds: []uint64{0, 1, 2}[:seeds],
		Facts: kit.Facts("asp_over_bsp/.3", points[1].sample.Over(points[0].sample), "side:side", "below", "equal", false),
		Frames: []result.Frame{kit.Rows("times", "method:method link/Gb/s.0 seconds±/s.2 fast", points, func(p point) []any {
			return []any{p.method, p.link, of(p), of(p).N > 0 && of(p).Value < 6}
		})},
		Figures: []result.Figure{{ID: "f", Form: "line", Frame: "times", X: "link", Y: []string{"seconds"}, By: []string{"method"}}},
		Claims: []result.Claim{claims.Verdict("D27", claims.Found{Values: []float64{20}, CI95: []*[2]float64{{10, 30}}, Seeds: 3,
			Notes: []result.Reason{result.Because("own", "n", 3)}, Differs: []result.Reason{result.Because("general")}})}}
	raw := oktest.Must(result.Encode(r))(t)
	return oktest.Must(result.Decode("x", raw))(t)
}

const english = `# Times on {{num (cell "times" "link" "method" "bsp" "seconds" (cell "times" "seconds" "method" "bsp" "link" 10))}}

{{$r := fact "asp_over_bsp"}}ASP takes {{num $r}}{{ci $r}} of BSP's time{{if is (fact "side") "below"}}: it is sooner{{end}}.
{{n seeds "seed" "seeds"}}; fast: {{list (where "fast" "=" true (rows "times")) "{method} at {link}" "nobody"}}.

{{table "method link seconds" (rows "times")}}
: Caption with {{n (count (rows "times")) "row" "rows"}}.

{{fold "More"}}

{{figure "f"}}
: What is *drawn*.
alt: Two lines.

{{endfold}}

{{claims}}
{{define "own"}}{{num .n}} of a kind{{end}}`

const chinese = `# {{num (cell "times" "link" "method" "bsp" "seconds" (cell "times" "seconds" "method" "bsp" "link" 10))}} 的时间

{{n seeds "个种子"}}；{{$r := fact "asp_over_bsp"}}ASP 用 {{num $r}}{{ci $r}}{{if is (fact "side") "below"}}，更早{{end}}。
快的：{{list (where "fast" "=" true (rows "times")) "{link} 的 {method}" "没有"}}。

{{table "method link seconds" (rows "times")}}
: 共 {{n (count (rows "times")) "行"}}。

{{fold "更多"}}

{{figure "f"}}
: 图。
alt: 两条线。

{{endfold}}

{{claims}}
{{define "own"}}{{num .n}} 个{{end}}`

func folder(en, zh string) fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	labels := "id,text\nmethod.bsp,BSP\nmethod.asp,ASP\ncolumn.method,M\ncolumn.link@dasp,L\ncolumn.seconds,T\nbool.true,J\nbool.false,N\n"
	reasons := `{{define "ci-contains-null"}}null{{end}}{{define "gap"}}gap {{num .gap}}{{end}}{{define "general"}}G{{end}}{{define "capped"}}C{{end}}`
	return fstest.MapFS{"labels.en.csv": file(labels), "labels.zh.csv": file(strings.Replace(labels, ",T", ",时间", 1)),
		"reasons.en.tmpl": file(reasons), "reasons.zh.tmpl": file(reasons), "dasp/x.en.md": file(en), "dasp/x.zh.md": file(zh)}
}

func rendered(t *testing.T, en, zh string, r *result.Result) (*Page, error) {
	t.Helper()
	b := oktest.Must(Open(folder(en, zh)))(t)
	return b.Page(r, nil)
}

func TestPage(t *testing.T) {
	p := oktest.Must(rendered(t, english, chinese, sample(t, 3)))(t)
	if p.Title != (Both{"Times on 10" + nbsp + "Gb/s", "10" + nbsp + "Gb/s 的时间"}) {
		t.Errorf("title %q", p.Title)
	}
	var kinds []string
	for _, part := range p.Parts {
		kinds = append(kinds, strings.Fields(part.name())[0]+" "+strings.Fields(part.name() + " -")[1])
	}
	if got := strings.Join(kinds, ", "); got != "prose -, the table, a fold, the figure, the end, the claims" {
		t.Errorf("parts: %s", got)
	}
	for l, want := range [][]string{
		{"ASP takes 0.500 [0.500, 0.500] of BSP’s time: it is sooner.", "3" + nbsp + "seeds; fast: ASP at 1" + nbsp + "Gb/s and BSP at 10" + nbsp + "Gb/s",
			"BSP | 1 | 11.00 ± 2.48", "ASP | 10 | –", "Caption with 4" + nbsp + "rows.", "D27", "3 of a kind", "What is drawn. | Two lines."},
		{"3 个种子；ASP 用 0.500 [0.500, 0.500]，更早。快的：1" + nbsp + "Gb/s 的 ASP 和 10" + nbsp + "Gb/s 的 BSP。", "M | L Gb/s | 时间 s", "3 个"}} {
		text := strings.ReplaceAll(p.Text(l), "L"+nbsp+"Gb/s", "L Gb/s")
		text = strings.ReplaceAll(text, "时间"+nbsp+"s", "时间 s")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", Languages[l], w, text)
			}
		}
	}
	f := p.Parts[3].Figure
	if len(f.Drawn[0].Series) != 2 || f.Drawn[0].Series[1].Name != "ASP" || f.Drawn[1].Y.Title != "时间" || len(f.Drawn[0].Series[1].Y) != 1 {
		t.Errorf("drawn: %+v", f.Drawn)
	}
}

// One seed has no interval, and no sentence says one.
func TestOneSeed(t *testing.T) {
	p := oktest.Must(rendered(t, english, chinese, sample(t, 1)))(t)
	text := p.Text(0)
	if strings.ContainsAny(text[:strings.Index(text, "D27")], "[]±") || !strings.Contains(text, "1"+nbsp+"seed;") {
		t.Errorf("one seed says\n%s", text)
	}
}

// What is missing or said in one language alone is an error, not a gap.
func TestMistakesFail(t *testing.T) {
	for name, c := range map[string]struct {
		en, zh string
		change func(r *result.Result)
		want   string
	}{
		"fact":            {english, chinese, func(r *result.Result) { r.Facts = r.Facts[1:] }, `no fact "asp_over_bsp"`},
		"frame":           {english, chinese, func(r *result.Result) { r.Frames[0].ID = "gone" }, `no frame "times"`},
		"column":          {english, chinese, func(r *result.Result) { r.Frames[0].Columns[0].Key = "gone" }, "no column method"},
		"label":           {english, chinese, func(r *result.Result) { r.Frames[0].Rows[0][0] = "new" }, "labels.en.csv has no method.new"},
		"reason":          {english, chinese, func(r *result.Result) { r.Claims[0].Reasons[0].Code = "new" }, `no words for the reason "new"`},
		"other binding":   {english, strings.Replace(chinese, `fact "side"`, `fact "asp_over_bsp"`, 1), nil, "only in one language: fact side"},
		"other columns":   {english, strings.Replace(chinese, `"method link seconds"`, `"link seconds"`, 1), nil, "place other blocks"},
		"other order":     {english, strings.Replace(chinese, "{{claims}}", "", 1), nil, "only in one language: claim D27"},
		"no fold's end":   {strings.Replace(english, "{{endfold}}", "", 1), strings.Replace(chinese, "{{endfold}}", "", 1), nil, "no endfold"},
		"block in a line": {strings.Replace(english, "{{claims}}", "so {{claims}}", 1), chinese, nil, "a line of its own"},
		"no title":        {strings.TrimPrefix(english, "# "), chinese, nil, "want # and a title"},
	} {
		r := sample(t, 3)
		if c.change != nil {
			c.change(r)
		}
		if _, err := rendered(t, c.en, c.zh, r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	zero, two := 0, 2
	for _, c := range []struct {
		x      float64
		digits *int
		want   string
	}{{76.02, &zero, "76"}, {76.02, nil, "76.02"}, {-0.001, &two, "0.00"}, {1234567, nil, "1\u202f234\u202f567"}, {-1.5, nil, "−1.5"},
		{0.00012, nil, "0.00012"}, {2, &two, "2.00"}, {9999, nil, "9999"}, {-9999, nil, "−9999"}, {10000, nil, "10\u202f000"},
		{-10000, nil, "−10\u202f000"}, {9999.5, &two, "9999.50"}, {12345.5, &two, "12\u202f345.50"}} {
		if got := Number(c.x, c.digits); got != c.want {
			t.Errorf("Number(%g) = %s, want %s", c.x, got, c.want)
		}
	}
}

// What is equal is neither less nor greater, and an empty cell stands in no relation but ≠.
func TestWhere(t *testing.T) {
	frame := sample(t, 3).Frame("times") // of which the links are 1, 1, 10, 10 and the last cell of seconds is empty
	p := &page{used: map[string]bool{}}
	rows := make([]row, len(frame.Rows))
	for i, cells := range frame.Rows {
		rows[i] = row{frame, cells, p}
	}
	for _, c := range []struct {
		key, op string
		to      any
		want    []int
	}{
		{"link", "<", 10, []int{0, 1}}, {"link", ">", 1, []int{2, 3}}, {"link", "<", 1, nil}, {"link", ">", 10, nil},
		{"link", "=", 1, []int{0, 1}}, {"link", "≠", 1, []int{2, 3}}, {"link", "<", "link", nil}, {"link", ">", "link", nil},
		{"seconds", "<", 100, []int{0, 1, 2}}, {"seconds", ">", 0, []int{0, 1, 2}}, {"seconds", "≠", 11.0, []int{1, 2, 3}},
	} {
		found, err := where(c.key, c.op, c.to, rows)
		var got []int
		for _, r := range found {
			got = append(got, slices.IndexFunc(rows, func(x row) bool { return &x.cells[0] == &r.cells[0] }))
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("where %s %s %v: rows %v, %v; want %v", c.key, c.op, c.to, got, err, c.want)
		}
	}
	if _, err := where("link", "≤", 1, rows); err == nil || !strings.Contains(err.Error(), `no relation "≤"`) {
		t.Errorf("where link ≤ 1: %v", err)
	}
}

// Keys that a user adds, such as the name of a platform of his own, are printed.
// Ranges, gaps, powers of ten and lists, as sentences have them.
func TestNumbersInSentences(t *testing.T) {
	b, r := opened(t), sample(t, 3)
	for l, want := range [2][]string{{"11.00 s|11.00 s to 1 Gb/s", "12.4 points", "2.5·10⁻⁶", "6, 8", "a, b; c"}, {"11.00 s|11.00 s 到 1 Gb/s",
		"12.4 个百分点", "2.5·10⁻⁶", "6、8", "a, b；c"}} {
		p := b.page(l, r, nil)
		rs := oktest.Must(p.rows("times", "method", "bsp", "link", 1.0))(t)
		says := func(s string, err error) string {
			if err != nil {
				t.Error(err)
			}
			return strings.ReplaceAll(s, nbsp, " ")
		}
		got := []string{says(p.list(rs, "{seconds..seconds}|{seconds..link}")), says(p.apart(12.4, "%")), says(fixed("%.2g", 2.5e-6)),
			says(p.bare([]any{6.0, 8.0})), says(p.bare([]any{"a, b", "c"}))}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, want %s", got[i], want[i])
			}
		}
	}
}

func TestKeysOfUsers(t *testing.T) {
	w := words{lang: "en", labels: map[string]string{}}
	if s, err := w.label("platform", "my-lab"); err != nil || s != "my-lab" {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := w.label("method", "mine"); err == nil {
		t.Error("a method without a label was printed")
	}
}

// A result in memory and its file have the same page, so samples and intervals survive.
func TestFilesAreWhole(t *testing.T) {
	r := sample(t, 3)
	raw, _ := json.Marshal(r)
	var again result.Result
	oktest.Nil(t, json.Unmarshal(raw, &again))
	a, errA := rendered(t, english, chinese, r)
	b, errB := rendered(t, english, chinese, &again)
	if errA != nil || errB != nil || a.Text(0) != b.Text(0) || a.Text(1) != b.Text(1) {
		t.Errorf("two pages: %v %v", errA, errB)
	}
}
