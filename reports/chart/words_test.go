package chart

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// talkingFigures returns three small charts in both languages.
func talkingFigures() [][2]notebook.Drawing {
	xs := []float64{1, 2}
	line := func(x, y, a, b string) notebook.Drawing {
		return notebook.Drawing{Form: "line", X: notebook.Axis{Title: x, Unit: "ms"}, Y: notebook.Axis{Title: y, Unit: "%"}, Series: []notebook.Series{
			{Name: a, Group: "a", X: xs, Y: xs}, {Name: b, Group: "b", X: xs, Y: xs},
			{Name: "BSP", Group: "bsp", X: xs, Y: []float64{3, 4}, Lo: xs, Hi: []float64{5, 6}}}}
	}
	bar := func(x, y, last, a string) notebook.Drawing {
		return notebook.Drawing{Form: "bar", X: notebook.Axis{Title: x, Unit: "ms", Categories: []string{"a", "b", "c", "d", "e", last}}, Y: notebook.Axis{Title: y},
			Series: []notebook.Series{{Name: a, Group: "a", Y: []float64{1, 2, 3, 4, 5, 6}}}}
	}
	gantt := func(x, first, second, state, label string) notebook.Drawing {
		return notebook.Drawing{Form: "gantt", X: notebook.Axis{Title: x, Unit: "ms"}, Lanes: []string{first, second}, Bands: []notebook.Band{
			{Lane: 1, From: 1, To: 2, Key: "compute", State: state, Label: label}, {From: 1, To: 2, Key: "bsp", State: "BSP"}}}
	}
	return [][2]notebook.Drawing{
		{line("time", "test accuracy", "ties to weights", "printed sign"), line("时间", "测试准确率", "平局取权重", "印出的符号")},
		{bar("time", "share", "pruned MLP, gradient masked", "printed sign"), bar("时间", "份额", "剪枝 MLP（梯度也掩码）", "印出的符号")},
		{gantt("time", "worker 1", "worker 12", "compute", "iteration 3 of 1,200"), gantt("时间", "工作节点 1", "工作节点 12", "计算", "共 1,200 次迭代的第 3 次")},
	}
}

