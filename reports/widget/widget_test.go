package widget

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/dop251/goja"

	"gradsync/experiments/kit"
	"gradsync/experiments/result"
	"gradsync/internal/oktest"
	"gradsync/reports/assets"
	"gradsync/reports/notebook"
	"gradsync/reports/page"
)

// worker is one machine with assets/widgets*.js for all tests, which hold its lock.
var worker = struct {
	sync.Mutex
	vm *goja.Runtime
}{}

// worked runs a function of assets/widgets*.js on data, as the browser does.
func worked(t *testing.T, fn string, args ...any) any {
	t.Helper()
	worker.Lock()
	defer worker.Unlock()
	if worker.vm == nil {
		vm := goja.New()
		for _, name := range page.WidgetScripts {
			js := oktest.Must(assets.ReadFile(name))(t)
			if _, err := vm.RunString(string(js)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		worker.vm = vm
	}
	words := make([]string, len(args))
	for i, a := range args {
		b := oktest.Must(json.Marshal(a))(t)
		words[i] = string(b)
	}
	v, err := worker.vm.RunString("JSON.stringify(gradsyncWidgets." + fn + "(" + strings.Join(words, ",") + "))")
	oktest.Nil(t, err)
	var out any
	oktest.Nil(t, json.Unmarshal([]byte(v.String()), &out))
	return out
}

// example returns an invented result without frames.
func example(id, source, kind string) *result.Result {
	return &result.Result{Schema: result.Schema, ID: id, Source: source, Profile: "quick", Kind: kind, Status: result.Complete,
		Seeds: []uint64{0, 1, 2}, Engine: "portable", Config: map[string]any{"invented": true}, Frames: []result.Frame{}}
}

// reread returns a result as its file has it.
func reread(t *testing.T, r *result.Result) *result.Result {
	t.Helper()
	raw := oktest.Must(result.Encode(r))(t)
	r = oktest.Must(result.Decode(r.ID, raw))(t)
	return r
}

// exampleLoads has the columns of codedsgd/accounting; its numbers are invented, and some are missing.
func exampleLoads() *result.Result {
	r := example("codedsgd/accounting", "Example §2.4", result.Modelled)
	s := kit.NewSheet("loads", "n r coded/units.2 blocks/units.2 replicated/units.2 sends")
	for n := 2; n <= 5; n++ {
		for k := 1; k <= n; k++ {
			copies := math.NaN()
			if n%k == 0 {
				copies = float64(n)
			}
			s.Add(n, k, float64(111*n-11*k)/11, 1111*n, copies, k < n)
		}
	}
	r.Frames = []result.Frame{s.Frame}
	return r
}

// loadsLabels are the words of exampleLoads.
var loadsLabels = map[string]string{"n": "n,n", "r": "r,r", "coded": "\"CSSGD, multicast\",CSSGD，多播", "blocks": "by block,逐块",
	"replicated": "replicated workers,复制的工作节点", "sends": "sends,发送"}

// loadsExample returns exampleLoads with a notebook of its own.
func loadsExample(t *testing.T) worded {
	t.Helper()
	words := fstest.MapFS{"reasons.en.tmpl": {}, "reasons.zh.tmpl": {}}
	labels := [2]string{"id,text\nunit.units,gradient units\nbool.true,yes\nbool.false,no\n", "id,text\nunit.units,梯度单位\nbool.true,是\nbool.false,否\n"}
	for key, text := range loadsLabels {
		at := strings.LastIndexByte(text, ',')
		labels[0] += "column." + key + "," + text[:at] + "\n"
		labels[1] += "column." + key + "," + text[at+1:] + "\n"
	}
	for l, lang := range notebook.Languages {
		words["labels."+lang+".csv"] = &fstest.MapFile{Data: []byte(labels[l])}
		words["codedsgd/accounting."+lang+".md"] = &fstest.MapFile{Data: []byte("# Loads\n\n{{table \"n r coded blocks replicated sends\" (rows \"loads\")}}\n")}
	}
	book := oktest.Must(notebook.Open(words))(t)
	l := worded{Result: reread(t, exampleLoads())}
	l.Page = oktest.Must(book.Page(l.Result, nil))(t)
	return l
}

// What the chart shows for each n and r is the row of the table: its words, bars in
// the proportion of its numbers, the least of them marked.
func TestLoadsAreTheTable(t *testing.T) {
	l := loadsExample(t)
	f, shown := l.Frame("loads"), l.Page.Parts[0].Table
	data := oktest.Must(loadsOf(l, f))(t)
	if len(data.Rows) != 14 || len(data.Names) != 3 || data.Names[0] != (notebook.Both{"CSSGD, multicast", "CSSGD，多播"}) ||
		data.Unit != (notebook.Both{"gradient units", "梯度单位"}) {
		t.Fatalf("%d rows of %q in %q", len(data.Rows), data.Names, data.Unit)
	}
	for k, row := range f.Rows {
		bars, _ := worked(t, "bars", data, row[0], row[1], []bool{}).([]any)
		most, least := 0.0, math.Inf(1)
		for _, x := range row[2:5] {
			if v, ok := x.(float64); ok {
				most, least = max(most, v), min(least, v)
			}
		}
		for i, b := range bars {
			bar, _ := b.(map[string]any)
			text, _ := bar["text"].(string)
			v, ok := row[i+2].(float64)
			if !ok {
				if text != "none" || bar["shown"] != false || bar["least"] != false {
					t.Errorf("row %d: no load of %s, yet %v", k, data.Names[i], bar)
				}
				continue
			}
			if cell := shown.Rows[k][i+2].Text[0]; text != cell {
				t.Errorf("row %d, %s: the chart says %q, the table %q", k, data.Names[i], text, cell)
			}
			if w, _ := bar["width"].(float64); math.Abs(w-v/most) > 1e-12 {
				t.Errorf("row %d, %s: the bar is %v of the longest, want %v", k, data.Names[i], w, v/most)
			}
			if bar["least"] != (v == least) {
				t.Errorf("row %d, %s: least %v", k, data.Names[i], bar["least"])
			}
		}
	}
}

// By hand: n = 5, r = 3 are (555 − 33)/11 = 47.45, 5555 and none.
func TestLoadsInWords(t *testing.T) {
	l := loadsExample(t)
	data := oktest.Must(loadsOf(l, l.Frame("loads")))(t)
	say := func(lang string, hidden ...bool) string {
		return fmt.Sprint(worked(t, "sentence", data, 5, 3, worked(t, "bars", data, 5, 3, append([]bool{}, hidden...)), lang))
	}
	for got, want := range map[string]string{
		say("en"):                   "n = 5, r = 3. CSSGD, multicast: 47.45 gradient units. Least: 47.45 (CSSGD, multicast).",
		say("zh"):                   "n = 5，r = 3。CSSGD，多播：47.45 梯度单位。最少：47.45（CSSGD，多播）。",
		say("en", true):             "n = 5, r = 3. All that are shown are equal.",
		say("en", true, true, true): "n = 5, r = 3: nothing chosen.",
		fmt.Sprint(worked(t, "choices", data, "r", 4), worked(t, "choices", data, "n"), worked(t, "nearest", []int{2, 3, 5}, 8)): "[1 2 3 4] [2 3 4 5] 5",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if bars := fmt.Sprint(worked(t, "bars", data, 5, 9, []bool{})); bars != "<nil>" {
		t.Errorf("r > n has bars: %s", bars)
	}
}

// Lists in words: Chinese has a space beside numbers and Latin letters alone.
func TestListsInWords(t *testing.T) {
	for _, x := range []struct {
		lang string
		list []any
		want string
	}{
		{"en", []any{1, 2, 3}, "1, 2 and 3"}, {"en", []any{"a"}, "a"}, {"zh", []any{1, 2, 3}, "1、2 和 3"},
		{"zh", []any{"甲", "乙"}, "甲和乙"}, {"zh", []any{"位图", "3 %"}, "位图和 3 %"}, {"zh", []any{}, ""},
	} {
		if got := worked(t, "and", x.lang, x.list); got != x.want {
			t.Errorf("%v in %s is %q, want %q", x.list, x.lang, got, x.want)
		}
	}
}

// Loads that the widget would show wrongly are refused.
func TestUnreadableLoadsAreRefused(t *testing.T) {
	for want, harm := range map[string]func(*frame){
		"no columns n and r": func(f *frame) { f.Columns[0].Key = "nodes" },
		"n = none":           func(f *frame) { f.Rows[2][0] = "none" },
		"many is no load":    func(f *frame) { f.Rows[2][2] = "many" },
		"-1 is no load":      func(f *frame) { f.Rows[3][2] = -1.0 },
		"0 rows":             func(f *frame) { f.Rows = nil },
	} {
		l := loadsExample(t)
		harm(l.Frame("loads"))
		if _, err := widgetOf(l, "loads"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "frame loads: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The committed results that a reader should be able to work can be worked, and their
// widgets have words in both languages.
func TestCommittedResultsHaveTheirWidgets(t *testing.T) {
	for id, frames := range map[string][]string{"codedsgd/accounting": {"loads"}, "codedsgd/fig2": {"packets-3-2", "packets-4-2"},
		"ring/steps": {"transfers"}, "dasp/walk": {"events"}, "ringsparse/decisions": {"hops"}} {
		l := committedOf(t, id)
		for _, want := range frames {
			if w, err := widgetOf(l, want); err != nil || w == nil {
				t.Errorf("%s, %s: widget %v, %v", id, want, w, err)
			} else if w.Name.En() == "" || w.Name.Zh() == "" || !json.Valid([]byte(w.Data)) {
				t.Errorf("%s, %s: named %q, data %.80s", id, want, w.Name, w.Data)
			}
		}
	}
	other := exampleLoads()
	other.ID = "codedsgd/other"
	for _, l := range []worded{{Result: other}} {
		for _, f := range l.Frames {
			if w, err := widgetOf(l, f.ID); w != nil || err != nil {
				t.Errorf("%s, %s: widget %v, %v", l.ID, f.ID, w, err)
			}
		}
	}
}
