package chart

import (
	"regexp"
	"strings"
	"testing"

	"gradsync/internal/oktest"
	"gradsync/reports/notebook"
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

// A plot says everything in both languages: names of curves that are drawn once, axes, categories, lanes and labels.
func TestPlotsSpeakBothLanguages(t *testing.T) {
	for i, f := range append(talkingFigures(), mapped()) {
		p := oktest.Must(NewPlot(&notebook.Figure{ID: "f", Alt: notebook.Both{"what it shows", "内容"}, Drawn: f}, "here"))(t)
		said := string(p.XTitle.HTML() + p.YTitle.HTML() + p.Body)
		for _, k := range p.Key {
			said += string(k.Name.HTML())
		}
		for _, want := range [][]string{
			{"平局取权重 = 印出的符号", "ties to weights = printed sign", "时间 (ms)", "测试准确率 (%)"},
			{"剪枝 MLP（梯度也掩码）", "pruned MLP, gradient masked", "份额", "share"},
			{"工作节点 12", "worker 12", "计算", "compute", "时间 (ms)"},
			{"稠密环", "dense ring", "加速比", "speed-up", "1 Gb/s, 10 %"},
		}[i] {
			if !strings.Contains(said, ">"+want+"<") {
				t.Errorf("the plot of %s lacks %q: %s", f[0].Form, want, said)
			}
		}
	}
}

// sameInBoth matches words that a chart says alike in both languages: methods, networks, layers, formulas, units.
var sameInBoth = regexp.MustCompile(`^(?:ASP|CNN|DNN|BSP|SSP|DSSP|DASP|SGD|SSGD|ASGD|CSSGD|RingSparse|Optimal|Unicast|Multicast|QIS|WSS|FSS|LeNet|ResNet|` +
	`VGG|BN|MLP|GPU|naive|` +
	`Algorithm|Deep|Speech|int|conv|gru|output|layer|rank|Smin|Smax|Tcalc|Tcomm|Gb|GB|MB|ms|[a-zA-Z])$`)

var letters = regexp.MustCompile(`\pL+`)

// No plot of the committed results has a word left in English, and no two of its names become one.
func TestNoWordOfPlotsIsLeft(t *testing.T) {
	n, told := 0, map[string]bool{}
	for _, x := range placedOf(t) {
		for _, f := range x.figures {
			en, zh, _ := asDrawn(f)
			words, chinese, names := wordsOf(en), wordsOf(zh), map[string]string{}
			if len(words) != len(chinese) {
				t.Fatalf("%s, %s: %d words, %d in Chinese", x.id, f.ID, len(words), len(chinese))
			}
			for i, w := range words {
				n++
				text := chinese[i]
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