// optionIn returns the option of f in a browser: in English with words nil.
func optionIn(t *testing.T, s *page.Scripts, f notebook.Drawing, words map[string]string) (o struct {
	Legend       struct{ Data []string }
	Grid         []struct{ Top, Bottom, Left any }
	Series       []struct{ Name string }
	XAxis, YAxis []struct {
		Name string
		Data []string
	}
}, raw string) {
	t.Helper()
	opt, err := Option(f)
	if err != nil {
		t.Fatal(err)
	}
	short, err := shortOption(f.Form, opt)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := Bases(nil)
	if err != nil {
		t.Fatal(err)
	}
	table, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	raw, err = s.Call(`(function(b,o,f,w){o=gradsyncWhole(JSON.parse(b)[f],JSON.parse(o));w=JSON.parse(w);if(w)gradsyncSpeak(o,w);return JSON.stringify(o)})`,
		string(bases), string(short), f.Form, string(table))
	if err == nil {
		err = json.Unmarshal([]byte(raw), &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o, raw
}

// A chart's option turns Chinese, names in the legend as the curves are named, and what is
// made anew without words is English again. By hand.
func TestChartsSpeakChinese(t *testing.T) {
	s := speakers(t)
	for _, f := range append(talkingFigures(), mapped()) {
		merged, _ := merge(f[0], andWords[0])
		words := Words(f[0], f[1])
		before, english := optionIn(t, s, merged, nil)
		o, chinese := optionIn(t, s, merged, words)
		if _, again := optionIn(t, s, merged, nil); again != english || chinese == english {
			t.Errorf("%s: English, Chinese and English again:\n%s\n%s\n%s", merged.Form, english, chinese, again)
		}
		if len(before.Series) != len(o.Series) || o.XAxis[0].Name != axisTitle(f[1].X) {
			t.Errorf("%s: %+v", merged.Form, o)
		}
		for _, x := range o.Series {
			if !slices.Contains(o.Legend.Data, x.Name) {
				t.Errorf("%s: %q is none of the legend's %q", merged.Form, x.Name, o.Legend.Data)
			}
		}
		switch merged.Form {
		case "line":
			if o.YAxis[0].Name != "测试准确率 (%)" || !slices.Equal(o.Legend.Data, []string{"平局取权重 = 印出的符号", "BSP"}) {
				t.Errorf("line: %+v", o)
			}
		case "bar":
			if o.XAxis[0].Data[5] != "剪枝 MLP（梯度\n也掩码）" || o.YAxis[0].Name != "份额" {
				t.Errorf("bar: %+v", o)
			}
		case "map":
			if !slices.Equal(o.YAxis[0].Data, []string{"1 Gb/s, 10 %", "10 Gb/s, 10 %"}) || !slices.Equal(o.Legend.Data, []string{"RingSparse", "稠密环"}) {
				t.Errorf("map: %+v", o)
			}
		case "gantt":
			if !slices.Equal(o.YAxis[0].Data, []string{"工作节点 1", "工作节点 12"}) || !strings.Contains(chinese, "共 1,200 次迭代的第 3 次") || o.Grid[0].Left != 24.0+7*11 {
				t.Errorf("gantt: %+v", o)
			}
		}
	}
	if w := Words(talkingFigures()[2][0], talkingFigures()[2][1]); len(w) != 5 || w["iteration 3 of 1,200"] == "" || w["BSP"] != "" {
		t.Errorf("words of the time line: %v", w)
	}
}

// speakers returns a machine with the functions of report.js.
func speakers(t *testing.T) *page.Scripts {
	t.Helper()
	s, err := page.NewScripts()
	if err == nil {
		err = s.Load(reportJS)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestToolTipsSpeakChinese(t *testing.T) {
	s := speakers(t)
	words, err := json.Marshal(map[string]string{
		"time (ms)": "时间（ms）", "worker #": "工作节点 #1", "compute": "计算", "iteration #": "迭代 #1", "share": "份额", "pruned MLP": "剪枝 MLP", "gradients": "梯度"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ fig, point, en, zh string }{
		{`{"form":"gantt","lanes":"worker 1\nworker 2","xunit":"ms"}`, `{"value":[1,3.5,1],"name":"iteration 7","seriesName":"compute"}`,
			"worker 2\niteration 7: 1 … 3.5 (2.5 ms)", "工作节点 2\n迭代 7：1 … 3.5 (2.5 ms)"},
		{`{"form":"gantt","lanes":"worker 1","xunit":"ms"}`, `{"value":[1,3,0],"seriesName":"compute"}`, "worker 1\ncompute: 1 … 3 (2 ms)",
			"工作节点 1\n计算：1 … 3 (2 ms)"},
		{`{"form":"map","lanes":"worker 1\nworker 2","y":"share"}`, `{"value":[3,1,2.5],"seriesName":"gradients"}`, "worker 2\ngradients: 2.5",
			"工作节点 2\n梯度：2.5"},
		{`{"form":"line","x":"time (ms)","y":"share"}`, `{"value":[1,0.123456789],"seriesName":"BSP"}`, "BSP\ntime (ms): 1\nshare: 0.12346",
			"BSP\n时间（ms）：1\n份额：0.12346"},
		{`{"form":"bar","y":"share"}`, `{"value":2,"name":"pruned\nMLP","seriesName":"gradients"}`, "gradients, pruned MLP\nshare: 2", "梯度，剪枝 MLP\n份额：2"},
	} {
		for in, want := range map[string]string{"null": c.en, string(words): c.zh} {
			got, err := s.Call(`(function(f,w,p){return gradsyncTip(JSON.parse(f),JSON.parse(w),JSON.parse(p))})`, c.fig, in, c.point)
			if err != nil || got != want {
				t.Errorf("%q, want %q (%v)", got, want, err)
			}
		}
	}
}

func TestChartLinesBreak(t *testing.T) {
	s := speakers(t)
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"virtual time (ms)", 9, "virtual|time (ms)"}, {"在每个 n 上", 6, "在每个|n 上"}, {"剪枝（梯度）", 6, "剪枝|（梯|度）"}, {"平局，GPU", 6, "平局，|GPU"}, {"", 5, ""},
	} {
		got, err := s.Call(`(function(t,n){return gradsyncLines(t,n)})`, c.text, c.most)
		if got = strings.ReplaceAll(got, "\n", "|"); err != nil || got != c.want {
			t.Errorf("%q in %d letters: %q, want %q (%v)", c.text, c.most, got, c.want, err)
		}
	}
}

// sameInBoth matches words that a chart says alike in both languages: methods, networks, layers, formulas,
// units.
var sameInBoth = regexp.MustCompile(`^(?:ASP|CNN|DNN|BSP|SSP|DSSP|DASP|SSGD|ASGD|CSSGD|RingSparse|Optimal|Unicast|Multicast|QIS|WSS|FSS|LeNet|ResNet|` +
	`VGG|BN|MLP|GPU|naive|Krum|` +
	`Algorithm|Deep|Speech|int|conv|gru|output|layer|rank|Smin|Smax|Tcalc|Tcomm|Gb|GB|MB|ms|[a-zA-Z])$`)

var letters = regexp.MustCompile(`\pL+`)

// No chart of the committed results has a word left in English, and no two of a chart's
// names become one.
func TestNoWordOfChartsIsLeft(t *testing.T) {
	n, told := 0, map[string]bool{}
	for _, x := range placedOf(t) {
		for _, f := range x.figures {
			en, _ := merge(apartInGroups(f.Drawn[0]), andWords[0])
			pairs, names := Words(f.Drawn[0], f.Drawn[1]), map[string]string{}
			for _, w := range append(wordsOf(f.Drawn[0]), namesOf(en)...) {
				n++
				text, ok := pairs[w]
				if !ok {
					text = w
				}
				for _, part := range letters.FindAllString(text, -1) {
					if part[0] < 0x80 && !sameInBoth.MatchString(part) && !told[part+w] {
						told[part+w] = true
						t.Errorf("%s, %s: %q is %q", x.id, f.ID, w, text)
						break
					}
				}
				if old, ok := names[text]; ok && old != w {
					t.Errorf("%s, %s: %q and %q are both %q", x.id, f.ID, old, w, text)
				}
				names[text] = w
			}
		}
	}
	if n < 500 {
		t.Errorf("%d words", n)
	}
}

// The words of all charts of a page stand on it once, the same at every render, and end no
// script; no two charts of a page want another Chinese for a word.
func TestWordsOfTheChartsOfAPage(t *testing.T) {
	spoken := map[string]string{"b": "</script>二", "a": "一", "c": "三"}
	raw, err := Bases(spoken)
	if err != nil {
		t.Fatal(err)
	}
	var bases map[string]any
	if err := json.Unmarshal([]byte(raw), &bases); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"a": "一", "b": "</script>二", "c": "三"}; !reflect.DeepEqual(bases[chinesePart], want) || strings.Contains(string(raw), "</") {
		t.Errorf("%v in %s", bases[chinesePart], raw)
	}
	if forms := slices.Sorted(maps.Keys(bases)); !slices.Equal(forms, []string{"bar", "gantt", "line", "map", chinesePart}) {
		t.Errorf("%v", forms)
	}
	for range 5 {
		if again, err := Bases(spoken); err != nil || again != raw {
			t.Fatalf("another render: %s (%v)", again, err)
		}
	}
	words := map[string]map[string]string{}
	for _, x := range placedOf(t) {
		if words[x.id] == nil {
			words[x.id] = map[string]string{}
		}
		for _, f := range x.figures {
			for en, zh := range Words(f.Drawn[0], f.Drawn[1]) {
				if old, ok := words[x.id][en]; ok && old != zh {
					t.Errorf("%s: %q is %q and %q", x.id, en, old, zh)
				}
				words[x.id][en] = zh
			}
		}
	}
}

// By hand: 460 pixels leave seven bars 51 each, seven letters; 366 leave six bars 44, six
// letters, and "ResNet-18" is longer, so that the names stand aslant, 12 letters at 4.6 and
// less the line there was. In 840 pixels three short names stay as they are.
func TestNarrowBarsAllHaveTheirName(t *testing.T) {
	s := speakers(t)
	const narrowed = `(function(n,l,w){var o={xAxis:[{data:n,nameGap:32+15*l,axisLabel:{}}],grid:[{bottom:60+15*l}]},m=gradsyncNarrowBars(o,w),x=o.xAxis[0];` +
		`return JSON.stringify([x.data,m,x.nameGap-32-15*l,o.grid[0].bottom-60-15*l,x.axisLabel])})`
	for _, c := range []struct {
		names       []string
		lines, wide int
		want        string
	}{
		{[]string{"a b", "c", "d", "e", "f", "g", "pruned, no more"}, 0, 460,
			`[["a b","c","d","e","f","g","pruned,\nno more"],15,15,15,{"interval":0,"hideOverlap":false}]`},
		{[]string{"a b", "c", "d", "e", "f", "g", "pruned,\nno more"}, 1, 460,
			`[["a b","c","d","e","f","g","pruned,\nno more"],0,0,0,{"interval":0,"hideOverlap":false}]`},
		{[]string{"MLP", "剪枝，\n含梯度", "c", "d", "e", "ResNet-18"}, 1, 366,
			`[["MLP","剪枝，含梯度","c","d","e","ResNet-18"],35,35,35,{"rotate":45,"interval":0,"hideOverlap":false}]`},
		{slices.Repeat([]string{"D12"}, 20), 0, 366, `[[` + strings.Repeat(`"D12",`, 19) + `"D12"],0,0,0,{}]`},
		{[]string{"LeNet-5", "ResNet-18", "VGG-19-BN"}, 0, 840, `[["LeNet-5","ResNet-18","VGG-19-BN"],0,0,0,{}]`},
	} {
		if got, err := s.Call(narrowed, c.names, c.lines, c.wide); err != nil || got != c.want {
			t.Errorf("%q in %d pixels:\n%s, want\n%s (%v)", c.names, c.wide, got, c.want, err)
		}
	}
	for broken, want := range map[string]string{"pruned,\nno more": "pruned, no more", "剪枝，\n含梯度": "剪枝，含梯度", "类似 Deep\nSpeech": "类似 Deep Speech"} {
		if got, err := s.Call(`(function(t){return gradsyncLine(t)})`, broken); err != nil || got != want {
			t.Errorf("%q, want %q (%v)", got, want, err)
		}
	}
}
