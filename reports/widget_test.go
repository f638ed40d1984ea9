package reports

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dop251/goja"

	result "gradsync/experiments/result1"
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
		for _, name := range widgetScripts {
			js, err := assets.ReadFile("assets/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := vm.RunString(string(js)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		worker.vm = vm
	}
	words := make([]string, len(args))
	for i, a := range args {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		words[i] = string(b)
	}
	v, err := worker.vm.RunString("JSON.stringify(gradsyncWidgets." + fn + "(" + strings.Join(words, ",") + "))")
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal([]byte(v.String()), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// viewed is table i of r and the view of it.
func viewed(r *result.Result, i int) (result.Table, tableView) {
	return r.Tables[i], viewTable(loaded{Result: r}, r.Tables[i])
}

// What the chart shows for each n and r is the row of the table: its words, bars in
// the proportion of its numbers, the least of them marked.
func TestLoadsAreTheTable(t *testing.T) {
	tb, v := viewed(exampleLoads(), 0)
	data, err := loadsOf(tb, v)
	if err != nil {
		t.Fatal(err)
	}
	if len(data.Rows) != 14 || len(data.Names) != 3 {
		t.Fatalf("%d rows of %d loads", len(data.Rows), len(data.Names))
	}
	for k, row := range tb.Rows {
		bars, _ := worked(t, "bars", data, row[0], row[1], []bool{}).([]any)
		want := map[int]*big.Rat{}
		most, least := new(big.Rat), big.NewRat(1<<40, 1)
		for i := range bars {
			if row[i+2] == nil {
				continue
			}
			q, ok := new(big.Rat).SetString(fmt.Sprint(row[i+2]))
			if !ok {
				t.Fatalf("%v", row[i+2])
			}
			want[i] = q
			if q.Cmp(most) > 0 {
				most = q
			}
			if q.Cmp(least) < 0 {
				least = q
			}
		}
		for i, b := range bars {
			bar, _ := b.(map[string]any)
			text, _ := bar["text"].(string)
			if want[i] == nil {
				if text != "none" || bar["shown"] != false || bar["least"] != false {
					t.Errorf("row %d: no load of %s, yet %v", k, data.Names[i], bar)
				}
				continue
			}
			if cell := v.Rows[k][i+2].Text; text != cell && !strings.HasSuffix(text, " = "+cell) {
				t.Errorf("row %d, %s: the chart says %q, the table %q", k, data.Names[i], text, cell)
			}
			share, _ := new(big.Rat).Quo(want[i], most).Float64()
			if w, _ := bar["width"].(float64); math.Abs(w-share) > 1e-12 {
				t.Errorf("row %d, %s: the bar is %v of the longest, want %v", k, data.Names[i], w, share)
			}
			if bar["least"] != (want[i].Cmp(least) == 0) {
				t.Errorf("row %d, %s: least %v", k, data.Names[i], bar["least"])
			}
		}
	}
}

// By hand: n = 5, r = 3 are (555 − 33)/11 = 522/11 = 47.45, 5555 and none.
func TestLoadsInWords(t *testing.T) {
	tb, v := viewed(exampleLoads(), 0)
	data, err := loadsOf(tb, v)
	if err != nil {
		t.Fatal(err)
	}
	say := func(hidden ...bool) string {
		return fmt.Sprint(worked(t, "sentence", data, 5, 3, worked(t, "bars", data, 5, 3, append([]bool{}, hidden...)), "en"))
	}
	for got, want := range map[string]string{
		say():                 "n = 5, r = 3. CSSGD, multicast: 47.45 = 522/11 gradient units. Least: 47.45 = 522/11 (CSSGD, multicast).",
		say(true):             "n = 5, r = 3. All that are shown are equal.",
		say(true, true, true): "n = 5, r = 3: nothing chosen.",
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

// Without scripts the table stands open and the widget takes no room.
func TestWidgetsLeaveTheTable(t *testing.T) {
	page := pageOf(t, "codedsgd.html")
	for _, id := range []string{"accounting-loads", "fig2-packets-3-2"} {
		box := cut(t, page, `<div class="tablebox" id="`+id+`"`, `class="tools"`)
		if !strings.Contains(box, `hidden="hidden"><script type="application/json">`) || !strings.Contains(box, `<table class="data"`) {
			t.Errorf("%s has no hidden widget beside its table: %.600s", id, box)
		}
		if strings.Contains(box, "<details") && !strings.Contains(box, `<details class="rows" open="open">`) {
			t.Errorf("%s: the table is closed for a reader without scripts", id)
		}
	}
	if cell := html.EscapeString(exampleExchange().Tables[0].Rows[0][6].(string)); !strings.Contains(page, cell) {
		t.Errorf("the table of packets lacks %q", cell)
	}
	first, svg := strings.Index(page, `id="fig2-packets-3-2"`), strings.Index(page, `id="fig2-complete-3-2"`)
	if first < 0 || svg < first {
		t.Error("what can be worked does not stand first")
	}
	for name, want := range map[string]int{"codedsgd.html": 1, "dasp.html": 0, "index.html": 0} {
		if n := strings.Count(pageOf(t, name), `src="assets/widgets.js"`); n != want {
			t.Errorf("%s loads the widgets %d times, want %d", name, n, want)
		}
	}
}

// A table that the widget would show wrongly is refused.
func TestUnreadableTablesAreRefused(t *testing.T) {
	for want, harm := range map[string]func(*result.Table){
		"no columns n and r":  func(tb *result.Table) { tb.Columns[0].Key = "nodes" },
		"n = none":            func(tb *result.Table) { tb.Rows[2][0] = "none" },
		"is no load":          func(tb *result.Table) { tb.Rows[2][2] = "many" },
		"-1/11 is no load":    func(tb *result.Table) { tb.Rows[3][2] = "-1/11" },
		"0 rows":              func(tb *result.Table) { tb.Rows = nil },
		"folded into another": func(tb *result.Table) { tb.Columns[4].Title, tb.Rows = "±", [][]any{{2.0, 1.0, 1.0, 2.0, 3.0}} },
	} {
		r := exampleLoads()
		harm(&r.Tables[0])
		tb, v := viewed(r, 0)
		if _, err := widgetOf(r, tb, v); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "reports: codedsgd/accounting, table loads: ") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The committed results that a reader should be able to work can be worked.
func TestCommittedResultsHaveTheirWidgets(t *testing.T) {
	for id, tables := range map[string][]string{"codedsgd/accounting": {"loads"}, "codedsgd/fig2": {"packets-3-2", "packets-4-2"},
		"ring/steps": {"transfers"}, "dasp/walk": {"events"}, "ringsparse/decisions": {"hops"}} {
		r, err := result.Read(filepath.Join("..", "experiments", "results", filepath.FromSlash(id)+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tables {
			at := slices.IndexFunc(r.Tables, func(tb result.Table) bool { return tb.ID == want })
			if at < 0 {
				t.Errorf("%s has no table %s", id, want)
				continue
			}
			tb, v := viewed(r, at)
			if w, err := widgetOf(r, tb, v); err != nil || w == nil {
				t.Errorf("%s, %s: widget %v, %v", id, want, w, err)
			}
		}
	}
}

// A diagram calls things in Chinese as the page does that holds it.
func TestDiagramsUseThePagesChinese(t *testing.T) {
	tr, err := newTranslator()
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:"([^"]+)"|(\w+)): "([^"]*\p{Han}[^"]*)"`)
	for _, name := range []string{"widgets-sparse.js", "widgets-loads.js"} {
		js, err := assets.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		words := named.FindAllStringSubmatch(string(js), -1)
		if len(words) < 12 {
			t.Errorf("%s: %d words found", name, len(words))
		}
		for _, w := range words {
			if zh, ok := tr.zh(w[1] + w[2]); !ok || zh != w[3] {
				t.Errorf("%s: %q is %q, on the page %q", name, w[1]+w[2], w[3], zh)
			}
		}
	}
}
