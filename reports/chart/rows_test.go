package chart

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"gradsync/reports/notebook"
)

// The numbers of a chart as a file: what the option draws, with every digit and in the
// reader's language, without bands, whiskers and bars that are not there.
func TestRowsOfAChart(t *testing.T) {
	s := speakers(t)
	rows := func(f [2]notebook.Drawing, zh bool) string {
		merged, _ := merge(f[0], andWords[0])
		words, data := map[string]string(nil), map[string]string{"form": f[0].Form, "x": axisTitle(f[0].X), "y": axisTitle(f[0].Y),
			"lanes": strings.Join(f[0].Lanes, "\n")}
		if zh {
			words = Words(f[0], f[1])
		}
		_, whole := optionIn(t, s, merged, nil)
		table, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Call(`(function(o,d,w){w=JSON.parse(w);return gradsyncCSV(gradsyncRows(JSON.parse(o),d,function(x){return gradsyncWord(w,x)},!!w))})`,
			whole, data, string(table))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	figures := talkingFigures()
	seed := uint64(7)
	figures = append(figures, [2]notebook.Drawing{{Form: "bar", X: notebook.Axis{Title: "x", Categories: []string{"a", "b"}}, Y: notebook.Axis{Title: "y"},
		Series: []notebook.Series{{Name: "s", Group: "s", Y: []float64{1, math.NaN()}, Lo: []float64{0.5, math.NaN()}, Hi: []float64{2, math.NaN()}}}}, {}},
		[2]notebook.Drawing{{Form: "line", X: notebook.Axis{Title: "x"}, Y: notebook.Axis{Title: "y"}, Series: []notebook.Series{
			{Name: "s", Group: "s", X: []float64{1}, Y: []float64{2}}, {Name: "s", Group: "s", Seed: &seed, X: []float64{1}, Y: []float64{3}}}}, {}})
	for i, want := range []string{
		"series,time (ms),test accuracy (%),95 % low,95 % high\nties to weights = printed sign,1,1,,\nties to weights = printed " +
			"sign,2,2,,\nBSP,1,3,1,5\nBSP,2,4,2,6\n",
		"series,time (ms),share\nprinted sign,a,1\nprinted sign,b,2\nprinted sign,c,3\nprinted sign,d,4\nprinted sign,e,5\nprinted sign,\"pruned MLP, " +
			"gradient masked\",6\n",
		"lane,from,to,state,label\nworker 12,1,2,compute,\"iteration 3 of 1,200\"\nworker 1,1,2,BSP,\n",
		"series,x,y,95 % low,95 % high\ns,a,1,0.5,2\n",
		"series,seed,x,y\ns,,1,2\ns,7,1,3\n",
	} {
		if got := rows(figures[i], false); got != want {
			t.Errorf("figure %d:\n%s, want\n%s", i, got, want)
		}
	}
	if got := rows(figures[0], true); !strings.HasPrefix(got, "系列,时间 (ms),测试准确率 (%),95 % 下限,95 % 上限\n平局取权重 = 印出的符号,1,1,,\n") {
		t.Errorf("in Chinese:\n%s", got)
	}
	if got, err := s.Call(`(function(r){return gradsyncCSV(r)})`, []any{[]any{`a "b"`, "c,d", nil, "e\nf", -1.5e-9}}); err != nil ||
		got != "\"a \"\"b\"\"\",\"c,d\",,\"e\nf\",-1.5e-9\n" {
		t.Errorf("%q (%v)", got, err)
	}
}
